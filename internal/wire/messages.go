// Package wire defines the JSON objects that the HTTP API returns. The server encodes them,
// and the commands that call the API decode them.
//
// JSON objects have the fields in the order of the struct. The tags of a field describe it:
//
//   - json: the name on the wire. A field with omitempty or omitzero is optional.
//   - doc: the description in the OpenAPI document. The doc tag of the blank field
//     describes the object itself.
//   - schema: rules that the Go type does not express. The word nullable means that a slice
//     may be null. A pointer may always be null. Any other word is the name of a schema, such
//     as uuid, time or level. In a slice, that schema applies to the elements. Package
//     httpapi defines these names.
//
// The package contains no business rules. It depends on the domain model but not on the
// entities of the server.
package wire

import (
	"encoding/json"

	"github.com/intraydata/intray"
)

// A message is sent as an English sentence, along with the code and parameters from which a
// client can render the message in other languages. Text written by an organization has no code
// and no parameters. The following types are embedded in objects whose property names are in
// camelCase or in snake_case.

// Message contains the properties of a message, with names in camelCase.
type Message struct {
	Text   string          `json:"message" doc:"The sentence in English."`
	Code   string          `json:"messageCode,omitempty" schema:"code"`
	Params json.RawMessage `json:"params,omitempty" schema:"params"`
}

// NewMessage returns m as the message of an object.
func NewMessage(m intray.Message) Message { return Message{m.String(), m.Code, params(m)} }

// Reason contains the properties of a reason, with names in camelCase.
type Reason struct {
	Text   string          `json:"reason" doc:"The reason in English. May be empty."`
	Code   string          `json:"reasonCode,omitempty" schema:"code"`
	Params json.RawMessage `json:"reasonParams,omitempty" schema:"params"`
}

// NewReason returns m as the reason of an object.
func NewReason(m intray.Message) Reason { return Reason{m.String(), m.Code, params(m)} }

// Label contains the properties of a label, with names in camelCase.
type Label struct {
	Text   string          `json:"label" doc:"The label in English."`
	Code   string          `json:"labelCode,omitempty" schema:"code"`
	Params json.RawMessage `json:"labelParams,omitempty" schema:"params"`
}

// NewLabel returns m as the label of an object.
func NewLabel(m intray.Message) Label { return Label{m.String(), m.Code, params(m)} }

// Reasons contains the properties of a list of reasons, with names in camelCase.
type Reasons struct {
	Texts    []string         `json:"reasons" doc:"The reasons in English."`
	Messages []intray.Message `json:"reasonMessages" doc:"The same reasons as codes with parameters."`
}

// NewReasons returns the messages as the reasons of an object.
func NewReasons(list []intray.Message) Reasons {
	return Reasons{intray.RenderAll(list), append([]intray.Message{}, list...)}
}

// SnakeMessage contains the properties of a message, with names in snake_case.
type SnakeMessage struct {
	Text   string          `json:"message" doc:"The sentence in English."`
	Code   string          `json:"message_code,omitempty" schema:"code"`
	Params json.RawMessage `json:"params,omitempty" schema:"params"`
}

// NewSnakeMessage returns m as the message of an object.
func NewSnakeMessage(m intray.Message) SnakeMessage {
	return SnakeMessage{m.String(), m.Code, params(m)}
}

// SnakeError contains the properties of an error, with names in snake_case.
type SnakeError struct {
	Text   string          `json:"error" doc:"What went wrong, in English. Empty if nothing did."`
	Code   string          `json:"error_code,omitempty" schema:"code"`
	Params json.RawMessage `json:"error_params,omitempty" schema:"params"`
}

// NewSnakeError returns m as the error of an object.
func NewSnakeError(m intray.Message) SnakeError { return SnakeError{m.String(), m.Code, params(m)} }

// Warnings contains the properties of a list of warnings, with names in snake_case.
type Warnings struct {
	Texts    []string         `json:"warnings,omitempty" doc:"Settings that were accepted but are probably mistakes, in English."`
	Messages []intray.Message `json:"warning_messages,omitempty" doc:"The same warnings as codes with parameters."`
}

// NewWarnings returns the messages as the warnings of an object.
func NewWarnings(list []intray.Message) Warnings { return Warnings{intray.RenderAll(list), list} }

// params returns the parameters of a message, or nil for text written by an organization.
func params(m intray.Message) json.RawMessage {
	if m.Code == "" {
		return nil
	}
	return m.RawParams()
}
