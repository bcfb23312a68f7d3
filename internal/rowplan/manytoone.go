package rowplan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/mapping"
)

// A field with ManyToOne is read column by column: each of its columns has cells
// of its own behind those of the fields, with the parser and the rules of the
// field. Its value is then the JSON array of theirs, its raw text that of the
// raw texts; where all columns are empty the cell is.

// columnPart is one column of a field with ManyToOne.
type columnPart struct {
	field, index int
}

// expandColumns gives the fields of a schema with the columns of those that have
// several behind them. The rules go with the columns.
func expandColumns(fields []intray.Field, m intray.Mapping) (wide []intray.Field, parts []columnPart) {
	wide = slices.Clone(fields)
	for i, f := range fields {
		if !f.ManyToOne {
			continue
		}
		wide[i].Validators = nil
		for j := range m.Fields[i].AllColumns() {
			one := f
			one.Key += "\x00" + strconv.Itoa(j) // no schema has such a key
			wide = append(wide, one)
			parts = append(parts, columnPart{i, j})
		}
	}
	return wide, parts
}

// joinColumns makes the value of each field that has several columns of the cells of
// these.
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

// joinRow adds a row.
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

// hasContent says whether a cell has text in the file or a value that a hook gave it.
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

// literalJSON says whether canonical texts of a type are JSON as they are.
func literalJSON(t intray.TypeName) bool {
	return t == intray.TypeNumber || t == intray.TypeCheckbox || t == intray.TypeMultiSelect
}

// FoldColumns takes the columns of fields with several from a batch whose rules were
// applied, and gives their problems to the fields.
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

// CompareProblems is the order of problems in a batch.
func CompareProblems(x, y intray.Problem) int {
	return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field), cmp.Compare(x.Part, y.Part))
}

// FoldProblem gives the problem of a column to its field.
func (p *Plan) FoldProblem(problem *intray.Problem) {
	problem.Field, problem.Part = p.foldedIndex(problem.Field, problem.Part)
}

// foldedIndex is whose cell is at a place of the batch.
func (p *Plan) foldedIndex(at, index int) (field, part int) {
	if column := at - len(p.Fields); column >= 0 {
		return p.parts[column].field, p.parts[column].index
	}
	return at, index
}

// SetLocation fills in whose cell a notice is about.
func (p *Plan) SetLocation(n *intray.Notice, field, index int) {
	f := &p.Fields[field]
	n.Field, n.Header = p.Keys[field], f.Headers[0]
	if f.parts > 0 {
		n.Header, n.Part = f.Headers[index], &index
	}
}

// RawExcerpt is the raw text of a cell, or of one of the columns of a field with
// several.
func RawExcerpt(text []byte, index *int) *string {
	if index != nil {
		var all []string
		if json.Unmarshal(text, &all) == nil && *index < len(all) {
			text = []byte(all[*index])
		} else {
			text = nil // every column is empty
		}
	}
	short := excerpt(text)
	return &short
}

// matchHeaders are the headers of the columns of a match, for notices; one "" where
// there are none.
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
