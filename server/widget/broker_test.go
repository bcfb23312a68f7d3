package widget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

type pageResult struct {
	text string
	err  error
}

// callPage calls the page of an import in another goroutine.
func callPage(ctx context.Context, b *Broker, imp, content string) <-chan pageResult {
	result := make(chan pageResult, 1)
	go func() {
		text, err := b.CallPage(ctx, imp, []byte(content))
		result <- pageResult{string(text), err}
	}()
	synctest.Wait()
	return result
}

func TestBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, imp := NewBroker(), model.Import{ID: "a"}
		watch := b.WatchPage("a")
		first, second := callPage(t.Context(), b, "a", "one"), callPage(t.Context(), b, "a", "two")
		other := callPage(t.Context(), b, "b", "other")
		waiting, _ := watch.Waiting()
		id, content, err := b.NextPageCall(t.Context(), imp, 0, nil)
		if err != nil || id != waiting || string(content) != "one" {
			t.Fatalf("the first call is %d %s, %v; %d is waiting", id, content, err, waiting)
		}
		// A page that was loaded again receives the same call.
		if again, _, err := b.NextPageCall(t.Context(), imp, 0, nil); err != nil || again != id {
			t.Fatalf("the first call was %d, and is %d, %v", id, again, err)
		}
		next, content, err := b.NextPageCall(t.Context(), imp, id, []byte("1"))
		if got := <-first; err != nil || got.text != "1" || string(content) != "two" {
			t.Fatalf("the first result is %v, and the second call is %s, %v", got, content, err)
		}
		// A result for a call that is over, and for one of another import, has no effect.
		for _, stale := range []int64{id, next + 1} {
			if again, _, err := b.NextPageCall(t.Context(), imp, stale, []byte("stale")); err != nil || again != next {
				t.Fatalf("after a stale result: %d, %v", again, err)
			}
		}
		if none, _, err := b.NextPageCall(t.Context(), imp, next, []byte("2")); err != nil || none != 0 {
			t.Fatalf("another call: %d, %v", none, err)
		}
		if got := <-second; got.text != "2" {
			t.Errorf("the second result is %v", got)
		}
		if got := <-other; !isGone(got.err) {
			t.Errorf("a page that never asked: %v", got)
		}
		watch.Close()
		if len(b.pages) != 0 {
			t.Errorf("%d pages remain", len(b.pages))
		}
	})
}

func isGone(err error) bool {
	return errors.As(err, new(*intray.MessageError))
}

// TestBrokerPageGone checks that a page that takes a call and does not respond does not stop an import
// for long.
func TestBrokerPageGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, imp := NewBroker(), model.Import{ID: "a"}
		began := time.Now()
		call := callPage(t.Context(), b, "a", "one")
		if _, _, err := b.NextPageCall(t.Context(), imp, 0, nil); err != nil {
			t.Fatal(err)
		}
		if got := <-call; !isGone(got.err) || time.Since(began) != pageTimeout {
			t.Errorf("after %v: %v", time.Since(began), got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		canceled := callPage(ctx, b, "a", "two")
		cancel()
		if got := <-canceled; !errors.Is(got.err, context.Canceled) {
			t.Errorf("a canceled call: %v", got)
		}
		if id, _, err := b.NextPageCall(t.Context(), imp, 0, nil); err != nil || id != 0 {
			t.Errorf("the canceled call is still there: %d, %v", id, err)
		}
	})
}
