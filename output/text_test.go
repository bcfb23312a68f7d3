package output_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

func texts(n int) *rapid.Generator[[]string] {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "\"", "a\r\nb", "\u2028\u2029", "\xff\xc3", "<&>", "\\.", "＝1", "\x7f\x00\b\f", "-1", ";=1", "a\t\t+1", "x|\"=1\"", "a\r\n-1"}),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	return rapid.SliceOfN(text, n, n)
}

// table returns a schema of string fields and a batch with the given rows.
func table(keys []string, rows [][]string) (*intray.Schema, *intray.Batch) {
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	b := &intray.Batch{Lines: make([]int64, len(rows)), Fields: make([]intray.Cells, len(keys))}
	for f, key := range keys {
		schema.Fields = append(schema.Fields, intray.Field{Key: key, Type: intray.FieldType{Name: intray.TypeString}})
		for _, row := range rows {
			b.Fields[f].AppendValue([]byte(row[f]))
		}
	}
	return schema, b
}

func drawTable(t *rapid.T) (keys []string, rows [][]string) {
	n := rapid.IntRange(1, 4).Draw(t, "fields")
	return texts(n).Draw(t, "keys"), rapid.SliceOfN(texts(n), 0, 4).Draw(t, "rows")
}

func TestJSONLikeTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, rows := drawTable(t)
		schema, b := table(keys, rows)
		var got, want bytes.Buffer
		if _, err := output.Write(context.Background(), &got, output.NDJSON, schema, of(b)); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			for f := range keys {
				want.WriteString([]string{"{", ","}[min(f, 1)] + standard(t, keys[f]) + ":" + standard(t, row[f]))
			}
			want.WriteString("}\n")
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func standard(t *rapid.T, s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// dangerous matches text that a spreadsheet could treat as a formula.
var dangerous = regexp.MustCompile(`^[\t\r\n\x00]|^[\pZ\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]`)

// dangerousAfter matches a separator before text that a spreadsheet could treat as a formula.
var dangerousAfter = regexp.MustCompile(`^(;|\||\t|\n|\r)["\pZ\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]`)

// guarded returns the text that encoding/csv reads after Write wrote s. The reader turns
// \r\n into \n.
func guarded(s string) string {
	var b strings.Builder
	if dangerous.MatchString(s) {
		b.WriteByte('\'')
	}
	for i := range len(s) {
		b.WriteByte(s[i])
		if dangerousAfter.MatchString(s[i:]) && !strings.HasPrefix(s[i:], "\r\n") {
			b.WriteByte('\'')
		}
	}
	return strings.ReplaceAll(b.String(), "\r\n", "\n")
}

func TestCSVReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, rows := drawTable(t)
		schema, b := table(keys, rows)
		var file bytes.Buffer
		if _, err := output.Write(context.Background(), &file, output.CSV, schema, of(b)); err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(&file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var want [][]string
		for _, row := range append([][]string{keys}, rows...) {
			var cells []string
			for _, cell := range row {
				cells = append(cells, guarded(cell))
			}
			want = append(want, cells)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestFormulasAreEscapedAndNumbersAreNot(t *testing.T) {
	cases := []struct {
		name intray.TypeName
		text string
		want string
	}{
		{intray.TypeString, "=1+1", "'=1+1"},
		{intray.TypePhone, "+41791234567", "'+41791234567"},
		{intray.TypeString, "-1", "'-1"},
		{intray.TypeSelect, "@a", "'@a"},
		{intray.TypeString, "\t=1", "'\t'=1"},
		{intray.TypeString, "\r=1", "\"'\r'=1\""},
		{intray.TypeString, "\x00=1", "'\x00=1"},
		{intray.TypeString, "＝1", "'＝1"},
		{intray.TypeString, "＋1", "'＋1"},
		{intray.TypeString, "－1", "'－1"},
		{intray.TypeString, "＠1", "'＠1"},
		{intray.TypeString, "﹦1", "'﹦1"},
		{intray.TypeString, "＃1", "＃1"},
		{intray.TypeString, "=1,\"2\"", `"'=1,""2"""`},
		{intray.TypeString, "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"},
		{intray.TypeString, "\n=1", "\"'\n'=1\""},
		{intray.TypeString, " =1+1", `"' =1+1"`},
		{intray.TypeString, "   @SUM(1)", `"'   @SUM(1)"`},
		{intray.TypeString, " \t+1", "\"' \t'+1\""},
		{intray.TypeString, "\u00a0-1", "'\u00a0-1"},
		{intray.TypeString, "\x7f@A1", "'\x7f@A1"},
		{intray.TypeString, "\u3000＝1", "'\u3000＝1"},
		{intray.TypeString, "\ufeff=1", "'\ufeff=1"},
		{intray.TypeString, "\u200b\u202e=1", "'\u200b\u202e=1"},
		{intray.TypeString, "\x01=1", "'\x01=1"},
		{intray.TypeString, `"=1"`, `"""=1"""`},
		{intray.TypeString, "a=1", "a=1"},
		{intray.TypeString, " a=1", `" a=1"`},
		{intray.TypeString, "été -1", "été -1"},
		{intray.TypeString, " ", `" "`},
		{intray.TypeMultiSelect, `["=1"]`, `"[""=1""]"`},
		{intray.TypeDate, "2024-01-31", "2024-01-31"},
		{intray.TypeNumber, "-1.5e-3", "-1.5e-3"},
		{intray.TypeNumber, "-7", "-7"},
		{intray.TypeCheckbox, "true", "true"},
		{intray.TypeString, " x", `" x"`},
	}
	for _, c := range cases {
		schema, b := table([]string{"k"}, [][]string{{c.text}})
		schema.Fields[0].Type.Name = c.name
		var got bytes.Buffer
		if _, err := output.Write(context.Background(), &got, output.CSV, schema, of(b)); err != nil {
			t.Fatal(err)
		}
		if want := "k\n" + c.want + "\n"; got.String() != want {
			t.Errorf("%s %q is written as %q, want %q", c.name, c.text, got.String(), want)
		}
		if string(b.Fields[0].Values.At(0)) != c.text {
			t.Errorf("%q was changed in the batch", c.text)
		}
	}
}

// TestFindingS9FormulaInjection splits results as spreadsheets with other settings do. No cell
// may be a formula.
func TestFindingS9FormulaInjection(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{";=1+1", ";'=1+1"},
		{"x;=HYPERLINK(\"http://a.example\")", `"x;'=HYPERLINK(""http://a.example"")"`},
		{"a\t=1+1", "a\t'=1+1"},
		{"a|@SUM(1)", "a|'@SUM(1)"},
		{"a\n=1+1;", "\"a\n'=1+1;\""},
		{"a\r\n=1+1;", "\"a\r\n'=1+1;\""},
		{"a;\"=1+1\"", `"a;'""=1+1"""`},
		{"a; \u200b＝1", "a;' \u200b＝1"},
		{"a;;=1", "a;;'=1"},
		{"a;\t=1", "a;'\t'=1"},
		{"2024; -5", "2024;' -5"},
		{"a;b=1", "a;b=1"},
		{"a-b; c+d", "a-b; c+d"},
		{"a,=1+1", `"a,=1+1"`}, // a spreadsheet that splits at commas recognizes the quotes
	} {
		schema, b := table([]string{"k"}, [][]string{{c.text}})
		var got bytes.Buffer
		if _, err := output.Write(t.Context(), &got, output.CSV, schema, of(b)); err != nil {
			t.Fatal(err)
		}
		if want := "k\n" + c.want + "\n"; got.String() != want {
			t.Errorf("%q is written as %q, want %q", c.text, got.String(), want)
		}
		unquoted := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(c.want, `"`), `"`), `""`, `"`)
		if c.want[0] != '"' {
			unquoted = c.want
		}
		if escaped := output.EscapeFormula(c.text); escaped != unquoted {
			t.Errorf("%q is escaped as %q, want %q", c.text, escaped, unquoted)
		}
	}
	cell := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"=", "-", "+", "@", ";", "\t", "|", "\n", "\r", "\"", "'", ",", " ", "\ufeff", "x", "1"}), 0, 6), func(parts []string) string { return strings.Join(parts, "") })
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, 3, 3), 1, 4).Draw(rt, "rows")
		schema, b := table([]string{"a", "b", "c"}, rows)
		var file bytes.Buffer
		if _, err := output.Write(t.Context(), &file, output.CSV, schema, of(b)); err != nil {
			rt.Fatal(err)
		}
		for _, separator := range ";\t|" {
			for _, quotes := range []bool{false, true} {
				for _, cell := range splitCells(file.String(), byte(separator), quotes) {
					if dangerous.MatchString(strings.TrimLeft(cell, "\t\r\n")) {
						rt.Fatalf("split at %q (quotes: %v), %q contains the formula %q", separator, quotes, file.String(), cell)
					}
				}
			}
		}
	})
}

