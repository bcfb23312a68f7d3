package imports_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// maxRows is the maximum size of initial_data, in bytes.
const maxRows = 15728640

// withRows returns the request body for an import whose initial_data is the JSON in rows.
func withRows(fields []any, rows string) string {
	return `{"fields":` + show(fields) + `,"initial_data":` + rows + `}`
}

// TestRowsAreTheWholeData checks that imports with initial_data start immediately and
// accept no file.
func TestRowsAreTheWholeData(t *testing.T) {
	each(t, func(c client) {
		made := c.create(withRows(people(), `[{"email":"a@example.org","name":"A","Town":"X"},{"name":"B","email":"b@example.org"}]`))
		doc := made.Object()
		c.checkNew(doc, doc["schema_id"].(string), "")
		e := c.await(made.String("id"))
		want := `[{"email":"a@example.org","name":"A","town":"X"},{"email":"b@example.org","name":"B","town":""}]`
		if diff := cmp.Diff(want, e.rows()); diff != "" {
			c.T.Error(diff)
		}
		if e.doc["original_filename"] != "" || e.metadata()["filename"] != nil {
			c.T.Errorf("there is a file name: %s", show(e.doc))
		}
		for _, address := range []string{doc["upload"].(string), e.doc["upload"].(string)} {
			if got := c.PutFile(address, "email\na@example.org\n"); got.Status != http.StatusConflict {
				c.T.Errorf("an upload for initial_data: %d", got.Status)
			}
		}
	})
}

// TestRowsShapes checks that initial_data of any shape other than an array of objects is
// rejected.
func TestRowsShapes(t *testing.T) {
	each(t, func(c client) {
		for _, rows := range []string{`{}`, `"x"`, `7`, `true`, `[1]`, `["x"]`, `[null]`, `[[]]`, `[{"email":"a"},[]]`, `[{"email":"a"},null]`} {
			c.refused(withRows(people(), rows), 400, "initial_data")
		}
		for _, rows := range []string{`[`, `[{]`, `[{"email":}]`, `[{"email":"a"},]`, `[{"email":"a" "b"}]`, `[{"a":1,"a":2}]`,
			`[{"a":"\u0000"}]`, `[{"a":01}]`, `[{"a":NaN}]`, "[{\"a\":\"\xff\"}]", `[{"a":"\ud800"}]`,
			`[{"a":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}]`, `[]]`} {
			c.refused(withRows(people(), rows), 400, "")
		}
		c.refused(`{"initial_data":[],"initial_data":[{"email":"a@example.org"}],"fields":`+show(people())+`}`, 400, "")
		awaits := c.create(withRows(people(), `null`))
		c.PutFile(awaits.String("upload"), "email\na@example.org\n").WantStatus(http.StatusOK)
		c.await(awaits.String("id")).want("SUCCESSFUL")
	})
}

// TestRowsWithoutRows checks that imports of an empty array, or of an array of empty rows, do
// not succeed.
func TestRowsWithoutRows(t *testing.T) {
	each(t, func(c client) {
		for _, rows := range []string{`[]`, `[ ]`, `[{}]`} {
			e := c.await(c.create(withRows(people(), rows)).String("id"))
			if e.status == "SUCCESSFUL" || len(e.notices()) == 0 {
				c.T.Errorf("%s: %s", rows, show(e.doc))
			}
		}
	})
}

