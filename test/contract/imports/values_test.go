package imports_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEmptyCells checks which cells become null and which become "". Only an empty cell of
// a mapped string field becomes "".
func TestEmptyCells(t *testing.T) {
	fields := []any{field("mail", "email"), field("name", "string"), field("town", "string"), field("other", "email")}
	each(t, func(c client) {
		e := c.run(inline(fields), "mail,name\n,\n  ,  \nx@example.org,\n")
		want := `[{"mail":null,"name":"","town":null,"other":null},{"mail":null,"name":"  ","town":null,"other":null},` +
			`{"mail":"x@example.org","name":"","town":null,"other":null}]`
		if diff := cmp.Diff(want, e.rows()); diff != "" {
			c.T.Error(diff)
		}
		if e.doc["import_errors"] != nil {
			c.T.Errorf("import_errors is not null: %s", show(e.doc["import_errors"]))
		}
	})
}

// TestEmailValues checks which email addresses are valid.
func TestEmailValues(t *testing.T) {
	good := []string{"a@example.org", "a.b+c@sub.example.co", "A_B@EXAMPLE.ORG", "x@xn--bcher-kva.example", "!#$%&'*+/=?^_`{|}~-@example.org"}
	bad := []string{"a", "a@", "@example.org", "a@b", "a@localhost", "a@127.0.0.1", "a@[127.0.0.1]", "a b@example.org", "a@example.org, b@example.org",
		"a@@example.org", "a@-example.org", "a@example-.org", "a@example..org", "a@.example.org", "a@example.org.", "<a@example.org>", "a@exam_ple.org", "mailto:a@example.org"}
	each(t, func(c client) {
		var file strings.Builder
		w := csv.NewWriter(&file)
		for _, cell := range append(append([]string{"email"}, good...), bad...) {
			_ = w.Write([]string{cell})
		}
		w.Flush()
		e := c.run(inline(people(), settings(m{"invalidDataBehavior": "INCLUDE_INVALID_ROWS_AND_VALUES"})), file.String()).want("SUCCESSFUL")
		invalid := map[float64]bool{}
		for _, row := range e.metadata()["rowsWithError"].([]any) {
			invalid[row.(float64)] = true
		}
		for i, cell := range append(good, bad...) {
			if invalid[float64(i)] != (i >= len(good)) {
				c.T.Errorf("%q: invalid %v", cell, invalid[float64(i)])
			}
		}
	})
}

