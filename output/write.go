package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/intraydata/intray"
)

// ErrInvalidRow reports a row with an error under BLOCK_SUBMIT, which allows no output
// until a person has fixed it.
var ErrInvalidRow = errors.New("a row has an error, and invalidDataBehavior is BLOCK_SUBMIT")

// flushBytes is the number of bytes that are buffered before they are written. Because a row is
// never split, a buffer can exceed this size by one row.
const flushBytes = 256 << 10

// blockCount is the number of buffers. One is filled while others are being written.
const blockCount = 3

// unmappedKey is the key under which a row holds its unmapped columns.
const unmappedKey = "$unmapped"

// fileWriter encodes a file in one format. It is a rowWriter or a batchWriter. Its methods append to b.
type fileWriter interface {
	// appendStart appends the start of the file. columns are the indexes of the unmapped columns.
	appendStart(b []byte, columns []int) []byte
	// appendEnd appends the end of a file with the given number of rows.
	appendEnd(b []byte, rows int64) ([]byte, error)
}

// rowWriter is a fileWriter for a format that stores row after row.
type rowWriter interface {
	fileWriter
	// appendRow appends a row. first reports whether it is the first row of the file.
	appendRow(b []byte, r *rowCursor, first bool) ([]byte, error)
	// rowSeparator returns the text that appendRow appends before every row except the first.
	rowSeparator() string
}

// batchWriter is a fileWriter for a format that stores column after column.
type batchWriter interface {
	fileWriter
	// appendBatch appends the rows of a batch that keep selects and returns their number, even after
	// an error.
	appendBatch(b []byte, batch *intray.Batch, keep policy) (text []byte, rows int64, err error)
}

// Write streams the rows that the schema's InvalidDataBehavior selects to w, and returns their
// number. After an error, the file is incomplete. Write wraps errors from w, from the batches
// and from the context. It calls w from a different goroutine, but not after Write returns.
func Write(ctx context.Context, w io.Writer, f Format, schema *intray.Schema, batches iter.Seq2[*intray.Batch, error]) (rows int64, err error) {
	return write(ctx, w, f, schema, nil, batches)
}

// write writes a file. columns is nil unless the file is a workbook with annotations.
func write(ctx context.Context, w io.Writer, f Format, schema *intray.Schema, columns []SheetColumn, batches iter.Seq2[*intray.Batch, error]) (rows int64, err error) {
	keep, err := policyFor(schema.Settings.InvalidDataBehavior)
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", f, err)
	}
	fields, err := compileFields(schema)
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", f, err)
	}
	s := &stream{schema: schema, fields: fields, keep: keep}
	if s.writer, err = newFileWriter(f, schema, fields); err != nil {
		return 0, err
	}
	s.rowWriter, _ = s.writer.(rowWriter)
	s.second.keep = keep
	if f.canSplitBatches() {
		if s.second.writer, err = newSecondWriter(f, schema); err != nil {
			return 0, fmt.Errorf("write %s: %w", f, err)
		}
	}
	var book *workbook
	if f == XLSX {
		book = newWorkbook(w)
		w = book
		if columns != nil {
			s.writer.(*xlsxWriter).annotations, s.annotated = newAnnotations(columns), true
		}
	}
	s.out = newAsyncWriter(w)
	if p, ok := s.writer.(*parquetWriter); ok {
		p.emit = s.out.submit
		defer p.pool.running.Wait()
	}
	defer func() {
		if last := s.out.close(); err == nil {
			err = last
		}
		if book != nil && err == nil {
			x := s.writer.(*xlsxWriter)
			err = book.close(x.truncated, x.annotations)
		}
		if err != nil {
			rows, err = s.rows, fmt.Errorf("write %s: %w", f, err)
		}
	}()
	err = s.writeBatches(ctx, batches)
	return s.rows, err
}

func newFileWriter(f Format, schema *intray.Schema, fields []field) (fileWriter, error) {
	switch f {
	case JSON:
		return newJSONWriter(schema, fields, ",\n", "[", "]"), nil
	case NDJSON:
		return newJSONWriter(schema, fields, "\n", "", "\n"), nil
	case CSV:
		return &csvWriter{fields: fields}, nil
	case XLSX:
		if columns := len(fields); columns > sheetColumns {
			return nil, fmt.Errorf("a workbook has at most %d columns, and the schema has %d fields: use another format", sheetColumns, columns)
		}
		return newXLSXWriter(schema, fields), nil
	case Parquet:
		return newParquetWriter(schema, fields)
	}
	_, err := ParseFormat(string(f))
	return nil, err
}

