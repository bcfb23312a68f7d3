package csv

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// startsOf returns the evidence about the starts of columns.
func startsOf(t *testing.T, file []byte, opt source.Options) (found intray.Evidence) {
	t.Helper()
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("x.txt", file), opt)
	if err != nil {
		t.Fatal(err)
	}
	r, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for _, e := range r.Evidence() {
		if e.Choice == "column starts" {
			found = e
		}
	}
	return found
}

const (
	// payroll has neither separators nor a header.
	payroll = "20240115ABC0012345SMITH     JOHN      \n20240116DEF0000045MILLER    ANN       \n20240117GHI0000099LEE       BOB       \n" +
		"20231231JKL0054321WILLIAMSONCHRISTOPHE\n20240203MNO0000001COOK      EVE       \n20240204PQR0000777BAKER     ZOË       \n"
	payrollStarts = "1, 9, 12, 19, 29"
	// prices has columns that a single space separates.
	prices = "Rank Team               Price Change\n" +
		"   1 Ohio St            12.50    0.5\n" +
		"   2 Oregon            100.25   -1.5\n" +
		"   3 Alabama             7.00   10.0\n" +
		"  14 TCU                11.75    2.5\n" +
		"  15 Baylor           1200.00    3.5\n" +
		"  16 Mississippi St      9.99 -100.5\n"
)

