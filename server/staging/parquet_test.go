package staging_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// record is a row of a Parquet file. Each column is nil for null, or a string or an integer.
type record map[string]any

// parquetRows reads a file with parquet-go.
func parquetRows(t failer, file []byte) []record {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	columns := f.Schema().Columns()
	var all []record
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				all = append(all, recordOf(columns, row))
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func recordOf(columns [][]string, row parquet.Row) record {
	r := record{}
	for _, v := range row {
		name := columns[v.Column()][0]
		switch {
		case v.IsNull():
			r[name] = nil
		case v.Kind() == parquet.Int64:
			r[name] = v.Int64()
		default:
			r[name] = string(v.ByteArray())
		}
	}
	return r
}

// recordsOf returns the rows of a batch as records with the column names in the manifest.
func recordsOf(m staging.Manifest, b *intray.Batch) []record {
	all := make([]record, b.Rows())
	for i := range all {
		all[i] = record{"_row": b.First + int64(i), "_line": b.Lines[i]}
		for f, names := range m.Fields {
			cells := &b.Fields[f]
			all[i][names.Value], all[i][names.Raw] = nil, nil
			if value, ok := cells.Value(i); ok {
				all[i][names.Value] = string(value)
			}
			for at, row := range cells.RawRows {
				if int(row) == i {
					all[i][names.Raw] = string(cells.Raws.At(at))
				}
			}
		}
		for u, names := range m.Unmapped {
			all[i][names.Name] = string(b.Unmapped[u].Cells.At(i))
		}
	}
	return all
}

func TestSegmentsArePlainParquet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := drawLayout(t)
		a := drawBatch(t, layout, 0)
		b := drawBatch(t, layout, int64(a.Rows()))
		store := blobtest.NewMemory()
		s := writeStage(t, store, layout, staging.Config{Codec: rapid.SampledFrom(codecs).Draw(t, "codec")}, a, b)
		defer s.Close()
		want := append(recordsOf(s.Manifest(), a), recordsOf(s.Manifest(), b)...)
		file := fileOf(t, store, "seg-0000.parquet")
		if diff := cmp.Diff(want, parquetRows(t, file)); diff != "" {
			t.Fatal(diff)
		}
		if size := s.Manifest().Segments[0].Size; size != int64(len(file)) {
			t.Fatalf("the manifest says %d bytes, and there are %d", size, len(file))
		}
	})
}

