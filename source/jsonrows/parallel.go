package jsonrows

import (
	"bytes"
	"context"
	"runtime"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// chunkBytes is how much text one worker reads at a time: about a batch.
const chunkBytes = 1 << 20

// A pass goes once through the elements of a sheet. Where they stand one per
// line, workers read ahead; what they cannot read is read one by one.
type pass struct {
	in     source.Input
	limits source.Limits
	part   part
	opts   []jsontext.Options
	// work makes a worker.
	work func() func(*chunk)
	// size is how much text one worker reads at a time, 0 for none.
	size int

	elements *elements
	ahead    *ahead
	// at is where the next element is looked for, until is up to where they are
	// read one by one.
	at, until int64
	// pause is how much more is read one by one at the next trouble. It grows
	// while there is much of it.
	pause int64
	// count is the number of elements behind.
	count int64
}

func newPass(b *book, p part, size int, opts ...jsontext.Options) *pass {
	if p.array || p.rows {
		size = 0
	}
	return &pass{in: b.in, limits: b.opt.Limits, part: p, opts: opts, size: size, at: p.start}
}

// chunk gives the next chunk, all of it read, or nil where the next element is
// to be read on its own.
func (p *pass) chunk(ctx context.Context) (*chunk, error) {
	if p.size == 0 || p.at < p.until {
		return nil, nil
	}
	if p.ahead == nil {
		p.elements = nil
		p.ahead = beginAhead(p.in, p.at, p.size, p.work)
	}
	var job *chunk
	select {
	case job = <-p.ahead.ordered:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if job == nil {
		p.close()
		p.until = p.at + int64(p.size)
		return nil, nil
	}
	<-job.read
	if !job.plain {
		p.back(job)
		return nil, nil
	}
	p.pause = max(0, p.pause-int64(p.size)/4)
	p.at = job.to
	p.count += job.count
	return job, nil
}

// back goes on one by one up to behind the trouble in a chunk.
func (p *pass) back(job *chunk) {
	p.close()
	if job.crowded && p.size > leastChunk {
		p.size = max(p.size/2, leastChunk)
		return
	}
	p.until = job.bad + 1 + p.pause
	p.pause = 2*p.pause + int64(p.size)/4
}

// element gives the text of the next element, read on its own.
func (p *pass) element() ([]byte, error) {
	if p.elements == nil {
		p.elements = newElements(p.in, p.limits, p.part, p.opts...)
		p.elements.begin(p.at, p.count)
	}
	text, err := p.elements.next()
	p.count = p.elements.count
	p.at = p.elements.end()
	return text, err
}

// close stops all work ahead.
func (p *pass) close() {
	if p.ahead != nil {
		p.ahead.end()
		p.ahead = nil
	}
}

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
