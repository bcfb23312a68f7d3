package spreadsheetml

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
)

// newScanner returns a scanner of a document, or of the rest of a document from a sheet
// on. A tag or a text has at most limit bytes. HTML references are allowed, because
// some programs write them.
func newScanner(text io.Reader, limit int) (*xmlscan.Scanner, error) {
	return xmlscan.New(text, xmlscan.Config{TextBytes: limit, TokenBytes: limit, Depth: maxDepth, Decoded: true, NUL: true, HTML: true})
}

func damagedError(problem intray.Message) error {
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// appendContent appends the text of the element that has just started with that of
// its children, at most limit bytes, and moves to its end.
func appendContent(s *xmlscan.Scanner, dst []byte, limit int) ([]byte, error) {
	from := len(dst)
	for depth := s.Depth(); s.Depth() >= depth; {
		kind, err := s.Next()
		switch {
		case err != nil:
			return dst, err
		case kind != xmlscan.Text:
		case s.CDATA:
			dst = append(dst, s.Text...)
		default:
			if dst, err = s.Decode(dst, s.Text); err != nil {
				return dst, err
			}
		}
		if len(dst)-from > limit {
			return dst, &source.LimitError{Reason: intray.NewMessage("cell.too_long", intray.Params{"limit": limit})}
		}
	}
	if !utf8.Valid(dst[from:]) {
		dst = append(dst[:from], bytes.ToValidUTF8(dst[from:], []byte("\uFFFD"))...)
	}
	return dst, nil
}

// attrText returns the text of an attribute, and "" if there is none. Invalid
// UTF-8 becomes U+FFFD.
func attrText(s *xmlscan.Scanner, name string) (string, error) {
	text, err := s.AttrText(name)
	return strings.ToValidUTF8(text, "\uFFFD"), err
}

// parseIntAttr reads an attribute that is a whole number from least to most. It
// returns absent if there is none.
func parseIntAttr(value []byte, least, most, absent int64) (int64, error) {
	if value == nil {
		return absent, nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < least {
		return 0, damagedError(intray.NewMessage("xmlss.bad_number", intray.Params{"number": source.Excerpt(string(value)), "least": least}))
	}
	if n > most {
		return 0, &source.LimitError{Reason: intray.NewMessage("xmlss.index_beyond_limit", intray.Params{"index": n, "limit": most})}
	}
	return n, nil
}
