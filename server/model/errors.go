package model

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// Kind is the kind of an [Error].
type Kind uint8

// The kinds of errors. Any error that is not an *Error is an internal error.
const (
	// NotFound means that the entity does not exist for the organization.
	NotFound Kind = iota + 1
	// Invalid means that the request violates a rule.
	Invalid
	// Conflict means that the current state does not allow the request.
	Conflict
	// Denied means that the caller has no permission.
	Denied
	// TooLarge means that the request exceeds a limit.
	TooLarge
	// Unavailable means that the request may succeed later.
	Unavailable
	// Damaged means that stored data was lost or has changed, and cannot be rebuilt.
	Damaged
	// OverQuota means that the organization must delete something before the request can succeed.
	OverQuota
	// TooMany means that the request may succeed once others of the organization have ended.
	TooMany
	// Locked means that another request is changing the same thing.
	Locked
)

// Error is an error for the caller.
type Error struct {
	Kind Kind
	// Code identifies the error for programs, in snake_case.
	Code string
	// Message is a sentence for people.
	Message intray.Message
	// Fields holds the errors in single fields of the request, by field name.
	Fields map[string][]intray.Message
	// Changes is the number of row changes that the request would discard.
	Changes int
	// RetryAfter is the time after which a retry may succeed, or 0 if it is unknown.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message.String() }

// Describe returns the message for people.
func (e *Error) Describe() intray.Message { return e.Message }

// Is reports whether target is an *Error with the same kind. If target has a code,
// it must be the same, too. Example: errors.Is(err, &Error{Kind: NotFound}).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && (t.Code == "" || t.Code == e.Code)
}

// IsKind reports whether err is an *Error of the given kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// NewError returns an error for the caller. code is in snake_case.
func NewError(kind Kind, code string, message intray.Message) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// NotFoundError returns an error of kind NotFound.
func NotFoundError(message intray.Message) *Error {
	return NewError(NotFound, "not_found", message)
}

// The messages for entities that do not exist.
var (
	ImportMissing     = intray.NewMessage("import.not_found", nil)
	UploadMissing     = intray.NewMessage("upload.not_found", nil)
	SchemaMissing     = intray.NewMessage("schema.not_found", nil)
	SessionMissing    = intray.NewMessage("session.not_found", nil)
	CredentialMissing = intray.NewMessage("sftp_credential.not_found", nil)
	ConnectorMissing  = intray.NewMessage("connector.not_found", nil)
	ImportLinkMissing = intray.NewMessage("import_link.not_found", nil)
	WebhookMissing    = intray.NewMessage("webhook.not_found", nil)
	DeliveryMissing   = intray.NewMessage("webhook.delivery_not_found", nil)
	KeyMissing        = intray.NewMessage("license_key.not_found", nil)
	FileMissing       = intray.NewMessage("file.deleted", nil)
)

// InvalidField returns an error for an invalid field in a request. problem is a
// sentence without its subject and without a period.
func InvalidField(field string, problem intray.Message) *Error {
	return &Error{
		Kind: Invalid, Code: "invalid", Message: intray.NewMessage("request.invalid_field", intray.Params{"field": field, "problem": problem}),
		Fields: FieldMessage(field, problem),
	}
}

// FieldMessage returns Error.Fields with a single problem.
func FieldMessage(field string, problem intray.Message) map[string][]intray.Message {
	return map[string][]intray.Message{field: {problem}}
}

// ValidationError returns an error for a request with the given issues. There must
// be at least one.
func ValidationError(issues []jsonschema.Issue) *Error {
	fields := jsonschema.ByField(issues)
	delete(fields, "") // issues with the body as a whole are in the message
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

// DescribeNotFound replaces the message of err if err is a NotFound error.
func DescribeNotFound(err error, message intray.Message) error {
	if IsKind(err, NotFound) {
		return NotFoundError(message)
	}
	return err
}

// IgnoreKind returns nil if err is an *Error of the given kind, and err otherwise.
func IgnoreKind(err error, kind Kind) error {
	if IsKind(err, kind) {
		return nil
	}
	return err
}

// MaxLabel is the maximum length of a name in a request, in characters.
const MaxLabel = 255

// IsPrintable reports whether text is valid UTF-8 without control characters. Such
// text is safe in a header or a log line.
func IsPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 })
}

// Truncate shortens text to at most 100 characters, for use in an error message.
func Truncate(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
