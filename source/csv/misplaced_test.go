package csv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// readMisplaced reads a file. It returns the evidence about misplaced quotes before the first and after the
// last record.
func readMisplaced(t *testing.T, text string, opt source.Options) (rows [][]string, before, after *intray.Evidence) {
	t.Helper()
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(text)), opt)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	find := func() *intray.Evidence {
		for _, e := range reader.Evidence() {
			if e.Choice == misplacedChoice {
				return &e
			}
		}
		return nil
	}
	before = find()
	rows, _ = drainReader(t, reader)
	return rows, before, find()
}

// people returns rows of a table with the columns name, city and zip.
func people(rows int) string {
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, "%s,%s,%d\n", []string{"Ada", "Bob", "Cyrus", "Dan", "Eve"}[i%5], []string{"Ulm", "Bonn", "Berlin", "Kiel"}[i%4], 10000+i*7%900)
	}
	return text.String()
}

// TestMisplacedQuotes checks, for quotes around several lines, whether the lines are rows, one record, or a
// question.
func TestMisplacedQuotes(t *testing.T) {
	const head, name, pair = "name,city,zip\n", "name,note\n", "name,amount\n"
	amounts := strings.Repeat("Ada,5\nBob,17\nCyrus,250\nDan,31\n", 5)
	notes := strings.Repeat("Ada,\"good, but late\"\nBob,\"no answer\ncall again, please\"\nCyrus,fine\n", 5)
	for label, c := range map[string]struct {
		text, want string
	}{
		"one row in a cell of two lines": {head + people(20) + "Bob,\"Ulm,20001\nDan,Bonn\",20002\n" + people(20), "rows"},
		"in the first cells":             {head + people(20) + "\"Bob,Ulm,20001\nDan\",Bonn,20002\n" + people(20), "rows"},
		"in the last cells":              {head + people(20) + "Bob,Ulm,\"20001\nDan,Bonn,20002\"\n" + people(20), "rows"},
		"two columns":                    {pair + amounts + "Eve,\"5\nFay,7\"\n" + amounts, "rows"},
		"two columns and several lines":  {pair + amounts + "Eve,\"5\nFay,7\nGus,9\nHal,12\"\n" + amounts, "rows"},
		"two columns, first cell":        {pair + amounts + "\"Eve,5\nFay\",7\n" + amounts, "rows"},
		"quoted cells in the lines":      {head + people(20) + "Bob,\"Ulm,20001\nEve,\"Köln, Rhein\",20002\nDan,\"Bonn\",20003\n" + people(20), "rows"},
		"a small table":                  {head + "Ada,\"Ulm,1\nBob,Bonn\",2\nCyrus,Kiel,3\n", "asked"},
		"a small table of text":          {"name,city,land\nAda,\"Ulm,DE\nBob,Linz\",AT\nCyrus,Kiel,DE\n", "asked"},
		"a damaged row in between":       {head + people(20) + "\"Bob,Ulm,20001\nCyrus,Jena,20003\nEve,Trier,20004\nHal,20005\nDan\",Bonn,20002\n" + people(20), "asked"},
		"a small table, too many cells":  {head + "\"Ada,Berlin,1\nBob,Ham,2\nCy\",Bonn,3,x\nDan,Bonn,5\nEve,Ulm,6\nFay,Jena,7\nGus,Kiel,8\n", "asked"},

		"notes":                        {name + notes + "Dan,\"Dear Bob\nwe met, today\"\n" + notes, "record"},
		"a note of two lines":          {head + people(20) + "Bob,\"Main Street, 5\nBerlin, Mitte\",20001\n" + people(20), "record"},
		"notes with commas":            {"id,note,zip\n" + strings.Repeat("7,\"yes, but\nlater, or never\",5\n8,no,6\n", 10), "record"},
		"a note in a small table":      {"id,note\n1,\"one, two\nthree, four\"\n2,b\n3,c\n", "record"},
		"addresses":                    {head + strings.Repeat("Bob,\"Main Street 5\n10115 Berlin\",1\nAda,\"Elm Road, 7\n20095 Hamburg, DE\",2\n", 10), "record"},
		"a table in a cell":            {"id,csv,zip\n" + strings.Repeat("7,\"a,b,1\nc,d,2\ne,f,3\",5\n", 10), "record"},
		"lines that are not rows":      {head + people(20) + "Ada,\"Main Street\nBerlin\",1,x\n" + people(20), "record"},
		"a quote that is never closed": {head + people(20) + "Bob,\"Ulm,20001\n" + people(20), "rows"},
	} {
		t.Run(label, func(t *testing.T) {
			lines := strings.Count(c.text, "\n") - 1
			got, before, after := readMisplaced(t, c.text, source.Options{})
			verdict := "record"
			switch {
			case after != nil:
				verdict = "asked"
			case len(got) == lines:
				verdict = "rows"
			}
			if verdict != c.want {
				t.Errorf("%s, want %s; %d records of %d lines: %q", verdict, c.want, len(got), lines, got)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the evidence in the sample is not that of all records (-sample +records):\n%s", diff)
			}
		})
	}
}

// misplacedText is a small table in which it is uncertain whether lines 2 to 3 are one record.
const misplacedText = "name,city,zip\nAda,\"Ulm,1\nBob,Bonn\",2\nCyrus,Kiel,3\n"

