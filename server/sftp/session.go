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

// maxExtensions is the maximum number of server extensions that are remembered.
const maxExtensions = 100

// Session is an authenticated SFTP connection. It serves one call at a time.
//
// Every call ends, even if the server stops responding: at most a few seconds after its ctx
// ends, and as soon as a response takes longer than Config.Patience. If the server violates
// the protocol, is too slow or closes the connection, the session is closed, and all later
// calls fail immediately.
type Session struct {
	address string
	user    string
	cfg     Config
	hostKey *hostKeyPin
	conn    net.Conn
	client  *ssh.Client
	channel ssh.Channel
	// extensions are the names of the protocol extensions that the server supports.
	extensions map[string]bool

	lastID    uint32
	pending   map[uint32]bool // ids of the requests without a response
	buf       []byte
	closedErr error // why requests are no longer possible
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
	s.close = sync.OnceFunc(func() {
		close(s.closing)
		s.closeConn()
		_ = s.client.Wait()
		s.helpers.Wait()
	})
	return s
}

// Report returns the host key that the server presented.
func (s *Session) Report() Report { return s.hostKey.report() }

// Close ends the connection. Calls after the first do nothing. Close must not run concurrently
// with another call.
func (s *Session) Close() { s.close() }

// closeConn closes the connection, which ends every wait for the server.
func (s *Session) closeConn() { _ = s.conn.Close() }

// open starts the SFTP subsystem. It sets no timer, because attempt closes the
// connection when the time is up.
func (s *Session) open() error {
	channel, requests, err := s.client.OpenChannel("session", nil)
	if err != nil {
		return err
	}
	s.channel = channel
	s.helpers.Go(func() { ssh.DiscardRequests(requests) })
	// Without this, unread data on stderr would block the whole channel.
	s.helpers.Go(func() { _, _ = io.Copy(io.Discard, channel.Stderr()) })
	subsystem := ssh.Marshal(struct{ Name string }{"sftp"})
	if ok, err := channel.SendRequest("subsystem", true, subsystem); err != nil || !ok {
		return protocolError("no SFTP: %v", err)
	}
	if err := s.negotiateVersion(); err != nil {
		return err
	}
	id, err := s.send(newRequest(msgRealpath).string("."))
	if err != nil {
		return err
	}
	got, err := s.receive(id)
	if err != nil {
		return err
	}
	return s.check(&got, msgName)
}

func (s *Session) negotiateVersion() error {
	if _, err := s.channel.Write(newRequest(msgInit).finish(protocolVersion)); err != nil {
		return err
	}
	kind, body, err := readPacket(s.channel, &s.buf)
	if err != nil {
		return err
	}
	if version := body.uint32(); kind != msgVersion || version != protocolVersion {
		return protocolError("a greeting of type %d, version %d", kind, version)
	}
	for len(body.rest) > 0 && len(s.extensions) < maxExtensions {
		name := body.string()
		body.bytes()
		s.extensions[name] = true
	}
	if body.truncated {
		return protocolError("a truncated greeting")
	}
	return nil
}

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
			// Even a refusal proves that the server is alive.
			_, _, err := s.client.SendRequest("keepalive@openssh.com", true, nil)
			dead.Stop()
			if err != nil {
				return
			}
		}
	})
}

// timeOut closes the connection and records that the server was too slow.
func (s *Session) timeOut() {
	s.timedOut.Store(true)
	s.closeConn()
}

// response is a packet that answers a request. It is valid until the next packet is read.
type response struct {
	id   uint32
	kind byte
	fields
}

// check returns nil if a response has the type want. If the server refused the request, it
// returns a *statusError. After any other response, it ends the session and returns an error.
func (s *Session) check(got *response, want byte) error {
	if got.kind == msgStatus {
		status := got.status()
		switch {
		case status == nil:
			return s.abort(protocolError("a truncated status"))
		case status.code != statusOK:
			return status
		}
	}
	if got.kind != want {
		return s.abort(protocolError("a response of type %d instead of %d", got.kind, want))
	}
	return nil
}

