package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/bench/benchdata"
)

// A contest is one task for several contestants. The first contestant is compared with each of
// the others.
type contest struct {
	name string
	// file has the given number of rows of these columns. small has startRows of them, so that it
	// takes almost no time to read.
	file, small string
	header      []string
	rows        int
	// alike lists the columns whose cells must be identical for all contestants.
	alike       []int
	contestants []contestant
}

// startRows is the number of rows of a small file.
const startRows = 10

// generated returns a contest without contestants about a generated file.
func generated(t *testing.T, name, form string, header []string, rows int) contest {
	t.Helper()
	c := contest{name: name, header: header, rows: rows}
	c.file, _ = made(t, form, rows)
	c.small, _ = made(t, form, startRows)
	return c
}

// held contains the costs of all runs of a contestant.
type held struct {
	contestant
	// costs holds the costs of the runs with the full file. starts holds the costs of the runs
	// with a tiny file, which show what it costs to start the process.
	costs, starts []cost
}

// hold checks that all contestants find the same data, and then times them in alternation.
func (c contest) hold(t *testing.T) (size int64, all []held) {
	t.Helper()
	found := make([]tally, len(c.contestants))
	for i, one := range c.contestants {
		found[i] = one.check(t, c.file)
		if err := c.compare(found[0], found[i]); err != nil {
			t.Fatalf("%s: %s and %s read different content: %v", c.name, c.contestants[0].name, one.name, err)
		}
		all = append(all, held{contestant: one})
	}
	for range repeats(5) {
		for i := range all {
			all[i].starts = append(all[i].starts, all[i].time(t, c.small).Cost)
			r := all[i].time(t, c.file)
			if r.Tally.Rows != int64(c.rows) || !all[i].keeps && !slices.Equal(r.Tally.Bytes, found[i].Bytes) {
				t.Fatalf("%s: %s finds %+v when timed, and %+v when checked", c.name, all[i].name, r.Tally, found[i])
			}
			all[i].costs = append(all[i].costs, r.Cost)
		}
	}
	return fileSize(t, c.file), all
}

func fileSize(t *testing.T, name string) int64 {
	t.Helper()
	state, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return state.Size()
}

// compare returns an error that describes how the tally of a contestant differs from the
// first contestant's, or nil.
func (c contest) compare(first, other tally) error {
	if first.Rows != int64(c.rows) || other.Rows != int64(c.rows) {
		return fmt.Errorf("%d rows and %d, want %d", first.Rows, other.Rows, c.rows)
	}
	width := len(c.header)
	for _, t := range []tally{first, other} {
		if len(t.Sums) != width || len(t.Bytes) != width {
			return fmt.Errorf("%d columns, want %d", len(t.Sums), width)
		}
	}
	for _, column := range c.alike {
		if first.Bytes[column] != other.Bytes[column] || first.Sums[column] != other.Sums[column] {
			return fmt.Errorf("the column %s has %d bytes with the sum %x, and %d with the sum %x", c.header[column],
				first.Bytes[column], first.Sums[column], other.Bytes[column], other.Sums[column])
		}
	}
	return nil
}

// rowBytes is the approximate size of a row on disk in each form, in bytes.
var rowBytes = map[string]int{"csv": 150, "ndjson": 260, "xlsx": 100, "xls": 350, "ods": 150, "html": 230, customers: 165 + importedBytes, grid: 210 + 120}

// importedBytes is the approximate additional disk space, in bytes, that a customer row
// needs during an import: for the result, the staged row and the compared content.
const importedBytes = 265 + 60 + 60

// spareBytes is the disk space to leave free, in bytes.
const spareBytes = 1_000_000_000

// made generates a file of rows in a separate process and returns its name and size. It
// skips the test if there is not enough disk space.
func made(t *testing.T, form string, rows int) (name string, size int64) {
	t.Helper()
	needed := rows * rowBytes[form]
	if free := freeBytes(t); free < uint64(needed+spareBytes) {
		t.Skipf("SKIPPED: the temporary folder has %d MB free, but the file needs %d MB and %d MB must remain free; set TMPDIR to a folder with more room",
			free/1e6, needed/1e6, spareBytes/1_000_000)
	}
	name = filepath.Join(t.TempDir(), fmt.Sprintf("people-%d.%s", rows, form))
	ask(t, &size, childCommand("generate", form, strconv.Itoa(rows), name)...)
	return name, size
}

func freeBytes(t *testing.T) uint64 {
	t.Helper()
	var state syscall.Statfs_t
	if err := syscall.Statfs(t.TempDir(), &state); err != nil {
		t.Fatal(err)
	}
	return state.Bavail * uint64(state.Bsize)
}

// generateFile is the task of the child process that writes a file. It returns the file's size.
func generateFile(args []string) (any, error) {
	forms := map[string]func(io.Writer, int, uint64) error{"csv": benchdata.Write, "ndjson": benchdata.WriteNDJSON,
		"xlsx": benchdata.WriteWorkbook, "xls": benchdata.WriteBinaryWorkbook, "ods": benchdata.WriteDocument, "html": benchdata.WritePage,
		customers: benchdata.WriteCustomers, grid: writeGrid}
	if len(args) != 3 || forms[args[0]] == nil {
		return nil, errors.New("want a form, the number of rows and a name")
	}
	rows, err := strconv.Atoi(args[1])
	if err != nil {
		return nil, err
	}
	file, err := os.Create(args[2])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := forms[args[0]](file, rows, 1); err != nil {
		return nil, err
	}
	state, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return state.Size(), file.Close()
}

// columnsBut returns all columns of a header except the named ones.
func columnsBut(header []string, names ...string) (list []int) {
	for i, name := range header {
		if !slices.Contains(names, name) {
			list = append(list, i)
		}
	}
	return list
}

func TestCompare(t *testing.T) {
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 7, 8, 9}, columnsBut(benchdata.Header, "signed_up", "amount")); diff != "" {
		t.Errorf("columns but two (-want +got):\n%s", diff)
	}
	c := contest{rows: 2, header: benchdata.Header, alike: columnsBut(benchdata.Header, "amount")}
	fine := tally{Rows: 2, Bytes: make([]int64, 10), Sums: make([]uint64, 10)}
	for name, wrong := range map[string]func(*tally){
		"a row less":          func(t *tally) { t.Rows = 1 },
		"a column less":       func(t *tally) { t.Bytes, t.Sums = t.Bytes[:9], t.Sums[:9] },
		"no sums":             func(t *tally) { t.Sums = nil },
		"other bytes":         func(t *tally) { t.Bytes[3]++ },
		"other cells":         func(t *tally) { t.Sums[9]++ },
		"":                    func(*tally) {},
		"other amounts, fine": func(t *tally) { t.Sums[6]++ },
	} {
		other := tally{Rows: 2, Bytes: slices.Clone(fine.Bytes), Sums: slices.Clone(fine.Sums)}
		wrong(&other)
		same := name == "" || name == "other amounts, fine"
		if err := c.compare(fine, other); (err == nil) != same {
			t.Errorf("%s: %v", name, err)
		}
	}
}
