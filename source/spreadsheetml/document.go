package spreadsheetml

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textinput"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
)

// sampleBytes is the number of bytes of a document that are read to detect its encoding.
const sampleBytes = 1 << 20

// document is a file and its encoding.
type document struct {
	in    source.Input
	guess charset.Guess
	// explicit is true if the document or the caller specified the encoding.
	explicit bool
}

// openDocument opens a file and determines its encoding. In order of precedence, this is the
// requested encoding, that of a byte order mark, the declared encoding, or UTF-8.
func openDocument(in source.Input, asked string) (*document, error) {
	sample, err := (&document{in: in}).readSample(0)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(sample, []byte("\uFEFF")))) == 0 && int64(len(sample)) == in.Size {
		return nil, source.ErrEmpty
	}
	d := &document{in: in, guess: charset.Detect(sample, int64(len(sample)) == in.Size)}
	g := &d.guess
	if asked != "" {
		return d, d.setEncoding(asked, intray.NewMessage("option.requested", nil), intray.NewMessage("encoding.unknown", intray.Params{"encoding": source.Excerpt(asked)}))
	}
	name := g.Encoding.Name()
	if g.BOM > 0 || strings.HasPrefix(name, "UTF-16") || strings.HasPrefix(name, "UTF-32") {
		return d, nil
	}
	label, _ := xmlscan.DeclaredEncoding(bytes.TrimLeft(sample, " \t\r\n"))
	encoding, _ := charset.Lookup(label)
	switch {
	case encoding != charset.UTF8 && !strings.HasPrefix(encoding.Name(), "UTF-16") || label != "" && !isKnownEncoding(label):
		return d, d.setEncoding(label, intray.NewMessage("encoding.document_declares", nil), intray.NewMessage("encoding.document_declares_unknown", intray.Params{"encoding": source.Excerpt(label)}))
	case g.Encoding != charset.UTF8 || g.Invalid > 0:
		g.Reason = intray.JoinMessages(intray.NewMessage("encoding.document_not_utf8", nil), g.Reason)
	case label != "":
		g.Confidence, g.Reason = 1, intray.NewMessage("encoding.document_declares", nil)
	default:
		g.Confidence, g.Reason = 1, intray.NewMessage("encoding.xml_default", nil)
	}
	return d, nil
}

func isKnownEncoding(label string) bool {
	_, ok := charset.Lookup(label)
	return ok
}

// setEncoding sets the encoding of the document to the one with the given label. If there is no
// such encoding, it returns an error whose reason is the parameter unknown.
func (d *document) setEncoding(label string, reason, unknown intray.Message) error {
	encoding, ok := charset.Lookup(label)
	if !ok {
		return &source.UnreadableError{Reason: unknown}
	}
	if encoding.Name() == "ISO-8859-1" && label != "" { // many programs declare ISO-8859-1 but write its superset windows-1252
		encoding, _ = charset.Lookup("windows-1252")
	}
	textinput.Decide(&d.guess, encoding, reason)
	d.explicit = true
	return nil
}

// readSample returns up to sampleBytes of the file, starting at the given offset.
func (d *document) readSample(at int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(textinput.NewReader(d.in, at), sampleBytes))
}

// isUTF8 reports whether the file is UTF-8.
func (d *document) isUTF8() bool { return d.guess.Encoding == charset.UTF8 }

// redetectEncoding detects the encoding of a document that should be UTF-8 but contains
// invalid UTF-8 at the given offset. It reports whether the encoding has changed.
func (d *document) redetectEncoding(at int64) (bool, error) {
	sample, err := d.readSample(max(0, at-sampleBytes/2))
	if err != nil {
		return false, err
	}
	if i := bytes.IndexByte(sample, '>'); i >= 0 {
		sample = sample[i+1:]
	}
	bom := d.guess.BOM
	d.guess = charset.Detect(sample, false)
	d.guess.BOM = bom
	d.guess.Reason = intray.JoinMessages(intray.NewMessage("encoding.document_not_utf8", nil), d.guess.Reason)
	return !d.isUTF8(), nil
}

// newScanner returns a scanner for a document, or for the part of a document that starts at a
// sheet. Each tag and each piece of text can be up to limit bytes long. HTML entities are
// allowed, because some programs write them.
func newScanner(text io.Reader, limit int) (*xmlscan.Scanner, error) {
	return xmlscan.New(text, xmlscan.Config{TextBytes: limit, TokenBytes: limit, Depth: maxDepth, Decoded: true, NUL: true, HTML: true})
}

func damagedError(problem intray.Message) error {
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// appendContent appends the text of the element that has just started, including the text of its
// children, and moves to the end of the element. The text can be up to limit bytes long.
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

// attrText returns the value of an attribute, or "" if the element does not have it.
// Invalid UTF-8 becomes U+FFFD.
func attrText(s *xmlscan.Scanner, name string) (string, error) {
	text, err := s.AttrText(name)
	return strings.ToValidUTF8(text, "\uFFFD"), err
}

// parseIntAttr parses the value of an attribute as a whole number. If the element does not have
// the attribute, it returns the value given by absent. It returns a *source.UnreadableError if
// the value is not a number or is below the minimum, least, and a *source.LimitError if it is
// above the maximum, most.
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
