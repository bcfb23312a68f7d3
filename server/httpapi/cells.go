package httpapi

import (
	"math"
	"net/url"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/wire"
)

// These are the maximum lengths of a value in a response, in bytes. The received
// file and the result contain the full text.
const (
	maxCellText = 64 << 10
	maxStepText = 4 << 10
)

func wireCell(f intray.Field, t intray.Trace) wire.Cell {
	out := wire.Cell{
		Field: t.Field, Columns: []wire.CellColumn{}, Raw: truncate(t.Raw, maxCellText), Value: truncateOptional(t.Value, maxCellText),
		Steps: []wire.CellStep{}, Problems: []wire.CellProblem{},
	}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, wire.CellColumn(c))
	}
	for _, s := range t.Steps {
		out.Steps = append(out.Steps, wire.CellStep{Step: s.Step, Text: truncateOptional(s.Text, maxStepText), Reasons: wire.NewReasons(s.Reasons)})
	}
	for _, p := range t.Problems {
		problem := wire.CellProblem{Code: p.Code, Level: p.Level.String(), Message: wire.NewMessage(p.Text)}
		if p.Field != intray.NoField && f.ManyToOne {
			problem.ManyToOneIndex = &p.Part
		}
		out.Problems = append(out.Problems, problem)
	}
	return out
}

// truncate returns at most the given number of bytes of text. It appends an
// ellipsis if the text is longer.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

func truncateOptional(text *string, most int) *string {
	if text == nil {
		return nil
	}
	short := truncate(*text, most)
	return &short
}

// getCells streams the cells because each cell of a row may be long.
func (a *API) getCells(c *call) (*response, error) {
	imp, err := loadByID(c, a.cfg.Service.Import)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	row, err := rowParam(query)
	if err != nil {
		return nil, err
	}
	return a.listResponse(nil, func(list *listWriter) error {
		return a.cfg.Service.TraceRow(c.context(), imp, row, query.Get("field"), func(f intray.Field, t intray.Trace) error {
			list.frame = wire.Lineage{Row: t.Row, Line: t.Line, Cells: []wire.Cell{}}
			return list.append(wireCell(f, t))
		})
	})
}

func rowParam(query url.Values) (int64, error) {
	if query.Get("row") == "" {
		return 0, invalidField("row", intray.NewMessage("request.row_missing", nil))
	}
	return intParam(query, "row", 0, math.MaxInt64, 0)
}

func cellParams() []parameter {
	return []parameter{
		{"row", "The data row, counted from 0.", countType("")},
		{"field", "The key of the field. Default: all fields, in the order of the schema.", stringType("")},
	}
}
