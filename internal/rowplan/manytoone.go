package rowplan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/mapping"
)

// Each column of a many-to-one field is parsed and validated separately, with the parser
// and the validators of the field. While a batch is being processed, the cells of these
// columns follow the cells of the fields. The value of the field is a JSON array of the
// column values, and its raw text is a JSON array of the raw text of each column. The value
// is null if all columns are empty.

// columnPart is one column of a many-to-one field.
type columnPart struct {
	field, index int
}

// expandColumns returns the indexes in Batch.Fields of the cells that the validators of each
// field check, and the columns of the many-to-one fields. The validators of a many-to-one field
// apply to its columns rather than to the field.
func expandColumns(fields []intray.Field, m intray.Mapping) (checked [][]int, parts []columnPart) {
	for i, f := range fields {
		if !f.ManyToOne {
			checked = append(checked, []int{i})
			continue
		}
		var own []int
		for j := range m.Fields[i].AllColumns() {
			own = append(own, len(fields)+len(parts))
			parts = append(parts, columnPart{i, j})
		}
		checked = append(checked, own)
	}
	return checked, parts
}

// joinColumns computes the values of many-to-one fields from their columns.
func (p *Plan) joinColumns(b *intray.Batch) {
	for f := range p.Fields {
		if field := &p.Fields[f]; field.parts > 0 {
			columns := b.Fields[field.parts : field.parts+len(field.Columns)]
			for row := range b.Rows() {
				field.joinRow(&b.Fields[f], columns, row)
			}
		}
	}
}

// joinRow appends the joined cell of one row.
func (f *FieldPlan) joinRow(to *intray.Cells, columns []intray.Cells, row int) {
	if !slices.ContainsFunc(columns, func(one intray.Cells) bool { return hasContent(&one, row) }) {
		to.AppendNull(nil)
		return
	}
	values, raws := []byte{'['}, []byte{'['}
	for i := range columns {
		if i > 0 {
			values, raws = append(values, ','), append(raws, ',')
		}
		raws = appendText(raws, columns[i].Raw(row))
		switch v, there := columns[i].Value(row); {
		case !there:
			values = append(values, "null"...)
		case f.literal:
			values = append(values, v...)
		default:
			values = appendText(values, v)
		}
	}
	values, raws = append(values, ']'), append(raws, ']')
	if bytes.Equal(values, raws) {
		to.AppendValue(values)
		return
	}
	to.AppendParsed(values, raws)
}

// hasContent reports whether a cell has raw text or a value set by a hook.
func hasContent(cells *intray.Cells, row int) bool {
	if !celltype.IsBlank(cells.Raw(row)) {
		return true
	}
	v, _ := cells.Value(row)
	return !celltype.IsBlank(v)
}

func appendText(to, text []byte) []byte {
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if enc.Encode(string(text)) != nil {
		return append(to, `""`...) // a string can always be encoded
	}
	return append(to, bytes.TrimSuffix(quoted.Bytes(), []byte{'\n'})...)
}

// literalJSON reports whether canonical values of a type are valid JSON.
func literalJSON(t intray.TypeName) bool {
	return t == intray.TypeNumber || t == intray.TypeCheckbox || t == intray.TypeMultiSelect
}

// FoldColumns removes the columns of many-to-one fields from a batch and moves their
// problems to the fields.
func (p *Plan) FoldColumns(b *intray.Batch) {
	if len(p.parts) == 0 {
		return
	}
	b.Fields = b.Fields[:len(p.Fields)]
	for i := range b.Problems {
		p.FoldProblem(&b.Problems[i])
	}
	slices.SortStableFunc(b.Problems, CompareProblems)
}

// CompareProblems orders problems by row, then by field and part.
func CompareProblems(x, y intray.Problem) int {
	return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field), cmp.Compare(x.Part, y.Part))
}

// FoldProblem moves the problem of a column to its field.
func (p *Plan) FoldProblem(problem *intray.Problem) {
	problem.Field, problem.Part = p.foldedIndex(problem.Field, problem.Part)
}

// foldedIndex returns the field and part of the column b.Fields[at] of a batch b.
func (p *Plan) foldedIndex(at, index int) (field, part int) {
	if column := at - len(p.Fields); column >= 0 {
		return p.parts[column].field, p.parts[column].index
	}
	return at, index
}

// SetLocation sets the field, header and part of a notice.
func (p *Plan) SetLocation(n *intray.Notice, field, index int) {
	f := &p.Fields[field]
	n.Field, n.Header = p.Keys[field], f.Headers[0]
	if f.parts > 0 {
		n.Header, n.Part = f.Headers[index], &index
	}
}

// Excerpts returns excerpts of the raw text of cells. It decodes the text of a many-to-one field
// once for consecutive calls, because the field can have a problem in each of 16,384 columns. The
// zero value is ready for use. It is not safe for concurrent use.
type Excerpts struct {
	// text is the text that was decoded last, and columns the text of its columns.
	text    []byte
	columns []string
}

// Raw returns the raw text of a cell, or of one column of a many-to-one field, truncated to 4096
// bytes. The text must not change between calls.
func (e *Excerpts) Raw(text []byte, index *int) *string {
	if index != nil {
		e.decode(text)
		if text = nil; *index < len(e.columns) { // otherwise, all columns are empty
			text = []byte(e.columns[*index])
		}
	}
	short := excerpt(text)
	return &short
}

func (e *Excerpts) decode(text []byte) {
	if len(text) > 0 && len(text) == len(e.text) && &text[0] == &e.text[0] {
		return
	}
	e.text, e.columns = text, nil
	if json.Unmarshal(text, &e.columns) != nil {
		e.columns = nil
	}
}

// matchHeaders returns the truncated headers of the columns of a match. If the match has no
// column, it returns a single "".
func matchHeaders(m intray.Match, headers []string) []string {
	list := []string{}
	for _, c := range m.AllColumns() {
		list = append(list, mapping.Shorten(headers[c]))
	}
	if len(list) == 0 {
		return []string{""}
	}
	return list
}
