package csv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
)

// optionalCells returns a table in which every fifth record has its last cell. end follows the other
// records.
func optionalCells(end string) string {
	text := "Station,Type,Updated\n"
	for n := range 20 {
		if n%5 == 3 {
			text += fmt.Sprintf("Town %d,open,2024-05-%02d\n", n, n+1)
		} else {
			text += fmt.Sprintf("Town %d,%s%s\n", n, []string{"open", "closed"}[n%2], end)
		}
	}
	return text
}

// optionalTexts is a table in which some records omit the last cell, and all cells are texts.
const optionalTexts = `Reference;Group;Sector
Murten Ai;closed;closed
Kiel Bi;closed;closed
Worms Ci;open;open
Thun Di;open
Basel Ei;closed
Genf Fi;part;open
Thun Gi;part;closed
Zug Hi;open
Zug Ii;open;open
Zug Ji;open
Olten Ki;
Fulda Li;open;closed
Aargau Mi;
Fulda Ni;closed;open
Kiel Oi;closed
Genf Pi;part;part
Lugano Qi;closed
Kiel Ri;open;part
Lugano Si;closed;open
Essen Ti;closed;open
Essen Ui;closed;closed
Vevey Vi;open;closed
Kiel Wi;open;closed
Lugano Xi;part;closed
Thun Yi;closed
Chur Zi;open
Xanten Aii;open;open
Essen Bii;open;part
Zug Cii;open
Olten Dii;closed;open
`

// TestWidth checks the number of columns, the number of records and the number of repairs of tables
// whose rows have different numbers of cells.
func TestWidth(t *testing.T) {
	names := func(record func(n int, name string) string) string {
		text := "a,b,c,d\n"
		for n := range 40 {
			first, last := []string{"Ada", "Bob", "Cy", "Dan", "Eve", "Fay", "Gus"}[n%7], []string{"Lovelace", "Byron", "King", "Noble", "Hopper"}[n%5]
			if n%4 == 3 {
				text += record(n, last+", "+first)
			} else {
				text += record(n, first+" "+last)
			}
		}
		return text
	}
	ages := "name,age\n" + strings.Repeat("Ada,31\nBob,13\nCy,47\nDan,52\nEve,26\n", 4)
	remarks := "name,remark\n" + strings.Repeat("Ada,likes tea\nBob,owns 3 cats\nCy,sings\nDan,lives here\n", 5)
	for name, c := range map[string]struct{ text, want string }{
		"few records have the last cell":   {optionalCells(""), "3 columns, 20 records, 0 repairs"},
		"below a title":                    {"Stations of 2024,,\n" + optionalCells(""), "3 columns, 20 records, 0 repairs"},
		"below answers of a question":      {"Station,Which of these?,\n,Type,Updated\n" + strings.TrimPrefix(optionalCells(""), "Station,Type,Updated\n"), "3 columns, 20 records, 0 repairs"},
		"some last cells are empty":        {strings.Replace(optionalCells(""), "Town 2,open", "Town 2,open,", 1), "3 columns, 20 records, 0 repairs"},
		"only texts":                       {"Station,Type,Use\n" + strings.Repeat("Ulm A,open\nUlm B,closed,part\nUlm C,part\nUlm D,open\n", 5), "3 columns, 20 records, 0 repairs"},
		"three optional cells":             {"id,name,a,b,c\n" + strings.Repeat("1,Ada\n2,Bob\n3,Cy,5\n4,Dan,5,6\n5,Eve,5,6,7\n", 4), "5 columns, 20 records, 0 repairs"},
		"a table above a longer, narrower": {"id,name,qty\n7,Ann,12\n\n" + "City,Population\n" + strings.Repeat("Ulm,120000\nBonn,330000\n", 5), "3 columns, 1 records, 0 repairs"},
		"a comma in a text":                {strings.Replace(remarks, "Ada,likes tea", "Ada,likes tea, coffee", 1), "2 columns, 20 records, 1 repairs"},
		"commas in several texts":          {strings.Replace(remarks, "Ada,likes tea", "Ada,likes tea, coffee", 2), "2 columns, 20 records, 2 repairs"},
		"a word below two columns":         {optionalTexts, "3 columns, 30 records, 0 repairs"},
		"some records have a value more":   {strings.NewReplacer("Bob,13", "Bob,13,7", "Eve,26", "Eve,26,8").Replace(ages), "2 columns, 20 records, 0 repairs"},
		"commas in names": {names(func(n int, name string) string {
			return fmt.Sprintf("%d,%s,2024-%02d-11,%d\n", n, name, n%12+1, n*7%90)
		}), "4 columns, 40 records, 10 repairs"},
		"commas in names at the end": {names(func(n int, name string) string {
			return fmt.Sprintf("%d,2024-%02d-11,%d,%s\n", n, n%12+1, n*7%90, name)
		}), "4 columns, 40 records, 10 repairs"},
	} {
		t.Run(name, func(t *testing.T) {
			names, rows, notices, err := readTable(t, []byte(c.text), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			repairs := 0
			for _, n := range notices {
				if n.Text.Code == "csv.row_repaired" {
					repairs++
				}
			}
			if diff := cmp.Diff(c.want, fmt.Sprintf("%d columns, %d records, %d repairs", len(names), len(rows), repairs)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%q", diff, rows)
			}
		})
	}
}
