// Package enginetest has what tests of the engine, and of what is built on it, share.
package enginetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// KeptRows keeps a copy of the one batch of a small file.
type KeptRows struct{ Batch *intray.Batch }

// StageBatch copies the batch.
func (k *KeptRows) StageBatch(b *intray.Batch) (func() error, error) {
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
	k.Batch = copied
	return func() error { return nil }, nil
}

// ShownRows are all cells with their raw text and their problems, but those of
// rules about all rows.
func ShownRows(b *intray.Batch) (lines []string) {
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
