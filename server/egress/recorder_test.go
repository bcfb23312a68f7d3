package egress

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// everywhere is the name of an environment variable. The variable is set if the test runs in a
// network namespace in which every address is local, so that every connection of the dialer
// arrives.
const everywhere = "INTRAY_TEST_EGRESS_EVERYWHERE"

func isEverywhere() bool { return os.Getenv(everywhere) != "" }

// recorder accepts connections and records the addresses to which they were made.
type recorder struct {
	port string

	mu       sync.Mutex
	changed  *sync.Cond
	accepted []acceptedConn
}

// acceptedConn holds the addresses of an accepted connection.
type acceptedConn struct {
	to   netip.Addr
	from netip.AddrPort
}

func endOf(addr net.Addr) netip.AddrPort {
	to := netip.MustParseAddrPort(addr.String())
	return netip.AddrPortFrom(to.Addr().Unmap().WithZone(""), to.Port())
}

// newRecorder listens on the loopback network, or on all addresses if the variable
// everywhere is set.
func newRecorder(t *testing.T) *recorder {
	t.Helper()
	hosts := map[string]string{"tcp4": "127.0.0.1", "tcp6": "::1"}
	if isEverywhere() {
		hosts = map[string]string{"tcp4": "0.0.0.0", "tcp6": "::"}
	}
	w := &recorder{}
	w.changed = sync.NewCond(&w.mu)
	first, err := net.Listen("tcp4", hosts["tcp4"]+":0")
	if err != nil {
		t.Fatal(err)
	}
	w.accept(t, first)
	if _, w.port, err = net.SplitHostPort(first.Addr().String()); err != nil {
		t.Fatal(err)
	}
	second, err := net.Listen("tcp6", net.JoinHostPort(hosts["tcp6"], w.port))
	switch {
	case err == nil:
		w.accept(t, second)
	case isEverywhere():
		t.Fatal(err)
	default:
		t.Logf("only IPv4 is listened to: %v", err)
	}
	return w
}

func (w *recorder) accept(t *testing.T, l net.Listener) {
	var group sync.WaitGroup
	t.Cleanup(group.Wait)
	t.Cleanup(func() { _ = l.Close() })
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			one := acceptedConn{endOf(conn.LocalAddr()).Addr(), endOf(conn.RemoteAddr())}
			_ = conn.Close()
			w.mu.Lock()
			w.accepted = append(w.accepted, one)
			w.changed.Broadcast()
			w.mu.Unlock()
		}
	})
}

// await waits for a connection that satisfies a condition.
func (w *recorder) await(is func(acceptedConn) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !slices.ContainsFunc(w.accepted, is) {
		w.changed.Wait()
	}
}

// wantOnly checks that no addresses were reached except those in open. It makes a connection
// itself: once that one is accepted, all earlier ones have been accepted too.
func (w *recorder) wantOnly(t *testing.T, open ...netip.Addr) {
	t.Helper()
	var own []netip.AddrPort
	for _, host := range []string{"127.0.0.1", "::1"} {
		conn, err := net.Dial("tcp", net.JoinHostPort(host, w.port))
		if err != nil {
			continue
		}
		mine := endOf(conn.LocalAddr())
		_ = conn.Close()
		w.await(func(m acceptedConn) bool { return m.from == mine })
		own = append(own, mine)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.accepted {
		if !slices.Contains(open, m.to) && !slices.Contains(own, m.from) {
			t.Errorf("a connection reached %s", m.to)
		}
	}
	w.accepted = nil
}

// isReachable reports whether a connection that bypasses the dialer reaches the address.
func (w *recorder) isReachable(to netip.Addr) bool {
	conn, err := net.Dial("tcp", net.JoinHostPort(to.String(), w.port))
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// TestEverywhere runs the tests that count connections again, in a network namespace in which
// every address is local.
func TestEverywhere(t *testing.T) {
	counting := []string{
		"TestSpellings", "TestRegistries", "TestNameThatChanges", "TestNameThatNeverStays", "TestNameWithManyAddresses", "TestAllowListOpens", "TestPublicAddressesAreReached",
	}
	const prepare = `ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && ip addr add fe80::1/64 dev lo nodad`
	if out, err := exec.Command("unshare", "-rn", "sh", "-c", prepare).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no network namespace (needs unshare of util-linux, ip of iproute2, and permission): %v %.200s", err, strings.ReplaceAll(string(out), "\n", " "))
	}
	inner := []string{
		"-rn", "sh", "-c", prepare + ` && exec "$0" "$@"`, os.Args[0], "-test.v", "-test.count=1",
		"-test.run=^(" + strings.Join(counting, "|") + ")$",
	}
	run := exec.Command("unshare", inner...)
	run.Env = append(os.Environ(), everywhere+"=1", "GOCOVERDIR="+t.TempDir())
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if passed := strings.Count(string(out), "--- PASS: "); passed != len(counting) {
		t.Errorf("%d tests passed, want %d:\n%s", passed, len(counting), out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "_test.go:") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
