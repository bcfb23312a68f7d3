package jsonrows

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// reading is one text and the table in it.
type reading struct {
	name    string
	text    string
	asIs    bool
	headers []string
	records [][]string
	lines   []int64
}

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
}

func (r reading) sample() sourcetest.Sample {
	return sourcetest.Sample{
		Name: r.name, Text: []byte(r.text), Options: source.Options{AsIs: r.asIs},
		Sheets: []sourcetest.Sheet{{Headers: r.headers, Records: r.records, Lines: append([]int64{}, r.lines...)}},
	}
}

func TestConformance(t *testing.T) {
	samples := []sourcetest.Sample{tall(), wide(), heavy()}
	for _, r := range readings {
		samples = append(samples, r.sample())
	}
	sourcetest.Run(t, Format{}, samples)
}

// tall has more records than two batches hold.
func tall() sourcetest.Sample {
	var text strings.Builder
	r := reading{name: "tall", headers: []string{"n"}}
	for n := range 2*intray.BatchRows + 5 {
		fmt.Fprintf(&text, "{\"n\":%d}\n", n)
		r.records = append(r.records, []string{fmt.Sprint(n)})
		r.lines = append(r.lines, int64(n+1))
	}
	r.text = text.String()
	return r.sample()
}

// wide has more empty cells than a batch holds, and next to no bytes.
func wide() sourcetest.Sample {
	const columns = 8000
	r := reading{name: "wide"}
	var names []string
	for n := range columns {
		name := fmt.Sprint(n)
		r.headers = append(r.headers, name)
		names = append(names, fmt.Sprintf(`"%s":null`, name))
	}
	elements := []string{"{" + strings.Join(names, ",") + "}"}
	for n := range intray.BatchCells/columns + 3 {
		r.records = append(r.records, make([]string, columns))
		r.lines = append(r.lines, int64(n+1))
		if n > 0 {
			elements = append(elements, "{}")
		}
	}
	r.text = "[" + strings.Join(elements, ",") + "]"
	return r.sample()
}

// heavy has elements longer than what is read at once, and more bytes than a
// batch holds.
func heavy() sourcetest.Sample {
	r := reading{name: "heavy", headers: []string{"n", "text"}}
	var elements []string
	for n := range 7 {
		elements = append(elements, fmt.Sprintf(`{"n":%d,"text":"%s"}`, n, strings.Repeat(`\n\"é`, 30_000*n)))
		r.records = append(r.records, []string{fmt.Sprint(n), strings.Repeat("\n\"é", 30_000*n)})
		r.lines = append(r.lines, int64(n+1))
	}
	r.text = "[" + strings.Join(elements, ",\n") + "]"
	return r.sample()
}

func readText(ctx context.Context, text string, opt source.Options) (sourcetest.Sheet, error) {
	sheets, err := sourcetest.ReadAll(ctx, Format{}, sourcetest.Input("x.json", []byte(text)), opt)
	if err != nil {
		return sourcetest.Sheet{}, err
	}
	return sheets[0], nil
}

