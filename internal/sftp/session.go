package sftp

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// maxExtensions is how many extensions of a server are remembered.
const maxExtensions = 100

// Session is a connection that is logged in and speaks SFTP. It serves one call
// at a time. Whatever a server does, each call ends: within a few seconds of the end
// of its ctx, and as soon as an answer takes longer than Config.Patience. A session whose server broke the protocol, was too slow or
// hung up is over: every later call fails at once.
type Session struct {
	address string
	user    string
	cfg     Config
	pin     *pin
	raw     net.Conn
	client  *ssh.Client
	files   ssh.Channel
	// extensions are the names of what the server can do beyond the protocol.
	extensions map[string]bool

	lastID  uint32
	awaited map[uint32]bool // the requests without an answer
	buf     []byte
	over    error // why no request can be made any more
	late    atomic.Bool
	closing chan struct{}
	close   func()
	helpers sync.WaitGroup
}

func newSession(a *attempt, raw net.Conn, client *ssh.Client) *Session {
	s := &Session{
		address: a.address, user: a.cred.User, cfg: a.cfg, pin: a.pin, raw: raw, client: client,
		extensions: map[string]bool{}, awaited: map[uint32]bool{}, closing: make(chan struct{}),
	}
	s.close = sync.OnceFunc(s.end)
	return s
}

// Report tells which host key the server showed.
func (s *Session) Report() Report { return s.pin.report() }

// Close hangs up. It may be called more than once, not beside another call.
func (s *Session) Close() { s.close() }

func (s *Session) end() {
	close(s.closing)
	s.hangUp()
	_ = s.client.Wait()
	s.helpers.Wait()
}

// hangUp ends the connection, and with it every wait for the server.
func (s *Session) hangUp() { _ = s.raw.Close() }

// open opens SFTP. It waits as long as it must: attempt hangs up in time.
func (s *Session) open() error {
	files, requests, err := s.client.OpenChannel("session", nil)
	if err != nil {
		return err
	}
	s.files = files
	s.helpers.Go(func() { ssh.DiscardRequests(requests) })
	// Unread words on this side channel would stop the other one.
	s.helpers.Go(func() { _, _ = io.Copy(io.Discard, files.Stderr()) })
	subsystem := ssh.Marshal(struct{ Name string }{"sftp"})
	if ok, err := files.SendRequest("subsystem", true, subsystem); err != nil || !ok {
		return broken("no SFTP: %v", err)
	}
	if err := s.greet(); err != nil {
		return err
	}
	id, err := s.send(newMessage(msgRealpath), func(m message) message { return m.text(".") })
	if err != nil {
		return err
	}
	got, err := s.receive(id)
	if err == nil && got.kind != msgName {
		err = got.unexpected()
	}
	return err
}

// greet agrees on the version.
func (s *Session) greet() error {
	if _, err := s.files.Write(newMessage(msgInit).uint32(protocolVersion).done()); err != nil {
		return err
	}
	kind, body, err := readPacket(s.files, &s.buf)
	if err != nil {
		return err
	}
	if version := body.uint32(); kind != msgVersion || version != protocolVersion {
		return broken("a greeting of kind %d, version %d", kind, version)
	}
	for len(body.rest) > 0 && len(s.extensions) < maxExtensions {
		name := body.text()
		body.bytes()
		s.extensions[name] = true
	}
	if body.short {
		return broken("a greeting cut short")
	}
	return nil
}

// start begins the signs of life.
func (s *Session) start() {
	s.helpers.Go(func() {
		ticker := time.NewTicker(s.cfg.KeepAlive)
		defer ticker.Stop()
		for {
			select {
			case <-s.closing:
				return
			case <-ticker.C:
			}
			dead := time.AfterFunc(s.cfg.Patience, s.giveUp)
			// Whether the server knows the request does not matter: any answer is
			// a sign of life.
			_, _, err := s.client.SendRequest("keepalive@openssh.com", true, nil)
			dead.Stop()
			if err != nil {
				return
			}
		}
	})
}

// giveUp hangs up on a server that is too slow.
func (s *Session) giveUp() {
	s.late.Store(true)
	s.hangUp()
}

// answer is a packet that answers a request. It is valid until the next one.
type answer struct {
	id   uint32
	kind byte
	*payload
}

// failure gives the error that a status tells; nil means that all is well.
func (a answer) failure() error {
	if a.kind != msgStatus {
		return a.unexpected()
	}
	status := a.status()
	if status.code == statusOK {
		return nil
	}
	return status
}

// unexpected is the error of an answer that does not fit its request: what it
// says where it is a status.
func (a answer) unexpected() error {
	if a.kind == msgStatus {
		if status := a.status(); status.code != statusOK {
			return status
		}
	}
	return broken("an answer of kind %d", a.kind)
}

