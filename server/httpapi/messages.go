package httpapi

import (
	"encoding/json"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// An answer holds a message for people as an English sentence, and beside it the
// code and the parameters by which clients find the sentence of another language:
// see "Messages" in docs/api.md. The types below are embedded in the answers. A text
// of the organization's own has no code, and nothing beside it.

// coded is a message in the parts that answers hold.
func coded(m intray.Message) (text, code string, params json.RawMessage) {
	if m.Code != "" {
		params = m.RawParams()
	}
	return m.String(), m.Code, params
}

// mainMessage is the sentence of an object with names in camelCase.
type mainMessage struct {
	Message     string          `json:"message"`
	MessageCode string          `json:"messageCode,omitempty"`
	Params      json.RawMessage `json:"params,omitempty"`
}

func mainOf(m intray.Message) (out mainMessage) {
	out.Message, out.MessageCode, out.Params = coded(m)
	return out
}

// reasonMessage is the reason of an object with names in camelCase.
type reasonMessage struct {
	Reason       string          `json:"reason"`
	ReasonCode   string          `json:"reasonCode,omitempty"`
	ReasonParams json.RawMessage `json:"reasonParams,omitempty"`
}

func reasonOf(m intray.Message) (out reasonMessage) {
	out.Reason, out.ReasonCode, out.ReasonParams = coded(m)
	return out
}

// labelMessage is the label of an object with names in camelCase.
type labelMessage struct {
	Label       string          `json:"label"`
	LabelCode   string          `json:"labelCode,omitempty"`
	LabelParams json.RawMessage `json:"labelParams,omitempty"`
}

func labelOf(m intray.Message) (out labelMessage) {
	out.Label, out.LabelCode, out.LabelParams = coded(m)
	return out
}

// reasonList is the list of reasons of an object with names in camelCase.
type reasonList struct {
	Reasons        []string         `json:"reasons"`
	ReasonMessages []intray.Message `json:"reasonMessages"`
}

func reasonsOf(list []intray.Message) reasonList {
	return reasonList{intray.RenderAll(list), append([]intray.Message{}, list...)}
}

// mainSnake is the sentence of an object with names in snake_case.
type mainSnake struct {
	Message     string          `json:"message"`
	MessageCode string          `json:"message_code,omitempty"`
	Params      json.RawMessage `json:"params,omitempty"`
}

func mainSnakeOf(m intray.Message) (out mainSnake) {
	out.Message, out.MessageCode, out.Params = coded(m)
	return out
}

// errorSnake is what went wrong, in an object with names in snake_case.
type errorSnake struct {
	Error       string          `json:"error"`
	ErrorCode   string          `json:"error_code,omitempty"`
	ErrorParams json.RawMessage `json:"error_params,omitempty"`
}

func errorOf(m intray.Message) (out errorSnake) {
	out.Error, out.ErrorCode, out.ErrorParams = coded(m)
	return out
}

// warningList are the warnings of an object with names in snake_case.
type warningList struct {
	Warnings        []string         `json:"warnings,omitempty"`
	WarningMessages []intray.Message `json:"warning_messages,omitempty"`
}

func warningsOf(list []intray.Message) warningList {
	return warningList{intray.RenderAll(list), list}
}

// The shapes of these parts.

// messageShape is a message in a list, or within another message.
func messageShape() *jsonschema.Schema {
	return objectType("A message: a code with its parameters, or a text that is the same in all languages.",
		optional("code", stringType("The code of its sentence.")), optional("params", paramsShape()), optional("text", stringType("In place of a code.")))
}

func paramsShape() *jsonschema.Schema {
	return mapType(nil, "The parameters of the sentence by name: texts, numbers, messages, or lists of texts or messages.")
}

const codeDoc = "The code of the sentence; missing where it is a text of the organization's own."

// with adds properties to others.
func with(props []jsonschema.Property, more ...jsonschema.Property) []jsonschema.Property {
	return append(props, more...)
}

func mainProps(doc string) []jsonschema.Property {
	return []jsonschema.Property{required("message", stringType(doc)), optional("messageCode", stringType(codeDoc)), optional("params", paramsShape())}
}

func mainSnakeProps(doc string) []jsonschema.Property {
	return []jsonschema.Property{required("message", stringType(doc)), optional("message_code", stringType(codeDoc)), optional("params", paramsShape())}
}

func reasonProps(doc string) []jsonschema.Property {
	return []jsonschema.Property{required("reason", stringType(doc)), optional("reasonCode", stringType(codeDoc)), optional("reasonParams", paramsShape())}
}

func labelProps() []jsonschema.Property {
	return []jsonschema.Property{required("label", stringType("")), optional("labelCode", stringType(codeDoc)), optional("labelParams", paramsShape())}
}

func reasonsProps() []jsonschema.Property {
	return []jsonschema.Property{required("reasons", arrayType(stringType(""), "")), required("reasonMessages", arrayType(messageShape(), "The same with codes and parameters."))}
}

func errorProps(doc string) []jsonschema.Property {
	return []jsonschema.Property{required("error", stringType(doc)), optional("error_code", stringType(codeDoc)), optional("error_params", paramsShape())}
}

func warningProps(doc string) []jsonschema.Property {
	return []jsonschema.Property{optional("warnings", arrayType(stringType(""), doc)), optional("warning_messages", arrayType(messageShape(), "The same with codes and parameters."))}
}
