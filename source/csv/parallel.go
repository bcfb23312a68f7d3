package csv

import (
	"context"
	"runtime"
	"sync"

	"github.com/intraydata/intray"
)

// parallelReader is how a reader lets workers read ahead, as long as all records are
// plain.
type parallelReader struct {
	text *decodedText
	// fast is nil where the dialect is not one that it reads.
	fast   *fastParser
	chunks *chunkReader
	// sequentialUntil is up to where records are read one by one.
	sequentialUntil int64
	// backoff is how much is read one by one at the next chunk that is not plain.
	// It grows while they come often.
	backoff int64
	// rowBytes is about how long a record is.
	rowBytes int
	// size is how much text a worker reads at a time, tail how much of the end of
	// the file is read one by one.
	size int
	tail int64
}

func (s *parallelReader) stop() {
	if s.chunks != nil {
		s.chunks.stop()
		s.chunks = nil
	}
}

// canResume says whether a reader is at a place where chunks can begin again.
func (s *parallelReader) canResume(r *reader) bool {
	at := r.window.offset()
	return s.fast != nil && at >= s.sequentialUntil && at < s.endOffset() && len(r.held) == 0 && r.blankRows == 0 && !r.tableEnded
}

// nextChunk gives the batch of the next chunk, if that is plain. Else the reader
// stands where it begins.
func (r *reader) nextChunk(ctx context.Context, batch *intray.Records) (bool, error) {
	s := &r.parallel
	if !s.canResume(r) {
		return false, nil
	}
	if s.chunks == nil {
		most := min(intray.BatchRows, max(intray.BatchCells/max(r.sheet.width, batch.Width, 1), 1))
		size := min(s.size, max(s.size/16, most*s.rowBytes*3/4))
		s.chunks = startChunkReader(s.text, s.fast, r.window.offset(), s.endOffset(), s.text.rawSize(size), most)
	}
	var job *chunk
	select {
	case job = <-s.chunks.ordered:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if job == nil {
		s.fallBack(r, r.window.offset(), r.window.offset()+int64(s.size))
		return false, nil
	}
	select {
	case <-job.read:
	case <-ctx.Done():
		s.fallBack(r, job.from, job.from)
		return false, ctx.Err()
	}
	if !job.plain {
		pause := s.backoff
		s.backoff = 2*pause + int64(s.size)
		s.fallBack(r, job.from, job.to+pause)
		return false, nil
	}
	s.backoff = max(0, s.backoff-int64(s.size/4))
	batch.Swap(&job.batch)
	batch.First = r.rows
	for i := range batch.Lines {
		batch.Lines[i] += r.line
	}
	r.line += job.lines
	r.cells += int64(batch.Len()) * int64(r.sheet.width)
	s.seek(r, job.to)
	s.chunks.release(job) // from here on it is another's
	return true, r.checkCellLimit()
}

// fallBack makes the reader go on one by one from a place to another.
func (s *parallelReader) fallBack(r *reader, from, until int64) {
	s.stop()
	s.sequentialUntil = until
	s.seek(r, from)
}

// seek sets the reader to a place.
func (s *parallelReader) seek(r *reader, to int64) { r.window = newWindow(s.text, to) }

// endOffset is the place from which on rows are read one by one: what stands below a
// table is there.
func (s *parallelReader) endOffset() int64 { return s.text.length() - s.tail }

const (
	// chunkSize is how much text one worker reads at a time: a batch.
	chunkSize = intray.BatchBytes
	// tailBytes is the end of a text that is read record by record: what stands
	// below a table is there.
	tailBytes = 128 << 10
)

// A chunk is a run of whole records, and what a worker made of it.
type chunk struct {
	// from and to are where it is in the text.
	from, to int64
	// raw is that part of the file, text the same as UTF-8, in memory of its own
	// where the file is written otherwise.
	raw, text []byte
	batch     intray.Records
	lines     int64
	plain     bool
	read      chan struct{}
}

// chunkReader cuts a text behind line ends outside quotes and lets workers read the
// parts side by side. It gives them in order. A text whose quotes are not as they
// should be is cut wrongly; then a chunk is not plain, and what follows it is of
// no use.
type chunkReader struct {
	text    *decodedText
	fast    *fastParser
	maxRows int
	size    int
	jobs    chan *chunk
	ordered chan *chunk
	spare   chan *chunk
	cancel  context.CancelFunc
	group   sync.WaitGroup
}

// begin starts to read the file from a place, which begins a record, up to
// another.
func startChunkReader(text *decodedText, f *fastParser, from, to int64, size, most int) *chunkReader {
	workers := max(runtime.GOMAXPROCS(0), 1)
	ctx, cancel := context.WithCancel(context.Background())
	c := &chunkReader{
		text: text, fast: f, maxRows: most, size: size, cancel: cancel,
		jobs: make(chan *chunk, workers), ordered: make(chan *chunk, workers+1), spare: make(chan *chunk, 2*workers+4),
	}
	c.group.Go(func() {
		defer close(c.jobs)
		defer close(c.ordered)
		c.produce(ctx, from, to)
	})
	for range workers {
		c.group.Go(func() {
			for job := range c.jobs {
				job.text = text.decodeChunk(job.text, job.raw)
				job.lines, job.plain = f.read(job.text, most, &job.batch)
				close(job.read)
			}
		})
	}
	return c
}

// stop stops all work and waits for it.
func (c *chunkReader) stop() {
	c.cancel()
	for range c.ordered {
	}
	c.group.Wait()
}

// produce reads chunks and hands them out. It ends where a chunk has no line end
// outside quotes, where reading fails, and at to: whoever reads on finds out why.
func (c *chunkReader) produce(ctx context.Context, from, to int64) {
	for from < to && ctx.Err() == nil {
		job := c.acquireChunk()
		size := int(min(int64(c.size), c.text.length()-from))
		if cap(job.raw) < size {
			job.raw = make([]byte, size)
		}
		job.raw = job.raw[:size]
		if err := readFullAt(c.text.in, job.raw, from+int64(c.text.guess.BOM)); err != nil {
			return
		}
		end := c.text.units.lastLineEnd(job.raw, c.fast.quote, c.fast.quoted)
		if end == 0 {
			return
		}
		job.raw = job.raw[:end]
		job.from, job.to = from, from+int64(end)
		job.read = make(chan struct{})
		select {
		case c.ordered <- job:
		case <-ctx.Done():
			return
		}
		c.jobs <- job
		from = job.to
	}
}

// acquireChunk gives a chunk whose memory can be used again.
func (c *chunkReader) acquireChunk() *chunk {
	select {
	case job := <-c.spare:
		job.batch.Reset()
		return job
	default:
		return &chunk{}
	}
}

// release hands over a batch that is no longer needed.
func (c *chunkReader) release(job *chunk) {
	job.text = job.batch.AdoptArena(nil)
	if c.text.isUTF8() {
		job.raw = job.text
	}
	select {
	case c.spare <- job:
	default:
	}
}
