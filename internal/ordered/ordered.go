// Package ordered processes a sequence of items on several goroutines and returns the
// results in the order of the items.
//
// [Start] starts the goroutines, and each call to [Results.Next] returns the next result. The
// number of items in progress is limited, so a slow consumer blocks the producer. The results
// end with the first error in the order of the items, even if a later item fails earlier.
//
// The package neither combines results nor recycles items.
package ordered

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Results holds the results of the items, in order. Next and Close must not be called
// concurrently.
type Results[Out any] struct {
	// order holds the items in progress, in order. It is closed after the last item, once end
	// is set.
	order chan *task[Out]
	end   error
	// slots has one element for each item that was requested from next but not yet returned by
	// Next.
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

// Start calls next on one goroutine until next returns io.EOF or another error, and passes the
// items to workers. Before it returns, it calls newWorker once per worker, so each worker can
// have its own state. At any time, the number of items that were requested from next and not yet
// returned by Results.Next is at most limit. workers and limit must be at least 1.
//
// After a worker returns an error, next is not called again. All functions receive a context
// that is canceled when ctx is canceled or Close is called. They must return soon after that.
// The caller must call Close.
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
				r.order <- t // neither send blocks: both channels have room for limit items
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

// recoverPanic calls work and converts a panic to a *PanicError.
func recoverPanic(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return work()
}

// Next waits for the next result and returns it. It returns io.EOF after the last result. If
// next or a worker returned an error, Next and every later call return that error. If one of
// them panicked, Next panics with a *PanicError. If ctx is canceled, Next returns the error of
// ctx, and a later call waits for the same result.
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
	if p, ok := err.(*PanicError); ok { //nolint:errorlint // recoverPanic does not wrap it
		panic(p)
	}
	return err
}

// Close cancels the work and waits until all goroutines have returned. Next must not be called
// after Close.
func (r *Results[Out]) Close() {
	r.cancel()
	<-r.stopped
}
