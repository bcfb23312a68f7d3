package webhook

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func TestEvilTLS(t *testing.T) {
	right := newAuthority(t)
	endless := func(first, rest string) func(net.Conn) {
		block := bytes.Repeat([]byte(rest), 4000)
		return func(c net.Conn) {
			_, _ = io.WriteString(c, first)
			again(func() error { _, err := c.Write(block); return err })
		}
	}
	old := right.issue(t, nil)
	many := right.issue(t, func(c *x509.Certificate) {
		for i := range 20_000 {
			c.DNSNames = append(c.DNSNames, strconv.Itoa(i)+".evil.example")
		}
	})
	handshake := func(cfg *tls.Config) func(net.Conn) {
		return func(c net.Conn) { _ = tls.Server(c, cfg).Handshake() }
	}
	cases := []evil{
		{"says nothing", hasty, hang, TimedOut, `"webhook.time_ran_out","params":{"action":{"code":"webhook.agreeing_on_tls"},"time":"500ms"`, 0},
		{"closes at once", patient, func(net.Conn) {}, Dropped, "webhook.tls_hung_up", 0},
		{"resets", patient, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)); reset(c) }, Dropped, "webhook.tls_hung_up", 0},
		{"speaks HTTP", patient, writeAfterRead("HTTP/1.1 400 Bad Request\r\n\r\n"), Untrusted, "webhook.speaks_no_tls", 0},
		{"speaks SSH", patient, writeAfterRead("SSH-2.0-OpenSSH_9.9\r\n"), Untrusted, "webhook.speaks_no_tls", 0},
		{"endless garbage", patient, endless("", "evil"), Untrusted, "webhook.speaks_no_tls", 0},
		{"endless handshake", patient, endless("\x16\x03\x03\x00\x04\x02\x00\xff\xff", "\x16\x03\x03\x00\x04evil"), Untrusted, "webhook.tls_failed", 0},
		{"breaks off", patient, writeAfterRead("\x15\x03\x03\x00\x02\x02\x28"), Untrusted, `"webhook.tls_broken_off","params":{"reason":"handshake failure"`, 0},
		{"old version", patient, handshake(&tls.Config{Certificates: []tls.Certificate{old}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), Untrusted, "", 0},
		{"no certificate", patient, handshake(&tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, io.EOF }}), Untrusted, "webhook.tls_broken_off", 0},
		{"greets first like mail", patient, func(c net.Conn) {
			secure := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{old}})
			_, _ = io.WriteString(secure, "* OK [CAPABILITY IMAP4rev1] mail.example\r\n")
			hang(secure)
		}, NotHTTP, "webhook.not_a_web_server", 0},
		{"huge certificate", patient, handshake(&tls.Config{Certificates: []tls.Certificate{many}}), Untrusted, "webhook.tls_failed", 0},
	}
	through := newDialer(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.try(t, New(through, Config{Timeout: c.timeout, Roots: right.roots()}), "https://"+listen(t, c.serve))
		})
	}
}

// writeAfterRead returns a handler that writes text after its first read.
func writeAfterRead(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, text)
		hang(c)
	}
}

// session is the receiver's end of an HTTP/2 connection on which a request has arrived.
type session struct {
	*http2.Framer
	conn net.Conn
}

// head encodes a header block with the given status and headers.
func (s session) head(status string, more ...string) []byte {
	var out bytes.Buffer
	enc := hpack.NewEncoder(&out)
	for _, field := range append([]string{":status", status}, more...) {
		if name, value, two := strings.Cut(field, "="); two {
			_ = enc.WriteField(hpack.HeaderField{Name: name, Value: value})
			continue
		}
		if field == ":status" {
			_ = enc.WriteField(hpack.HeaderField{Name: field, Value: status})
		}
	}
	return out.Bytes()
}

// longHead writes a head in several frames. Its header values have the given number
// of bytes in total.
func (s session) longHead(status string, values int, end bool) {
	var more []string
	for ; values > 0; values -= 1000 {
		more = append(more, "x="+strings.Repeat("x", 1000))
	}
	block := s.head(status, more...)
	first := min(len(block), 8<<10)
	_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:first], EndHeaders: first == len(block), EndStream: end})
	for block = block[first:]; len(block) > 0; block = block[first:] {
		first = min(len(block), 8<<10)
		_ = s.WriteContinuation(1, first == len(block), block[:first])
	}
}