// TestRowsValues checks how values that are not strings are imported.
func TestRowsValues(t *testing.T) {
	fields := []any{field("a", "string"), field("b", "string"), field("c.d", "string"), field("e", "email")}
	tests := []struct{ rows, want string }{
		{`[{"a":1.50,"b":true,"e":null},{"a":-0,"b":false}]`, `[{"a":"1.50","b":"true","c.d":null,"e":null},{"a":"-0","b":"false","c.d":null,"e":null}]`},
		{`[{"a":1e400,"b":12345678901234567890123}]`, `[{"a":"1e400","b":"12345678901234567890123","c.d":null,"e":null}]`},
		{`[{"a":"x","c":{"d":"y"}}]`, `[{"a":"x","b":null,"c.d":"y","e":null}]`},
		{`[{"a":[1, "x", {"y": null}],"b":{}}]`, `[{"a":"[1,\"x\",{\"y\":null}]","b":"","c.d":null,"e":null}]`},
		{`[{"a":"=1+1","b":"\u202e\ud83d\ude00\t"}]`, `[{"a":"=1+1","b":"` + "\u202e😀" + `\t","c.d":null,"e":null}]`},
	}
	each(t, func(c client) {
		for _, tt := range tests {
			e := c.await(c.create(withRows(fields, tt.rows)).String("id"))
			if diff := cmp.Diff(tt.want, e.rows()); diff != "" {
				c.T.Errorf("%s: %s", tt.rows, diff)
			}
		}
	})
}

// TestRowsAndFilename checks that only an empty file name is accepted with initial_data.
func TestRowsAndFilename(t *testing.T) {
	each(t, func(c client) {
		rows := []any{m{"email": "a@example.org"}}
		c.refused(inline(people(), m{"initial_data": rows, "original_filename": "people.csv"}), 400, "original_filename")
		for _, name := range []any{"", nil} {
			c.create(inline(people(), m{"initial_data": rows, "original_filename": name}))
		}
		c.create(inline(people(), m{"initial_data": nil, "original_filename": "people.csv"}))
	})
}

// largeRows returns a body whose initial_data has exactly size bytes and whose other properties
// have about rest bytes.
func largeRows(size, rest int) io.Reader {
	frame, row := len("[]")+len(`{"email":"`)+len(`"}`), `{"email":"a@example.org"},`
	rows := (size - frame) / len(row)
	fill := size - frame - rows*len(row)
	first := opening(rest)
	return io.MultiReader(strings.NewReader(first+`"initial_data":[`), strings.NewReader(strings.Repeat(row, rows)),
		strings.NewReader(`{"email":"`+strings.Repeat("a", fill)+`"}]}`))
}

// opening returns the beginning of a body with a hook, of about size bytes.
func opening(size int) string {
	hook := "() => {/*" + strings.Repeat("x", size) + "*/}"
	return fmt.Sprintf(`{"fields":%s,"hooks":{"beforeFinishCallback":%q},`, show(people()), hook)
}

// TestRowsLimit checks that initial_data may have the maximum size, but not one byte more.
func TestRowsLimit(t *testing.T) {
	each(t, func(c client) {
		c.checkLimit(maxRows, 0, http.StatusCreated)
		c.checkLimit(maxRows+1, 0, http.StatusRequestEntityTooLarge)
	})
}

func (c client) checkLimit(size, rest, want int) {
	c.T.Helper()
	if got := c.Call("POST", importsPath, largeRows(size, rest)); got.Status != want {
		c.T.Errorf("initial_data of %d bytes and %d other bytes: %d, want %d: %.300s", size, rest, got.Status, want, got.Body)
	}
}

// TestRowsLimitWithMuchBesideThem checks that the size limits also apply if the other
// properties of the body are large.
func TestRowsLimitWithMuchBesideThem(t *testing.T) {
	c := onSQLite(t)
	const most, over = 1 << 20 * 9 / 10, 1<<20 + 1000
	c.checkLimit(maxRows, most, http.StatusCreated)
	c.checkLimit(maxRows+1, most, http.StatusRequestEntityTooLarge)
	c.checkLimit(1000, over, http.StatusRequestEntityTooLarge)
	c.checkLimit(maxRows, over, http.StatusRequestEntityTooLarge)
	c.checkLimit(2*maxRows, 0, http.StatusRequestEntityTooLarge)
	c.refused(withRows(people(), "["+strings.Repeat(" ", maxRows)+"]"), http.StatusRequestEntityTooLarge, "")
}

