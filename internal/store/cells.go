package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/intraydata/intray"
)

// micros keeps a time as microseconds since 1970, and no time as 0.
type micros struct{ t *time.Time }

func (m micros) Value() (driver.Value, error) { return toMicros(*m.t), nil }

func (m micros) Scan(from any) error {
	n, ok := from.(int64)
	if !ok {
		return fmt.Errorf("a time is a %T", from)
	}
	*m.t = time.Time{}
	if n != 0 {
		*m.t = time.UnixMicro(n).UTC()
	}
	return nil
}

func toMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// asJSON keeps what v points to as a JSON text.
type asJSON struct{ v any }

func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.v)
	return string(text), err
}

func (j asJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("a JSON text is a %T", from)
	}
	return json.Unmarshal([]byte(text), j.v)
}

// asMessage keeps a message as a text.
type asMessage struct{ message *intray.Message }

func (m asMessage) Value() (driver.Value, error) { return m.message.Encode(), nil }

func (m asMessage) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("a message is a %T", from)
	}
	*m.message = intray.DecodeMessage(text)
	return nil
}

// rawJSON keeps a JSON text as it is, and none as "".
type rawJSON struct{ text *json.RawMessage }

func (j rawJSON) Value() (driver.Value, error) { return string(*j.text), nil }

func (j rawJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("a JSON text is a %T", from)
	}
	*j.text = nil
	if text != "" {
		*j.text = json.RawMessage(text)
	}
	return nil
}

// optional keeps bytes, and nil as NULL.
type optional struct{ b *[]byte }

func (o optional) Value() (driver.Value, error) {
	if *o.b == nil {
		return nil, nil
	}
	return *o.b, nil
}

func (o optional) Scan(from any) error {
	switch from := from.(type) {
	case nil:
		*o.b = nil
	case []byte:
		*o.b = append([]byte{}, from...)
	default:
		return fmt.Errorf("bytes are a %T", from)
	}
	return nil
}
