package htmltable

import (
	"bytes"
	"unicode/utf8"
)

// nbsp is the no-break space, which browsers do not collapse.
const nbsp = "\u00A0"

// textFlow converts the text and tags of a cell to the text that a browser displays.
type textFlow struct {
	buf []byte
	// countOnly is true if only the presence of text matters.
	countOnly bool
	// space, block and breaks are white space, the edge of a block, and line breaks.
	// They are pending until the next character.
	space, block bool
	breaks       int
	// preDepth counts the open elements that preserve white space. spacerun is true
	// within the padding that Excel writes before numbers.
	preDepth int
	spacerun bool
	// hiddenElement is the name of the element whose text is hidden. hiddenDepth is the number
	// of open elements with that name. hiddenText is true if any text was skipped.
	hiddenElement string
	hiddenDepth   int
	hiddenText    bool
}

// reset prepares for the next cell.
func (f *textFlow) reset() {
	*f = textFlow{buf: f.buf[:0], hiddenText: f.hiddenText}
}

// addText adds text to the cell. It collapses white space as browsers do.
func (f *textFlow) addText(text []byte) {
	if f.hiddenDepth > 0 {
		f.hiddenText = f.hiddenText || isDisplayableElement(f.hiddenElement) && len(bytes.TrimSpace(text)) > 0
		return
	}
	if f.countOnly && len(f.buf) > 0 {
		return
	}
	if f.preDepth > 0 {
		f.flush()
		f.buf = append(f.buf, text...)
		return
	}
	if f.spacerun {
		text = bytes.ReplaceAll(text, []byte(nbsp), []byte(" "))
	}
	for len(text) > 0 {
		n := 0
		for n < len(text) && !isSpace(text[n]) {
			n++
		}
		if n > 0 {
			f.flush()
			f.buf = append(f.buf, text[:n]...)
		}
		for n < len(text) && isSpace(text[n]) {
			n, f.space = n+1, true
		}
		text = text[n:]
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// isDisplayableElement reports whether the content of an element is text rather than
// program code.
func isDisplayableElement(name string) bool { return parseTag([]byte(name)) != tagHidden }

// flush appends the pending white space.
func (f *textFlow) flush() {
	if f.block {
		f.breaks = max(f.breaks, 1)
	}
	if len(f.buf) > 0 {
		for range f.breaks {
			f.buf = append(f.buf, '\n')
		}
		if f.space && f.breaks == 0 && f.buf[len(f.buf)-1] != '\n' {
			f.buf = append(f.buf, ' ')
		}
	}
	f.space, f.block, f.breaks = false, false, 0
}

// handleTag handles a tag within the cell.
func (f *textFlow) handleTag(t *tokenizer) {
	switch {
	case f.hiddenDepth > 0:
		f.handleHiddenTag(t)
	case t.isStart && t.tag != tagVoid && t.tag != tagBreak && (t.tag == tagHidden || t.isHidden()):
		f.hiddenElement, f.hiddenDepth = string(t.name), 1
	case t.tag == tagBreak:
		f.breaks = min(f.breaks+1, 100)
	case t.tag == tagBlock:
		f.block = true
	case t.tag == tagPre:
		f.block = true
		if t.isStart {
			f.preDepth++
		} else {
			f.preDepth = max(f.preDepth-1, 0)
		}
	case t.tag == tagSpan:
		f.spacerun = t.isStart && styleHas(t.attrValue("style"), "mso-spacerun", "yes")
	case t.isStart && t.tag == tagVoid && string(t.name) == "input":
		switch t.attrValue("type") {
		case "", "text", "number", "date", "datetime-local", "time", "email", "tel", "url", "month", "week":
			f.addText([]byte(t.attrValue("value")))
		}
	}
}

// handleHiddenTag handles a tag within a hidden element.
func (f *textFlow) handleHiddenTag(t *tokenizer) {
	if string(t.name) != f.hiddenElement {
		return
	}
	if t.isStart {
		f.hiddenDepth++
	} else if t.isEnd {
		f.hiddenDepth--
	}
}

// finish returns the text of the cell, or nil if it is blank.
func (f *textFlow) finish() []byte {
	text := f.buf
	if f.preDepth > 0 || bytes.IndexByte(text, '\n') >= 0 {
		text = bytes.Trim(text, "\n")
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if isBlank(text) {
		return nil
	}
	return text
}

// isBlank reports whether text consists only of white space. Many pages have a no-break
// space in each empty cell, so that browsers draw its border.
func isBlank(text []byte) bool {
	for len(text) > 0 {
		switch {
		case isSpace(text[0]):
			text = text[1:]
		case bytes.HasPrefix(text, []byte(nbsp)):
			text = text[len(nbsp):]
		default:
			return false
		}
	}
	return true
}