// splitCells returns the cells of all lines as a spreadsheet splits them. If quotes is set, a
// quote at the start of a cell begins quoted text, and text after the closing quote belongs to
// the cell.
func splitCells(text string, separator byte, quotes bool) (cells []string) {
	var cell []byte
	start, quoted := true, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '"' && i+1 < len(text) && text[i+1] == '"':
			cell = append(cell, c)
			i++
		case quoted && c == '"':
			quoted = false
		case quoted:
			cell = append(cell, c)
		case start && quotes && c == '"':
			quoted, start = true, false
		case c == separator || c == '\n' || c == '\r':
			cells, cell, start = append(cells, string(cell)), nil, true
		default:
			cell, start = append(cell, c), false
		}
	}
	return append(cells, string(cell))
}

// A spreadsheet that does not split at commas joins the cells of a row. If the row begins with a
// negative number, the joined text must not be a formula.
func TestFormulaAfterNegativeNumber(t *testing.T) {
	schema, b := table([]string{"n", "s"}, [][]string{{"-5", "5+cmd|' /C calc'!A0"}, {"-5", ""}, {"5", "x"}, {"", "x"}, {"-1", "&A1"}})
	schema.Fields[0].Type.Name = intray.TypeNumber
	var got bytes.Buffer
	if _, err := output.Write(t.Context(), &got, output.CSV, schema, of(b)); err != nil {
		t.Fatal(err)
	}
	const want = "n,s\n-5,\"5+cmd|' /C calc'!A0\"\n-5,\n5,x\n,x\n-1,\"&A1\"\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// The formula follows each of the tabs. A search for each of them would take hours.
func TestFormulaAfterManySeparators(t *testing.T) {
	text := strings.Repeat("\t", 1<<22) + "=1"
	if got := len(output.EscapeFormula(text)); got != 2*len(text)-1 {
		t.Errorf("%d bytes are escaped to %d", len(text), got)
	}
}

func TestNumbersAreThoseOfJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`-?[0-9]{0,3}(\.[0-9]{0,2})?([eE][+-]?[0-9]{0,2})?`),
			rapid.StringOfN(rapid.SampledFrom([]rune("01.eE+- n")), 1, 6, -1)).Draw(t, "number")
		schema, b := table([]string{"k"}, [][]string{{text}})
		schema.Fields[0].Type.Name = intray.TypeNumber
		_, err := output.Write(context.Background(), io.Discard, output.NDJSON, schema, of(b))
		valid := json.Valid([]byte(text)) && strings.TrimSpace(text) == text || text == ""
		if valid != (err == nil) {
			t.Fatalf("%q is a number of JSON: %v; error %v", text, valid, err)
		}
	})
}

