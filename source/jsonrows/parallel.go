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
	table  tableLocation
	opts   []jsontext.Options
	// newWorker makes a worker.
	newWorker func() func(*chunk)
	// size is how much text one worker reads at a time, 0 for none.
	size int

	elements *elementReader
	chunks   *chunkReader
	// offset is where the next element is looked for, until is up to where they are
	// read one by one.
	offset, sequentialUntil int64
	// backoff is how much more is read one by one at the next trouble. It grows
	// while there is much of it.
	backoff int64
	// count is the number of elements behind.
	count int64
}

func newPass(b *book, p tableLocation, size int, opts ...jsontext.Options) *pass {
	if p.inArray || p.arrayElements {
		size = 0
	}
	return &pass{in: b.in, limits: b.opt.Limits, table: p, opts: opts, size: size, offset: p.start}
}

// nextChunk gives the next chunk, all of it read, or nil where the next element is
// to be read on its own.
func (p *pass) nextChunk(ctx context.Context) (*chunk, error) {
	if p.size == 0 || p.offset < p.sequentialUntil {
		return nil, nil
	}
	if p.chunks == nil {
		p.elements = nil
		p.chunks = startChunkReader(p.in, p.offset, p.size, p.newWorker)
	}
	var job *chunk
	select {
	case job = <-p.chunks.ordered:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if job == nil {
		p.close()
		p.sequentialUntil = p.offset + int64(p.size)
		return nil, nil
	}
	<-job.read
	if !job.complete {
		p.fallBack(job)
		return nil, nil
	}
	p.backoff = max(0, p.backoff-int64(p.size)/4)
	p.offset = job.to
	p.count += job.count
	return job, nil
}

// fallBack goes on one by one up to behind the trouble in a chunk.
func (p *pass) fallBack(job *chunk) {
	p.close()
	if job.tooManyRows && p.size > minChunkBytes {
		p.size = max(p.size/2, minChunkBytes)
		return
	}
	p.sequentialUntil = job.badOffset + 1 + p.backoff
	p.backoff = 2*p.backoff + int64(p.size)/4
}

// nextElement gives the text of the next element, read on its own.
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

// close stops all work ahead.
func (p *pass) close() {
	if p.chunks != nil {
		p.chunks.stop()
		p.chunks = nil
	}
}

const (
	// maxWorkers bounds the memory that reading ahead takes.
	maxWorkers = 8
	// minChunkBytes is the least text that is cut off for a worker.
	minChunkBytes = 4 << 10
)

// A chunk is a run of lines and what a worker made of it.
type chunk struct {
	// from and to are where it is in the file.
	from, to int64
	// text is nil where the batch owns it.
	text []byte
	// count is the number of its elements.
	count int64
	// complete says that all of it is read. Else bad is the place in the file of
	// the element that could not be, and crowded says that there were merely
	// too many.
	complete    bool
	badOffset   int64
	tooManyRows bool
	// batch is what the second pass makes of it, met what the first does.
	batch        intray.Records
	observations []observation
	read         chan struct{}
}

// chunkReader cuts a file behind line ends and lets workers read the parts side by
// side. It gives them in order.
type chunkReader struct {
	in      source.Input
	size    int
	jobs    chan *chunk
	ordered chan *chunk
	spare   chan *chunk
	cancel  context.CancelFunc
	group   sync.WaitGroup
}

// startChunkReader begins at a place of the file. Each worker has a function of its
// own to read with.
func startChunkReader(in source.Input, from int64, size int, work func() func(*chunk)) *chunkReader {
	workers := min(max(runtime.GOMAXPROCS(0), 1), maxWorkers)
	ctx, cancel := context.WithCancel(context.Background())
	a := &chunkReader{
		in: in, size: size, cancel: cancel,
		jobs: make(chan *chunk, workers), ordered: make(chan *chunk, workers+1), spare: make(chan *chunk, 2*workers+4),
	}
	a.group.Go(func() {
		defer close(a.jobs)
		defer close(a.ordered)
		a.produce(ctx, from)
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

// stop stops all work and waits for it.
func (a *chunkReader) stop() {
	a.cancel()
	for range a.ordered {
	}
	a.group.Wait()
}

// produce reads chunks and hands them out. It ends where a chunk has no line end or
// reading fails: whoever reads on finds out why.
func (a *chunkReader) produce(ctx context.Context, from int64) {
	for from < a.in.Size && ctx.Err() == nil {
		job := a.acquireChunk()
		size := int(min(int64(a.size), a.in.Size-from))
		if cap(job.text) < size {
			job.text = make([]byte, size)
		}
		job.text = job.text[:size]
		if err := readFullAt(a.in, job.text, from); err != nil {
			return
		}
		end := bytes.LastIndexByte(job.text, '\n') + 1
		if end == 0 {
			return
		}
		*job = chunk{from: from, to: from + int64(end), text: job.text[:end], batch: job.batch, observations: job.observations[:0], read: make(chan struct{})}
		select {
		case a.ordered <- job:
		case <-ctx.Done():
			return
		}
		a.jobs <- job
		from = job.to
	}
}

// acquireChunk gives a chunk whose memory can be used again.
func (a *chunkReader) acquireChunk() *chunk {
	select {
	case job := <-a.spare:
		return job
	default:
		return &chunk{}
	}
}

// release hands over a chunk that is no longer needed. Its batch may have been
// exchanged for another.
func (a *chunkReader) release(job *chunk) {
	job.batch.Reset()
	if job.text == nil {
		job.text = job.batch.AdoptArena(nil)
	}
	clear(job.observations)
	select {
	case a.spare <- job:
	default:
	}
}