// fileOf returns the content of a file of the stage.
func fileOf(t failer, store blob.Store, name string) []byte {
	t.Helper()
	r, err := store.Open(noContext(), prefix+"/"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDictionariesAndPlainTexts checks that batches that are large enough for dictionaries,
// compression and packed levels are written and read correctly.
func TestDictionariesAndPlainTexts(t *testing.T) {
	for _, codec := range codecs {
		t.Run(string(codec), func(t *testing.T) { readLarge(t, codec) })
	}
}

func readLarge(t *testing.T, codec staging.Codec) {
	store := blobtest.NewMemory()
	batches := []*intray.Batch{contacts(0, 5000), contacts(5000, 3001)}
	s := writeStage(t, store, contactLayout(), staging.Config{Codec: codec}, batches...)
	defer s.Close()
	file := fileOf(t, store, "seg-0000.parquet")
	var want []record
	var rows []row
	for _, b := range batches {
		want = append(want, recordsOf(s.Manifest(), b)...)
		rows = append(rows, rowsOf(b)...)
	}
	if got := parquetRows(t, file); !reflect.DeepEqual(want, got) {
		t.Error(cmp.Diff(want, got))
	}
	if got := readAll(t, s); !reflect.DeepEqual(rows, got) {
		t.Error(cmp.Diff(rows, got))
	}
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{
		"country": "RLE_DICTIONARY", "email": "DELTA_LENGTH_BYTE_ARRAY", "_row": "DELTA_BINARY_PACKED",
	} {
		leaf, _ := f.Schema().Lookup(column)
		chunk := f.Metadata().RowGroups[0].Columns[leaf.ColumnIndex].MetaData
		if got := chunk.Encoding[0].String(); got != want {
			t.Errorf("column %s is in %s, want %s", column, got, want)
		}
	}
	leaf, _ := f.Schema().Lookup("amount")
	if got := f.Metadata().RowGroups[0].Columns[leaf.ColumnIndex].MetaData.Statistics.NullCount; got != 100 {
		t.Errorf("the footer counts %d nulls, want 100", got)
	}
}

func TestProblemsArePlainParquet(t *testing.T) {
	const rows = 16000 // each batch fills two row groups of problems
	count := 5
	if testing.Short() {
		count = 2
	}
	store := blobtest.NewMemory()
	var batches []*intray.Batch
	var want []record
	for i := range count {
		b := &intray.Batch{First: int64(i * rows), Lines: make([]int64, rows), Fields: make([]intray.Cells, 1)}
		for row := range rows {
			b.Fields[0].AppendNull(nil)
			p := intray.Problem{Row: row, Field: row%2 - 1, Code: "c" + fmt.Sprint(row%3), Level: intray.Level(row % 3), Text: intray.Literal(fmt.Sprint("Wrong ", row%5000))}
			b.Problems = append(b.Problems, p)
			want = append(want, record{"row": b.First + int64(row), "field": int64(p.Field), "part": int64(p.Part), "code": p.Code, "level": p.Level.String(), "text": p.Text.Encode()})
		}
		batches = append(batches, b)
	}
	s := writeStage(t, store, staging.Layout{Fields: []string{"a"}}, staging.Config{}, batches...)
	defer s.Close()
	if got := parquetRows(t, fileOf(t, store, "problems.parquet")); !reflect.DeepEqual(want, got) {
		t.Error(cmp.Diff(want, got))
	}
	if groups := len(s.Manifest().ProblemGroups); groups != 2*count {
		t.Errorf("%d row groups of problems, want %d", groups, 2*count)
	}
	var got []record
	for _, r := range readAll(t, s) {
		for _, p := range r.Problems {
			got = append(got, record{"row": int64(p.Row), "field": int64(p.Field), "part": int64(p.Part), "code": p.Code, "level": p.Level.String(), "text": p.Text.Encode()})
		}
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%d problems were read that differ from the %d that were written", len(got), len(want))
	}
}

// TestAnotherReader checks that pyarrow or DuckDB can read a segment.
func TestAnotherReader(t *testing.T) {
	if exec.Command("python3", "-c", "import pyarrow.parquet").Run() != nil &&
		exec.Command("python3", "-c", "import duckdb").Run() != nil {
		t.Skip("SKIPPED: python3 has neither pyarrow nor duckdb")
	}
	for _, codec := range codecs {
		t.Run(string(codec), func(t *testing.T) { readWithAnother(t, codec) })
	}
}

func readWithAnother(t *testing.T, codec staging.Codec) {
	store := blobtest.NewMemory()
	b := contacts(0, 3000)
	s := writeStage(t, store, contactLayout(), staging.Config{Codec: codec}, b)
	defer s.Close()
	path := filepath.Join(t.TempDir(), "seg.parquet")
	if err := os.WriteFile(path, fileOf(t, store, "seg-0000.parquet"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("python3", "-c", readWithPython, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(recordsOf(s.Manifest(), b))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []record
	if err := errors.Join(json.Unmarshal(text, &want), json.Unmarshal(out, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const readWithPython = `
import json, sys
try:
    import pyarrow.parquet
    rows = pyarrow.parquet.read_table(sys.argv[1]).to_pylist()
except ImportError:
    import duckdb
    found = duckdb.connect().execute("select * from read_parquet(?) order by _row", [sys.argv[1]])
    names = [c[0] for c in found.description]
    rows = [dict(zip(names, r)) for r in found.fetchall()]
print(json.dumps(rows))
`
