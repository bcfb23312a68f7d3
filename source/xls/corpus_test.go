package xls

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

// TestCorpus compares sheets with the CSV files that Excel saved from them.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the corpus takes some seconds")
	}
	folder := sourcetest.Corpus(t, "workbooks")
	sheets, perfect, right := 0, 0, 0
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".xls") {
			return err
		}
		answers, err := filepath.Glob(path + ".*.csv")
		if err != nil {
			return err
		}
		for _, answer := range answers {
			number := 0
			if _, err := fmt.Sscanf(strings.TrimPrefix(answer, path), ".%d.csv", &number); err != nil {
				return err
			}
			sheets++
			fit, difference := compareSheet(t, path, number, answer)
			switch fit {
			case asAnswered:
				perfect++
				right++
			case asGarbled:
				right++
			default:
				t.Logf("%s: %s", filepath.Base(answer), difference)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(max(sheets, 1)) }
	t.Logf("%d of %d sheets match: %.1f %%; including garbled answers: %d, %.1f %%",
		perfect, sheets, share(perfect), right, share(right))
	if sheets < 400 || share(perfect) < 83 || share(right) < 93 {
		t.Errorf("%d sheets; want 400, of which 83 %% match, and 93 %% including garbled answers", sheets)
	}
}

// fit describes how well a sheet matches its answer, the CSV file that Excel saved.
type fit int

const (
	asOther fit = iota
	// asGarbled means that the sheet matches an answer that has lost characters. Such an answer
	// was saved in windows-1252 and decoded as MacRoman, or has no quotes around cells with
	// commas.
	asGarbled
	asAnswered
)

// compareSheet compares a sheet with its answer. It returns how well they match, and
// the difference.
func compareSheet(t *testing.T, path string, number int, answer string) (fit, string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := displayedRows(t, text, number)
	if err != nil {
		return asOther, err.Error()
	}
	want := readAnswer(t, answer)
	switch {
	case same(want, got):
		return asAnswered, ""
	case same(want, changed(got, misread)), same(changed(want, cutAtCommas), changed(got, cutAtCommas)):
		return asGarbled, ""
	}
	return asOther, cmp.Diff(want, got)
}

// same reports whether two tables are equal. It ignores the order of the rows and cells, and
// tolerates differences in 0.1 % of them.
func same(want, got [][]string) bool {
	if len(want) == 0 || len(got) == 0 {
		return len(want) == len(got)
	}
	return alike(want[0], got[0]) && alike(joined(want[1:]), joined(got[1:])) && alike(slices.Concat(want...), slices.Concat(got...))
}

func changed(rows [][]string, change func(string) []string) (list [][]string) {
	for _, row := range rows {
		var line []string
		for _, text := range row {
			line = append(line, change(text)...)
		}
		list = append(list, trimmed(line))
	}
	return list
}

func cutAtCommas(text string) []string { return strings.Split(text, ",") }

// misread returns text as it appears after it was encoded in windows-1252 and decoded
// as MacRoman.
func misread(text string) []string {
	var out []rune
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		switch {
		case !ok:
			out = append(out, '_')
		case b < 0x80:
			out = append(out, r)
		default:
			out = append(out, charmap.Macintosh.DecodeByte(b))
		}
	}
	return []string{string(out)}
}

// alike reports whether two lists are nearly equal, ignoring order and empty entries.
func alike(want, got []string) bool {
	counts := map[string]int{}
	total, common := 0, 0
	for _, text := range want {
		if text = strings.ToLower(text); text != "" {
			counts[text]++
			total++
		}
	}
	for _, text := range got {
		if text = strings.ToLower(text); text == "" {
			continue
		}
		total++
		if counts[text] > 0 {
			counts[text]--
			common++
		}
	}
	return total == 0 || float64(2*common)/float64(total) > 0.999
}

func joined(rows [][]string) (list []string) {
	for _, row := range rows {
		list = append(list, strings.Join(row, "\x1f"))
	}
	return list
}

// displayedRows returns the displayed values of a sheet, without rows that display nothing.
func displayedRows(t *testing.T, text []byte, number int) ([][]string, error) {
	b, err := Open(t.Context(), sourcetest.NewInput("", text), Limits{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	for _, listed := range b.(*book).allSheets[:min(number, len(b.(*book).allSheets))] {
		if listed.kind != kindWorksheet {
			number-- // the numbering of the answers includes charts
		}
	}
	rows, err := b.Rows(t.Context(), number)
	if err != nil {
		return nil, err
	}
	var list [][]string
	for {
		row, err := rows.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if line := trimmed(texts(row)); len(line) > 0 {
			list = append(list, line)
		}
	}
}

// texts returns the displayed value of each cell in a row, indexed by column.
func texts(row workbook.Row) (line []string) {
	for _, c := range row.Cells {
		for len(line) <= c.Column {
			line = append(line, "")
		}
		line[c.Column] = string(c.Value)
		if c.Formatted != nil {
			line[c.Column] = string(c.Formatted)
		}
	}
	return line
}

// trimmed removes white space around cells, and empty cells at both ends of the line.
func trimmed(line []string) []string {
	for i, cell := range line {
		line[i] = strings.Join(strings.Fields(cell), " ")
	}
	for len(line) > 0 && line[len(line)-1] == "" {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && line[0] == "" {
		line = line[1:]
	}
	return slices.Clip(line)
}

func readAnswer(t *testing.T, path string) (list [][]string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, line := range lines {
		if line = trimmed(line); len(line) > 0 {
			list = append(list, line)
		}
	}
	return list
}
