package engine

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Preview is the top of a file as it is stored, before a header is looked for.
type Preview struct {
	// Sheets are the sheets of the file. A file without sheets has one without a name.
	Sheets []PreviewSheet
	// Sheet is the index of the sheet whose rows are in Rows.
	Sheet int
	// Rows are the first rows, including blank ones. The row with index i is row i+1 in answers about
	// the header.
	Rows [][]string
	// More reports whether the sheet may have further rows.
	More bool
}

// PreviewSheet is a sheet of a file.
type PreviewSheet struct {
	Name   string
	Hidden bool
	// Answer is the answer that selects the sheet.
	Answer string
}

// Preview reads at most limit rows from the top of a file, as the answers of the import say. sheet is
// the index of the sheet, or negative for the sheet that the answers select or, if they select none,
// the first one that contains a table. If the file has no such sheet, the index of the first sheet is
// used. An error is an *source.UnreadableError or *source.LimitError if the file causes it.
func (e *Engine) Preview(ctx context.Context, imp Import, sheet, limit int) (Preview, error) {
	opt := applyAnswers(e.cfg.Options, imp.Answers)
	opt.Work = &source.Work{}
	book, err := source.Open(ctx, imp.Input, e.cfg.Formats, opt)
	if err != nil {
		return Preview{}, err
	}
	preview, err := previewSheets(ctx, book, opt.Work, imp.Answers)
	if err := errors.Join(err, book.Close()); err != nil {
		return Preview{}, err
	}
	if 0 <= sheet && sheet < len(preview.Sheets) {
		preview.Sheet = sheet
	}
	preview.Rows, err = e.topRows(ctx, imp, preview.Sheet, limit+1)
	if len(preview.Rows) > limit {
		preview.Rows, preview.More = preview.Rows[:limit], true
	}
	return preview, err
}

func previewSheets(ctx context.Context, book source.Book, work *source.Work, answers intray.Answers) (Preview, error) {
	var p Preview
	sheets := book.Sheets()
	names := make([]string, len(sheets))
	for i, sheet := range sheets {
		names[i] = sheet.Name
	}
	for i, sheet := range sheets {
		p.Sheets = append(p.Sheets, PreviewSheet{sheet.Name, sheet.Hidden, intray.SheetChoice(names, i)})
	}
	if len(sheets) == 1 {
		return p, nil
	}
	t, err := findTables(ctx, book, work)
	if err != nil {
		return p, err
	}
	switch choice, question, err := t.choose(answers, &Outcome{}); {
	case err != nil:
		return p, err
	case question == nil:
		p.Sheet = choice.sheets[0]
	case len(t.found) > 0:
		p.Sheet = t.found[0]
	}
	return p, nil
}

// topRows reads the first rows of a sheet without looking for a header.
func (e *Engine) topRows(ctx context.Context, imp Import, sheet, limit int) (rows [][]string, err error) {
	opt := applyAnswers(e.cfg.Options, imp.Answers)
	opt.AsIs, opt.HeaderRow = true, 0
	book, err := source.Open(ctx, imp.Input, e.cfg.Formats, opt)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	reader, err := book.Open(ctx, sheet)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var recs intray.Records
	for len(rows) < limit {
		if err := reader.Next(ctx, &recs); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		for i := range min(recs.Len(), limit-len(rows)) {
			row := make([]string, recs.NumCells(i))
			for c := range row {
				row[c] = string(recs.Cell(i, c))
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
