package ordered

import (
	"context"
	"sync/atomic"
	"time"
)

// Times holds how long functions that are passed to Start took. It is safe for concurrent use.
type Times struct{ next, work atomic.Int64 }

// Busy returns the time of next, which one goroutine calls, and the total time of all workers.
func (t *Times) Busy() (next, work time.Duration) {
	return time.Duration(t.next.Load()), time.Duration(t.work.Load())
}

// Measure returns functions for Start that call the given ones and add their time to t.
func Measure[In, Out any](t *Times, next func(context.Context) (In, error), newWorker func() func(context.Context, In) (Out, error)) (func(context.Context) (In, error), func() func(context.Context, In) (Out, error)) {
	measuredNext := func(ctx context.Context) (In, error) {
		start := time.Now()
		defer func() { t.next.Add(int64(time.Since(start))) }()
		return next(ctx)
	}
	return measuredNext, func() func(context.Context, In) (Out, error) {
		work := newWorker()
		return func(ctx context.Context, in In) (Out, error) {
			start := time.Now()
			defer func() { t.work.Add(int64(time.Since(start))) }()
			return work(ctx, in)
		}
	}
}
