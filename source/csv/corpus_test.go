package csv

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// marks holds the total scores of the files in the corpus.
type marks struct {
	sync.Mutex
	files, perfect, unsure int
	header, records, cells float64
}

// TestCorpus compares the tables read from the corpus with the expected ones. It trims cells
// and compares numbers by value.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the corpus takes some seconds")
	}
	folder := sourcetest.Corpus(t, "messy-csv")
	names, err := filepath.Glob(filepath.Join(folder, "csv", "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	var all marks
	t.Run("files", func(t *testing.T) {
		for i := 0; i < len(names); i += corpusStep {
			name := names[i]
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				all.add(t, name, filepath.Join(folder, "clean", filepath.Base(name)))
			})
		}
	})
	n := float64(all.files)
	if corpusStep > 1 {
		t.Skipf("SKIPPED: floors are those of all files; %d of %d were read", all.files, len(names))
	}
	t.Logf("%d files: header %.4f, records %.4f, cells %.4f, %d perfect, %d unsure", all.files, all.header/n, all.records/n, all.cells/n, all.perfect, all.unsure)
	for _, floor := range []struct {
		what     string
		got, min float64
	}{
		{"header", all.header / n, 0.9995}, {"records", all.records / n, 0.999}, {"cells", all.cells / n, 0.999},
		{"perfect", float64(all.perfect) / n, 0.99}, {"sure", 1 - float64(all.unsure)/n, 0.99},
	} {
		if floor.got < floor.min {
			t.Errorf("%s %.4f, want at least %.4f", floor.what, floor.got, floor.min)
		}
	}
}

func (m *marks) add(t *testing.T, name, answer string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	right, err := os.ReadFile(answer)
	if err != nil {
		t.Fatal(err)
	}
	from := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(right), "\uFEFF")))
	from.FieldsPerRecord, from.LazyQuotes = -1, true
	want, err := from.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	first, rows, notices, err := readTable(t, text, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := append([][]string{first}, rows...)
	if strings.Join(first, "") == "" {
		got = rows // without a header, compare the first record instead
	}
	m.Lock()
	defer m.Unlock()
	header, records, cells := rowsF1(want[:1], got[:1], eachCell), rowsF1(want[1:], got[1:], eachRow), rowsF1(want, got, eachCell)
	m.files++
	m.header, m.records, m.cells = m.header+header, m.records+records, m.cells+cells
	if min(header, records, cells) > 0.999 {
		m.perfect++
	}
	for _, n := range notices {
		if n.Type == intray.HeaderRowUncertain || n.Type == intray.EncodingUncertain && n.Level == intray.LevelError {
			m.unsure++
			break
		}
	}
}

var (
	isNumber  = regexp.MustCompile(`^-?[\d,]*\.?\d+$`)
	ledByZero = regexp.MustCompile(`^-?0\d`)
)

// plainCell normalizes a cell for the comparison.
func plainCell(cell string) string {
	cell = strings.ToLower(strings.Join(strings.Fields(cell), " "))
	if isNumber.MatchString(cell) && !ledByZero.MatchString(cell) {
		if value, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", ""), 64); err == nil {
			return strconv.FormatFloat(value, 'g', -1, 64)
		}
	}
	return cell
}

func eachRow(row []string) []string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = plainCell(cell)
	}
	return []string{strings.Trim(strings.Join(cells, "\x1f"), "\x1f")}
}

func eachCell(row []string) (cells []string) {
	for _, cell := range row {
		if cell = plainCell(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	return cells
}

// rowsF1 returns the F1 score of got compared with want. things splits a row into the items
// that are compared.
func rowsF1(want, got [][]string, things func([]string) []string) float64 {
	bag := map[string]int{}
	both, total := 0, 0
	for _, row := range want {
		for _, thing := range things(row) {
			bag[thing]++
			total++
		}
	}
	for _, row := range got {
		for _, thing := range things(row) {
			total++
			if bag[thing]--; bag[thing] >= 0 {
				both++
			}
		}
	}
	if total == 0 {
		return 1
	}
	return 2 * float64(both) / float64(total)
}

// TestHard reads each file in the archives in testdata/hard and compares the result with the
// expected one in the same archive, which shows how a careful person would read the file. See
// formatReading for the format of the expected result.
func TestHard(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "hard", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, f := range archive.Files {
			if name, answer := strings.CutPrefix(f.Name, "want: "); answer {
				want[name] = string(f.Data)
			}
		}
		for _, f := range archive.Files {
			if strings.HasPrefix(f.Name, "want: ") {
				continue
			}
			t.Run(f.Name, func(t *testing.T) {
				got := formatReading(t, f.Data)
				if want[f.Name] != got {
					t.Errorf("want\n%s\ngot\n%s", want[f.Name], got)
				}
			})
		}
	}
}

// formatReading returns the result of reading text: a line with the columns (or "(no
// header)"), the records with " | " between cells, and the notices, each after "! ".
func formatReading(t testing.TB, text []byte) string {
	t.Helper()
	names, rows, notices, err := readTable(t, text, source.Options{})
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var out strings.Builder
	if strings.Join(names, "") == "" {
		names = []string{"(no header)"}
	}
	line := func(cells []string) {
		out.WriteString(strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(strings.Join(cells, " | ")) + "\n")
	}
	line(names)
	for _, row := range rows {
		line(row)
	}
	for _, n := range notices {
		if n.Type == intray.HeaderRowUncertain {
			continue
		}
		line([]string{"! " + string(n.Type) + " " + n.Text.String()})
	}
	return out.String()
}
