package service

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/draft"
	"github.com/intraydata/intray/output"
)

// The columns of a workbook of rows around those of the fields.
const (
	rowColumn      = "Row"
	problemsColumn = "Problems"
)

// takeoutRows is how many rows are read at a time.
const takeoutRows = 1000

// takeout is how rows under review stand in a workbook: for each row its number and
// version, a column for each field that is shown or for each column that feeds it, and
// what is wrong.
type takeout struct{ columns []takeoutColumn }

type takeoutColumn struct {
	header      string
	field, part int
	many        bool
	readOnly    bool
}

// takeoutOf gives the columns for an import. No two headers are alike.
func takeoutOf(schema *intray.Schema, m intray.Mapping, headers []string) takeout {
	var t takeout
	taken := map[string]bool{rowColumn: true, problemsColumn: true}
	add := func(f intray.Field, c takeoutColumn) {
		for c.header = strings.TrimSpace(c.header); taken[c.header] || c.header == ""; {
			c.header += " (" + f.Key + ")"
		}
		taken[c.header] = true
		t.columns = append(t.columns, c)
	}
	for i, f := range schema.Fields {
		switch {
		case f.Hidden:
		case !f.ManyToOne:
			add(f, takeoutColumn{header: f.Label, field: i, readOnly: f.ReadOnly})
		default:
			for part, column := range m.Fields[i].All() {
				add(f, takeoutColumn{header: fmt.Sprintf("%s: %s", f.Label, headers[column]), field: i, part: part, many: true, readOnly: f.ReadOnly})
			}
		}
	}
	return t
}

func (s *Service) takeoutOf(imp Import) (takeout, error) {
	schema, err := s.FrozenSchema(imp)
	if err != nil || imp.Outcome == nil {
		return takeout{}, err
	}
	return takeoutOf(schema, imp.Outcome.Mapping, imp.Outcome.Headers), nil
}

// schema is that of the workbook: text, as it stands in the cells.
func (t takeout) schema() *intray.Schema {
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	schema.Settings.InvalidDataBehavior = intray.IncludeInvalidValues
	add := func(name string) {
		schema.Fields = append(schema.Fields, intray.Field{Key: name, Label: name, Type: intray.FieldType{Name: intray.TypeString}})
	}
	add(rowColumn)
	for _, c := range t.columns {
		add(c.header)
	}
	add(problemsColumn)
	return schema
}

// WriteRows writes the rows of a query as a workbook, to be mended elsewhere and
// brought back with [Service.TakeRows].
func (s *Service) WriteRows(ctx context.Context, imp Import, q draft.Query, w io.Writer) error {
	t, err := s.takeoutOf(imp)
	if err != nil {
		return err
	}
	return s.withDraft(ctx, imp, func(o *openDraft) error {
		_, err := output.Write(ctx, w, output.XLSX, t.schema(), t.batches(ctx, o.draft, q))
		return told(err)
	})
}

func (t takeout) batches(ctx context.Context, d *draft.Draft, q draft.Query) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		b := &intray.Batch{}
		for first := int64(0); ; first += takeoutRows {
			w, err := d.Window(ctx, q, first, takeoutRows)
			if err != nil {
				yield(nil, err)
				return
			}
			q.Token = w.View.Token
			if len(w.Rows) == 0 && first > 0 {
				return
			}
			b.Reset(len(t.columns) + 2)
			b.First = first
			for _, r := range w.Rows {
				t.add(b, r)
			}
			if !yield(b, nil) || len(w.Rows) < takeoutRows {
				return
			}
		}
	}
}

// add adds a row to a batch.
func (t takeout) add(b *intray.Batch, r draft.Row) {
	b.Lines = append(b.Lines, r.Line)
	b.Fields[0].AppendValue([]byte(t.mark(r)))
	for i, c := range t.columns {
		b.Fields[i+1].AppendValue([]byte(c.text(r)))
	}
	b.Fields[len(t.columns)+1].AppendValue([]byte(t.problems(r)))
}

// rowMark is what a workbook says of a row in its first column, as 2v11-5f0c9a1e.
type rowMark struct {
	row int64
	// version is that of the row then, below 0 where the mark is a number alone.
	version int64
	// sum is the checksum of its cells then, or "": by it rows that another run or
	// another import gave out under the same number are told apart.
	sum string
}

func (t takeout) mark(r draft.Row) string {
	return fmt.Sprintf("%dv%d-%s", r.Number, r.Version, t.sum(r))
}

// sum is the checksum of the cells of a row.
func (t takeout) sum(r draft.Row) string {
	var sum uint32
	for _, c := range t.columns {
		sum = crc32.Update(sum, crc32.IEEETable, append([]byte(c.text(r)), 0))
	}
	return fmt.Sprintf("%08x", sum)
}

// readRowMark reads a mark.
func readRowMark(text string) (m rowMark, is bool) {
	number, after, versioned := strings.Cut(strings.TrimSpace(text), "v")
	version, sum, _ := strings.Cut(after, "-")
	m.sum, m.version = sum, -1
	row, err := strconv.ParseInt(number, 10, 64)
	if m.row = row; err != nil || row < 0 {
		return m, false
	}
	if !versioned {
		return m, true
	}
	m.version, err = strconv.ParseInt(version, 10, 64)
	return m, err == nil && m.version >= 0
}

// text is what the column holds of a row.
func (c takeoutColumn) text(r draft.Row) string {
	cell := r.Cells[c.field]
	if !c.many {
		return cell.Raw
	}
	return cell.Part(c.part)
}

// problems says what is wrong with a row.
func (t takeout) problems(r draft.Row) string {
	var list []string
	for _, p := range r.Problems {
		list = append(list, p.Text.String())
	}
	for _, c := range t.columns {
		for _, p := range r.Cells[c.field].Problems {
			if !c.many || p.Part == c.part {
				list = append(list, c.header+": "+p.Text.String())
			}
		}
	}
	return strings.Join(list, "\n")
}

// cellUnits is the most UTF-16 code units that a cell of a workbook holds.
const cellUnits = 32_767

// isCut says whether a workbook holds less than a text.
func isCut(text string) bool {
	return len(text) > cellUnits && len(utf16.Encode([]rune(text))) > cellUnits
}

// same says whether a text that came back is the one that was written: longer ones
// were cut, and applications write ends of lines in ways of their own.
func same(back, text string) bool {
	back, text = strings.ReplaceAll(back, "\r\n", "\n"), strings.ReplaceAll(text, "\r\n", "\n")
	if back == text {
		return true
	}
	start, cut := strings.CutSuffix(back, "…")
	return cut && strings.HasPrefix(text, start) && len(utf16.Encode([]rune(back))) >= cellUnits-1
}
