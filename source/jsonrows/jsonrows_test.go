package jsonrows

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// reading is a table with the text that contains it.
type reading sourcetest.Table

var readings = []reading{
	{"array", `[{"a":"1","b":"2"},{"a":"3","b":"4"}]`, false, []string{"a", "b"}, [][]string{{"1", "2"}, {"3", "4"}}, []int64{1, 2}},
	{"lines", "{\"a\":1}\n\n{\"a\":2}\r\n{\"b\":3}", false, []string{"a", "b"}, [][]string{{"1", ""}, {"2", ""}, {"", "3"}}, []int64{1, 2, 3}},
	{"one object over several lines", "{\n \"a\" : \"x\"\n}\n", false, []string{"a"}, [][]string{{"x"}}, []int64{1}},
	{"byte order mark", "\uFEFF \n[{\"a\":\"\uFEFF\"}]\n", false, []string{"a"}, [][]string{{"\uFEFF"}}, []int64{1}},
	{"numbers as written", `[{"a":1.50,"b":-0,"c":1E400,"d":12345678901234567890123,"e":0.1e-7}]`, false, []string{"a", "b", "c", "d", "e"}, [][]string{{"1.50", "-0", "1E400", "12345678901234567890123", "0.1e-7"}}, []int64{1}},
	{"literals", `[{"a":true,"b":false,"c":null}]`, false, []string{"a", "b", "c"}, [][]string{{"true", "false", ""}}, []int64{1}},
	{"strings", `[{"a":"\u00e9\n\"\\","b":"","c":"\ud83d\udc4d","\u0064":"\\\\"}]`, false, []string{"a", "b", "c", "d"}, [][]string{{"é\n\"\\", "", "👍", `\\`}}, []int64{1}},
	{"union of names", `[{"b":1},{"a":2,"b":3},{"c":4,"a":5}]`, false, []string{"b", "a", "c"}, [][]string{{"1", "", ""}, {"3", "2", ""}, {"", "5", "4"}}, []int64{1, 2, 3}},
	{"objects inside", `[{"a":{"b":{"c":1},"d":2},"e":3}]`, false, []string{"a.b.c", "a.d", "e"}, [][]string{{"1", "2", "3"}}, []int64{1}},
	{"arrays inside", `[{"a":[ 1, "x, \"y\"" , {"b" : [ ] , "c":"\u00e9"}, null ],"b":[]}]`, false, []string{"a", "b"}, [][]string{{`[1,"x, \"y\"",{"b":[],"c":"\u00e9"},null]`, "[]"}}, []int64{1}},
	{"missing object", `[{"a":null,"z":1},{"a":{"b":2}},{"a":{}},{"a":""}]`, false, []string{"z", "a.b"}, [][]string{{"1", ""}, {"", "2"}, {"", ""}, {"", ""}}, []int64{1, 2, 3, 4}},
	{"value and object", `[{"a":1},{"a":{"b":2}}]`, false, []string{"a", "a.b"}, [][]string{{"1", ""}, {"", "2"}}, []int64{1, 2}},
	{"empty object inside", `[{"a":{}}]`, false, []string{"a"}, [][]string{{""}}, []int64{1}},
	{"names with dots and without letters", `[{"a.b":1,"":2,"c":{"":3}}]`, false, []string{"a.b", "", "c."}, [][]string{{"1", "2", "3"}}, []int64{1}},
	{"empty array", " [ ] ", false, nil, nil, nil},
	{"empty objects", `[{},{}]`, false, nil, [][]string{{}, {}}, []int64{1, 2}},
	{"as found", `[{"a":1,"b":{"c":2}},{"a":3}]`, true, []string{"", ""}, [][]string{{"a", "b.c"}, {"1", "2"}, {"3", ""}}, []int64{1, 1, 2}},
	{"as found, empty", `[]`, true, nil, nil, nil},
	{"array of arrays", `[["name","age"],["Ada",36],["Bob",7],["Cy",null]]`, false, []string{"name", "age"}, [][]string{{"Ada", "36"}, {"Bob", "7"}, {"Cy", ""}}, []int64{2, 3, 4}},
	{"arrays, one per line", "[\"name\",\"age\"]\n\n[\"Ada\",36]\n[ \"Bob\" , 7.50 ]", false, []string{"name", "age"}, [][]string{{"Ada", "36"}, {"Bob", "7.50"}}, []int64{2, 3}},
	{"arrays without names", `[[1,2],[3,4,[5, {"a":6}]],[]]`, false, []string{"", "", ""}, [][]string{{"1", "2"}, {"3", "4", `[5,{"a":6}]`}, {}}, []int64{1, 2, 3}},
	{"arrays as found", `[["name","age"],["Ada",36]]`, true, []string{"", ""}, [][]string{{"name", "age"}, {"Ada", "36"}}, []int64{1, 2}},
	{"blank lines", "\n{\"a\":1}\n \n\n{\"a\":[ 1 ]}\n\n", false, []string{"a"}, [][]string{{"1"}, {"[1]"}}, []int64{1, 2}},
	{"object with arrays of single values", `{"a":[1,2],"b":[],"c":{"d":["x"]}}`, false, []string{"a", "b", "c.d"}, [][]string{{"[1,2]", "[]", `["x"]`}}, []int64{1}},
	{"objects with arrays inside", "{\"a\":[{\"b\":1}]}\n{\"a\":[]}", false, []string{"a"}, [][]string{{`[{"b":1}]`}, {"[]"}}, []int64{1, 2}},
}

