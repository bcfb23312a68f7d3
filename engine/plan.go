package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/validate"
)

// plan is a schema and a frozen mapping, compiled: all that a worker needs to
// know. It does not change.
type plan struct {
	fields []fieldPlan
	// parts are the columns of fields that have several, behind the fields.
	parts    []columnPart
	keys     []string
	rules    *validate.Rules
	columns  int
	unmapped []int
	// problems is the most problems that a row can have.
	problems int
	// schema are the fields, for the hooks, and hooks what runs them; nil where
	// the schema has none.
	schema []intray.Field
	hooks  HookRunner
	// rowHooks is how many hooks there are for each row.
	rowHooks int
	// early is what hooks that look at all rows changed, last what those of the last
	// step say; both are ordered by row.
	hookChanges, finalInfos []intray.Change
	// delimited says that something separates the cells of the file.
	delimited bool
}

type fieldPlan struct {
	field intray.Field
	// columns feed the field; none where nothing does.
	columns []int
	// parts is where the cells of the columns begin, behind those of the fields,
	// where the field takes several; else 0.
	parts int
	// headers are those of the columns, at least one.
	headers []string
	parser  celltype.Parser
	// code is that of the problem of a cell that cannot be read.
	code string
	// literal says that values are JSON as they are.
	literal bool
	// plain says that the text of every cell is its value.
	plain bool
}

func compile(schema *intray.Schema, m intray.Mapping, headers []string) (*plan, error) {
	p := &plan{schema: schema.Fields, columns: len(headers), keys: fieldKeys(schema.Fields)}
	wide, parts := expandColumns(schema.Fields, m)
	p.parts = parts
	next := len(schema.Fields)
	for i, f := range schema.Fields {
		parser, err := celltype.Compile(f)
		if err != nil {
			return nil, fmt.Errorf("compile the schema: field %q: %w", f.Key, err)
		}
		one := fieldPlan{
			field: f, columns: m.Fields[i].AllColumns(), headers: matchHeaders(m.Fields[i], headers),
			parser: parser, code: strings.ReplaceAll(string(f.Type.Name), "-", "_"), literal: literalJSON(f.Type.Name), plain: f.Type.Name == intray.TypeString,
		}
		if f.ManyToOne && len(one.columns) > 0 {
			one.parts = next
			next += len(one.columns)
		}
		p.fields = append(p.fields, one)
		if f.Type.Name != intray.TypeString {
			p.problems += max(1, len(one.columns))
		}
	}
	var err error
	if p.rules, err = validate.Compile(wide); err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	// One more for the row as a whole.
	p.problems += p.rules.Len() + 1
	if schema.Settings.PassThroughUnmappedColumns {
		p.unmapped = m.Unmapped
	}
	return p, nil
}

// cellsPerRow is how many cells a row comes to, whatever the file writes down.
func (p *plan) cellsPerRow() int { return max(len(p.fields)+len(p.parts), p.columns) }

// problemWeight is how many cells without text cost as much memory as a problem
// does on its whole way.
const problemWeight = 12

// rowWeight is what a row costs at most, in cells. It bounds the batches.
func (p *plan) rowWeight() int { return max(p.cellsPerRow(), problemWeight*p.problems) }

// isDelimited says whether something separates the cells of the file.
func isDelimited(choices []intray.Evidence) bool {
	return slices.ContainsFunc(choices, func(e intray.Evidence) bool { return e.Choice == "delimiter" })
}

// parse fills b with the rows of recs, and behind the fields the columns of those
// that have several. Values are written to scratch where they fit.
func (p *plan) parse(recs *intray.Records, b *intray.Batch, scratch []byte) {
	b.Reset(len(p.fields) + len(p.parts))
	b.First = recs.First
	b.Lines = append(b.Lines, recs.Lines...)
	for f := range p.fields {
		p.parseField(f, recs, b, scratch)
	}
	p.joinColumns(b)
	p.passThrough(recs, b)
	p.findRagged(recs, b)
}

func (p *plan) parseField(f int, recs *intray.Records, b *intray.Batch, scratch []byte) {
	field := &p.fields[f]
	switch {
	case field.parts > 0:
		for i, column := range field.columns {
			field.parse(column, recs, b, field.parts+i, scratch)
		}
	case len(field.columns) > 0:
		field.parse(field.columns[0], recs, b, f, scratch)
	default:
		for range recs.Len() {
			b.Fields[f].AppendNull(nil)
		}
	}
}

