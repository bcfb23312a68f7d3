// Package htmltable reads the tables of web pages, which many systems export with the
// extensions .xls and .html.
//
// A page is one HTML document: a file, or a part of a single-file web page (MHTML). Each table
// of a page is a sheet if the table contains text. A nested table is a table within a cell of
// another table. A layout table contains other tables but has no rows of data itself.
//
// The package streams a page once to find the tables and their offsets, and again for
// each sheet that is read. It returns cells as a browser displays them, together with
// the values that Excel stores in them. It does not run scripts or follow links. It
// reads only number formats from style sheets, and nothing outside tables.
package htmltable

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textinput"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// maxSheets is the maximum number of sheets in a file.
const maxSheets = 10_000

// Format is the format "html". The zero value is ready to use.
type Format struct{}

// Name returns "html".
func (Format) Name() string { return "html" }

// Detect recognizes files that start with the tags of a web page or with the header of a
// single-file web page. Text files that contain HTML in their cells do not start this way.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	return detect(in.Name, head)
}

// Open implements [source.Format]. It reads the pages once to find their tables. If
// there are none, it returns a *source.UnreadableError that describes the page.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	b, err := openBook(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	return workbook.NewBook(b, opt)
}

// openBook reads the pages and finds their tables.
func openBook(ctx context.Context, in source.Input, opt source.Options) (*book, error) {
	opt.Limits = opt.Limits.WithDefaults()
	b := &book{limits: opt.Limits}
	pages, names, err := openPages(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	total := pageInfo{limits: opt.Limits}
	for i, p := range pages {
		s, err := readPageInfo(ctx, p, opt.Limits)
		if err != nil {
			return nil, err
		}
		s.nameSheets(names[i])
		for _, found := range s.places {
			b.places = append(b.places, found)
			b.pages = append(b.pages, p)
		}
		total.merge(s)
	}
	if len(b.places) == 0 {
		return nil, noTable(&total)
	}
	b.evidence = append(encodingEvidence(pages), total.evidence()...)
	return b, nil
}

// book is an opened file. It is immutable after Open returns it.
type book struct {
	limits source.Limits
	// places holds the location of each sheet, and pages the page that contains it.
	places   []tableLocation
	pages    []*page
	evidence []intray.Evidence
}

func (b *book) Evidence() []intray.Evidence { return b.evidence }

func (b *book) Sheets() []workbook.Sheet {
	list := make([]workbook.Sheet, len(b.places))
	for i, p := range b.places {
		list[i] = workbook.Sheet{Name: p.name, Hidden: p.hidden}
	}
	return list
}

func (b *book) Rows(ctx context.Context, sheet int) (workbook.Rows, error) {
	if sheet < 0 || sheet >= len(b.places) {
		return nil, fmt.Errorf("read table %d of %d", sheet+1, len(b.places))
	}
	at := b.places[sheet]
	r := &rows{page: b.pages[sheet], place: at, limits: b.limits}
	if at.head >= 0 {
		r.passes = append(r.passes, tablePass{at.head, true})
	}
	r.passes = append(r.passes, tablePass{at.offset, false})
	if at.foot >= 0 {
		r.passes = append(r.passes, tablePass{at.foot, true})
	}
	return r, r.startPass(ctx)
}

func (b *book) Close() error { return nil }

// detect returns the likelihood, from 0 to 1, that a file with the given name and
// beginning is a web page. It also returns the reason.
func detect(name string, head []byte) (float64, intray.Message) {
	text := bytes.ToLower(textinput.DecodeHead(head))
	if isMHTML(text) {
		return 0.97, intray.NewMessage("html.mhtml", nil)
	}
	first := firstTag(text)
	table := bytes.Contains(text, []byte("<table")) && bytes.Contains(text, []byte("<t"))
	switch {
	case isPageTag(first) && (table || first == "!doctype" || first == "html"):
		return 0.95, intray.NewMessage("html.page", intray.Params{"tag": first})
	case isPageTag(first):
		return 0.6, intray.NewMessage("html.page", intray.Params{"tag": first})
	case !table || !isHTMLTag(first):
		return 0, intray.Message{}
	case hasPageExtension(name):
		return 0.95, intray.NewMessage("html.named_page", intray.Params{"tag": first})
	}
	return 0.5, intray.NewMessage("html.table", intray.Params{"tag": first})
}

// firstTag returns the name of the first tag in text, or "". Only comments,
// declarations and white space may precede the tag.
func firstTag(text []byte) string {
	for {
		text = bytes.TrimLeft(text, " \t\r\n\f")
		switch {
		case bytes.HasPrefix(text, []byte("<!doctype html")):
			return "!doctype"
		case bytes.HasPrefix(text, []byte("<!--")):
			end := bytes.Index(text, []byte("-->"))
			if end < 0 {
				return ""
			}
			text = text[end+len("-->"):]
		case bytes.HasPrefix(text, []byte("<!")), bytes.HasPrefix(text, []byte("<?")):
			end := bytes.IndexByte(text, '>')
			if end < 0 {
				return ""
			}
			text = text[end+1:]
		case len(text) > 1 && text[0] == '<':
			end := bytes.IndexAny(text, " \t\r\n\f/>")
			return string(text[1:max(end, 1)])
		default:
			return ""
		}
	}
}

// isPageTag reports whether pages typically start with the tag of the given name.
func isPageTag(name string) bool {
	switch name {
	case "!doctype", "html", "head", "body", "table", "meta", "title", "style", "script", "link", "base", "xml":
		return true
	}
	return false
}

// isHTMLTag reports whether HTML has a tag with the given name.
func isHTMLTag(name string) bool {
	switch name {
	case "b", "i", "u", "a", "em", "strong", "font", "big", "small", "label":
		return true
	}
	return parseTag([]byte(name)) != tagOther
}

func hasPageExtension(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{".html", ".htm", ".xhtml", ".xls", ".mht", ".mhtml"}, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// isMHTML reports whether text starts with the header of a multipart/related message.
// text must be in lower case.
func isMHTML(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	version, related, inType := false, false, false
	for row := range bytes.Lines(text) {
		row = bytes.TrimRight(row, "\r\n")
		if len(row) == 0 {
			break
		}
		folded := row[0] == ' ' || row[0] == '\t'
		if name, _, found := bytes.Cut(row, []byte(":")); !folded && (!found || bytes.ContainsAny(name, " \t,;<\"")) {
			return false
		}
		version = version || bytes.HasPrefix(row, []byte("mime-version:"))
		inType = bytes.HasPrefix(row, []byte("content-type:")) || inType && folded
		related = related || inType && bytes.Contains(row, []byte("multipart/related"))
	}
	return version && related
}
