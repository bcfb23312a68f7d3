package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray/server/model"
)

// maxFailingAddresses is the maximum number of addresses whose failed authentications are
// counted separately in a minute. All others are counted together.
const maxFailingAddresses = 10_000

// failureLimiter limits failed authentications by client address, and decides which ones are logged.
type failureLimiter struct {
	limiter *rateLimiter

	mu sync.Mutex
	// window is the current minute, and addresses are those with failures in it.
	window    time.Time
	addresses map[string]*failingAddress
}

// failingAddress contains what was logged about an address in the current minute.
type failingAddress struct{ failure, limit bool }

// newFailureLimiter returns a limiter that allows perMinute failures per address and minute. 0
// means no limit.
func newFailureLimiter(perMinute int, clock func() time.Time, countEvents CountEvents) *failureLimiter {
	l := newRateLimiter("failures", perMinute, clock, countEvents)
	l.message = "request.too_many_failures"
	return &failureLimiter{limiter: l, addresses: map[string]*failingAddress{}}
}

// record counts a failure. The error has the status 429 if the address has reached its limit. report
// means that the failure should be logged: it is the first one of the address in this minute, or
// the first one over the limit.
func (l *failureLimiter) record(ctx context.Context, address string) (report bool, err error) {
	now := l.limiter.clock()
	l.mu.Lock()
	if window := now.Truncate(time.Minute); !window.Equal(l.window) {
		l.window = window
		clear(l.addresses)
	}
	if l.addresses[address] == nil && len(l.addresses) >= maxFailingAddresses {
		address = "others"
	}
	seen := l.addresses[address]
	if seen == nil {
		seen = &failingAddress{}
		l.addresses[address] = seen
	}
	l.mu.Unlock()
	_, err = l.limiter.allow(ctx, address)
	l.mu.Lock()
	defer l.mu.Unlock()
	report = !seen.failure || err != nil && !seen.limit
	seen.failure, seen.limit = true, seen.limit || err != nil
	return report, err
}

// checkGrant records the result of checking a signed token or URL. Every error except Denied
// means that the signature is valid.
func (a *API) checkGrant(c *call, err error) error {
	if model.IsKind(err, model.Denied) {
		return a.refuseCredential(c, err, err)
	}
	a.markAuthenticated(c.context())
	return err
}

// refuseCredential counts and logs a call with an invalid credential. It returns the error for
// the response: refusal, or 429 if the credential is a key and there were too many such calls from
// the same address. The limit is checked after the key, so that a valid key works even if other
// clients at the same address fail.
//
// An expired credential does not count, because its client may not know yet that it has expired. Neither
// does one of a disabled organization.
func (a *API) refuseCredential(c *call, cause, refusal error) error {
	switch toAPIError(cause).code {
	case "expired", "key_expired", "session_expired", "organization_disabled":
		return refusal
	}
	address := a.clientAddress(c.r)
	report, limit := a.failures.record(c.context(), address)
	if report {
		a.cfg.Log.Warn("authentication failed", "address", address, "operation", c.op.id, "code", toAPIError(cause).code, "request_id", RequestID(c.context()), "limited", limit != nil)
	}
	a.cfg.AuthFailed(c.op.id)
	if limit != nil && c.op.auth == authBackendKey {
		return limit
	}
	return refusal
}

// clientAddress returns the address of the client: for IPv6, the network of 64 bits, because a
// client usually has all addresses in it. If the connection comes from a trusted proxy, it is the
// last address in X-Forwarded-For that is not a trusted proxy.
func (a *API) clientAddress(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address := at.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && a.isTrustedAddress(address); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		address = hop.Unmap()
	}
	if group := AddressGroup(address); group.Addr().Is6() {
		return group.String()
	}
	return address.String()
}

// AddressGroup returns the network whose addresses count as one client: the address if it is
// IPv4, and its network of 64 bits if it is IPv6.
func AddressGroup(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := 32
	if address.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(address, bits).Masked()
}
