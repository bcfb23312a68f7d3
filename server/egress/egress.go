// Package egress opens all outgoing connections to addresses that users configure.
//
// A [Dialer] checks the address of every connection attempt after DNS resolution, so a name
// that resolves to an internal address is refused, however it is spelled and whenever it
// changes. It refuses all networks in IANA's registries of special-purpose addresses,
// except those that the operator allows, which are open on all ports. It cannot detect
// public addresses that the operator routes to an internal network.
//
// A [LimitedConn] bounds how much the peer may send.
//
// The package implements no protocol. HTTP clients that use it must not use proxies.
package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/intraydata/intray"
)

// DefaultTimeout is the default of Config.Timeout.
const DefaultTimeout = 10 * time.Second

// Config configures a Dialer. The zero Config works and allows only public addresses.
type Config struct {
	// Allow are networks that are allowed although they are not public.
	Allow []netip.Prefix
	// Timeout bounds DNS resolution and connecting together. Default DefaultTimeout.
	Timeout time.Duration
	// Resolver resolves names. Default: the system's resolver.
	Resolver *net.Resolver
}

// Dialer opens outgoing connections. It is safe for concurrent use.
type Dialer struct {
	allow    []netip.Prefix
	timeout  time.Duration
	resolver *net.Resolver
}

// New returns a dialer.
func New(cfg Config) *Dialer {
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	return &Dialer{allow: slices.Clone(cfg.Allow), timeout: cfg.Timeout, resolver: cfg.Resolver}
}

// DialWeb connects for HTTP, to the ports 80, 443 and 1024 to 65535. The network is "tcp",
// "tcp4" or "tcp6" and the address "host:port". The error is a *RefusedError if the address
// is refused. DialWeb can be the DialContext of an http.Transport.
func (d *Dialer) DialWeb(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, web, network, address)
}

// DialSFTP is DialWeb for SFTP: it connects to the ports 22 and 1024 to 65535.
func (d *Dialer) DialSFTP(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, sftp, network, address)
}

func (d *Dialer) dial(ctx context.Context, rule portRule, network, address string) (net.Conn, error) {
	host, port, err := splitTarget(network, address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{
		Timeout:  d.timeout,
		Resolver: d.resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			return d.checkAddress(rule, host, address)
		},
	}
	conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(host, port))
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case err != nil:
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return conn, nil
}

// splitTarget splits and validates an address. It returns a *RefusedError if it is invalid.
func splitTarget(network, address string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(address)
	if err != nil {
		return "", "", &RefusedError{Host: address, Reason: intray.NewMessage("egress.not_host_and_port", intray.Params{"host": address})}
	}
	if !slices.Contains([]string{"tcp", "tcp4", "tcp6"}, network) {
		return "", "", &RefusedError{Host: host, Reason: intray.NewMessage("egress.not_tcp", intray.Params{"host": host, "network": network})}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", "", &RefusedError{Host: host, Reason: intray.NewMessage("egress.invalid_port", intray.Params{"host": host, "port": port})}
	}
	if problem := hostProblem(host); !problem.IsZero() {
		return "", "", &RefusedError{Host: host, Reason: problem}
	}
	return host, port, nil
}

// checkAddress is called with every address before connecting to it.
func (d *Dialer) checkAddress(rule portRule, host, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{Host: host, Reason: intray.NewMessage("egress.unreadable_address", intray.Params{"host": host, "address": address})}
	}
	addr := to.Addr().Unmap()
	if d.isAllowed(addr) {
		return nil
	}
	if kind, network, special := classify(addr); special {
		return refuseNonPublic(host, addr, kind, network)
	}
	if !rule.allows(to.Port()) {
		return &RefusedError{Host: host, Reason: rule.closed(host, strconv.Itoa(int(to.Port())))}
	}
	return nil
}

func (d *Dialer) isAllowed(addr netip.Addr) bool {
	addr = addr.WithZone("")
	return slices.ContainsFunc(d.allow, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// portRule lists the allowed ports of public addresses below firstFreePort.
type portRule struct {
	known []uint16
	// closed returns the reason to refuse other ports.
	closed func(host, port string) intray.Message
}

const firstFreePort = 1024

var (
	web = portRule{[]uint16{80, 443}, func(host, port string) intray.Message {
		return intray.NewMessage("egress.closed_web_port", intray.Params{"host": host, "port": port})
	}}
	sftp = portRule{[]uint16{22}, func(host, port string) intray.Message {
		return intray.NewMessage("egress.closed_sftp_port", intray.Params{"host": host, "port": port})
	}}
)

func (p portRule) allows(port uint16) bool {
	return port >= firstFreePort || slices.Contains(p.known, port)
}

// ErrTooMuch is the error of a LimitedConn at its limit.
var ErrTooMuch = errors.New("the peer sent too much")

// LimitedConn is a connection that reads up to a limit and then returns ErrTooMuch.
type LimitedConn struct {
	net.Conn
	left atomic.Int64
}

// LimitReads returns a connection that reads at most a number of bytes.
func LimitReads(conn net.Conn, bytes int64) *LimitedConn {
	c := &LimitedConn{Conn: conn}
	c.SetLimit(bytes)
	return c
}

// SetLimit sets how many more bytes can be read.
func (c *LimitedConn) SetLimit(bytes int64) { c.left.Store(bytes) }

// Read reads up to the limit.
func (c *LimitedConn) Read(p []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		return 0, ErrTooMuch
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.left.Add(-int64(n))
	return n, err
}

// Exhausted reports whether the limit is reached.
func (c *LimitedConn) Exhausted() bool { return c.left.Load() <= 0 }
