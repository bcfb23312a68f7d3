// Package ordered processes a sequence of items on several goroutines and returns the
// results in the order of the items.
//
// [Start] begins the work and [Results.Next] returns one result after the other. The
// number of items that are in progress or wait for their turn is bounded, so a slow
// consumer stops the producer. The first error in the order of the items ends the
// results, whichever error occurs first.
//
// The package neither combines results nor recycles items.
package ordered

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Results are the results of the items, in order. Next and Close must not be called
// concurrently.
type Results[Out any] struct {
	// order holds the items in progress. It is closed after the last one, when end is set.
	order chan *task[Out]
	end   error
	// slots has one element for each item that was requested and not returned by Next.
	slots   chan struct{}
	current *task[Out]
	err     error
	cancel  context.CancelFunc
	// stopped is closed when the producer and all workers have returned.
	stopped chan struct{}
}

type task[Out any] struct {
	out  Out
	err  error
	done chan struct{}
}

// PanicError is the value with which Next panics if next or a worker panicked.
type PanicError struct {
	Value any
	// Stack is the stack of the goroutine that panicked.
	Stack []byte
}

func (p *PanicError) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Start calls next on one goroutine until it returns io.EOF or another error, and passes
// the items to workers. It calls newWorker once for each worker before it returns, so a
// worker can own state. At most limit items are between next and Results.Next. Both
// workers and limit are at least 1.
//
// After an error of a worker next is not called again. All functions get a context that
// ends with ctx or when Close is called, and must return soon after that. The caller must
// call Close.
func Start[In, Out any](ctx context.Context, workers, limit int, next func(context.Context) (In, error), newWorker func() func(context.Context, In) (Out, error)) *Results[Out] {
	type job struct {
		in In
		*task[Out]
	}
	workers, limit = max(workers, 1), max(limit, 1)
	ctx, cancel := context.WithCancel(ctx)
	reading, stopReading := context.WithCancel(ctx)
	r := &Results[Out]{
		order: make(chan *task[Out], limit), slots: make(chan struct{}, limit),
		cancel: cancel, stopped: make(chan struct{}),
	}
	jobs := make(chan job, limit)
	var group sync.WaitGroup
	for range workers {
		work := newWorker()
		group.Go(func() {
			for j := range jobs {
				if j.err = ctx.Err(); j.err == nil {
					j.err = recoverPanic(func() (err error) {
						j.out, err = work(ctx, j.in)
						return err
					})
				}
				if j.err != nil {
					stopReading()
				}
				close(j.done)
			}
		})
	}
	go func() {
		defer close(r.stopped)
		r.end = recoverPanic(func() error {
			for {
				select {
				case r.slots <- struct{}{}:
				case <-reading.Done():
				}
				if err := reading.Err(); err != nil {
					return err
				}
				in, err := next(reading)
				if err != nil {
					return err
				}
				t := &task[Out]{done: make(chan struct{})}
				r.order <- t // neither blocks: both have room for limit items
				jobs <- job{in, t}
			}
		})
		close(r.order)
		close(jobs)
		group.Wait()
		stopReading()
	}()
	return r
}

// recoverPanic returns a panic of work as a *PanicError.
func recoverPanic(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return work()
}

// Next waits for the result of the next item. It returns io.EOF after the last one. An
// error of next or of a worker is returned again by every later call. If one of them
// panicked, Next panics with a *PanicError. If ctx ends, Next returns its error, and a later call waits for
// the same result.
func (r *Results[Out]) Next(ctx context.Context) (out Out, err error) {
	if r.err != nil {
		return out, r.err
	}
	if r.current == nil {
		select {
		case t, more := <-r.order:
			if !more {
				return out, r.fail(r.end)
			}
			r.current = t
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
	select {
	case <-r.current.done:
	case <-ctx.Done():
		return out, ctx.Err()
	}
	t := r.current
	r.current = nil
	<-r.slots
	if t.err != nil {
		return out, r.fail(t.err)
	}
	return t.out, nil
}

func (r *Results[Out]) fail(err error) error {
	r.err = err
	if p, ok := err.(*PanicError); ok { //nolint:errorlint // only recoverPanic returns one unwrapped
		panic(p)
	}
	return err
}

// Close cancels the work and waits until all goroutines have returned. Next must not be
// called afterwards.
func (r *Results[Out]) Close() {
	r.cancel()
	<-r.stopped
}
