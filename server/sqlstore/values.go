package sqlstore

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/intraydata/intray"
)

// micros stores a time as microseconds since 1970, and the zero time as 0.
type micros struct{ t *time.Time }

func (m micros) Value() (driver.Value, error) { return toMicros(*m.t), nil }

func (m micros) Scan(from any) error {
	n, ok := from.(int64)
	if !ok {
		return fmt.Errorf("read a time from a %T", from)
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

// asJSON stores the value that v points to as JSON.
type asJSON struct{ v any }

func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.v)
	return string(text), err
}

func (j asJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read JSON from a %T", from)
	}
	return json.Unmarshal([]byte(text), j.v)
}

// asMessage stores a message as a string.
type asMessage struct{ message *intray.Message }

func (m asMessage) Value() (driver.Value, error) { return m.message.Encode(), nil }

func (m asMessage) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read a message from a %T", from)
	}
	*m.message = intray.DecodeMessage(text)
	return nil
}

// rawJSON stores JSON unchanged, and nil as "".
type rawJSON struct{ text *json.RawMessage }

func (j rawJSON) Value() (driver.Value, error) { return string(*j.text), nil }

func (j rawJSON) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read JSON from a %T", from)
	}
	*j.text = nil
	if text != "" {
		*j.text = json.RawMessage(text)
	}
	return nil
}

// nullableBytes stores a byte slice, and nil as NULL.
type nullableBytes struct{ b *[]byte }

func (o nullableBytes) Value() (driver.Value, error) {
	if *o.b == nil {
		return nil, nil
	}
	return *o.b, nil
}

func (o nullableBytes) Scan(from any) error {
	switch from := from.(type) {
	case nil:
		*o.b = nil
	case []byte:
		*o.b = append([]byte{}, from...)
	default:
		return fmt.Errorf("read bytes from a %T", from)
	}
	return nil
}
