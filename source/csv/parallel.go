package csv

import (
	"context"
	"runtime"
	"sync"

	"github.com/intraydata/intray"
)

// sideBySide is how a reader lets workers read ahead, as long as all records are
// plain.
type sideBySide struct {
	text *decoded
	// fast is nil where the dialect is not one that it reads.
	fast   *fast
	chunks *chunks
	// until is up to where records are read one by one.
	until int64
	// pause is how much is read one by one at the next chunk that is not plain.
	// It grows while they come often.
	pause int64
	// rowBytes is about how long a record is.
	rowBytes int
	// size is how much text a worker reads at a time, tail how much of the end of
	// the file is read one by one.
	size int
	tail int64
}

func (s *sideBySide) stop() {
	if s.chunks != nil {
		s.chunks.end()
		s.chunks = nil
	}
}

// mayGoOn says whether a reader is at a place where chunks can begin again.
func (s *sideBySide) mayGoOn(r *reader) bool {
	at := r.w.place()
	return s.fast != nil && at >= s.until && at < s.end() && len(r.held) == 0 && r.blanks == 0 && !r.ended
}

// nextChunk gives the batch of the next chunk, if that is plain. Else the reader
// stands where it begins.
func (r *reader) nextChunk(ctx context.Context, batch *intray.Records) (bool, error) {
	s := &r.side
	if !s.mayGoOn(r) {
		return false, nil
	}
	if s.chunks == nil {
		most := min(intray.BatchRows, max(intray.BatchCells/max(r.sheet.width, batch.Width, 1), 1))
		size := min(s.size, max(s.size/16, most*s.rowBytes*3/4))
		s.chunks = beginChunks(s.text, s.fast, r.w.place(), s.end(), s.text.rawSize(size), most)
	}
	var job *chunk
	select {
	case job = <-s.chunks.ordered:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if job == nil {
		s.back(r, r.w.place(), r.w.place()+int64(s.size))
		return false, nil
	}
	select {
	case <-job.read:
	case <-ctx.Done():
		s.back(r, job.from, job.from)
		return false, ctx.Err()
	}
	if !job.plain {
		pause := s.pause
		s.pause = 2*pause + int64(s.size)
		s.back(r, job.from, job.to+pause)
		return false, nil
	}
	s.pause = max(0, s.pause-int64(s.size/4))
	batch.Swap(&job.batch)
	batch.First = r.rows
	for i := range batch.Lines {
		batch.Lines[i] += r.line
	}
	r.line += job.lines
	r.cells += int64(batch.Len()) * int64(r.sheet.width)
	s.move(r, job.to)
	s.chunks.giveBack(job) // from here on it is another's
	return true, r.counted()
}

// back makes the reader go on one by one from a place to another.
func (s *sideBySide) back(r *reader, from, until int64) {
	s.stop()
	s.until = until
	s.move(r, from)
}

// move sets the reader to a place.
func (s *sideBySide) move(r *reader, to int64) { r.w = windowAt(s.text, to) }

// end is the place from which on rows are read one by one: what stands below a
// table is there.
func (s *sideBySide) end() int64 { return s.text.length() - s.tail }

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

// chunks cuts a text behind line ends outside quotes and lets workers read the
// parts side by side. It gives them in order. A text whose quotes are not as they
// should be is cut wrongly; then a chunk is not plain, and what follows it is of
// no use.
type chunks struct {
	text    *decoded
	fast    *fast
	most    int
	size    int
	jobs    chan *chunk
	ordered chan *chunk
	spare   chan *chunk
	cancel  context.CancelFunc
	group   sync.WaitGroup
}

// begin starts to read the file from a place, which begins a record, up to
// another.
func beginChunks(text *decoded, f *fast, from, to int64, size, most int) *chunks {
	workers := max(runtime.GOMAXPROCS(0), 1)
	ctx, cancel := context.WithCancel(context.Background())
	c := &chunks{
		text: text, fast: f, most: most, size: size, cancel: cancel,
		jobs: make(chan *chunk, workers), ordered: make(chan *chunk, workers+1), spare: make(chan *chunk, 2*workers+4),
	}
	c.group.Go(func() {
		defer close(c.jobs)
		defer close(c.ordered)
		c.cut(ctx, from, to)
	})
	for range workers {
		c.group.Go(func() {
			for job := range c.jobs {
				job.text = text.decode(job.text, job.raw)
				job.lines, job.plain = f.read(job.text, most, &job.batch)
				close(job.read)
			}
		})
	}
	return c
}

// end stops all work and waits for it.
func (c *chunks) end() {
	c.cancel()
	for range c.ordered {
	}
	c.group.Wait()
}

// cut reads chunks and hands them out. It ends where a chunk has no line end
// outside quotes, where reading fails, and at to: whoever reads on finds out why.
func (c *chunks) cut(ctx context.Context, from, to int64) {
	for from < to && ctx.Err() == nil {
		job := c.take()
		size := int(min(int64(c.size), c.text.length()-from))
		if cap(job.raw) < size {
			job.raw = make([]byte, size)
		}
		job.raw = job.raw[:size]
		if err := readAt(c.text.in, job.raw, from+int64(c.text.guess.BOM)); err != nil {
			return
		}
		end := c.text.units.lastEnd(job.raw, c.fast.quote, c.fast.quoted)
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

// take gives a chunk whose memory can be used again.
func (c *chunks) take() *chunk {
	select {
	case job := <-c.spare:
		job.batch.Reset()
		return job
	default:
		return &chunk{}
	}
}

// giveBack hands over a batch that is no longer needed.
func (c *chunks) giveBack(job *chunk) {
	job.text = job.batch.Adopt(nil)
	if c.text.direct() {
		job.raw = job.text
	}
	select {
	case c.spare <- job:
	default:
	}
}
