package imports_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mixed has five rows: a valid row, a row with an invalid email address, a row without the
// required address, a row with empty cells, and a row whose invalid address spans two lines.
const mixed = "email,name\n" +
	"a@example.org,A\n" +
	"nobody,B\n" +
	",C\n" +
	"d@example.org,\n" +
	"\"x, \"\"y\"\"\n@\",E\n"

// TestInvalidDataBehavior imports rows with errors, once for each behavior and for the
// deprecated setting. It checks the result as NDJSON, JSON and CSV.
func TestInvalidDataBehavior(t *testing.T) {
	const (
		good    = `{"email":"a@example.org","name":"A","town":null}`
		empty   = `{"email":"d@example.org","name":"","town":null}`
		removed = good + "\n" + empty + "\n"
		nulls   = good + "\n" + `{"email":null,"name":"B","town":null}` + "\n" + `{"email":null,"name":"C","town":null}` + "\n" + empty + "\n" +
			`{"email":null,"name":"E","town":null}` + "\n"
		raw = good + "\n" + `{"email":"nobody","name":"B","town":null}` + "\n" + `{"email":null,"name":"C","town":null}` + "\n" + empty + "\n" +
			`{"email":"x, \"y\"\n@","name":"E","town":null}` + "\n"
	)
	tests := []struct {
		settings m
		want     string
	}{
		{m{}, removed},
		{m{"invalidDataBehavior": "REMOVE_INVALID_ROWS"}, removed},
		{m{"invalidDataBehavior": "INCLUDE_INVALID_ROWS"}, nulls},
		{m{"invalidDataBehavior": "INCLUDE_INVALID_ROWS_AND_VALUES"}, raw},
		{m{"allowInvalidSubmit": true}, nulls},
		{m{"allowInvalidSubmit": false}, removed},
		{m{"allowInvalidSubmit": true, "invalidDataBehavior": "REMOVE_INVALID_ROWS"}, removed},
		{m{"allowInvalidSubmit": false, "invalidDataBehavior": "INCLUDE_INVALID_ROWS"}, nulls},
		{m{"allowInvalidSubmit": true, "invalidDataBehavior": "INCLUDE_INVALID_ROWS_AND_VALUES"}, raw},
	}
	each(t, func(c client) {
		for _, tt := range tests {
			e := c.run(inline(people(), settings(tt.settings)), mixed).want("SUCCESSFUL")
			e.checkFormats(tt.want)
			e.checkCounts(5, strings.Count(tt.want, "\n"), 1, 2, 4)
		}
		for _, s := range []m{{"invalidDataBehavior": "BLOCK_SUBMIT"}, {"invalidDataBehavior": "BLOCK_SUBMIT", "allowInvalidSubmit": true}} {
			e := c.run(inline(people(), settings(s)), mixed).want("NEEDS_REVIEW")
			e.checkCounts(5, 0, 1, 2, 4)
			if e.types() != "VALIDATION VALIDATION VALIDATION" {
				c.T.Errorf("%s", show(e.doc["import_errors"]))
			}
			c.run(inline(people(), settings(s)), goodFile).want("SUCCESSFUL")
		}
	})
}

// checkFormats checks that the result as NDJSON, JSON and CSV has the same content as want,
// which is NDJSON.
func (e ended) checkFormats(want string) {
	e.T.Helper()
	if diff := cmp.Diff(want, e.result("ndjson").Text()); diff != "" {
		e.T.Errorf("ndjson: %s", diff)
	}
	array := "[" + strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n", ",") + "]"
	if diff := cmp.Diff(array, e.rows()); diff != "" {
		e.T.Errorf("json: %s", diff)
	}
	rows, err := csv.NewReader(strings.NewReader(e.result("csv").Text())).ReadAll()
	if err != nil {
		e.T.Fatal(err)
	}
	table := [][]string{{"email", "name", "town"}}
	for _, line := range lines(e.result("ndjson")) {
		table = append(table, cellsOf(line))
	}
	if diff := cmp.Diff(table, rows); diff != "" {
		e.T.Errorf("csv: %s", diff)
	}
}

// cellsOf returns the values of an NDJSON row as they are in CSV: a null becomes "", and an
// apostrophe escapes an @ at the start of a line.
func cellsOf(line string) []string {
	var row struct{ Email, Name, Town string }
	if json.Unmarshal([]byte(line), &row) != nil {
		return nil
	}
	return []string{strings.ReplaceAll(row.Email, "\n@", "\n'@"), row.Name, row.Town}
}

