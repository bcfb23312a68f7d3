package xlsx

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
)

// appendContent appends the text of the element that has just started, excluding that
// of its children, and moves to the end of the element.
func appendContent(s *xmlscan.Scanner, dst []byte) ([]byte, error) {
	from := len(dst)
	for {
		found, err := s.Next()
		switch {
		case err != nil:
			return dst, err
		case found == xmlscan.End:
			return dst, s.CheckText(len(dst) - from)
		case found == xmlscan.Start:
			err = s.Skip()
		case s.CDATA:
			dst = append(dst, s.Text...)
		default:
			dst, err = s.Decode(dst, s.Text)
		}
		if err == nil {
			err = s.CheckText(len(dst) - from)
		}
		if err != nil {
			return dst, err
		}
	}
}

// unescape resolves _xHHHH_, which workbooks use for characters that XML does not
// allow. It reuses the memory of text.
func unescape(text []byte) []byte {
	first := bytes.Index(text, []byte("_x"))
	if first < 0 {
		return text
	}
	out := text[:first]
	for i := first; i < len(text); {
		c, size := decodeEscape(text[i:])
		if size == 0 {
			out = append(out, text[i])
			i++
			continue
		}
		out = utf8.AppendRune(out, c)
		i += size
	}
	return out
}

// escapeBytes is the length of _xHHHH_, in bytes.
const escapeBytes = 7

// decodeEscape decodes the escape at the beginning of text, or a surrogate pair of two
// escapes. If text does not start with an escape, the size is 0.
func decodeEscape(text []byte) (c rune, size int) {
	unit, ok := decodeEscapeUnit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(unit) {
		return unit, escapeBytes
	}
	if low, ok := decodeEscapeUnit(text[escapeBytes:]); ok {
		if c := utf16.DecodeRune(unit, low); c != utf8.RuneError {
			return c, 2 * escapeBytes
		}
	}
	return 0, 0
}

func decodeEscapeUnit(text []byte) (rune, bool) {
	if len(text) < escapeBytes || text[0] != '_' || text[1] != 'x' || text[escapeBytes-1] != '_' {
		return 0, false
	}
	var unit rune
	for _, c := range text[2 : escapeBytes-1] {
		switch {
		case c >= '0' && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			unit = unit<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}

// appendRichText appends the text of the shared or inline string that has just started,
// including its runs but not its phonetic readings (rPh). It moves to the end of the element.
func appendRichText(s *xmlscan.Scanner, dst []byte) ([]byte, error) {
	from := len(dst)
	for {
		more, err := s.NextChild()
		if err != nil {
			return dst, err
		}
		if !more {
			break
		}
		switch string(s.Name) {
		case "t":
			dst, err = appendText(s, dst)
		case "r":
			dst, err = appendRun(s, dst)
		default:
			err = s.Skip()
		}
		if err == nil {
			err = s.CheckText(len(dst) - from)
		}
		if err != nil {
			return dst, err
		}
	}
	text := unescape(dst[from:])
	if !utf8.Valid(text) {
		return dst, s.Malformed(intray.NewMessage("xml.not_utf8", nil))
	}
	return dst[:from+len(text)], nil
}

// appendRun appends the text of one run of a rich text string.
func appendRun(s *xmlscan.Scanner, dst []byte) ([]byte, error) {
	for {
		more, err := s.NextChild()
		if err != nil || !more {
			return dst, err
		}
		if string(s.Name) == "t" {
			dst, err = appendText(s, dst)
		} else {
			err = s.Skip()
		}
		if err != nil {
			return dst, err
		}
	}
}

// appendText appends the text of the t element that has just started. White space at
// its ends is trimmed unless the file preserves it.
func appendText(s *xmlscan.Scanner, dst []byte) ([]byte, error) {
	from, kept := len(dst), string(s.Attr("space")) == "preserve"
	dst, err := appendContent(s, dst)
	if err != nil || kept {
		return dst, err
	}
	return append(dst[:from], trimSpace(dst[from:])...), nil
}

// trimSpace removes leading and trailing XML white space.
func trimSpace(text []byte) []byte {
	for len(text) > 0 && xmlscan.IsSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && xmlscan.IsSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}
