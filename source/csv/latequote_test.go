package csv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

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
		"text after a quote":      {"name,city,zip\nAda,\"Berlin,1\nBob,Ham\"burg,2\nCy,Bonn,3\nDan,\"Ulm\",4\nEve,Ulm,5\nFay,Jena,6\n", "record 0, lines 2 to 5: Ada,\"Berlin,1\nBob,Ham\"burg,2\nCy,Bonn,3\nDan,\"Ulm\",4", 3},
		"two lines":               {"name,city,zip\nAda,\"Berlin,1\nBob,Ham\",2\n" + more + "Hal,\"Köln,9\nIda\",x,3\n", "record 5, lines 8 to 9: Hal,\"Köln,9\nIda\",x,3", 6},
		"CRLF":                    {"name,city,zip\r\n\"Ada,Berlin,1\r\nBob,Ham,2\r\nCy\",Bonn,3,x\r\n" + strings.ReplaceAll(more, "\n", "\r\n"), "record 0, lines 2 to 4: \"Ada,Berlin,1\r\nBob,Ham,2\r\nCy\",Bonn,3,x", 5},
		"lines that are not rows": {"name,city,zip\nAda,\"Main Street\nBerlin\",1,x\n" + more, "", 5},
		"regular record of lines": {"name,city,zip\nAda,\"Berlin,1\nBob,Ham,2\nCy\",3\n" + more, "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			_, rows, notices, err := readTable(t, []byte(c.text), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, n := range notices {
				if n.Text.Code == "csv.quote_closed_late" {
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
