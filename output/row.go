package output

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// policy says what becomes of a row with an error.
type policy int

const (
	refuseRows policy = iota
	dropRows
	blankCells
	keepReceived
)

func policyFor(b intray.InvalidDataBehavior) (policy, error) {
	switch b {
	case intray.BlockSubmit:
		return refuseRows, nil
	case intray.RemoveInvalidRows:
		return dropRows, nil
	case intray.IncludeInvalidRows:
		return blankCells, nil
	case intray.IncludeInvalidValues:
		return keepReceived, nil
	}
	return refuseRows, fmt.Errorf("unknown invalidDataBehavior %q", string(b))
}

// rowCursor is the row of a batch that is to be written. It moves through the batch
// from the first row to the last and keeps its place in the batch's lists.
type rowCursor struct {
	batch *intray.Batch
	index int
	cells []cellCursor
	// text is where values are written in the format of their field.
	text []byte
	// problem is the first of this row or a later one.
	problem int
	// invalid are the fields of this row whose cell is to be altered.
	invalid []int
	keep    policy
}

// cellCursor is where the row is in the lists of one field.
type cellCursor struct {
	null, raw int
	invalid   bool
}

func newRowCursor(b *intray.Batch, fields int) *rowCursor {
	return &rowCursor{batch: b, cells: make([]cellCursor, fields)}
}

// advance moves on to the row at index, and says whether it is to be written.
func (r *rowCursor) advance(keep policy) (bool, error) {
	r.keep = keep
	for _, f := range r.invalid {
		r.cells[f].invalid = false
	}
	r.invalid = r.invalid[:0]
	for i := range r.cells {
		r.cells[i].advance(&r.batch.Fields[i], uint32(r.index))
	}
	bad, err := r.markInvalidCells()
	if err != nil || !bad {
		return err == nil, err
	}
	if keep == refuseRows {
		return false, ErrInvalidRow
	}
	return keep != dropRows, nil
}

// advance moves on in the lists of a field.
func (p *cellCursor) advance(c *intray.Cells, index uint32) {
	for p.null < len(c.Nulls) && c.Nulls[p.null] < index {
		p.null++
	}
	for p.raw < len(c.RawRows) && c.RawRows[p.raw] < index {
		p.raw++
	}
}

// markInvalidCells marks the cells of this row that have an error, and says whether the
// row has one.
func (r *rowCursor) markInvalidCells() (bool, error) {
	bad := false
	problems := r.batch.Problems
	for ; r.problem < len(problems) && problems[r.problem].Row <= r.index; r.problem++ {
		p := &problems[r.problem]
		if p.Row < r.index {
			return false, fmt.Errorf("a problem of row %d is out of order", p.Row)
		}
		if p.Level != intray.LevelError {
			continue
		}
		bad = true
		if p.Field == intray.NoField {
			continue
		}
		if p.Field < 0 || p.Field >= len(r.cells) {
			return false, fmt.Errorf("a problem names field %d of %d", p.Field, len(r.cells))
		}
		r.cells[p.Field].invalid = true
		r.invalid = append(r.invalid, p.Field)
	}
	return bad, nil
}

// checkEnd makes sure that no problem names a row that the batch does not have, where
// end is the number of its rows.
func (r *rowCursor) checkEnd(end int) error {
	if end == r.batch.Rows() && r.problem < len(r.batch.Problems) {
		return fmt.Errorf("a problem names row %d of a batch of %d", r.batch.Problems[r.problem].Row, end)
	}
	return nil
}

// content is what a cell holds.
type content int

const (
	null content = iota
	// canonical is the field's canonical text.
	canonical
	// received is text as it was received, whatever the field's type.
	received
)

// outputValue gives what is to be written of a field, in the field's own format.
func (r *rowCursor) outputValue(i int, f *field) ([]byte, content, error) {
	if f.manyColumns {
		return r.arrayValue(i, f)
	}
	v, kind := r.cellValue(i, f.stringField)
	if kind == canonical && f.write != nil {
		r.text = f.write(r.text[:0], v)
		v = r.text
	}
	return v, kind, nil
}

// cellValue gives what a field holds.
func (r *rowCursor) cellValue(f int, stringField bool) ([]byte, content) {
	c, p := &r.batch.Fields[f], &r.cells[f]
	isNull := p.null < len(c.Nulls) && c.Nulls[p.null] == uint32(r.index)
	if p.invalid && r.keep == blankCells {
		return nil, null
	}
	if p.invalid && p.raw < len(c.RawRows) && c.RawRows[p.raw] == uint32(r.index) {
		raw := c.Raws.At(p.raw)
		if len(raw) > 0 || stringField && !isNull {
			return raw, received
		}
		return nil, null
	}
	v := c.Values.At(r.index)
	if isNull || len(v) == 0 && !stringField {
		return nil, null
	}
	return v, canonical
}

// valueShape is how a field's values are written.
type valueShape int

