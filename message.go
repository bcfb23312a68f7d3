package intray

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Message is text for people: a code with the parameters of its sentence, or literal text
// from the organization, such as a message from a hook.
//
// Each language has a catalogue, messages/LANGUAGE.json, that maps codes to sentences. This
// package renders messages in English, and the review page renders them in the language of its
// user. Messages are comparable: two with the same code and parameters are equal. The zero
// Message has no text.
type Message struct {
	// Code is the key of the sentence in the catalogues, or "" for literal text.
	Code string
	// literal is the text if Code is "".
	literal string
	// params is a JSON object, or "" if the sentence has no parameters.
	params string
}

// Params are the parameters of a message by name. A value is a string, an int, an
// int64, a Message, or a slice of strings or Messages.
//
// The parameter n selects the plural form of the sentence.
type Params map[string]any

// NewMessage returns the message with a code and parameters. params may be nil.
func NewMessage(code string, params Params) Message {
	m := Message{Code: code}
	if len(params) > 0 {
		m.params = string(appendParams(make([]byte, 0, 64), params))
	}
	return m
}

// appendParams appends the bytes that json.Marshal would return. It encodes strings and numbers
// without encoding/json, because a file may have millions of problems.
func appendParams(dst []byte, params Params) []byte {
	var room [4]string
	names := room[:0]
	for name := range params {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, name), ':')
		switch value := params[name].(type) {
		case string:
			dst = appendText(dst, value)
		case int:
			dst = strconv.AppendInt(dst, int64(value), 10)
		case int64:
			dst = strconv.AppendInt(dst, value, 10)
		default:
			dst = append(dst, mustMarshal(value)...)
		}
	}
	return append(dst, '}')
}

// appendText appends text as a JSON string.
func appendText(dst []byte, text string) []byte {
	if !isPlainJSON(text) {
		return append(dst, mustMarshal(text)...)
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

// isPlainJSON reports whether json.Marshal escapes nothing in text.
func isPlainJSON(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// Literal returns a message whose text is the same in all languages.
func Literal(text string) Message { return Message{literal: text} }

// JoinMessages joins several messages into one, separated by semicolons in English.
// It drops zero messages.
func JoinMessages(list ...Message) Message {
	list = slices.DeleteFunc(slices.Clone(list), Message.IsZero)
	switch len(list) {
	case 0:
		return Message{}
	case 1:
		return list[0]
	}
	return NewMessage("list.clauses", Params{"list": list})
}

const (
	// maxListed is the maximum number of texts in a short list.
	maxListed = 20
	// maxShort is the maximum length of a short text, in characters.
	maxShort = 100
)

// Shorten truncates a name or another text to 100 characters and appends an ellipsis. It is for
// messages to people.
func Shorten(text string) string {
	if len(text) <= maxShort {
		return text
	}
	n := 0
	for i := range text {
		if n++; n > maxShort {
			return text[:i] + "…"
		}
	}
	return text
}

// ShortAndList returns the parameter for a list of texts, all of which apply. The parameter
// lists at most 20 texts and the number of the others, because a message with thousands of texts
// would multiply the size of an import that has a problem in each row. Strings are shortened.
func ShortAndList[T string | Message](list []T) any {
	if len(list) <= maxListed {
		return shortenAll(list)
	}
	return NewMessage("list.more", Params{"list": shortenAll(list[:maxListed]), "n": len(list) - maxListed})
}

// ShortOrList is like [ShortAndList], but for texts of which any applies.
func ShortOrList[T string | Message](list []T) any {
	if len(list) <= maxListed {
		return shortenAll(list)
	}
	return NewMessage("list.more_or", Params{"list": shortenAll(list[:maxListed]), "n": len(list) - maxListed})
}

func shortenAll[T string | Message](list []T) []T {
	short := slices.Clone(list)
	for i := range short {
		if text, ok := any(short[i]).(string); ok {
			short[i] = any(Shorten(text)).(T)
		}
	}
	return short
}

// mustMarshal encodes a parameter as JSON. It panics if JSON cannot represent the value,
// but [Params] allows no such value.
func mustMarshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("intray: a parameter of a message cannot be written as JSON: %v", err))
	}
	return text
}

