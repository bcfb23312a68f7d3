package output

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// policy specifies what happens to a row with an error.
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

// rowCursor is the current row of a batch. It moves from the first row to the last and
// tracks the current positions in the lists of the batch.
type rowCursor struct {
	batch *intray.Batch
	index int
	cells []cellCursor
	// text is a buffer for values in the output format of their field.
	text []byte
	// problem is the index of the first problem in this row or a later row.
	problem int
	// invalid holds the indexes of the fields whose cells in this row have an error.
	invalid []int
	keep    policy
	// prepared holds the formatted cells of columns that repeat, by field. It is empty if the format has
	// none.
	prepared []preparedColumn
}

// cellCursor is a position in the lists of one field. It moves to the current row when it is needed, because
// most cells are neither null nor invalid.
type cellCursor struct {
	null, raw int
	invalid   bool
}

// newRowCursor returns a cursor. prepared may be empty.
func newRowCursor(b *intray.Batch, fields int, prepared []preparedColumn) *rowCursor {
	return &rowCursor{batch: b, cells: make([]cellCursor, fields), prepared: prepared}
}

// preparedCell returns the formatted cell of a field in the current row. It reports false if the cell must
// be formatted on its own.
func (r *rowCursor) preparedCell(i int) ([]byte, bool) {
	if len(r.prepared) == 0 {
		return nil, false
	}
	return r.prepared[i].at(r.index)
}

// plainCell returns the value of a field in the current row if it is plain text that is not empty. It reports false
// if it must be formatted like any other value.
func (r *rowCursor) plainCell(i int) ([]byte, bool) {
	if len(r.prepared) == 0 || !r.prepared[i].plain || r.cells[i].invalid {
		return nil, false
	}
	v := r.batch.Fields[i].Values.Texts.At(r.index)
	return v, len(v) > 0 // an empty value can be null
}

// advance moves to row r.index and reports whether that row is written.
func (r *rowCursor) advance(keep policy) (bool, error) {
	r.keep = keep
	for _, f := range r.invalid {
		r.cells[f].invalid = false
	}
	r.invalid = r.invalid[:0]
	bad, err := r.markInvalidCells()
	if err != nil || !bad {
		return err == nil, err
	}
	if keep == refuseRows {
		return false, ErrInvalidRow
	}
	return keep != dropRows, nil
}

// advance moves to the given row in the lists of a field.
func (p *cellCursor) advance(c *intray.Cells, index uint32) {
	for p.null < len(c.Nulls) && c.Nulls[p.null] < index {
		p.null++
	}
	for p.raw < len(c.RawRows) && c.RawRows[p.raw] < index {
		p.raw++
	}
}

// markInvalidCells marks the cells of this row that have an error, and reports whether the
// row has an error.
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

// checkEnd returns an error if a problem refers to a row beyond the end of the batch.
func (r *rowCursor) checkEnd() error {
	if r.problem < len(r.batch.Problems) {
		return fmt.Errorf("a problem names row %d of a batch of %d", r.batch.Problems[r.problem].Row, r.batch.Rows())
	}
	return nil
}

// content is the kind of text in a cell.
type content int

const (
	null content = iota
	// canonical is a canonical value of the field's type.
	canonical
	// received is raw text, which may not fit the field's type.
	received
)

// outputValue returns the value of a field in the field's output format.
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

// cellValue returns the value of a field that is not many-to-one, in the current row.
func (r *rowCursor) cellValue(f int, stringField bool) ([]byte, content) {
	c, p := &r.batch.Fields[f], &r.cells[f]
	v := c.Values.At(r.index) // empty if the cell is null
	switch {
	case p.invalid && r.keep == blankCells, !p.invalid && len(v) == 0 && !stringField:
		return nil, null
	case !p.invalid && len(v) > 0:
		return v, canonical
	}
	p.advance(c, uint32(r.index))
	isNull := p.null < len(c.Nulls) && c.Nulls[p.null] == uint32(r.index)
	if p.invalid && p.raw < len(c.RawRows) && c.RawRows[p.raw] == uint32(r.index) {
		raw := c.Raws.At(p.raw)
		if len(raw) > 0 || stringField && !isNull {
			return raw, received
		}
		return nil, null
	}
	if isNull || len(v) == 0 && !stringField {
		return nil, null
	}
	return v, canonical
}

// valueShape specifies how the values of a field are written.
type valueShape int

const (
	// textShape means that values are written as JSON strings.
	textShape valueShape = iota
	// numberShape and booleanShape mean that values are written as they are.
	numberShape
	booleanShape
	// listShape means that values are JSON arrays, which are written as they are.
	listShape
)

// field is a field of the schema, prepared for writing.
type field struct {
	key   string
	shape valueShape
	// manyColumns reports whether the field is many-to-one. If so, its shape is listShape.
	manyColumns bool
	// stringField reports whether empty text is a value.
	stringField bool
	// write appends a value in the field's output format. It is nil if the canonical value is
	// written unchanged.
	write func(dst, canonical []byte) []byte
}

func compileFields(schema *intray.Schema) ([]field, error) {
	fields := make([]field, 0, len(schema.Fields))
	for _, f := range schema.Fields {
		if f.Key == unmappedKey && schema.Settings.PassThroughUnmappedColumns {
			return nil, fmt.Errorf("a field has the key %s, which is used for unmapped columns", unmappedKey)
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

// isLiteral reports whether a value may be written to JSON unchanged. Any other value could
// inject additional fields.
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

// isNumber reports whether v is a JSON number.
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

// countLeadingDigits returns the number of digits at the beginning of v.
func countLeadingDigits(v []byte) int {
	n := 0
	for n < len(v) && v[n] >= '0' && v[n] <= '9' {
		n++
	}
	return n
}

// arrayValue returns the value of a many-to-one field: a JSON array with one element for
// each of its columns. It treats invalid elements like the invalid cells of other fields.
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
		return nil, null, fmt.Errorf("the value of field %q does not have an element for each of its columns", f.key)
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

// invalidParts returns the set of columns of a many-to-one field whose cells in this row
// have an error.
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

// appendElement appends an element in the field's output format.
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
