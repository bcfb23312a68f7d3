package csv

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// reading is one text and the table in it.
type reading sourcetest.Table

var readings = []reading{
	{"simple.csv", "a,b\n1,2\n3,4\n", false, []string{"a", "b"}, [][]string{{"1", "2"}, {"3", "4"}}, []int64{2, 3}},
	{"no last line end", "a,b\n1,2", false, []string{"a", "b"}, [][]string{{"1", "2"}}, []int64{2}},
	{"comma at the end", "a,b\n1,", false, []string{"a", "b"}, [][]string{{"1", ""}}, []int64{2}},
	{"three kinds of line ends", "a\r\nb\rc\nd\r", false, []string{"a"}, [][]string{{"b"}, {"c"}, {"d"}}, []int64{2, 3, 4}},
	{"line ends in quotes stay", "a,b\n\"1\r\n2\r3\n4\",5\n6,7\n", false, []string{"a", "b"}, [][]string{{"1\r\n2\r3\n4", "5"}, {"6", "7"}}, []int64{2, 6}},
	{"quotes", "a,b,c\n\"x,y\",\"\"\"q\"\"\",\"\"\n", false, []string{"a", "b", "c"}, [][]string{{"x,y", `"q"`, ""}}, []int64{2}},
	{"a quote that opens nothing", "a,b\n5\" pipe, \"x\"\n1\"\",\"\n\"\n", false, []string{"a", "b"}, [][]string{{`5" pipe`, ` "x"`}, {`1""`, "\n"}}, []int64{2, 3}},
	{"blank lines", "\n\r\na\n\n\r\r\n1\n\n\n2\n\n", false, []string{"a"}, [][]string{{"1"}, {"2"}}, []int64{7, 10}},
	{"an empty quoted line is a record", "a\n\"\"\n \n", false, []string{"a"}, [][]string{{""}, {" "}}, []int64{2, 3}},
	{"header behind empty records", ",,\n \na,b\n1,2\n", false, []string{"a", "b"}, [][]string{{"1", "2"}}, []int64{4}},
	{"header of several lines", "\"a\nb\", c \n1,2\n", false, []string{"a\nb", "c"}, [][]string{{"1", "2"}}, []int64{3}},
	{"empty and equal headers", "a,,a,\n1,2,3,4\n", false, []string{"a", "", "a", ""}, [][]string{{"1", "2", "3", "4"}}, []int64{2}},
	{"ragged", "a,b\n1\n1,2,3\n", false, []string{"a", "b"}, [][]string{{"1"}, {"1", "2", "3"}}, []int64{2, 3}},
	{"header only", "a,b", false, []string{"a", "b"}, nil, nil},
	{"no text", ",,\n\"\",\n", false, nil, nil, nil},
	{"byte order mark", "\uFEFFa,b\n1,\uFEFF\n", false, []string{"a", "b"}, [][]string{{"1", "\uFEFF"}}, []int64{2}},
	{"byte order mark and quote", "\uFEFF\"a\"\n1\n", false, []string{"a"}, [][]string{{"1"}}, []int64{2}},
	{"as found", "a,b\n\n\r\n1\n,\n\n", true, []string{"", ""}, [][]string{{"a", "b"}, {""}, {""}, {"1"}, {"", ""}}, []int64{1, 2, 3, 4, 5}},
	{"as found, blank at first", "\n\n\"x\ny\"\n\nz\n", true, []string{""}, [][]string{{""}, {""}, {"x\ny"}, {""}, {"z"}}, []int64{1, 2, 3, 5, 6}},
	{"many scripts", "näme,名前\n👍,מה\n", false, []string{"näme", "名前"}, [][]string{{"👍", "מה"}}, []int64{2}},
}

func TestConformance(t *testing.T) {
	var samples []sourcetest.Sample
	for _, table := range sourcetest.Large() {
		samples = append(samples, written(table))
	}
	for _, r := range readings {
		samples = append(samples, sourcetest.Table(r).Sample())
	}
	sourcetest.Run(t, Format{}, samples)
}

// written gives a table its text, and the lines of its records.
func written(table sourcetest.Table) sourcetest.Sample {
	text := appendRecord(nil, table.Headers, "\n")
	line := int64(2)
	for _, record := range table.Records {
		from := len(text)
		text = appendRecord(text, record, "\n")
		table.Lines = append(table.Lines, line)
		line += int64(bytes.Count(text[from:], []byte("\n")))
	}
	table.Text = string(text)
	return table.Sample()
}

