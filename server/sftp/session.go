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
	hostKey *hostKeyPin
	conn    net.Conn
	client  *ssh.Client
	files   ssh.Channel
	// extensions are the names of what the server can do beyond the protocol.
	extensions map[string]bool

	lastID    uint32
	pending   map[uint32]bool // the requests without an answer
	buf       []byte
	closedErr error // why no request can be made any more
	timedOut  atomic.Bool
	closing   chan struct{}
	close     func()
	helpers   sync.WaitGroup
}

func newSession(a *attempt, raw net.Conn, client *ssh.Client) *Session {
	s := &Session{
		address: a.address, user: a.cred.User, cfg: a.cfg, hostKey: a.hostKey, conn: raw, client: client,
		extensions: map[string]bool{}, pending: map[uint32]bool{}, closing: make(chan struct{}),
	}
	s.close = sync.OnceFunc(s.disconnect)
	return s
}

// Report tells which host key the server showed.
func (s *Session) Report() Report { return s.hostKey.report() }

// Close hangs up. It may be called more than once, not beside another call.
func (s *Session) Close() { s.close() }

func (s *Session) disconnect() {
	close(s.closing)
	s.closeConn()
	_ = s.client.Wait()
	s.helpers.Wait()
}

// closeConn ends the connection, and with it every wait for the server.
func (s *Session) closeConn() { _ = s.conn.Close() }

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
		return protocolError("no SFTP: %v", err)
	}
	if err := s.negotiateVersion(); err != nil {
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

// negotiateVersion agrees on the version.
func (s *Session) negotiateVersion() error {
	if _, err := s.files.Write(newMessage(msgInit).uint32(protocolVersion).done()); err != nil {
		return err
	}
	kind, body, err := readPacket(s.files, &s.buf)
	if err != nil {
		return err
	}
	if version := body.uint32(); kind != msgVersion || version != protocolVersion {
		return protocolError("a greeting of kind %d, version %d", kind, version)
	}
	for len(body.rest) > 0 && len(s.extensions) < maxExtensions {
		name := body.text()
		body.bytes()
		s.extensions[name] = true
	}
	if body.short {
		return protocolError("a greeting cut short")
	}
	return nil
}

// startKeepAlive begins the signs of life.
func (s *Session) startKeepAlive() {
	s.helpers.Go(func() {
		ticker := time.NewTicker(s.cfg.KeepAlive)
		defer ticker.Stop()
		for {
			select {
			case <-s.closing:
				return
			case <-ticker.C:
			}
			dead := time.AfterFunc(s.cfg.Patience, s.timeOut)
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

// timeOut hangs up on a server that is too slow.
func (s *Session) timeOut() {
	s.timedOut.Store(true)
	s.closeConn()
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
	switch status := a.status(); {
	case status == nil:
		return protocolError("a status without a code")
	case status.code == statusOK:
		return nil
	default:
		return status
	}
}

// unexpected is the error of an answer that does not fit its request: what it
// says where it is a status.
func (a answer) unexpected() error {
	if a.kind == msgStatus {
		if status := a.status(); status != nil && status.code != statusOK {
			return status
		}
	}
	return protocolError("an answer of kind %d", a.kind)
}

// send sends a request and gives its number.
func (s *Session) send(m message, rest func(message) message) (uint32, error) {
	if s.closedErr != nil {
		return 0, s.closedErr
	}
	s.lastID++
	if _, err := s.files.Write(rest(m.uint32(s.lastID)).done()); err != nil {
		return 0, s.abort(err)
	}
	s.pending[s.lastID] = true
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
	if s.closedErr != nil {
		return answer{}, s.closedErr
	}
	kind, body, err := readPacket(s.files, &s.buf)
	if err != nil {
		return answer{}, s.abort(err)
	}
	id := body.uint32()
	if body.short || !s.pending[id] {
		return answer{}, s.abort(protocolError("an answer to request %d, which was not made", id))
	}
	delete(s.pending, id)
	return answer{id: id, kind: kind, payload: body}, nil
}

// abort ends the session: after this error nothing that comes can be trusted.
func (s *Session) abort(err error) error {
	s.closedErr = err
	s.closeConn()
	return err
}

// request sends a request and waits for its answer.
func (s *Session) request(ctx context.Context, m message, rest func(message) message) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	return s.requestAlways(ctx, m, rest)
}

// requestAlways is ask for what is put in order after all else: it asks even if ctx has
// ended, but then leaves the server little time.
func (s *Session) requestAlways(ctx context.Context, m message, rest func(message) message) (answer, error) {
	w := s.startTimer(ctx)
	defer w.stop()
	id, err := s.send(m, rest)
	if err != nil {
		return answer{}, err
	}
	return s.receive(id)
}

// requestStatus sends a request whose answer is a status.
func (s *Session) requestStatus(ctx context.Context, m message, rest func(message) message) error {
	got, err := s.request(ctx, m, rest)
	if err != nil {
		return err
	}
	return s.abortIfBroken(got.failure())
}

// requestHandle sends a request whose answer is a handle.
func (s *Session) requestHandle(ctx context.Context, m message, rest func(message) message) (string, error) {
	got, err := s.request(ctx, m, rest)
	if err != nil {
		return "", err
	}
	if got.kind != msgHandle {
		return "", s.abortIfBroken(got.unexpected())
	}
	handle := got.bytes()
	if got.short || len(handle) > maxHandle {
		return "", s.abort(protocolError("a handle of %d bytes", len(handle)))
	}
	return string(handle), nil
}

// lstat asks for the attributes of a path, of a link itself where it is one.
func (s *Session) lstat(ctx context.Context, path string) (attributes, error) {
	got, err := s.request(ctx, newMessage(msgLstat), func(m message) message { return m.text(path) })
	if err != nil {
		return attributes{}, err
	}
	if got.kind != msgAttrs {
		return attributes{}, s.abortIfBroken(got.unexpected())
	}
	seen := got.attributes()
	if got.short {
		return attributes{}, s.abort(protocolError("attributes cut short"))
	}
	return seen, nil
}

// abortIfBroken ends the session where the error is a broken protocol.
func (s *Session) abortIfBroken(err error) error {
	if isProtocolError(err) {
		return s.abort(err)
	}
	return err
}

// closeHandle closes a handle. Nothing depends on its success.
func (s *Session) closeHandle(ctx context.Context, handle string) {
	_, _ = s.requestAlways(ctx, newMessage(msgClose), func(m message) message { return m.text(handle) })
}

// grace is how long a server has for its answer once ctx has ended. It lets a
// server that answers be left in good order.
const grace = time.Second

// answerTimer hangs up on a server that is waited for in vain.
type answerTimer struct {
	detach   func() bool
	patience time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	paused  bool
	ctxDone bool // ctx
}

// startTimer begins to watch. The caller must stop it.
func (s *Session) startTimer(ctx context.Context) *answerTimer {
	w := &answerTimer{patience: s.cfg.Patience}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.patience, s.timeOut)
	w.detach = context.AfterFunc(ctx, w.contextDone)
	return w
}

// restart gives the server all its time again.
func (w *answerTimer) restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = false
	w.schedule()
}

func (w *answerTimer) schedule() {
	left := w.patience
	if w.ctxDone {
		left = min(left, grace)
	}
	w.timer.Reset(left)
}

// pause stops the time while it is not the server that is waited for.
func (w *answerTimer) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = true
	w.timer.Stop()
}

func (w *answerTimer) contextDone() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ctxDone = true
	if !w.paused {
		w.schedule()
	}
}

func (w *answerTimer) stop() {
	w.detach()
	w.pause()
}