const (
	// textShape is written as a JSON string.
	textShape valueShape = iota
	// numberShape and truth are written as they are.
	numberShape
	booleanShape
	// listShape is a JSON array and written as it is.
	listShape
)

// field is what writing needs to know of a field.
type field struct {
	key   string
	shape valueShape
	// manyColumns says that several columns feed the field: its shape is list.
	manyColumns bool
	// stringField says that empty text is a value.
	stringField bool
	// write writes a value in the field's own format; nil where it stands as it is.
	write func(dst, canonical []byte) []byte
}

func compileFields(schema *intray.Schema) ([]field, error) {
	fields := make([]field, 0, len(schema.Fields))
	for _, f := range schema.Fields {
		if f.Key == unmappedKey && schema.Settings.PassThroughUnmappedColumns {
			return nil, fmt.Errorf("a field has the key %s, and unmapped columns are passed through under it", unmappedKey)
		}
		write, err := celltype.OutputFormatter(f)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		made := field{key: f.Key, shape: shapeOf(f), manyColumns: f.ManyToOne, stringField: f.Type.Name == intray.TypeString && !f.ManyToOne, write: write}
		if write != nil && !f.ManyToOne {
			made.shape = textShape
		}
		fields = append(fields, made)
	}
	return fields, nil
}

func shapeOf(f intray.Field) valueShape {
	if f.ManyToOne {
		return listShape
	}
	switch f.Type.Name {
	case intray.TypeNumber:
		return numberShape
	case intray.TypeCheckbox:
		return booleanShape
	case intray.TypeMultiSelect:
		return listShape
	}
	return textShape
}

// isLiteral says whether a value may stand in JSON as it is. A value that does
// not keep its type's form must not get there: it could forge further fields.
func (s valueShape) isLiteral(v []byte) bool {
	switch s {
	case numberShape:
		return isNumber(v)
	case booleanShape:
		return string(v) == "true" || string(v) == "false"
	case listShape:
		return len(v) > 0 && v[0] == '[' && json.Valid(v)
	}
	return false
}

// isNumber says whether v is a number as JSON writes it.
func isNumber(v []byte) bool {
	if len(v) > 0 && v[0] == '-' {
		v = v[1:]
	}
	whole := countLeadingDigits(v)
	if whole == 0 || whole > 1 && v[0] == '0' {
		return false
	}
	v = v[whole:]
	if len(v) > 0 && v[0] == '.' {
		n := countLeadingDigits(v[1:])
		if n == 0 {
			return false
		}
		v = v[1+n:]
	}
	return len(v) == 0 || isExponent(v)
}

func isExponent(v []byte) bool {
	if v[0] != 'e' && v[0] != 'E' {
		return false
	}
	v = v[1:]
	if len(v) > 0 && (v[0] == '+' || v[0] == '-') {
		v = v[1:]
	}
	return len(v) > 0 && countLeadingDigits(v) == len(v)
}

// countLeadingDigits is the number of digits that v begins with.
func countLeadingDigits(v []byte) int {
	n := 0
	for n < len(v) && v[n] >= '0' && v[n] <= '9' {
		n++
	}
	return n
}

// arrayValue gives what is to be written of a field that several columns feed: a JSON
// array with an element for each. What holds for the cells of other fields holds
// for the elements.
func (r *rowCursor) arrayValue(i int, f *field) ([]byte, content, error) {
	cells := &r.batch.Fields[i]
	arrayText, there := cells.Value(r.index)
	if !there || len(arrayText) == 0 {
		return nil, null, nil
	}
	bad := r.invalidParts(i)
	if len(bad) == 0 && f.write == nil {
		return arrayText, canonical, nil
	}
	var values []json.RawMessage
	var raws []string
	if json.Unmarshal(arrayText, &values) != nil || json.Unmarshal(cells.Raw(r.index), &raws) != nil || len(raws) != len(values) {
		return nil, null, fmt.Errorf("the value of field %q is not one for each of its columns", f.key)
	}
	b := append(r.text[:0], '[')
	for part := range values {
		if part > 0 {
			b = append(b, ',')
		}
		switch {
		case bad[part] && r.keep == keepReceived && raws[part] != "":
			b = appendString(b, []byte(raws[part]))
		case bad[part]:
			b = append(b, "null"...)
		default:
			b = f.appendElement(b, values[part])
		}
	}
	r.text = append(b, ']')
	return r.text, canonical, nil
}

// invalidParts are the columns of a field whose cells are to be altered.
func (r *rowCursor) invalidParts(field int) map[int]bool {
	if !r.cells[field].invalid || r.keep != blankCells && r.keep != keepReceived {
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

// appendElement adds one value in the format of the field.
func (f *field) appendElement(b []byte, item json.RawMessage) []byte {
	if f.write == nil || bytes.Equal(item, []byte("null")) {
		return append(b, item...)
	}
	text := []byte(item)
	var s string
	if json.Unmarshal(item, &s) == nil {
		text = []byte(s)
	}
	return appendString(b, f.write(nil, text))
}
