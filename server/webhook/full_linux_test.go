package webhook

import (
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// If the receiver's connection queue is full, the system drops packets like a firewall, and
// the attempt times out.
func TestNobodyAccepts(t *testing.T) {
	t.Parallel()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	bound, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		t.Fatalf("bound to %v", name)
	}
	port := strconv.Itoa(bound.Port)
	for range 4 {
		conn, err := net.DialTimeout("tcp", "127.0.0.1:"+port, 100*time.Millisecond)
		if err != nil {
			break
		}
		defer func() { _ = conn.Close() }()
	}
	out := send(t, New(newDialer(t), Config{Timeout: hasty}), "https://hooks.example:"+port)
	wantOutcome(t, out, TimedOut, `"webhook.connecting_timed_out","params":{"address":"hooks.example:`+port+`","time":"500ms"`)
}
