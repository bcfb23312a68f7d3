package sftp_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/sftp"
)

// cutConn lets only so many bytes of a server through. Then it swallows all, or
// hangs up.
type cutConn struct {
	net.Conn
	mu    sync.Mutex
	left  int
	hangs bool
}

func (c *cutConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(p), c.left)
	c.left -= n
	if n > 0 {
		if sent, err := c.Conn.Write(p[:n]); err != nil {
			return sent, err
		}
	}
	if n < len(p) && !c.hangs {
		_ = c.Close()
		return n, net.ErrClosed
	}
	return len(p), nil
}

// visit makes each call once.
func visit(s *sftp.Session) error {
	return errors.Join(list(s), fetch(s), put3(s))
}

// A server may fall silent or hang up anywhere: in its greeting, the exchange of
// keys, the login, or in any answer.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{content: "abc", entries: names("a.csv"), say: map[byte]reply{opLstat: lateMissing}}
	const plenty = 1 << 20
	whole := &cutConn{left: plenty, hangs: true}
	cred := listen(t, func(c net.Conn) {
		whole.Conn = c
		serveSSH(withPassword(key), f.serve)(whole)
	})
	if err := visit(connect(t, cred, long)); err != nil {
		t.Fatal(err)
	}
	whole.mu.Lock()
	sent := plenty - whole.left // a little more or less each time: packets are padded
	whole.mu.Unlock()
	if sent < 1500 || sent > 10_000 {
		t.Fatalf("the visit took %d bytes", sent)
	}
	var all sync.WaitGroup
	for _, hangs := range []bool{false, true} {
		for at := 0; at < sent-200; at += 90 {
			cred := listen(t, func(c net.Conn) {
				serveSSH(withPassword(key), f.serve)(&cutConn{Conn: c, left: at, hangs: hangs})
			})
			all.Go(func() { cutVisit(t, cred, at, hangs) })
		}
	}
	all.Wait()
}

func cutVisit(t *testing.T, cred sftp.Credential, at int, hangs bool) {
	patient := 20 * time.Second
	if hangs {
		patient = 2 * time.Second
	}
	s, err := with(sftp.Config{Timeout: patient, Patience: patient / 2}).Dial(context.Background(), cred)
	if err == nil {
		err = visit(s)
		s.Close()
	}
	var failed *sftp.Error
	switch {
	case !errors.As(err, &failed):
		t.Errorf("cut after %d bytes: %v", at, err)
	case hangs != (failed.Kind == sftp.TimedOut):
		t.Errorf("cut after %d bytes, hangs %v: %s, %v (%v)", at, hangs, failed.Kind, failed, failed.Err)
	}
}

// lateMissing is for a visit: the file is there for Fetch, which looks twice, and
// what Put writes has its size; only its name is free.
func lateMissing(s *fakeServer, id uint32, body []byte) {
	if string(body[4:]) == "/out/a.csv" {
		s.status(id, 2)
		return
	}
	s.send(105, id, s.attrs())
}

// The steps between login and SFTP.
func TestEvilOpening(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	cases := map[string]struct {
		serve func(ended <-chan struct{}) func(net.Conn)
		want  string
	}{
		"no word to the password": {func(ended <-chan struct{}) func(net.Conn) {
			cfg := withPassword(key)
			cfg.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
				<-ended
				return nil, errors.New("wrong")
			}
			return serveSSH(cfg, honest)
		}, "time ran out while logging in"},
		"no word to the channel": {func(<-chan struct{}) func(net.Conn) {
			return unmoved(withPassword(key), func(ssh.NewChannel) {})
		}, "time ran out while opening SFTP"},
		"no word to the request": {func(<-chan struct{}) func(net.Conn) {
			return unmoved(withPassword(key), func(asked ssh.NewChannel) { _, _, _ = asked.Accept() })
		}, "time ran out while opening SFTP"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{})
			cred := listen(t, c.serve(ended))
			_, err := client(time.Second).Dial(context.Background(), cred)
			close(ended)
			wantError(t, err, sftp.TimedOut, c.want)
		})
	}
}

// unmoved gives each channel that is asked for to meet, and does nothing else.
func unmoved(cfg *ssh.ServerConfig, meet func(ssh.NewChannel)) func(net.Conn) {
	return func(raw net.Conn) {
		_, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for asked := range channels {
			meet(asked)
		}
	}
}
