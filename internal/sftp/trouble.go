package sftp

import (
	"context"
	"errors"
	"fmt"

	"github.com/intraydata/intray"
)

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

func removingFile(path string) action {
	at := intray.Params{"path": shown(path)}
	return action{intray.NewMessage("sftp.remove_file", at), intray.NewMessage("sftp.removing_file", at), intray.NewMessage("sftp.file", at)}
}

// localError is one that the server has no part in.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

func isProtocol(err error) bool { return errors.Is(err, errProtocol) }

// explain turns an error into what a person can act on.
func (s *Session) explain(ctx context.Context, a action, err error) error {
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
		return &Error{HostKeyChanged, intray.NewMessage("sftp.host_key_changed_meanwhile", intray.Params{"server": s.address, "expected": changed.Want, "found": changed.Found}), changed}
	case errors.As(err, &status):
		return s.explainStatus(a, status)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{TimedOut, intray.NewMessage("sftp.time_ran_out", intray.Params{"server": s.address, "action": a.doing}), errors.Join(ctx.Err(), err)}
	case ctx.Err() != nil:
		return fmt.Errorf("%s on the SFTP server %s: %w", a.doing, s.address, ctx.Err())
	case s.late.Load():
		return &Error{TimedOut, intray.NewMessage("sftp.kept_waiting", intray.Params{"server": s.address, "time": s.cfg.Patience.String(), "action": a.doing}), err}
	case isProtocol(err):
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
