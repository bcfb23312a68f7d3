package htmltable

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textinput"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
)

const (
	// sampleBytes is the number of bytes of a page that are read to detect its encoding.
	sampleBytes = 1 << 20
	// declaredBytes is the number of bytes of a page that are searched for a declared encoding.
	declaredBytes = 64 << 10
	// readBytes is the number of bytes to read at a time.
	readBytes = 128 << 10
	// minConfidence is the confidence below which the encoding is assumed to be
	// windows-1252, as in browsers.
	minConfidence = 0.3
)

// page is one HTML document in a file.
type page struct {
	in    source.Input
	guess charset.Guess
	// archive is nil if the page is the whole file.
	archive *mhtmlArchive
	part    part
	// formats and epoch1904 are set by readPageInfo.
	formats   *formats
	epoch1904 bool
}

// newReader returns a reader of the page as UTF-8, starting at the given offset in the UTF-8
// text.
func (p *page) newReader(at int64) (io.Reader, error) {
	direct := p.guess.Encoding == charset.UTF8
	skip := int64(p.guess.BOM)
	if direct {
		skip, at = skip+at, 0
	}
	raw, err := p.newRawReader(skip)
	if err != nil || direct {
		return raw, err
	}
	text := charset.NewReader(raw, p.guess.Encoding)
	return text, textinput.Discard(text, at)
}

// newRawReader returns a reader of the bytes of the page, starting at the given offset.
func (p *page) newRawReader(at int64) (io.Reader, error) {
	if p.archive == nil {
		return bufio.NewReaderSize(textinput.NewReader(p.in, at), readBytes), nil
	}
	raw, err := p.archive.openPart(p.in, p.part)
	if err != nil {
		return nil, err
	}
	return raw, textinput.Discard(raw, at)
}

// findEncoding determines the encoding of the page. asked is the requested encoding, or
// "". declared is the encoding that is declared outside the page, or "".
func (p *page) findEncoding(ctx context.Context, asked, declared string) error {
	raw, err := p.newRawReader(0)
	if err != nil {
		return err
	}
	sample, err := io.ReadAll(io.LimitReader(raw, sampleBytes))
	if err != nil {
		return err
	}
	whole := len(sample) < sampleBytes
	p.guess = charset.Detect(sample, whole)
	if p.guess.ASCII && !whole && asked == "" {
		if err := p.scanForNonASCII(ctx, raw); err != nil {
			return err
		}
	}
	if asked != "" {
		return textinput.Request(&p.guess, asked, source.Excerpt(asked))
	}
	if declared == "" {
		declared = declaredEncoding(sample[:min(len(sample), declaredBytes)])
	}
	p.reconcileEncoding(declared)
	return nil
}

// reconcileEncoding chooses between the declared and the detected encoding.
func (p *page) reconcileEncoding(declared string) {
	encoding, known := webEncoding(declared)
	g := &p.guess
	wide := strings.HasPrefix(g.Encoding.Name(), "UTF-16") || strings.HasPrefix(g.Encoding.Name(), "UTF-32")
	strict := g.Encoding == charset.UTF8 && g.Invalid == 0
	switch {
	case g.BOM > 0 || wide:
	case !known && g.Confidence < minConfidence:
		fallback, _ := charset.Lookup("windows-1252")
		*g = charset.Guess{Encoding: fallback, Second: &charset.Second{Encoding: g.Encoding, Confidence: g.Confidence, Preview: g.Preview},
			Reason: intray.NewMessage("encoding.page_default", nil)}
	case !known:
	case encoding == charset.UTF8 && strict:
		g.Confidence, g.Reason, g.Second = 1, intray.NewMessage("encoding.page_declares_valid", nil), nil
	case encoding == charset.UTF8:
		g.Reason = intray.JoinMessages(intray.NewMessage("encoding.page_not_utf8", nil), g.Reason)
	case strict && !g.ASCII && g.Confidence >= charset.Sure:
		g.Reason = intray.NewMessage("encoding.page_declares_other", intray.Params{"encoding": encoding.Name(), "reason": g.Reason})
	case encoding == g.Encoding:
		g.Confidence, g.Reason, g.Second = 1, intray.NewMessage("encoding.page_declares", nil), nil
	default:
		*g = charset.Guess{Encoding: encoding, Confidence: 1, Reason: intray.NewMessage("encoding.page_declares", nil), ASCII: g.ASCII}
	}
}

// scanForNonASCII searches the rest of the page, after the sample, for characters
// beyond ASCII. If it finds any, it updates the guess.
func (p *page) scanForNonASCII(ctx context.Context, raw io.Reader) error {
	var check charset.Checker
	chunk := make([]byte, readBytes)
	for check.FirstInvalid() < 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(raw, chunk)
		_, _ = check.Write(chunk[:n])
		if check.FirstInvalid() >= 0 {
			p.guess = charset.Detect(chunk[:n], false)
			p.guess.BOM = 0
			return nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if !check.ASCII() {
		p.guess.Reason, p.guess.ASCII = intray.NewMessage("encoding.utf8_throughout", nil), false
	}
	return nil
}

// encodingEvidence returns evidence for the encodings of the pages, once for each encoding.
func encodingEvidence(pages []*page) (list []intray.Evidence) {
	seen := map[string]bool{}
	for _, p := range pages {
		e := textinput.Evidence(p.guess)
		if !seen[e.Value] {
			list = append(list, e)
		}
		seen[e.Value] = true
	}
	return list
}

// webEncoding returns the encoding that browsers use for a label. For some labels, this is a
// larger character set than the label indicates (encoding.spec.whatwg.org). For UTF-16 and
// UTF-32 labels, webEncoding returns UTF-8, because a page whose label was read as ASCII cannot
// be in these encodings.
func webEncoding(label string) (charset.Encoding, bool) {
	encoding, known := charset.Lookup(label)
	wider := ""
	switch name := encoding.Name(); {
	case !known || label == "":
		return encoding, false
	case name == "ISO-8859-1":
		wider = "windows-1252"
	case name == "ISO-8859-9":
		wider = "windows-1254"
	case strings.HasPrefix(name, "UTF-16") || strings.HasPrefix(name, "UTF-32"):
		wider = "UTF-8"
	default:
		return encoding, true
	}
	return charset.Lookup(wider)
}

// declaredEncoding returns the encoding that a page declares in a meta tag or an XML
// declaration, or "".
func declaredEncoding(head []byte) string {
	if rest, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<?xml")); ok {
		end := max(bytes.Index(rest, []byte("?>")), 0)
		if _, value, found := strings.Cut(string(rest[:end]), "encoding"); found {
			return strings.Trim(strings.SplitN(strings.TrimLeft(value, " =\t\r\n"), " ", 2)[0], `"'`)
		}
	}
	t := newTokenizer(context.Background(), bytes.NewReader(head), declaredBytes)
	for t.next() == nil {
		if t.tag == tagTable && t.isStart {
			break
		}
		if t.isStart && string(t.name) == "meta" {
			if label := t.attrValue("charset"); label != "" {
				return label
			}
			_, label, found := strings.Cut(strings.ToLower(t.attrValue("content")), "charset=")
			if found && strings.EqualFold(t.attrValue("http-equiv"), "content-type") {
				label, _, _ = strings.Cut(label, ";")
				return strings.Trim(label, " \"'")
			}
		}
	}
	return ""
}
