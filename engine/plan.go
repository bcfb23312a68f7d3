package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check"
	"github.com/intraydata/intray/internal/value"
	"github.com/intraydata/intray/mapping"
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
	// problems is the most problems that a row can have.
	problems int
	// hint is what to do about a row of too few or too many cells, or "".
	hint string
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
			return nil, fmt.Errorf("compile the schema: field %q: %w", f.Key, err)
		}
		p.fields = append(p.fields, fieldPlan{m.Fields[i].Column, parser, strings.ReplaceAll(string(f.Type.Name), "-", "_")})
		p.headers = append(p.headers, mapping.Shorten(m.Fields[i].Header))
		if f.Type.Name != intray.TypeString {
			p.problems++
		}
	}
	var err error
	if p.rules, err = check.Compile(schema.Fields); err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	// One more for the row as a whole.
	p.problems += p.rules.Len() + 1
	if schema.Settings.PassThroughUnmappedColumns {
		p.unmapped = m.Unmapped
	}
	return p, nil
}

// cells is how many cells a row comes to, whatever the file writes down.
func (p *plan) cells() int { return max(len(p.fields), p.columns) }

// problemWeight is how many cells without text cost as much memory as a problem
// does on its whole way.
const problemWeight = 12

// width is what a row costs at most, in cells. It bounds the batches.
func (p *plan) width() int { return max(p.cells(), problemWeight*p.problems) }

// separatorHint is for the files whose cells are divided by something.
func separatorHint(choices []intray.Evidence) string {
	delimited := func(e intray.Evidence) bool { return e.Choice == "delimiter" }
	if slices.ContainsFunc(choices, delimited) {
		return " Add or remove a separator."
	}
	return ""
}

// parse fills b with the rows of recs, checked. Values are written to scratch
// where they fit.
func (p *plan) parse(recs *intray.Records, b *intray.Batch, scratch []byte) {
	b.Reset(len(p.fields))
	b.First = recs.First
	b.Lines = append(b.Lines, recs.Lines...)
	for f := range p.fields {
		p.parseField(f, recs, b, scratch)
	}
	p.passThrough(recs, b)
	p.findRagged(recs, b)
	p.rules.Apply(b)
}

func (p *plan) parseField(f int, recs *intray.Records, b *intray.Batch, scratch []byte) {
	field := p.fields[f]
	cells := &b.Fields[f]
	if field.column == intray.NoColumn {
		for range recs.Len() {
			cells.AppendNull(nil)
		}
		return
	}

	for row := range recs.Len() {
		c := typedCell(recs, row, field.column)
		result := field.parser.Parse(c, scratch[:0])
		switch result.State {
		case value.Same:
			cells.AppendValue(c.Raw)
		case value.Parsed:
			cells.AppendParsed(result.Value, c.Raw)
		case value.Empty:
			cells.AppendNull(c.Raw)
		case value.Wrong:
			cells.AppendNull(c.Raw)
			b.Problems = append(b.Problems, intray.Problem{
				Row: row, Field: f, Code: field.code, Level: intray.LevelError, Text: result.Problem,
			})
		}
		if n := result.Note; n.Code != "" {
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: f, Code: n.Code, Level: n.Level, Text: n.Text})
		}
	}
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
			Text: fmt.Sprintf("This row has %s where the header has %s.%s", counted(n, "cell"), counted(p.columns, "column"), p.hint),
		})
	}
}

// counted writes a number with its noun: "1 cell", "2 cells".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
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