// appendRecord writes a record as RFC 4180 says.
func appendRecord(text []byte, record []string, end string) []byte {
	for i, cell := range record {
		if i > 0 {
			text = append(text, ',')
		}
		if strings.ContainsAny(cell, ",\"\r\n") || cell == "" && len(record) == 1 {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		text = append(text, cell...)
	}
	return append(text, end...)
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
		{"white space", " \t\r\n\v\f\n", *source.ErrEmpty},
		{"byte order mark", "\uFEFF", *source.ErrEmpty},
		{"text behind a quote", "a\n\"1\"x\n", source.UnreadableError{Line: 2, Reason: "text follows a closing quote"}},
		{"space behind a quote", "a\n\"1\n2\" ,\n", source.UnreadableError{Line: 3, Reason: "text follows a closing quote"}},
		{"open quote", "a,b\n1,2\n\"3\n4\",\"5\n6\n", source.UnreadableError{Line: 4, Reason: "a quote is opened here and never closed"}},
		{"open quote at the end", "a\n\"", source.UnreadableError{Line: 2, Reason: "never closed"}},
		{"Latin-1", "a\nb\nr\xE9sum\xE9\n", source.UnreadableError{Line: 3, Reason: "byte 0xE9 is not UTF-8; save the file as UTF-8"}},
		{"Latin-1 in quotes", "a\n\"b\r\n\r\nr\xE9\"\n", source.UnreadableError{Line: 4, Reason: "byte 0xE9"}},
		{"cut character at the end", "a\nb\xE2\x82", source.UnreadableError{Line: 2, Reason: "byte 0xE2"}},
		{"surrogate", "a\n\xED\xA0\x80\n", source.UnreadableError{Line: 2, Reason: "byte 0xED"}},
		{"overlong", "\xC0\x80", source.UnreadableError{Line: 1, Reason: "byte 0xC0"}},
		{"UTF-16", "\xFF\xFEa\x00", source.UnreadableError{Line: 1, Reason: "byte 0xFF is not UTF-8"}},
		{"NUL", "a\n1\n\x00\n", source.UnreadableError{Line: 3, Reason: "NUL byte"}},
		{"NUL before a bad byte", "a\x00\xFF\n", source.UnreadableError{Line: 1, Reason: "NUL byte"}},
		{"bad byte before a NUL", "a\xFF\x00\n", source.UnreadableError{Line: 1, Reason: "byte 0xFF"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sourcetest.Refuse(t, Format{}, test.text, source.Options{}, &test.want)
		})
	}
}

func TestRecordsBeforeTroubleAreHandedOn(t *testing.T) {
	reader, _ := sourcetest.Open(t, Format{}, "a\n1\n2\n\"3\"x\n4\n", source.Options{})
	batch := &intray.Records{}
	if err := reader.Next(t.Context(), batch); err != nil || batch.Len() != 2 {
		t.Errorf("first: %d records, error %v", batch.Len(), err)
	}
	for range 2 {
		var unreadable *source.UnreadableError
		if err := reader.Next(t.Context(), batch); !errors.As(err, &unreadable) || batch.Len() != 0 {
			t.Errorf("then: %d records, error %v", batch.Len(), err)
		}
	}
}

func TestLimits(t *testing.T) {
	limits := source.Limits{Columns: 3, CellBytes: 5, RecordBytes: 9, Cells: 8, HeaderBytes: 4, HeadersBytes: 6}
	over := func(line int64, reason string) error { return &source.LimitError{Line: line, Reason: reason} }
	for _, test := range []struct {
		text string
		want error
	}{
		{"a,b,c\n", nil},
		{"a\na,b,c,d\n", over(2, "more than 3 cells")},
		{"a,b,c,d\n", over(1, "more than 3 cells")},
		{"a\n1,2,3\n1,2,3\n1,2\n", nil},
		{"a\n1,2,3\n1,2,3\n1,2,3\n", over(4, "the sheet has more than 8 cells")},
		{"a\n12345\n", nil},
		{"a\n123456\n", over(2, "a cell is longer than 5 bytes")},
		{"a\n\"12345\",67\n", over(2, "a record is longer than 9 bytes")},
		{"a\n1234,5678\n", nil},
		{"a\n1234,5678\r\n", nil},
		{"a\n1234,56789\n", over(2, "a record is longer than 9 bytes")},
		{"abcd,ef\n", nil},
		{"\n,abcde\n", over(2, "the header of column 2 is longer than 4 bytes")},
		{"ab,cd,efg\n", over(1, "the headers up to column 3 are longer than 6 bytes together")},
		{"a\nabcde\n", nil},
	} {
		sourcetest.Refuse(t, Format{}, test.text, source.Options{Limits: limits}, test.want)
	}
	sourcetest.Refuse(t, Format{}, "abcde,fgh\n", source.Options{Limits: limits, AsIs: true}, nil)
}

// TestHeadersAreBounded: a header of many long names is refused as it stands.
func TestHeadersAreBounded(t *testing.T) {
	names := strings.Repeat(strings.Repeat("x", 4096)+",", 256)
	sourcetest.Refuse(t, Format{}, names[:len(names)-1]+"\n", source.Options{}, nil)
	sourcetest.Refuse(t, Format{}, names+"x\n", source.Options{}, &source.LimitError{Line: 1, Reason: "up to column 257 are longer than 1048576 bytes"})
	sourcetest.Refuse(t, Format{}, "a,x"+names+"\n", source.Options{}, &source.LimitError{Line: 1, Reason: "column 2 is longer than 4096 bytes"})
}

