package app

import (
	"net"
	"sync"
)

const (
	// mostConnections bounds the memory of idle connections.
	mostConnections = 4096
	// filesPerConnection leaves to each connection a file that it sends, and
	// as much again to the stores.
	filesPerConnection = 3
)

// maxConnections is how many connections may be open at once in a process that
// may have so many files open. 0 files means that the limit is not known.
func maxConnections(files uint64) int {
	if files == 0 {
		return mostConnections
	}
	return int(max(1, min(mostConnections, files/filesPerConnection)))
}

// limitConnections makes a listener accept no more than so many connections
// at once. Those beyond wait in the system's queue until others end.
func limitConnections(listener *net.TCPListener, most int) net.Listener {
	return &limitedListener{TCPListener: listener, places: make(chan struct{}, most), closed: make(chan struct{})}
}

type limitedListener struct {
	*net.TCPListener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.AcceptTCP()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{TCPConn: conn, free: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.TCPListener.Close()
}

// limitedConn stays a TCP connection to net/http, which closes one half of it
// so that an answer to a body that it did not read still arrives.
type limitedConn struct {
	*net.TCPConn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.TCPConn.Close()
}
