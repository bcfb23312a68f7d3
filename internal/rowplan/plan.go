// Package rowplan parses, changes and validates the rows of one import.
//
// A [Plan] is a compiled schema and mapping. It parses the records of a file into batches,
// applies changes made by hooks and people, and validates every row. The engine uses it for
// imports and the review uses it for edited rows, so that both treat a value the same way.
//
// A Plan processes one batch at a time. The package does not read files and does not run column
// hooks, bulk hooks or cross-row validators.
package rowplan

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/doubleencoding"
	"github.com/intraydata/intray/validate"
)

// ScratchBytes is the size of the buffer for parsed values, in bytes. Longer values need an
// allocation.
const ScratchBytes = 1024

// Plan is a compiled schema and mapping. The caller may set the fields that Compile leaves
// empty. After that, the plan must not be changed and is safe for concurrent use.
type Plan struct {
	// Fields are the fields of the schema, in order. Keys are the keys of these fields.
	Fields []FieldPlan
	Keys   []string
	// parts are the columns of many-to-one fields. While a batch is being processed, the
	// cells of these columns follow the cells of the fields.
	parts []columnPart
	Rules *validate.Rules
	// Columns is the number of columns of the file. Unmapped holds the indexes of the
	// unmapped columns that are passed through.
	Columns int
	// Derived is the number of columns at the end that a person added.
	Derived  int
	Unmapped []int
	// problems is the maximum number of problems of a row.
	problems int
	// valueBytes is the maximum size of the values of the options in a row, in bytes.
	valueBytes int
	schema     []intray.Field
	// searches limits the searches for similar options.
	searches *celltype.SearchBudget
	// numberings is a pool of *numbering.
	numberings sync.Pool
	// changes is a pool of *[]intray.Change.
	changes sync.Pool
	// Hooks runs the row hooks. RowHooks is their number. Compile leaves both empty.
	Hooks    rowHooks
	RowHooks int
	// HookChanges are the changes that column and bulk hooks made. FinalInfos are the
	// messages of the last step. Both are ordered by row. Compile leaves them empty.
	HookChanges, FinalInfos []intray.Change
	// Delimited reports whether a delimiter separates the cells of the file. Compile leaves
	// it false.
	Delimited bool
}

// rowHooks runs row hooks on a batch.
type rowHooks interface {
	RunRows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
}

// FieldPlan is a compiled field.
type FieldPlan struct {
	field intray.Field
	// Columns are the columns that are mapped to the field.
	Columns []int
	// parts is the index in Batch.Fields of the cells of the first column if this is a
	// many-to-one field with columns, and 0 otherwise.
	parts int
	// Headers holds the truncated headers of the columns, or a single "" if there is no column.
	Headers []string
	// Parser parses the cells. The caller may replace it.
	Parser celltype.Parser
	// missing counts the markers of missing values that were read as empty. It is nil if the
	// parser does not read them as empty.
	missing *markerCount
	// remarks counts the cells with each remark.
	remarks *remarkTotals
	// repairs counts the double-encoded cells.
	repairs *repairCount
	// twins are other columns that fit the field equally well. It is nil if there are none.
	twins *twinColumns
	// code is the problem code for an invalid cell.
	code string
	// literal reports whether canonical values are valid JSON values.
	literal bool
	// plain reports whether the value of every text cell is its raw text.
	plain bool
}

// Compile returns the plan of a schema for a file with the given mapping and headers. It
// returns an error if the schema is invalid.
func Compile(schema *intray.Schema, m intray.Mapping, headers []string) (*Plan, error) {
	p := &Plan{schema: schema.Fields, Columns: len(headers), numberings: sync.Pool{New: func() any { return new(numbering) }}}
	checked, parts := expandColumns(schema.Fields, m)
	p.parts = parts
	next := len(schema.Fields)
	budget := celltype.NewSearchBudget(celltype.MaxSearchSteps)
	p.searches = budget
	for i, f := range schema.Fields {
		parser, err := celltype.CompileWithBudget(f, budget)
		if err != nil {
			return nil, fmt.Errorf("compile the schema: field %q: %w", f.Key, err)
		}
		one := FieldPlan{
			field: f, Columns: m.Fields[i].AllColumns(), Headers: matchHeaders(m.Fields[i], headers),
			Parser: parser, remarks: &remarkTotals{}, repairs: &repairCount{}, code: strings.ReplaceAll(string(f.Type.Name), "-", "_"), literal: literalJSON(f.Type.Name), plain: f.Type.Name == intray.TypeString,
		}
		if twins := m.Fields[i].Twins; len(twins) > 0 {
			one.twins = &twinColumns{columns: twins}
		}
		if f.ManyToOne && len(one.Columns) > 0 {
			one.parts = next
			next += len(one.Columns)
		}
		p.Fields, p.Keys = append(p.Fields, one), append(p.Keys, f.Key)
		p.valueBytes += len(one.Columns) * celltype.MaxValueBytes(f)
		if f.Type.Name != intray.TypeString {
			p.problems += max(1, len(one.Columns))
		}
	}
	var err error
	if p.Rules, err = validate.CompileColumns(schema.Fields, checked); err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	// A row as a whole can have one more problem.
	p.problems += p.Rules.MaxRowProblems() + 1
	if schema.Settings.PassThroughUnmappedColumns {
		p.Unmapped = m.Unmapped
	}
	return p, nil
}

