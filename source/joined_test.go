package source_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/archive"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/sourcetest"
)

// openSheets opens an archive in which each text is a CSV file and therefore a sheet.
func openSheets(t *testing.T, texts ...string) source.Book {
	t.Helper()
	var entries []sourcetest.Entry
	for i, text := range texts {
		entries = append(entries, sourcetest.File(fmt.Sprintf("%c.csv", 'a'+i), text))
	}
	data := sourcetest.Zip(t, entries...)
	in := source.Input{Name: "x.zip", ReaderAt: bytes.NewReader(data), Size: int64(len(data))}
	book, err := source.Open(t.Context(), in, []source.Format{archive.Format{Inner: []source.Format{csv.Format{}}}}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	return book
}

// readJoined returns the headers, the records with their index and line, and the notices.
func readJoined(t *testing.T, r source.Reader) (lines []string, err error) {
	t.Helper()
	var headers []string
	for i, c := range r.Columns() {
		if c.Index != i {
			t.Errorf("column %d has the index %d", i, c.Index)
		}
		headers = append(headers, c.Header)
	}
	lines = append(lines, strings.Join(headers, "|"))
	var recs intray.Records
	for {
		err := r.Next(t.Context(), &recs)
		for _, n := range recs.Notices {
			lines = append(lines, string(n.Type))
		}
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		for i := range recs.Len() {
			line := fmt.Sprintf("%d:%d", recs.First+int64(i), recs.Lines[i])
			for c := range recs.NumCells(i) {
				line += "|" + string(recs.Cell(i, c))
			}
			lines = append(lines, line)
		}
	}
}

// TestJoinSheets checks the table that consists of several sheets.
func TestJoinSheets(t *testing.T) {
	const jan, feb, empty, mar = "id,name\n1,Ada\n2,Bob\n", "ID, Name \n3,Cyd\n4,Dan,x\n", "id,name\n", "id,name\n5,Eve\n"
	for name, c := range map[string]struct {
		texts  []string
		sheets []int
		named  bool
		want   []string
	}{
		"three sheets":          {[]string{jan, feb, mar}, []int{0, 1, 2}, false, []string{"id|name", "0:2|1|Ada", "1:3|2|Bob", "2:2|3|Cyd", "3:3|4|Dan|x", "4:2|5|Eve"}},
		"another order":         {[]string{jan, feb}, []int{1, 0}, false, []string{"ID|Name", "0:2|3|Cyd", "1:3|4|Dan|x", "2:2|1|Ada", "3:3|2|Bob"}},
		"the names of sheets":   {[]string{jan, feb}, []int{0, 1}, true, []string{"Sheet|id|name", "0:2|a.csv|1|Ada", "1:3|a.csv|2|Bob", "2:2|b.csv|3|Cyd", "3:3|b.csv|4|Dan|x"}},
		"a column named Sheet":  {[]string{"sheet,n\nx,1\n", "sheet,n\ny,2\n"}, []int{0, 1}, true, []string{"Sheet name|sheet|n", "0:2|a.csv|x|1", "1:2|b.csv|y|2"}},
		"a sheet without a row": {[]string{jan, empty, mar}, []int{0, 1, 2}, false, []string{"id|name", "0:2|1|Ada", "1:3|2|Bob", "2:2|5|Eve"}},
		"nothing but headers":   {[]string{empty, empty}, []int{0, 1}, true, []string{"Sheet|id|name"}},
		"a title in each sheet": {[]string{"Jan\n\n" + jan, "Mar\n\n" + mar}, []int{0, 1}, false, []string{"id|name", "OTHER_TABLES", "0:4|1|Ada", "1:5|2|Bob", "OTHER_TABLES", "2:4|5|Eve"}},
	} {
		reader, err := source.JoinSheets(t.Context(), openSheets(t, c.texts...), c.sheets, c.named)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readJoined(t, reader)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", name, diff)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestJoinOtherColumns checks that sheets with other columns cannot be joined.
func TestJoinOtherColumns(t *testing.T) {
	book := openSheets(t, "id,name\n1,Ada\n", "name,id\nBob,2\n")
	reader, err := source.JoinSheets(t.Context(), book, []int{0, 1}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	lines, err := readJoined(t, reader)
	var unreadable *source.UnreadableError
	if !errors.As(err, &unreadable) || !strings.Contains(err.Error(), `the sheet "b.csv" does not have the same columns as "a.csv"`) || len(lines) != 2 {
		t.Errorf("%q, error %v", lines, err)
	}
}

// TestJoinTies checks that a second table in any sheet is a tie.
func TestJoinTies(t *testing.T) {
	const one, two = "id,name,qty\n1,a,3\n2,b,4\n", "id,name,qty\n1,a,3\n2,b,4\n\ncity,people\nBonn,5\nUlm,6\n"
	for name, c := range map[string]struct {
		texts []string
		tie   bool
	}{
		"none":                {[]string{one, one}, false},
		"in the first sheet":  {[]string{two, one}, true},
		"in the second sheet": {[]string{one, two}, true},
	} {
		reader, err := source.JoinSheets(t.Context(), openSheets(t, c.texts...), []int{0, 1}, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readJoined(t, reader); err != nil {
			t.Fatal(err)
		}
		tie := false
		for _, e := range reader.Evidence() {
			tie = tie || e.Choice == "header row" && e.Tie
		}
		if tie != c.tie {
			t.Errorf("%s: a tie: %t", name, tie)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}