// parse reads a column into the cells at a place of the batch.
func (f *fieldPlan) parse(column int, recs *intray.Records, b *intray.Batch, at int, scratch []byte) {
	cells := &b.Fields[at]
	typed := recs.HasTyped()
	if f.plain && !typed {
		recs.AppendColumn(column, &cells.Values)
		return
	}
	for row := range recs.Len() {
		c := celltype.Cell{Raw: cellAt(recs, row, column)}
		if typed {
			c = typedCell(recs, row, column)
			if f.field.Type.Name != intray.TypeNumber {
				c.Raw = fullText(c)
			}
		}
		result := f.parser.Parse(c, scratch[:0])
		switch result.State {
		case celltype.Unchanged:
			cells.AppendValue(c.Raw)
		case celltype.Parsed:
			cells.AppendParsed(result.Value, c.Raw)
		case celltype.Empty:
			cells.AppendNull(c.Raw)
		case celltype.Invalid:
			cells.AppendNull(c.Raw)
			b.Problems = append(b.Problems, intray.Problem{
				Row: row, Field: at, Code: f.code, Level: intray.LevelError, Text: result.Problem,
			})
		}
		if n := result.Note; n != nil {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: n.Code, Level: n.Level, Text: n.Text})
		}
	}
}

// fullText gives the text of a cell; of a number whose digits the application shows
// in part, as 4.00638E+12, all of them: a code must not lose its end.
func fullText(c celltype.Cell) []byte {
	if c.Kind == intray.CellNumber && isScientific(c.Raw) && isInteger(c.Typed) {
		return c.Typed
	}
	return c.Raw
}

// isScientific says whether a text is a number in scientific notation.
func isScientific(shown []byte) bool {
	at := bytes.IndexByte(shown, 'E')
	return at > 0 && at+1 < len(shown) && shown[at+1] == '+' && shown[at-1] >= '0' && shown[at-1] <= '9'
}

func isInteger(number []byte) bool {
	digits := bytes.TrimPrefix(number, []byte{'-'})
	return len(digits) > 0 && !bytes.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
}

// passThrough copies the cells of columns that feed no field.
func (p *plan) passThrough(recs *intray.Records, b *intray.Batch) {
	if len(b.Unmapped) != len(p.unmapped) {
		b.Unmapped = make([]intray.UnmappedCells, len(p.unmapped))
	}
	for i, column := range p.unmapped {
		b.Unmapped[i].Column = column
		for row := range recs.Len() {
			b.Unmapped[i].Cells.Append(fullText(typedCell(recs, row, column)))
		}
	}
}

// findRagged adds a problem for each record with too few cells, or with too
// many of which one beyond the last column holds text: which cell belongs to
// which column is then anyone's guess.
func (p *plan) findRagged(recs *intray.Records, b *intray.Batch) {
	texts := map[int]intray.Message{}
	for row := range recs.Len() {
		n := recs.NumCells(row)
		if n == p.columns || n > p.columns && blankFrom(recs, row, p.columns) {
			continue
		}
		text, made := texts[n]
		if !made {
			text = p.raggedText(n)
			texts[n] = text
		}
		b.Problems = append(b.Problems, intray.Problem{Row: row, Field: intray.NoField, Code: "cell_count", Level: intray.LevelError, Text: text})
	}
}

// raggedText tells of a row with so many cells.
func (p *plan) raggedText(cells int) intray.Message {
	params := intray.Params{
		"cells":   intray.NewMessage("count.cells", intray.Params{"n": cells}),
		"columns": intray.NewMessage("count.columns", intray.Params{"n": p.columns}),
	}
	if p.delimited {
		return intray.NewMessage("row.wrong_cell_count_delimited", params)
	}
	return intray.NewMessage("row.wrong_cell_count", params)
}

func blankFrom(recs *intray.Records, row, column int) bool {
	for c := column; c < recs.NumCells(row); c++ {
		if !celltype.IsBlank(recs.Cell(row, c)) {
			return false
		}
	}
	return true
}

// cellAt gives a record's cell, empty where the record is short.
func cellAt(recs *intray.Records, row, column int) []byte {
	if column >= recs.NumCells(row) {
		return nil
	}
	return recs.Cell(row, column)
}