// checkCounts checks the row counts of an import.
func (e ended) checkCounts(data, output int, invalid ...int) {
	e.T.Helper()
	list := []any{}
	for _, row := range invalid {
		list = append(list, float64(row))
	}
	want := m{"numDataRows": float64(data), "numOutputRows": float64(output), "numRowsWithError": float64(len(invalid)), "rowsWithError": list}
	metadata := e.metadata()
	got := m{}
	for name := range want {
		got[name] = metadata[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		e.T.Error(diff)
	}
}

// TestResultFormats checks the Content-Type and the file name of the result in each format,
// and that unsupported formats return 400.
func TestResultFormats(t *testing.T) {
	types := map[string]string{"": "application/json", "json": "application/json", "ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"parquet": "application/vnd.apache.parquet"}
	each(t, func(c client) {
		e := c.run(inline(people(), m{"original_filename": "people.v2.csv"}), goodFile).want("SUCCESSFUL")
		for format, want := range types {
			reply := e.result(format)
			if got := reply.Header.Get("Content-Type"); got != want {
				c.T.Errorf("%q has the type %q", format, got)
			}
			if wrong := unsafeDownload(reply.Header); wrong != "" {
				c.T.Errorf("%q: %s: %v", format, wrong, reply.Header)
			}
			ending := format
			if format == "" {
				ending = "json"
			}
			if name := attachedName(reply.Header); name != "people.v2.result."+ending {
				c.T.Errorf("%q is named %q", format, name)
			}
		}
		for _, format := range []string{"xml", "JSON", "json,csv", "../json", "%00", "tsv"} {
			reply := c.Call("GET", importsPath+e.id+"/url/?format="+format, nil)
			if reply.Status != http.StatusBadRequest || reply.Object()["format"] == nil {
				c.T.Errorf("format=%s: status %d: %s", format, reply.Status, reply.Body)
			}
		}
	})
}

// TestResultKeysAreInSchemaOrder checks that the keys of a result are in the order of the
// fields, even if the columns of the file are not.
func TestResultKeysAreInSchemaOrder(t *testing.T) {
	each(t, func(c client) {
		var fields []any
		for _, key := range []string{"zebra", "10", "alpha", "9", "Ölig", "quote\"d", "none"} {
			fields = append(fields, m{"key": key, "label": key})
		}
		e := c.run(inline(fields), "\"quote\"\"d\",9,alpha,10,zebra,Ölig\nq,n,a,t,z,o\n")
		want := `[{"zebra":"z","10":"t","alpha":"a","9":"n","Ölig":"o","quote\"d":"q","none":null}]`
		if diff := cmp.Diff(want, e.rows()); diff != "" {
			c.T.Error(diff)
		}
		first := lines(e.result("csv"))[0]
		if diff := cmp.Diff(`zebra,10,alpha,9,Ölig,"quote""d",none`, first); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestUnmappedColumns checks that columns without a field are passed through only with
// passThroughUnmappedColumns.
func TestUnmappedColumns(t *testing.T) {
	const file = "id,email,,name\n1,a@example.org,x,A\n2,b@example.org,,B\n"
	through := settings(m{"passThroughUnmappedColumns": true})
	each(t, func(c client) {
		e := c.run(inline(people()[:2], through), file)
		want := `[{"email":"a@example.org","name":"A","$unmapped":{"0":"1","2":"x"}},{"email":"b@example.org","name":"B","$unmapped":{"0":"2","2":""}}]`
		if diff := cmp.Diff(want, e.rows()); diff != "" {
			c.T.Error(diff)
		}
		if diff := cmp.Diff([]any{"id", "email", "", "name"}, e.metadata()["rawHeaders"]); diff != "" {
			c.T.Error(diff)
		}
		all := c.run(inline(people()[:2], through), goodFile)
		if diff := cmp.Diff(`[{"email":"a@example.org","name":"A","$unmapped":{}}]`, all.rows()); diff != "" {
			c.T.Error(diff)
		}
		without := c.run(inline(people()[:2]), file)
		if diff := cmp.Diff(`[{"email":"a@example.org","name":"A"},{"email":"b@example.org","name":"B"}]`, without.rows()); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestMaxRecords checks that rows beyond maxRecords are dropped with a warning.
func TestMaxRecords(t *testing.T) {
	file := "email\n" + strings.Repeat("a@example.org\n", 5) + "nobody\n"
	each(t, func(c client) {
		for limit, want := range map[int]int{1: 1, 5: 5} {
			e := c.run(inline(people(), settings(m{"maxRecords": limit})), file).want("SUCCESSFUL")
			e.checkCounts(want, want)
			if e.types() != "MAX_RECORDS" || e.notices()[0]["level"] != "warning" {
				c.T.Errorf("maxRecords %d: %s", limit, show(e.doc["import_errors"]))
			}
			if n := e.uploadDoc()["total_num_rows"]; n != float64(want) {
				c.T.Errorf("the upload has %v rows", n)
			}
		}
		for _, limit := range []any{6, 7, nil} {
			e := c.run(inline(people(), settings(m{"maxRecords": limit})), file).want("SUCCESSFUL")
			e.checkCounts(6, 5, 5)
			if e.types() != "VALIDATION" {
				c.T.Errorf("maxRecords %v: %s", limit, show(e.doc["import_errors"]))
			}
		}
	})
}

// TestAllRowsRemoved checks the result and the warning of an import whose rows are all removed.
func TestAllRowsRemoved(t *testing.T) {
	each(t, func(c client) {
		e := c.run(inline(people()), "email\nnobody\n\nnothing\n").want("SUCCESSFUL")
		e.checkFormatsOfNothing()
		e.checkCounts(2, 0, 0, 1)
		if n := e.notices()[0]; n["type"] != "ALL_ROWS_REMOVED" || n["level"] != "warning" {
			c.T.Errorf("%s", show(e.doc["import_errors"]))
		}
	})
}

func (e ended) checkFormatsOfNothing() {
	e.T.Helper()
	for format, want := range map[string]string{"json": "[]", "ndjson": "", "csv": "email,name,town\n"} {
		if got := e.result(format).Text(); got != want {
			e.T.Errorf("%s is %q", format, got)
		}
	}
}
