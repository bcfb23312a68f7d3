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
// A [Limited] connection bounds what the other side may send.
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

	"code.dny.dev/ssrf"

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

// Door opens connections to the outside. It may be used by many goroutines.
type Door struct {
	allow    []netip.Prefix
	public   *ssrf.Guardian
	timeout  time.Duration
	resolver *net.Resolver
}

// New makes a door.
func New(cfg Config) *Door {
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	return &Door{
		allow:    slices.Clone(cfg.Allow),
		public:   ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork()),
		timeout:  cfg.Timeout,
		resolver: cfg.Resolver,
	}
}

// DialWeb connects for HTTP: ports 80, 443 and 1024 to 65535. The network is
// "tcp", "tcp4" or "tcp6", the address "host:port". The error is a
// *RefusedError where the door stays shut, and any other where connecting
// failed. It fits into http.Transport.DialContext.
func (d *Door) DialWeb(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, web, network, address)
}

// DialSFTP connects for SFTP: ports 22 and 1024 to 65535. It is like DialWeb in
// all else.
func (d *Door) DialSFTP(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, sftp, network, address)
}

func (d *Door) dial(ctx context.Context, rule ports, network, address string) (net.Conn, error) {
	host, port, err := target(network, address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{
		Timeout:  d.timeout,
		Resolver: d.resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			return d.judge(rule, host, address)
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

// target takes the address apart and refuses what is no ordinary one.
func target(network, address string) (host, port string, err error) {
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
	if problem := oddHost(host); !problem.IsZero() {
		return "", "", &RefusedError{Host: host, Reason: problem}
	}
	return host, port, nil
}

// judge is asked for every address before a connection to it is begun.
func (d *Door) judge(rule ports, host, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{Host: host, Reason: intray.NewMessage("egress.unreadable_address", intray.Params{"host": host, "address": address})}
	}
	// An IPv4 address in the clothes of IPv6 is judged as what it is.
	addr := to.Addr().Unmap()
	if d.allowed(addr) {
		return nil
	}
	if d.public.SafeAddr(addr) != nil {
		return notPublic(host, addr)
	}
	if !rule.open(to.Port()) {
		return &RefusedError{Host: host, Reason: rule.closed(host, strconv.Itoa(int(to.Port())))}
	}
	return nil
}

func (d *Door) allowed(addr netip.Addr) bool {
	addr = addr.WithZone("")
	return slices.ContainsFunc(d.allow, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// ports is the rule for the ports of public addresses.
type ports struct {
	known []uint16
	// closed says that a port is not one of them.
	closed func(host, port string) intray.Message
}

const firstFreePort = 1024

var (
	web = ports{[]uint16{80, 443}, func(host, port string) intray.Message {
		return intray.NewMessage("egress.closed_web_port", intray.Params{"host": host, "port": port})
	}}
	sftp = ports{[]uint16{22}, func(host, port string) intray.Message {
		return intray.NewMessage("egress.closed_sftp_port", intray.Params{"host": host, "port": port})
	}}
)

func (p ports) open(port uint16) bool {
	return port >= firstFreePort || slices.Contains(p.known, port)
}

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
