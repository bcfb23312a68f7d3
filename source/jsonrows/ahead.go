package jsonrows

import (
	"bytes"
	"context"
	"runtime"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// mostWorkers bounds the memory that reading ahead takes.
	mostWorkers = 8
	// leastChunk is the least text that is cut off for a worker.
	leastChunk = 4 << 10
)

// A chunk is a run of lines and what a worker made of it.
type chunk struct {
	// from and to are where it is in the file.
	from, to int64
	// text is nil where the batch owns it.
	text []byte
	// count is the number of its elements.
	count int64
	// plain says that all of it is read. Else bad is the place in the file of
	// the element that could not be, and crowded says that there were merely
	// too many.
	plain   bool
	bad     int64
	crowded bool
	// batch is what the second pass makes of it, met what the first does.
	batch intray.Records
	met   []met
	read  chan struct{}
}

// ahead cuts a file behind line ends and lets workers read the parts side by
// side. It gives them in order.
type ahead struct {
	in      source.Input
	size    int
	jobs    chan *chunk
	ordered chan *chunk
	spare   chan *chunk
	cancel  context.CancelFunc
	group   sync.WaitGroup
}

// beginAhead begins at a place of the file. Each worker has a function of its
// own to read with.
func beginAhead(in source.Input, from int64, size int, work func() func(*chunk)) *ahead {
	workers := min(max(runtime.GOMAXPROCS(0), 1), mostWorkers)
	ctx, cancel := context.WithCancel(context.Background())
	a := &ahead{
		in: in, size: size, cancel: cancel,
		jobs: make(chan *chunk, workers), ordered: make(chan *chunk, workers+1), spare: make(chan *chunk, 2*workers+4),
	}
	a.group.Go(func() {
		defer close(a.jobs)
		defer close(a.ordered)
		a.cut(ctx, from)
	})
	for range workers {
		read := work()
		a.group.Go(func() {
			for job := range a.jobs {
				read(job)
				close(job.read)
			}
		})
	}
	return a
}

// end stops all work and waits for it.
func (a *ahead) end() {
	a.cancel()
	for range a.ordered {
	}
	a.group.Wait()
}

// cut reads chunks and hands them out. It ends where a chunk has no line end or
// reading fails: whoever reads on finds out why.
func (a *ahead) cut(ctx context.Context, from int64) {
	for from < a.in.Size && ctx.Err() == nil {
		job := a.take()
		size := int(min(int64(a.size), a.in.Size-from))
		if cap(job.text) < size {
			job.text = make([]byte, size)
		}
		job.text = job.text[:size]
		if err := readAt(a.in, job.text, from); err != nil {
			return
		}
		end := bytes.LastIndexByte(job.text, '\n') + 1
		if end == 0 {
			return
		}
		*job = chunk{from: from, to: from + int64(end), text: job.text[:end], batch: job.batch, met: job.met[:0], read: make(chan struct{})}
		select {
		case a.ordered <- job:
		case <-ctx.Done():
			return
		}
		a.jobs <- job
		from = job.to
	}
}

// take gives a chunk whose memory can be used again.
func (a *ahead) take() *chunk {
	select {
	case job := <-a.spare:
		return job
	default:
		return &chunk{}
	}
}

// giveBack hands over a chunk that is no longer needed. Its batch may have been
// exchanged for another.
func (a *ahead) giveBack(job *chunk) {
	job.batch.Reset()
	if job.text == nil {
		job.text = job.batch.Adopt(nil)
	}
	clear(job.met)
	select {
	case a.spare <- job:
	default:
	}
}
