package csv

import (
	"bytes"
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
	text     []byte
	batch    intray.Records
	lines    int64
	plain    bool
	read     chan struct{}
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
		size := int(min(int64(c.size), to+tailBytes-from))
		if cap(job.text) < size {
			job.text = make([]byte, size)
		}
		job.text = job.text[:size]
		if err := readAt(c.text.in, job.text, from+int64(c.text.guess.BOM)); err != nil {
			return
		}
		end := c.lastEnd(job.text)
		if end == 0 {
			return
		}
		job.text = job.text[:end]
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
	select {
	case c.spare <- job:
	default:
	}
}

// lastEnd is the place behind the last line feed outside quotes, 0 where there
// is none.
func (c *chunks) lastEnd(text []byte) int {
	if !c.fast.quoted {
		return bytes.LastIndexByte(text, '\n') + 1
	}
	quote := []byte{c.fast.quote}
	open := bytes.Count(text, quote)%2 == 1
	for end := len(text); ; {
		feed := bytes.LastIndexByte(text[:end], '\n')
		if feed < 0 {
			return 0
		}
		if bytes.Count(text[feed:end], quote)%2 == 1 {
			open = !open
		}
		if !open {
			return feed + 1
		}
		end = feed
	}
}
