package webhook

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	// patient is the timeout for receivers whose misbehavior must be detected
	// before the timeout, even on a busy machine.
	patient = DefaultTimeout
	// hasty is the timeout for receivers that are too slow.
	hasty = 500 * time.Millisecond
	// maxAllocated is the maximum number of bytes that an attempt may allocate,
	// including the allocations of the receiver. An attempt with a well-behaved
	// receiver allocates about 100 KiB.
	maxAllocated = 8 << 20
)

// evil is a test case: a hostile receiver and the expected outcome.
type evil struct {
	name    string
	timeout time.Duration
	serve   func(net.Conn)
	kind    Kind
	want    string
	status  int
}

// try makes one attempt, and checks its outcome and how much it allocates.
func (e evil) try(t *testing.T, s *Sender, url string) Outcome {
	t.Helper()
	if e.timeout == hasty {
		t.Parallel()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := send(t, s, url)
	runtime.ReadMemStats(&after)
	wantOutcome(t, out, e.kind, e.want)
	if used := after.TotalAlloc - before.TotalAlloc; used > maxAllocated && e.timeout == patient {
		t.Errorf("the attempt allocated %d KiB", used>>10)
	}
	if out.Status != e.status || len(out.Body) > maxKeptBody {
		t.Errorf("status %d, want %d, body of %d bytes, timing %+v", out.Status, e.status, len(out.Body), out.Timing)
	}
	return out
}

// after returns a handler that reads the request and then calls a function.
func after(then func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(c))
		if err == nil {
			_, _ = io.Copy(io.Discard, request.Body)
			then(c)
		}
	}
}

// writeAndHang returns a handler that writes text after the request and keeps the
// connection open.
func writeAndHang(text string) func(net.Conn) {
	return after(func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		hang(c)
	})
}

// writeText returns a handler that writes text after the request and closes the connection.
func writeText(text string) func(net.Conn) {
	return after(func(c net.Conn) { _, _ = io.WriteString(c, text) })
}

// writeFirst returns a handler that writes text before it reads the request.
func writeFirst(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		hang(c)
	}
}

func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// flood returns a handler that writes one string, and then another string repeatedly until the
// connection fails.
func flood(first, rest string) func(net.Conn) {
	block := strings.Repeat(rest, 1+32_000/len(rest))
	return after(func(c net.Conn) {
		_, err := io.WriteString(c, first)
		for err == nil {
			_, err = io.WriteString(c, block)
		}
	})
}

// drip is like flood, but writes slowly.
func drip(first, rest string) func(net.Conn) {
	return after(func(c net.Conn) {
		_, err := io.WriteString(c, first)
		for tick := time.NewTicker(10 * time.Millisecond); err == nil; <-tick.C {
			_, err = io.WriteString(c, rest)
		}
	})
}

// longHeader returns a header line of the given size in bytes.
func longHeader(size int) string { return "X: " + strings.Repeat("x", size-7) + "\r\n" }

func bomb() string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	zeros := make([]byte, 1<<20)
	for range 64 {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	return out.String()
}