// A quote that is never closed must not pull the file into memory.
func TestOpenQuoteIsBounded(t *testing.T) {
	text := []byte("a\n\"" + strings.Repeat("x\n", 16<<20))
	scan := newScanner(sourcetest.Input("", text), source.Limits{RecordBytes: 1 << 20}.WithDefaults(), 2, 2)
	err := scan.next(t.Context())
	var limit *source.LimitError
	if !errors.As(err, &limit) || limit.Line != 2 || len(scan.buf) > 2<<20 {
		t.Errorf("error %v with a buffer of %d bytes", err, len(scan.buf))
	}
}

// Whatever stands at the border of two chunks is read as elsewhere.
func TestChunkBorders(t *testing.T) {
	const text = "\r\n\"é\r\n\"\"x\"\"\",€👍\r5\"\r\r\n\"\",\n\n👍,\"\"\"\"\r\nz"
	want, err := readText(t, "h\n"+text, source.Options{AsIs: true})
	if err != nil {
		t.Fatal(err)
	}
	for shift := range len(text) + 1 {
		pad := strings.Repeat("p", chunkBytes-shift-3)
		got, err := readText(t, pad+"\nh\n"+text, source.Options{AsIs: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Records, got.Records[1:]); diff != "" {
			t.Fatalf("shifted by %d (-want +got):\n%s", shift, diff)
		}
		for i := range want.Lines {
			if got.Lines[i+1] != want.Lines[i]+1 {
				t.Fatalf("shifted by %d: lines %v", shift, got.Lines)
			}
		}
	}
}

func TestBadByteAtChunkBorders(t *testing.T) {
	for _, bad := range []string{"\xE2\x82", "\xF0\x9F\x91", "\x00", "\xFF"} {
		for shift := range 6 {
			text := strings.Repeat("p", chunkBytes-shift-1) + "\n" + bad + "x\n1\n"
			_, err := readText(t, text, source.Options{AsIs: true})
			var got *source.UnreadableError
			if !errors.As(err, &got) || got.Line != 2 {
				t.Errorf("%q shifted by %d: %v", bad, shift, err)
			}
		}
	}
}

func TestEvidence(t *testing.T) {
	tests := []struct {
		text string
		asIs bool
		want map[string]string
	}{
		{"\uFEFF\n\na\n1\n", false, map[string]string{"encoding": "UTF-8", "delimiter": ",", "quote": `"`, "header row": "3"}},
		{"a,b\n", false, map[string]string{"encoding": "UTF-8", "delimiter": ",", "quote": `"`, "header row": "1"}},
		{"a,b\n", true, map[string]string{"encoding": "UTF-8", "delimiter": ",", "quote": `"`, "header row": "none"}},
		{",\n", false, map[string]string{"encoding": "UTF-8", "delimiter": ",", "quote": `"`, "header row": "none"}},
	}
	for _, test := range tests {
		_, got := sourcetest.Open(t, Format{}, test.text, source.Options{AsIs: test.asIs})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestSamples(t *testing.T) {
	text := bytes.Buffer{}
	text.WriteString("n,even,never\n")
	for n := range 100 {
		even := ""
		if n%2 == 0 {
			even = fmt.Sprintf(`"""%d"""`, n)
		}
		fmt.Fprintf(&text, "%d,%s,,beyond\n", n, even)
	}
	text.WriteString("\"never closed")
	reader, _ := sourcetest.Open(t, Format{}, text.String(), source.Options{})
	want := []intray.Column{{Index: 0, Header: "n"}, {Index: 1, Header: "even"}, {Index: 2, Header: "never"}}
	for n := range 20 {
		want[0].Samples = append(want[0].Samples, fmt.Sprint(n))
		want[1].Samples = append(want[1].Samples, fmt.Sprintf("%q", fmt.Sprint(2*n)))
	}
	if diff := cmp.Diff(want, reader.Columns(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestDetect(t *testing.T) {
	tests := []struct {
		name, head string
		low, high  float64
	}{
		{"A.CSV", "a\n1\n", 0.85, 1},
		{"", "a,b\n1,2\n\n\"3\n,\",4\n", 0.75, 1},
		{"a.tsv", "a\tb\n", 0.6, 1},
		{"a.txt", "a\n", 0.6, 1},
		{"", "a,b\n1,2,3\n", 0.05, 0.2},
		{"", "words\nmore words, and a comma\n", 0.05, 0.2},
		{"", "r\xE9sum\xE9\n", 0.05, 0.2},
		{"", "\xFF\xFEa\x00", 0.05, 0.2},
		{"a.csv", "PK\x03\x04rest", 0, 0},
		{"a.csv", "\xD0\xCF\x11\xE0rest", 0, 0},
		{"a.csv", "%PDF-1.7", 0, 0},
		{"a.csv", "a\x00b", 0, 0},
	}
	for _, test := range tests {
		sourcetest.Score(t, Format{}, test.name, test.head, test.low, test.high)
	}
}