// CellsPerRow returns the number of cells that each row has in memory.
func (p *Plan) CellsPerRow() int { return max(len(p.Fields)+len(p.parts), p.Columns) }

// problemWeight is the memory that a problem needs from parsing to staging, in units of
// empty cells.
const problemWeight = 12

// cellBytes is the memory of an empty cell, in bytes.
const cellBytes = 8

// RowWeight returns the maximum memory of a row, in units of empty cells. It limits the
// size of batches.
func (p *Plan) RowWeight() int {
	return max(p.CellsPerRow(), problemWeight*p.problems, p.valueBytes/cellBytes)
}

// IsDelimited reports whether a delimiter was chosen for the file.
func IsDelimited(choices []intray.Evidence) bool {
	return slices.ContainsFunc(choices, func(e intray.Evidence) bool { return e.Choice == "delimiter" })
}

// Parse fills b with the rows of recs. Until FoldColumns is called, the cells of the columns of
// many-to-one fields follow the cells of the fields. Parse uses scratch as a buffer.
func (p *Plan) Parse(recs *intray.Records, b *intray.Batch, scratch []byte) {
	b.Reset(len(p.Fields) + len(p.parts))
	b.First = recs.First
	b.Lines = append(b.Lines, recs.Lines...)
	intact := !doubleencoding.Possible(recs.RawText())
	n := p.numberings.Get().(*numbering)
	defer p.numberings.Put(n)
	for f := range p.Fields {
		p.parseField(f, recs, intact, b, n, scratch)
	}
	p.joinColumns(b)
	p.passThrough(recs, b)
	p.findRagged(recs, b)
}

// StopSearches makes the current and later calls of Parse end soon, with incomplete results.
func (p *Plan) StopSearches() { p.searches.Stop() }

// ApplyRules applies the rules to rows that are not part of a run, with a separate budget.
func (p *Plan) ApplyRules(b *intray.Batch) error { return p.Rules.Apply(b, validate.NewBudget()) }

// fullText returns the raw text of a cell. If a workbook displays an integer in scientific
// notation, such as 4.00638E+12, it returns all digits, so that codes are not truncated.
func fullText(c celltype.Cell) []byte {
	if c.Kind == intray.CellNumber && isScientific(c.Raw) && isInteger(c.Typed) {
		return c.Typed
	}
	return c.Raw
}

// isScientific reports whether shown is a number in scientific notation.
func isScientific(shown []byte) bool {
	at := bytes.IndexByte(shown, 'E')
	return at > 0 && at+1 < len(shown) && shown[at+1] == '+' && shown[at-1] >= '0' && shown[at-1] <= '9'
}

func isInteger(number []byte) bool {
	digits := bytes.TrimPrefix(number, []byte{'-'})
	return len(digits) > 0 && !bytes.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
}

// passThrough copies the cells of the unmapped columns that are passed through.
func (p *Plan) passThrough(recs *intray.Records, b *intray.Batch) {
	if len(b.Unmapped) != len(p.Unmapped) {
		b.Unmapped = make([]intray.UnmappedCells, len(p.Unmapped))
	}
	for i, column := range p.Unmapped {
		b.Unmapped[i].Column = column
		for row := range recs.Len() {
			b.Unmapped[i].Cells.Append(fullText(TypedCell(recs, row, column)))
		}
	}
}

// findRagged adds a problem for each record with too few cells or with text beyond the last
// column, because cells of such a record may belong to other columns. If the reader reported how
// it read the record, the problem has the text of that report, because it names the cause.
func (p *Plan) findRagged(recs *intray.Records, b *intray.Batch) {
	texts := map[int]intray.Message{}
	reports := map[int64]intray.Message{}
	for i := range recs.Notices {
		if n := &recs.Notices[i]; n.Type == intray.RepairedRow && n.Row != nil {
			reports[*n.Row] = n.Text
		}
	}
	for row := range recs.Len() {
		n := recs.FileCells(row)
		if n == p.Columns-p.Derived || n > p.Columns-p.Derived && blankFrom(recs, row, p.Columns) {
			continue
		}
		text, made := texts[n]
		if !made {
			text = p.raggedText(n)
			texts[n] = text
		}
		if report, reported := reports[recs.First+int64(row)]; reported {
			text = report
		}
		b.Problems = append(b.Problems, intray.Problem{Row: row, Field: intray.NoField, Code: "cell_count", Level: intray.LevelError, Text: text})
	}
}

