package livetest

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestToxiproxy checks that a toxic affects connections until it is removed.
func TestToxiproxy(t *testing.T) {
	x := StartToxiproxy(t)
	port := Listen(t, func(conn net.Conn) { _, _ = io.Copy(conn, conn) })
	proxy := x.Proxy("echo", (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}).String())
	echo := func() error {
		conn, err := net.Dial("tcp", proxy.Address)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return err
		}
		if _, err := io.WriteString(conn, "hello"); err != nil {
			return err
		}
		_, err = io.ReadFull(conn, make([]byte, 5))
		return err
	}
	if err := echo(); err != nil {
		t.Fatal(err)
	}
	remove := proxy.AddToxic(Toxic{Type: "reset_peer", Stream: "upstream", Attributes: map[string]int{"timeout": 0}})
	if err := echo(); err == nil {
		t.Error("the connection was not reset")
	}
	remove()
	if err := echo(); err != nil {
		t.Errorf("after the toxic was removed: %v", err)
	}
	proxy.SetEnabled(false)
	if err := echo(); err == nil {
		t.Error("a proxy that is off accepts connections")
	}
	proxy.SetEnabled(true)
	if err := echo(); err != nil {
		t.Error(err)
	}
}
