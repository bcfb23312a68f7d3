package ordered

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errItem = errors.New("invalid item")

// count returns a function that returns the numbers from 0 to n-1 and then the error end.
func count(n int, end error) func(context.Context) (int, error) {
	i := -1
	return func(context.Context) (int, error) {
		if i++; i < n {
			return i, nil
		}
		return 0, end
	}
}

// each returns a newWorker function whose workers all call work.
func each(work func(context.Context, int) (int, error)) func() func(context.Context, int) (int, error) {
	return func() func(context.Context, int) (int, error) { return work }
}

func double(_ context.Context, i int) (int, error) { return 2 * i, nil }

// readAll returns all results and the error that ended them. It checks that further calls
// return the same error.
func readAll(t *testing.T, r *Results[int]) (all []int, end error) {
	t.Helper()
	for {
		out, err := r.Next(t.Context())
		if err != nil {
			if _, again := r.Next(t.Context()); !errors.Is(again, err) {
				t.Errorf("a further call returned %v, want %v", again, err)
			}
			if out != 0 {
				t.Errorf("Next returned %d with the error %v", out, err)
			}
			return all, err
		}
		all = append(all, out)
	}
}

func checkDoubles(t interface {
	Helper()
	Fatalf(string, ...any)
}, all []int, n int) {
	t.Helper()
	for i, out := range all {
		if out != 2*i {
			t.Fatalf("result %d is %d, want %d", i, out, 2*i)
		}
	}
	if len(all) != n {
		t.Fatalf("%d results, want %d", len(all), n)
	}
}

func TestResultsAreInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100} {
		for workers := range 5 {
			for limit := range 5 {
				r := Start(t.Context(), workers, limit, count(n, io.EOF), each(double))
				all, err := readAll(t, r)
				if !errors.Is(err, io.EOF) {
					t.Fatalf("error %v, want io.EOF", err)
				}
				checkDoubles(t, all, n)
				r.Close()
			}
		}
	}
}

// TestWorkersRunInParallel checks that two workers run at the same time and that results stay in
// order if the work on the first item waits for the second.
func TestWorkersRunInParallel(t *testing.T) {
	second := make(chan struct{})
	r := Start(t.Context(), 2, 2, count(2, io.EOF), each(func(ctx context.Context, i int) (int, error) {
		if i == 1 {
			close(second)
		}
		<-second
		return 2 * i, nil
	}))
	defer r.Close()
	all, err := readAll(t, r)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	checkDoubles(t, all, 2)
}

func TestEveryWorkerHasItsState(t *testing.T) {
	for requested, want := range map[int]int{-1: 1, 0: 1, 1: 1, 3: 3} {
		workers := 0
		r := Start(t.Context(), requested, 6, count(500, io.EOF), func() func(context.Context, int) (int, error) {
			workers++
			calls := 0 // the race detector reports concurrent calls of one worker
			return func(_ context.Context, i int) (int, error) {
				calls++
				return 2 * i, nil
			}
		})
		if workers != want {
			t.Errorf("%d workers when Start returned, want %d", workers, want)
		}
		all, _ := readAll(t, r)
		checkDoubles(t, all, 500)
		r.Close()
	}
}

// TestErrorOfWorker checks, for an error at each item, that the items before it are returned
// and the items after it are not.
func TestErrorOfWorker(t *testing.T) {
	const n = 9
	for failing := range n {
		for workers := 1; workers <= 4; workers++ {
			r := Start(t.Context(), workers, 4, count(n, io.EOF), each(func(_ context.Context, i int) (int, error) {
				if i == failing {
					return -1, errItem
				}
				return 2 * i, nil
			}))
			all, err := readAll(t, r)
			if !errors.Is(err, errItem) {
				t.Errorf("item %d failed: error %v", failing, err)
			}
			checkDoubles(t, all, failing)
			r.Close()
		}
	}
}

// TestFirstErrorInOrder checks that the error of an earlier item is returned even if a later
// item fails first.
func TestFirstErrorInOrder(t *testing.T) {
	failed := make(chan struct{})
	r := Start(t.Context(), 2, 3, count(3, io.EOF), each(func(ctx context.Context, i int) (int, error) {
		switch i {
		case 1:
			<-failed
			return 0, fmt.Errorf("%w: first", errItem)
		case 2:
			close(failed)
			return 0, io.ErrUnexpectedEOF
		}
		return 0, ctx.Err()
	}))
	defer r.Close()
	if all, err := readAll(t, r); len(all) != 1 || !errors.Is(err, errItem) {
		t.Errorf("%d results, error %v, want the one of the first item that failed", len(all), err)
	}
}

