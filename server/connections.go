package server

import (
	"cmp"
	"container/list"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/intraydata/intray/server/httpapi"
)

const (
	// mostConnections is the maximum number of connections. It limits the memory of
	// idle connections.
	mostConnections = 4096
	// filesPerConnection is the number of file descriptors reserved per connection:
	// one for the connection, one for a file that it sends, and one for the stores.
	filesPerConnection = 3
	// mostReserved is the maximum number of connections reserved for health checks.
	mostReserved = 64
)

const (
	// minOpenFiles is the minimum number of open files with which the service can work: each of
	// mostImports imports needs about filesPerImport, and the database and its files about ten.
	minOpenFiles   = 128
	filesPerImport = 20
	// fewOpenFiles is the number of open files below which clients notice the limit.
	fewOpenFiles = 256
)

// filesFor returns the number of open files that the service can need for a number of imports at a time.
func filesFor(imports int) uint64 {
	return fewOpenFiles + uint64(max(0, imports-mostImports))*filesPerImport
}

// checkOpenFiles returns a UsageError if the process may have too few open files to work. If the
// number is so small that it limits clients, it logs an error. 0 means that it is unknown.
func checkOpenFiles(files uint64, log *slog.Logger) error {
	switch {
	case files == 0 || files >= fewOpenFiles:
		return nil
	case files < minOpenFiles:
		return usageErrorf("this process may have only %d open files, but needs at least %d: raise the limit, for example with ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit", files, minOpenFiles)
	}
	log.Error("the limit on open files is too low for many clients: raise it, for example with ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit", "open_files", files, "connections", maxConnections(files))
	return nil
}

// maxConnections returns the maximum number of connections for a process that may
// have the given number of open files. 0 means that this limit is unknown.
func maxConnections(files uint64) int {
	if files == 0 {
		return mostConnections
	}
	return int(max(1, min(mostConnections, files/filesPerConnection)))
}

// connectionLimits limit the open connections of a listener.
type connectionLimits struct {
	// total is the maximum number of connections. The last reserved of them serve only health
	// checks.
	total, reserved int
	// perAddress is the maximum number of connections of a client address, or of a network of 64
	// bits for IPv6. It does not apply to addresses in proxies.
	perAddress int
	proxies    []netip.Prefix
	// unknown is the maximum number of connections on which no request had a valid credential.
	unknown int
}

// newConnectionLimits returns the limits for a process that may have total connections. If
// perAddress is 0, one address can have a quarter of them.
func newConnectionLimits(total, perAddress int, proxies []netip.Prefix) connectionLimits {
	return connectionLimits{
		total: total, reserved: max(1, min(mostReserved, total/16)),
		perAddress: cmp.Or(perAddress, max(1, total/4)), proxies: proxies, unknown: max(1, total/2),
	}
}

// connectionClass is the order in which connections are closed to make room for new ones.
type connectionClass int

const (
	// idleUnknown connections serve no request, and none of their requests had a valid
	// credential.
	idleUnknown connectionClass = iota
	// idleKnown connections serve no request. The client can connect again at any time.
	idleKnown
	// busyUnknown connections serve a request without a valid credential.
	busyUnknown
	// busyKnown connections serve a request of a client with a valid credential. They are
	// never closed for others.
	busyKnown

	connectionClasses
)

// connectionTable contains the open connections of a listener. A new connection is always
// accepted. If it exceeds a limit, another one is closed: of the first class that has any, the
// connection that has been in its class for the longest time. If there is none, the new
// connection serves only health checks.
type connectionTable struct {
	limits connectionLimits

	mu        sync.Mutex
	addresses map[netip.Prefix]*addressConnections
	// open and unknown count the connections that do not belong to the reserve.
	open, unknown int
	reserve       list.List
}

// addressConnections are the connections of a client address.
type addressConnections struct {
	address netip.Prefix
	proxy   bool
	open    int
	classes [connectionClasses]list.List
}

func newConnectionTable(limits connectionLimits) *connectionTable {
	return &connectionTable{limits: limits, addresses: map[netip.Prefix]*addressConnections{}}
}

// surplusConnection is a connection that is closed to make room, and the limit that was reached.
type surplusConnection struct {
	*trackedConnection
	limit string
}

// trackedConnection is a connection in a table. It is still a TCP connection for net/http. If a
// body was not read, net/http closes only the write half of the connection, so that the client
// receives the response.
type trackedConnection struct {
	*net.TCPConn
	table *connectionTable

	// The mutex of the table protects these fields.
	from        *addressConnections
	element     *list.Element // nil once the connection is closed
	healthOnly  bool
	busy, known bool
}

func (c *trackedConnection) class() connectionClass {
	switch {
	case c.busy && c.known:
		return busyKnown
	case c.busy:
		return busyUnknown
	case c.known:
		return idleKnown
	}
	return idleUnknown
}

