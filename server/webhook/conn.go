package webhook

import (
	"bytes"
	"errors"
	"net"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

var errHeadTooLong = errors.New("the head of the response is too long")

// headConn is a connection that records the bytes that the receiver sends, until
// the head of the response is complete. The HTTP libraries have no error types for
// most failures, so the record serves to explain them.
type headConn struct {
	net.Conn
	// limit is the maximum number of bytes of the head. Reading more returns errHeadTooLong.
	limit int

	mu     sync.Mutex
	done   bool
	record headRecord
}

// headRecord is what a headConn has recorded.
type headRecord struct {
	received []byte
	tooLong  bool
	// failure is the first error of the connection, except for errors caused by
	// closing it ourselves.
	failure error
}

func (c *headConn) Read(p []byte) (int, error) {
	room, err := c.room(len(p))
	if err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p[:room])
	c.add(p[:n], err)
	return n, err
}

// room returns how many bytes may be read, at most n.
func (c *headConn) room(n int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.limit - len(c.record.received)
	if c.done || n <= left {
		return n, nil
	}
	if left > 0 {
		return left, nil
	}
	c.record.tooLong = true
	return 0, errHeadTooLong
}

func (c *headConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.add(nil, err)
	return n, err
}

func (c *headConn) add(received []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return
	}
	c.record.received = append(c.record.received, received...)
	if c.record.failure == nil && !errors.Is(err, net.ErrClosed) {
		c.record.failure = err
	}
}

// finish stops recording, removes the limit and returns the record.
func (c *headConn) finish() headRecord {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	return c.record
}

// headEvidence describes why a response failed, according to a record.
type headEvidence struct {
	begun     bool // the receiver sent something that could be part of a response
	tooLong   bool // the head is longer than maxHead
	brokenOff bool // the receiver reset the stream or sent GOAWAY
	alert     bool // the receiver sent a TLS alert instead of HTTP
}

// tlsAlert is the record type and major version of a TLS alert, which a TLS server
// sends to a client that does not use TLS.
var tlsAlert = []byte{0x15, 0x03}

// inspectHTTP1 inspects the record of an HTTP/1 connection.
func (r headRecord) inspectHTTP1() headEvidence {
	return headEvidence{begun: len(r.received) > 0, tooLong: r.tooLong, alert: bytes.HasPrefix(r.received, tlsAlert)}
}

// inspectHTTP2 inspects the record of an HTTP/2 connection. It stops at the first
// frame that explains the failure.
func (r headRecord) inspectHTTP2() (found headEvidence) {
	size := 0
	headers := hpack.NewDecoder(headerTableSize, func(f hpack.HeaderField) { size += int(f.Size()) })
	headers.SetMaxStringLength(maxHead)
	frames := http2.NewFramer(nil, bytes.NewReader(r.received))
	frames.SetMaxReadFrameSize(maxFrame)
	for !found.tooLong && !found.brokenOff {
		frame, err := frames.ReadFrame()
		if err != nil {
			found.begun = found.begun || !isDisconnect(err)
			return found
		}
		var block []byte
		switch frame := frame.(type) {
		case *http2.RSTStreamFrame:
			found.brokenOff = frame.StreamID == requestStream
		case *http2.GoAwayFrame:
			found.brokenOff = true
		case *http2.HeadersFrame:
			found.begun, block = true, frame.HeaderBlockFragment()
		case *http2.ContinuationFrame:
			block = frame.HeaderBlockFragment()
		case *http2.DataFrame, *http2.PushPromiseFrame:
			found.begun = true
		}
		_, err = headers.Write(block)
		found.tooLong = size > maxHead || errors.Is(err, hpack.ErrStringLength)
		if err != nil {
			return found
		}
	}
	return found
}

// gatedConn is a connection that blocks reads until the first write. The HTTP
// library treats a response that arrives before the request as the rest of an
// earlier response: it fails, and logs the received bytes.
type gatedConn struct {
	net.Conn
	written chan struct{}
	once    sync.Once
}

func (c *gatedConn) open() { c.once.Do(func() { close(c.written) }) }

func (c *gatedConn) Write(p []byte) (int, error) {
	c.open()
	return c.Conn.Write(p)
}

func (c *gatedConn) Read(p []byte) (int, error) {
	<-c.written
	return c.Conn.Read(p)
}

func (c *gatedConn) Close() error {
	c.open()
	return c.Conn.Close()
}
