package jsonrows

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
	"github.com/intraydata/intray/source"
)

const (
	// chunkBytes is the number of bytes that one worker parses at a time, which is about one
	// batch.
	chunkBytes = 1 << 20
	// minChunkBytes is the minimum size of a chunk in bytes.
	minChunkBytes = 4 << 10
	// maxWorkers is the maximum number of workers. It limits the memory for chunks.
	maxWorkers = 8
)

// pass reads the elements of a sheet once, in order. If there is one element per line, workers
// parse chunks of lines ahead. If workers cannot parse an element, the pass reads that element
// itself.
type pass struct {
	in     source.Input
	limits source.Limits
	table  tableLocation
	opts   []jsontext.Options
	// newWorker returns a function that parses chunks. Each function must be used by one
	// goroutine only.
	newWorker func() func(*chunk)
	// size is the size of a chunk in bytes, or 0 if all elements are read one by one.
	size int

	elements *elementReader
	chunks   *chunkReader
	// offset is the file offset of the next element, or of the white space before it. Elements
	// before the offset sequentialUntil are read one by one.
	offset, sequentialUntil int64
	// backoff is the number of bytes for which elements are read one by one after the next
	// element that a worker cannot parse. It grows while such elements are frequent.
	backoff int64
	// count is the number of elements read so far.
	count int64
	// times are those of all chunk readers.
	times ordered.Times
}

func newPass(b *book, p tableLocation, size int, opts ...jsontext.Options) *pass {
	if p.inArray || p.arrayElements {
		size = 0
	}
	return &pass{in: b.in, limits: b.opt.Limits, table: p, opts: opts, size: size, offset: p.start}
}

// nextChunk returns the next chunk if workers could parse all of it. It returns nil if the
// next element must be read with nextElement.
func (p *pass) nextChunk(ctx context.Context) (*chunk, error) {
	if p.size == 0 || p.offset < p.sequentialUntil {
		return nil, nil
	}
	if p.chunks == nil {
		p.elements = nil
		p.chunks = startChunkReader(&p.times, p.in, p.offset, p.size, p.newWorker)
	}
	c, err := p.chunks.Next(ctx)
	if errors.Is(err, io.EOF) {
		p.close()
		p.sequentialUntil = p.offset + int64(p.size)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !c.complete {
		p.fallBack(c)
		return nil, nil
	}
	p.backoff = max(0, p.backoff-int64(p.size)/4)
	p.offset = c.to
	p.count += c.count
	return c, nil
}

// fallBack makes the pass read elements one by one up to the element that a worker could not
// parse. If the chunk had too many rows, it makes later chunks smaller instead.
func (p *pass) fallBack(c *chunk) {
	p.close()
	if c.tooManyRows && p.size > minChunkBytes {
		p.size = max(p.size/2, minChunkBytes)
		return
	}
	p.sequentialUntil = c.badOffset + 1 + p.backoff
	p.backoff = 2*p.backoff + int64(p.size)/4
}

// nextElement reads the next element and returns its text.
func (p *pass) nextElement() ([]byte, error) {
	if p.elements == nil {
		p.elements = newElementReader(p.in, p.limits, p.table, p.opts...)
		p.elements.seek(p.offset, p.count)
	}
	text, err := p.elements.next()
	p.count = p.elements.count
	p.offset = p.elements.endOffset()
	return text, err
}

// close stops the workers.
func (p *pass) close() {
	if p.chunks != nil {
		p.chunks.Close()
		p.chunks = nil
	}
}

// Busy returns the times for splitting the file into chunks and for reading these.
func (r *reader) Busy() (split, read time.Duration) { return r.pass.times.Busy() }

// chunk is a run of whole lines with the data that a worker parsed from it.
type chunk struct {
	// from and to are the offsets of the start and the end of the chunk in the file.
	from, to int64
	// text is nil while the batch owns it.
	text []byte
	// count is the number of elements in the chunk.
	count int64
	// complete reports whether the text could be read and all elements were parsed. If it is false, badOffset is the file
	// offset of the first element that was not parsed, and tooManyRows reports whether the
	// maximum number of rows was the reason.
	complete    bool
	badOffset   int64
	tooManyRows bool
	// The first pass fills observations, and the second pass fills batch.
	batch        intray.Records
	observations []observation
}

// chunkReader splits a file after line ends, and workers read and parse the chunks.
type chunkReader struct {
	*ordered.Results[*chunk]
	in source.Input
	// at is the offset of the next chunk.
	at    int64
	size  int
	spare chan *chunk
	// tail holds the end of a chunk.
	tail []byte
}

// startChunkReader starts reading at an offset in the file, which must be the start of a line.
func startChunkReader(times *ordered.Times, in source.Input, from int64, size int, newWorker func() func(*chunk)) *chunkReader {
	workers := min(max(runtime.GOMAXPROCS(0), 1), maxWorkers)
	size = int(min(int64(size), in.Size-from))
	r := &chunkReader{in: in, at: from, size: size, spare: make(chan *chunk, 2*workers+4)}
	next, newReader := ordered.Measure(times, r.cutChunk, func() func(context.Context, *chunk) (*chunk, error) {
		parse := newWorker()
		return func(_ context.Context, c *chunk) (*chunk, error) {
			if cap(c.text) < size+textSlack {
				c.text = make([]byte, size+textSlack)
			}
			c.text = c.text[:c.to-c.from]
			if c.badOffset = c.from; readFullAt(in, c.text, c.from) == nil {
				parse(c)
			}
			return c, nil
		}
	})
	r.Results = ordered.Start(context.Background(), workers, workers+3, next, newReader)
	return r
}

// lineEndBytes is the number of bytes at the end of a chunk in which its last line end is searched. If there
// is none, that number grows by lineEndGrowth.
const lineEndBytes, lineEndGrowth = 4 << 10, 16

// cutChunk returns the next chunk, which is not read yet. It returns io.EOF at the end, if a chunk has no
// line end, or if reading fails. The sequential reader then continues at that offset and
// reports any error.
func (r *chunkReader) cutChunk(context.Context) (*chunk, error) {
	end := min(r.at+int64(r.size), r.in.Size)
	for reach := int64(lineEndBytes); r.at < end; reach *= lineEndGrowth {
		from := max(r.at, end-reach)
		r.tail = slices.Grow(r.tail[:0], int(end-from))[:end-from]
		if err := readFullAt(r.in, r.tail, from); err != nil {
			return nil, io.EOF
		}
		if line := bytes.LastIndexByte(r.tail, '\n') + 1; line > 0 {
			c := r.newChunk()
			*c = chunk{from: r.at, to: from + int64(line), text: c.text, batch: c.batch, observations: c.observations[:0]}
			r.at = c.to
			return c, nil
		}
		if from == r.at {
			break
		}
	}
	return nil, io.EOF
}

// newChunk returns an empty chunk. It reuses the memory of a recycled chunk if possible.
func (r *chunkReader) newChunk() *chunk {
	select {
	case c := <-r.spare:
		return c
	default:
		return &chunk{}
	}
}

// recycle makes the memory of a chunk available to later chunks. The caller must not use the
// chunk again. It may have exchanged the chunk's batch for another one before the call.
func (r *chunkReader) recycle(c *chunk) {
	c.batch.Reset()
	if c.text == nil {
		c.text = c.batch.AdoptArena(nil)
	}
	clear(c.observations)
	select {
	case r.spare <- c:
	default:
	}
}