// add adds a connection to the table and returns those that must be closed for it.
func (t *connectionTable) add(c *trackedConnection, remote netip.Addr) (surplus []surplusConnection) {
	address := httpapi.AddressGroup(remote)
	t.mu.Lock()
	defer t.mu.Unlock()
	c.table, c.from = t, t.addresses[address]
	if c.from == nil {
		proxy := slices.ContainsFunc(t.limits.proxies, func(p netip.Prefix) bool { return p.Contains(remote.Unmap()) })
		c.from = &addressConnections{address: address, proxy: proxy}
	}
	for !c.healthOnly {
		victim, limit := t.chooseVictim(c.from)
		if limit == "" {
			break
		}
		if victim == nil {
			c.healthOnly = true
			if t.reserve.Len() < t.limits.reserved {
				break
			}
			victim, limit = t.reserve.Front().Value.(*trackedConnection), "reserve"
		}
		t.remove(victim)
		surplus = append(surplus, surplusConnection{victim, limit})
	}
	t.insert(c)
	return surplus
}

// chooseVictim returns the connection that is closed for a new one from an address, and the name
// of the limit that would be exceeded otherwise. The victim is nil if no connection may be
// closed, and the name is "" if there is room.
func (t *connectionTable) chooseVictim(from *addressConnections) (victim *trackedConnection, limit string) {
	switch {
	case !from.proxy && from.open >= t.limits.perAddress:
		return from.oldest(idleUnknown, idleKnown, busyUnknown), "address"
	case t.unknown >= t.limits.unknown:
		return t.oldestOfLargest(idleUnknown, busyUnknown), "unknown"
	case t.open >= t.limits.total-t.limits.reserved:
		return t.oldestOfLargest(idleUnknown, idleKnown, busyUnknown), "total"
	}
	return nil, ""
}

// oldest returns the oldest connection in the first class that has any, or nil.
func (a *addressConnections) oldest(classes ...connectionClass) *trackedConnection {
	for _, class := range classes {
		if front := a.classes[class].Front(); front != nil {
			return front.Value.(*trackedConnection)
		}
	}
	return nil
}

// oldestOfLargest returns the oldest connection in the first class that has any, of the address
// that has most connections in this class. It prefers clients to proxies.
func (t *connectionTable) oldestOfLargest(classes ...connectionClass) *trackedConnection {
	for _, class := range classes {
		var largest *addressConnections
		for _, a := range t.addresses {
			n := a.classes[class].Len()
			switch {
			case n == 0:
			case largest == nil, largest.proxy && !a.proxy, largest.proxy == a.proxy && n > largest.classes[class].Len():
				largest = a
			}
		}
		if largest != nil {
			return largest.oldest(class)
		}
	}
	return nil
}

func (t *connectionTable) insert(c *trackedConnection) {
	if c.healthOnly {
		c.element = t.reserve.PushBack(c)
		return
	}
	t.addresses[c.from.address] = c.from
	t.open++
	c.from.open++
	if !c.known {
		t.unknown++
	}
	c.element = c.from.classes[c.class()].PushBack(c)
}

func (t *connectionTable) remove(c *trackedConnection) {
	if c.element == nil {
		return
	}
	element := c.element
	c.element = nil
	if c.healthOnly {
		t.reserve.Remove(element)
		return
	}
	c.from.classes[c.class()].Remove(element)
	t.open--
	if !c.known {
		t.unknown--
	}
	if c.from.open--; c.from.open == 0 {
		delete(t.addresses, c.from.address)
	}
}

// update changes the state of a connection.
func (t *connectionTable) update(c *trackedConnection, change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.element == nil {
		return
	}
	t.remove(c)
	change()
	t.insert(c)
}

// counts returns the number of connections by state.
func (t *connectionTable) counts() (known, unknown, reserved int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open - t.unknown, t.unknown, t.reserve.Len()
}

// Close closes the connection and removes it from the table.
func (c *trackedConnection) Close() error {
	c.table.mu.Lock()
	c.table.remove(c)
	c.table.mu.Unlock()
	return c.TCPConn.Close()
}

// trackingListener adds its connections to a table. Accept never waits for a connection to end.
type trackingListener struct {
	*net.TCPListener
	table *connectionTable
	// closed is called for each connection that is closed to make room.
	closed func(surplusConnection)
}

func (l *trackingListener) Accept() (net.Conn, error) {
	conn, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	c := &trackedConnection{TCPConn: conn}
	remote, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
	for _, victim := range l.table.add(c, remote.Addr()) {
		_ = victim.TCPConn.Close()
		l.closed(victim)
	}
	return c, nil
}

type connectionKey struct{}

// trackedOf returns the tracked connection below a connection of net/http, or nil.
func trackedOf(conn net.Conn) *trackedConnection {
	for {
		switch c := conn.(type) {
		case *trackedConnection:
			return c
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return nil
		}
	}
}

// withConnection returns a context from which markKnown and isHealthOnly find the connection.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(*http1Connection); ok {
		ctx = context.WithValue(ctx, http1Key{}, c)
	}
	if c := trackedOf(conn); c != nil {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	return ctx
}

// trackState records whether a connection serves a request.
func trackState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*http1Connection); ok && state == http.StateIdle {
		c.handled.Store(false)
	}
	c := trackedOf(conn)
	if c == nil || state != http.StateActive && state != http.StateIdle {
		return
	}
	c.table.update(c, func() { c.busy = state == http.StateActive })
}

// markKnown records that a request on the connection has a valid credential.
func markKnown(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*trackedConnection); ok {
		c.table.update(c, func() { c.known = true })
	}
}

// isHealthOnly reports whether the connection serves only health checks.
func isHealthOnly(ctx context.Context) bool {
	c, ok := ctx.Value(connectionKey{}).(*trackedConnection)
	return ok && c.healthOnly // never changes once the connection is accepted
}
