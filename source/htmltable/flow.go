package htmltable

import (
	"bytes"
	"unicode/utf8"
)

// nbsp is the space that does not break, and stays.
const nbsp = "\u00A0"

// flow turns the texts and tags of a cell into what a browser shows.
type flow struct {
	buf []byte
	// dry says that only whether there is any text is asked for.
	dry bool
	// space, breaks and block wait for the next character: white space, <br>s,
	// and an edge between lines.
	space, block bool
	breaks       int
	// pre counts the elements that keep white space; run says that the text is
	// what Excel pads a number with.
	pre int
	run bool
	// unseen is the element whose text is not shown, depth how many of its name
	// are open, lost whether any text was left out so.
	unseen string
	depth  int
	lost   bool
}

// reset begins a new cell.
func (f *flow) reset() {
	*f = flow{buf: f.buf[:0], lost: f.lost}
}

// text adds text.
func (f *flow) text(text []byte) {
	if f.depth > 0 {
		f.lost = f.lost || isHiddenText(f.unseen) && len(bytes.TrimSpace(text)) > 0
		return
	}
	if f.dry && len(f.buf) > 0 {
		return
	}
	if f.pre > 0 {
		f.flush()
		f.buf = append(f.buf, text...)
		return
	}
	if f.run {
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

// isHiddenText says whether what is left out of an element would be text, not
// program text or the like.
func isHiddenText(name string) bool { return tagOf([]byte(name)) != tagUnseen }

// flush writes the white space that waits.
func (f *flow) flush() {
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

// tag takes a tag within the cell.
func (f *flow) tag(t *tokens) {
	switch {
	case f.depth > 0:
		f.within(t)
	case t.starts && t.tag != tagVoid && t.tag != tagBreak && (t.tag == tagUnseen || t.hidden()):
		f.unseen, f.depth = string(t.name), 1
	case t.tag == tagBreak:
		f.breaks = min(f.breaks+1, 100)
	case t.tag == tagBlock:
		f.block = true
	case t.tag == tagPre:
		f.block = true
		if t.starts {
			f.pre++
		} else {
			f.pre = max(f.pre-1, 0)
		}
	case t.tag == tagSpan:
		f.run = t.starts && styleHas(t.attr("style"), "mso-spacerun", "yes")
	case t.starts && t.tag == tagVoid && string(t.name) == "input":
		f.input(t)
	}
}

// within takes a tag where nothing is shown.
func (f *flow) within(t *tokens) {
	if string(t.name) != f.unseen {
		return
	}
	if t.starts {
		f.depth++
	} else if t.ends {
		f.depth--
	}
}

// input shows the value of a field that one types into.
func (f *flow) input(t *tokens) {
	switch t.attr("type") {
	case "", "text", "number", "date", "datetime-local", "time", "email", "tel", "url", "month", "week":
		f.text([]byte(t.attr("value")))
	}
}

// finish gives the text of the cell, empty where it shows nothing but space.
func (f *flow) finish() []byte {
	text := f.buf
	if f.pre > 0 || bytes.IndexByte(text, '\n') >= 0 {
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

// isBlank says whether a text is only space, which pages write into cells so
// that browsers draw their frames.
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
