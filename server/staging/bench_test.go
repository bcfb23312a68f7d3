package staging_test

import (
	"context"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// sourceSize returns the size in bytes that a batch has in a source file.
func sourceSize(b *intray.Batch) int64 {
	total := 0
	for i := range b.Fields {
		for row := range b.Rows() {
			total += len(b.Fields[i].Raw(row)) + 1
		}
	}
	return int64(total)
}

// codecs lists all codecs for stages.
var codecs = []staging.Codec{staging.Zstd, staging.Snappy}

func BenchmarkStage(b *testing.B) {
	for _, codec := range codecs {
		b.Run(string(codec), func(b *testing.B) {
			w := staging.NewWriter(context.Background(), discardStore{blobtest.NewMemory()}, prefix, contactLayout(), staging.Config{Codec: codec})
			batch := contacts(0, 16000)
			b.SetBytes(sourceSize(batch))
			b.ReportAllocs()
			for b.Loop() {
				commit, err := w.StageBatch(batch)
				if err != nil {
					b.Fatal(err)
				}
				if err := commit(); err != nil {
					b.Fatal(err)
				}
				batch.First += int64(batch.Rows())
			}
		})
	}
}

func BenchmarkBatches(b *testing.B) {
	for _, codec := range codecs {
		b.Run(string(codec), func(b *testing.B) {
			batch := contacts(0, 16000)
			s := writeStage(b, blobtest.NewMemory(), contactLayout(), staging.Config{Codec: codec}, batch, contacts(16000, 16000))
			defer s.Close()
			b.SetBytes(2 * sourceSize(batch))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range s.Batches(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkWindow(b *testing.B) {
	s := writeStage(b, blobtest.NewMemory(), contactLayout(), staging.Config{}, contacts(0, 16000), contacts(16000, 16000))
	defer s.Close()
	b.ReportAllocs()
	for first := int64(0); b.Loop(); first = (first + 7919) % 31900 {
		if _, err := s.Window(context.Background(), first, 100); err != nil {
			b.Fatal(err)
		}
	}
}
