package jsonrows

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

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
