package xlsx

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

// unpack returns the files in an archive whose names match the given pattern.
func unpack(t *testing.T, archive string, wanted *regexp.Regexp) map[string][]byte {
	t.Helper()
	xz, err := exec.LookPath("xz")
	if err != nil {
		t.Skipf("SKIPPED: the corpus cannot be unpacked: %v", err)
	}
	text, err := exec.Command(xz, "-dc", archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(head.Name); wanted.MatchString(name) {
			if files[name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// floor is the minimum share of sheets that must match the values that Excel displays. The
// remaining sheets were recalculated, come from a different version of the file, or were
// displayed with date formats other than those of Excel on Windows in the United States.
const floor = 0.91

// TestCorpus compares the displayed values with those that Excel saved as CSV. NAME.N.csv is
// worksheet N of NAME, counted from 0. The saved files have lost characters; see lossy.
func TestCorpus(t *testing.T) {
	files := unpack(t, sourcetest.Corpus(t, "workbooks.tar.xz"), regexp.MustCompile(`\.xlsx(\.\d+\.csv)?$`))
	answer := regexp.MustCompile(`^(.+\.xlsx)\.(\d+)\.csv$`)
	sheets, perfect, exact := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts := answer.FindStringSubmatch(name)
		if parts == nil {
			continue
		}
		sheets++
		n, _ := strconv.Atoi(parts[2])
		want := wantTable(t, files[name])
		got, err := displayedTable(t.Context(), files[parts[1]], n)
		switch {
		case err != nil && len(want) == 0 && isNoSheet(err):
			perfect, exact = perfect+1, exact+1 // an empty file for a sheet that is not a worksheet
		case err != nil:
			t.Logf("%s: %v", name, err)
		case cmp.Equal(want, got):
			perfect, exact = perfect+1, exact+1
		case cmp.Equal(want, lossy(got)):
			perfect++
		default:
			t.Logf("%s (-want +got):\n%.1500s", name, cmp.Diff(want, got))
		}
	}
	share := float64(perfect) / float64(sheets)
	t.Logf("%d of %d sheets match: %.1f %%; %d match without considering lost characters: %.1f %%", perfect, sheets, 100*share, exact, 100*float64(exact)/float64(sheets))
	if share < floor {
		t.Errorf("%.1f %% of the sheets match, want at least %.1f %%", 100*share, 100*floor)
	}
}

// lossy makes a table lose the same characters as the saved files. These files were encoded as
// Windows-1252, with _ for all characters that it lacks, and then decoded as MacRoman.
func lossy(table []string) []string {
	table = slices.Clone(table)
	for i, line := range table {
		var text []rune
		for _, c := range line {
			b, ok := charmap.Windows1252.EncodeRune(c)
			if !ok {
				b = '_'
			}
			text = append(text, charmap.Macintosh.DecodeByte(b))
		}
		table[i] = strings.ToLower(string(text))
	}
	return table
}

func wantTable(t *testing.T, text []byte) (table []string) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records {
		table = appendLine(table, record)
	}
	return table
}

// appendLine appends a row in the format used for the comparison: in lower case, without
// redundant white space, and without empty cells at either end. It appends nothing if the row
// has no text.
func appendLine(table, record []string) []string {
	for i, cell := range record {
		record[i] = strings.ToLower(strings.Join(strings.Fields(cell), " "))
	}
	if line := strings.Trim(strings.Join(record, "\x1f"), "\x1f"); line != "" {
		table = append(table, line)
	}
	return table
}

var errNoSheet = errors.New("no such sheet")

func isNoSheet(err error) bool { return errors.Is(err, errNoSheet) }

// displayedTable returns the displayed values of a worksheet.
func displayedTable(ctx context.Context, file []byte, n int) (table []string, err error) {
	book, err := Open(ctx, input(file), Limits{})
	if err != nil {
		return nil, err
	}
	defer book.Close()
	if n >= len(book.Sheets()) {
		return nil, errNoSheet
	}
	rows, err := book.Rows(ctx, n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return table, nil
		}
		if err != nil {
			return table, err
		}
		table = appendLine(table, displayedCells(row))
	}
}

func displayedCells(row workbook.Row) []string {
	record := make([]string, row.Cells[len(row.Cells)-1].Column+1)
	for _, c := range row.Cells {
		record[c.Column] = string(c.Value)
		if c.Formatted != nil {
			record[c.Column] = string(c.Formatted)
		}
	}
	return record
}
