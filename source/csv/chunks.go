package csv

import (
	"context"
	"runtime"
	"sync"

	"github.com/intraydata/intray"
)

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