func TestEvilReceivers(t *testing.T) {
	var printed strings.Builder
	log.SetOutput(&printed)
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		if printed.Len() > 0 {
			t.Errorf("a library logged %q", printed.String())
		}
	})
	const ok, chunked = "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	packed := bomb()
	cases := []evil{
		{"says nothing", hasty, writeAndHang(""), TimedOut, `"webhook.time_ran_out","params":{"action":{"code":"webhook.waiting_for_answer"},"time":"500ms"`, 0},
		{"does not even listen", hasty, idle, TimedOut, "webhook.time_ran_out", 0},
		{"head byte by byte", hasty, drip(ok+"X: ", "a"), TimedOut, "webhook.waiting_for_answer", 0},
		{"endless slow headers", hasty, drip(ok, "X: a\r\n"), TimedOut, "webhook.waiting_for_answer", 0},
		{"slow 100 Continue for ever", hasty, drip("", "HTTP/1.1 100 Continue\r\n\r\n"), TimedOut, "webhook.waiting_for_answer", 0},
		{"body byte by byte", hasty, drip(ok+"\r\n", "x"), Delivered, `"webhook.delivered_body_broken_off","params":{"status":"200 OK"`, 200},
		{"body that stops", hasty, writeAndHang(ok + "Content-Length: 5\r\n\r\nabc"), Delivered, "webhook.delivered_body_broken_off", 200},
		{"body that breaks", patient, writeText(ok + "Content-Length: 5\r\n\r\nabc"), Delivered, "webhook.delivered_body_broken_off", 200},
		{"body of a pretended petabyte", patient, writeText(ok + "Content-Length: 1000000000000000\r\n\r\nabc"), Delivered, "webhook.delivered_body_broken_off", 200},
		{"endless body", patient, flood(ok+"\r\n", "evil"), Delivered, `"webhook.delivered","params":{"status":"200 OK"`, 200},
		{"endless body of a failure", patient, flood("HTTP/1.1 500 Evil\x1b[31m\r\n\r\n", "evil"), Rejected, `"webhook.rejected","params":{"status":"500 Internal Server Error"`, 500},
		{"endless chunks", patient, flood(chunked, "1\r\nx\r\n"), Delivered, "200 OK", 200},
		{"endless chunk extension", patient, flood(chunked+"1;", "evil"), Delivered, "webhook.delivered_body_broken_off", 200},
		{"long chunk extensions", patient, flood(chunked, "1;"+strings.Repeat("e", 3000)+"\r\nx\r\n"), Delivered, "webhook.delivered_body_broken_off", 200},
		{"chunk of no length", patient, flood(chunked+"ffffffffffffffffff\r\n", "evil"), Delivered, "webhook.delivered_body_broken_off", 200},
		{"endless trailer", patient, flood(chunked+"0\r\n", "X: evil\r\n"), Delivered, "webhook.delivered_body_broken_off", 200},
		{"gzip bomb", patient, writeText(fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(packed), packed)), Delivered, "200 OK", 200},
		{"endless header", patient, flood(ok+"X: ", "evil"), NotHTTP, `"webhook.head_too_long","params":{"size":32}`, 0},
		{"endless headers", patient, flood(ok, "X: evil\r\n"), NotHTTP, "webhook.head_too_long", 0},
		{"endless status line", patient, flood("HTTP/1.1 200 ", "evil"), NotHTTP, "webhook.head_too_long", 0},
		{"100 Continue for ever", patient, flood("", "HTTP/1.1 100 Continue\r\n\r\n"), NotHTTP, "webhook.head_too_long", 0},
		{"103 Early Hints for ever", patient, flood("", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"), NotHTTP, "webhook.head_too_long", 0},
		{"changes the protocol", patient, flood("HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: Upgrade\r\n\r\n", "evil"), Rejected, "101 Switching Protocols", 101},
		{"closes at once", patient, func(net.Conn) {}, Dropped, "webhook.hung_up", 0},
		{"closes after the request", patient, writeText(""), Dropped, "webhook.hung_up", 0},
		{"closes within the head", patient, writeText("HTTP/1.1 200 OK\r\nX: "), Dropped, "webhook.hung_up", 0},
		{"resets", patient, after(reset), Dropped, "webhook.hung_up", 0},
		{"resets within the request", patient, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)); reset(c) }, Dropped, "webhook.hung_up", 0},
		{"closes within the first line", patient, writeText("HTTP/1.1 200"), Dropped, "webhook.hung_up", 0},
		{"head just short enough", patient, writeText(ok + longHeader(maxHead-len(ok)) + "\r\n"), Delivered, "200 OK", 200},
		{"head just too long", patient, writeText(ok + longHeader(maxHead-len(ok)) + "a: b\r\n\r\n"), NotHTTP, "webhook.head_too_long", 0},
		{"hints and a head that are too long together", patient, writeText("HTTP/1.1 103 Early Hints\r\n" + longHeader(20<<10) + "\r\n" + ok + longHeader(20<<10) + "\r\n"), NotHTTP, "webhook.head_too_long", 0},
		{"broken header at the limit", patient, writeText(ok + "evil\r\n" + longHeader(maxHead-len(ok)-6) + "\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"greets like SSH", patient, writeText("SSH-2.0-OpenSSH_9.9\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"greets like mail", patient, writeText("220 mail.example ESMTP\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"speaks TLS", patient, writeText("\x15\x03\x01\x00\x02\x02\x0a\r\n\r\n"), NotHTTP, "webhook.speaks_tls", 0},
		{"speaks TLS and hangs up", patient, writeText("\x15\x03\x01\x00\x02\x02\x46"), NotHTTP, "webhook.speaks_tls", 0},
		{"header like an error of a long head", patient, writeText(ok + "headers exceeded, header list\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"header like an error of a reset", patient, writeText(ok + "GOAWAY received from peer, server closed idle connection\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"greets first like SSH", patient, writeFirst("SSH-2.0-OpenSSH_9.9\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"greets first like mail", patient, writeFirst("220 mail.example ESMTP\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"answers before it is asked", patient, writeFirst(ok + "Content-Length: 0\r\n\r\n"), Delivered, "200 OK", 200},
		{"random bytes", patient, after(func(c net.Conn) { _, _ = io.CopyN(c, rand.Reader, 1<<20) }), NotHTTP, "", 0},
		{"zeros", patient, flood("", "\x00"), NotHTTP, "webhook.head_too_long", 0},
		{"empty lines", patient, flood("", "\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"old protocol", patient, writeText("<html>evil</html>\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"status not a number", patient, writeText("HTTP/1.1 2xx OK\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"status of four digits", patient, writeText("HTTP/1.1 2000 OK\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"negative length", patient, writeText(ok + "Content-Length: -1\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
		{"two lengths", patient, writeText(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"), NotHTTP, "webhook.not_a_web_server", 0},
		{"broken header", patient, writeText(ok + "evil\r\n\r\n"), NotHTTP, "webhook.not_a_web_server", 0},
	}
	through := newDialer(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := c.try(t, New(through, Config{Timeout: c.timeout}), "http://"+listen(t, c.serve))
			if strings.Contains(c.name, "endless body") && (!out.BodyCut || len(out.Body) != maxKeptBody) {
				t.Errorf("%d bytes of the endless body were kept, cut %v", len(out.Body), out.BodyCut)
			}
			if c.name == "gzip bomb" && (!out.BodyCut || string(out.Body) != packed[:maxKeptBody]) {
				t.Errorf("%d bytes of the bomb were kept, cut %v", len(out.Body), out.BodyCut)
			}
		})
	}
}

// A receiver that does not read a long message gets no more time than other receivers.
func TestRequestThatIsNotRead(t *testing.T) {
	t.Parallel()
	url := "http://" + listen(t, idle)
	d := delivery(url)
	d.Message.Bytes = make([]byte, 64<<20)
	s := New(newDialer(t), Config{Timeout: hasty})
	out, err := s.Send(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, out, TimedOut, "webhook.waiting_for_answer")
}