// TestRowsLimitOfDeclaredBody declares the length of a body that is too large, so that the
// server may reject it before reading it. The client must still receive the response.
func TestRowsLimitOfDeclaredBody(t *testing.T) {
	c := onSQLite(t)
	for _, size := range []int{maxRows + 1, maxRows + 2<<20, 31 << 20} {
		text, err := io.ReadAll(largeRows(size, 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Call("POST", importsPath, text); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%d bytes: %d", size, got.Status)
		}
	}
}

// oddRows returns arrays of at most maxRows bytes that do not look like a table.
func oddRows() map[string]string {
	var names strings.Builder
	for i := 0; names.Len() < maxRows-100; i++ {
		fmt.Fprintf(&names, `"n%d":1,`, i)
	}
	return map[string]string{
		"one string":  `[{"email":"` + strings.Repeat("x", maxRows-20) + `"}]`,
		"one number":  `[{"email":` + strings.Repeat("1", maxRows-20) + `}]`,
		"escapes":     `[{"email":"` + strings.Repeat(`\u0041`, maxRows/6-20) + `"}]`,
		"white space": `[` + strings.Repeat(" ", maxRows-2) + `]`,
		"many names":  `[{` + names.String() + `"email":1}]`,
		"tiny arrays": `[{"email":[[]` + strings.Repeat(",[]", maxRows/3-20) + `]}]`,
	}
}

// TestRowsMemory checks the memory that imports of the maximum size use.
func TestRowsMemory(t *testing.T) {
	ordinary, err := io.ReadAll(largeRows(maxRows, 0))
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{"ordinary rows": string(ordinary)}
	for name, rows := range oddRows() {
		bodies[name] = opening(0) + `"initial_data":` + rows + "}"
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			c := backend(t, apitest.Start(t, apitest.SQLite, livetest.Config{}))
			c.create(withRows(people(), `[{"email":"a@example.org"}]`))
			before := c.Site.PeakMemory()
			if before == 0 {
				t.Skip("SKIPPED: the memory of a process cannot be measured here")
			}
			if status := c.Call("POST", importsPath, body).Status; status != 201 && status != 400 && status != 413 {
				t.Errorf("status %d", status)
			}
			if cost := c.Site.PeakMemory() - before; cost > 64<<20 {
				t.Errorf("it cost %d MiB", cost>>20)
			}
		})
	}
}

// TestRowsOfNothingMuch checks that millions of empty rows do not take much longer than
// ordinary rows of the same size.
func TestRowsOfNothingMuch(t *testing.T) {
	// This test does not run in parallel, because it compares times.
	c := backend(t, apitest.Shared(t, apitest.SQLite))
	ordinary, err := io.ReadAll(largeRows(maxRows, 0))
	if err != nil {
		t.Fatal(err)
	}
	spend := func(body any) time.Duration {
		began := time.Now()
		c.Call("POST", importsPath, body).WantStatus(http.StatusCreated)
		return time.Since(began)
	}
	usual := spend(ordinary)
	tiny := spend(opening(0) + `"initial_data":[{}` + strings.Repeat(",{}", maxRows/3-10) + `]}`)
	if tiny > 4*usual+time.Second {
		t.Errorf("it took %s, and ordinary rows %s", tiny, usual)
	}
}

// TestRowsArriveWhole imports 100,000 rows and checks their number and the last row.
func TestRowsArriveWhole(t *testing.T) {
	each(t, func(c client) {
		const rows = 100_000
		body := withRows(people(), "["+strings.Repeat(`{"email":"a@example.org","name":"A","town":"B"},`, rows-1)+`{"email":"z@example.org"}]`)
		e := c.await(c.create(body).String("id")).want("SUCCESSFUL")
		if n := e.metadata()["numOutputRows"]; n != float64(rows) {
			c.T.Errorf("%v rows", n)
		}
		lines := lines(e.result("ndjson"))
		if len(lines) != rows || lines[rows-1] != `{"email":"z@example.org","name":"","town":""}` {
			c.T.Errorf("%d lines, the last %s", len(lines), lines[len(lines)-1])
		}
	})
}

func lines(reply *livetest.Reply) []string {
	return strings.Split(strings.TrimSuffix(reply.Text(), "\n"), "\n")
}
