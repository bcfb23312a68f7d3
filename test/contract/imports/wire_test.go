package imports_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// wire is a connection on which a test sends the exact bytes of a request.
type wire struct {
	client
	conn *net.TCPConn
	// method and path are those of the request.
	method, path string
}

// dial connects to the program and starts a request with the given headers.
func (c client) dial(method, address string, headers ...string) *wire {
	c.T.Helper()
	at, err := url.Parse(address)
	if err != nil {
		c.T.Fatal(err)
	}
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		c.T.Fatal(err)
	}
	c.T.Cleanup(func() { _ = conn.Close() })
	w := &wire{c, conn.(*net.TCPConn), method, at.Path}
	w.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", method, at.RequestURI(), at.Host, strings.Join(headers, "\r\n")))
	return w
}

func (w *wire) send(text string) {
	w.T.Helper()
	if _, err := io.WriteString(w.conn, text); err != nil {
		w.T.Fatal(err)
	}
}

// prompt is the maximum time for a response that does not have to wait for anything else.
const prompt = 5 * time.Second

// answer reads the response and checks that it arrives promptly.
func (w *wire) answer() *livetest.Reply {
	w.T.Helper()
	if err := w.conn.SetReadDeadline(time.Now().Add(prompt)); err != nil {
		w.T.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(w.conn), nil)
	if err != nil {
		w.T.Fatalf("no answer within %s: %v", prompt, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	reply := &livetest.Reply{Status: answer.StatusCode, Header: answer.Header, Body: body}
	for _, wrong := range w.Site.Breaches(w.method, w.path, reply) {
		w.T.Errorf("status %d: %s: %s", reply.Status, wrong, body)
	}
	return reply
}

func (w *wire) want(status int) {
	w.T.Helper()
	if reply := w.answer(); reply.Status != status {
		w.T.Errorf("status %d, want %d: %s", reply.Status, status, reply.Body)
	}
}

// TestUploadTooLargeIsAnsweredAtOnce declares a length above the limit and sends no body.
// The response must not wait for the body.
func TestUploadTooLargeIsAnsweredAtOnce(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people(), settings(m{"maxFileSize": 1000})))
		for _, length := range []int{1001, 1 << 20, 31 << 20, 1 << 40} {
			c.dial("PUT", made.String("upload"), fmt.Sprintf("Content-Length: %d", length)).want(413)
		}
		c.checkAwaitsSmall(made)
	})
}

// checkAwaitsSmall checks that the import accepts a small file.
func (c client) checkAwaitsSmall(made *livetest.Reply) {
	c.T.Helper()
	if status := c.status(made.String("id")); status != "AWAITING_UPLOAD" {
		c.T.Errorf("the import is %s", status)
	}
	c.PutFile(made.String("upload"), goodFile).WantStatus(http.StatusOK)
	c.await(made.String("id")).want("SUCCESSFUL")
}

// TestUploadExpectContinue sends Expect: 100-continue. A valid URL must return status 100
// (Continue). An invalid URL must be rejected before the file is sent.
func TestUploadExpectContinue(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people(), settings(m{"maxFileSize": 1000})))
		expect := "Expect: 100-continue"
		c.dial("PUT", made.String("upload"), expect, "Content-Length: 1001").want(413)
		c.dial("PUT", withToken(made.String("upload"), "x"), expect, "Content-Length: 10").want(403)
		w := c.dial("PUT", made.String("upload"), expect, fmt.Sprintf("Content-Length: %d", len(goodFile)))
		w.want(100)
		w.send(goodFile)
		w.want(200)
		c.dial("PUT", made.String("upload"), expect, "Content-Length: 10").want(409)
	})
}

// TestUploadCutShort declares more bytes than it sends, and closes its side of the
// connection. The upload must be rejected, and the import must accept a later one.
func TestUploadCutShort(t *testing.T) {
	length := fmt.Sprintf("Content-Length: %d", len(goodFile)+1)
	each(t, func(c client) {
		made := c.create(inline(people()))
		cut := map[string][]string{
			"nothing sent":     {length, ""},
			"a byte missing":   {length, goodFile},
			"no last chunk":    {"Transfer-Encoding: chunked", "5\r\nemail\r\n"},
			"within a chunk":   {"Transfer-Encoding: chunked", "ff\r\nemail"},
			"a malformed size": {"Transfer-Encoding: chunked", "5\r\nemail\r\nzz\r\n"},
		}
		for name, said := range cut {
			w := c.dial("PUT", made.String("upload"), said[0])
			w.send(said[1])
			if err := w.conn.CloseWrite(); err != nil {
				c.T.Fatal(err)
			}
			if reply := w.answer(); reply.Status != 400 {
				c.T.Errorf("%s: status %d: %s", name, reply.Status, reply.Body)
			}
		}
		c.checkAwaitsSmall(made)
	})
}

// TestUploadAborted closes connections in the middle of a file. The import must still await
// its file, and no part of the file may remain.
func TestUploadAborted(t *testing.T) {
	eachFresh(t, func(c client) {
		made := c.create(inline(people()))
		for _, sent := range []int{0, 10, 1 << 20} {
			w := c.dial("PUT", made.String("upload"), "Content-Length: 5000000")
			w.send(strings.Repeat("x", sent))
			if err := w.conn.SetLinger(0); err != nil {
				c.T.Fatal(err)
			}
			_ = w.conn.Close()
		}
		apitest.Eventually(c.T, "no blob is left", func() bool { return len(c.blobs(made.String("id"))) == 0 })
		c.checkAwaitsSmall(made)
	})
}

// TestUploadSlowly checks that a file sent one byte at a time is imported only when it is
// complete.
func TestUploadSlowly(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		w := c.dial("PUT", made.String("upload"), fmt.Sprintf("Content-Length: %d", len(goodFile)))
		for _, piece := range strings.SplitAfter(goodFile, "") {
			w.send(piece)
			if status := c.status(made.String("id")); status != "AWAITING_UPLOAD" && piece != "\n" {
				c.T.Fatalf("the import is %s before its file has arrived", status)
			}
		}
		w.want(200)
		c.await(made.String("id")).want("SUCCESSFUL")
	})
}
