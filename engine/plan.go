package engine

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check"
	"github.com/intraydata/intray/internal/value"
)

// plan is a schema and a frozen mapping, compiled: all that a worker needs to
// know. It does not change.
type plan struct {
	fields   []fieldPlan
	keys     []string
	headers  []string
	rules    *check.Rules
	columns  int
	unmapped []int
	limit    int64
}

type fieldPlan struct {
	column int
	parser value.Parser
	// code is that of the problem of a cell that cannot be read.
	code string
}

func compile(schema *intray.Schema, m intray.Mapping, columns int) (*plan, error) {
	p := &plan{columns: columns, limit: schema.Settings.MaxRecords, keys: keys(schema.Fields)}
	for i, f := range schema.Fields {
		parser, err := value.Compile(f)
		if err != nil {
			return nil, fmt.Errorf("compile the schema: %w", err)
		}
		p.fields = append(p.fields, fieldPlan{m.Fields[i].Column, parser, string(f.Type.Name)})
		p.headers = append(p.headers, m.Fields[i].Header)
	}
	var err error
	if p.rules, err = check.Compile(schema.Fields); err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	if schema.Settings.PassThroughUnmappedColumns {
		p.unmapped = m.Unmapped
	}
	return p, nil
}

// parse fills b with the rows of recs, checked. scratch is grown and returned.
func (p *plan) parse(recs *intray.Records, b *intray.Batch, scratch []byte) []byte {
	b.Reset(len(p.fields))
	b.First = recs.First
	b.Lines = append(b.Lines, recs.Lines...)
	for f := range p.fields {
		scratch = p.parseField(f, recs, b, scratch)
	}
	p.passThrough(recs, b)
	p.findRagged(recs, b)
	p.rules.Apply(b)
	return scratch
}

func (p *plan) parseField(f int, recs *intray.Records, b *intray.Batch, scratch []byte) []byte {
	field := p.fields[f]
	cells := &b.Fields[f]
	if field.column == intray.NoColumn {
		for range recs.Len() {
			cells.AppendNull(nil)
		}
		return scratch
	}
	for row := range recs.Len() {
		raw := cell(recs, row, field.column)
		result := field.parser.Parse(raw, scratch[:0])
		switch result.State {
		case value.Same:
			cells.AppendValue(raw)
		case value.Parsed:
			cells.AppendParsed(result.Value, raw)
			scratch = result.Value
		case value.Empty:
			cells.AppendNull(raw)
		case value.Wrong:
			cells.AppendNull(raw)
			b.Problems = append(b.Problems, intray.Problem{
				Row: row, Field: f, Code: field.code, Level: intray.LevelError, Text: result.Problem,
			})
		}
	}
	return scratch
}

// passThrough copies the cells of columns that feed no field.
func (p *plan) passThrough(recs *intray.Records, b *intray.Batch) {
	if len(b.Unmapped) != len(p.unmapped) {
		b.Unmapped = make([]intray.UnmappedCells, len(p.unmapped))
	}
	for i, column := range p.unmapped {
		b.Unmapped[i].Column = column
		for row := range recs.Len() {
			b.Unmapped[i].Cells.Append(cell(recs, row, column))
		}
	}
}

// findRagged adds a problem for each record with too few cells, or with too
// many of which one beyond the last column holds text: which cell belongs to
// which column is then anyone's guess.
func (p *plan) findRagged(recs *intray.Records, b *intray.Batch) {
	for row := range recs.Len() {
		n := recs.NumCells(row)
		if n == p.columns || n > p.columns && blankFrom(recs, row, p.columns) {
			continue
		}
		b.Problems = append(b.Problems, intray.Problem{
			Row: row, Field: intray.NoField, Code: "cell_count", Level: intray.LevelError,
			Text: fmt.Sprintf("This row has %s where the header has %d. Add or remove a separator.", cellCount(n), p.columns),
		})
	}
}

func cellCount(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

func blankFrom(recs *intray.Records, row, column int) bool {
	for c := column; c < recs.NumCells(row); c++ {
		if !value.Blank(recs.Cell(row, c)) {
			return false
		}
	}
	return true
}

// cell gives a record's cell, empty where the record is short.
func cell(recs *intray.Records, row, column int) []byte {
	if column >= recs.NumCells(row) {
		return nil
	}
	return recs.Cell(row, column)
}