func TestConformance(t *testing.T) {
	var samples []sourcetest.Sample
	for _, table := range sourcetest.LargeTables() {
		samples = append(samples, newSample(table))
	}
	for _, r := range readings {
		samples = append(samples, sourcetest.Table(r).Sample())
	}
	sourcetest.Run(t, Format{}, append(samples, inside...))
}

// newSample returns a table with its text. The first element has all names, and all later
// elements omit empty cells.
func newSample(table sourcetest.Table) sourcetest.Sample {
	escape := strings.NewReplacer("\n", `\n`, `"`, `\"`)
	var elements []string
	for i, record := range table.Records {
		var members []string
		for c, cell := range record {
			if cell != "" || i == 0 {
				members = append(members, fmt.Sprintf(`"%s":"%s"`, table.Headers[c], escape.Replace(cell)))
			}
		}
		elements = append(elements, "{"+strings.Join(members, ",")+"}")
		table.Lines = append(table.Lines, int64(i+1))
	}
	table.Text = "[" + strings.Join(elements, ",\n") + "]"
	return table.Sample()
}

func readText(t testing.TB, text string, opt source.Options) (sourcetest.Sheet, error) {
	t.Helper()
	return sourcetest.Read(t, Format{}, text, opt)
}

func TestUnreadable(t *testing.T) {
	tests := []struct {
		name, text string
		want       source.UnreadableError
	}{
		{"no bytes", "", *source.ErrEmpty},
		{"white space", " \n\r\t", *source.ErrEmpty},
		{"byte order mark", "\uFEFF\n", *source.ErrEmpty},
		{"number", "1", source.UnreadableError{Line: 1, Reason: intray.Literal("in element 1, an array of objects or one object per line is expected, not a number")}},
		{"string", "\n\"a\"", source.UnreadableError{Line: 2, Reason: intray.Literal("in element 1, an array of objects or one object per line is expected, not a string")}},
		{"array of numbers", "[\n1,2]", source.UnreadableError{Line: 2, Reason: intray.Literal("in element 1, an array of objects or one object per line is expected, not a number")}},
		{"object among arrays", "[[1],\n{}]", source.UnreadableError{Line: 2, Reason: intray.Literal("in element 2, an array of arrays or one array per line is expected, not an object")}},
		{"line among arrays", "[1]\n[2]\n3", source.UnreadableError{Line: 3, Reason: intray.Literal("in element 3, an array of arrays or one array per line is expected, not a number")}},
		{"two arrays on a line", "[1][2]", source.UnreadableError{Line: 1, Reason: intray.Literal("in element 1, an array of objects or one object per line is expected, not a number")}},
		{"NUL in an array of arrays", "[[1],\n[\"\\u0000\"]]", source.UnreadableError{Line: 2, Reason: intray.Literal("U+0000")}},
		{"array inside that breaks off", "{\"a\":[{\"b\":1},\n{\"b\":", source.UnreadableError{Line: 2, Reason: intray.Literal("the file ends in the middle of this element")}},
		{"array inside with a number", "{\"a\":[{\"b\":1},\n2]}", source.UnreadableError{Line: 2, Reason: intray.Literal("in element 2, an array of objects or one object per line is expected, not a number")}},
		{"two arrays of one name", "{\"a\":{\"b\":[{}]},\n\"a.b\":[{}]}", source.UnreadableError{Line: 1, Reason: intray.Literal("two arrays of objects have the path \"a.b\"")}},
		{"mixed array", "[\n{},\nnull\n]", source.UnreadableError{Line: 3, Reason: intray.Literal("in element 2, an array of objects or one object per line is expected, not null")}},
		{"mixed lines", "{}\n{}\ntrue\n", source.UnreadableError{Line: 3, Reason: intray.Literal("in element 3, an array of objects or one object per line is expected, not a boolean")}},
		{"array on a line", "{}\n[{}]\n", source.UnreadableError{Line: 2, Reason: intray.Literal("in element 2, an array of objects or one object per line is expected, not an array")}},
		{"cut", "[\n{\"a\":1},\n{\"a\":", source.UnreadableError{Line: 3, Reason: intray.Literal("in element 2, the file ends in the middle of this element")}},
		{"comma at the end", "[{},]", source.UnreadableError{Line: 1, Reason: intray.Literal("in element 2, there is an unexpected character")}},
		{"no comma", "[{}\n{}]", source.UnreadableError{Line: 2, Reason: intray.Literal("in element 2, there is an unexpected character")}},
		{"text after the array", "[{}]\n[{}]", source.UnreadableError{Line: 2, Reason: intray.Literal("the array is followed by other text")}},
		{"invalid text after the array", "[{}]\nx", source.UnreadableError{Line: 2, Reason: intray.Literal("the array is followed by other text")}},
		{"name given twice", "[{},\n{\"a\":1,\"a\":2}]", source.UnreadableError{Line: 2, Reason: intray.Literal(`in element 2, an object contains the name "a" twice`)}},
		{"name given twice inside an array", "[{\"b\":[{\"\\u0061\":1,\n\"a\":2}]}]", source.UnreadableError{Line: 2, Reason: intray.Literal(`an object contains the name "a" twice`)}},
		{"Latin-1", "[{\"a\":1},\n{\"a\":\"caf\xE9\"}]", source.UnreadableError{Line: 2, Reason: intray.Literal("in element 2, byte 0xE9 is not valid UTF-8; save the file as UTF-8")}},
		{"unknown escape", `[{"a":"\x"}]`, source.UnreadableError{Line: 1, Reason: intray.Literal(`in element 1, there is an unexpected character '\'`)}},
		{"escape cut short", `[{"a":"\ud80"}]`, source.UnreadableError{Line: 1, Reason: intray.Literal(`in element 1, there is an unexpected character '\'`)}},
		{"line break in a string", "[{\"a\":\"x\ny\"}]", source.UnreadableError{Line: 1, Reason: intray.Literal("in element 1, there is unexpected text")}},
		{"lone surrogate", `[{"a":"\ud800"}]`, source.UnreadableError{Line: 1, Reason: intray.Literal("in element 1, a string contains half of a surrogate pair")}},
		{"NUL in a string", "\n[{\"a\":\"x\\u0000\"}]", source.UnreadableError{Line: 2, Reason: intray.Literal("U+0000")}},
		{"NUL in a name", `[{"\u0000":1}]`, source.UnreadableError{Line: 1, Reason: intray.Literal("U+0000")}},
		{"NUL in an array", `[{"a":["\\u0000"]},{"a":[{"\u0000":1}]}]`, source.UnreadableError{Line: 1, Reason: intray.Literal("in element 2, a string contains the forbidden character U+0000")}},
		{"collision", "[{\"a.b\":1},\n{\"a\":{\"b\":2}}]", source.UnreadableError{Line: 2, Reason: intray.Literal(`in element 2, two different names produce the column "a.b"`)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sourcetest.RequireError(t, Format{}, test.text, source.Options{}, &test.want)
		})
	}
}

func TestLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	brackets := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	limits := source.Limits{Columns: 3, CellBytes: 300, RecordBytes: 1000, Cells: 20, HeaderBytes: 500}
	tests := []struct{ name, text, reason string }{
		{"columns", `{"a":1,"b":2,"c":3}`, ""},
		{"columns", `{"a":1,"b":2}{"c":3,"d":{"e":4}}`, "in element 2, there are more than 3 columns"},
		{"columns", `[[1,2,3],[4,5,6]]`, ""},
		{"columns", `[[1,2,3],[4,5,6,7]]`, "in element 2, there are more than 3 columns"},
		{"cells", `[` + strings.Repeat("[1,2],", 9) + `[1,2]]`, ""},
		{"cells of arrays", `[` + strings.Repeat("[1,2],", 10) + `[1,2]]`, "more than 20 cells"},
		{"cell", `{"a":"` + strings.Repeat("x", 300) + `"}`, ""},
		{"cell", `{"a":"` + strings.Repeat("x", 301) + `"}`, "in element 1, a value is longer than 300 bytes"},
		{"cell", `{"a":[` + strings.Repeat(" 1,", 149) + ` 1]}`, "in element 1, a value is longer than 300 bytes"},
		{"record", `{"a":"` + strings.Repeat("x", 1000) + `"}`, "in element 1, the JSON text is longer than 1,000 bytes"},
		{"names", `{"` + strings.Repeat("x", 400) + `":{"a":1,"b":2,"c":3}}`, "the column names are longer than 1,000 bytes"},
		{"cells", `{"a":1,"b":2}` + strings.Repeat("{}", 9), ""},
		{"cells", `{"a":1,"b":2}` + strings.Repeat("{}", 10), "11 elements with 2 columns have more than 20 cells"},
		{"depth", deep(64), ""},
		{"depth", deep(65), "in element 1, objects or arrays are nested more than 64 levels deep"},
		{"depth", brackets(63), ""},
		{"depth", brackets(64), "in element 1, objects or arrays are nested more than 64 levels deep"},
		{"depth", "[" + deep(63) + "]", ""},
		{"depth", "[" + deep(64) + "]", "nested more than 64"},
	}
	for _, test := range tests {
		opt := source.Options{Limits: limits}
		if test.name == "depth" {
			opt.Limits = source.Limits{}
		}
		var want error
		if test.reason != "" {
			line := int64(1)
			if test.name == "cells" {
				line = 0
			}
			want = &source.LimitError{Line: line, Reason: intray.Literal(test.reason)}
		}
		sourcetest.RequireError(t, Format{}, test.text, opt, want)
	}
}

