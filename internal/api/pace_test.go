package api

import (
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// drip is a body that brings some bytes after each pause, for a time.
type drip struct {
	pause time.Duration
	bytes int
	times int
}

func (d *drip) Read(p []byte) (int, error) {
	if d.times == 0 {
		return 0, io.EOF
	}
	d.times--
	time.Sleep(d.pause) // by the bubble's clock
	return min(d.bytes, len(p)), nil
}

func (d *drip) Close() error { return nil }

func TestPace(t *testing.T) {
	for _, c := range []struct {
		name string
		body *drip
		err  error
		took time.Duration
	}{
		{"fast", &drip{time.Millisecond, 4096, 1000}, nil, time.Second},
		{"just fast enough, for an hour", &drip{time.Second, minPace, 3600}, nil, time.Hour},
		{"too slow, but done in time", &drip{time.Second, 1, 30}, nil, idleLimit},
		{"too slow", &drip{time.Second, minPace - 1, 3600}, os.ErrDeadlineExceeded, idleLimit + time.Second},
		{"slow after a good start", &drip{20 * time.Second, 1, 3600}, os.ErrDeadlineExceeded, 40 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r := httptest.NewRequest("PUT", "/", nil)
				r.Body = c.body
				_, err := io.Copy(io.Discard, (&API{}).paced(httptest.NewRecorder(), r))
				if !errors.Is(err, c.err) {
					t.Errorf("error %v, want %v", err, c.err)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("cut off or done after %v, want %v", took, c.took)
				}
			})
		})
	}
}
