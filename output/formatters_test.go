package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

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

// cut yields the rows that wide returns, in batches of few rows.
func cut(rows, few int, bad func(row int) bool) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
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

var nameAndNumber = []intray.Field{{Key: "name", Type: intray.FieldType{Name: intray.TypeString}}, {Key: "n", Type: intray.FieldType{Name: intray.TypeNumber}}}

// TestSizeOfBatches checks that a file does not depend on the size of the batches.
func TestSizeOfBatches(t *testing.T) {
	defer goleak.VerifyNone(t)
	const rows = 6_149
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
				schema := &intray.Schema{Fields: nameAndNumber, Settings: intray.Settings{InvalidDataBehavior: behavior, PassThroughUnmappedColumns: true}}
				var whole bytes.Buffer
				wholeRows, wholeErr := Write(context.Background(), &whole, format, schema, single(wide(rows, bad)))
				for _, few := range []int{97, 1000, 3000} {
					var cutUp bytes.Buffer
					cutRows, cutErr := Write(context.Background(), &cutUp, format, schema, cut(rows, few, bad))
					if (cutErr == nil) != (wholeErr == nil) || errors.Is(cutErr, ErrInvalidRow) != errors.Is(wholeErr, ErrInvalidRow) {
						t.Fatalf("%s, %s, %s: %v and %v", name, behavior, format, cutErr, wholeErr)
					}
					if cutErr == nil && (cutRows != wholeRows || !bytes.Equal(cutUp.Bytes(), whole.Bytes())) {
						t.Errorf("%s, %s, %s, batches of %d: %d and %d rows, or other bytes", name, behavior, format, few, cutRows, wholeRows)
					}
				}
			}
		}
	}
}

// chunkMeter records the largest write.
type chunkMeter struct {
	bytes.Buffer
	largest int
}

func (m *chunkMeter) Write(b []byte) (int, error) {
	m.largest = max(m.largest, len(b))
	return m.Buffer.Write(b)
}

// TestLargeBatchIsWrittenInChunks checks that the text of a batch is not buffered as a whole.
func TestLargeBatchIsWrittenInChunks(t *testing.T) {
	b := &intray.Batch{Fields: make([]intray.Cells, 1)}
	values := &b.Fields[0].Values
	values.Texts.Append(bytes.Repeat([]byte("x"), 10_000))
	for range 3000 {
		values.Codes = append(values.Codes, 0)
		b.Lines = append(b.Lines, 0)
	}
	schema := &intray.Schema{Fields: nameAndNumber[:1], Settings: intray.Settings{InvalidDataBehavior: intray.RemoveInvalidRows}}
	var m chunkMeter
	rows, err := Write(context.Background(), &m, NDJSON, schema, func(yield func(*intray.Batch, error) bool) {
		for range 2 {
			if !yield(b, nil) {
				return
			}
		}
	})
	line := `{"name":"` + string(values.At(0)) + "\"}\n"
	if err != nil || rows != 6000 || m.String() != strings.Repeat(line, 6000) {
		t.Fatalf("%d rows, %d bytes: %v", rows, m.Len(), err)
	}
	if m.largest > chunkBytes+len(line) {
		t.Errorf("%d bytes were buffered", m.largest)
	}
}

// TestBatchesAreReleased checks that each batch that is kept is released once, and that its memory is not used
// after that, even if the file is not completed.
func TestBatchesAreReleased(t *testing.T) {
	schema := &intray.Schema{Fields: nameAndNumber, Settings: intray.Settings{InvalidDataBehavior: intray.BlockSubmit, PassThroughUnmappedColumns: true}}
	const rows, few = 5000, 100
	for _, end := range []string{"complete", "bad row", "failed batch", "full", "canceled"} {
		t.Run(end, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var want bytes.Buffer
			if _, err := Write(ctx, &want, JSON, schema, cut(rows, few, func(int) bool { return false })); err != nil {
				t.Fatal(err)
			}
			room := want.Len()
			if end == "full" {
				room /= 2
			}
			var kept, released atomic.Int64
			var got bytes.Buffer
			w := io.MultiWriter(&limitedWriter{room: room}, &got)
			_, err := Write(ctx, w, JSON, schema, func(yield func(*intray.Batch, error) bool) {
				for b, err := range cut(rows, few, func(row int) bool { return end == "bad row" && row == rows/2 }) {
					b.OnKeep(func() func() {
						kept.Add(1)
						return func() {
							released.Add(1)
							for i := range b.Fields {
								clear(b.Fields[i].Values.Texts.Arena)
							}
						}
					})
					if b.First > rows/2 && end == "failed batch" {
						b, err = nil, errFull
					}
					if b != nil && b.First > rows/2 && end == "canceled" {
						cancel()
					}
					if !yield(b, err) {
						return
					}
				}
			})
			wantErr := map[string]error{"bad row": ErrInvalidRow, "failed batch": errFull, "full": errFull, "canceled": context.Canceled}[end]
			if !errors.Is(err, wantErr) || wantErr == nil && (err != nil || !bytes.Equal(got.Bytes(), want.Bytes())) {
				t.Errorf("error %v, want %v, or other bytes", err, wantErr)
			}
			if kept.Load() == 0 || kept.Load() != released.Load() {
				t.Errorf("%d batches were kept, and %d released", kept.Load(), released.Load())
			}
		})
	}
}

// TestPanicOfAFormatter checks that a panic of a formatter reaches the caller.
func TestPanicOfAFormatter(t *testing.T) {
	defer goleak.VerifyNone(t)
	b := wide(2000, func(int) bool { return false })
	b.Fields[0].Values.Texts.Ends = b.Fields[0].Values.Texts.Ends[:1500]
	defer func() {
		if recover() == nil {
			t.Error("a broken batch was written")
		}
	}()
	_, _ = Write(context.Background(), &bytes.Buffer{}, CSV, &intray.Schema{
		Fields: nameAndNumber, Settings: intray.Settings{InvalidDataBehavior: intray.RemoveInvalidRows, PassThroughUnmappedColumns: true},
	}, single(b))
}
