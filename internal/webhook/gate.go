package webhook

import (
	"crypto/tls"
	"net"
	"sync"
)

// gatedConn gives nothing before something was asked. The library takes an
// answer that is there before the request for the rest of an earlier one: it
// gives up, and prints what the receiver said.
type gatedConn struct {
	net.Conn
	asked chan struct{}
	once  sync.Once
}

// gate puts a gate before a connection, but for HTTP/2: there the receiver may
// speak first, and the library must see the connection of TLS itself.
func gate(conn net.Conn) net.Conn {
	if secure, ok := conn.(*tls.Conn); ok && secure.ConnectionState().NegotiatedProtocol == "h2" {
		return conn
	}
	return &gatedConn{Conn: conn, asked: make(chan struct{})}
}

func (c *gatedConn) open() { c.once.Do(func() { close(c.asked) }) }

func (c *gatedConn) Write(p []byte) (int, error) {
	c.open()
	return c.Conn.Write(p)
}

func (c *gatedConn) Read(p []byte) (int, error) {
	<-c.asked
	return c.Conn.Read(p)
}

func (c *gatedConn) Close() error {
	c.open()
	return c.Conn.Close()
}
