package service

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of refusal an [Error] is.
type Kind uint8

// The kinds of errors. Everything that is not an *Error is a fault of ours.
const (
	// NotFound: there is no such thing, or it is another organization's.
	NotFound Kind = iota + 1
	// Invalid: what was sent breaks a rule.
	Invalid
	// Conflict: it cannot be done in the state that things are in.
	Conflict
	// Denied: the caller may not.
	Denied
	// TooLarge: what was sent is over a limit.
	TooLarge
	// Unavailable: it cannot be done just now; later it can.
	Unavailable
)

// Error is a refusal that the caller should read.
type Error struct {
	Kind Kind
	// Code is the refusal in snake_case, for programs.
	Code string
	// Text is a sentence for people.
	Text string
	// Fields holds the sentences about single fields of the request, by the
	// name of the field.
	Fields map[string][]string
	// Changes is how many changes of rows would be lost.
	Changes int
	// RetryAfter says when to try again, where that is known.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Text }

// Is lets errors.Is find a kind: errors.Is(err, &Error{Kind: NotFound}).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && (t.Code == "" || t.Code == e.Code)
}

// IsKind says whether err is an *Error of the kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

func refuse(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Text: fmt.Sprintf(format, args...)}
}

// missing is the answer for everything that is not there.
func missing(noun string) *Error {
	return refuse(NotFound, "not_found", "There is no %s with this id.", noun)
}

// invalidField refuses one field of a request.
func invalidField(field, format string, args ...any) *Error {
	text := fmt.Sprintf(format, args...)
	return &Error{
		Kind: Invalid, Code: "invalid", Text: "The request is not valid: " + field + ": " + text + ".",
		Fields: map[string][]string{field: {text}},
	}
}