// canSplitBatches reports whether the second half of a batch can be formatted without the
// first half. This is impossible for workbooks, whose rows are numbered, and for Parquet,
// which stores rows column by column.
func (f Format) canSplitBatches() bool { return f != XLSX && f != Parquet }

// stream is the state of a file that is being written.
type stream struct {
	out    *asyncWriter
	schema *intray.Schema
	fields []field
	keep   policy
	writer fileWriter
	// rowWriter is writer, or nil if it is a batchWriter.
	rowWriter rowWriter
	second    halfWriter
	buf       []byte
	// prepared holds the formatted cells of the current batch. It is empty if the file is annotated,
	// because the format of a cell then depends on its problems.
	prepared  []preparedColumn
	annotated bool
	begun     bool
	rows      int64
	// columns are the unmapped columns of the first batch. All other batches must have the
	// same columns.
	columns []int
}

func (s *stream) writeBatches(ctx context.Context, batches iter.Seq2[*intray.Batch, error]) error {
	for b, err := range batches {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.writeBatch(ctx, b); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.start()
	var err error
	if s.buf, err = s.writer.appendEnd(s.buf, s.rows); err != nil {
		return err
	}
	return s.flush()
}

func (s *stream) start() {
	if !s.begun {
		s.begun = true
		s.buf = s.writer.appendStart(s.buf, s.columns)
		if s.second.writer != nil {
			s.second.text = s.second.writer.appendStart(s.second.text, s.columns)[:0]
		}
	}
}

// checkBatch returns an error if the batch does not match the schema.
func (s *stream) checkBatch(b *intray.Batch) error {
	if len(b.Fields) != len(s.fields) {
		return fmt.Errorf("the batch has %d fields, and the schema %d", len(b.Fields), len(s.fields))
	}
	if !s.schema.Settings.PassThroughUnmappedColumns {
		return nil
	}
	if !s.begun {
		for _, u := range b.Unmapped {
			s.columns = append(s.columns, u.Column)
		}
		if _, book := s.writer.(*xlsxWriter); book && len(s.fields)+len(s.columns) > sheetColumns {
			return fmt.Errorf("a workbook has at most %d columns, and %d fields and %d unmapped columns are more: use another format", sheetColumns, len(s.fields), len(s.columns))
		}
	}
	if len(b.Unmapped) != len(s.columns) {
		return fmt.Errorf("the batch passes %d columns, and the first one %d", len(b.Unmapped), len(s.columns))
	}
	for i, u := range b.Unmapped {
		if u.Column != s.columns[i] {
			return fmt.Errorf("the batch passes column %d, and the first one %d", u.Column, s.columns[i])
		}
	}
	return nil
}

func (s *stream) writeBatch(ctx context.Context, b *intray.Batch) error {
	if err := s.checkBatch(b); err != nil {
		return err
	}
	s.start()
	if w, ok := s.writer.(batchWriter); ok {
		text, rows, err := w.appendBatch(s.buf, b, s.keep)
		s.buf = text
		s.rows += rows
		return err
	}
	if w, ok := s.writer.(cellWriter); ok && !s.annotated {
		s.prepared = prepareBatch(s.prepared, w, s.fields, b)
	}
	middle := b.Rows()
	if s.second.writer != nil && isWorthSplitting(b) {
		middle /= 2
		wait := s.second.start(newRowCursor(b, len(s.fields), s.prepared), middle)
		defer wait()
		if err := s.writeRows(ctx, b, middle); err != nil {
			return err
		}
		wait()
		return s.joinSecondHalf()
	}
	return s.writeRows(ctx, b, middle)
}

// writeRows writes the rows of a batch up to, but not including, end.
func (s *stream) writeRows(ctx context.Context, b *intray.Batch, end int) error {
	r := newRowCursor(b, len(s.fields), s.prepared)
	for r.index = 0; r.index < end; r.index++ {
		if err := s.writeRow(r); err != nil {
			return fmt.Errorf("row %d: %w", b.First+int64(r.index), err)
		}
		if len(s.buf) < flushBytes {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
	return r.checkEnd(end)
}

func (s *stream) writeRow(r *rowCursor) error {
	kept, err := r.advance(s.keep)
	if err != nil || !kept {
		return err
	}
	if s.buf, err = s.rowWriter.appendRow(s.buf, r, s.rows == 0); err != nil {
		return err
	}
	s.rows++
	return nil
}

func (s *stream) flush() (err error) {
	s.buf, err = s.out.submit(s.buf)
	return err
}

const (
	// minSplitRows is the minimum number of rows in a batch that two goroutines format.
	minSplitRows = 2048
	// maxSplitBytes is the maximum size of a batch that is split, in bytes. It is limited
	// because the second half is buffered until the first half is written.
	maxSplitBytes = 8 << 20
)

// halfWriter formats the second half of a batch while a different goroutine formats the
// first half.
type halfWriter struct {
	writer rowWriter
	keep   policy
	text   []byte
	rows   int64
	err    error
	// panicked is the value of a panic, for the waiting goroutine.
	panicked any
}

// newSecondWriter returns a writer for the second half of a batch. It has separate fields,
// because these must not be used concurrently.
func newSecondWriter(f Format, schema *intray.Schema) (rowWriter, error) {
	fields, err := compileFields(schema)
	if err != nil {
		return nil, err
	}
	w, err := newFileWriter(f, schema, fields)
	if err != nil {
		return nil, err
	}
	return w.(rowWriter), nil
}

// isWorthSplitting reports whether a batch has at least minSplitRows rows and at most
// maxSplitBytes of text.
func isWorthSplitting(b *intray.Batch) bool {
	if b.Rows() < minSplitRows {
		return false
	}
	size := 0
	for i := range b.Fields {
		size += b.Fields[i].Values.Bytes() + b.Fields[i].Raws.Bytes()
	}
	for i := range b.Unmapped {
		size += len(b.Unmapped[i].Cells.Arena)
	}
	return size <= maxSplitBytes
}

// start formats rows in the background. The parameter first is the index of the first of these
// rows. The batch must not change until wait returns. wait may be called more than once.
func (h *halfWriter) start(r *rowCursor, first int) (wait func()) {
	h.text, h.rows, h.err = h.text[:0], 0, nil
	var done sync.WaitGroup
	done.Go(func() {
		defer func() { h.panicked = recover() }()
		h.err = h.writeRows(r, first)
	})
	return func() {
		done.Wait()
		if p := h.panicked; p != nil {
			h.panicked = nil
			panic(p)
		}
	}
}

func (h *halfWriter) writeRows(r *rowCursor, first int) error {
	for r.problem < len(r.batch.Problems) && r.batch.Problems[r.problem].Row < first {
		r.problem++
	}
	for r.index = first; r.index < r.batch.Rows(); r.index++ {
		kept, err := r.advance(h.keep)
		if err == nil && kept {
			h.text, err = h.writer.appendRow(h.text, r, false)
			h.rows++
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", r.batch.First+int64(r.index), err)
		}
	}
	return r.checkEnd(r.batch.Rows())
}

// joinSecondHalf writes the second half of a batch after the first half.
func (s *stream) joinSecondHalf() error {
	h := &s.second
	if h.err != nil {
		return h.err
	}
	if h.rows == 0 {
		return nil
	}
	if s.rows == 0 { // the second half begins the file
		h.text = append(h.text[:0], h.text[len(h.writer.rowSeparator()):]...)
	}
	s.rows += h.rows
	if err := s.flush(); err != nil {
		return err
	}
	var err error
	h.text, err = s.out.submit(h.text)
	return err
}

// asyncWriter writes blocks in the background, so that rows can be formatted while earlier
// rows are being written.
type asyncWriter struct {
	full, free chan []byte
	failed     atomic.Pointer[error]
	done       chan struct{}
}

func newAsyncWriter(w io.Writer) *asyncWriter {
	p := &asyncWriter{full: make(chan []byte, blockCount), free: make(chan []byte, blockCount), done: make(chan struct{})}
	for range blockCount - 1 {
		p.free <- nil
	}
	go p.run(w)
	return p
}

func (p *asyncWriter) run(w io.Writer) {
	defer close(p.done)
	for b := range p.full {
		if p.failed.Load() == nil {
			if err := writeAll(w, b); err != nil {
				p.failed.Store(&err)
			}
		}
		p.free <- b[:0]
	}
}

func writeAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// submit queues a block for writing and returns an empty block. An error concerns an
// earlier block.
func (p *asyncWriter) submit(b []byte) ([]byte, error) {
	p.full <- b
	return <-p.free, p.err()
}

func (p *asyncWriter) err() error {
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// close waits for the last block and returns the first error.
func (p *asyncWriter) close() error {
	close(p.full)
	<-p.done
	return p.err()
}
