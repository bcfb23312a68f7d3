package workbook

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

const (
	// sampleRows is the number of rows to examine before records are returned.
	sampleRows = 300
	// sampleWork is the maximum number of cells to examine in these rows, including
	// empty ones. At least one row is examined.
	sampleWork = 1 << 19
	// sampleBytes is the length of the text in these rows, in bytes, after which no more rows
	// are examined. At least one row is examined.
	sampleBytes = 4 << 20
	// sampleCells is the number of sample cells per column.
	sampleCells = 20
	// sampleCellBytes is the maximum length of a sample cell, in bytes. Longer cells are not
	// used as samples.
	sampleCellBytes = 64 << 10
)

// begin reads the first rows and finds the table in them.
func (r *reader) begin(ctx context.Context, sheet Sheet) error {
	if err := r.readSample(ctx); err != nil {
		return err
	}
	if sheet.Hidden {
		r.addEvidence("sheet", sheet.Name, intray.NewMessage("workbook.sheet_hidden", nil))
	}
	if r.opt.AsIs {
		r.columns = make([]intray.Column, r.merges.width)
		for i := range r.columns {
			r.columns[i].Index = i
		}
		r.addEvidence("header row", "none", intray.NewMessage("header.not_searched", nil))
	} else if err := r.findTable(ctx); err != nil {
		return err
	}
	if err := r.fillAhead(); err != nil {
		return err
	}
	for _, row := range r.ahead {
		for _, c := range row.Cells {
			if c.Column < len(r.columns) && len(c.displayText()) > 0 && len(c.displayText()) <= sampleCellBytes && len(r.columns[c.Column].Samples) < sampleCells {
				column := &r.columns[c.Column]
				column.Samples = append(column.Samples, string(c.displayText()))
			}
		}
	}
	r.addHiddenColumnsEvidence()
	if errors.Is(r.end, io.EOF) {
		for _, row := range r.ahead {
			if row.Hidden {
				r.hidden.add(row.Number)
			}
		}
		for _, p := range append(r.repairs(), r.summaryEvidence()...) {
			r.evidence = append(r.evidence, p.evidence)
		}
		r.reported = true
	}
	return nil
}

func (r *reader) addEvidence(choice, value string, reason intray.Message) {
	r.evidence = append(r.evidence, intray.Evidence{Choice: choice, Value: value, Reason: reason})
}

