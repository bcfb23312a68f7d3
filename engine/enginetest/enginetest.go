// Package enginetest provides a sink for testing the engine and packages that use it.
package enginetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// BatchRecorder is a sink that stores a copy of the last batch.
type BatchRecorder struct{ Batch *intray.Batch }

// StageBatch stores a copy of b in r.Batch.
func (r *BatchRecorder) StageBatch(b *intray.Batch) (func() error, error) {
	copied := &intray.Batch{First: b.First, Lines: slices.Clone(b.Lines), Problems: slices.Clone(b.Problems), Fields: make([]intray.Cells, len(b.Fields))}
	for f := range b.Fields {
		for row := range b.Rows() {
			v, there := b.Fields[f].Value(row)
			raw := slices.Clone(b.Fields[f].Raw(row))
			switch {
			case !there:
				copied.Fields[f].AppendNull(raw)
			case bytes.Equal(v, raw):
				copied.Fields[f].AppendValue(raw)
			default:
				copied.Fields[f].AppendParsed(slices.Clone(v), raw)
			}
		}
	}
	r.Batch = copied
	return func() error { return nil }, nil
}

// FormatRows returns one line for each cell, with its value and raw text, and one line for
// each problem except those of cross-row validators.
func FormatRows(b *intray.Batch) (lines []string) {
	for row := range b.Rows() {
		for f := range b.Fields {
			v, there := b.Fields[f].Value(row)
			lines = append(lines, fmt.Sprintf("%d %d: %q %v raw %q", row, f, v, there, b.Fields[f].Raw(row)))
		}
	}
	for _, p := range b.Problems {
		if !strings.HasPrefix(p.Code, "unique") {
			lines = append(lines, fmt.Sprintf("%+v", p))
		}
	}
	return lines
}
