package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
)

// wantedXLSXWriter is the Python package that writes workbooks.
const wantedXLSXWriter = "xlsxwriter==3.3.1"

// exportedTable is a table that all contestants write.
type exportedTable struct {
	importedTable
	// whole is the table with all rows, and start is the one with startRows rows.
	whole, start exportSource
	// columns are the names of the columns. kinds is a JSON array with their kinds in a workbook.
	columns []string
	kinds   string
}

// exportSource contains a table in the formats that the contestants read.
type exportSource struct {
	rows int
	// stage is the folder with the staged rows. parquet and csv are files that DuckDB wrote. They lack the
	// values of the untyped columns that do not have the type of their column.
	stage, parquet, csv string
	untyped             []string
}

// exporter writes a table.
type exporter struct {
	name string
	goal goal
	// command returns the command that writes a table to a file and prints the number of rows.
	command func(source exportSource, result string) []string
	// start returns the command whose cost is not that of writing. By default, it writes the table with
	// startRows rows.
	start func(whole exportSource) []string
	// runs is the number of runs.
	runs int
}

// TestExportRatios writes staged tables in each format, compares the time with that of other programs
// that write the same table, and prints one table. Intray reads staged rows, and DuckDB reads a Parquet
// file that it wrote. The other programs read CSV, whose time does not count.
func TestExportRatios(t *testing.T) {
	var r report
	var version string
	if r.python, version = duckDB(t); r.python == "" {
		skipWithoutDuckDB(t)
		return
	}
	t.Run("customers", func(t *testing.T) {
		table := importedTable{name: "customers", rows: share(2_000_000), schema: customerSchema(t)}
		table.file, _ = made(t, customers, table.rows)
		table.small, _ = made(t, customers, startRows)
		r.contestExports(t, table)
	})
	t.Run("flights", func(t *testing.T) {
		table := importedTable{name: "flights", schema: writeSchema(t, flightsSchema())}
		table.file, table.rows = flightsFile(t, r.python)
		table.small = firstRows(t, table.file, startRows)
		r.contestExports(t, table)
	})
	version += "; " + excelizeVersion(t)
	t.Logf("%s; %s\n%s%s", machine(), version, extent(), r.table())
	r.publish(t, section{Name: "3-exports", Title: "Exports", Versions: version, Explanation: "Each program writes the same table. Intray reads " +
		"its staged rows, and DuckDB a Parquet file that it wrote. The programs that write workbooks read CSV, and the time for that does not count."})
}

// contestExports stages a table and writes it in each format.
func (r *report) contestExports(t *testing.T, from importedTable) {
	t.Helper()
	table := exportedTable{importedTable: from}
	table.columns, table.kinds = workbookColumns(t, from.schema)
	table.whole = r.stagedSource(t, table, from.file, from.rows)
	table.start = r.stagedSource(t, table, from.small, startRows)
	for _, format := range []output.Format{output.CSV, output.NDJSON, output.Parquet} {
		duck := exporter{name: "DuckDB", goal: goal{cpu: 1.5}, runs: repeats(5), command: func(source exportSource, result string) []string {
			return []string{r.python, "export_table.py", "write", string(format), source.parquet, result}
		}}
		r.contestExport(t, table, format, []exporter{duck})
	}
	r.contestExport(t, table, output.XLSX, r.workbookWriters(t, table))
}

