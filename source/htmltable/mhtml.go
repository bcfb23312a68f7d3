package htmltable

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// headBytes is how long the head of a single-file web page may be.
	headBytes = 64 << 10
	// lineBytes is how long a line of a part may be. They should have 76
	// characters, and not all programs cut them.
	lineBytes = 64 << 10
	// mostParts is how many parts there may be.
	mostParts = 10_000
)

// bundle is a single-file web page: a message of several parts.
type bundle struct{ boundary string }

// part is a page in a bundle.
type part struct {
	// at is where in the file the line in front of the part begins.
	at int64
	// transfer is how the part is written as mail, charset how its text is
	// written as bytes; location and id are what other parts call it.
	transfer, charset, location, id string
}

// openPages gives the pages of a file that have sheets, and the names that the
// file has for those sheets, "" for none.
func openPages(ctx context.Context, in source.Input, opt source.Options) ([]*page, []string, error) {
	whole := &page{in: in}
	raw, err := whole.raw(0)
	if err != nil {
		return nil, nil, err
	}
	head, err := io.ReadAll(io.LimitReader(raw, headBytes))
	if err != nil {
		return nil, nil, err
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))) == 0 && int64(len(head)) == in.Size {
		return nil, nil, source.ErrEmpty
	}
	if !isMHTML(bytes.ToLower(head)) {
		return []*page{whole}, []string{""}, whole.findEncoding(ctx, opt.Encoding, "")
	}
	b, err := readHead(head)
	if err != nil {
		return nil, nil, err
	}
	return b.pages(ctx, in, opt)
}

// readHead finds out what separates the parts.
func readHead(head []byte) (*bundle, error) {
	message, err := mail.ReadMessage(bytes.NewReader(bytes.TrimLeft(head, " \t\r\n")))
	if err != nil {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("html.bundle_head_unreadable", nil)}
	}
	_, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("html.bundle_without_boundary", nil)}
	}
	return &bundle{params["boundary"]}, nil
}

// pages finds the parts with sheets: those that the first page names as its
// sheets, or else all that are pages.
func (b *bundle) pages(ctx context.Context, in source.Input, opt source.Options) ([]*page, []string, error) {
	parts, err := b.list(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	pages := make([]*page, len(parts))
	for i, found := range parts {
		pages[i] = &page{in: in, bundle: b, part: found}
		if err := pages[i].findEncoding(ctx, opt.Encoding, found.charset); err != nil {
			return nil, nil, err
		}
	}
	first, err := surveyPage(ctx, pages[0], opt.Limits)
	if err != nil {
		return nil, nil, err
	}
	called := make(map[string]*page, len(pages))
	for _, p := range pages[1:] {
		for _, name := range p.part.names() {
			if called[name] == nil {
				called[name] = p
			}
		}
	}
	var sheets []*page
	var names []string
	for _, sheet := range first.office.sheets {
		if p := called[lastOf(sheet.href)]; p != nil && sheet.href != "" {
			sheets, names = append(sheets, p), append(names, sheet.name)
		}
	}
	if len(sheets) > 0 {
		return sheets, names, nil
	}
	return pages, make([]string, len(pages)), nil
}

// names gives what other parts may call the part.
func (p part) names() (list []string) {
	if p.location != "" {
		list = append(list, lastOf(p.location))
	}
	if p.id != "" {
		list = append(list, lastOf(p.id))
	}
	return list
}

// list finds the parts that are pages.
func (b *bundle) list(ctx context.Context, in source.Input) (list []part, err error) {
	places, err := b.find(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, at := range places {
		raw := b.read(in, at)
		next, err := multipart.NewReader(raw, b.boundary).NextRawPart()
		if err != nil && raw.from.err == nil {
			break // the end, or what is missing of it; a page that is cut tells so when it is read
		}
		if err != nil {
			return nil, raw.from.err
		}
		kind, params, _ := mime.ParseMediaType(next.Header.Get("Content-Type"))
		if kind == "text/html" || kind == "application/xhtml+xml" {
			list = append(list, part{
				at: at, charset: params["charset"], location: next.Header.Get("Content-Location"),
				transfer: strings.ToLower(strings.TrimSpace(next.Header.Get("Content-Transfer-Encoding"))),
				id:       strings.Trim(next.Header.Get("Content-ID"), "<> "),
			})
		}
	}
	if len(list) == 0 {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("html.bundle_without_page", nil)}
	}
	return list, nil
}

// find gives the places of the lines that separate the parts, so that each part
// can be read without those in front of it.
func (b *bundle) find(ctx context.Context, in source.Input) (places []int64, err error) {
	lines := bufio.NewReaderSize(&promised{Reader: io.NewSectionReader(in, 0, in.Size), left: in.Size}, readBytes)
	mark := []byte("--" + b.boundary)
	at, begins := int64(0), true
	for count := 0; ; count++ {
		if count%pollTokens == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := lines.ReadSlice('\n')
		if begins && bytes.HasPrefix(row, mark) {
			places = append(places, at)
		}
		if len(places) > mostParts {
			return nil, &source.LimitError{Reason: intray.NewMessage("html.bundle_too_many_parts", intray.Params{"limit": mostParts})}
		}
		at, begins = at+int64(len(row)), err == nil
		switch {
		case errors.Is(err, io.EOF):
			return places, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// mailed reads the bytes of a bundle, and tells failures of the file from those
// of its form.
type mailed struct {
	io.Reader
	from *promised
}

// read gives the bytes of the file from a place on.
func (b *bundle) read(in source.Input, at int64) *mailed {
	from := &promised{Reader: io.NewSectionReader(in, at, in.Size-at), left: in.Size - at}
	return &mailed{from, from}
}

// damage says what is wrong where reading a part gave an error.
func (m *mailed) damage(err error) error {
	switch {
	case m.from.err != nil:
		return m.from.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &source.UnreadableError{Reason: intray.NewMessage("html.bundle_cut_short", nil)}
	}
	return &source.UnreadableError{Reason: intray.NewMessage("html.bundle_part_unreadable", nil)}
}

// open gives the bytes of a page.
func (b *bundle) open(in source.Input, p part) (io.Reader, error) {
	raw := b.read(in, p.at)
	next, err := multipart.NewReader(raw, b.boundary).NextRawPart()
	if err != nil {
		return nil, raw.damage(err)
	}
	var text io.Reader = next
	switch p.transfer {
	case "quoted-printable":
		text = quotedprintable.NewReader(bufio.NewReaderSize(next, lineBytes))
	case "base64":
		text = base64.NewDecoder(base64.StdEncoding, next)
	}
	return bufio.NewReaderSize(&unmailed{text, raw}, lineBytes), nil
}

// unmailed is the text of a part; its errors are those of the contract.
type unmailed struct {
	text io.Reader
	raw  *mailed
}

func (u *unmailed) Read(b []byte) (int, error) {
	n, err := u.text.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = u.raw.damage(err)
	}
	return n, err
}
