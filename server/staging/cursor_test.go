package staging_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// pickedRows returns the rows of a batch that Rows returned. Row i of the batch is
// row rows[i] of the stage.
func pickedRows(b *intray.Batch, rows []int64) []row {
	b.First = 0
	list := rowsOf(b)
	for i := range list {
		list[i].Index = rows[i]
		for p := range list[i].Problems {
			list[i].Problems[p].Row = int(rows[i])
		}
	}
	return list
}

func checkRows(t *rapid.T, s *staging.Stage, want []row) {
	var rows []int64
	var some []row
	for i, r := range want {
		if rapid.IntRange(0, 3).Draw(t, "taken") == 0 {
			rows, some = append(rows, int64(i)), append(some, r)
		}
	}
	b, err := s.Rows(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(some, pickedRows(b, rows), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("Rows(%v): %s", rows, diff)
	}
}

// TestRowsWithManyProblems checks that rows are read with all their problems, even if some are
// cross-row problems and there are more than fit in one problem group.
func TestRowsWithManyProblems(t *testing.T) {
	const rows = 200
	b := contacts(0, rows)
	b.Problems = nil
	for row := range rows {
		for n := range 1000 {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: 2 + n%2, Code: "c", Text: intray.Literal("t")})
		}
	}
	store := blobtest.NewMemory()
	w := staging.NewWriter(context.Background(), store, prefix, contactLayout(), staging.Config{})
	commit, err := w.StageBatch(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := commit(); err != nil {
		t.Fatal(err)
	}
	if err := w.AddProblem(intray.Problem{Field: 0, Code: "unique"}, roaring.BitmapOf(3, 66, 199)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, err := staging.Open(context.Background(), store, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := readAll(t, s)
	taken := []int64{0, 3, 64, 65, 66, 131, 198, 199}
	got, err := s.Rows(context.Background(), taken)
	if err != nil {
		t.Fatal(err)
	}
	list := pickedRows(got, taken)
	for i, r := range taken {
		want := all[r]
		if n := len(want.Problems); n != 1000 && (n != 1001 || want.Problems[0].Code != "unique") {
			t.Fatalf("row %d has %d problems", r, n)
		}
		if diff := cmp.Diff(want, list[i]); diff != "" {
			t.Errorf("row %d: %s", r, diff)
		}
	}
}

func TestRowsThatDoNotExist(t *testing.T) {
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{SegmentRows: 100}, contacts(0, 100), contacts(100, 57))
	defer s.Close()
	for _, rows := range [][]int64{{-1}, {157}, {5, 5}, {7, 6}, {1 << 40}} {
		if _, err := s.Rows(context.Background(), rows); err == nil {
			t.Errorf("rows %v were returned", rows)
		}
	}
	if b, err := s.Rows(context.Background(), nil); err != nil || b.Rows() != 0 || len(b.Fields) != 5 {
		t.Errorf("no rows: %+v, %v", b, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 { // the second read finds the group in memory
		if _, err := s.Rows(context.Background(), []int64{4}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Rows(ctx, []int64{4}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the error of the context", err)
		}
	}
}

// TestScan checks that a Scan reads the given fields of batches in any order.
func TestScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := drawLayout(t)
		var batches []*intray.Batch
		next := int64(0)
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			b := drawBatch(t, layout, next)
			next += int64(b.Rows())
			batches = append(batches, b)
		}
		s := writeStage(t, blobtest.NewMemory(), layout, staging.Config{SegmentRows: 70, Codec: rapid.SampledFrom(codecs).Draw(t, "codec")}, batches...)
		defer s.Close()
		if groups := s.RowGroups(); len(groups) != len(batches) {
			t.Fatalf("%d groups of %d batches", len(groups), len(batches))
		}
		scan := s.Scan()
		for range 6 {
			want := batches[rapid.IntRange(0, len(batches)-1).Draw(t, "batch")]
			row := want.First + rapid.Int64Range(0, int64(want.Rows())-1).Draw(t, "row")
			fields := rapid.SliceOfDistinct(rapid.IntRange(0, len(layout.Fields)-1), rapid.ID[int]).Draw(t, "fields")
			got, err := scan.ReadFields(context.Background(), row, fields, nil)
			if err != nil || got.First != want.First || got.Rows() != want.Rows() || len(got.Problems) > 0 {
				t.Fatalf("%v, %+v", err, got)
			}
			for f := range got.Fields {
				cells := intray.Cells{}
				if slices.Contains(fields, f) {
					cells = want.Fields[f]
				}
				if diff := cmp.Diff(cells, got.Fields[f], cmpopts.EquateEmpty()); diff != "" {
					t.Fatal(diff)
				}
			}
		}
		for _, row := range []int64{-1, next} {
			if _, err := scan.ReadFields(context.Background(), row, nil, nil); err == nil {
				t.Errorf("row %d was returned", row)
			}
		}
	})
}

