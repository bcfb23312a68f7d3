package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// sample is a table with the text that contains it.
type sample sourcetest.Table

var samples = []sample{
	{"simple.csv", "a,b\n1,2\n3,4\n", false, []string{"a", "b"}, [][]string{{"1", "2"}, {"3", "4"}}, []int64{2, 3}},
	{"no last line end", "a,b\n1,2", false, []string{"a", "b"}, [][]string{{"1", "2"}}, []int64{2}},
	{"comma at the end", "a,b\n1,", false, []string{"a", "b"}, [][]string{{"1", ""}}, []int64{2}},
	{"three kinds of line ends", "a\r\nb\rc\nd\r", false, []string{"a"}, [][]string{{"b"}, {"c"}, {"d"}}, []int64{2, 3, 4}},
	{"line ends in quotes stay", "a,b\n\"1\r\n2\r3\n4\",5\n6,7\n", false, []string{"a", "b"}, [][]string{{"1\r\n2\r3\n4", "5"}, {"6", "7"}}, []int64{2, 6}},
	{"quotes", "a,b,c\n\"x,y\",\"\"\"q\"\"\",\"\"\n", false, []string{"a", "b", "c"}, [][]string{{"x,y", `"q"`, ""}}, []int64{2}},
	{"a quote that opens nothing", "a,b\n5\" pipe, \"x\"\n1\"\",\"\n\"\n", false, []string{"a", "b"}, [][]string{{`5" pipe`, `x`}, {`1""`, "\n"}}, []int64{2, 3}},
	{"blank lines", "\n\r\na\n\n\r\r\n1\n\n\n2\n\n", false, []string{"a"}, [][]string{{"1"}, {"2"}}, []int64{7, 10}},
	{"an empty quoted line is a record", "a\n\"\"\n \n", false, []string{"a"}, [][]string{{""}}, []int64{2}},
	{"header after empty records", ",,\n \na,b\n1,2\n", false, []string{"a", "b"}, [][]string{{"1", "2"}}, []int64{4}},
	{"header of several lines", "\"a\nb\", c \n1,2\n", false, []string{"a\nb", "c"}, [][]string{{"1", "2"}}, []int64{3}},
	{"empty and equal headers", "a,,a,\n1,2,3,4\n", false, []string{"a", "", "a", ""}, [][]string{{"1", "2", "3", "4"}}, []int64{2}},
	{"ragged", "a,b\n1\n1,2,3\n", false, []string{"a", "b"}, [][]string{{"1"}, {"1", "2", "3"}}, []int64{2, 3}},
	{"header only", "a,b", false, []string{"a", "b"}, nil, nil},
	{"no text", ",,\n\"\",\n", false, nil, nil, nil},
	{"byte order mark", "\uFEFFa,b\n1,\uFEFF\n", false, []string{"a", "b"}, [][]string{{"1", "\uFEFF"}}, []int64{2}},
	{"byte order mark and quote", "\uFEFF\"a\"\n1\n", false, []string{"a"}, [][]string{{"1"}}, []int64{2}},
	{"as found", "a,b\n\n\r\n1\n,\n\n", true, []string{"", ""}, [][]string{{"a", "b"}, {""}, {""}, {"1"}, {"", ""}}, []int64{1, 2, 3, 4, 5}},
	{"as found, blank at first", "\n\n\"x\ny\"\n\nz\n", true, []string{""}, [][]string{{""}, {""}, {"x\ny"}, {""}, {"z"}}, []int64{1, 2, 3, 5, 6}},
	{"whole lines quoted", "\"a,b,c\"\r\n\"1,\"\"x, y\"\",3\"\r\n\r\n\"4,5,6\"\r\n", false, []string{"a", "b", "c"}, [][]string{{"1", "x, y", "3"}, {"4", "5", "6"}}, []int64{2, 4}},
	{"aligned", "  id  name     amount  \n  1   Ann Lee    10.5\n  22  Bob         9.0\n", false, []string{"id", "name", "amount"}, [][]string{{"1", "Ann Lee", "10.5"}, {"22", "Bob", "9.0"}}, []int64{2, 3}},
	{"drawn lines", "+----+-----+\n| id | n   |\n+----+-----+\n| 1  | 2.5 |\n| 3  | 4.5 |\n", false, []string{"id", "n"}, [][]string{{"1", "2.5"}, {"3", "4.5"}}, []int64{4, 5}},
	{"empty records at the end", "a,b,c\n1,2,3\n,,\n", false, []string{"a", "b", "c"}, [][]string{{"1", "2", "3"}}, []int64{2}},
	{"empty records inside", "a,b\n1,2\n,\nx,\n,y\n", false, []string{"a", "b"}, [][]string{{"1", "2"}, {"", ""}, {"x", ""}, {"", "y"}}, []int64{2, 3, 4, 5}},
	{"many scripts", "näme,名前\n👍,מה\n", false, []string{"näme", "名前"}, [][]string{{"👍", "מה"}}, []int64{2}},
}