func TestFixedWidth(t *testing.T) {
	for name, c := range map[string]struct {
		text, requested string
		// starts is the evidence, with a question mark if a person is asked.
		starts string
		rows   [][]string
	}{
		"requested": {"20240115ABC12\n20240116DEF7\n", "1,9,12", "1, 9, 12", [][]string{{"20240115", "ABC", "12"}, {"20240116", "DEF", "7"}}},
		"requested with spaces, text before the first start": {"xab cd\ny1  2\n", "2, 5", "2, 5", [][]string{{"xab", "cd"}, {"y1", "2"}}},
		"short and long lines":                               {"a1\nb22c33\n\nd44e55f66\n", "1,2,4", "1, 2, 4", [][]string{{"a", "1", ""}, {"b", "22", "c33"}, {"d", "44", "e55f66"}}},
		"characters, not bytes":                              {"Zoë1\nÄÖÜ2\n", "1,4", "1, 4", [][]string{{"Zoë", "1"}, {"ÄÖÜ", "2"}}},
		"no separators": {payroll, "", payrollStarts + "?", [][]string{
			{"20240115", "ABC", "0012345", "SMITH", "JOHN"}, {"20240116", "DEF", "0000045", "MILLER", "ANN"}, {"20240117", "GHI", "0000099", "LEE", "BOB"},
			{"20231231", "JKL", "0054321", "WILLIAMSON", "CHRISTOPHE"}, {"20240203", "MNO", "0000001", "COOK", "EVE"}, {"20240204", "PQR", "0000777", "BAKER", "ZOË"}}},
		"no fixed width":     {payroll, "none", "", nil},
		"names show a start": {"DATE    PERSON    \n20240115Ann Smith \n20240116Bob Miller\n20240117Cy Lee    \n20240118Dan Wu    \n20240119Eve Bond  \n20240120Fay Poe   \n", "", "", nil},
		"single spaces": {prices, "", "1, 6, 23, 31", [][]string{
			{"1", "Ohio St", "12.50", "0.5"}, {"2", "Oregon", "100.25", "-1.5"}, {"3", "Alabama", "7.00", "10.0"},
			{"14", "TCU", "11.75", "2.5"}, {"15", "Baylor", "1200.00", "3.5"}, {"16", "Mississippi St", "9.99", "-100.5"}}},
		"a single space after dates, without names": {"2024-01-15 Ann Lee   7\n2024-02-16 Bob      12\n2024-03-17 Cy       99\n2024-04-18 Dan      10\n2024-05-19 Eve Poe  11\n2024-06-20 Fay       2\n",
			"", "1, 12, 21?", [][]string{{"2024-01-15", "Ann Lee", "7"}, {"2024-02-16", "Bob", "12"}, {"2024-03-17", "Cy", "99"},
				{"2024-04-18", "Dan", "10"}, {"2024-05-19", "Eve Poe", "11"}, {"2024-06-20", "Fay", "2"}}},
		"dates with times": {strings.Repeat("2024-01-15 10:30  Ann  7\n2024-02-16 11:45  Bob 12\n2024-03-17 12:00  Cyd 99\n", 10), "", "", nil},
		"the same word":    {strings.Repeat("No 15  Ann   7\nNo 16  Bo   12\nNo 17  Cyd  99\n", 10), "", "", nil},
		"padding among single spaces": {"qty   city    rate total\n23:28 Ulm    169.61      \n10:57 Bonn   668.96  3526\n06:24 Kiel     3.54      \n11:00 New York  1.00 17\n" +
			"12:00 Rome    10.00   183\n13:00 Berlin 770.00  2001\n", "", "", nil},
		"names of files":     {strings.Repeat("IMG20240115X0001.jpg\nIMG20240116X0002.jpg\n", 4), "", "", nil},
		"account numbers":    {strings.Repeat("GB29NWBK60161331926819\nGB33BUKB20201555555555\n", 4), "", "", nil},
		"short codes":        {strings.Repeat("AB1234CD\nEF5678GH\n", 4), "", "", nil},
		"sentences":          {strings.Repeat("The cat sat on the mat.\nA dog ran over the hill.\nNobody saw it there.\n", 3), "", "", nil},
		"few lines":          {payroll[:3*39], "", "", nil},
		"a column of cities": {"city      n\nNew York  1\nNew Haven 2\nSan Diego 3\nLos Gatos 4\nEl Monte  5\nSan Jose  6\n", "", "", nil},
	} {
		_, rows, _, err := readTable(t, []byte(c.text), source.Options{ColumnStarts: c.requested, HeaderRow: headerOf(c.text)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.rows, rows); c.rows != nil && diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if c.starts == "" && c.rows == nil && name != "no fixed width" && !startsAreCertain(t, c.text) {
			t.Errorf("%s: a person is asked about %v", name, startsOf(t, []byte(c.text), source.Options{}).Value)
		}
		if c.starts == "" {
			continue
		}
		e := startsOf(t, []byte(c.text), source.Options{ColumnStarts: c.requested})
		got := e.Value
		if e.Tie {
			got += "?"
		}
		if got != c.starts {
			t.Errorf("%s: starts %q, want %q", name, got, c.starts)
		}
	}
}

// headerOf returns the header row of a test table. It is row 1 if the table begins with a name.
func headerOf(text string) int {
	if strings.HasPrefix(text, "Rank") {
		return 1
	}
	return source.NoHeader
}

func startsAreCertain(t *testing.T, text string) bool {
	t.Helper()
	return !startsOf(t, []byte(text), source.Options{}).Tie
}

func TestDoubtfulColumnStarts(t *testing.T) {
	e := startsOf(t, []byte(payroll), source.Options{})
	var values []string
	for _, c := range e.Alternatives {
		values = append(values, c.Value)
	}
	if want := []string{payrollStarts, source.NoColumnStarts}; !e.Tie || !slices.Equal(values, want) {
		t.Fatalf("choices %q, want %q, tie %v", values, want, e.Tie)
	}
	want := []string{"20240115 | ABC | 0012345 | SMITH | JOHN", "20240116 | DEF | 0000045 | MILLER | ANN", "20240117 | GHI | 0000099 | LEE | BOB"}
	if diff := cmp.Diff(want, e.Alternatives[0].Examples); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
	named := startsOf(t, []byte("DATE    DEPNUMBER LASTNAME  FIRSTNAME \n"+payroll), source.Options{})
	if !named.Tie || named.Value != "1, 9, 19, 29" && named.Value != payrollStarts {
		t.Errorf("with names: %q, tie %v", named.Value, named.Tie)
	}
	separate := startsOf(t, []byte("DATE    DEPNUMBER LASTNAME  FIRSTNAME \n"+strings.ReplaceAll(payroll, "00", "77")), source.Options{})
	if !separate.Tie {
		t.Errorf("changed digits: %q, tie %v", separate.Value, separate.Tie)
	}
	trailer := startsOf(t, []byte(payroll+"T000006\n"), source.Options{})
	if trailer.Value != payrollStarts {
		t.Errorf("with the number of records: %q", trailer.Value)
	}
	groups := layoutLines{header: []rune("people"), body: [][]rune{[]rune(" 12 345"), []rune("  9 876"), []rune("123 456"), []rune("  1 222"), []rune(" 68 393")}}
	if groups.isAligned(run{0, 3}, run{4, 7}) {
		t.Error("groups of digits are separate columns")
	}
}

func TestNamesOfFixedWidth(t *testing.T) {
	table := " Town N Price Qty K\n Ulm 1  22.5   3 x\n Bonn 3  4.5   1 y\nTrier 2 14.5   9 x\n Kiel 1   .5  11 z\nCelle 9  2.5   7 x\nAalen 4 12.5   8 z\n"
	names, _, _, err := readTable(t, []byte(table), source.Options{HeaderRow: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Town", "N", "Price", "Qty", "K"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	fixed := fixedWidth{starts: []int{0, 44, 52, 61, 69, 76}}
	for line, want := range map[string][]string{
		"                                           Total  1 Unit  2 Units   Units  or more": {"", "Total", "1 Unit", "2 Units", "Units", "or more"},
		"Name                                     Total of the whole year      x  y  z":      nil,
	} {
		if got := fixed.placeNames([]byte(line)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestInvalidColumnStarts(t *testing.T) {
	for _, starts := range []string{"1", "0,5", "5,1", "1,1", "a,b", "1,,2", "1,99999999999", ","} {
		_, _, _, err := readTable(t, []byte("a b\n1 2\n"), source.Options{ColumnStarts: starts})
		var unreadable *source.UnreadableError
		if !errors.As(err, &unreadable) || unreadable.Reason.Code != "csv.invalid_column_starts" {
			t.Errorf("%q: %v", starts, err)
		}
	}
}

func TestTextAcrossColumnStarts(t *testing.T) {
	table := prices + strings.Repeat("  17 Kansas              9.50    0.5\n", 200)
	for line, want := range map[string][]string{
		"  18 Massachusettsian-A1  8.25    0.5":    {"18", "Massachusettsian-A1", "8.25", "0.5"},
		"  18 Kansas     12345678901.25   -0.5":    {"18", "Kansas", "12345678901.25", "-0.5"},
		"  18 Northwestern Universities     3.5":   {"18", "Northwestern Universities", "", "3.5"},
		"Prices without taxes in dollars, by team": {"Prices without taxes in dollars, by team"},
	} {
		text := table + line + "\n  19 Purdue              4.50    0.5\n"
		_, rows, notices, err := readTable(t, []byte(text), source.Options{HeaderRow: 1})
		if err != nil {
			t.Fatal(err)
		}
		at := len(rows) - 2
		if len(want) == 1 { // a remark may be held back and reported
			at = slices.IndexFunc(rows, func(row []string) bool { return len(row) == 1 })
		}
		if at < 0 || !slices.Equal(rows[at], want) {
			t.Errorf("%q: %q, want %q", line, rows[max(0, len(rows)-2):], want)
		}
		if !slices.ContainsFunc(notices, func(n intray.Notice) bool {
			return n.Text.Code == "csv.text_crosses_columns" && n.Row != nil && *n.Row == int64(at) && *n.Value == line
		}) {
			t.Errorf("%q is not reported", line)
		}
	}
}

// longAligned returns a table of more than one sample whose later rows have longer values.
func longAligned(gap string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s%s%8s%s%8s\n", "name", gap, "n", gap, "m")
	for i := range 60000 {
		name, n := "Ann", "7.5"
		if i > 40000 {
			name, n = "Winifred", "1234567"
		}
		fmt.Fprintf(&b, "%-8s%s%8s%s%8d\n", name, gap, n, gap, 10+i%90)
	}
	return b.String()
}

// TestColumnStartsOfLaterRows checks that samples from the whole file determine the columns.
func TestColumnStartsOfLaterRows(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		encode     func(string) []byte
	}{
		"two spaces":   {longAligned("  "), "1, 12, 27", utf8Bytes},
		"one space":    {longAligned(" "), "1, 11, 25", utf8Bytes},
		"UTF-16":       {longAligned("  "), "1, 12, 27", utf16Bytes},
		"windows-1252": {strings.Replace(longAligned("  "), "Ann ", "Zo\xeb ", 1), "1, 12, 27", utf8Bytes},
	} {
		if got := startsOf(t, c.encode(c.text), source.Options{}).Value; got != c.want {
			t.Errorf("%s: starts %q, want %q", name, got, c.want)
		}
		_, rows, notices, err := readTable(t, c.encode(c.text), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"Winifred", "1234567", "99"}; !slices.Equal(rows[len(rows)-1][:2], want[:2]) || len(rows) != 60000 || len(notices) > 0 {
			t.Errorf("%s: %d rows, the last is %q, %d notices", name, len(rows), rows[len(rows)-1], len(notices))
		}
	}
}

func utf8Bytes(text string) []byte { return []byte(text) }

func utf16Bytes(text string) []byte {
	raw := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		raw = append(raw, byte(u), byte(u>>8))
	}
	return raw
}

// FuzzFixedWidth checks that the cells of a line hold all of its text, in order.
func FuzzFixedWidth(f *testing.F) {
	f.Add("20240115ABC0012345SMITH     JOHN", "1,9,12,19,29", true)
	f.Add("   1 Ohio St   Massachusettsian  9.5", "1,6,22,31", true)
	f.Add("Zoë\tÄÖÜ", "2,3", false)
	f.Fuzz(func(t *testing.T, line, list string, gaps bool) {
		starts, ok := intray.ParseColumnStarts(list)
		if !ok || strings.ContainsAny(line, "\r\n") {
			return
		}
		fixed := fixedWidth{starts: starts, gaps: slices.Repeat([]bool{gaps}, len(starts))}
		var r record
		fixed.parseRecord([]byte(line+"\n"), &r)
		var text strings.Builder
		at := 0
		for _, c := range r.cells {
			if c.from < at || c.to < c.from {
				t.Fatalf("%q at %v: cells %v", line, starts, r.cells)
			}
			at = c.to
			text.WriteString(line[c.from:c.to])
		}
		bare := strings.NewReplacer(" ", "", "\t", "")
		if got, want := bare.Replace(text.String()), bare.Replace(line); got != want || r.next != len(line)+1 {
			t.Fatalf("%q at %v: text %q, next %d", line, starts, got, r.next)
		}
		if n := len(r.cells); n != len(starts) && n != 1 {
			t.Fatalf("%q at %v: %d cells", line, starts, n)
		}
	})
}
