package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/egress"
)

const (
	// maxRead is the maximum number of bytes that an attempt reads from a receiver,
	// including TLS.
	maxRead = 512 << 10
	// maxHead is the maximum length of the head of a response in bytes, including
	// informational responses.
	maxHead = 32 << 10
	// maxKeptHead and maxKeptBody are the maximum numbers of bytes that an Outcome
	// keeps of the head and the body of a response.
	maxKeptHead = 8 << 10
	maxKeptBody = 16 << 10
	// requestStream is the id of the stream of the first request on an HTTP/2 connection.
	requestStream = 1
	// maxFrame and headerTableSize are the HTTP/2 defaults for the size of a frame
	// and of the header table, in bytes. The transport announces them.
	maxFrame        = 16 << 10
	headerTableSize = 4 << 10
	// receiveWindow is the HTTP/2 flow-control window: the number of bytes that a
	// receiver may send before they are read.
	receiveWindow = 64 << 10
)

// stage is the progress of an attempt.
type stage int

const (
	connecting stage = iota
	handshaking
	awaitingResponse
)

// action returns a human-readable description of the stage.
func (s stage) action() intray.Message {
	return [...]intray.Message{
		intray.NewMessage("webhook.connecting", nil), intray.NewMessage("webhook.agreeing_on_tls", nil), intray.NewMessage("webhook.waiting_for_answer", nil),
	}[s]
}

// attempt is one request on its own connection.
type attempt struct {
	target   address
	header   http.Header
	body     []byte
	signedAt time.Time
	timeout  time.Duration

	start      time.Time
	stage      stage
	conn       *egress.LimitedConn
	stopCancel func() bool
	http2      bool
	head       headRecord
	out        Outcome
}

func (a *attempt) run(ctx context.Context, dialer *egress.Dialer, secure *tls.Config) Outcome {
	a.start = time.Now()
	conn, err := a.connect(ctx, dialer, secure)
	if a.conn != nil {
		defer func() {
			a.stopCancel()
			_ = a.conn.Close()
		}()
	}
	if err == nil {
		a.out.Timing.Connected = time.Since(a.start)
		err = a.sendRequest(ctx, conn)
	}
	if err != nil {
		a.out.Kind, a.out.Text = a.explain(ctx, err)
		a.out.Err = err
	}
	a.out.Timing.Total = time.Since(a.start)
	return a.out
}

// connect opens a connection and completes the TLS handshake in separate steps, so that each
// step has its own errors.
func (a *attempt) connect(ctx context.Context, dialer *egress.Dialer, secure *tls.Config) (net.Conn, error) {
	raw, err := dialer.DialWeb(ctx, "tcp", a.target.dial)
	if err != nil {
		return nil, err
	}
	a.conn = egress.LimitReads(raw, maxRead)
	// Not every operation below supports contexts, so canceling ctx closes the connection. A
	// connection deadline would fire slightly before ctx, and it would look as if the receiver
	// had closed the connection.
	a.stopCancel = context.AfterFunc(ctx, func() { _ = raw.Close() })
	if secure == nil {
		return a.conn, nil
	}
	a.stage = handshaking
	conn := tls.Client(a.conn, secure)
	return conn, conn.HandshakeContext(ctx)
}

// sendRequest sends the request and reads the response.
func (a *attempt) sendRequest(ctx context.Context, conn net.Conn) error {
	a.stage = awaitingResponse
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.target.url.String(), bytes.NewReader(a.body))
	if err != nil {
		return err
	}
	request.Header, request.GetBody = a.header, nil
	if secure, ok := conn.(*tls.Conn); ok {
		a.http2 = secure.ConnectionState().NegotiatedProtocol == http2.NextProtoTLS
	}
	var head *headConn
	if a.http2 {
		// In HTTP/2, the receiver may send data first. The HTTP/2 library limits the header
		// lists, because their size is known only after decompression.
		head = &headConn{Conn: conn, limit: math.MaxInt}
	} else {
		head = &headConn{Conn: &gatedConn{Conn: conn, written: make(chan struct{})}, limit: maxHead}
	}
	defer func() { _ = head.Close() }()
	response, end, err := a.roundTrip(head, request)
	defer end()
	a.head = head.finish()
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	a.readResponse(response)
	return nil
}

// roundTrip sends a request through a transport that serves only this connection.
// It follows no redirect, uses no proxy and does not retry. The caller must call
// end after reading the response.
func (a *attempt) roundTrip(conn net.Conn, request *http.Request) (response *http.Response, end func(), err error) {
	if !a.http2 {
		// headConn limits the length of the head.
		transport := newTransport(conn, maxRead)
		response, err = transport.RoundTrip(request)
		return response, transport.CloseIdleConnections, err
	}
	// net/http supports HTTP/2 only on a *tls.Conn, which hides the frames.
	transport, err := http2.ConfigureTransports(newTransport(conn, maxHead)) //nolint:staticcheck // see above
	if err != nil {
		return nil, func() {}, err
	}
	client, err := transport.NewClientConn(conn) //nolint:staticcheck // see above
	if err != nil {
		return nil, func() {}, err
	}
	response, err = client.RoundTrip(request)
	return response, func() { _ = client.Close() }, err
}

var errSecondConnection = errors.New("a second connection is not allowed")

func newTransport(conn net.Conn, maxHeaders int64) *http.Transport {
	once := make(chan net.Conn, 1)
	once <- conn
	dial := func(context.Context, string, string) (net.Conn, error) {
		select {
		case only := <-once:
			return only, nil
		default:
			return nil, errSecondConnection
		}
	}
	return &http.Transport{
		DialContext: dial, DialTLSContext: dial,
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeaders,
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerConnection: receiveWindow, MaxReceiveBufferPerStream: receiveWindow},
	}
}

// readResponse records a response. Only the status matters: a receiver that
// responds with 200 has the message, even if the response body is incomplete.
func (a *attempt) readResponse(response *http.Response) {
	out := &a.out
	out.Timing.Answered = time.Since(a.start)
	out.Status, out.Protocol = response.StatusCode, response.Proto
	out.Head = limitHeaders(response.Header)
	out.RetryAfter = retryAfter(out.Status, response.Header, a.signedAt)
	if out.Status != http.StatusSwitchingProtocols {
		body, err := io.ReadAll(io.LimitReader(response.Body, maxKeptBody+1))
		out.Body, out.BodyCut = body[:min(len(body), maxKeptBody)], err != nil || len(body) > maxKeptBody
		out.Err = err
	}
	out.Kind, out.Text = classify(out, response.Header)
}

// limitHeaders returns as many headers, in alphabetical order, as fit into
// maxKeptHead. It drops cookies.
func limitHeaders(head http.Header) http.Header {
	out, left := http.Header{}, maxKeptHead
	for _, name := range slices.Sorted(maps.Keys(head)) {
		if name == "Set-Cookie" {
			continue
		}
		for _, value := range head[name] {
			value = strings.ToValidUTF8(value, "\uFFFD")
			if left -= len(name) + len(value); left < 0 {
				return out
			}
			out.Add(name, value)
		}
	}
	return out
}
