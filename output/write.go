package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"time"

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
	return write(ctx, w, f, schema, nil, batches, &Times{})
}

// Times are the times of the parts of writing a file. They include the time in which goroutines waited for
// a processor or the disk.
type Times struct {
	// Format is the time of formatting rows, added over all goroutines. SerialFormat reports that only one
	// goroutine formats rows.
	Format       time.Duration
	SerialFormat bool
	// Write is the time of writing the formatted rows. Only one goroutine writes.
	Write time.Duration
}

// WriteTimed is like [Write], and adds the times of its parts to times.
func WriteTimed(ctx context.Context, w io.Writer, f Format, schema *intray.Schema, batches iter.Seq2[*intray.Batch, error], times *Times) (rows int64, err error) {
	return write(ctx, w, f, schema, nil, batches, times)
}

// write writes a file. columns is nil unless the file is a workbook with annotations.
func write(ctx context.Context, w io.Writer, f Format, schema *intray.Schema, columns []SheetColumn, batches iter.Seq2[*intray.Batch, error], times *Times) (rows int64, err error) {
	t := table{schema: schema}
	if t.keep, err = policyFor(schema.Settings.InvalidDataBehavior); err == nil {
		t.fields, err = compileFields(schema)
	}
	switch {
	case err != nil:
	case f == XLSX || f == Parquet:
		rows, err = t.writeBinary(ctx, w, f, columns, batches, times)
	default:
		rows, err = t.writeText(ctx, w, f, batches, times)
	}
	if err != nil {
		err = fmt.Errorf("write %s: %w", f, err)
	}
	return rows, err
}

// table is a table that is being written.
type table struct {
	schema *intray.Schema
	fields []field
	keep   policy
	begun  bool
	// columns are the unmapped columns of the first batch. All other batches must have the
	// same columns.
	columns []int
}

// check returns an error if a batch does not match the schema or the first batch.
func (t *table) check(b *intray.Batch) error {
	if len(b.Fields) != len(t.fields) {
		return fmt.Errorf("the batch has %d fields, and the schema %d", len(b.Fields), len(t.fields))
	}
	first := !t.begun
	t.begun = true
	if !t.schema.Settings.PassThroughUnmappedColumns {
		return nil
	}
	if first {
		for _, u := range b.Unmapped {
			t.columns = append(t.columns, u.Column)
		}
	}
	if len(b.Unmapped) != len(t.columns) {
		return fmt.Errorf("the batch passes %d columns, and the first one %d", len(b.Unmapped), len(t.columns))
	}
	for i, u := range b.Unmapped {
		if u.Column != t.columns[i] {
			return fmt.Errorf("the batch passes column %d, and the first one %d", u.Column, t.columns[i])
		}
	}
	return nil
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

// writeBinary writes a workbook or a Parquet file. Its rows are formatted by one goroutine, because rows of a
// workbook are numbered, and Parquet stores rows column by column.
func (t *table) writeBinary(ctx context.Context, w io.Writer, f Format, columns []SheetColumn, batches iter.Seq2[*intray.Batch, error], times *Times) (_ int64, err error) {
	s := &stream{table: t}
	if s.writer, err = newFileWriter(f, t.schema, t.fields); err != nil {
		return 0, err
	}
	s.rowWriter, _ = s.writer.(rowWriter)
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
		times.SerialFormat = true
		times.Format += s.formatting
		times.Write += s.out.writing
	}()
	err = s.writeBatches(ctx, batches)
	return s.rows, err
}

// stream is the state of a workbook or a Parquet file that is being written.
type stream struct {
	*table
	out    *asyncWriter
	writer fileWriter
	// rowWriter is writer, or nil if it is a batchWriter.
	rowWriter rowWriter
	buf       []byte
	// prepared holds the formatted cells of the current batch. It is empty if the file is annotated,
	// because the format of a cell then depends on its problems.
	prepared  []preparedColumn
	annotated bool
	started   bool
	rows      int64
	// formatting is the time that writeBatch took.
	formatting time.Duration
}

func (s *stream) writeBatches(ctx context.Context, batches iter.Seq2[*intray.Batch, error]) error {
	for b, err := range batches {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			start := time.Now()
			err = s.writeBatch(ctx, b)
			s.formatting += time.Since(start)
		}
		if err != nil {
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
	if !s.started {
		s.started = true
		s.buf = s.writer.appendStart(s.buf, s.columns)
	}
}

func (s *stream) writeBatch(ctx context.Context, b *intray.Batch) error {
	if err := s.check(b); err != nil {
		return err
	}
	if _, book := s.writer.(*xlsxWriter); book && len(s.fields)+len(s.columns) > sheetColumns {
		return fmt.Errorf("a workbook has at most %d columns, and %d fields and %d unmapped columns are more: use another format", sheetColumns, len(s.fields), len(s.columns))
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
	return s.writeRows(ctx, b)
}

func (s *stream) writeRows(ctx context.Context, b *intray.Batch) error {
	r := newRowCursor(b, len(s.fields), s.prepared)
	for r.index = 0; r.index < b.Rows(); r.index++ {
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
	return r.checkEnd()
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

// asyncWriter writes blocks in the background, so that rows can be formatted while earlier
// rows are being written.
type asyncWriter struct {
	full, free chan []byte
	failed     atomic.Pointer[error]
	done       chan struct{}
	// writing is the time of all writes. It is set once done is closed.
	writing time.Duration
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
			start := time.Now()
			if err := writeAll(w, b); err != nil {
				p.failed.Store(&err)
			}
			p.writing += time.Since(start)
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