func TestManyToOneFields(t *testing.T) {
	schema, b := table([]string{"k"}, [][]string{{`["1",null]`}, {""}})
	schema.Fields[0].ManyToOne = true
	var got bytes.Buffer
	if _, err := output.Write(context.Background(), &got, output.JSON, schema, of(b)); err != nil {
		t.Fatal(err)
	}
	if want := "[{\"k\":[\"1\",null]},\n{\"k\":null}]"; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}

func BenchmarkWrite(b *testing.B) {
	const rows = 8000
	schema := people(intray.RemoveInvalidRows)
	schema.Fields = append(schema.Fields, intray.Field{Key: "notes"}, intray.Field{Key: "email"})
	batch := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, 6)}
	for i := range rows {
		batch.Fields[0].AppendValue(fmt.Append(nil, "Zoë Müller ", i))
		batch.Fields[1].AppendValue(fmt.Append(nil, i, ".25"))
		batch.Fields[2].AppendValue([]byte("true"))
		batch.Fields[3].AppendValue([]byte(`["a","b"]`))
		batch.Fields[4].AppendValue([]byte("A longer remark, with a comma and a \"quote\" in it."))
		batch.Fields[5].AppendValue(fmt.Appendf(nil, "person.%d@example.com", i))
		if i%50 == 0 {
			batch.Problems = append(batch.Problems, intray.Problem{Row: i, Field: 5, Code: "email"})
		}
	}
	for _, format := range []output.Format{output.JSON, output.CSV, output.XLSX, output.Parquet} {
		b.Run(string(format), func(b *testing.B) {
			var g writeSizes
			if _, err := output.Write(context.Background(), &g, format, schema, of(batch)); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(g.total))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := output.Write(context.Background(), io.Discard, format, schema, of(batch)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestPanicOfTheBatches checks that a panic in the iterator of batches reaches the caller
// of Write and that no goroutine remains.
func TestPanicOfTheBatches(t *testing.T) {
	defer goleak.VerifyNone(t)
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	_, _ = output.Write(context.Background(), io.Discard, output.JSON, people(intray.RemoveInvalidRows),
		func(func(*intray.Batch, error) bool) { panic("boom") })
}