// TestErrorOfWorkerStopsNext checks that an error of a worker cancels the context of next
// while the work on an earlier item continues.
func TestErrorOfWorkerStopsNext(t *testing.T) {
	stopped := make(chan struct{})
	items := count(2, errItem)
	r := Start(t.Context(), 2, 3, func(ctx context.Context) (int, error) {
		i, err := items(ctx)
		if err != nil {
			<-ctx.Done()
			close(stopped)
			err = ctx.Err()
		}
		return i, err
	}, each(func(ctx context.Context, i int) (int, error) {
		if i == 1 {
			return 0, errItem
		}
		<-stopped
		return 0, ctx.Err()
	}))
	defer r.Close()
	if all, err := readAll(t, r); len(all) != 1 || !errors.Is(err, errItem) {
		t.Errorf("%d results, error %v, want one and the error of the worker", len(all), err)
	}
}

// TestNoItemsAfterError checks that next is not called again after an error of a worker.
func TestNoItemsAfterError(t *testing.T) {
	calls := 0
	items := count(1000, io.EOF)
	r := Start(t.Context(), 1, 1, func(ctx context.Context) (int, error) {
		calls++
		return items(ctx)
	}, each(func(context.Context, int) (int, error) { return 0, errItem }))
	if _, err := readAll(t, r); !errors.Is(err, errItem) {
		t.Errorf("error %v", err)
	}
	r.Close()
	if calls != 1 {
		t.Errorf("next was called %d times, want once", calls)
	}
}

func TestErrorOfNext(t *testing.T) {
	for n := range 6 {
		r := Start(t.Context(), 2, 2, count(n, errItem), each(double))
		all, err := readAll(t, r)
		if !errors.Is(err, errItem) {
			t.Errorf("next failed after %d items: error %v", n, err)
		}
		checkDoubles(t, all, n)
		r.Close()
	}
}

// TestPanic checks that Next panics with the value and stack of a panic in next or a worker,
// at each item.
func TestPanic(t *testing.T) {
	for at := range 4 {
		for _, inNext := range []bool{true, false} {
			items := count(4, io.EOF)
			r := Start(t.Context(), 2, 2, func(ctx context.Context) (int, error) {
				i, err := items(ctx)
				if inNext && i == at {
					panic("boom")
				}
				return i, err
			}, each(func(_ context.Context, i int) (int, error) {
				if !inNext && i == at {
					panic("boom")
				}
				return 2 * i, nil
			}))
			for i := range at {
				if out, err := r.Next(t.Context()); out != 2*i || err != nil {
					t.Errorf("result %d, error %v", out, err)
				}
			}
			func() {
				defer func() {
					p, _ := recover().(*PanicError)
					if p == nil || p.Value != "boom" || !strings.HasPrefix(p.Error(), "boom\n\n") || !strings.Contains(p.Error(), "ordered_test.go") {
						t.Errorf("recovered %v, want the panic and its location", p)
					}
				}()
				out, err := r.Next(t.Context())
				t.Errorf("result %d, error %v, want a panic", out, err)
			}()
			var p *PanicError
			if _, err := r.Next(t.Context()); !errors.As(err, &p) {
				t.Errorf("error %v, want the panic", err)
			}
			r.Close()
		}
	}
}

// TestLimit checks that exactly limit items are requested before any result is read, and one
// more after each result.
func TestLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 5} {
		requested := make(chan int, 100)
		items := count(100, io.EOF)
		r := Start(t.Context(), 2, limit, func(ctx context.Context) (int, error) {
			i, err := items(ctx)
			requested <- i
			return i, err
		}, each(double))
		for i := range limit {
			<-requested
			if i < limit-1 {
				continue
			}
			if n := len(r.slots); n != limit {
				t.Errorf("limit %d: %d slots are taken", limit, n)
			}
		}
		for n := range 20 {
			if len(requested) > 0 {
				t.Fatalf("limit %d: more than %d items were requested before result %d", limit, limit, n)
			}
			if out, err := r.Next(t.Context()); out != 2*n || err != nil {
				t.Fatalf("result %d, error %v", out, err)
			}
			<-requested
		}
		r.Close()
	}
}

