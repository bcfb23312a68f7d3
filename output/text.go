package output

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
)

const (
	// maxFormatters is the maximum number of goroutines that format rows. Each needs a few megabytes.
	maxFormatters = 4
	// chunkBytes is the size from which the text of a batch is written before its last row is formatted.
	chunkBytes = 4 << 20
)

// textWriter is a cellWriter for a text format. Each goroutine has its own.
type textWriter interface {
	cellWriter
	// rowSeparator returns the text that appendRow appends before every row except the first.
	rowSeparator() string
}

// writeText writes a text file. Goroutines format whole batches, and one goroutine writes them in order.
func (t *table) writeText(ctx context.Context, w io.Writer, f Format, batches iter.Seq2[*intray.Batch, error], times *Times) (int64, error) {
	writer, err := newTextWriter(f, t.schema, t.fields)
	if err != nil {
		return 0, err
	}
	s := &textStream{
		table: t, format: f, w: w, separator: writer.rowSeparator(),
		tasks: make(chan *textTask, maxFormatters+1), order: make(chan *textTask, min(runtime.GOMAXPROCS(0), maxFormatters)),
		failed: make(chan struct{}), done: make(chan struct{}),
	}
	err = s.formatBatches(ctx, writer, batches)
	if s.panicked != nil {
		panic(s.panicked)
	}
	if err = cmp.Or(s.err, err, ctx.Err()); err == nil {
		if !s.started {
			s.pending = writer.appendStart(s.pending, t.columns)
		}
		if s.pending, err = writer.appendEnd(s.pending, s.rows); err == nil {
			err = s.flush()
		}
	}
	times.Format += time.Duration(s.formatting.Load())
	times.Write += s.writing
	return s.rows, err
}

func newTextWriter(f Format, schema *intray.Schema, fields []field) (textWriter, error) {
	w, err := newFileWriter(f, schema, fields)
	if err != nil {
		return nil, err
	}
	return w.(textWriter), nil
}

// textStream is the state of a text file that is being written.
type textStream struct {
	*table
	format    Format
	separator string
	// tasks and order both receive every batch: tasks for the formatters, and order for the goroutine that
	// writes.
	tasks, order chan *textTask
	formatters   sync.WaitGroup
	running      int
	formatting   atomic.Int64
	started      bool
	// failed is closed after the first error, and done when everything is written.
	failed, done chan struct{}

	// The goroutine that writes uses these fields until done is closed.
	w io.Writer
	// pending is text that is written with the next chunk, because it is short.
	pending  []byte
	rows     int64
	err      error
	panicked any
	writing  time.Duration
}

// textTask is a batch to format. release must be called once the batch is not needed any longer.
type textTask struct {
	batch   *intray.Batch
	release func()
	// chunks receives the text of the rows. It is closed after the last chunk.
	chunks chan textChunk
}

// textChunk is the text of rows. Each row follows a separator.
type textChunk struct {
	text []byte
	rows int64
	// err and panicked report why there are no more rows.
	err      error
	panicked any
	// free receives the memory of text when it is written.
	free chan []byte
}

// formatBatches passes all batches to the formatters and waits for all goroutines.
func (s *textStream) formatBatches(ctx context.Context, first textWriter, batches iter.Seq2[*intray.Batch, error]) error {
	go s.writeChunks()
	defer func() {
		close(s.tasks)
		close(s.order)
		s.formatters.Wait()
		<-s.done
	}()
	for b, err := range batches {
		if err == nil {
			err = cmp.Or(ctx.Err(), s.check(b))
		}
		if err == nil {
			err = s.startFormatter(ctx, first)
		}
		if err != nil {
			return err
		}
		t := &textTask{chunks: make(chan textChunk, 1)}
		t.batch, t.release = b.Keep()
		select {
		case s.order <- t:
			s.tasks <- t // has room for all tasks that are in order, and for the one that is being written
		case <-s.failed:
			t.release()
			return nil
		}
	}
	return nil
}

