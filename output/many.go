package output

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/intraydata/intray"
)

// array gives what is to be written of a field that several columns feed: a JSON
// array with an element for each. What holds for the cells of other fields holds
// for the elements.
func (r *row) array(i int, f *field) ([]byte, content, error) {
	cells := &r.batch.Fields[i]
	value, there := cells.Value(r.index)
	if !there || len(value) == 0 {
		return nil, null, nil
	}
	bad := r.badParts(i)
	if len(bad) == 0 && f.write == nil {
		return value, canonical, nil
	}
	var values []json.RawMessage
	var raws []string
	if json.Unmarshal(value, &values) != nil || json.Unmarshal(cells.Raw(r.index), &raws) != nil || len(raws) != len(values) {
		return nil, null, fmt.Errorf("the value of field %q is not one for each of its columns", f.key)
	}
	b := append(r.text[:0], '[')
	for part := range values {
		if part > 0 {
			b = append(b, ',')
		}
		switch {
		case bad[part] && r.keep == asReceived && raws[part] != "":
			b = appendString(b, []byte(raws[part]))
		case bad[part]:
			b = append(b, "null"...)
		default:
			b = f.element(b, values[part])
		}
	}
	r.text = append(b, ']')
	return r.text, canonical, nil
}

// badParts are the columns of a field whose cells are to be altered.
func (r *row) badParts(field int) map[int]bool {
	if !r.cells[field].invalid || r.keep != blank && r.keep != asReceived {
		return nil
	}
	bad := map[int]bool{}
	for at := r.problem - 1; at >= 0 && r.batch.Problems[at].Row == r.index; at-- {
		if p := &r.batch.Problems[at]; p.Field == field && p.Level == intray.LevelError {
			bad[p.Part] = true
		}
	}
	return bad
}

// element adds one value in the format of the field.
func (f *field) element(b []byte, value json.RawMessage) []byte {
	if f.write == nil || bytes.Equal(value, []byte("null")) {
		return append(b, value...)
	}
	text := []byte(value)
	var s string
	if json.Unmarshal(value, &s) == nil {
		text = []byte(s)
	}
	return appendString(b, f.write(nil, text))
}
