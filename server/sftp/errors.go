package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/egress"
)

// Kind says what went wrong, for programs.
type Kind string

// The kinds. Up to Denied they are of connecting, the others of what was done
// then.
const (
	// Invalid: the credential itself cannot be used; nothing was connected.
	Invalid Kind = "invalid_credential"
	// Refused: the door to the outside stayed shut; nothing was connected.
	Refused Kind = "egress_refused"
	// NoSuchHost: there is no such host name.
	NoSuchHost Kind = "no_such_host"
	// Unreachable: no connection came about.
	Unreachable Kind = "unreachable"
	// TimedOut: the server was too slow, or the time of the call ran out.
	TimedOut Kind = "timed_out"
	// NotSFTP: the other side does not speak SSH or does not offer SFTP.
	NotSFTP Kind = "not_sftp"
	// HostKeyChanged: the server showed another host key; no secret was sent.
	// The error wraps a *HostKeyError with both fingerprints.
	HostKeyChanged Kind = "host_key_changed"
	// Denied: the server did not let the user in.
	Denied Kind = "login_denied"

	// BadPath: the name of a directory or file cannot be used; nothing was
	// asked.
	BadPath Kind = "bad_path"
	// Missing: the directory or file is not there, or no longer.
	Missing Kind = "missing"
	// Forbidden: the user may not do this there.
	Forbidden Kind = "forbidden"
	// TooMany: a directory holds more than may be looked at.
	TooMany Kind = "too_many_files"
	// TooLarge: a file is larger than the caller allows.
	TooLarge Kind = "file_too_large"
	// Changed: a file is not what it was when it was listed, or changed while it
	// was fetched. It should be left until it rests.
	Changed Kind = "file_changed"
	// Exists: a file of this name is there, and the server cannot replace it.
	Exists Kind = "file_exists"
	// Failed: the server could not do it and does not say why.
	Failed Kind = "server_failed"
	// Lost: the server hung up.
	Lost Kind = "connection_lost"
	// Misbehaved: the server does not keep to the protocol.
	Misbehaved Kind = "protocol_broken"
)

// Error is something with a server that failed.
type Error struct {
	Kind Kind
	// Text is a sentence for the person who owns the credential. It holds
	// nothing that the server said but the names of files.
	Text intray.Message
	// Err is the cause, for logs; it may quote the server. It can be nil.
	Err error
}

func (e *Error) Error() string { return e.Text.String() }

// Describe returns the text.
func (e *Error) Describe() intray.Message { return e.Text }
func (e *Error) Unwrap() error            { return e.Err }

// explain turns what a library said into what a person can act on.
func (a *attempt) explain(ctx context.Context, err error) error {
	var refused *egress.RefusedError
	if changed := a.hostKey.mismatch(); changed != nil {
		text := intray.NewMessage("sftp.host_key_changed", intray.Params{"server": a.address, "expected": changed.Want, "found": changed.Found})
		return &Error{HostKeyChanged, text, changed}
	}
	switch {
	case errors.As(err, &refused):
		return &Error{Kind: Refused, Text: refused.Reason, Err: err}
	case a.conn != nil && a.conn.Exhausted():
		return &Error{NotSFTP, intray.NewMessage("sftp.opening_too_large", intray.Params{"server": a.address, "size": maxOpening >> 20}), errors.Join(egress.ErrTooMuch, err)}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{TimedOut, intray.NewMessage("sftp.time_ran_out", intray.Params{"server": a.address, "action": a.currentStage().doing()}), errors.Join(ctx.Err(), err)}
	case ctx.Err() != nil:
		return fmt.Errorf("connecting to the SFTP server %s: %w", a.address, ctx.Err())
	}
	switch a.currentStage() {
	case connecting:
		return a.explainDial(err)
	case greeting:
		return a.explainGreeting(err)
	case loggingIn:
		return a.explainLogin(err)
	}
	return &Error{NotSFTP, intray.NewMessage("sftp.not_offered", intray.Params{"server": a.address}), err}
}

func (a *attempt) explainDial(err error) error {
	var name *net.DNSError
	var slow net.Error
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return &Error{NoSuchHost, intray.NewMessage("sftp.no_such_host", intray.Params{"server": a.address}), err}
	case errors.As(err, &name):
		return &Error{Unreachable, intray.NewMessage("sftp.lookup_failed", intray.Params{"server": a.address}), err}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Error{Unreachable, intray.NewMessage("sftp.connection_refused", intray.Params{"server": a.address}), err}
	case errors.As(err, &slow) && slow.Timeout():
		return &Error{TimedOut, intray.NewMessage("sftp.no_answer", intray.Params{"server": a.address}), err}
	}
	return &Error{Unreachable, intray.NewMessage("sftp.unreachable", intray.Params{"server": a.address}), err}
}

