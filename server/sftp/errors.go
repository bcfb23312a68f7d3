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

// Kind classifies an Error for programs.
type Kind string

// These are the kinds. Dial returns errors of the kinds up to Denied. A session returns errors
// of the other kinds, and also of the kinds TimedOut and HostKeyChanged.
const (
	// Invalid means that the credential is invalid, so no connection was made.
	Invalid Kind = "invalid_credential"
	// Refused means that package egress refused the address, so no connection was made.
	Refused Kind = "egress_refused"
	// NoSuchHost means that the host name does not exist.
	NoSuchHost Kind = "no_such_host"
	// Unreachable means that no connection could be established.
	Unreachable Kind = "unreachable"
	// TimedOut means that the server was too slow, or that the deadline of the call passed.
	TimedOut Kind = "timed_out"
	// NotSFTP means that the server does not use SSH, uses only unsafe methods or a short RSA host
	// key, or does not offer SFTP.
	NotSFTP Kind = "not_sftp"
	// HostKeyChanged means that the server presented a host key other than the pinned one. If
	// the error is from Dial, no secret was sent. The error wraps a *HostKeyError.
	HostKeyChanged Kind = "host_key_changed"
	// Denied means that the server refused the login.
	Denied Kind = "login_denied"

	// BadPath means that the path or name is invalid, so nothing was requested.
	BadPath Kind = "bad_path"
	// Missing means that the directory or file does not exist, or no longer exists.
	Missing Kind = "missing"
	// Forbidden means that the user lacks the permission.
	Forbidden Kind = "forbidden"
	// TooMany means that a directory exceeds a limit of List.
	TooMany Kind = "too_many_files"
	// TooLarge means that a file is larger than Download.MaxSize.
	TooLarge Kind = "file_too_large"
	// Changed means that a file is not the listed version, or that it changed while it was being
	// fetched. Try again when it no longer changes.
	Changed Kind = "file_changed"
	// Exists means that a file of this name exists, and that the server cannot
	// replace it in one step.
	Exists Kind = "file_exists"
	// Failed means that the server refused the request without giving a specific reason.
	Failed Kind = "server_failed"
	// Lost means that the server closed the connection.
	Lost Kind = "connection_lost"
	// Misbehaved means that the server violated the protocol.
	Misbehaved Kind = "protocol_broken"
)

// Error reports a failed call to a server.
type Error struct {
	Kind Kind
	// Text describes the error to the owner of the credential. It quotes nothing
	// from the server except file names.
	Text intray.Message
	// Err is the cause, for logs, or nil. It may quote the server.
	Err error
}

func (e *Error) Error() string { return e.Text.String() }

// Describe returns Text.
func (e *Error) Describe() intray.Message { return e.Text }
func (e *Error) Unwrap() error            { return e.Err }

// explain converts the error of a failed connection attempt to the error that Dial returns. The
// message of an *Error is for the owner of the credential.
func (a *attempt) explain(ctx context.Context, err error) error {
	var refused *egress.RefusedError
	changed := a.hostKey.rejected()
	switch {
	case a.hostKey.weak() > 0:
		return &Error{NotSFTP, intray.NewMessage("sftp.host_key_too_short", intray.Params{"server": a.address, "n": a.hostKey.weak(), "min": minRSABits}), err}
	case changed != nil:
		return &Error{HostKeyChanged, intray.NewMessage("sftp.host_key_changed", intray.Params{"server": a.address, "expected": changed.Want, "found": changed.Found}), changed}
	case errors.As(err, &refused):
		return &Error{Kind: Refused, Text: refused.Reason, Err: err}
	case a.conn != nil && a.conn.Exhausted():
		return &Error{NotSFTP, intray.NewMessage("sftp.opening_too_large", intray.Params{"server": a.address, "size": maxOpening >> 20}), errors.Join(egress.ErrTooMuch, err)}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{TimedOut, intray.NewMessage("sftp.time_ran_out", intray.Params{"server": a.address, "action": a.stage().action()}), errors.Join(ctx.Err(), err)}
	case ctx.Err() != nil:
		return fmt.Errorf("connect to the SFTP server %s: %w", a.address, ctx.Err())
	}
	switch a.stage() {
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
	params := intray.Params{"server": a.address, "user": a.cred.User}
	switch {
	case errors.Is(err, errMoreQuestions):
		return &Error{Denied, intray.NewMessage("sftp.more_than_password", params), err}
	case a.login.refused && !hungUp(err):
		return &Error{Denied, a.login.explainRefusal(params), err}
	}
	params["secret"] = a.login.secret()
	return &Error{Denied, intray.NewMessage("sftp.login_broken_off", params), err}
}

// hungUp reports whether err means that the connection was closed.
func hungUp(err error) bool {
	var network net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &network)
}

// action is an operation of a session, as messages phrase it: "read the file",
// "reading the file", and "the file".
type action struct{ infinitive, gerund, object intray.Message }

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

// localError wraps an error that the server did not cause.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

// explain converts the error of a failed call to an *Error whose message is for the owner of the
// credential. It does not convert nil, an *Error, or an error that the server did not cause.
func (s *Session) explain(ctx context.Context, a action, err error) error {
	var known *Error
	var local *localError
	var status *statusError
	changed := s.hostKey.rejected()
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &local):
		return local.error
	case changed != nil:
		return &Error{HostKeyChanged, intray.NewMessage("sftp.host_key_changed_meanwhile", intray.Params{"server": s.address, "expected": changed.Want, "found": changed.Found}), changed}
	case isMissing(err):
		return &Error{Missing, intray.NewMessage("sftp.missing", intray.Params{"server": s.address, "thing": a.object}), err}
	case isStatus(err, statusDenied):
		return &Error{Forbidden, intray.NewMessage("sftp.forbidden", intray.Params{"server": s.address, "user": s.user, "action": a.infinitive}), err}
	case errors.As(err, &status):
		return &Error{Failed, intray.NewMessage("sftp.server_failed", intray.Params{"server": s.address, "action": a.infinitive}), err}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{TimedOut, intray.NewMessage("sftp.time_ran_out", intray.Params{"server": s.address, "action": a.gerund}), errors.Join(ctx.Err(), err)}
	case ctx.Err() != nil:
		return fmt.Errorf("%s on the SFTP server %s: %w", a.gerund, s.address, ctx.Err())
	case s.timedOut.Load():
		return &Error{TimedOut, intray.NewMessage("sftp.kept_waiting", intray.Params{"server": s.address, "time": s.cfg.Patience.String(), "action": a.gerund}), err}
	case errors.Is(err, errProtocol):
		return &Error{Misbehaved, intray.NewMessage("sftp.protocol_violated", intray.Params{"server": s.address, "action": a.gerund}), err}
	}
	return &Error{Lost, intray.NewMessage("sftp.connection_lost", intray.Params{"server": s.address, "action": a.gerund}), err}
}