// TestHeadersAreBounded checks the limits on the length of one header and of all headers
// together.
func TestHeadersAreBounded(t *testing.T) {
	name := strings.Repeat("x", 4093)
	var members []string
	for n := range 257 {
		members = append(members, fmt.Sprintf(`"%03d%s":1`, n, name))
	}
	over := func(reason string) error { return &source.LimitError{Line: 1, Reason: intray.Literal(reason)} }
	sourcetest.RequireError(t, Format{}, "{"+strings.Join(members[:256], ",")+"}", source.Options{}, nil)
	sourcetest.RequireError(t, Format{}, "{"+strings.Join(members, ",")+"}", source.Options{}, over("in element 1, the headers up to column 257 are longer than 1,048,576 bytes in total"))
	sourcetest.RequireError(t, Format{}, `{"a":1}{"b":{"`+name+`aa":1}}`, source.Options{}, over("in element 2, the header of column 2 is longer than 4,096 bytes"))
}

// TestOpenStringIsBounded checks that an unterminated string is not read into memory as a whole.
func TestOpenStringIsBounded(t *testing.T) {
	text := `[{"a":"` + strings.Repeat("x", 16<<20)
	limits := source.Limits{RecordBytes: 1 << 20}.WithDefaults()
	p := tableLocation{inArray: true}
	e := newElementReader(sourcetest.NewInput("", []byte(text)), limits, p)
	_, err := e.next()
	var limit *source.LimitError
	if !errors.As(err, &limit) || e.guard.passed > 2<<20 {
		t.Errorf("error %v after %d bytes", err, e.guard.passed)
	}
}