// send sends a request and gives its number.
func (s *Session) send(m message, rest func(message) message) (uint32, error) {
	if s.over != nil {
		return 0, s.over
	}
	s.lastID++
	if _, err := s.files.Write(rest(m.uint32(s.lastID)).done()); err != nil {
		return 0, s.fall(err)
	}
	s.awaited[s.lastID] = true
	return s.lastID, nil
}

// receive waits for the answer to the request of this number. Answers to others
// that nobody waits for any more are passed over.
func (s *Session) receive(id uint32) (answer, error) {
	for {
		got, err := s.next()
		if err != nil || got.id == id {
			return got, err
		}
	}
}

// next gives the next answer to any request.
func (s *Session) next() (answer, error) {
	if s.over != nil {
		return answer{}, s.over
	}
	kind, body, err := readPacket(s.files, &s.buf)
	if err != nil {
		return answer{}, s.fall(err)
	}
	id := body.uint32()
	if body.short || !s.awaited[id] {
		return answer{}, s.fall(broken("an answer to request %d, which was not made", id))
	}
	delete(s.awaited, id)
	return answer{id: id, kind: kind, payload: body}, nil
}

// fall ends the session: after this error nothing that comes can be trusted.
func (s *Session) fall(err error) error {
	s.over = err
	s.hangUp()
	return err
}

// ask sends a request and waits for its answer.
func (s *Session) ask(ctx context.Context, m message, rest func(message) message) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	return s.insist(ctx, m, rest)
}

// insist is ask for what is put in order after all else: it asks even if ctx has
// ended, but then leaves the server little time.
func (s *Session) insist(ctx context.Context, m message, rest func(message) message) (answer, error) {
	w := s.watch(ctx)
	defer w.stop()
	id, err := s.send(m, rest)
	if err != nil {
		return answer{}, err
	}
	return s.receive(id)
}

// askStatus sends a request whose answer is a status.
func (s *Session) askStatus(ctx context.Context, m message, rest func(message) message) error {
	got, err := s.ask(ctx, m, rest)
	if err != nil {
		return err
	}
	return s.heed(got.failure())
}

// askHandle sends a request whose answer is a handle.
func (s *Session) askHandle(ctx context.Context, m message, rest func(message) message) (string, error) {
	got, err := s.ask(ctx, m, rest)
	if err != nil {
		return "", err
	}
	if got.kind != msgHandle {
		return "", s.heed(got.unexpected())
	}
	handle := got.bytes()
	if got.short || len(handle) > maxHandle {
		return "", s.fall(broken("a handle of %d bytes", len(handle)))
	}
	return string(handle), nil
}

// look asks for the attributes of a path, of a link itself where it is one.
func (s *Session) look(ctx context.Context, path string) (attributes, error) {
	got, err := s.ask(ctx, newMessage(msgLstat), func(m message) message { return m.text(path) })
	if err != nil {
		return attributes{}, err
	}
	if got.kind != msgAttrs {
		return attributes{}, s.heed(got.unexpected())
	}
	seen := got.attributes()
	if got.short {
		return attributes{}, s.fall(broken("attributes cut short"))
	}
	return seen, nil
}

// heed ends the session where the error is a broken protocol.
func (s *Session) heed(err error) error {
	if isProtocol(err) {
		return s.fall(err)
	}
	return err
}

// letGo closes a handle. Nothing depends on its success.
func (s *Session) letGo(ctx context.Context, handle string) {
	_, _ = s.insist(ctx, newMessage(msgClose), func(m message) message { return m.text(handle) })
}

// grace is how long a server has for its answer once ctx has ended. It lets a
// server that answers be left in good order.
const grace = time.Second

// watch hangs up on a server that is waited for in vain.
type watch struct {
	detach   func() bool
	patience time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	resting bool
	ended   bool // ctx
}

// watch begins to watch. The caller must stop it.
func (s *Session) watch(ctx context.Context) *watch {
	w := &watch{patience: s.cfg.Patience}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.patience, s.giveUp)
	w.detach = context.AfterFunc(ctx, w.end)
	return w
}

// rewind gives the server all its time again.
func (w *watch) rewind() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resting = false
	w.set()
}

func (w *watch) set() {
	left := w.patience
	if w.ended {
		left = min(left, grace)
	}
	w.timer.Reset(left)
}

// rest stops the time while it is not the server that is waited for.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resting = true
	w.timer.Stop()
}

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if !w.resting {
		w.set()
	}
}

func (w *watch) stop() {
	w.detach()
	w.rest()
}
