// Package htmltable reads the tables of web pages, as many systems export them
// under the endings .xls and .html.
//
// A page is one HTML document: a file, or a part of a single-file web page
// (MHTML). Each table of a page that holds text is a sheet. A table that stands
// in a cell of another is a nested table; a layout table is one that holds
// others and has no grid of its own. A place is where a sheet begins in the text
// of its page. A walk goes through the tags of one table and gives its rows.
//
// A page is gone through twice, as a stream: once to find the tables, and once
// for each sheet that is read. Cells are given as a browser shows them, and with
// the values that Excel leaves beside them. The package runs no scripts, knows no
// style sheets but what they say of number formats, follows no links, and reads
// nothing outside of tables.
package htmltable

import (
	"context"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// mostSheets is how many sheets one file can have.
const mostSheets = 10_000

// Format is the format "html". The zero value is ready.
type Format struct{}

// Name is "html".
func (Format) Name() string { return "html" }

// Detect takes files that begin with the tags of a web page, or with the head of
// a single-file web page. Text that holds HTML in its cells begins otherwise.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	return detect(in.Name, head)
}

// Open goes through the page and lists its tables. A page without any is a
// source.UnreadableError that says what page it is.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	b, err := list(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	return grid.Book(b, opt)
}

// list goes through the pages and finds their tables.
func list(ctx context.Context, in source.Input, opt source.Options) (*book, error) {
	opt.Limits = opt.Limits.WithDefaults()
	b := &book{limits: opt.Limits}
	pages, names, err := openPages(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	total := survey{limits: opt.Limits}
	for i, p := range pages {
		s, err := surveyPage(ctx, p, opt.Limits)
		if err != nil {
			return nil, err
		}
		s.nameSheets(names[i])
		for _, found := range s.places {
			b.places = append(b.places, found)
			b.pages = append(b.pages, p)
		}
		total.add(s)
	}
	if len(b.places) == 0 {
		return nil, noTable(&total)
	}
	b.evidence = append(encodings(pages), total.evidence()...)
	return b, nil
}

// book is an opened file. It does not change once it is open.
type book struct {
	limits source.Limits
	// places are the sheets, pages the page of each.
	places   []place
	pages    []*page
	evidence []intray.Evidence
}

func (b *book) Evidence() []intray.Evidence { return b.evidence }

func (b *book) Sheets() []grid.Sheet {
	list := make([]grid.Sheet, len(b.places))
	for i, p := range b.places {
		list[i] = grid.Sheet{Name: p.name, Hidden: p.hidden}
	}
	return list
}

func (b *book) Rows(ctx context.Context, sheet int) (grid.Rows, error) {
	if sheet < 0 || sheet >= len(b.places) {
		return nil, fmt.Errorf("read table %d of %d", sheet+1, len(b.places))
	}
	return openRows(ctx, b.pages[sheet], b.places[sheet], b.limits)
}

func (b *book) Close() error { return nil }