func TestConformance(t *testing.T) {
	var all []sourcetest.Sample
	for _, table := range sourcetest.LargeTables() {
		if !testing.Short() || table.Name != "heavy" {
			all = append(all, newSample(table))
		}
	}
	for _, r := range samples {
		all = append(all, sourcetest.Table(r).Sample())
	}
	sourcetest.Run(t, Format{}, all)
}

// newSample returns a table with its text and the line numbers of its records.
func newSample(table sourcetest.Table) sourcetest.Sample {
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

// appendRecord appends a record as defined by RFC 4180.
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

// contacts returns a table of regular rows. Some rows are replaced by the lines in instead,
// which maps row numbers to lines.
func contacts(rows int, instead map[int]string) string {
	var text strings.Builder
	text.WriteString("id,name,joined,amount,note\n")
	for n := 1; n <= rows; n++ {
		line, odd := instead[n]
		if !odd {
			line = contact(n)
		}
		text.WriteString(line + "\n")
	}
	return text.String()
}

func contact(n int) string {
	names := []string{"Ada Lovelace", "Bob Martin", "Grace Hopper", "Alan Turing"}
	return fmt.Sprintf("%d,%s,2021-%02d-%02d,%d.50,\"a note, no. %d\"", n, names[n%4], n%12+1, n%28+1, n*7, n)
}

// TestRepairs checks how one broken row among many regular rows is repaired.
func TestRepairs(t *testing.T) {
	good := []string{"20", "Ada Lovelace", "2021-09-21", "140.50", "a note, no. 20"}
	for name, c := range map[string]struct {
		line       string
		want       []string
		wantNotice string
	}{
		"a separator that is missing": {`20,Ada Lovelace,2021-09-21140.50,"a note, no. 20"`, good, "missing separator was inserted"},
		"a separator that is doubled": {`20,,Ada Lovelace,2021-09-21,140.50,"a note, no. 20"`, good, "a duplicate separator"},
		"another separator":           {`20;Ada Lovelace;2021-09-21;140.50;"a note, no. 20"`, good, "a semicolon"},
		"one other separator":         {`20,Ada Lovelace;2021-09-21,140.50,"a note, no. 20"`, good, "a semicolon was read as the separator"},
		"a quote that opens nothing":  {`20,"Ada Lovelace,2021-09-21,140.50,"a note, no. 20"`, []string{"20", `"Ada Lovelace`, "2021-09-21", "140.50", "a note, no. 20"}, "an unmatched quotation mark"},
		"unquoted separators":         {`20,Ada Lovelace,2021-09-21,140.50,a note, no. 20`, good, "was read as text"},
	} {
		t.Run(name, func(t *testing.T) {
			rows, notices := readRows(t, contacts(40, map[int]string{20: c.line}))
			if len(rows) != 40 {
				t.Fatalf("%d rows, want 40", len(rows))
			}
			if diff := cmp.Diff(c.want, rows[19]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(notices) != 1 || notices[0].Type != intray.RepairedRow || *notices[0].Row != 19 || !strings.Contains(notices[0].Text.String(), c.wantNotice) || !strings.Contains(notices[0].Text.String(), "Line 21") {
				t.Errorf("notices %+v", notices)
			}
			for n, row := range rows {
				if n != 19 && row[0] != fmt.Sprint(n+1) {
					t.Errorf("row %d is %q", n, row)
				}
			}
		})
	}
}

// TestLeftAsFound checks that a row stays as found if no reading clearly fits.
func TestLeftAsFound(t *testing.T) {
	for name, line := range map[string]string{
		"too few cells":  "20,Ada Lovelace",
		"far too many":   "20" + strings.Repeat(",x,1", 20),
		"nothing fits":   "what is this,and that,is not a row",
		"any place fits": "1234,5678",
	} {
		t.Run(name, func(t *testing.T) {
			rows, notices := readRows(t, contacts(40, map[int]string{20: line}))
			if diff := cmp.Diff(strings.Split(line, ","), rows[19]); diff != "" || len(notices) > 0 {
				t.Errorf("notices %+v (-want +got):\n%s", notices, diff)
			}
		})
	}
}

// TestAroundTheTable checks the handling of rows above, between and below the records of a table.
func TestAroundTheTable(t *testing.T) {
	table := contacts(10, nil)
	for name, c := range map[string]struct {
		text        string
		rows        int
		wantNotices []string
	}{
		"a title":                 {"Contacts of 2021\n\n" + table, 10, []string{"above the table"}},
		"comments above":          {"# made manually\n# twice\n" + table, 10, []string{"up to line 2"}},
		"sep=":                    {"sep=;\n" + strings.ReplaceAll(strings.ReplaceAll(table, ", no", " no"), ",", ";"), 10, nil},
		"a total":                 {table + "Total,,,385.00,\n", 10, []string{"is below the table"}},
		"a remark":                {table + "\nGenerated manually on 1 May 2021\n", 10, []string{"is below the table"}},
		"the header again":        {table + contacts(10, nil), 20, []string{"repeats the header row"}},
		"the table again":         {table + "\nContacts of 2020\n" + contacts(10, nil), 10, []string{"Line 13 is below", "Another table starts on line 14", "header row"}},
		"a remark below ,,":       {table + ",,,,\nfor official use only,,,,\n", 10, []string{"Line 13 is below"}},
		"remarks":                 {table + "(a) Estimated manually.\n(b) See the handbook.\n", 10, []string{"Line 12 is below", "Line 13 is below"}},
		"another table":           {table + "\ncity,people\nBerlin,3\nParis,2\nRome,1\n", 10, []string{"Another table starts on line 13", "header row"}},
		"a total inside":          {table + "Total,,,385.00,\n" + strings.SplitN(table, "\n", 2)[1], 21, nil},
		"a comment inside":        {"#x\n" + table + "#y\n" + strings.SplitN(table, "\n", 2)[1], 20, []string{"above", "comment"}},
		"two header rows":         {"person,person,entry,entry,entry\n" + table, 10, nil},
		"optional cells":          {"a,b,c,d\n1,x,u1,n\n2,y,u2,n\n3,x,u3,n\n4,y,u4,n\n" + strings.Repeat("k7,x,u4\nk8,y,u5\nk9,z,u6,n\n", 4), 16, nil},
		"fewer cells last":        {"a|b|c\n" + strings.Repeat("1|2|3\n", 8) + "zz|yy|xx\n10|11\nzz|yy\n1|2\n1|2\n", 13, nil},
		"many remarks":            {table + "Information:\n" + strings.Repeat("Estimates of the year\n\n", 29), 10, slices.Repeat([]string{"is below the table"}, 30)},
		"two cells below":         {table + "\n,,,,\n\"See the handbook, part 2\",,,Office for registration,\n", 10, []string{"is below the table"}},
		"a block of others":       {table + "\nfirm,mail,phone,amount owed,since when\n" + strings.SplitN(table, "\n", 2)[1], 21, []string{"header row"}},
		"all totals":              {"kind,men,women,all\n" + strings.Repeat("Total,1,2,3\n", 40), 40, nil},
		"one block of totals":     {"kind,men,women,all\n" + strings.Repeat("Part,1,2,3\n", 9) + strings.Repeat("Total,1,2,3\n", 9), 18, nil},
		"few cells after a total": {table + "Total,,,385.00,\n\n11,,,12.50,\n", 12, nil},
		"empty rows inside":       {table + "\n\n,,,,\n" + strings.SplitN(table, "\n", 2)[1], 21, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rows, notices := readRows(t, c.text)
			if len(rows) != c.rows {
				t.Errorf("%d rows, want %d: %q", len(rows), c.rows, rows)
			}
			if len(notices) != len(c.wantNotices) {
				t.Fatalf("notices %+v, want %q", notices, c.wantNotices)
			}
			for i, want := range c.wantNotices {
				if !strings.Contains(notices[i].Text.String(), want) {
					t.Errorf("notice %q, want %q", notices[i].Text, want)
				}
			}
		})
	}
}

// TestDialects checks that one table is read correctly in many dialects.
func TestDialects(t *testing.T) {
	plain := contacts(30, nil)
	want, _ := readRows(t, plain)
	rewrite := func(delim, open, shut string) string {
		var text strings.Builder
		text.WriteString(strings.ReplaceAll("id,name,joined,amount,note", ",", delim) + "\n")
		for _, row := range want {
			row = append([]string{}, row...)
			row[4] = open + row[4] + shut
			text.WriteString(strings.Join(row, delim) + "\n")
		}
		return text.String()
	}
	for name, text := range map[string]string{
		"semicolons": rewrite(";", `"`, `"`), "tabs": rewrite("\t", `"`, `"`), "bars": rewrite("|", `"`, `"`),
		"double bars": rewrite("||", `"`, `"`), "double colons": rewrite("::", `"`, `"`), "carets": rewrite("^", `"`, `"`),
		"tildes": rewrite("~", `"`, `"`), "comma and space": rewrite(", ", `"`, `"`), "apostrophes": rewrite(",", "'", "'"),
		"curly quotes": rewrite(",", "“", "”"), "CRLF": strings.ReplaceAll(plain, "\n", "\r\n"), "CR": strings.ReplaceAll(plain, "\n", "\r"),
	} {
		t.Run(name, func(t *testing.T) {
			got, notices := readRows(t, text)
			if diff := cmp.Diff(want, got); diff != "" || len(notices) > 0 {
				t.Errorf("notices %v (-want +got):\n%s", notices, diff)
			}
		})
	}
}

// readRows returns the records and the notices that the given text yields.
func readRows(t testing.TB, text string) (rows [][]string, notices []intray.Notice) {
	t.Helper()
	_, rows, notices, err := readTable(t, []byte(text), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rows, notices
}

// readTable returns the column names, the records and the notices of a file.
func readTable(t testing.TB, file []byte, opt source.Options) (names []string, rows [][]string, notices []intray.Notice, err error) {
	t.Helper()
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", file), opt)
	if err != nil {
		return nil, nil, nil, err
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { _ = reader.Close() }()
	for _, c := range reader.Columns() {
		names = append(names, c.Header)
	}
	rows, notices = drainReader(t, reader)
	for _, e := range reader.Evidence() {
		if e.Tie { // the tests treat a tie as a notice
			notices = append(notices, intray.Notice{Type: intray.HeaderRowUncertain, Level: intray.LevelError, Text: intray.Literal(e.Choice)})
		}
	}
	return names, rows, notices, nil
}

// drainReader returns all remaining records and notices of a reader.
func drainReader(t testing.TB, reader source.Reader) (rows [][]string, notices []intray.Notice) {
	t.Helper()
	var batch intray.Records
	for {
		err := reader.Next(t.Context(), &batch)
		notices = append(notices, batch.Notices...)
		if errors.Is(err, io.EOF) {
			return rows, notices
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Len() {
			row := make([]string, batch.NumCells(i))
			for c := range row {
				row[c] = string(batch.Cell(i, c))
			}
			rows = append(rows, row)
		}
	}
}

// TestParallelReader checks that every row of a file with many chunks and some broken rows is
// returned exactly once and in order.
func TestParallelReader(t *testing.T) {
	const rows = 120_000
	odd := map[int]string{}
	for n := 7; n < rows; n += 9973 {
		odd[n] = strings.Replace(contact(n), ",20", ",,20", 1)
	}
	odd[50_001] = `50001,"Ada Lovelace,2021-02-14,9.50,"a note, no. 50001"`
	odd[50_002] = "50002,Ada Lovelace,2021-02-14,9.50,\"a note\nof two lines\""
	text := contacts(rows, odd)
	got, notices := readRows(t, text)
	if len(got) != rows {
		t.Fatalf("%d rows, want %d", len(got), rows)
	}
	for n, row := range got {
		if row[0] != fmt.Sprint(n+1) || len(row) != 5 {
			t.Fatalf("row %d is %q", n, row)
		}
	}
	if len(notices) != len(odd)-1 {
		t.Errorf("%d notices, want %d", len(notices), len(odd)-1)
	}
}

// TestParsingEndsWhenCanceled checks that a quoted cell is parsed only up to stopInterval quotes
// after the context ended, and that reading continues with another context.
func TestParsingEndsWhenCanceled(t *testing.T) {
	long := strings.Repeat(`""`, 1<<20)
	d := dialect{delim: ",", open: `"`, shut: `"`}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := record{done: ctx.Done()}
	if d.parseRecord([]byte(`"`+long+`"`+"\n"), notFound, &r); !r.unclosed || len(r.cells) != 1 || r.cells[0].to > 2*stopInterval {
		t.Errorf("%+v", r)
	}
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte("a,b\n1,2\n3,\""+long+"\"\n")), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	reader := opened.(*reader)
	for !reader.window.done {
		if err := reader.window.readMore(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := reader.parseRecordAt(ctx, len("1,2\n"), &reader.rec); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	rows, _ := drainReader(t, reader)
	if len(rows) != 2 || len(rows[1][1]) != len(long)/2 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestWork checks that opening a file counts no work, and that the first reader counts the work of
// finding the table, which grows with the number of dialects to try.
func TestWork(t *testing.T) {
	var units []int64
	for _, line := range []string{"aa,bb,cc,dd\n", "a;,b|,c~,dd\n"} {
		work := &source.Work{}
		book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(strings.Repeat(line, 1000))), source.Options{Work: work})
		if err != nil || work.Units() != 0 {
			t.Fatalf("%d units, error %v", work.Units(), err)
		}
		if _, err := book.Open(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		units = append(units, work.Units())
		if _, err := book.Open(t.Context(), 0); err != nil || work.Units() != units[len(units)-1] {
			t.Errorf("%d units after the second reader, error %v", work.Units(), err)
		}
	}
	if units[0] < 100_000 || units[1] < units[0] {
		t.Errorf("units %v", units)
	}
}

// analyzeSample decides how to read a text of which only a sample is known.
func analyzeSample(ctx context.Context, sample []byte, whole bool, opt source.Options) (*sheet, error) {
	return analyzeText(ctx, &decodedText{sample: sample, whole: whole}, opt)
}
