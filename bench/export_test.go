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

// exportedRows is the size of the whole measurement.
const exportedRows = 10_000_000

// exportPeak is the most memory that writing a result may take, in bytes.
const exportPeak = 128e6

// exported is what a result holds, whatever its format.
type exported struct {
	Rows int64 `json:"rows"`
	// Cents is the sum of the amounts that are numbers, times 100.
	Cents int64 `json:"cents"`
	// Filled counts the cells of each column that are not empty, and Sums are the
	// sums of the hashes of their texts.
	Filled map[string]int64  `json:"filled"`
	Sums   map[string]uint64 `json:"sums"`
}

// TestExports writes staged customers in each format, prints one table, and lets
// DuckDB find the same in all of them.
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

// stageForExport stages customers and gives where, the file of their schema, and
// what is staged.
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

// exportOnce runs a child that writes a result, which must have all rows and take
// no more memory than it may.
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
		t.Errorf("%q took %.0f MB of memory, and may take %.0f", command, m.Cost.Peak/1e6, exportPeak/1e6)
	}
	return m.Cost, state.Size()
}

// sameExport lets DuckDB read a result, which must hold what is staged, and all of
// what the first one holds.
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
		t.Errorf("%s holds something else (-first format +this one):\n%s", format, diff)
	}
	return want
}

// stageChild is the child that stages a file and counts what it staged.
func stageChild(args []string) (any, error) {
	if len(args) != 3 {
		return nil, errors.New("want a schema, a folder and a file")
	}
	ctx := context.Background()
	blobs, err := disk.Open(args[1], disk.Config{})
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	if err := stageFile(ctx, blobs, args[0], args[2]); err != nil {
		return nil, err
	}
	s, err := staging.Open(ctx, blobs, stagePrefix)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return countStaged(ctx, s)
}

// export is the child that writes staged rows as a result. How many is the answer.
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

// sheetOf is what a program of others finds in a worksheet, with the header.
type sheetOf struct {
	Name  string
	Rows  int64
	First string
}

// mostSheetRows is the most rows of a worksheet, and so with a header one less.
const mostSheetRows = 1_048_576

// countSheets lets excelize open a workbook, which must hold all rows on as few
// sheets as there can be.
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
		t.Errorf("%s finds other sheets (-want +found):\n%s", excelizeVersion(t), diff)
	}
}

// TestSheetsInExcelize writes one row more than two worksheets hold.
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
