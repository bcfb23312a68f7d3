package egress

import (
	"errors"
	"net"
	"sync/atomic"
)

// ErrTooMuch says that the other side of a connection sent more than it may.
var ErrTooMuch = errors.New("the other side sent too much")

// Limited is a connection that gives at most so many bytes of what the other side
// sends, and then ErrTooMuch.
type Limited struct {
	net.Conn
	left atomic.Int64
}

// Limit bounds what a connection gives, in bytes.
func Limit(conn net.Conn, bytes int64) *Limited {
	c := &Limited{Conn: conn}
	c.Allow(bytes)
	return c
}

// Allow bounds it anew, from here on.
func (c *Limited) Allow(bytes int64) { c.left.Store(bytes) }

// Read reads as much as is left.
func (c *Limited) Read(p []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		return 0, ErrTooMuch
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.left.Add(-int64(n))
	return n, err
}

// Exhausted says whether nothing is left.
func (c *Limited) Exhausted() bool { return c.left.Load() <= 0 }
