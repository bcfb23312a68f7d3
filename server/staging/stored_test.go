package staging_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// storedBatches returns the rows of the stages in testdata. An earlier version of
// the package wrote these stages. Neither the rows nor the files must ever change.
func storedBatches() []*intray.Batch {
	var batches []*intray.Batch
	first := int64(0)
	for _, rows := range []int{5, 300, 40} {
		b := &intray.Batch{}
		b.Reset(6)
		b.First = first
		b.Unmapped = []intray.UnmappedCells{{Column: 3}, {Column: 12}}
		for i := range rows {
			n := int(first) + i
			b.Lines = append(b.Lines, int64(2*n+2))
			b.Fields[0].AppendValue(fmt.Append(nil, n*n*7919))
			b.Fields[1].AppendValue([]byte([]string{"", "a", "Zürich", "x\x00y", "a text that comes again and again"}[n*n%5]))
			b.Fields[2].AppendParsed(fmt.Append(nil, n%7), fmt.Append(nil, "raw ", n%3))
			if n%3 == 1 {
				b.Fields[3].AppendNull([]byte("n/a"))
				b.Problems = append(b.Problems, intray.Problem{
					Row: i, Field: 3, Part: n % 2, Code: "number", Level: intray.Level(n / 3 % 3),
					Text: intray.NewMessage("number.invalid", intray.Params{"value": fmt.Sprint("n", n%4)}),
				})
			} else {
				b.Fields[3].AppendValue(fmt.Append(nil, "note ", n))
			}
			b.Fields[4].AppendNull(nil)
			b.Fields[5].AppendValue(nil)
			b.Unmapped[0].Cells.AppendString(fmt.Sprint("u", n%40))
			b.Unmapped[1].Cells.AppendString(fmt.Sprint("v", n))
		}
		first += int64(rows)
		batches = append(batches, b)
	}
	return batches
}

// storedProblem returns a cross-row problem and the rows that have it.
func storedProblem() (intray.Problem, *roaring.Bitmap) {
	return intray.Problem{Field: 0, Code: "unique", Text: intray.Literal("Not unique.")}, roaring.BitmapOf(4, 5, 340)
}

// TestStoredStages checks that stages written by an earlier version can be read and verified.
func TestStoredStages(t *testing.T) {
	var want []row
	for _, b := range storedBatches() {
		want = append(want, rowsOf(b)...)
	}
	problem, rows := storedProblem()
	for _, r := range rows.ToArray() {
		problem.Row = int(r)
		want[r].Problems = append([]intray.Problem{problem}, want[r].Problems...)
	}
	for _, codec := range codecs {
		t.Run(string(codec), func(t *testing.T) {
			store := blobtest.NewMemory()
			copyFiles(t, store, filepath.Join("testdata", string(codec)))
			s, err := staging.Open(context.Background(), store, prefix)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Verify(context.Background()); err != nil {
				t.Error(err)
			}
			if m := s.Manifest(); m.Codec != codec || len(m.Segments) != 2 || len(m.CrossRowGroups) != 1 {
				t.Errorf("the manifest is %+v", m)
			}
			if diff := cmp.Diff(want, readAll(t, s)); diff != "" {
				t.Error(diff)
			}
			b, err := s.Window(context.Background(), 300, 10)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[300:310], rowsOf(b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func copyFiles(t *testing.T, store blob.Store, folder string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 5 {
		t.Fatalf("%d files in %s: %v", len(files), folder, err)
	}
	for _, f := range files {
		body, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		put(t, store, f.Name(), body)
	}
}
