package staging_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// TestBatchesStopAnywhere stops reading after each batch, and checks that the rows read so far
// are correct and that the stage can be read again.
func TestBatchesStopAnywhere(t *testing.T) {
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{SegmentRows: 100}, contacts(0, 60), contacts(60, 60), contacts(120, 60), contacts(180, 7))
	defer s.Close()
	all := readAll(t, s)
	for stop := 1; stop <= 4; stop++ {
		var got []row
		steps := 0
		for b, err := range s.Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rowsOf(b)...)
			if steps++; steps == stop {
				break
			}
		}
		if diff := cmp.Diff(all[:min(60*stop, len(all))], got); diff != "" {
			t.Errorf("%d batches: %s", stop, diff)
		}
	}
}

// TestKeptBatches checks that batches that are kept do not change while others are read and released.
func TestKeptBatches(t *testing.T) {
	const batches = 60
	var all []*intray.Batch
	for i := range batches {
		all = append(all, contacts(int64(i)*10, 10))
	}
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{}, all...)
	defer s.Close()
	type held struct {
		batch   *intray.Batch
		release func()
	}
	var kept []held
	check := func(h held) {
		if diff := cmp.Diff(rowsOf(all[h.batch.First/10]), rowsOf(h.batch)); diff != "" {
			t.Fatalf("batch %d changed: %s", h.batch.First/10, diff)
		}
	}
	read := 0
	for b, err := range s.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if read++; read%3 > 0 {
			batch, release := b.Keep()
			kept = append(kept, held{batch, release})
		}
		if len(kept) > 20 {
			check(kept[0])
			kept[0].release()
			kept = kept[1:]
		}
	}
	for _, h := range kept {
		check(h)
	}
	if read != batches || s.ReadTime() <= 0 {
		t.Errorf("%d batches in %v", read, s.ReadTime())
	}
}

// TestBatchesBeforeDamage checks that the batches before a damaged one are returned.
func TestBatchesBeforeDamage(t *testing.T) {
	store, whole, _ := newDamagedStage(t)
	put(t, store, "seg-0001.parquet", whole["seg-0000.parquet"])
	s, err := staging.Open(context.Background(), store, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, steps := 0, 0
	for b, err := range s.Batches(context.Background()) {
		if steps++; err == nil {
			rows += b.Rows()
			continue
		}
		if !errors.Is(err, staging.ErrDamaged) || !strings.Contains(err.Error(), "from 120 on") {
			t.Errorf("got %v, want damage from row 120 on", err)
		}
	}
	if rows != 120 || steps != 2 {
		t.Errorf("got %d rows in %d steps, want 120 rows followed by an error", rows, steps)
	}
}

func TestUnknownCodec(t *testing.T) {
	w := staging.NewWriter(context.Background(), blobtest.NewMemory(), prefix, contactLayout(), staging.Config{Codec: "lz4"})
	defer w.Abort()
	if _, err := w.StageBatch(contacts(0, 3)); err == nil || !strings.Contains(err.Error(), "lz4") {
		t.Errorf("a batch gives %v", err)
	}
	if _, err := w.Close(context.Background()); err == nil {
		t.Error("the stage was sealed")
	}
}