// TestMisplacedQuotesEvidence checks the choices of a tie.
func TestMisplacedQuotesEvidence(t *testing.T) {
	_, got, _ := readMisplaced(t, misplacedText, source.Options{})
	want := &intray.Evidence{
		Choice: misplacedChoice, Value: source.MisplacedAsQuotes, Tie: true,
		Reason: intray.NewMessage("quote.closed_late", intray.Params{"line": int64(2), "end": int64(3)}),
		Alternatives: []intray.Choice{{
			Value: source.MisplacedAsQuotes, Label: intray.NewMessage("quote.lines_are_record", intray.Params{"line": int64(2), "end": int64(3), "n": int64(2)}),
			Reason: intray.NewMessage("quote.encloses_lines", nil), Examples: []string{"Ada | Ulm,1 ⏎ Bob,Bonn | 2"},
		}, {
			Value: source.MisplacedAsText, Label: intray.NewMessage("quote.lines_are_records", intray.Params{"line": int64(2), "end": int64(3), "n": int64(2)}),
			Reason: intray.NewMessage("quote.lines_like_rows", nil), Examples: []string{`Ada | "Ulm | 1`, `Bob | Bonn" | 2`},
		}},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b intray.Message) bool { return a.Code == b.Code && a.String() == b.String() })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := "name,city,zip\n" + strings.Repeat("Ada,\"Ulm,1\nBob,Bonn\",2\nCyrus,Kiel,3\n", 2)
	if _, got, _ = readMisplaced(t, text, source.Options{}); got == nil || got.Reason.Code != "quote.closed_late_often" || fmt.Sprint(got.Reason.Params()["n"]) != "1" {
		t.Errorf("two records in doubt: %+v", got)
	}
}

// TestMisplacedQuotesOption checks that a requested reading applies to records in doubt, that quotes can be
// read as in RFC 4180 throughout, and that there is no question then.
func TestMisplacedQuotesOption(t *testing.T) {
	note := "Dan,\"Kiel\nby the sea\",4\n"
	certain := "name,city,zip\n" + people(20) + note + "Bob,\"Ulm,20001\nDan,Bonn\",20002\n"
	for name, c := range map[string]struct {
		text, option string
		records      int
		has          string
	}{
		"doubt as quotes":        {misplacedText + note, source.MisplacedAsQuotes, 3, "Ulm,1\nBob,Bonn"},
		"doubt as text":          {misplacedText + note, source.MisplacedAsText, 4, `"Ulm`},
		"notes stay cells":       {misplacedText + note, source.MisplacedAsText, 4, "Kiel\nby the sea"},
		"certain lines as text":  {certain, source.MisplacedAsText, 23, `Bonn"`},
		"certain lines, quoted":  {certain, source.MisplacedAsQuotes, 22, "Ulm,20001\nDan,Bonn"},
		"damaged record as text": {"name,city,zip\n\"Ada,Berlin,1\nBob,Ham,2\nCy\",Bonn,3,x\nDan,Bonn,5\n", source.MisplacedAsText, 4, `"Ada`},
		"damaged, as quotes":     {"name,city,zip\n\"Ada,Berlin,1\nBob,Ham,2\nCy\",Bonn,3,x\nDan,Bonn,5\n", source.MisplacedAsQuotes, 2, "Ada,Berlin,1\nBob,Ham,2\nCy"},
	} {
		t.Run(name, func(t *testing.T) {
			rows, before, after := readMisplaced(t, c.text, source.Options{MisplacedQuotes: c.option})
			found := false
			for _, row := range rows {
				for _, cell := range row {
					found = found || cell == c.has
				}
			}
			if len(rows) != c.records || !found {
				t.Errorf("%d records, want %d with the cell %q: %q", len(rows), c.records, c.has, rows)
			}
			for _, e := range []*intray.Evidence{before, after} {
				if e == nil || e.Tie || e.Value != c.option || len(e.Alternatives) != 1 {
					t.Errorf("the evidence is %+v", e)
				}
			}
		})
	}
	_, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(misplacedText)), source.Options{MisplacedQuotes: "none"})
	if err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("an unknown option: %v", err)
	}
}

// TestMisplacedQuoteBelowSample checks that a quote that may be misplaced is a tie after the last record if it
// is below the sample, where records are parsed in parallel, and that the answer applies there.
func TestMisplacedQuoteBelowSample(t *testing.T) {
	const rows = 60_000
	// Both readings are possible: the column of notes has several lines in many records.
	var text strings.Builder
	text.WriteString("id,note,zip\n")
	for i := range rows {
		switch {
		case i == rows/2:
			fmt.Fprintf(&text, "%d,\"call him,%d\n%d,please\",%d\n", i, 10000+i, i, 10000+i)
		case i%3 == 0:
			fmt.Fprintf(&text, "%d,\"call him\nlater %d, please\",%d\n", i, i%17, 10000+i)
		default:
			fmt.Fprintf(&text, "%d,no answer %d,%d\n", i, i%13, 10000+i)
		}
	}
	for option, want := range map[string]int{"": rows, source.MisplacedAsQuotes: rows, source.MisplacedAsText: rows + 1} {
		got, before, after := readMisplaced(t, text.String(), source.Options{MisplacedQuotes: option})
		if len(got) != want {
			t.Errorf("%q: %d records, want %d", option, len(got), want)
		}
		if option == "" && (before != nil || after == nil || !after.Tie) {
			t.Errorf("the evidence is %+v before and %+v after the last record", before, after)
		}
	}
}
