package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/server/blob"
)

// TestUploadGate checks the limits of a gate, and that uploads are admitted in order.
func TestUploadGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newUploadGate(4)
		enter := func(org string) func() {
			leave, err := g.enter(t.Context(), org)
			check(t, err)
			return leave
		}
		first, second := enter("a"), enter("a")
		admitted := make(chan string, 3)
		for _, org := range []string{"a", "b", "a"} {
			go func() {
				if _, err := g.enter(t.Context(), org); err == nil {
					admitted <- org
				}
			}()
			synctest.Wait()
		}
		if got := <-admitted; got != "b" || len(admitted) > 0 {
			t.Errorf("%s was admitted, and %d others; want only b", got, len(admitted))
		}
		first()
		first() // has no effect
		synctest.Wait()
		if got := <-admitted; got != "a" || len(admitted) > 0 {
			t.Errorf("%s was admitted, and %d others; want only one a", got, len(admitted))
		}
		began := time.Now()
		var e *apiError
		if _, err := g.enter(t.Context(), "a"); !errors.As(err, &e) || e.status != 503 || e.code != "busy" || e.retryAfter == 0 || time.Since(began) != uploadWait {
			t.Errorf("without room: %v after %v", err, time.Since(began))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := g.enter(gone, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that is gone: %v", err)
		}
		second()
	})
}

// TestUploadGateDoesNotCountSlowUploads checks that a slow upload makes room for others, and that
// a fast one does not.
func TestUploadGateDoesNotCountSlowUploads(t *testing.T) {
	for _, c := range []struct {
		rate int
		want int
	}{{2 * slowUploadRate, 1}, {slowUploadRate / 2, 0}} {
		synctest.Test(t, func(t *testing.T) {
			a := &API{uploads: newUploadGate(2)}
			r := httptest.NewRequest("PUT", "/", nil)
			r.ContentLength = -1
			body, end, err := a.admitUpload(&call{r: r}, "a", -1, &drip{time.Second, 1 << 30, 60})
			check(t, err)
			for range 30 {
				_, err := io.ReadFull(body, make([]byte, c.rate))
				check(t, err)
			}
			counted := func() int {
				synctest.Wait()
				a.uploads.mu.Lock()
				defer a.uploads.mu.Unlock()
				return a.uploads.open
			}
			if got := counted(); got != c.want {
				t.Errorf("%d bytes per second: %d uploads count, want %d", c.rate, got, c.want)
			}
			end()
			if got := counted(); got != 0 {
				t.Errorf("%d uploads count after the end", got)
			}
		})
	}
}

// TestUploadGateCountsFlushes checks that an upload counts while the server flushes its file,
// however long that takes.
func TestUploadGateCountsFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &API{uploads: newUploadGate(2)}
		r := httptest.NewRequest("PUT", "/", nil)
		r.ContentLength = -1
		body, end, err := a.admitUpload(&call{r: r}, "a", -1, strings.NewReader("a short file"))
		check(t, err)
		_, err = io.Copy(io.Discard, body)
		check(t, err)
		time.Sleep(5 * slowUploadPeriod) // the server flushes the file, on the clock of synctest
		synctest.Wait()
		if a.uploads.open != 1 {
			t.Errorf("%d uploads count while the file is flushed, want 1", a.uploads.open)
		}
		end()
		synctest.Wait()
		if a.uploads.open != 0 {
			t.Errorf("%d uploads count after the end", a.uploads.open)
		}
	})
}

// TestFindingR6LargeUploads checks that a large upload above the limit learns that the server is
// busy, that a small one is stored, and that a retry succeeds.
func TestFindingR6LargeUploads(t *testing.T) {
	s := newServer(t, func(cfg *Config) { cfg.MaxLargeUploads = 1 })
	s.api.uploads.wait = 0
	create := func() string { return s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "upload") }
	first, second, third := create(), create(), create()
	file := "email\n" + strings.Repeat("ada@example.org\n", largeUpload/16)
	leave, err := s.api.uploads.enter(t.Context(), "another")
	check(t, err)
	for _, method := range []string{"PUT", "POST"} {
		w := s.send(method, first, file)
		s.refusedWith("a large file, "+method, w, http.StatusServiceUnavailable, "busy")
		if w.Header().Get("Retry-After") != "5" {
			t.Errorf("%s: headers %v", method, w.Header())
		}
	}
	token := s.text(s.do("POST", "/api/widget/session/v2/auth/", ""), "hydrationId")
	s.refusedWith("a file of a session", s.send("PUT", "/api/widget/session/v2/file/", file, "X-Hydration-Id", token), http.StatusServiceUnavailable, "busy")
	s.do("PUT", second, "email\nada@example.org\n")
	leave()
	s.api.uploads.wait = uploadWait
	s.do("PUT", first, file)
	s.do("PUT", third, file)
}

// TestFindingR4Disk checks the response to an upload if the disk is read-only, broken or not
// accessible.
func TestFindingR4Disk(t *testing.T) {
	for _, code := range []syscall.Errno{syscall.EPERM, syscall.EACCES, syscall.EROFS, syscall.EIO, syscall.ESTALE} {
		err := &os.PathError{Op: "open", Path: "/secret/blobs/x", Err: code}
		e := toAPIError(errors.Join(errors.New("create blob x"), err))
		header := http.Header{}
		e.setHeaders(header)
		if e.status != 503 || e.code != "blobs_unavailable" || header.Get("Retry-After") != "30" || strings.Contains(e.message.String(), "secret") {
			t.Errorf("%v: %d %s %v: %s", code, e.status, e.code, header, e.message)
		}
	}
}

// TestUnavailableBlobStore checks that an unreachable blob store is not an internal error.
func TestUnavailableBlobStore(t *testing.T) {
	e := toAPIError(fmt.Errorf("open blob x of secret: %w", blob.ErrUnavailable))
	header := http.Header{}
	e.setHeaders(header)
	if e.status != 503 || e.code != "blobs_unavailable" || header.Get("Retry-After") != "5" || strings.Contains(e.message.String(), "secret") {
		t.Errorf("%d %s %v: %s", e.status, e.code, header, e.message)
	}
}

// TestFindingR6Deadline checks that a time limit of the server is not an internal error.
func TestFindingR6Deadline(t *testing.T) {
	if e := toAPIError(context.DeadlineExceeded); e.status != 503 || e.code != "busy" {
		t.Errorf("%d %s", e.status, e.code)
	}
}

// TestLargeUploadYields checks that another goroutine runs between the first reads of a large upload,
// even if the body is always ready to be read. Otherwise, each upload would use the CPU for up to
// 10 ms in a row, and calls such as /healthz would wait for all of them. After one in 61 reads, the
// scheduler continues with the same goroutine.
func TestLargeUploadYields(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var ran atomic.Bool
	reads := 0
	body := &gatedBody{from: readerFunc(func(p []byte) (int, error) {
		switch reads++; {
		case reads == 1:
			go ran.Store(true)
		case ran.Load():
			return 0, io.EOF
		case reads == 4:
			t.Error("the other goroutine has not run before the fourth read")
			return 0, io.EOF
		}
		return len(p), nil
	})}
	if _, err := io.CopyN(io.Discard, body, 1<<20); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if reads < 2 {
		t.Errorf("%d reads", reads)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