// TestCountRowGroups checks the number of row groups that contain at least one of the given rows.
func TestCountRowGroups(t *testing.T) {
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{SegmentRows: 100},
		contacts(0, 50), contacts(50, 50), contacts(100, 50), contacts(150, 50))
	defer s.Close()
	for _, c := range []struct {
		rows []uint32
		want int
	}{{nil, 0}, {[]uint32{0}, 1}, {[]uint32{0, 49, 50}, 2}, {[]uint32{199}, 1}, {[]uint32{3, 4, 120, 160, 161}, 3}, {[]uint32{0, 60, 101, 199}, 4}} {
		if got := s.CountRowGroups(roaring.BitmapOf(c.rows...)); got != c.want {
			t.Errorf("%v are in %d batches, want %d", c.rows, got, c.want)
		}
	}
	for _, k := range s.Manifest().Kinds {
		rows, err := s.RowsWithProblem(context.Background(), k)
		if err != nil || int64(rows.GetCardinality()) != k.Rows || k.Rows == 0 {
			t.Errorf("%+v: %v, %v", k, rows, err)
		}
	}
}

// drawnKeep is a Keep whose answers a test draws.
type drawnKeep struct {
	values []bool
	texts  func(field int, texts []byte) bool
}

func (k drawnKeep) KeepValues(field int) bool { return k.values[field] }

func (k drawnKeep) KeepTexts(field int, texts []byte) bool { return k.texts(field, texts) }

// TestScanKeep checks that keep receives all strings of a column, and that a Scan leaves only the columns
// empty that keep rejects.
func TestScanKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := drawLayout(t)
		want := drawBatch(t, layout, 0)
		s := writeStage(t, blobtest.NewMemory(), layout, staging.Config{Codec: rapid.SampledFrom(codecs).Draw(t, "codec")}, want)
		defer s.Close()
		answers := rapid.SliceOfN(rapid.Bool(), 2*len(layout.Fields), 2*len(layout.Fields)).Draw(t, "answers")
		var fields []int
		for f := range layout.Fields {
			fields = append(fields, f)
		}
		values := rapid.SliceOfN(rapid.Bool(), len(fields), len(fields)).Draw(t, "values")
		asked := make([]bool, len(fields))
		for f := range asked {
			asked[f] = !values[f]
		}
		got, err := s.Scan().ReadFields(context.Background(), 0, fields, drawnKeep{values, func(f int, found []byte) bool {
			column := want.Fields[f].Values
			if asked[f] {
				column = want.Fields[f].Raws
			}
			for i := range column.Len() {
				if !bytes.Contains(found, column.At(i)) {
					t.Errorf("field %d: %q is not in %q", f, column.At(i), found)
				}
			}
			at := 2 * f
			if asked[f] {
				at++
			}
			asked[f] = true
			return answers[at]
		}})
		if err != nil {
			t.Fatal(err)
		}
		for f, cells := range want.Fields {
			if !values[f] || !answers[2*f] {
				cells.Values, cells.Nulls = intray.TextColumn{}, nil
				if !answers[2*f+1] {
					cells.Raws, cells.RawRows = intray.TextColumn{}, nil
				}
			}
			if diff := cmp.Diff(cells, got.Fields[f], cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
		}
		all, err := s.Scan().ReadFields(context.Background(), 0, fields, nil)
		if err != nil || cmp.Diff(want.Fields, all.Fields, cmpopts.EquateEmpty()) != "" {
			t.Errorf("without keep: %v", err)
		}
	})
}

// TestWholeGroups checks that batches that consist of a whole row group do not share memory with later reads.
func TestWholeGroups(t *testing.T) {
	ctx := context.Background()
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{}, contacts(0, 60), contacts(60, 60))
	defer s.Close()
	all := readAll(t, s)
	whole := map[int64]*intray.Batch{}
	for _, first := range []int64{0, 60, 0} {
		b, err := s.Window(ctx, first, 60)
		if err != nil {
			t.Fatal(err)
		}
		whole[first] = b
		for _, from := range []int64{30, 0, 59} { // parts, and rows of both groups
			if _, err := s.Window(ctx, from, 61); err != nil {
				t.Fatal(err)
			}
		}
	}
	for first, b := range whole {
		if diff := cmp.Diff(all[first:first+60], rowsOf(b)); diff != "" {
			t.Errorf("rows from %d on: %s", first, diff)
		}
	}
}
