package webhook

import (
	"errors"
	"net"
	"sync/atomic"
)

var errTooMuch = errors.New("the receiver sent too much")

// limitedConn gives at most so many bytes of what the other side sends.
type limitedConn struct {
	net.Conn
	left atomic.Int64
}

func limit(conn net.Conn, bytes int64) *limitedConn {
	c := &limitedConn{Conn: conn}
	c.left.Store(bytes)
	return c
}

func (c *limitedConn) Read(p []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		return 0, errTooMuch
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.left.Add(-int64(n))
	return n, err
}

func (c *limitedConn) exhausted() bool { return c.left.Load() <= 0 }