func (a *attempt) explainGreeting(err error) error {
	var none *ssh.AlgorithmNegotiationError
	if errors.As(err, &none) {
		return &Error{NotSFTP, intray.NewMessage("sftp.unsafe_methods", intray.Params{"server": a.address, "methods": none.What}), err}
	}
	return &Error{NotSFTP, intray.NewMessage("sftp.not_ssh", intray.Params{"server": a.address}), err}
}

func (a *attempt) explainLogin(err error) error {
	secret := intray.NewMessage("sftp.private_key", nil)
	if a.cred.PrivateKey.IsZero() {
		secret = intray.NewMessage("sftp.password", nil)
	}
	params := intray.Params{"server": a.address, "user": a.cred.User, "secret": secret}
	switch {
	case errors.Is(err, errMoreQuestions):
		return &Error{Denied, intray.NewMessage("sftp.more_than_password", intray.Params{"server": a.address, "user": a.cred.User}), err}
	case a.refused && !hungUp(err):
		return &Error{Denied, intray.NewMessage("sftp.login_denied", params), err}
	}
	return &Error{Denied, intray.NewMessage("sftp.login_broken_off", params), err}
}

// hungUp says whether a connection ended.
func hungUp(err error) bool {
	var network net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &network)
}

// action is what a session does, in the words of an error: "read the file" and
// "reading the file", and what it is done to.
type action struct{ todo, doing, thing intray.Message }

func readingFile(path string) action {
	at := intray.Params{"path": shown(path)}
	return action{intray.NewMessage("sftp.read_file", at), intray.NewMessage("sftp.reading_file", at), intray.NewMessage("sftp.file", at)}
}

func readingDirectory(path string) action {
	at := intray.Params{"path": shown(path)}
	return action{intray.NewMessage("sftp.read_directory", at), intray.NewMessage("sftp.reading_directory", at), intray.NewMessage("sftp.directory", at)}
}

func writingFile(path string) action {
	at := intray.Params{"path": shown(path)}
	return action{intray.NewMessage("sftp.write_file", at), intray.NewMessage("sftp.writing_file", at), intray.NewMessage("sftp.file", at)}
}

func writingToDirectory(path string) action {
	at := intray.Params{"path": shown(path)}
	return action{intray.NewMessage("sftp.write_to_directory", at), intray.NewMessage("sftp.writing_to_directory", at), intray.NewMessage("sftp.directory", at)}
}

// localError is one that the server has no part in.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

func isProtocolError(err error) bool { return errors.Is(err, errProtocol) }

// explain turns an error into what a person can act on.
func (s *Session) explain(ctx context.Context, a action, err error) error {
	var known *Error
	var local *localError
	var status *statusError
	changed := s.hostKey.mismatch()
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &local):
		return local.error
	case changed != nil:
		return &Error{HostKeyChanged, intray.NewMessage("sftp.host_key_changed_meanwhile", intray.Params{"server": s.address, "expected": changed.Want, "found": changed.Found}), changed}
	case errors.As(err, &status):
		return s.explainStatus(a, status)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{TimedOut, intray.NewMessage("sftp.time_ran_out", intray.Params{"server": s.address, "action": a.doing}), errors.Join(ctx.Err(), err)}
	case ctx.Err() != nil:
		return fmt.Errorf("%s on the SFTP server %s: %w", a.doing, s.address, ctx.Err())
	case s.timedOut.Load():
		return &Error{TimedOut, intray.NewMessage("sftp.kept_waiting", intray.Params{"server": s.address, "time": s.cfg.Patience.String(), "action": a.doing}), err}
	case isProtocolError(err):
		return &Error{Misbehaved, intray.NewMessage("sftp.protocol_violated", intray.Params{"server": s.address, "action": a.doing}), err}
	}
	return &Error{Lost, intray.NewMessage("sftp.connection_lost", intray.Params{"server": s.address, "action": a.doing}), err}
}

func (s *Session) explainStatus(a action, status *statusError) error {
	switch status.code {
	case statusNoSuchFile:
		return &Error{Missing, intray.NewMessage("sftp.missing", intray.Params{"server": s.address, "thing": a.thing}), status}
	case statusDenied:
		return &Error{Forbidden, intray.NewMessage("sftp.forbidden", intray.Params{"server": s.address, "user": s.user, "action": a.todo}), status}
	}
	return &Error{Failed, intray.NewMessage("sftp.server_failed", intray.Params{"server": s.address, "action": a.todo}), status}
}