// stagedSource stages a file and copies the result to a Parquet file and a CSV file of DuckDB.
func (r *report) stagedSource(t *testing.T, table exportedTable, file string, rows int) exportSource {
	t.Helper()
	folder := t.TempDir()
	s := exportSource{rows: rows, stage: t.TempDir(), parquet: filepath.Join(folder, "table.parquet"), csv: filepath.Join(folder, "table.csv")}
	var staged stagedCounts
	ask(t, &staged, childCommand("stage", table.schema, s.stage, file)...)
	result := filepath.Join(folder, "result.parquet")
	var written, copied int64
	ask(t, &written, childCommand("export", string(output.Parquet), table.schema, s.stage, result)...)
	ask(t, &s.untyped, r.python, "export_table.py", "prepare", result, s.parquet)
	ask(t, &copied, r.python, "export_table.py", "write", string(output.CSV), s.parquet, s.csv)
	if staged.Rows != int64(rows) || written != int64(rows) || copied != int64(rows) {
		t.Fatalf("of %d rows, %d are staged, %d written and %d copied", rows, staged.Rows, written, copied)
	}
	for _, name := range []string{result, file} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// workbookColumns returns the names of the columns in a workbook, and their kinds as a JSON array.
func workbookColumns(t *testing.T, schemaFile string) (names []string, kinds string) {
	t.Helper()
	file, err := os.Open(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := schema.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, field := range document.Fields {
		kind := "text"
		if name := field.Type.Name; name == intray.TypeNumber || name == intray.TypeDate {
			kind = string(name)
		}
		names, list = append(names, field.Key), append(list, kind)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return names, string(text)
}

// workbookWriters returns the other programs that write workbooks. xlsxwriter takes a minute for a table and
// has no goal, so it runs once, and only in a full run.
func (r *report) workbookWriters(t *testing.T, table exportedTable) (list []exporter) {
	t.Helper()
	if program := excelize(t); program != "" {
		list = append(list, exporter{
			name: "excelize, StreamWriter", goal: goal{cpu: 5}, runs: repeats(5),
			command: func(s exportSource, result string) []string {
				return []string{program, "write", s.csv, table.kinds, result}
			},
			start: func(s exportSource) []string { return []string{program, "write", s.csv, table.kinds, ""} },
		})
	}
	if !full() {
		return list
	}
	if _, err := askPython(r.python, "import xlsxwriter"); err != nil {
		t.Run("xlsxwriter", func(t *testing.T) {
			t.Skip("SKIPPED: python3 has no xlsxwriter to compare with; pip install " + wantedXLSXWriter)
		})
	} else {
		list = append(list, exporter{
			name: "xlsxwriter, constant_memory", runs: 1,
			command: func(s exportSource, result string) []string {
				return []string{r.python, "export_xlsxwriter.py", s.csv, table.kinds, result}
			},
			start: func(s exportSource) []string { return []string{r.python, "export_xlsxwriter.py", s.csv, table.kinds} },
		})
	}
	return list
}

// contestExport writes a table in one format with Intray and others, in alternation. The first time, it
// compares the results.
func (r *report) contestExport(t *testing.T, table exportedTable, format output.Format, others []exporter) {
	t.Helper()
	us := exporter{name: "Intray", goal: goal{peak: exportPeak}, runs: repeats(5), command: func(s exportSource, result string) []string {
		return childCommand("export", string(format), table.schema, s.stage, result)
	}}
	all := append([]exporter{us}, others...)
	costs := make([]held, len(all))
	var size int64
	var first any
	for turn := range repeats(5) {
		for i, one := range all {
			if turn >= one.runs {
				continue
			}
			result := filepath.Join(t.TempDir(), "result"+format.Extension())
			costs[i].contestant = contestant{name: one.name, goal: one.goal}
			if one.start != nil {
				costs[i].starts = append(costs[i].starts, measureExport(t, one.start(table.whole), table.rows))
			} else {
				costs[i].starts = append(costs[i].starts, measureExport(t, one.command(table.start, result), startRows))
			}
			costs[i].costs = append(costs[i].costs, measureExport(t, one.command(table.whole, result), table.rows))
			if turn == 0 {
				content := r.contentOfExport(t, format, table, result)
				if i == 0 {
					first, size = content, fileSize(t, result)
				} else if diff := cmp.Diff(first, content); diff != "" {
					t.Errorf("%s, %s: %s writes other content (-Intray +%s):\n%s", table.name, format, one.name, one.name, diff)
				}
			}
			if err := os.Remove(result); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.ranked("export "+table.name+", "+string(format), table.rows, size, costs)
}

// measureExport runs a command that must print the number of rows.
func measureExport(t *testing.T, command []string, rows int) cost {
	t.Helper()
	// Data that earlier processes wrote must not be flushed to disk during this run.
	syscall.Sync()
	var m measured
	ask(t, &m, childCommand("measure", command...)...)
	var written int
	if err := json.Unmarshal(m.Answer, &written); err != nil || written != rows {
		t.Fatalf("%q wrote %s of %d rows: %v", command, m.Answer, rows, err)
	}
	return m.Cost
}

// contentOfExport summarizes a result. For a workbook, it reads the first sheet, except the untyped columns. For
// any other format, DuckDB reads the values that have the types of the table.
func (r *report) contentOfExport(t *testing.T, format output.Format, table exportedTable, result string) (content any) {
	t.Helper()
	if format != output.XLSX {
		ask(t, &content, r.python, "export_table.py", "sum", string(format), table.whole.parquet, result)
		return content
	}
	var found tally
	ask(t, &found, childCommand("intray", "check", result)...)
	for i, column := range table.columns {
		if slices.Contains(table.whole.untyped, column) {
			found.Bytes[i], found.Sums[i] = 0, 0
		}
	}
	return found
}