// TestCloseStopsEverything checks that Close returns after any number of results, even if the
// workers or next are blocked. TestMain reports goroutines that remain.
func TestCloseStopsEverything(t *testing.T) {
	for n := range 6 {
		for _, blockNext := range []bool{true, false} {
			var ended atomic.Int32
			blocked := make(chan struct{}, 10)
			items := count(100, io.EOF)
			r := Start(t.Context(), 2, 3, func(ctx context.Context) (int, error) {
				i, err := items(ctx)
				if blockNext && i == n {
					blocked <- struct{}{}
					<-ctx.Done()
					ended.Add(1)
					err = ctx.Err()
				}
				return i, err
			}, each(func(ctx context.Context, i int) (int, error) {
				if !blockNext && i >= n {
					blocked <- struct{}{}
					<-ctx.Done()
					ended.Add(1)
				}
				return 2 * i, ctx.Err()
			}))
			for i := range n {
				if out, err := r.Next(t.Context()); out != 2*i || err != nil {
					t.Fatalf("result %d, error %v", out, err)
				}
			}
			<-blocked
			r.Close()
			if ended.Load() == 0 {
				t.Error("Close returned before the blocked function")
			}
			r.Close()
		}
	}
}

// TestCanceledNext checks that no result is lost if the context of Next is canceled while Next
// waits for an item or for a worker.
func TestCanceledNext(t *testing.T) {
	for _, inNext := range []bool{true, false} {
		release := make(chan struct{})
		started := make(chan struct{}, 2)
		items := count(2, io.EOF)
		r := Start(t.Context(), 1, 2, func(ctx context.Context) (int, error) {
			if inNext {
				started <- struct{}{}
				<-release
				<-started
			}
			return items(ctx)
		}, each(func(_ context.Context, i int) (int, error) {
			if !inNext {
				started <- struct{}{}
			}
			<-release
			return 2 * i, nil
		}))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		started <- <-started
		for range 100 { // Next chooses at random between an item and the canceled context
			if out, err := r.Next(ctx); out != 0 || !errors.Is(err, context.Canceled) {
				t.Errorf("result %d, error %v, want context.Canceled", out, err)
			}
		}
		close(release)
		all, err := readAll(t, r)
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		checkDoubles(t, all, 2)
		r.Close()
	}
}

// TestCanceledStart checks that the results end with context.Canceled if the context of Start
// is canceled after any number of results.
func TestCanceledStart(t *testing.T) {
	cause := errors.New("shutdown")
	for n := range 5 {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := Start(ctx, 2, 3, count(1000, io.EOF), each(double))
		for i := range n {
			if out, err := r.Next(t.Context()); out != 2*i || err != nil {
				t.Fatalf("result %d, error %v", out, err)
			}
		}
		cancel(cause)
		if all, err := readAll(t, r); !errors.Is(err, context.Canceled) || n+len(all) == 1000 {
			t.Errorf("%d more results, error %v, want context.Canceled", len(all), err)
		}
		r.Close()
	}
}

// TestModel compares the results with those of a sequential loop, for random numbers of items,
// workers and limits, with and without an error.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "items")
		failing := rapid.IntRange(0, 400).Draw(t, "failing")
		r := Start(context.Background(), rapid.IntRange(1, 8).Draw(t, "workers"), rapid.IntRange(1, 20).Draw(t, "limit"), count(n, io.EOF),
			each(func(_ context.Context, i int) (int, error) {
				if i == failing {
					return 0, errItem
				}
				return 2 * i, nil
			}))
		defer r.Close()
		var all []int
		for {
			out, err := r.Next(context.Background())
			if err != nil {
				if wantErr := failing < n; errors.Is(err, errItem) != wantErr {
					t.Fatalf("error %v after %d of %d results", err, len(all), n)
				}
				break
			}
			all = append(all, out)
		}
		checkDoubles(t, all, min(n, failing))
	})
}

// BenchmarkNext measures the overhead per item.
func BenchmarkNext(b *testing.B) {
	b.ReportAllocs()
	r := Start(b.Context(), 2, 4, count(b.N, io.EOF), each(double))
	defer r.Close()
	for range b.N {
		if _, err := r.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart measures the fixed cost of starting and stopping the goroutines.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		r := Start(b.Context(), 2, 4, count(2, io.EOF), each(double))
		for range 2 {
			if _, err := r.Next(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		r.Close()
	}
}
