package model

import (
	"errors"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
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
	// Message is a sentence for people.
	Message intray.Message
	// Fields holds the sentences about single fields of the request, by the
	// name of the field.
	Fields map[string][]intray.Message
	// Changes is how many changes of rows would be lost.
	Changes int
	// RetryAfter says when to try again, where that is known.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message.String() }

// Describe returns the sentence for people.
func (e *Error) Describe() intray.Message { return e.Message }

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

// NewError returns an error that the caller should read. code is in snake_case, for
// programs.
func NewError(kind Kind, code string, message intray.Message) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// NotFoundError is the answer for everything that is not there.
func NotFoundError(message intray.Message) *Error {
	return NewError(NotFound, "not_found", message)
}

// What may not be there.
var (
	ImportMissing     = intray.NewMessage("import.not_found", nil)
	UploadMissing     = intray.NewMessage("upload.not_found", nil)
	SchemaMissing     = intray.NewMessage("schema.not_found", nil)
	SessionMissing    = intray.NewMessage("session.not_found", nil)
	CredentialMissing = intray.NewMessage("sftp_credential.not_found", nil)
	ConnectorMissing  = intray.NewMessage("connector.not_found", nil)
	WebhookMissing    = intray.NewMessage("webhook.not_found", nil)
	DeliveryMissing   = intray.NewMessage("webhook.delivery_not_found", nil)
	KeyMissing        = intray.NewMessage("license_key.not_found", nil)
	FileMissing       = intray.NewMessage("file.deleted", nil)
)

// InvalidField refuses one field of a request. The problem is a sentence without its
// subject and without a full stop.
func InvalidField(field string, problem intray.Message) *Error {
	return &Error{
		Kind: Invalid, Code: "invalid", Message: intray.NewMessage("request.invalid_field", intray.Params{"field": field, "problem": problem}),
		Fields: FieldMessage(field, problem),
	}
}

// FieldMessage is one sentence about one field of a request.
func FieldMessage(field string, problem intray.Message) map[string][]intray.Message {
	return map[string][]intray.Message{field: {problem}}
}

// ValidationError makes the refusal of a request with these issues.
func ValidationError(issues []jsonschema.Issue) *Error {
	fields := jsonschema.ByField(issues)
	delete(fields, "") // issues of the body as a whole are told in the message
	params := intray.Params{"problem": issues[0].Message}
	if issues[0].Path != "" {
		params["field"] = issues[0].Path
	}
	if len(issues) > 1 {
		params["n"] = len(issues) - 1
	}
	e := &Error{Kind: Invalid, Code: "invalid", Fields: fields}
	switch whole := issues[0].Path == ""; {
	case whole && len(issues) == 1:
		e.Message = intray.NewMessage("request.invalid_body", params)
	case whole:
		e.Message = intray.NewMessage("request.invalid_body_and_more", params)
	case len(issues) == 1:
		e.Message = intray.NewMessage("request.invalid_field", params)
	default:
		e.Message = intray.NewMessage("request.invalid_field_and_more", params)
	}
	return e
}

// DescribeNotFound says what is missing in the caller's words.
func DescribeNotFound(err error, message intray.Message) error {
	if IsKind(err, NotFound) {
		return NotFoundError(message)
	}
	return err
}

// IgnoreKind returns nil for an *Error of the kind, and err otherwise.
func IgnoreKind(err error, kind Kind) error {
	if IsKind(err, kind) {
		return nil
	}
	return err
}
