package sftp

import (
	"context"
	"errors"
	"fmt"
)

// deed is what a session was doing, in the words of an error.
type deed struct{ verb, doing, thing string }

func reading(thing string) deed { return deed{"read", "reading", thing} }
func writing(thing string) deed { return deed{"write", "writing", thing} }
func removing(thing string) deed {
	return deed{"remove", "removing", thing}
}

func directory(path string) string { return "the directory " + quoted(path) }
func file(path string) string      { return "the file " + quoted(path) }

// localError is one that the server has no part in.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

func isProtocol(err error) bool { return errors.Is(err, errProtocol) }

// explain turns an error into what a person can act on.
func (s *Session) explain(ctx context.Context, d deed, err error) error {
	var known *Error
	var local *localError
	var status *statusError
	changed := s.pin.mismatch()
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &local):
		return local.error
	case changed != nil:
		return s.fail(HostKeyChanged, changed, "the host key of %s changed during the connection: expected %s, found %s. Somebody may be posing as the server",
			changed.Want, changed.Found)
	case errors.As(err, &status):
		return s.explainStatus(d, status)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return s.fail(TimedOut, errors.Join(ctx.Err(), err), "%s was too slow: time ran out while %s %s", d.doing, d.thing)
	case ctx.Err() != nil:
		return fmt.Errorf("%s %s on the SFTP server %s: %w", d.doing, d.thing, s.address, ctx.Err())
	case s.late.Load():
		return s.fail(TimedOut, err, "%s was too slow: it kept this end waiting for %s while %s %s", s.cfg.Patience, d.doing, d.thing)
	case isProtocol(err):
		return s.fail(Misbehaved, err, "%s does not keep to the rules of SFTP; the connection was ended while %s %s", d.doing, d.thing)
	}
	return s.fail(Lost, err, "%s ended the connection while %s %s", d.doing, d.thing)
}

func (s *Session) explainStatus(d deed, status *statusError) error {
	switch status.code {
	case statusNoSuchFile:
		return s.fail(Missing, status, "%s does not have %s, or no longer; check its name and whether it was moved", d.thing)
	case statusDenied:
		return s.fail(Forbidden, status, "%s does not let user %q %s %s", s.user, d.verb, d.thing)
	}
	return s.fail(Failed, status, "%s could not %s %s and does not say why", d.verb, d.thing)
}

// fail puts the address before the other arguments of the text.
func (s *Session) fail(kind Kind, err error, text string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(text, append([]any{s.address}, args...)...), Err: err}
}