// send sends a request and returns its id.
func (s *Session) send(r request) (uint32, error) {
	if s.closedErr != nil {
		return 0, s.closedErr
	}
	s.lastID++
	if _, err := s.channel.Write(r.finish(s.lastID)); err != nil {
		return 0, s.abort(err)
	}
	s.pending[s.lastID] = true
	return s.lastID, nil
}

// receive returns the response to the request with the given id. It discards
// responses to requests of earlier calls that ended before their responses arrived.
func (s *Session) receive(id uint32) (response, error) {
	for {
		got, err := s.next()
		if err != nil || got.id == id {
			return got, err
		}
	}
}

// next returns the next response to any request.
func (s *Session) next() (response, error) {
	if s.closedErr != nil {
		return response{}, s.closedErr
	}
	kind, body, err := readPacket(s.channel, &s.buf)
	if err != nil {
		return response{}, s.abort(err)
	}
	id := body.uint32()
	if body.truncated || !s.pending[id] {
		return response{}, s.abort(protocolError("a response to the unknown request %d", id))
	}
	delete(s.pending, id)
	return response{id: id, kind: kind, fields: body}, nil
}

// abort ends the session and returns err. Use it for errors after which the packet
// stream cannot be trusted.
func (s *Session) abort(err error) error {
	s.closedErr = err
	s.closeConn()
	return err
}

// request sends a request and returns the response, which must have the type want. It returns
// errors from ctx, from the connection and from check.
func (s *Session) request(ctx context.Context, r request, want byte) (response, error) {
	if err := ctx.Err(); err != nil {
		return response{}, err
	}
	return s.requestAlways(ctx, r, want)
}

// requestAlways is like request, but for cleaning up: it sends the request even
// after ctx has ended. In that case, the server must respond within gracePeriod.
func (s *Session) requestAlways(ctx context.Context, r request, want byte) (response, error) {
	w := s.startWatchdog(ctx)
	defer w.stop()
	id, err := s.send(r)
	if err != nil {
		return response{}, err
	}
	got, err := s.receive(id)
	if err != nil {
		return response{}, err
	}
	return got, s.check(&got, want)
}

// requestHandle sends a request that must be answered with a handle, and returns the handle.
func (s *Session) requestHandle(ctx context.Context, r request) (string, error) {
	got, err := s.request(ctx, r, msgHandle)
	if err != nil {
		return "", err
	}
	handle := got.string()
	if got.truncated || len(handle) > maxHandle {
		return "", s.abort(protocolError("a handle of %d bytes", len(handle)))
	}
	return handle, nil
}

// closeHandle closes a handle. It ignores errors because the content no longer matters.
func (s *Session) closeHandle(ctx context.Context, handle string) {
	_, _ = s.requestAlways(ctx, newRequest(msgClose).string(handle), msgStatus)
}

// lstat returns the attributes of a path. It does not follow symbolic links.
func (s *Session) lstat(ctx context.Context, path string) (attributes, error) {
	got, err := s.request(ctx, newRequest(msgLstat).string(path), msgAttrs)
	if err != nil {
		return attributes{}, err
	}
	found := got.attributes()
	if got.truncated {
		return attributes{}, s.abort(protocolError("truncated attributes"))
	}
	return found, nil
}

// gracePeriod is how long a server may take to respond after ctx has ended. If the server
// responds in time, the session remains usable.
const gracePeriod = time.Second

// watchdog closes the connection of a session when the server does not respond in time.
type watchdog struct {
	detach   func() bool
	patience time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	paused  bool
	ctxDone bool
}

// startWatchdog starts a watchdog. The caller must stop it.
func (s *Session) startWatchdog(ctx context.Context) *watchdog {
	w := &watchdog{patience: s.cfg.Patience}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.patience, s.timeOut)
	w.detach = context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ctxDone = true
		if !w.paused {
			w.schedule()
		}
	})
	return w
}

// restart restarts the timer for the server's response.
func (w *watchdog) restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = false
	w.schedule()
}

func (w *watchdog) schedule() {
	left := w.patience
	if w.ctxDone {
		left = min(left, gracePeriod)
	}
	w.timer.Reset(left)
}

// pause stops the timer while the session waits for something other than the server.
func (w *watchdog) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = true
	w.timer.Stop()
}

func (w *watchdog) stop() {
	w.detach()
	w.pause()
}