// raggedText returns the message about a row with the wrong number of cells.
func (p *Plan) raggedText(cells int) intray.Message {
	params := intray.Params{
		"cells":   intray.NewMessage("count.cells", intray.Params{"n": cells}),
		"columns": intray.NewMessage("count.columns", intray.Params{"n": p.Columns - p.Derived}),
	}
	if p.Delimited {
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

// cellAt returns a cell, or nil if the record is too short.
func cellAt(recs *intray.Records, row, column int) []byte {
	if column >= recs.NumCells(row) {
		return nil
	}
	return recs.Cell(row, column)
}

// TypedCell returns a cell with its kind and typed value, if any.
func TypedCell(recs *intray.Records, row, column int) celltype.Cell {
	c := celltype.Cell{Raw: cellAt(recs, row, column)}
	if recs.HasTyped() && column < recs.NumCells(row) {
		c.Kind, c.Typed = recs.TypedCell(row, column)
	}
	return c
}

// ColumnFields returns the indexes in b.Fields of the cells that column hooks receive.
func (p *Plan) ColumnFields(schema *intray.Schema) map[int]bool {
	keep := map[int]bool{}
	for _, h := range schema.Hooks.Column {
		field := schema.FieldIndex(h.Field)
		if field < 0 {
			continue
		}
		keep[field] = true
		for i := range p.parts {
			if p.parts[i].field == field {
				keep[len(p.Fields)+i] = true
			}
		}
	}
	return keep
}

// KeepFields empties all columns of b.Fields except those whose indexes are in keep. It also
// removes the unmapped cells and the problems of the emptied columns.
func (p *Plan) KeepFields(b *intray.Batch, keep map[int]bool) {
	for i := range b.Fields {
		if keep[i] {
			continue
		}
		b.Fields[i] = intray.Cells{}
		for range b.Rows() {
			b.Fields[i].AppendNull(nil)
		}
	}
	b.Unmapped = nil
	b.Problems = slices.DeleteFunc(b.Problems, func(q intray.Problem) bool { return !keep[q.Field] })
}

// MaxNotices is the maximum number of notices in a summary and in an import.
const MaxNotices = 1000

// Summary is the contribution of a batch to the outcome of a run. It holds copies, because
// the batch is reused before the summary is added.
type Summary struct {
	Rows     int64
	Problems int64
	// Unmatched is the number of cells whose text matches no option of their field.
	Unmatched int64
	ErrorRows []int64
	Notices   []intray.Notice
}

// Summarize returns the summary of a batch. The problems of the batch must be in row order.
func (p *Plan) Summarize(b *intray.Batch) Summary {
	a := Summary{Rows: int64(b.Rows()), Problems: int64(len(b.Problems))}
	var excerpts Excerpts
	last := -1
	for _, problem := range b.Problems {
		if p.isUnmatched(problem) {
			a.Unmatched++
		}
		if problem.Level == intray.LevelError && problem.Row != last {
			last = problem.Row
			a.ErrorRows = append(a.ErrorRows, b.First+int64(problem.Row))
		}
		if len(a.Notices) < MaxNotices {
			a.Notices = append(a.Notices, p.notice(b, problem, &excerpts))
		}
	}
	return a
}

// isUnmatched reports whether a problem is that a cell matches no option of its field.
func (p *Plan) isUnmatched(problem intray.Problem) bool {
	if problem.Level != intray.LevelError || problem.Field == intray.NoField {
		return false
	}
	field := &p.Fields[problem.Field]
	return field.field.Type.Name.HasOptions() && !field.field.ReadOnly && problem.Code == field.code
}

func (p *Plan) notice(b *intray.Batch, problem intray.Problem, excerpts *Excerpts) intray.Notice {
	row := b.First + int64(problem.Row)
	n := intray.Notice{Type: intray.Validation, Level: problem.Level, Text: problem.Text, Row: &row}
	if problem.Code == celltype.CodeMapped {
		n.Type = intray.ValueMapped
	}
	if problem.Field != intray.NoField {
		p.SetLocation(&n, problem.Field, problem.Part)
		n.Value = excerpts.Raw(b.Fields[problem.Field].Raw(problem.Row), n.Part)
	}
	return n
}

// ErrorRowNumbers returns the indexes of the rows with an error, for a bitmap.
func (a Summary) ErrorRowNumbers() []uint32 {
	rows := make([]uint32, len(a.ErrorRows))
	for i, row := range a.ErrorRows {
		rows[i] = uint32(row)
	}
	return rows
}

// maxExcerpt is the maximum size of the raw text in a notice, in bytes. The staged rows
// contain the complete text.
const maxExcerpt = 4096

func excerpt(raw []byte) string {
	if len(raw) <= maxExcerpt {
		return string(raw)
	}
	end := maxExcerpt
	for end > 0 && !utf8.RuneStart(raw[end]) {
		end--
	}
	return string(raw[:end]) + "…"
}
