package ordered

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times Times
		items := 0
		next, newWorker := Measure(&times, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			if items++; items > 3 {
				return 0, io.EOF
			}
			return items, nil
		}, func() func(context.Context, int) (int, error) {
			return func(_ context.Context, item int) (int, error) {
				time.Sleep(10 * time.Second)
				return 2 * item, nil
			}
		})
		results := Start(t.Context(), 3, 3, next, newWorker)
		sum := 0
		for {
			n, err := results.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			sum += n
		}
		results.Close()
		if next, work := times.Busy(); sum != 12 || next != 4*time.Second || work != 30*time.Second {
			t.Errorf("the sum is %d, next took %s and the workers %s", sum, next, work)
		}
	})
}
