package csv

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestHeader checks the column names that are read from headers, including headers with more
// or fewer cells than the table has columns.
func TestHeader(t *testing.T) {
	orders := "2021-01-02,10:30,3,4.50,a@b.org\n2021-01-03,11:30,1,9.75,c@d.org\n2021-01-04,12:30,2,1.25,e@f.org\n" +
		"2021-01-05,13:30,7,2.50,g@h.org\n2021-01-06,14:30,5,3.25,i@j.org\n2021-01-07,15:30,4,6.00,k@l.org\n"
	for name, c := range map[string]struct{ text, want string }{
		"as wide":                     {"date,time,qty,price,email\n" + orders, "date|time|qty|price|email"},
		"two words in one":            {"datetime,qty,price,email\n" + orders, "date|time|qty|price|email"},
		"capitals begin":              {"Date,Time,QtyPrice,Email\n" + orders, "Date|Time|Qty|Price|Email"},
		"capitals end":                {"Date,Time,QTYPrice,Email\n" + orders, "Date|Time|QTY|Price|Email"},
		"too long to be two names":    {"date,time,qty" + strings.Repeat("_x", 130) + "Price,email\n" + orders, "|date|time|qty" + strings.Repeat("_x", 130) + "Price|email"},
		"no known word":               {"d,t,qqpp,mm\n" + orders, "|d|t|qqpp|mm"},
		"two names too few":           {"date,time,qty\n" + orders, "date|time|qty||"},
		"names of rows":               {"x,y\na,1,2\nb,3,4\nc,5,6\n", "|x|y"},
		"rows are not told apart":     {"x,y\na,1,2\na,3,4\nc,5,6\n", "x|y|"},
		"last cells are empty":        {"x,y\na,1,\nb,3,\nc,5,\n", "x|y|"},
		"a value in the header":       {"1,2\na,1,2\nb,3,4\nc,5,6\n", "||"},
		"pairs above":                 {"Account:,DE12,,\nFrom:,2020-01-01,,\nDay,Text,Sum,Left\n2020-01-02,rent,1.5,2.5\n2020-01-03,food,2.5,3.5\n", "Day|Text|Sum|Left"},
		"pairs are the table":         {"name:,Ann\nage:,31\n", "name:|Ann"},
		"a drawn line is not a value": {"a;b;c\n---;---;---\n1;2;3\n", "a|b|c"},
	} {
		t.Run(name, func(t *testing.T) {
			names, _, _, err := readTable(t, []byte(c.text), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, strings.Join(names, "|")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRequestedHeaderRow checks the columns and records if any row of a table is requested as
// the header, and the error if a requested row does not exist.
func TestRequestedHeaderRow(t *testing.T) {
	text := "Report of May,,\nid,name,qty\n1,Ann,3\n2,Bob,4\n"
	rows := [][]string{{"Report of May", "", ""}, {"id", "name", "qty"}, {"1", "Ann", "3"}, {"2", "Bob", "4"}}
	headers := map[int]int{0: 2, 1: 1, 2: 2, 3: 3, 4: 4}
	for requested, want := range headers {
		names, got, _, err := readTable(t, []byte(text), source.Options{HeaderRow: requested})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows[want-1], names); diff != "" {
			t.Errorf("header row %d, names (-want +got):\n%s", requested, diff)
		}
		if diff := cmp.Diff(rows[want:], append([][]string{}, got...)); diff != "" {
			t.Errorf("header row %d, records (-want +got):\n%s", requested, diff)
		}
		s, err := analyzeSample(t.Context(), []byte(text), true, source.Options{HeaderRow: requested, Limits: source.Limits{}.WithDefaults()})
		if err != nil {
			t.Fatal(err)
		}
		e := s.evidence[2]
		if e.Choice != "header row" || e.Value != strconv.Itoa(want) || requested > 0 && len(e.Alternatives) > 0 || s.line != int64(want)+1 {
			t.Errorf("header row %d: evidence %+v, first record in line %d", requested, e, s.line)
		}
	}
	names, got, _, err := readTable(t, []byte(text), source.Options{HeaderRow: source.NoHeader})
	if diff := cmp.Diff(rows, got); diff != "" || err != nil || strings.Join(names, "|") != "||" {
		t.Errorf("no header: names %q, error %v, records (-want +got):\n%s", names, err, diff)
	}
	var unreadable *source.UnreadableError
	if _, _, _, err := readTable(t, []byte(text), source.Options{HeaderRow: 5}); !errors.As(err, &unreadable) || unreadable.Reason.Code != "header.row_out_of_range" {
		t.Errorf("header row 5 of 4: error %v", err)
	}
}

// TestRequestedHeaderRows checks the names if several rows are requested as the header.
func TestRequestedHeaderRows(t *testing.T) {
	text := ",2025,,2026,\nid,men,women,men,women\n1,2,3,4,5\n"
	for rows, want := range map[int]string{0: "|2025||2026|", 2: "id|2025 men|2025 women|2026 men|2026 women", 9: "id 1|2025 men 2|women 3|2026 men 4|women 5"} {
		names, _, _, err := readTable(t, []byte(text), source.Options{HeaderRow: 1, HeaderRows: rows})
		if got := strings.Join(names, "|"); err != nil || got != want {
			t.Errorf("%d rows: %q, want %q, error %v", rows, got, want, err)
		}
	}
}

// TestOtherTable checks the question about the table to read if the rows of a second one would be
// lost.
func TestOtherTable(t *testing.T) {
	text := "id,name,qty\n1,Ann,3\n2,Bob,4\n\ncity,people\nBonn,5\nUlm,6\n"
	for requested, want := range map[int]string{0: "1: true [5]", 1: "1: false []", 5: "5: false []"} {
		reader, _ := sourcetest.Open(t, Format{}, text, source.Options{HeaderRow: requested})
		drainReader(t, reader)
		for _, e := range reader.Evidence() {
			if e.Choice != "header row" {
				continue
			}
			var others []string
			for _, c := range e.Alternatives {
				others = append(others, c.Value)
			}
			if got := fmt.Sprintf("%s: %t %v", e.Value, e.Tie, others); got != want {
				t.Errorf("header row %d requested: %s, want %s", requested, got, want)
			}
		}
	}
}

// TestNameCheckerSkipsIrregularRows checks that a nameChecker uses regular rows that follow
// irregular rows.
func TestNameCheckerSkipsIrregularRows(t *testing.T) {
	rows := []sampledRow{
		{cells: []string{"x"}, wellFormed: true}, {cells: []string{"x", "y"}},
		{cells: []string{"1", "a@b.org"}, wellFormed: true}, {cells: []string{"", "c@d.org"}, wellFormed: true},
	}
	if diff := cmp.Diff([]headerdetect.Kind{headerdetect.Integer, headerdetect.Email}, newNameChecker(2, rows).kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{
		"unitPrice": "unit price", "unit_price": "unit price", "PRODUCTID": "productid", "Prix (€)": "prix", "2019": "", "Straße 2": "straße",
	} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
