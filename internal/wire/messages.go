// Package wire defines the JSON objects that the HTTP API answers with. The server
// writes them, and the commands that call the API read them.
//
// The order of the fields is the order in the JSON. A field is described by its tags:
//
//   - json: the name on the wire. A field with omitempty or omitzero is optional.
//   - doc: the description in the OpenAPI document. That of an object is the doc of its
//     blank field.
//   - schema: what the Go type does not express. A slice with nullable may be null, as
//     every pointer may. Any other word names a schema, such as uuid, time or level,
//     which a slice applies to its elements. Package httpapi defines these names.
//
// The package holds no rules. It knows the domain model but no entities of the server.
package wire

import (
	"encoding/json"

	"github.com/intraydata/intray"
)

// A message is sent as an English sentence, next to the code and parameters from which
// a client renders other languages. A text that an organization wrote has neither. The
// types below are embedded in other objects, whose names are in camelCase or in
// snake_case.

// Message is the message of an object in camelCase.
type Message struct {
	Text   string          `json:"message" doc:"The sentence in English."`
	Code   string          `json:"messageCode,omitempty" schema:"code"`
	Params json.RawMessage `json:"params,omitempty" schema:"params"`
}

// NewMessage returns m as the message of an object.
func NewMessage(m intray.Message) Message { return Message{m.String(), m.Code, params(m)} }

// Reason is the reason of an object in camelCase.
type Reason struct {
	Text   string          `json:"reason" doc:"The reason in English. May be empty."`
	Code   string          `json:"reasonCode,omitempty" schema:"code"`
	Params json.RawMessage `json:"reasonParams,omitempty" schema:"params"`
}

// NewReason returns m as the reason of an object.
func NewReason(m intray.Message) Reason { return Reason{m.String(), m.Code, params(m)} }

// Label is the label of an object in camelCase.
type Label struct {
	Text   string          `json:"label" doc:"The label in English."`
	Code   string          `json:"labelCode,omitempty" schema:"code"`
	Params json.RawMessage `json:"labelParams,omitempty" schema:"params"`
}

// NewLabel returns m as the label of an object.
func NewLabel(m intray.Message) Label { return Label{m.String(), m.Code, params(m)} }

// Reasons are the reasons of an object in camelCase.
type Reasons struct {
	Texts    []string         `json:"reasons" doc:"The reasons in English."`
	Messages []intray.Message `json:"reasonMessages" doc:"The same reasons as codes with parameters."`
}

// NewReasons returns the messages as the reasons of an object.
func NewReasons(list []intray.Message) Reasons {
	return Reasons{intray.RenderAll(list), append([]intray.Message{}, list...)}
}

// SnakeMessage is the message of an object in snake_case.
type SnakeMessage struct {
	Text   string          `json:"message" doc:"The sentence in English."`
	Code   string          `json:"message_code,omitempty" schema:"code"`
	Params json.RawMessage `json:"params,omitempty" schema:"params"`
}

// NewSnakeMessage returns m as the message of an object.
func NewSnakeMessage(m intray.Message) SnakeMessage {
	return SnakeMessage{m.String(), m.Code, params(m)}
}

// SnakeError is what went wrong, in an object in snake_case.
type SnakeError struct {
	Text   string          `json:"error" doc:"What went wrong, in English. Empty if nothing did."`
	Code   string          `json:"error_code,omitempty" schema:"code"`
	Params json.RawMessage `json:"error_params,omitempty" schema:"params"`
}

// NewSnakeError returns m as what went wrong.
func NewSnakeError(m intray.Message) SnakeError { return SnakeError{m.String(), m.Code, params(m)} }

// Warnings are the warnings of an object in snake_case.
type Warnings struct {
	Texts    []string         `json:"warnings,omitempty" doc:"Settings that were accepted but are probably mistakes, in English."`
	Messages []intray.Message `json:"warning_messages,omitempty" doc:"The same warnings as codes with parameters."`
}

// NewWarnings returns the messages as the warnings of an object.
func NewWarnings(list []intray.Message) Warnings { return Warnings{intray.RenderAll(list), list} }

// params returns the parameters of a message, or nil for a text that an organization
// wrote.
func params(m intray.Message) json.RawMessage {
	if m.Code == "" {
		return nil
	}
	return m.RawParams()
}
