package sftp_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/sftp"
)

// framing are ways to break the protocol at any message.
var framing = map[string]struct {
	say  reply
	kind sftp.Kind
}{
	"huge packet":          {raw(packet(0xffffffff, "evil")), sftp.Misbehaved},
	"long packet":          {raw(packet(256<<10+1, "evil")), sftp.Misbehaved},
	"empty packet":         {raw(packet(0, "evil")), sftp.Misbehaved},
	"packet without id":    {raw(packet(3, "\x65\x00\x00")), sftp.Misbehaved},
	"another's id":         {raw(packet(9, "\x65"+u32(77_777)+u32(0))), sftp.Misbehaved},
	"answers twice":        {func(s *fakeServer, id uint32, _ []byte) { s.status(id-1, 0); s.status(id-1, 0) }, sftp.Misbehaved},
	"unknown answer":       {saying(99, "evil"), sftp.Misbehaved},
	"success of nothing":   {status(0), sftp.Misbehaved},
	"refuses":              {status(4), sftp.Failed},
	"forbids":              {status(3), sftp.Forbidden},
	"a status of no code":  {saying(101, ""), sftp.Misbehaved},
	"a status of no words": {saying(101, u32(4)), sftp.Failed},
	"hangs":                {silent, sftp.TimedOut},
	"half a packet":        {raw(packet(100, "evil")), sftp.TimedOut},
	"drips":                {drip, sftp.TimedOut},
	"hangs up":             {hangUp, sftp.Lost},
	"endless packet train": {func(s *fakeServer, _ uint32, _ []byte) { repeat(s, packet(200_000, strings.Repeat("\x68", 200_000))) }, sftp.Misbehaved},
	"endless side words":   {func(s *fakeServer, _ uint32, _ []byte) { repeat(s.Stderr(), "evil") }, sftp.TimedOut},
}

// drip sends a packet byte by byte, each long before the client gives up, until
// the client hangs up.
func drip(s *fakeServer, id uint32, _ []byte) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	text := packet(200_000, "\x68"+u32(id))
	for i := 0; ; i++ {
		<-ticker.C
		if _, err := s.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
	}
}

// doing are the calls, and the message at which a server is evil to each.
var doing = map[string]struct {
	at  byte
	run func(*sftp.Session) error
}{
	"opening a directory": {opOpendir, list},
	"reading a directory": {opReaddir, list},
	"looking at a file":   {opLstat, fetch},
	"opening a file":      {opOpen, fetch},
	"reading a file":      {opRead, fetch},
	"creating a file":     {opOpen, put3},
	"looking at a part":   {opLstat, put3},
}

func TestEvilAnswers(t *testing.T) {
	for step, do := range doing {
		for name, evil := range framing {
			t.Run(step+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := &fakeFS{content: "abc", entries: names("a.csv"), say: map[byte]reply{do.at: evil.say}}
				cfg := long
				if evil.kind == sftp.TimedOut {
					cfg = short
				}
				s := f.connect(t, cfg)
				err := do.run(s)
				wantError(t, err, evil.kind, "127.0.0.1:")
				over := evil.kind == sftp.Misbehaved || evil.kind == sftp.TimedOut || evil.kind == sftp.Lost
				if again := list(s); over && again == nil {
					t.Error("the session serves on")
				}
			})
		}
	}
}

// A server that answers is left in good order when ctx ends: the session serves
// on. One that does not is hung up on.
func TestCancelledSession(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	f := &fakeFS{content: strings.Repeat("x", 4<<20), entries: names("a.csv")}
	s := f.connect(t, long)
	n, err := s.Fetch(ctx, sftp.Download{File: listed(4 << 20)}, onWrite(func([]byte) { cancel() }))
	if !errors.Is(err, context.Canceled) || n == 0 || n >= 4<<20 {
		t.Errorf("Fetch wrote %d bytes, %v", n, err)
	}
	if err := list(s); err != nil {
		t.Errorf("the session is of no use any more: %v", err)
	}
	if _, err := s.List(ctx, "/in", sftp.Pattern{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("List after the end of ctx: %v", err)
	}

	ctx, cancel = context.WithCancel(context.Background())
	hung := &fakeFS{say: map[byte]reply{opOpendir: func(*fakeServer, uint32, []byte) { cancel() }}}
	if _, err := hung.connect(t, long).List(ctx, "/in", sftp.Pattern{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
}

// A session without work notices that the server is gone.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{entries: names("a.csv")}
	ended := make(chan struct{})
	cred := listen(t, deaf(withPassword(key), f.serve, ended))
	s := connect(t, cred, sftp.Config{KeepAlive: 20 * time.Millisecond, Patience: 100 * time.Millisecond})
	<-ended
	wantError(t, list(s), sftp.TimedOut, "was too slow")

	lively := f.connect(t, sftp.Config{KeepAlive: time.Millisecond})
	for range 20 {
		if err := list(lively); err != nil {
			t.Fatal(err)
		}
	}
}

// deaf is serveSSH without an answer to signs of life. It tells when the
// connection has ended.
func deaf(cfg *ssh.ServerConfig, files func(ssh.Channel), ended chan<- struct{}) func(net.Conn) {
	return func(raw net.Conn) {
		defer close(ended)
		_, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		go func() {
			for range requests {
			}
		}()
		for asked := range channels {
			if channel, requests, err := asked.Accept(); err == nil {
				go serveChannel(channel, requests, files)
			}
		}
	}
}

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
