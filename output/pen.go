package output

import (
	"io"
	"sync/atomic"
)

// pen writes blocks of text in the background, so that rows are put into words
// while others are on their way to the disk.
type pen struct {
	full, free chan []byte
	failed     atomic.Pointer[error]
	done       chan struct{}
}

func newPen(w io.Writer) *pen {
	p := &pen{full: make(chan []byte, blocks), free: make(chan []byte, blocks), done: make(chan struct{})}
	for range blocks - 1 {
		p.free <- nil
	}
	go p.run(w)
	return p
}

func (p *pen) run(w io.Writer) {
	defer close(p.done)
	for b := range p.full {
		if p.failed.Load() == nil {
			if err := write(w, b); err != nil {
				p.failed.Store(&err)
			}
		}
		p.free <- b[:0]
	}
}

func write(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// put hands over a block and gives an empty one. An error is that of a block
// before.
func (p *pen) put(b []byte) ([]byte, error) {
	p.full <- b
	return <-p.free, p.err()
}

func (p *pen) err() error {
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// close waits for the last block.
func (p *pen) close() error {
	close(p.full)
	<-p.done
	return p.err()
}
