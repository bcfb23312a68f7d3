package csv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// TestFastPathFindsHiddenRows checks that rows inside a quoted cell are found in the middle of a long
// file, where records are parsed in parallel, and that no line is lost.
func TestFastPathFindsHiddenRows(t *testing.T) {
	const rows = 60_000
	var text strings.Builder
	text.WriteString("name,city,zip\n")
	for i := range rows {
		switch i {
		case rows / 2:
			fmt.Fprintf(&text, "Ada,Berlin,\"%d\n", i)
		case rows/2 + 5:
			fmt.Fprintf(&text, "Ada,Berlin,%d\"\n", i)
		default:
			fmt.Fprintf(&text, "Ada,Berlin,%d\n", i)
		}
	}
	_, got, notices, err := readTable(t, []byte(text.String()), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != rows || len(notices) == 0 || notices[0].Text.Code != "csv.late_quote_is_text" {
		t.Errorf("%d rows, %v", len(got), notices)
	}
	for i, row := range got {
		if want := fmt.Sprint(i); strings.Trim(row[2], `"`) != want {
			t.Fatalf("row %d is %q", i, row)
		}
	}
}

// TestFindingB15LateQuote checks the notices about quotes that are closed in a later line, so that
// one record contains several rows.
func TestFindingB15LateQuote(t *testing.T) {
	const more = "Dan,Bonn,5\nEve,Ulm,6\nFay,Jena,7\nGus,Kiel,8\n"
	for name, c := range map[string]struct {
		text, want string
		records    int
	}{
		"too many cells":          {"name,city,zip\n\"Ada,Berlin,1\nBob,Ham,2\nCy\",Bonn,3,x\n" + more, "record 0, lines 2 to 4: \"Ada,Berlin,1\nBob,Ham,2\nCy\",Bonn,3,x", 5},
		"second cell":             {"name,city,zip\nAda,\"Berlin,1\nBob,Ham,2\nCy\",x,3,y\n" + more, "record 0, lines 2 to 4: Ada,\"Berlin,1\nBob,Ham,2\nCy\",x,3,y", 5},
		"text after a quote":      {"name,city,zip\nAda,\"Berlin,1\nBob,Ham\"burg,2\nCy,Bonn,3\nDan,\"Ulm\",4\nEve,Ulm,5\nFay,Jena,6\n", "split record 0, lines 2 to 5: Ada,\"Berlin,1\nBob,Ham\"burg,2\nCy,Bonn,3\nDan,\"Ulm\",4", 6},
		"two lines":               {"name,city,zip\nAda,\"Berlin,1\nBob,Ham\",2\n" + more + "Hal,\"Köln,9\nIda\",x,3\n", "record 0, lines 2 to 3: Ada,\"Berlin,1\nBob,Ham\",2; split record 5, lines 8 to 9: Hal,\"Köln,9\nIda\",x,3", 7},
		"CRLF":                    {"name,city,zip\r\n\"Ada,Berlin,1\r\nBob,Ham,2\r\nCy\",Bonn,3,x\r\n" + strings.ReplaceAll(more, "\n", "\r\n"), "record 0, lines 2 to 4: \"Ada,Berlin,1\r\nBob,Ham,2\r\nCy\",Bonn,3,x", 5},
		"lines that are not rows": {"name,city,zip\nAda,\"Main Street\nBerlin\",1,x\n" + more, "", 5},
		"regular record of lines": {"name,city,zip\nAda,\"Berlin,1\nBob,Ham,2\nCy\",3\n" + more, "record 0, lines 2 to 4: Ada,\"Berlin,1\nBob,Ham,2\nCy\",3", 5},
		"loose":                   {"name,city,zip\nAda,Berlin,1\nBob,\"Hamburg,2\nCy,Bonn,3\nDan,Köln,4\nEve,\"Ulm\",5\n" + more, "split record 1, lines 3 to 6: Bob,\"Hamburg,2\nCy,Bonn,3\nDan,Köln,4\nEve,\"Ulm\",5", 9},
		"rows that fit":           {"name,city,zip\n" + more + "Hal,Kiel,9\nIda,Ulm,8\nBob,Hamburg,\"2\nCy,Bonn,3\nDan,Köln,4\"\n" + more, "split record 6, lines 8 to 10: Bob,Hamburg,\"2\nCy,Bonn,3\nDan,Köln,4\"", 13},
		"text that does not fit":  {"name,text,zip\n" + more + "Hal,Kiel,9\nIda,Ulm,8\nBob,\"Hello, my dear\nsee you soon, if it rains, or later\nyours, Al\",4\n" + more, "record 6, lines 8 to 10: Bob,\"Hello, my dear\nsee you soon, if it rains, or later\nyours, Al\",4", 11},
		"text with few commas":    {"name,text,zip\n" + more + "Bob,\"Hello, my dear\nsee you soon, if it rains\nyours, Al\",4\n" + more, "", 9},
		"two columns":             {"id,text\n1,\"one, two\nthree, four\nfive, six\"\n2,b\n3,c\n", "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, rows, notices, err := readTable(t, []byte(c.text), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, n := range notices {
				if n.Text.Code == "csv.quote_closed_late" || n.Text.Code == "csv.late_quote_is_text" {
					if got != "" {
						got += "; "
					}
					if n.Text.Code == "csv.late_quote_is_text" {
						got += "split "
					}
					p := n.Text.Params()
					got += fmt.Sprintf("record %d, lines %v to %v: %s", *n.Row, p["line"], p["end"], *n.Value)
					if n.Type != intray.RepairedRow || n.Level != intray.LevelWarning {
						t.Errorf("the notice is %+v", n)
					}
				}
			}
			if got != c.want || len(rows) != c.records {
				t.Errorf("%q, want %q; %d records: %q; %v", got, c.want, len(rows), rows, notices)
			}
		})
	}
}
