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
	"github.com/intraydata/intray/internal/textinput"
	"github.com/intraydata/intray/source"
)

const (
	// maxHeadBytes is the maximum length of the header of a single-file web page, in bytes.
	maxHeadBytes = 64 << 10
	// maxLineBytes is the size of the buffer for lines of a part, in bytes. Lines
	// should have at most 76 characters, but some programs do not wrap them.
	maxLineBytes = 64 << 10
	// maxParts is the maximum number of parts.
	maxParts = 10_000
)

// mhtmlArchive is a single-file web page: a message with several parts.
type mhtmlArchive struct{ boundary string }

// part is a page in a single-file web page.
type part struct {
	// offset is the offset, in the file, of the boundary line before the part.
	offset int64
	// transfer is the transfer encoding of the part, and charset is its character
	// encoding. Other parts refer to the part by its location or id.
	transfer, charset, location, id string
}

// openPages returns the pages of a file that contain sheets. For each page, it also
// returns the sheet name that the file specifies, or "".
func openPages(ctx context.Context, in source.Input, opt source.Options) ([]*page, []string, error) {
	whole := &page{in: in}
	raw, err := whole.newRawReader(0)
	if err != nil {
		return nil, nil, err
	}
	head, err := io.ReadAll(io.LimitReader(raw, maxHeadBytes))
	if err != nil {
		return nil, nil, err
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))) == 0 && int64(len(head)) == in.Size {
		return nil, nil, source.ErrEmpty
	}
	if !isMHTML(bytes.ToLower(head)) {
		return []*page{whole}, []string{""}, whole.findEncoding(ctx, opt.Encoding, "")
	}
	b, err := parseMHTMLHead(head)
	if err != nil {
		return nil, nil, err
	}
	return b.sheetPages(ctx, in, opt)
}

// parseMHTMLHead returns an archive with the boundary that the header of the message specifies.
func parseMHTMLHead(head []byte) (*mhtmlArchive, error) {
	message, err := mail.ReadMessage(bytes.NewReader(bytes.TrimLeft(head, " \t\r\n")))
	if err != nil {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("html.bundle_head_unreadable", nil)}
	}
	_, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("html.bundle_without_boundary", nil)}
	}
	return &mhtmlArchive{params["boundary"]}, nil
}

// sheetPages returns the pages that the first page lists as sheets, or all pages if it lists
// none. For each page, it also returns the sheet name that the first page specifies, or "".
func (b *mhtmlArchive) sheetPages(ctx context.Context, in source.Input, opt source.Options) ([]*page, []string, error) {
	parts, err := b.listPages(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	pages := make([]*page, len(parts))
	for i, found := range parts {
		pages[i] = &page{in: in, archive: b, part: found}
		if err := pages[i].findEncoding(ctx, opt.Encoding, found.charset); err != nil {
			return nil, nil, err
		}
	}
	first, err := readPageInfo(ctx, pages[0], opt.Limits)
	if err != nil {
		return nil, nil, err
	}
	called := make(map[string]*page, len(pages))
	for _, p := range pages[1:] {
		for _, name := range p.part.referenceNames() {
			if called[name] == nil {
				called[name] = p
			}
		}
	}
	var sheets []*page
	var names []string
	for _, sheet := range first.office.sheets {
		if p := called[lastSegment(sheet.href)]; p != nil && sheet.href != "" {
			sheets, names = append(sheets, p), append(names, sheet.name)
		}
	}
	if len(sheets) > 0 {
		return sheets, names, nil
	}
	return pages, make([]string, len(pages)), nil
}

// referenceNames returns the names by which other parts may refer to the part.
func (p part) referenceNames() (list []string) {
	if p.location != "" {
		list = append(list, lastSegment(p.location))
	}
	if p.id != "" {
		list = append(list, lastSegment(p.id))
	}
	return list
}

// listPages returns the parts that are pages.
func (b *mhtmlArchive) listPages(ctx context.Context, in source.Input) (list []part, err error) {
	places, err := b.findBoundaries(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, at := range places {
		raw := textinput.NewReader(in, at)
		next, err := multipart.NewReader(raw, b.boundary).NextRawPart()
		if err != nil {
			return nil, partError(raw, err)
		}
		kind, params, _ := mime.ParseMediaType(next.Header.Get("Content-Type"))
		if kind == "text/html" || kind == "application/xhtml+xml" {
			list = append(list, part{
				offset: at, charset: params["charset"], location: next.Header.Get("Content-Location"),
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

// findBoundaries returns the offsets of the boundary lines except the closing one, so that
// each part can be read without the parts before it. Spaces may follow a boundary (RFC 2046,
// section 5.1.1).
func (b *mhtmlArchive) findBoundaries(ctx context.Context, in source.Input) (places []int64, err error) {
	lines := bufio.NewReaderSize(textinput.NewReader(in, 0), readBytes)
	mark := []byte("--" + b.boundary)
	at, begins := int64(0), true
	for count := 0; ; count++ {
		if count%pollTokens == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := lines.ReadSlice('\n')
		if rest, found := bytes.CutPrefix(row, mark); begins && found && len(bytes.TrimRight(rest, " \t\r\n")) == 0 {
			places = append(places, at)
		}
		if len(places) > maxParts {
			return nil, &source.LimitError{Reason: intray.NewMessage("html.bundle_too_many_parts", intray.Params{"limit": maxParts})}
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

// partError returns the error to report if reading a part fails. It is the failure of the store
// if there was one, and otherwise an error that describes the problem with the part.
func partError(raw *textinput.Reader, err error) error {
	switch {
	case raw.Failure() != nil:
		return raw.Failure()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &source.UnreadableError{Reason: intray.NewMessage("html.bundle_cut_short", nil)}
	}
	return &source.UnreadableError{Reason: intray.NewMessage("html.bundle_part_unreadable", nil)}
}

// openPart returns the decoded bytes of a page.
func (b *mhtmlArchive) openPart(in source.Input, p part) (io.Reader, error) {
	raw := textinput.NewReader(in, p.offset)
	next, err := multipart.NewReader(raw, b.boundary).NextRawPart()
	if err != nil {
		return nil, partError(raw, err)
	}
	var text io.Reader = next
	switch p.transfer {
	case "quoted-printable":
		text = quotedprintable.NewReader(bufio.NewReaderSize(next, maxLineBytes))
	case "base64":
		text = base64.NewDecoder(base64.StdEncoding, next)
	}
	return bufio.NewReaderSize(&partReader{text, raw}, maxLineBytes), nil
}

// partReader reads the text of a part and converts errors with partError.
type partReader struct {
	text io.Reader
	raw  *textinput.Reader
}

func (u *partReader) Read(b []byte) (int, error) {
	n, err := u.text.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = partError(u.raw, err)
	}
	return n, err
}
