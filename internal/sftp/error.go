package sftp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/internal/egress"
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
	Text string
	// Err is the cause, for logs; it may quote the server. It can be nil.
	Err error
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// explain turns what a library said into what a person can act on.
func (a *attempt) explain(ctx context.Context, err error) error {
	var refused *egress.RefusedError
	if changed := a.pin.mismatch(); changed != nil {
		return a.fail(HostKeyChanged, changed,
			"the host key of %s has changed: expected %s, found %s. If its owner confirms the new fingerprint, make a new credential for the server, which pins it, and use that one; if not, somebody may be posing as the server",
			changed.Want, changed.Found)
	}
	switch {
	case errors.As(err, &refused):
		return &Error{Kind: Refused, Text: refused.Reason, Err: err}
	case a.conn != nil && a.conn.Exhausted():
		return a.fail(NotSFTP, errors.Join(egress.ErrTooMuch, err), "%s sent more than %d MiB instead of opening SFTP", maxOpening>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return a.fail(TimedOut, errors.Join(ctx.Err(), err), "%s was too slow: time ran out while %s", a.stage())
	case ctx.Err() != nil:
		return fmt.Errorf("connecting to the SFTP server %s: %w", a.address, ctx.Err())
	}
	switch a.stage() {
	case connecting:
		return a.explainDial(err)
	case greeting:
		return a.explainGreeting(err)
	case loggingIn:
		return a.explainLogin(err)
	}
	return a.fail(NotSFTP, err, "the login to %s works, but the server does not offer SFTP to this user")
}

func (a *attempt) explainDial(err error) error {
	var name *net.DNSError
	var slow net.Error
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return a.fail(NoSuchHost, err, "%s cannot be reached: there is no such host name")
	case errors.As(err, &name):
		return a.fail(Unreachable, err, "%s cannot be reached: its name cannot be looked up just now")
	case errors.Is(err, syscall.ECONNREFUSED):
		return a.fail(Unreachable, err, "%s cannot be reached: nothing listens on this port")
	case errors.As(err, &slow) && slow.Timeout():
		return a.fail(TimedOut, err, "%s was too slow: it did not answer")
	}
	return a.fail(Unreachable, err, "%s cannot be reached")
}

func (a *attempt) explainGreeting(err error) error {
	var none *ssh.AlgorithmNegotiationError
	if errors.As(err, &none) {
		return a.fail(NotSFTP, err, "%s speaks SSH, but only with %s methods that are no longer safe", none.What)
	}
	return a.fail(NotSFTP, err, "%s does not speak SSH as an SFTP server does")
}

func (a *attempt) explainLogin(err error) error {
	secret := "private key"
	if a.cred.PrivateKey.IsZero() {
		secret = "password"
	}
	switch {
	case errors.Is(err, errMoreQuestions):
		return a.fail(Denied, err, "%s asks user %q for more than a password", a.cred.User)
	case strings.Contains(err.Error(), "unable to authenticate"):
		// The library has no type for it.
		return a.fail(Denied, err, "%s does not let user %q in with this %s", a.cred.User, secret)
	}
	return a.fail(Denied, err, "%s ended the connection while user %q logged in with a %s", a.cred.User, secret)
}

// fail puts the address before the other arguments of the text.
func (a *attempt) fail(kind Kind, err error, text string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(text, append([]any{a.address}, args...)...), Err: err}
}
