package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// wideFields is the number of columns of a wide table.
const wideFields = 50

// wideKinds are the types of the columns, which repeat in this order.
var wideKinds = []intray.FieldType{
	{Name: intray.TypeString}, {Name: intray.TypeNumber}, {Name: intray.TypeDate}, {Name: intray.TypeSelect},
	{Name: intray.TypeNumber, Options: map[string]any{"round": 0}}, {Name: intray.TypeDatetime}, {Name: intray.TypeString},
	{Name: intray.TypeNumber, Options: map[string]any{"preset": "usd"}}, {Name: intray.TypeCheckbox}, {Name: intray.TypeMultiSelect},
}

// wideSums contains the sums of the columns in a wide table.
type wideSums struct {
	Rows, Bytes, Wholes, Cents, Days, Truths, Nulls, Items int64
}

// TestWideExport writes a table with many columns as Parquet, and checks that DuckDB
// computes the same sums.
func TestWideExport(t *testing.T) {
	rows := share(exportedRows)
	if needed, free := rows*wideFields*12, freeBytes(t); free < uint64(needed+spareBytes) {
		t.Skipf("SKIPPED: the temporary folder has %d MB free, but the file needs %d MB and %d MB must remain free; set TMPDIR to a folder with more room",
			free/1e6, needed/1e6, spareBytes/1_000_000)
	}
	result := filepath.Join(t.TempDir(), "wide.parquet")
	took, size := exportOnce(t, rows, childCommand("export wide", strconv.Itoa(rows), result), result)
	var r report
	h := held{contestant: contestant{name: fmt.Sprintf("parquet, %d columns", wideFields)}, costs: []cost{took}}
	r.add("export", int64(rows), size, h, "", "", goal{peak: exportPeak}.against(goal{peak: took.Peak}))
	t.Logf("%s\n%s%s", machine(), extent(), r.table())
	python, _ := duckDB(t)
	if python == "" {
		skipWithoutDuckDB(t)
		return
	}
	var got wideSums
	ask(t, &got, python, "export_duckdb.py", "wide", result)
	if diff := cmp.Diff(wantedSums(rows), got); diff != "" {
		t.Errorf("DuckDB computes other sums (-want +found):\n%s", diff)
	}
}

// exportWide is the task of the child process that writes a wide table. It returns the
// number of rows.
func exportWide(args []string) (any, error) {
	if len(args) != 2 {
		return nil, errors.New("want the number of rows and a name")
	}
	rows, err := strconv.Atoi(args[0])
	if err != nil {
		return nil, err
	}
	debug.SetGCPercent(50) // as intray run and intray serve do
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	for i := range wideFields {
		schema.Fields = append(schema.Fields, intray.Field{Key: fmt.Sprint("f", i), Type: wideKinds[i%len(wideKinds)]})
	}
	return writeResult(args[1], func(file *os.File) (int64, error) {
		return output.Write(context.Background(), file, output.Parquet, schema, batches(rows, wideFields, appendWide))
	})
}

// numbered returns rows with one field, which contains the row number, counted from 0.
func numbered(rows int) iter.Seq2[*intray.Batch, error] {
	return batches(rows, 1, func(b []byte, row, _ int) []byte { return strconv.AppendInt(b, int64(row), 10) })
}

// batches returns rows whose cells are computed by a function. An empty cell is null. All
// batches use the same memory.
func batches(rows, fields int, cell func(b []byte, row, field int) []byte) iter.Seq2[*intray.Batch, error] {
	const most = 5000
	return func(yield func(*intray.Batch, error) bool) {
		b := &intray.Batch{Fields: make([]intray.Cells, fields)}
		var text []byte
		for first := 0; first < rows; first += most {
			b.Reset(fields)
			b.First = int64(first)
			for row := first; row < min(first+most, rows); row++ {
				b.Lines = append(b.Lines, int64(row+2))
				for i := range b.Fields {
					if text = cell(text[:0], row, i); len(text) == 0 {
						b.Fields[i].AppendNull(nil)
						continue
					}
					b.Fields[i].AppendValue(text)
				}
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// mixed returns a pseudorandom number that depends only on the row and the field.
func mixed(row, field int) uint64 {
	x := uint64(row)*0x9e3779b97f4a7c15 + uint64(field)*0xbf58476d1ce4e5b9
	x ^= x >> 31
	x *= 0x94d049bb133111eb
	return x ^ x>>29
}

// appendWide appends the canonical text of a cell in a wide table. One cell in 16 is null.
func appendWide(b []byte, row, field int) []byte {
	x := mixed(row, field)
	if x>>60 == 0 {
		return b
	}
	switch kind := field % len(wideKinds); kind {
	case 0, 6:
		return strconv.AppendUint(b, x%(1<<48), 16)
	case 1:
		return append(strconv.AppendUint(b, x%100_000, 10), ".5"...)
	case 2, 5:
		b = append(strconv.AppendUint(append(b, "20"...), 10+x%90, 10), "-03-0"...)
		b = strconv.AppendUint(b, 1+x/90%9, 10)
		if kind == 5 {
			b = append(strconv.AppendUint(append(b, "T1"...), x/810%10, 10), ":30"...)
		}
		return b
	case 3:
		return strconv.AppendUint(append(b, "option "...), x%40, 10)
	case 4:
		return strconv.AppendUint(b, x%1_000_000, 10)
	case 7:
		return append(strconv.AppendUint(b, x%1_000_000, 10), ".25"...)
	case 8:
		return strconv.AppendBool(b, x%2 == 0)
	}
	return append(strconv.AppendUint(append(b, `["a","item `...), x%7, 10), `"]`...)
}

// wantedSums computes the sums of the cells that appendWide writes.
func wantedSums(rows int) (s wideSums) {
	s.Rows = int64(rows)
	for row := range rows {
		for field := range wideFields {
			x := mixed(row, field)
			if x>>60 == 0 {
				s.Nulls++
				continue
			}
			switch field % len(wideKinds) {
			case 0, 6:
				s.Bytes += int64(len(strconv.FormatUint(x%(1<<48), 16)))
			case 2:
				s.Days += int64(1 + x/90%9)
			case 4:
				s.Wholes += int64(x % 1_000_000)
			case 7:
				s.Cents += int64(x%1_000_000)*100 + 25
			case 8:
				s.Truths += int64(1 - x%2)
			case 9:
				s.Items += 2
			}
		}
	}
	return s
}
