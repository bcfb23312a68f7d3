package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/staging"
)

// exportedRows is the number of rows in a full run.
const exportedRows = 10_000_000

// exportPeak is the memory limit for writing a result, in bytes.
const exportPeak = 128e6

// exported summarizes a result in any format.
type exported struct {
	Rows int64 `json:"rows"`
	// Cents is the sum of all numeric amounts, in cents.
	Cents int64 `json:"cents"`
	// Filled is the number of non-empty cells in each column. Sums contains, for each column,
	// the sum of the hashes of these cells.
	Filled map[string]int64  `json:"filled"`
	Sums   map[string]uint64 `json:"sums"`
}

// TestExports writes staged customers in each format, checks the files with DuckDB, and
// prints one table.
func TestExports(t *testing.T) {
	rows := share(exportedRows)
	folder, schema, staged := stageForExport(t, rows)
	python, version := duckDB(t)
	if python == "" {
		version = "no DuckDB"
		skipWithoutDuckDB(t)
	}
	var r report
	var want *exported
	for _, format := range []output.Format{output.NDJSON, output.JSON, output.CSV, output.Parquet, output.XLSX} {
		result := filepath.Join(t.TempDir(), "result"+format.Extension())
		h := held{contestant: contestant{name: string(format), goal: goal{peak: exportPeak}}}
		took, size := exportOnce(t, rows, childCommand("export", string(format), schema, folder, result), result)
		h.costs = []cost{took}
		r.add("export", int64(rows), size, h, "", "", h.goal.against(goal{peak: took.Peak}))
		switch {
		case format == output.XLSX && full(): // excelize takes half a minute for a million rows
			countSheets(t, result, rows)
		case format != output.XLSX && python != "":
			want = sameExport(t, python, format, result, staged, want)
		}
		if err := os.Remove(result); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s; %s\n%s%s", machine(), version, extent(), r.table())
}

// stageForExport stages customers. It returns the folder, the name of the schema file, and
// a summary of the rows.
func stageForExport(t *testing.T, rows int) (folder, schema string, staged stagedCounts) {
	t.Helper()
	file, _ := made(t, customers, rows)
	folder, schema = t.TempDir(), customerSchema(t)
	ask(t, &staged, childCommand("stage", schema, folder, file)...)
	if staged.Rows != int64(rows) {
		t.Fatalf("%d of %d rows are staged", staged.Rows, rows)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	return folder, schema, staged
}

// exportOnce runs a child process that writes a result. It checks that the result has all
// rows and that the process stays within the memory limit.
func exportOnce(t *testing.T, rows int, command []string, result string) (took cost, size int64) {
	t.Helper()
	var m measured
	ask(t, &m, childCommand("measure", command...)...)
	var written int64
	if err := json.Unmarshal(m.Answer, &written); err != nil || written != int64(rows) {
		t.Fatalf("%q wrote %s of %d rows: %v", command, m.Answer, rows, err)
	}
	state, err := os.Stat(result)
	if err != nil {
		t.Fatal(err)
	}
	if m.Cost.Peak > exportPeak && !raced() {
		t.Errorf("%q used %.0f MB of memory, but the limit is %.0f", command, m.Cost.Peak/1e6, exportPeak/1e6)
	}
	return m.Cost, state.Size()
}

// sameExport checks with DuckDB that a result contains the staged rows, and that its
// content equals the first result's.
func sameExport(t *testing.T, python string, format output.Format, result string, staged stagedCounts, want *exported) *exported {
	t.Helper()
	var got exported
	ask(t, &got, python, "export_duckdb.py", string(format), result)
	if got.Rows != staged.Rows || got.Cents != staged.Cents {
		t.Errorf("%s: DuckDB finds %d rows and %d cents, staged are %d and %d", format, got.Rows, got.Cents, staged.Rows, staged.Cents)
	}
	if want == nil {
		return &got
	}
	if diff := cmp.Diff(*want, got); diff != "" {
		t.Errorf("%s has other content (-first format +this one):\n%s", format, diff)
	}
	return want
}

// stageChild is the task of the child process that stages a file. It returns a summary of
// the rows.
func stageChild(args []string) (any, error) {
	ctx := context.Background()
	blobs, err := stageInFolder(ctx, args)
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	s, err := staging.Open(ctx, blobs, stagePrefix)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return countStaged(ctx, s)
}

// export is the task of the child process that writes staged rows as a result. It returns
// the number of rows.
func export(args []string) (any, error) {
	if len(args) != 4 {
		return nil, errors.New("want a format, a schema, the folder of a stage and a name")
	}
	debug.SetGCPercent(50) // as intray run and intray serve do
	format, err := output.ParseFormat(args[0])
	if err != nil {
		return nil, err
	}
	text, err := os.Open(args[1])
	if err != nil {
		return nil, err
	}
	defer text.Close()
	schema, err := schema.Read(text)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	blobs, err := disk.Open(args[2], disk.Config{})
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	s, err := staging.Open(ctx, blobs, stagePrefix)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return writeResult(args[3], func(file *os.File) (int64, error) {
		return output.Write(ctx, file, format, schema, s.Batches(ctx))
	})
}

func writeResult(name string, write func(*os.File) (int64, error)) (any, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := write(file)
	if err != nil {
		return nil, err
	}
	return rows, file.Close()
}

// sheetOf describes a worksheet as excelize reads it. Rows includes the header.
type sheetOf struct {
	Name  string
	Rows  int64
	First string
}

// mostSheetRows is the maximum number of rows of a worksheet, including the header.
const mostSheetRows = 1_048_576

// countSheets checks with excelize that a workbook contains all rows, on as few sheets as
// possible.
func countSheets(t *testing.T, book string, rows int) {
	t.Helper()
	program := excelize(t)
	if program == "" {
		return
	}
	var got []sheetOf
	ask(t, &got, program, "sheets", book)
	var want []sheetOf
	for left := rows; left > 0; left -= mostSheetRows - 1 {
		want = append(want, sheetOf{fmt.Sprintf("Rows %d", len(want)+1), int64(min(left+1, mostSheetRows)), "id"})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s reads other sheets (-want +found):\n%s", excelizeVersion(t), diff)
	}
}

// TestSheetsInExcelize checks that excelize finds all rows of a workbook with one more row
// than fits in two worksheets.
func TestSheetsInExcelize(t *testing.T) {
	rows := 2*(mostSheetRows-1) + 1
	if raced() {
		rows = mostSheetRows
	}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{{Key: "id", Type: intray.FieldType{Name: intray.TypeNumber}}}}
	name := filepath.Join(t.TempDir(), "sheets.xlsx")
	written, err := writeResult(name, func(file *os.File) (int64, error) {
		return output.Write(t.Context(), file, output.XLSX, schema, numbered(rows))
	})
	if err != nil || written != int64(rows) {
		t.Fatalf("%v of %d rows, %v", written, rows, err)
	}
	countSheets(t, name, rows)
}