func TestNestingBombs(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 1_000_000),
		"[" + strings.Repeat(`{"a":`, 1_000_000),
		`{"a":` + strings.Repeat("[", 1_000_000),
		strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000),
	} {
		_, err := readText(t, text, source.Options{})
		var unreadable *source.UnreadableError
		var limit *source.LimitError
		if !errors.As(err, &unreadable) && !errors.As(err, &limit) {
			t.Errorf("%.20q…: %v", text, err)
		}
	}
}

func TestEvidence(t *testing.T) {
	for text, form := range map[string]string{
		"\uFEFF[{\"a\":1}]": "array of objects",
		"{\"a\":1}\n{}\n":   "one object per line",
		"\n[ {\"a\" : 1}]":  "array of objects",
	} {
		_, got := sourcetest.Open(t, Format{}, text, source.Options{})
		want := map[string]string{"encoding": "UTF-8", "form": form, "header row": "names"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSamples(t *testing.T) {
	var text strings.Builder
	var want []string
	for n := range 50 {
		fmt.Fprintf(&text, `{"n":%d,"none":null}`, n)
		want = append(want, fmt.Sprint(n))
	}
	text.WriteString(`{"late":"x"}`)
	reader, _ := sourcetest.Open(t, Format{}, text.String(), source.Options{})
	columns := []intray.Column{{Index: 0, Header: "n", Samples: want[:20]}, {Index: 1, Header: "none"}, {Index: 2, Header: "late", Samples: []string{"x"}}}
	if diff := cmp.Diff(columns, reader.Columns()); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestDetect(t *testing.T) {
	tests := []struct {
		name, head string
		low, high  float64
	}{
		{"", `[{"a":1},{"a"`, 0.91, 1},
		{"", `{"a":1}`, 0.91, 1},
		{"a.csv", "\uFEFF [ {\"a\":1}]", 0.91, 1},
		{"a.csv", "[]", 0.91, 1},
		{"a.ndjson", "[1,\"x\"]\n[2,\"y\"]\n", 0.91, 1},
		{"", "{\"a\":1}\n\n{\"a\":2}\n{\"a\"", 0.91, 1},
		{"", `[{"a":1}, oops`, 0.91, 1},
		{"a.json", `[oops`, 0.91, 1},
		{"a.ndjson", "a,b\n", 0.2, 0.4},
		{"a.csv", "[id],[name]\n", 0, 0},
		{"a.csv", "[1],[2]\n", 0, 0},
		{"", "{curly}\n", 0, 0},
		{"", "a,b\n", 0, 0},
		{"", "12\n", 0, 0},
		{"", " \n", 0, 0},
		{"a.json", "[\x00]", 0, 0},
	}
	for _, test := range tests {
		sourcetest.RequireScore(t, Format{}, test.name, test.head, test.low, test.high)
	}
}