// startFormatter starts a formatter, unless there are enough.
func (s *textStream) startFormatter(ctx context.Context, w textWriter) error {
	if s.running == cap(s.order) {
		return nil
	}
	f := &formatter{stream: s, fields: s.fields, writer: w, free: make(chan []byte, 2)}
	if s.running++; s.running > 1 { // fields and writers must not be used concurrently
		var err error
		if f.fields, err = compileFields(s.schema); err != nil {
			return err
		}
		if f.writer, err = newTextWriter(s.format, s.schema, f.fields); err != nil {
			return err
		}
	}
	start := f.writer.appendStart(nil, s.columns)
	if !s.started {
		s.started = true
		t := &textTask{chunks: make(chan textChunk, 1)}
		t.chunks <- textChunk{text: start, free: make(chan []byte, 1)}
		close(t.chunks)
		s.order <- t
	}
	f.free <- nil
	f.free <- nil
	s.formatters.Go(func() {
		for t := range s.tasks {
			f.format(ctx, t)
		}
	})
	return nil
}

// writeChunks writes the text of all batches.
func (s *textStream) writeChunks() {
	defer close(s.done)
	for t := range s.order {
		for c := range t.chunks {
			if s.err == nil && s.panicked == nil {
				s.writeChunk(c)
			}
			if cap(c.text) > 2*chunkBytes {
				c.text = nil
			}
			c.free <- c.text[:0]
		}
	}
}

func (s *textStream) writeChunk(c textChunk) {
	text := c.text
	if s.rows == 0 && c.rows > 0 {
		text = text[len(s.separator):]
	}
	s.rows += c.rows
	if s.err = cmp.Or(s.appendText(text), c.err); s.err != nil || c.panicked != nil {
		s.panicked = c.panicked
		close(s.failed)
	}
}

// appendText writes text, unless it is short.
func (s *textStream) appendText(text []byte) error {
	if len(s.pending)+len(text) < flushBytes {
		s.pending = append(s.pending, text...)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	start := time.Now()
	defer func() { s.writing += time.Since(start) }()
	return writeAll(s.w, text)
}

func (s *textStream) flush() error {
	start := time.Now()
	defer func() { s.writing += time.Since(start) }()
	text := s.pending
	s.pending = s.pending[:0]
	if len(text) == 0 {
		return nil
	}
	return writeAll(s.w, text)
}

// formatter formats batches.
type formatter struct {
	stream   *textStream
	fields   []field
	writer   textWriter
	prepared []preparedColumn
	// free holds buffers for text. One is filled while the other is being written.
	free chan []byte
}

// format formats the rows of a batch.
func (f *formatter) format(ctx context.Context, t *textTask) {
	defer close(t.chunks)
	defer t.release()
	c := textChunk{free: f.free}
	select {
	case <-f.stream.failed:
		return
	case c.text = <-f.free:
	}
	start := time.Now()
	func() {
		defer func() { c.panicked = recover() }()
		c.err = f.appendRows(ctx, t, &c)
	}()
	f.stream.formatting.Add(int64(time.Since(start)))
	t.chunks <- c
}

// appendRows appends the rows of a batch to a chunk. It sends the chunk and begins the next whenever it is large.
func (f *formatter) appendRows(ctx context.Context, t *textTask, c *textChunk) error {
	f.prepared = prepareBatch(f.prepared, f.writer, f.fields, t.batch)
	r := newRowCursor(t.batch, len(f.fields), f.prepared)
	for r.index = 0; r.index < t.batch.Rows(); r.index++ {
		kept, err := r.advance(f.stream.keep)
		if err == nil && kept {
			c.text, err = f.writer.appendRow(c.text, r, false)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", t.batch.First+int64(r.index), err)
		}
		if kept {
			c.rows++
		}
		if len(c.text) < chunkBytes {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t.chunks <- *c
		c.text, c.rows = <-f.free, 0
	}
	return r.checkEnd()
}