// RenderAll renders messages in English.
func RenderAll(list []Message) []string {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.String()
	}
	return texts
}

// Size returns the approximate size of the message in memory, in bytes.
func (m Message) Size() int { return len(m.literal) + len(m.params) + 48 }

// Encode returns the message as a string for files and database columns: JSON, or the text
// itself for a literal message. [DecodeMessage] reverses it.
func (m Message) Encode() string {
	switch {
	case m.Code == "" && !strings.HasPrefix(m.literal, "{"):
		return m.literal
	case m.Code == "" || !isPlainJSON(m.Code):
		return string(mustMarshal(m))
	case m.params == "":
		return encodedCode + m.Code + `"}`
	}
	return encodedCode + m.Code + encodedParams + m.params + "}"
}

// Encode writes encodedCode before the code and encodedParams before the parameters.
const (
	encodedCode   = `{"code":"`
	encodedParams = `","params":`
)

// DecodeMessage returns the message that Encode encoded. Any other text becomes a literal
// message.
func DecodeMessage(text string) Message {
	if m, ok := decodePlain(text); ok {
		return m
	}
	var m Message
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &m) != nil {
		return Literal(text)
	}
	return m
}

// decodePlain decodes, without copying the text, a message whose code needs no escapes. Nearly
// all messages are of this kind.
func decodePlain(text string) (Message, bool) {
	rest, ok := strings.CutPrefix(text, encodedCode)
	end := strings.IndexByte(rest, '"')
	if !ok || end <= 0 || !isPlainJSON(rest[:end]) {
		return Message{}, false
	}
	m := Message{Code: rest[:end]}
	if rest = rest[end:]; rest == `"}` {
		return m, true
	}
	rest, ok = strings.CutPrefix(rest, encodedParams+"{")
	if !ok || !strings.HasSuffix(rest, "}}") {
		return Message{}, false
	}
	m.params = text[len(text)-len(rest)-1 : len(text)-1]
	return m, json.Valid([]byte(m.params))
}

// MessageError is an error with a message for people.
type MessageError struct{ Message Message }

// Error renders the message in English.
func (e *MessageError) Error() string { return e.Message.String() }

// Describe returns the message.
func (e *MessageError) Describe() Message { return e.Message }

// MessageOf calls Describe on the first error in the tree of err that has this method, and
// returns the result. If there is none, it returns the text of err as a literal message. If
// err is nil, it returns the zero Message.
func MessageOf(err error) Message {
	var described interface {
		error
		Describe() Message
	}
	switch {
	case err == nil:
		return Message{}
	case errors.As(err, &described):
		return described.Describe()
	}
	return Literal(err.Error())
}

// Equal reports whether both messages are the same. Package go-cmp calls it to compare messages.
func (m Message) Equal(other Message) bool { return m == other }

// IsZero reports whether the message has no text.
func (m Message) IsZero() bool { return m == Message{} }

// Params decodes the parameters. It returns numbers as int64, nested messages as Message,
// and lists as []any of strings or Messages.
func (m Message) Params() Params {
	if m.params == "" {
		return nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(m.params), &raw); err != nil {
		return nil
	}
	params := Params{}
	for name, value := range raw {
		params[name] = decodeParam(value)
	}
	return params
}

// RawParams returns the parameters as a JSON object. The object is {} if there are none.
func (m Message) RawParams() json.RawMessage {
	if m.params == "" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(m.params)
}

func decodeParam(value json.RawMessage) any {
	switch value[0] {
	case '"':
		var text string
		_ = json.Unmarshal(value, &text)
		return text
	case '{':
		var m Message
		_ = json.Unmarshal(value, &m)
		return m
	case '[':
		var raw []json.RawMessage
		_ = json.Unmarshal(value, &raw)
		list := make([]any, len(raw))
		for i, one := range raw {
			list[i] = decodeParam(one)
		}
		return list
	}
	n, _ := strconv.ParseInt(string(value), 10, 64)
	return n
}

