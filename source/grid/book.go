package grid

import (
	"context"
	"errors"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Book makes a book of a workbook, which it closes with itself. A workbook
// without a worksheet is closed at once and cannot be read.
func Book(w Workbook, opt source.Options) (source.Book, error) {
	if len(w.Sheets()) == 0 {
		return nil, errors.Join(&source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}, w.Close())
	}
	opt.Limits = opt.Limits.WithDefaults()
	return &book{w, opt}, nil
}

type book struct {
	workbook Workbook
	opt      source.Options
}

func (b *book) Evidence() []intray.Evidence { return b.workbook.Evidence() }

func (b *book) Sheets() (sheets []source.Sheet) {
	for _, s := range b.workbook.Sheets() {
		sheets = append(sheets, source.Sheet{Name: s.Name, Hidden: s.Hidden})
	}
	return sheets
}

func (b *book) Close() error { return b.workbook.Close() }

func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet < 0 || sheet >= len(b.workbook.Sheets()) {
		return nil, fmt.Errorf("open sheet %d of %d", sheet, len(b.workbook.Sheets()))
	}
	merges, err := b.merges(ctx, sheet)
	if err != nil {
		return nil, err
	}
	rows, err := b.workbook.Rows(ctx, sheet)
	if err != nil {
		return nil, err
	}
	r := &reader{rows: rows, opt: b.opt, merges: merges}
	if err := r.begin(ctx, b.workbook.Sheets()[sheet]); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return r, nil
}

// merges asks for the merged ranges before the rows where they are to be filled.
func (b *book) merges(ctx context.Context, sheet int) (merges, error) {
	m := merges{limits: b.opt.Limits, wanted: b.opt.FillMerged}
	foretold, ok := b.workbook.(Foretold)
	if !b.opt.FillMerged || !ok {
		return m, nil
	}
	ranges, err := foretold.MergedRanges(ctx, sheet)
	if err != nil {
		return m, err
	}
	m.foretold = true
	m.note(ranges)
	return m, nil
}
