package server

import (
	"io"
	"iter"
	"sync/atomic"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// RunProgress describes how far an import is.
type RunProgress struct {
	// Writing is false while the file is read and validated, and true while the result or the
	// list of problems is written.
	Writing bool
	// Rows is the number of rows completed in this phase.
	Rows int64
	// Fraction is the completed part of this phase, from 0 to 1, or UnknownFraction.
	Fraction float64
}

// UnknownFraction is the Fraction of a phase that may end at any time.
const UnknownFraction = -1

// readTracker counts how far a file has been read.
type readTracker struct {
	io.ReaderAt
	size int64
	// end is the end of the last read. Formats may read the parts of a file in any order.
	end atomic.Int64
	// largest is the largest fraction returned so far, so that progress never goes back.
	largest float64
	begun   bool
}

// TrackReads returns the input, and a function that returns the fraction of it that has been
// read. The function must not be called concurrently. Its first call must be made after the
// first rows were read. If the whole file was in memory before that, it returns
// UnknownFraction.
func TrackReads(in source.Input) (source.Input, func() float64) {
	t := &readTracker{ReaderAt: in.ReaderAt, size: max(in.Size, 1)}
	in.ReaderAt = t
	return in, t.fraction
}

// ReadAt reads and records the position.
func (t *readTracker) ReadAt(b []byte, offset int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(b, offset)
	t.end.Store(offset + int64(n))
	return n, err
}

func (t *readTracker) fraction() float64 {
	read := float64(t.end.Load()) / float64(t.size)
	if !t.begun && read >= 0.99 {
		t.largest = UnknownFraction
	}
	t.begun = true
	if t.largest != UnknownFraction {
		t.largest = max(t.largest, read)
	}
	return t.largest
}

// countRows yields batches and reports how many of the given number of rows were yielded.
func countRows(batches iter.Seq2[*intray.Batch, error], total int64, report func(RunProgress)) iter.Seq2[*intray.Batch, error] {
	if report == nil {
		return batches
	}
	return func(yield func(*intray.Batch, error) bool) {
		rows := int64(0)
		for b, err := range batches {
			if !yield(b, err) {
				return
			}
			if err == nil {
				rows += int64(b.Rows())
				report(RunProgress{Writing: true, Rows: rows, Fraction: float64(rows) / float64(max(total, 1))})
			}
		}
	}
}
