package ods

import (
	"bytes"

	"github.com/intraydata/intray/internal/xmlscan"
)

// cellLeaf matches the content of most cells: one paragraph of plain text.
var cellLeaf = xmlscan.NewLeaf("table:table-cell", "text:p")

// readLeaf returns the text of a cell that matches cellLeaf. If ok is false, readLeaf has read
// nothing.
func (r *rows) readLeaf() (text []byte, ok bool) {
	if r.scan.NamespaceOf([]byte("text")) != nsText {
		return nil, false
	}
	return r.scan.ReadLeaf(&cellLeaf)
}

// readParagraphs appends the paragraphs of the cell that has just started to textBuf,
// one per line, and moves to the end of the cell. It reports whether the cell has any
// paragraphs. It skips notes, drawings and tables within the cell.
func (r *rows) readParagraphs() (written bool, err error) {
	s, from := r.scan, len(r.textBuf)
	for depth := s.Depth(); ; {
		found, err := s.Next()
		switch {
		case err != nil:
			return false, err
		case s.Depth() < depth:
			return written, nil
		case found != xmlscan.Start:
			continue
		}
		switch r.roleOfElement() {
		case roleParagraph:
			if written {
				r.textBuf = append(r.textBuf, '\n')
			}
			written = true
			err = r.readParagraph(from)
		case roleGroup:
		default:
			err = s.SkipUnchecked()
		}
		if err != nil {
			return false, err
		}
	}
}

// elementRole is the meaning of an element within a cell.
type elementRole uint8

const (
	roleOther elementRole = iota
	roleParagraph
	roleGroup
)

// roleOfElement returns the role of the element that has just started.
func (r *rows) roleOfElement() elementRole {
	if r.scan.NamespaceOf(r.scan.Prefix()) != nsText {
		return roleOther
	}
	switch string(r.scan.Name) {
	case "p", "h":
		return roleParagraph
	case "list", "list-item", "list-header", "section":
		return roleGroup
	}
	return roleOther
}

// readParagraph appends the text of the paragraph that has just started. The text of the cell
// starts at the offset in textBuf given by from.
func (r *rows) readParagraph(from int) error {
	s, p := r.scan, paragraph{from: len(r.textBuf)}
	for depth := s.Depth(); ; {
		found, err := s.Next()
		switch {
		case err != nil:
			return err
		case s.Depth() < depth:
			r.textBuf = p.finish(r.textBuf)
			return nil
		case found == xmlscan.Text:
			err = r.addText(&p)
		case found == xmlscan.Start:
			err = r.addInline(from)
		}
		if err == nil && len(r.textBuf)-from > r.limits.CellBytes {
			err = s.TextTooLong()
		}
		if err != nil {
			return err
		}
	}
}

// addText appends the current text token.
func (r *rows) addText(p *paragraph) (err error) {
	s := r.scan
	for raw := s.Text; len(raw) > 0; {
		size := bytes.IndexAny(raw, "\r\n")
		if size < 0 {
			size = len(raw)
		}
		// White space before a line end is layout, not text.
		plain := raw[:size]
		if size < len(raw) {
			plain = bytes.TrimRight(plain, " \t")
		}
		if s.CDATA {
			r.textBuf = append(r.textBuf, plain...)
		} else if r.textBuf, err = s.Decode(r.textBuf, plain); err != nil {
			return err
		}
		if raw = raw[size:]; len(raw) > 0 {
			raw = bytes.TrimLeft(raw, " \t\r\n")
			r.textBuf = p.appendSpace(r.textBuf)
		}
	}
	return nil
}

// addInline appends the text that an element within a paragraph represents, such as a
// tab. The text inside spans, links and fields follows as tokens.
func (r *rows) addInline(from int) error {
	s := r.scan
	switch s.NamespaceOf(s.Prefix()) {
	case nsOffice, nsDraw, nsTable: // notes and drawings
		return s.SkipUnchecked()
	case nsText:
	default:
		return nil
	}
	switch string(s.Name) {
	case "s":
		return r.addSpaces(from)
	case "tab":
		r.textBuf = append(r.textBuf, '\t')
	case "line-break":
		r.textBuf = append(r.textBuf, '\n')
	case "note", "ruby-text":
		return s.SkipUnchecked()
	}
	return nil
}

// addSpaces appends a run of spaces that is stored as a count.
func (r *rows) addSpaces(from int) error {
	n, err := r.parseRepeat(r.scan.AttrIn(nsText, "c"))
	if err != nil {
		return err
	}
	if int64(len(r.textBuf)-from)+n > int64(r.limits.CellBytes) {
		return r.scan.TextTooLong()
	}
	if err := r.addRepeated(n - 1); err != nil {
		return err
	}
	for range n {
		r.textBuf = append(r.textBuf, ' ')
	}
	return nil
}

// paragraph distinguishes text from XML layout. White space that contains a line end is
// layout: it counts as one space, or as nothing at either end of a paragraph.
// Applications treat all other white space as text, and so does this package.
type paragraph struct {
	from int
	// layout is the length of the text up to and including the last space that replaces
	// layout, or 0.
	layout int
}

// appendSpace appends a space in place of layout.
func (p *paragraph) appendSpace(text []byte) []byte {
	if len(text) == p.from || len(text) == p.layout {
		return text
	}
	text = append(text, ' ')
	p.layout = len(text)
	return text
}

// finish drops the space that replaces layout at the end of the paragraph, if any.
func (p *paragraph) finish(text []byte) []byte {
	if len(text) == p.layout && p.layout > 0 {
		return text[:len(text)-1]
	}
	return text
}
