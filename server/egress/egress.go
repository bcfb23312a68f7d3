// Package egress is the only door to the outside: every connection that this
// program opens to an address somebody named goes through a Door.
//
// A Door looks at the address that is dialled, after names were resolved, on
// every attempt. A name that points into the inner network is therefore refused
// however it is spelled and whenever it changes. Networks that the operator
// allows are open, with all their ports. All networks that IANA's registries of
// special-purpose addresses list are shut. An address that only the operator's
// own routers lead inside looks like any other: nobody can tell it here.
//
// A [LimitedConn] connection bounds what the other side may send.
//
// The package speaks no protocol. It follows no redirect and knows no proxy:
// whoever speaks HTTP must not use one either.
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

// DefaultTimeout bounds looking up a name and connecting.
const DefaultTimeout = 10 * time.Second

// Config holds the choices of a Door. The zero Config works: it lets nobody
// into networks that are not public.
type Config struct {
	// Allow are the networks that are open in spite of not being public.
	Allow []netip.Prefix
	// Timeout bounds each dial as a whole. Default DefaultTimeout.
	Timeout time.Duration
	// Resolver looks names up. Default: that of the system.
	Resolver *net.Resolver
}

// Dialer opens connections to the outside. It may be used by many goroutines.
type Dialer struct {
	allow    []netip.Prefix
	timeout  time.Duration
	resolver *net.Resolver
}

// New makes a door.
func New(cfg Config) *Dialer {
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	return &Dialer{allow: slices.Clone(cfg.Allow), timeout: cfg.Timeout, resolver: cfg.Resolver}
}

// DialWeb connects for HTTP: ports 80, 443 and 1024 to 65535. The network is
// "tcp", "tcp4" or "tcp6", the address "host:port". The error is a
// *RefusedError where the door stays shut, and any other where connecting
// failed. It fits into http.Transport.DialContext.
func (d *Dialer) DialWeb(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, web, network, address)
}

// DialSFTP connects for SFTP: ports 22 and 1024 to 65535. It is like DialWeb in
// all else.
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
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	return conn, nil
}

// splitTarget takes the address apart and refuses what is no ordinary one.
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

// checkAddress is asked for every address before a connection to it is begun.
func (d *Dialer) checkAddress(rule portRule, host, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{Host: host, Reason: intray.NewMessage("egress.unreadable_address", intray.Params{"host": host, "address": address})}
	}
	// An IPv4 address in the clothes of IPv6 is judged as what it is.
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

// portRule is the rule for the ports of public addresses.
type portRule struct {
	known []uint16
	// closed says that a port is not one of them.
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

// ErrTooMuch says that the other side of a connection sent more than it may.
var ErrTooMuch = errors.New("the other side sent too much")

// LimitedConn is a connection that gives at most so many bytes of what the other side
// sends, and then ErrTooMuch.
type LimitedConn struct {
	net.Conn
	left atomic.Int64
}

// LimitReads bounds what a connection gives, in bytes.
func LimitReads(conn net.Conn, bytes int64) *LimitedConn {
	c := &LimitedConn{Conn: conn}
	c.SetLimit(bytes)
	return c
}

// SetLimit bounds it anew, from here on.
func (c *LimitedConn) SetLimit(bytes int64) { c.left.Store(bytes) }

// Read reads as much as is left.
func (c *LimitedConn) Read(p []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		return 0, ErrTooMuch
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.left.Add(-int64(n))
	return n, err
}

// Exhausted says whether nothing is left.
func (c *LimitedConn) Exhausted() bool { return c.left.Load() <= 0 }