// TestEmailOutput checks that white space around an address is removed and its case is
// kept.
func TestEmailOutput(t *testing.T) {
	each(t, func(c client) {
		e := c.run(inline(people()), "email\n\" a@example.org\t\"\nB@Example.org\n")
		want := `[{"email":"a@example.org","name":null,"town":null},{"email":"B@Example.org","name":null,"town":null}]`
		if diff := cmp.Diff(want, e.rows()); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestStringIsUnchanged checks that strings with special characters are imported unchanged.
func TestStringIsUnchanged(t *testing.T) {
	texts := []string{" a ", "007", "1,5", "1e5", "TRUE", "null", "NULL", "N/A", "a\nb", "a\r\nb", "tab\there", `"quoted"`, "'single", "<script>alert(1)</script>",
		"\u202eabc", "e\u0301", "é", "😀", "\u0085", "\u2028", "\ufeffx", "\\n", "a\x01b", strings.Repeat("x", 1<<20)}
	each(t, func(c client) {
		var file strings.Builder
		w := csv.NewWriter(&file)
		_ = w.Write([]string{"name", "town"})
		for _, text := range texts {
			_ = w.Write([]string{text, "-"})
		}
		w.Flush()
		e := c.run(inline(people()[1:]), file.String()).want("SUCCESSFUL")
		rows := e.result("").Array()
		if len(rows) != len(texts) {
			c.T.Fatalf("%d rows of %d", len(rows), len(texts))
		}
		for i, row := range rows {
			// The CSV writer of Go keeps \r\n within quotes.
			if diff := cmp.Diff(texts[i], row.(m)["name"]); diff != "" {
				c.T.Errorf("%.40q: %.200s", texts[i], diff)
			}
		}
	})
}

// TestRequired checks the results and notices for empty cells with each level of the
// validator, including the custom message.
func TestRequired(t *testing.T) {
	rule := func(rules ...any) []any {
		return []any{with(field("name", "string"), m{"validators": rules}), field("town", "string")}
	}
	const file = "name,town\n,X\n\" \t\",Y\nA,Z\n"
	own := m{"validate": "required", "errorMessage": "Who is it?"}
	each(t, func(c client) {
		e := c.run(inline(rule(own)), file).want("SUCCESSFUL")
		e.checkCounts(3, 1, 0, 1)
		want := m{"type": "VALIDATION", "level": "error", "message": "Who is it?", "rowIndex": 0.0, "fieldKey": "name", "header": "name", "value": ""}
		if diff := cmp.Diff(want, e.notices()[0]); diff != "" {
			c.T.Error(diff)
		}
		for _, level := range []string{"warning", "info"} {
			e := c.run(inline(rule(with(own, m{"level": level}))), file).want("SUCCESSFUL")
			e.checkCounts(3, 3)
			if n := e.notices(); len(n) != 2 || n[0]["level"] != level {
				c.T.Errorf("%s: %s", level, show(n))
			}
		}
		both := c.run(inline(rule(with(own, m{"level": "warning"}), own)), file).want("SUCCESSFUL")
		both.checkCounts(3, 1, 0, 1)
		blocked := inline(rule(with(own, m{"level": "warning"})), settings(m{"invalidDataBehavior": "BLOCK_SUBMIT"}))
		c.run(blocked, file).want("SUCCESSFUL")
	})
}

// TestInvalidValueMessage checks that a custom message replaces the message of the type.
func TestInvalidValueMessage(t *testing.T) {
	each(t, func(c client) {
		fields := []any{with(field("email", "email"), m{"invalidValueMessage": "Not <b>an</b> address"})}
		e := c.run(inline(fields), "email\nnobody\n").want("SUCCESSFUL")
		var got []any
		for _, n := range e.notices() {
			if n["type"] == "VALIDATION" {
				got = append(got, n["message"])
			}
		}
		if diff := cmp.Diff([]any{"Not <b>an</b> address"}, got); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestHiddenAndReadOnlyFields checks that read-only fields are mapped and hidden fields are
// not.
func TestHiddenAndReadOnlyFields(t *testing.T) {
	each(t, func(c client) {
		fields := []any{with(field("name", "string"), m{"readOnly": true}), with(field("town", "string"), m{"hidden": true, "requireMapping": true})}
		e := c.run(inline(fields), "name,town\nA,X\n")
		if diff := cmp.Diff(`[{"name":"A","town":null}]`, e.rows()); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestFormulasInCSV imports cells, keys and passed-through columns that contain formulas. No
// cell of the CSV result may be a formula, and the JSON result must contain the cells unchanged.
func TestFormulasInCSV(t *testing.T) {
	formulas := []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", `=HYPERLINK("http://x","y")`, "＝1", "=\"a\nb\""}
	each(t, func(c client) {
		var file strings.Builder
		w := csv.NewWriter(&file)
		_ = w.Write([]string{"=key", "other"})
		for _, text := range formulas {
			_ = w.Write([]string{text, text})
		}
		w.Flush()
		body := inline([]any{m{"key": "=key", "label": "=key"}}, settings(m{"passThroughUnmappedColumns": true}))
		e := c.run(body, file.String()).want("SUCCESSFUL")
		rows, err := csv.NewReader(strings.NewReader(e.result("csv").Text())).ReadAll()
		if err != nil || len(rows) != len(formulas)+1 {
			c.T.Fatalf("%v: %q", err, rows)
		}
		for _, row := range rows {
			for _, cell := range row {
				if strings.IndexAny(cell, "=+-@\t\r\x00＝") == 0 {
					c.T.Errorf("a cell of the CSV is %q", cell)
				}
			}
		}
		for i, row := range e.result("").Array() {
			if row.(m)["=key"] != formulas[i] {
				c.T.Errorf("JSON has %v for %q", row, formulas[i])
			}
		}
	})
}
