package csv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
)

// repeatLines returns a header and n lines made from a format with one number.
func repeatLines(header, format string, n int) string {
	var text strings.Builder
	text.WriteString(header)
	for i := range n {
		fmt.Fprintf(&text, format, i+1)
	}
	return text.String()
}

func TestSniffDialect(t *testing.T) {
	letter := "Dear %d,\nplease find, as agreed, the list below:\n; first\n; second\n\nRegards"
	for name, c := range map[string]struct {
		text, delim, quote string
		runs               bool
	}{
		"number sign":               {text: repeatLines("", "Huelva#Zufre, %d#PLAZA#21210\n", 9), delim: "#", quote: `"`},
		"number sign and quotes":    {text: repeatLines("", "%d#\"a, b; c\"\n", 9), delim: "#", quote: `"`},
		"number sign and spaces":    {text: repeatLines("", "%d # '12 elm st' # ' amherst, ma 01002'\n", 9), delim: "#", quote: "'"},
		"number sign in values":     {text: repeatLines("place,price\n", "Apt #%d,10\n", 9), delim: ",", quote: `"`},
		"addresses with anchors":    {text: repeatLines("", "http://example.org/ns#Term%d\n", 9), delim: ",", quote: `"`},
		"colors":                    {text: "#ff0000\n#00ff00\n#0000ff\n", delim: ",", quote: `"`},
		"comments":                  {text: "# Dump of a group\n# Version 130\n#\n# GROUPS\n#\n\"gid\",\"name\"\n\"43\",\"Bio\"\n\n#\n# ANSWERS\n#\n\"qid\",\"code\"\n\"211\",\"ja\"\n#\n# LABELS\n#\n", delim: ",", quote: `"`},
		"comments with commas":      {text: "# made by f(a, b, c)\n# for x, y\n# done\n" + repeatLines("", "%d.5\n", 9), delim: noDelimiter, quote: `"`},
		"double colon":              {text: repeatLines("", "%d::Ace Ventura: When Nature Calls (1995)::Action|Comedy\n", 9), delim: "::", quote: `"`},
		"double colon and times":    {text: repeatLines("", "%d::12:30:59::ok\n", 9), delim: "::", quote: `"`},
		"a list in a cell":          {text: "1,Orange,VUHF,K6 Ahm|K6 Cv,145.1|145.2,ok,2010\n", delim: ",", quote: `"`},
		"semicolons in one column":  {text: "id,label\nHC01,Id\n" + repeatLines("", "HC0%d,Total; Estimate; Households\n", 9), delim: ",", quote: `"`},
		"lists in a cell":           {text: "col1,col2\n1;2;3,4;5;6\na;b;c,d;e;f\n", delim: ",", quote: `"`},
		"title above semicolons":    {text: "Umsatz, nach Monat\nMonat;Umsatz;Kosten\nJan;1,5;2,5\nFeb;1,7;2,6\nMai;1,9;2,2\n", delim: ";", quote: `"`},
		"decimal commas":            {text: "a;b\n1,5;2\n1,6;3\n1,7;4\n", delim: ";", quote: `"`},
		"delimiter that ends lines": {text: repeatLines("", "%d, I;\n", 9), delim: ", ", quote: `"`},
		"quotes after spaces":       {text: "\"foo\"; \"bar\"\n#\"bar\"; \"foo\"\n\"some\"; \"more\"; \"columns\"\n\"one\"\n", delim: ";", quote: `"`},
		"one line":                  {text: "\"Search Site\"; \"Search Site\"\n", delim: ";", quote: `"`},
		"words in one line":         {text: "Worksheet 101\n", delim: ",", quote: `"`},
		"one split of many lines":   {text: "\"A comma (,) is quoted\"\nThis has one column\nA semicolon (;) breaks it\nor a bar (|)\nand a colon (:)\n", delim: ",", quote: `"`},
		"times in one column":       {text: "HH:mm:ss.S\n15:02:37.143\n", delim: ",", quote: `"`},
		"apostrophes":               {text: repeatLines("id,year,name\n", "%d,'09/10',New\n", 9), delim: ",", quote: "'"},
		"apostrophes in words":      {text: repeatLines("id,year,name\n", "%d,2010,O'Neil's\n", 9), delim: ",", quote: `"`},
		"apostrophes as prefix":     {text: repeatLines("id,zip\n", "%d,'00123\n", 9), delim: ",", quote: `"`},
		"both quotes":               {text: repeatLines("day\tcode\n", "\"March %d, 1995\"\t' '\n", 9), delim: "\t", quote: `"`},
		"sentences in quotes":       {text: "Test cases\nClass:\n\"On row 4, in columns B,C, 'Formula', 'Result' and 'Note'\"\n\"Rows with 'skip' are ignored, if any\"\n\"The rest, 'as is', is free\"\n", delim: ",", quote: `"`},
		"letters in quotes":         {text: repeatLines("text,status\n", "\""+letter+"\",sent\n", 40), delim: ",", quote: `"`},
		"aligned numbers":           {text: "  area   peri   shape perm\n" + repeatLines("", " 499%d 2791.900 0.0903296    6.3\n", 9), delim: " ", quote: `"`, runs: true},
		"aligned texts":             {text: "id  name\n" + repeatLines("", "%d   Ann Lee\n", 9), delim: spaceGap, quote: `"`},
		"single spaces":             {text: repeatLines("a b c\n", "%d 2 3\n", 9), delim: " ", quote: `"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := sniffDialect([]byte(c.text), true)
			if diff := cmp.Diff([]any{c.delim, c.quote, c.runs}, []any{got.delim, got.open, got.runs}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCutSample checks that a cell of many lines at the end of the sample is no evidence against the
// quotes.
func TestCutSample(t *testing.T) {
	text := repeatLines("id;text\n", "%d;\"one, two\n\nthree, four\n, five\n, six, seven\"\n", 12)
	for cut := len(text) / 2; cut < len(text); cut++ {
		if got := sniffDialect([]byte(text[:cut]), false); got.delim != ";" || got.open != `"` {
			t.Fatalf("of %d bytes: delimiter %q, quote %q", cut, got.delim, got.open)
		}
	}
}

func TestRunsOfSpaces(t *testing.T) {
	text := "# made in May\n# by hand\n   area  peri shape   perm  \n" + repeatLines("", "%5d 2791.900 0.09    6.3\n", 9) + "\"two words\"  3   4  5\n"
	names, rows, _, err := readTable(t, []byte(text), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"area", "peri", "shape", "perm"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if len(rows) != 10 {
		t.Fatalf("%d rows: %q", len(rows), rows)
	}
	if diff := cmp.Diff([][]string{{"1", "2791.900", "0.09", "6.3"}, {"two words", "3", "4", "5"}}, [][]string{rows[0], rows[9]}); diff != "" {
		t.Error(diff)
	}
}
