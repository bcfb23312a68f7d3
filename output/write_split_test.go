package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/intraydata/intray"
)

// wide returns a batch with the given number of rows. Rows for which bad returns true have
// a problem.
func wide(rows int, bad func(row int) bool) *intray.Batch {
	b := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, 2), Unmapped: []intray.UnmappedCells{{Column: 7}}}
	for row := range rows {
		b.Fields[0].AppendValue(fmt.Appendf(nil, "name %d", row))
		switch row % 3 {
		case 0:
			b.Fields[1].AppendNull(fmt.Appendf(nil, "n%d", row))
		case 1:
			b.Fields[1].AppendParsed(fmt.Append(nil, row), fmt.Appendf(nil, "%d,0", row))
		default:
			b.Fields[1].AppendValue(fmt.Append(nil, row))
		}
		b.Unmapped[0].Cells.AppendString(fmt.Sprint("u", row))
		if bad(row) {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: row % 2, Level: intray.LevelError})
		}
	}
	return b
}

// cut yields the rows that wide returns, in batches that are too small to be split.
func cut(rows int, bad func(row int) bool) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		const few = minSplitRows - 1
		whole := wide(rows, bad)
		for from := 0; from < rows; from += few {
			part := &intray.Batch{First: int64(from), Fields: make([]intray.Cells, 2), Unmapped: []intray.UnmappedCells{{Column: 7}}}
			for row := from; row < min(from+few, rows); row++ {
				part.Lines = append(part.Lines, 0)
				for f := range part.Fields {
					c := &whole.Fields[f]
					switch v, there := c.Value(row); {
					case !there:
						part.Fields[f].AppendNull(c.Raw(row))
					case bytes.Equal(v, c.Raw(row)):
						part.Fields[f].AppendValue(v)
					default:
						part.Fields[f].AppendParsed(v, c.Raw(row))
					}
				}
				part.Unmapped[0].Cells.Append(whole.Unmapped[0].Cells.At(row))
			}
			for _, p := range whole.Problems {
				if p.Row >= from && p.Row < from+part.Rows() {
					p.Row -= from
					part.Problems = append(part.Problems, p)
				}
			}
			if !yield(part, nil) {
				return
			}
		}
	}
}

func single(b *intray.Batch) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) { yield(b, nil) }
}

// TestHalves checks that Write writes a large batch in the same way as the same rows in
// small batches.
func TestHalves(t *testing.T) {
	const rows = 3*minSplitRows + 5
	bads := map[string]func(int) bool{
		"none":        func(int) bool { return false },
		"some":        func(row int) bool { return row%5 == 0 },
		"first half":  func(row int) bool { return row < rows/2 },
		"second half": func(row int) bool { return row >= rows/2 },
		"all":         func(int) bool { return true },
	}
	for name, bad := range bads {
		for _, behavior := range []intray.InvalidDataBehavior{intray.RemoveInvalidRows, intray.IncludeInvalidRows, intray.IncludeInvalidValues, intray.BlockSubmit} {
			for _, format := range []Format{JSON, NDJSON, CSV} {
				schema := &intray.Schema{
					Fields:   []intray.Field{{Key: "name", Type: intray.FieldType{Name: intray.TypeString}}, {Key: "n", Type: intray.FieldType{Name: intray.TypeNumber}}},
					Settings: intray.Settings{InvalidDataBehavior: behavior, PassThroughUnmappedColumns: true},
				}
				var small, large bytes.Buffer
				smallRows, smallErr := Write(context.Background(), &small, format, schema, cut(rows, bad))
				largeRows, largeErr := Write(context.Background(), &large, format, schema, single(wide(rows, bad)))
				if (smallErr == nil) != (largeErr == nil) || errors.Is(smallErr, ErrInvalidRow) != errors.Is(largeErr, ErrInvalidRow) {
					t.Fatalf("%s, %s, %s: %v and %v", name, behavior, format, smallErr, largeErr)
				}
				if smallErr == nil && (smallRows != largeRows || !bytes.Equal(small.Bytes(), large.Bytes())) {
					t.Errorf("%s, %s, %s: %d and %d rows, or other bytes", name, behavior, format, smallRows, largeRows)
				}
			}
		}
	}
}

// TestLargeTextIsNotSplit checks that batches with a lot of text are not split, because the
// second half is buffered.
func TestLargeTextIsNotSplit(t *testing.T) {
	b := wide(minSplitRows, func(int) bool { return false })
	if !isWorthSplitting(b) {
		t.Error("a batch with enough rows is not split")
	}
	b.Fields[0].Values.Texts.Arena = slices.Grow(b.Fields[0].Values.Texts.Arena, maxSplitBytes)[:maxSplitBytes]
	if isWorthSplitting(b) {
		t.Error("a batch with much text is split")
	}
}

// TestPanicOfAHalf checks that a panic in the second half reaches the caller.
func TestPanicOfAHalf(t *testing.T) {
	b := wide(minSplitRows, func(int) bool { return false })
	b.Fields[0].Values.Texts.Ends = b.Fields[0].Values.Texts.Ends[:minSplitRows*3/4]
	defer func() {
		if recover() == nil {
			t.Error("a broken batch was written")
		}
	}()
	_, _ = Write(context.Background(), &bytes.Buffer{}, CSV, &intray.Schema{
		Fields:   []intray.Field{{Key: "name", Type: intray.FieldType{Name: intray.TypeString}}, {Key: "n", Type: intray.FieldType{Name: intray.TypeNumber}}},
		Settings: intray.Settings{InvalidDataBehavior: intray.RemoveInvalidRows, PassThroughUnmappedColumns: true},
	}, single(b))
}