func (s session) answer(status string, end bool) error {
	return s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: s.head(status), EndHeaders: true, EndStream: end})
}

// again calls a function repeatedly until it returns an error.
func again(do func() error) {
	for do() == nil {
	}
}

// serveHTTP2 returns a handler that reads an HTTP/2 request and then calls a function.
func serveHTTP2(cert tls.Certificate, then func(session)) func(net.Conn) {
	return func(c net.Conn) {
		conn := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}})
		if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		s := session{http2.NewFramer(conn, conn), conn}
		if s.WriteSettings() != nil {
			return
		}
		for {
			frame, err := s.ReadFrame()
			if err != nil {
				return
			}
			if frame.Header().Flags.Has(http2.FlagDataEndStream) && frame.Header().StreamID == 1 {
				break
			}
		}
		// Discard whatever else the sender writes.
		drained := make(chan struct{})
		go func() { hang(conn); close(drained) }()
		then(s)
		_ = conn.Close()
		<-drained
	}
}

func TestEvilHTTP2(t *testing.T) {
	right := newAuthority(t)
	cert := right.issue(t, nil)
	large := bytes.Repeat([]byte("evil"), 4000)
	wait := func(s session) { idle(s.conn) }
	cases := []struct {
		evil
		then func(session)
	}{
		{evil{name: "refuses the stream", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { _ = s.WriteRSTStream(1, http2.ErrCodeRefusedStream); wait(s) }},
		{evil{name: "rapid resets", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { again(func() error { return s.WriteRSTStream(1, http2.ErrCodeInternal) }) }},
		{evil{name: "resets of other streams", timeout: patient, kind: NotHTTP}, func(s session) { again(func() error { return s.WriteRSTStream(2, http2.ErrCodeCancel) }) }},
		{evil{name: "goes away", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { _ = s.WriteGoAway(0, http2.ErrCodeNo, nil) }},
		{evil{name: "resets for an error in the protocol", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { _ = s.WriteRSTStream(1, http2.ErrCodeProtocol); wait(s) }},
		{evil{name: "resets after hints", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { _ = s.answer("103", false); _ = s.WriteRSTStream(1, http2.ErrCodeCancel); wait(s) }},
		{evil{name: "resets and hangs up", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { _ = s.WriteRSTStream(1, http2.ErrCodeCancel) }},
		{evil{name: "goes away for an error", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { _ = s.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("header list")); wait(s) }},
		{evil{name: "goes away and hangs up", timeout: patient, kind: Dropped, want: "webhook.request_broken_off"}, func(s session) { _ = s.WriteGoAway(1, http2.ErrCodeNo, []byte("headers exceeded")) }},
		{evil{name: "head just short enough", timeout: patient, kind: Delivered, want: "200 OK", status: 200}, func(s session) { s.longHead("200", 30_000, true); wait(s) }},
		{evil{name: "head that is too long", timeout: patient, kind: NotHTTP, want: "webhook.head_too_long"}, func(s session) { s.longHead("200", 40_000, true); wait(s) }},
		{evil{name: "head that is too long and packed", timeout: patient, kind: NotHTTP, want: "webhook.head_too_long"}, func(s session) {
			field := "\x40\x01x\x7f\xb9\x16" + strings.Repeat("x", 3000) // added to the table, then referred to by its index
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: append(s.head("200"), field+strings.Repeat("\xbe", 20)...), EndHeaders: true})
			wait(s)
		}},
		{evil{name: "header that is too long", timeout: patient, kind: NotHTTP, want: "webhook.head_too_long"}, func(s session) {
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: append(s.head("200"), "\x00\x01x\x7f\xe1\xc6\x7f"...)})
			again(func() error { return s.WriteContinuation(1, false, large) })
		}},
		{evil{name: "no status and hangs up", timeout: patient, kind: NotHTTP, want: "webhook.not_a_web_server"}, func(s session) { _ = s.answer("", true) }},
		{evil{name: "hangs up within a frame", timeout: patient, kind: Dropped, want: "webhook.hung_up"}, func(s session) { _, _ = s.conn.Write([]byte("\x00\x10\x00\x01")) }},
		{evil{name: "floods pings", timeout: patient, kind: NotHTTP, want: `"webhook.too_much_data","params":{"size":512}`}, func(s session) { again(func() error { return s.WritePing(false, [8]byte{}) }) }},
		{evil{name: "floods settings", timeout: patient, kind: NotHTTP}, func(s session) {
			again(func() error { return s.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 1}) })
		}},
		{evil{name: "endless continuation", timeout: patient, kind: NotHTTP, want: "webhook.not_a_web_server"}, func(s session) {
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: s.head("200"), EndStream: true})
			field := []byte("\x00\x01a\x7f\x81\x7f" + strings.Repeat("b", 254))
			again(func() error { return s.WriteContinuation(1, false, field) })
		}},
		{evil{name: "empty continuation", timeout: patient, kind: NotHTTP}, func(s session) {
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: s.head("200"), EndStream: true})
			again(func() error { return s.WriteContinuation(1, false, nil) })
		}},
		{evil{name: "100 Continue for ever", timeout: patient, kind: NotHTTP, want: "webhook.head_too_long"}, func(s session) { again(func() error { return s.answer("100", false) }) }},
		{evil{name: "endless body", timeout: patient, kind: Delivered, want: "200 OK", status: 200}, func(s session) {
			_ = s.answer("200", false)
			again(func() error { return s.WriteData(1, false, large) })
		}},
		{evil{name: "empty body frames", timeout: patient, kind: Delivered, want: "webhook.delivered_body_broken_off", status: 200}, func(s session) {
			_ = s.answer("200", false)
			again(func() error { return s.WriteData(1, false, nil) })
		}},
		{evil{name: "body that stops", timeout: hasty, kind: Delivered, want: "webhook.delivered_body_broken_off", status: 200}, func(s session) {
			_ = s.answer("200", false)
			wait(s)
		}},
		{evil{name: "says nothing", timeout: hasty, kind: TimedOut, want: "webhook.waiting_for_answer"}, wait},
		{evil{name: "pushes", timeout: patient, kind: NotHTTP, want: "webhook.not_a_web_server"}, func(s session) {
			_ = s.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: s.head("200"), EndHeaders: true})
			wait(s)
		}},
		{evil{name: "no status", timeout: patient, kind: NotHTTP, want: "webhook.not_a_web_server"}, func(s session) { _ = s.answer("", true); wait(s) }},
		{evil{name: "huge frame", timeout: patient, kind: NotHTTP, want: "webhook.not_a_web_server"}, func(s session) { _ = s.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 1<<20)) }},
		{evil{name: "garbage", timeout: patient, kind: NotHTTP, want: "webhook.not_a_web_server"}, func(s session) { again(func() error { _, err := s.conn.Write(large); return err }) }},
		{evil{name: "hangs up", timeout: patient, kind: Dropped, want: "webhook.hung_up"}, func(session) {}},
	}
	through := newDialer(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.try(t, New(through, Config{Timeout: c.timeout, Roots: right.roots()}), "https://"+listen(t, serveHTTP2(cert, c.then)))
		})
	}
}

// An HTTP/2 receiver may close the connection before it reads the request. The
// outcome is the same no matter which side detects it first.
func TestHTTP2HangsUpBeforeTheRequest(t *testing.T) {
	right := newAuthority(t)
	secure := &tls.Config{Certificates: []tls.Certificate{right.issue(t, nil)}, NextProtos: []string{"h2"}}
	url := "https://" + listen(t, func(c net.Conn) {
		conn := tls.Server(c, secure)
		_ = http2.NewFramer(conn, conn).WriteSettings()
		_ = conn.CloseWrite()
		_, _ = io.CopyN(io.Discard, conn, 1)
	})
	s := New(newDialer(t), Config{Timeout: patient, Roots: right.roots()})
	for range 50 {
		wantOutcome(t, send(t, s, url), Dropped, "webhook.hung_up")
	}
}
