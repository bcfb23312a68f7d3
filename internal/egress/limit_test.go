package egress

import (
	"errors"
	"io"
	"net"
	"testing"
)

func TestLimit(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go func() {
		_, _ = far.Write([]byte("0123456789"))
		_ = far.Close()
	}()
	c := Limit(near, 4)
	got, err := io.ReadAll(c)
	if string(got) != "0123" || !errors.Is(err, ErrTooMuch) || !c.Exhausted() {
		t.Errorf("read %q, %v", got, err)
	}
	c.Allow(100)
	if got, err = io.ReadAll(c); string(got) != "456789" || err != nil || c.Exhausted() {
		t.Errorf("then %q, %v", got, err)
	}
}
