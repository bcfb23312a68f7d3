package stage

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/intraydata/intray"
)

// Batches gives the whole stage, batch by batch as it was written, with the
// problems of each. A batch is gone with the next step; meanwhile the one behind
// it is read. After an error nothing follows.
func (s *Stage) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		running, stop := context.WithCancel(ctx)
		a := ahead{free: make(chan *cursor, 2), done: make(chan step)}
		a.free <- newCursor(s)
		a.free <- newCursor(s)
		go a.read(running, s)
		defer func() {
			stop()
			for next := range a.done { // until nothing is read any more
				a.free <- next.cursor
			}
		}()
		for next := range a.done {
			if next.err == nil {
				next.err = ctx.Err()
			}
			if next.err != nil {
				yield(nil, fmt.Errorf("read the staged rows from %d on: %w", next.first, next.err))
				return
			}
			if !yield(next.batch, nil) {
				return
			}
			a.free <- next.cursor
		}
	}
}

// ahead reads batches in the background. Its two cursors go round: from free to
// the reading, to whoever takes the steps, to free.
type ahead struct {
	free chan *cursor
	done chan step
}

// step is the batch of the rows from first on, in the memory of its cursor, or
// what kept it from being read.
type step struct {
	cursor *cursor
	first  int64
	batch  *intray.Batch
	err    error
}

// read reads all batches, up to the first that fails. Every step is taken by
// somebody, so that it never waits for good.
func (a *ahead) read(ctx context.Context, s *Stage) {
	defer close(a.done)
	for i := range s.manifest.Segments {
		segment := &s.manifest.Segments[i]
		for _, g := range segment.Groups {
			next := step{cursor: <-a.free, first: g.First}
			next.read(ctx, segment, g)
			a.done <- next
			if next.err != nil {
				return
			}
		}
	}
}

// read reads the batch. A panic is an error of this stage alone, as it would be
// where the rows are asked for.
func (n *step) read(ctx context.Context, s *Segment, g Group) {
	defer func() {
		if r := recover(); r != nil {
			n.err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	n.batch, n.err = n.cursor.batch(ctx, s, g)
}