func TestUnreadable(t *testing.T) {
	tests := []struct {
		name, text string
		want       source.UnreadableError
	}{
		{"no bytes", "", *source.ErrEmpty},
		{"white space", " \n\r\t", *source.ErrEmpty},
		{"byte order mark", "\uFEFF\n", *source.ErrEmpty},
		{"number", "1", source.UnreadableError{Line: 1, Reason: "element 1: it is a number, but an array of objects"}},
		{"string", "\n\"a\"", source.UnreadableError{Line: 2, Reason: "element 1: it is a string"}},
		{"array of numbers", "[\n1,2]", source.UnreadableError{Line: 2, Reason: "element 1: it is a number"}},
		{"array of arrays", "[[1],[2]]", source.UnreadableError{Line: 1, Reason: "element 1: it is an array"}},
		{"mixed array", "[\n{},\nnull\n]", source.UnreadableError{Line: 3, Reason: "element 2: it is null"}},
		{"mixed lines", "{}\n{}\ntrue\n", source.UnreadableError{Line: 3, Reason: "element 3: it is true or false"}},
		{"array on a line", "{}\n[{}]\n", source.UnreadableError{Line: 2, Reason: "element 2: it is an array"}},
		{"cut", "[\n{\"a\":1},\n{\"a\":", source.UnreadableError{Line: 3, Reason: "element 2: the file ends in the middle of it"}},
		{"comma at the end", "[{},]", source.UnreadableError{Line: 1, Reason: "element 2: this is not JSON"}},
		{"no comma", "[{}\n{}]", source.UnreadableError{Line: 2, Reason: "element 2: this is not JSON"}},
		{"text behind the array", "[{}]\n[{}]", source.UnreadableError{Line: 2, Reason: "there is text behind the end of the array"}},
		{"junk behind the array", "[{}]\nx", source.UnreadableError{Line: 2, Reason: "there is text behind the end of the array"}},
		{"name given twice", "[{},\n{\"a\":1,\"a\":2}]", source.UnreadableError{Line: 2, Reason: `element 2: the name "a" is given twice in one object`}},
		{"name given twice inside an array", "[{\"b\":[{\"\\u0061\":1,\n\"a\":2}]}]", source.UnreadableError{Line: 2, Reason: `the name "a" is given twice`}},
		{"Latin-1", "[{\"a\":1},\n{\"a\":\"caf\xE9\"}]", source.UnreadableError{Line: 2, Reason: "element 2: byte 0xE9 is not UTF-8; save the file as UTF-8"}},
		{"lone surrogate", `[{"a":"\ud800"}]`, source.UnreadableError{Line: 1, Reason: "element 1: this is not JSON: invalid surrogate"}},
		{"NUL in a string", "\n[{\"a\":\"x\\u0000\"}]", source.UnreadableError{Line: 2, Reason: "NUL character"}},
		{"NUL in a name", `[{"\u0000":1}]`, source.UnreadableError{Line: 1, Reason: "NUL character"}},
		{"NUL in an array", `[{"a":["\\u0000"]},{"a":[{"\u0000":1}]}]`, source.UnreadableError{Line: 1, Reason: "element 2: a string holds the NUL character"}},
		{"collision", "[{\"a.b\":1},\n{\"a\":{\"b\":2}}]", source.UnreadableError{Line: 2, Reason: `element 2: two different names make the column "a.b"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readText(t.Context(), test.text, source.Options{})
			var got *source.UnreadableError
			if !errors.As(err, &got) || got.Line != test.want.Line || !strings.Contains(got.Reason, test.want.Reason) {
				t.Errorf("got %v, want %v", err, &test.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	brackets := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	limits := source.Limits{Columns: 3, CellBytes: 300, RecordBytes: 1000, Cells: 20}
	tests := []struct{ name, text, reason string }{
		{"columns", `{"a":1,"b":2,"c":3}`, ""},
		{"columns", `{"a":1,"b":2}{"c":3,"d":{"e":4}}`, "element 2: there are more than 3 columns"},
		{"cell", `{"a":"` + strings.Repeat("x", 300) + `"}`, ""},
		{"cell", `{"a":"` + strings.Repeat("x", 301) + `"}`, "element 1: a value is longer than 300 bytes"},
		{"cell", `{"a":[` + strings.Repeat(" 1,", 149) + ` 1]}`, "element 1: a value is longer than 300 bytes"},
		{"record", `{"a":"` + strings.Repeat("x", 1000) + `"}`, "element 1: it is longer than 1000 bytes"},
		{"names", `{"` + strings.Repeat("x", 400) + `":{"a":1,"b":2,"c":3}}`, "the names of the columns are longer than 1000 bytes"},
		{"cells", `{"a":1,"b":2}` + strings.Repeat("{}", 9), ""},
		{"cells", `{"a":1,"b":2}` + strings.Repeat("{}", 10), "11 elements of 2 columns have more than 20 cells"},
		{"depth", deep(64), ""},
		{"depth", deep(65), "element 1: objects or arrays are nested deeper than 64"},
		{"depth", brackets(63), ""},
		{"depth", brackets(64), "element 1: objects or arrays are nested deeper than 64"},
		{"depth", "[" + deep(63) + "]", ""},
		{"depth", "[" + deep(64) + "]", "nested deeper than 64"},
	}
	for _, test := range tests {
		opt := source.Options{Limits: limits}
		if test.name == "depth" {
			opt.Limits = source.Limits{}
		}
		_, err := readText(t.Context(), test.text, opt)
		var got *source.LimitError
		switch {
		case test.reason == "" && err != nil:
			t.Errorf("%s: %.60q: %v", test.name, test.text, err)
		case test.reason != "" && (!errors.As(err, &got) || !strings.Contains(got.Reason, test.reason)):
			t.Errorf("%s: %.60q: got %v, want %q", test.name, test.text, err, test.reason)
		}
	}
}

// A string that never ends must not pull the file into memory.
func TestOpenStringIsBounded(t *testing.T) {
	text := `[{"a":"` + strings.Repeat("x", 16<<20)
	limits := source.Limits{RecordBytes: 1 << 20}.WithDefaults()
	b := &book{in: sourcetest.Input("", []byte(text)), opt: source.Options{Limits: limits}, array: true}
	e := newElements(b)
	_, err := e.next()
	var limit *source.LimitError
	if !errors.As(err, &limit) || e.guard.passed > 2<<20 {
		t.Errorf("error %v behind %d bytes", err, e.guard.passed)
	}
}

func TestNestingBombs(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 1_000_000),
		"[" + strings.Repeat(`{"a":`, 1_000_000),
		`{"a":` + strings.Repeat("[", 1_000_000),
		strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000),
	} {
		_, err := readText(t.Context(), text, source.Options{})
		var unreadable *source.UnreadableError
		var limit *source.LimitError
		if !errors.As(err, &unreadable) && !errors.As(err, &limit) {
			t.Errorf("%.20q…: %v", text, err)
		}
	}
}

func TestEvidence(t *testing.T) {
	for text, form := range map[string]string{
		"\uFEFF[{\"a\":1}]":  "array of objects",
		"{\"a\":1}\n{}\n":    "one object per line",
		" \n [ {\"a\" : 1}]": "array of objects",
	} {
		book, err := Format{}.Open(t.Context(), sourcetest.Input("", []byte(text)), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		reader, err := book.Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, e := range append(book.Evidence(), reader.Evidence()...) {
			if e.Reason == "" {
				t.Errorf("%q: no reason for %s", text, e.Choice)
			}
			got[e.Choice] = e.Value
		}
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
	book, err := Format{}.Open(t.Context(), sourcetest.Input("", []byte(text.String())), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
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
		score, reason := Format{}.Detect(sourcetest.Input(test.name, []byte(test.head)), []byte(test.head))
		if score < test.low || score > test.high || reason == "" {
			t.Errorf("%s %q: score %v, reason %q", test.name, test.head, score, reason)
		}
	}
}
