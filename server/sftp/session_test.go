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

// invalidReplies are replies that are invalid for every request.
var invalidReplies = map[string]struct {
	reply reply
	kind  sftp.Kind
}{
	"huge packet":         {replyRaw(packet(0xffffffff, "evil")), sftp.Misbehaved},
	"long packet":         {replyRaw(packet(256<<10+1, "evil")), sftp.Misbehaved},
	"empty packet":        {replyRaw(packet(0, "evil")), sftp.Misbehaved},
	"packet without id":   {replyRaw(packet(3, "\x65\x00\x00")), sftp.Misbehaved},
	"unknown id":          {replyRaw(packet(9, "\x65"+u32(77_777)+u32(0))), sftp.Misbehaved},
	"replies twice":       {func(s *fakeServer, id uint32, _ []byte) { s.status(id-1, 0); s.status(id-1, 0) }, sftp.Misbehaved},
	"unknown type":        {replyWith(99, "evil"), sftp.Misbehaved},
	"status OK":           {replyStatus(0), sftp.Misbehaved},
	"status failure":      {replyStatus(4), sftp.Failed},
	"status denied":       {replyStatus(3), sftp.Forbidden},
	"status without code": {replyWith(101, ""), sftp.Misbehaved},
	"status without text": {replyWith(101, u32(4)), sftp.Failed},
	"no reply":            {silent, sftp.TimedOut},
	"half a packet":       {replyRaw(packet(100, "evil")), sftp.TimedOut},
	"byte by byte":        {drip, sftp.TimedOut},
	"hangs up":            {hangUp, sftp.Lost},
	"endless packets":     {func(s *fakeServer, _ uint32, _ []byte) { repeat(s, packet(200_000, strings.Repeat("\x68", 200_000))) }, sftp.Misbehaved},
	"endless stderr":      {func(s *fakeServer, _ uint32, _ []byte) { repeat(s.Stderr(), "evil") }, sftp.TimedOut},
}

// drip is a reply that sends a packet byte by byte until the client closes the
// connection. Each byte arrives well within the client's patience.
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

// calls maps names to calls of a session, each with the type of the request to which the
// server sends an invalid reply.
var calls = map[string]struct {
	at  byte
	run func(*sftp.Session) error
}{
	"opening a directory": {opOpendir, list},
	"reading a directory": {opReaddir, list},
	"checking a file":     {opLstat, fetch},
	"opening a file":      {opOpen, fetch},
	"reading a file":      {opRead, fetch},
	"creating a file":     {opOpen, uploadABC},
	"checking an upload":  {opLstat, uploadABC},
}

func TestEvilAnswers(t *testing.T) {
	t.Parallel()
	for step, call := range calls {
		for name, invalid := range invalidReplies {
			t.Run(step+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := &fakeFS{content: "abc", entries: names("a.csv"), replies: map[byte]reply{call.at: invalid.reply}}
				cfg := long
				if invalid.kind == sftp.TimedOut {
					cfg = short
				}
				s := f.connect(t, cfg)
				err := call.run(s)
				wantError(t, err, invalid.kind, "127.0.0.1:")
				closed := invalid.kind == sftp.Misbehaved || invalid.kind == sftp.TimedOut || invalid.kind == sftp.Lost
				if again := list(s); closed && again == nil {
					t.Error("the session still works")
				}
			})
		}
	}
}

// When ctx ends, calls return its error, and the session stays usable if the server responds.
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
		t.Errorf("the session does not work any more: %v", err)
	}
	if _, err := s.List(ctx, "/in", sftp.Pattern{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("List after the end of ctx: %v", err)
	}

	ctx, cancel = context.WithCancel(context.Background())
	hung := &fakeFS{replies: map[byte]reply{opOpendir: func(*fakeServer, uint32, []byte) { cancel() }}}
	if _, err := hung.connect(t, long).List(ctx, "/in", sftp.Pattern{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
}

// An idle session detects that the server no longer responds, even if the server has
// responded before.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{entries: names("a.csv")}
	for _, replies := range []int{0, 3} {
		ended := make(chan struct{})
		cred := listen(t, serveKeepAlives(withPassword(key), f.serve, replies, ended))
		s := connect(t, cred, sftp.Config{KeepAlive: 20 * time.Millisecond, Patience: 100 * time.Millisecond})
		<-ended
		wantError(t, list(s), sftp.TimedOut, "sftp.kept_waiting")
	}

	lively := f.connect(t, sftp.Config{KeepAlive: time.Millisecond})
	for range 20 {
		if err := list(lively); err != nil {
			t.Fatal(err)
		}
	}
}

// serveKeepAlives is like serveSSH, but refuses the given number of keep-alive requests and does
// not reply to later ones. When the connection ends, it closes the channel ended.
func serveKeepAlives(cfg *ssh.ServerConfig, files func(ssh.Channel), replies int, ended chan<- struct{}) func(net.Conn) {
	return func(raw net.Conn) {
		defer close(ended)
		_, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		go func() {
			n := 0
			for r := range requests {
				if n++; n <= replies {
					_ = r.Reply(false, nil)
				}
			}
		}()
		for offered := range channels {
			if channel, requests, err := offered.Accept(); err == nil {
				go serveChannel(channel, requests, files)
			}
		}
	}
}

// cutConn forwards a limited number of bytes from a server. After that, it discards
// the rest or closes the connection.
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

// callAll makes each call of a session once.
func callAll(s *sftp.Session) error {
	return errors.Join(list(s), fetch(s), uploadABC(s))
}

// The client must return an error wherever a server stops responding or closes the connection:
// in its greeting, the key exchange, the login, or any response.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{content: "abc", entries: names("a.csv"), replies: map[byte]reply{opLstat: lateMissing}}
	const plenty = 1 << 20
	whole := &cutConn{left: plenty, hangs: true}
	cred := listen(t, func(c net.Conn) {
		whole.Conn = c
		serveSSH(withPassword(key), f.serve)(whole)
	})
	if err := callAll(connect(t, cred, long)); err != nil {
		t.Fatal(err)
	}
	whole.mu.Lock()
	sent := plenty - whole.left // varies slightly because of padding
	whole.mu.Unlock()
	if sent < 1500 || sent > 10_000 {
		t.Fatalf("all calls took %d bytes", sent)
	}
	var all sync.WaitGroup
	for _, hangs := range []bool{false, true} {
		for at := 0; at < sent-200; at += 90 {
			cred := listen(t, func(c net.Conn) {
				serveSSH(withPassword(key), f.serve)(&cutConn{Conn: c, left: at, hangs: hangs})
			})
			all.Go(func() { callAllCut(t, cred, at, hangs) })
		}
	}
	all.Wait()
}

func callAllCut(t *testing.T, cred sftp.Credential, at int, hangs bool) {
	timeout := 20 * time.Second
	if hangs {
		timeout = 2 * time.Second
	}
	s, err := newClient(sftp.Config{Timeout: timeout, Patience: timeout / 2}).Dial(context.Background(), cred)
	if err == nil {
		err = callAll(s)
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

// lateMissing is a reply for callAll that reports every path as existing, except
// the target of Upload.
func lateMissing(s *fakeServer, id uint32, body []byte) {
	if string(body[4:]) == "/out/a.csv" {
		s.status(id, 2)
		return
	}
	s.send(105, id, s.attrs())
}