// wireMessage is a message in JSON: {"code": …, "params": {…}} or {"text": …}.
type wireMessage struct {
	Code   string          `json:"code,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Text   string          `json:"text,omitempty"`
}

// MarshalJSON encodes the message as {"code": …, "params": {…}}, or as {"text": …} if it is
// a literal.
func (m Message) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireMessage{m.Code, json.RawMessage(m.params), m.literal})
}

// UnmarshalJSON reverses MarshalJSON. It decodes a JSON string as a literal message.
func (m *Message) UnmarshalJSON(text []byte) error {
	var wire wireMessage
	if len(text) > 0 && text[0] == '"' {
		*m = Message{}
		return json.Unmarshal(text, &m.literal)
	}
	if err := json.Unmarshal(text, &wire); err != nil {
		return err
	}
	*m = Message{Code: wire.Code, literal: wire.Text}
	if wire.Code != "" && len(wire.Params) > 0 && wire.Params[0] == '{' {
		m.params = string(wire.Params)
	}
	return nil
}

// String renders the message in English. It returns the code if the catalogue does not
// contain it.
func (m Message) String() string {
	if m.Code == "" {
		return m.literal
	}
	return render(m, 0)
}

//go:embed messages/en.json
var englishJSON string

// sentence is a catalogue entry with its singular and plural. Both are equal if the entry
// is a single string.
type sentence struct{ one, other string }

// UnmarshalJSON reads "text" or {"one": "text", "other": "text"}.
func (s *sentence) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		err := json.Unmarshal(text, &s.other)
		s.one = s.other
		return err
	}
	var forms struct{ One, Other string }
	err := json.Unmarshal(text, &forms)
	s.one, s.other = forms.One, forms.Other
	return err
}

// englishSentences caches decoded sentences by code.
var englishSentences sync.Map

// findSentence returns the English sentence of a code. It searches for the key at the start of
// a line and decodes the sentence on first use, because the catalogue is about 130 kB long but
// most runs of the program need only a few sentences.
func findSentence(code string) (sentence, bool) {
	if found, ok := englishSentences.Load(code); ok {
		return found.(sentence), true
	}
	if !isPlainJSON(code) {
		return sentence{}, false
	}
	_, rest, ok := strings.Cut(englishJSON, "\n  \""+code+"\": ")
	if !ok {
		return sentence{}, false
	}
	var found sentence
	if err := json.NewDecoder(strings.NewReader(rest)).Decode(&found); err != nil {
		panic(fmt.Sprintf("intray: messages/en.json: %s: %v", code, err))
	}
	englishSentences.Store(code, found)
	return found, true
}

// maxNesting limits the depth of messages within messages.
const maxNesting = 16

// render replaces the placeholders of a sentence: {name}, or {name, and},
// {name, or} and {name, ;} for lists. Other lists are separated by commas.
func render(m Message, depth int) string {
	entry, known := findSentence(m.Code)
	if !known || depth > maxNesting {
		return m.Code
	}
	params := m.Params()
	text := entry.other
	if n, ok := params["n"].(int64); ok && n == 1 {
		text = entry.one
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		inside, after, closed := strings.Cut(rest, "}")
		out.WriteString(before)
		if !found || !closed {
			return out.String()
		}
		name, joint, _ := strings.Cut(inside, ", ")
		out.WriteString(renderParam(params[name], joint, depth+1))
		text = after
	}
}

func renderParam(value any, joint string, depth int) string {
	switch value := value.(type) {
	case string:
		return strings.Map(printable, value)
	case int64:
		digits := strconv.FormatInt(value, 10)
		for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
			digits = digits[:i] + "," + digits[i:]
		}
		return digits
	case Message:
		if value.Code == "" {
			return strings.Map(printable, value.literal)
		}
		return render(value, depth)
	case []any:
		texts := make([]string, len(value))
		for i, one := range value {
			texts[i] = renderParam(one, "", depth)
		}
		return joinTexts(texts, joint)
	}
	return ""
}

// printable replaces control characters, because text from a file may contain them.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// joinTexts joins the elements of a list, as in "a, b and c".
func joinTexts(texts []string, joint string) string {
	switch {
	case joint == "":
		return strings.Join(texts, ", ")
	case joint == ";":
		return strings.Join(texts, "; ")
	case len(texts) < 2:
		return strings.Join(texts, "")
	case len(texts) == 2:
		return texts[0] + " " + joint + " " + texts[1]
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " " + joint + " " + texts[last]
}