// readSample reads the first rows, starting at the requested header row.
func (r *reader) readSample(ctx context.Context) error {
	r.collectRanges()
	for work, bytes := 0, 0; len(r.ahead) < sampleRows && work < sampleWork && bytes < sampleBytes; {
		row, err := r.nextRow(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if !r.opt.AsIs && row.Number < int64(r.opt.HeaderRow) {
			continue
		}
		r.ahead = append(r.ahead, cloneRow(row))
		r.merges.width = max(r.merges.width, row.columnCount())
		work += row.columnCount()
		bytes += row.size()
	}
	return nil
}

// findTable finds the header among the rows that were read ahead. It drops the header and the
// rows above it. Merged ranges in these rows must not have been filled yet, because a title that
// is merged over all columns would then look like a record.
func (r *reader) findTable(ctx context.Context) error {
	above := int64(max(0, r.opt.HeaderRow-1)) // rows that were skipped
	texts, at := r.textsWithBlanks(above)
	layout, err := headerdetect.FindMergedLayout(ctx, texts, spansOf(r.merges.early, above))
	if err == nil && r.end == nil && r.preload != nil && layout.MayHaveGroups(texts) {
		var ranges []Range
		if ranges, err = r.preload(ctx); err == nil {
			layout, err = headerdetect.FindMergedLayout(ctx, texts, spansOf(ranges, above))
		}
	}
	if err != nil {
		return err
	}
	layout = layout.Prefer(texts, r.opt.HeaderScore)
	switch {
	case len(texts) == 0 && above > 0:
		layout.Reason = intray.NewMessage("header.no_cells_from_row", intray.Params{"row": above + 1})
	case len(texts) == 0:
		layout.Reason = intray.NewMessage("header.no_cells", nil)
	case r.opt.HeaderRow == source.NoHeader:
		layout = headerdetect.Layout{Width: layout.Width, Reason: intray.NewMessage("header.none_requested", nil)}
	case r.opt.HeaderRow > 0:
		layout = headerdetect.Layout{Width: layout.Width, Headers: min(max(1, r.opt.HeaderRows), len(texts)), Reason: intray.NewMessage("option.requested", nil)}
	}
	below := texts[min(layout.BodyStart(), len(texts)):]
	r.body = headerdetect.NewBody(below)
	r.evidence = append(r.evidence, r.headerEvidence(layout, texts, above))
	r.reportRowsAbove(texts[:min(layout.First, len(texts))], above)
	if r.opt.FillMerged {
		for i := layout.First; i < layout.BodyStart(); i++ {
			texts[i] = r.merges.spreadHeader(above+int64(i+1), texts[i])
		}
	}
	if err := r.setColumns(layout, texts, above); err != nil {
		return err
	}
	first := len(r.ahead)
	if layout.BodyStart() < len(at) {
		first = at[layout.BodyStart()]
	}
	clear(r.ahead[:first])
	r.ahead = r.ahead[first:]
	r.last = above + int64(layout.BodyStart())
	return nil
}

// headerEvidence returns the choice of the header. If the names of another table appear below it, the
// choice is a tie, unless the header was requested.
func (r *reader) headerEvidence(layout headerdetect.Layout, texts [][]string, above int64) intray.Evidence {
	e := layout.Evidence(texts, above)
	if e.Tie || layout.Headers == 0 || r.opt.HeaderRow != 0 {
		return e
	}
	if at := r.body.FindTable(texts[layout.BodyStart():]); at >= 0 {
		row := above + int64(layout.BodyStart()+at) + 1
		e.Tie, e.Reason = true, intray.JoinMessages(e.Reason, intray.NewMessage("header.names_within", intray.Params{"row": row}))
		e.Alternatives = []intray.Choice{rowChoice(row)}
	}
	return e
}

// rowChoice returns the choice of a row as the header.
func rowChoice(row int64) intray.Choice {
	return intray.Choice{Value: strconv.FormatInt(row, 10), Label: intray.NewMessage("header.row", intray.Params{"row": row}), Reason: intray.NewMessage("header.could_name_columns", nil)}
}

// maxExcerptBytes is the maximum length of the excerpt of rows in a notice, in bytes.
const maxExcerptBytes = 300

// reportRowsAbove adds a notice that quotes the rows above the table.
func (r *reader) reportRowsAbove(rows [][]string, above int64) {
	lines := make([]string, 0, len(rows))
	last := int64(0)
	for i, row := range rows {
		if headerdetect.Filled(row) == 0 {
			continue
		}
		last = above + int64(i) + 1
		cells := slices.DeleteFunc(slices.Clone(row), func(c string) bool { return strings.TrimSpace(c) == "" })
		lines = append(lines, strings.Join(cells, " | "))
	}
	if len(lines) == 0 {
		return
	}
	raw := strings.Join(lines, "\n")
	if len(raw) > maxExcerptBytes {
		raw = strings.ToValidUTF8(raw[:maxExcerptBytes], "") + "…"
	}
	r.notices = append(r.notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw,
		Text: intray.NewMessage("sheet.rows_above_table", intray.Params{"row": last})})
}

// textsWithBlanks returns the displayed text of each cell in the rows that were read ahead,
// including a limited number of empty rows between them. at holds, for each of these rows, the
// index in r.ahead of that row or, if it is empty, of the next row that is not. It omits all
// rows up to and including the one whose number is given by above.
func (r *reader) textsWithBlanks(above int64) (texts [][]string, at []int) {
	for i, row := range r.ahead {
		place := row.Number - above - 1
		for int64(len(texts)) < place && len(texts) < 2*sampleRows {
			texts, at = append(texts, nil), append(at, i)
		}
		if int64(len(texts)) == place {
			texts, at = append(texts, row.displayTexts()), append(at, i)
		}
	}
	return texts, at
}

// setColumns sets the columns from the header.
func (r *reader) setColumns(layout headerdetect.Layout, texts [][]string, above int64) error {
	names := layout.ColumnNames(texts)
	if layout.Headers == 0 {
		names = make([]string, layout.Width)
	}
	total := 0
	for i, name := range names {
		total += len(name)
		if over := r.opt.Limits.HeaderLimitReason(i+1, len(name), total); !over.IsZero() {
			return &source.LimitError{Line: above + int64(layout.First+1), Reason: over}
		}
		r.columns = append(r.columns, intray.Column{Index: i, Header: name})
	}
	return nil
}

// fillAhead fills merged ranges in the rows that were read ahead. It does not fill
// ranges that start above the body, because they are column names or titles.
func (r *reader) fillAhead() (err error) {
	r.merges.setBody(r.last)
	r.filling = r.opt.FillMerged
	for i, row := range r.ahead {
		if !r.filling {
			break
		}
		if row, err = r.merges.fillRow(row); err != nil {
			return err
		}
		r.ahead[i] = cloneRow(row)
	}
	return nil
}
