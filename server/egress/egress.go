// Package egress opens all outgoing connections to addresses that users configure.
//
// A [Dialer] checks the address of every connection attempt after DNS resolution. It refuses a
// name that resolves to an internal address, however the name is spelled and even if an earlier
// lookup returned a public address. It refuses all networks in the IANA special-purpose address
// registries, except those that the operator allows, for all organizations or for one. Allowed
// networks are open on all ports. The error for a name that resolves to a refused address equals
// that for a name that does not exist, so that it does not reveal what internal names resolve to.
// The operator finds the address in the log. A Dialer cannot detect public addresses that the
// operator routes to an internal network.
//
// A [LimitedConn] limits how many bytes the peer may send.
//
// The package implements no application protocol. HTTP clients that use it must not use proxies.
package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/intraydata/intray"
)

// DefaultTimeout is the default value of Config.Timeout.
const DefaultTimeout = 10 * time.Second

// Config configures a Dialer. The zero Config uses the defaults and allows only public addresses.
type Config struct {
	// Allow lists networks that are allowed even though they are not public. AllowByOrg lists
	// further networks for single organizations, by id.
	Allow      []netip.Prefix
	AllowByOrg map[string][]netip.Prefix
	// Log receives the refused addresses. Default: no logging.
	Log *slog.Logger
	// Timeout is the maximum time for DNS resolution and connecting together.
	// Default DefaultTimeout.
	Timeout time.Duration
	// Resolver resolves host names. Default: the resolver of the operating system.
	Resolver *net.Resolver
}

// Dialer opens outgoing connections. It is safe for concurrent use.
type Dialer struct {
	org        string
	allow      []netip.Prefix
	allowByOrg map[string][]netip.Prefix
	log        *slog.Logger
	timeout    time.Duration
	resolver   *net.Resolver
}

// New returns a dialer for no organization. It does not use Config.AllowByOrg.
func New(cfg Config) *Dialer {
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), DefaultTimeout)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Dialer{allow: slices.Clone(cfg.Allow), allowByOrg: maps.Clone(cfg.AllowByOrg), log: cfg.Log, timeout: cfg.Timeout, resolver: cfg.Resolver}
}

// ForOrg returns a dialer for an organization. Both dialers share everything except for the
// networks that only the organization may use.
func (d *Dialer) ForOrg(org string) *Dialer {
	own := *d
	own.org = org
	return &own
}

// DialWeb connects for HTTP, which may use ports 80, 443 and 1024 to 65535. The network must be
// "tcp", "tcp4" or "tcp6", and the address must be "host:port". If the address is refused, the
// error is a *RefusedError. If a host name resolves to an address that is not public, the error is
// a *net.DNSError, as for a name that does not exist. DialWeb can serve as the DialContext of an
// http.Transport.
func (d *Dialer) DialWeb(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, web, network, address)
}

// DialSFTP is like DialWeb, but connects for SFTP, which may use ports 22 and 1024 to 65535.
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
	case errors.As(err, &refused) && refused.hidden:
		return nil, fmt.Errorf("connect to %s: %w", address, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
	case errors.As(err, &refused):
		return nil, refused
	case err != nil:
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return conn, nil
}

// splitTarget splits an address into host and port, and validates both. If the
// address is invalid, it returns a *RefusedError.
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

// checkAddress returns a *RefusedError if the address is refused. The dialer calls
// it before every connection attempt.
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
		d.log.Warn("outgoing connection refused: the address is not public", "org", d.org, "address", addr.String(), "egress_allow", network.String())
		return refuseNonPublic(host, addr, kind, network)
	}
	if !rule.allows(to.Port()) {
		return &RefusedError{Host: host, Reason: rule.closed(host, strconv.Itoa(int(to.Port())))}
	}
	return nil
}

func (d *Dialer) isAllowed(addr netip.Addr) bool {
	addr = addr.WithZone("")
	contains := func(p netip.Prefix) bool { return p.Contains(addr) }
	return slices.ContainsFunc(d.allow, contains) || slices.ContainsFunc(d.allowByOrg[d.org], contains)
}

// portRule lists the ports below firstFreePort that are allowed on public addresses.
type portRule struct {
	known []uint16
	// closed returns the reason why any other port is refused.
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

// ErrTooMuch is returned by a LimitedConn whose limit is reached.
var ErrTooMuch = errors.New("the peer sent too much")

// LimitedConn is a connection that reads a limited number of bytes and then returns ErrTooMuch.
type LimitedConn struct {
	net.Conn
	left atomic.Int64
}

// LimitReads returns a connection that reads at most the given number of bytes.
func LimitReads(conn net.Conn, bytes int64) *LimitedConn {
	c := &LimitedConn{Conn: conn}
	c.SetLimit(bytes)
	return c
}

// SetLimit sets the number of bytes that can still be read.
func (c *LimitedConn) SetLimit(bytes int64) { c.left.Store(bytes) }

// Read reads at most as many bytes as the limit allows. At the limit it returns ErrTooMuch.
func (c *LimitedConn) Read(p []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		return 0, ErrTooMuch
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.left.Add(-int64(n))
	return n, err
}

// Exhausted reports whether the limit has been reached.
func (c *LimitedConn) Exhausted() bool { return c.left.Load() <= 0 }
