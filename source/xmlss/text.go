package xmlss

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// child moves to the next element within the one that is open, past its texts.
// It gives false at the end of the open element. Each child must be read to its
// end.
func (s *scanner) child() (bool, error) {
	for {
		kind, err := s.next()
		if err != nil {
			return false, err
		}
		if kind != tokenText {
			return kind == tokenStart, nil
		}
	}
}

// is says whether the element that has just started has a name.
func (s *scanner) is(name string) bool { return string(local(s.name)) == name }

// skip moves to the end of the element that has just started.
func (s *scanner) skip() error {
	for depth := len(s.begins); len(s.begins) >= depth; {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// content appends the text of the element that has just started with that of
// its children, at most most bytes, and moves to its end.
func (s *scanner) content(dst []byte, most int) ([]byte, error) {
	from := len(dst)
	for depth := len(s.begins); len(s.begins) >= depth; {
		kind, err := s.next()
		switch {
		case err != nil:
			return dst, err
		case kind != tokenText:
		case s.literal:
			dst = append(dst, s.text...)
		default:
			if dst, err = appendText(dst, s.text); err != nil {
				return dst, err
			}
		}
		if len(dst)-from > most {
			return dst, &source.LimitError{Reason: intray.NewMessage("cell.too_long", intray.Params{"limit": most})}
		}
	}
	if !utf8.Valid(dst[from:]) {
		dst = append(dst[:from], bytes.ToValidUTF8(dst[from:], []byte("\uFFFD"))...)
	}
	return dst, nil
}

// attr gives the value of an attribute as it is written, by its name without a
// prefix; nil where there is none.
func (s *scanner) attr(name string) []byte {
	key, value, rest := attribute(s.attrs)
	for ; key != nil; key, value, rest = attribute(rest) {
		if string(local(key)) == name {
			return value
		}
	}
	return nil
}

// attribute takes the first attribute; key is nil where there is none, or where
// it cannot be read.
func attribute(attrs []byte) (key, value, rest []byte) {
	for len(attrs) > 0 && isSpace(attrs[0]) {
		attrs = attrs[1:]
	}
	equals := bytes.IndexByte(attrs, '=')
	if equals < 1 {
		return nil, nil, nil
	}
	key, rest = bytes.TrimRight(attrs[:equals], " \t\r\n"), attrs[equals+1:]
	for len(rest) > 0 && isSpace(rest[0]) {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return nil, nil, nil
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return nil, nil, nil
	}
	return key, rest[1 : end+1], rest[end+2:]
}

// attrText gives the text of an attribute, "" where there is none.
func (s *scanner) attrText(name string) (string, error) {
	text, err := appendText(nil, s.attr(name))
	return string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), err
}

// attrTrue says whether an attribute is there and true.
func (s *scanner) attrTrue(name string) bool {
	value := string(s.attr(name))
	return value == "1" || value == "true"
}

// whole reads an attribute that is a whole number from least to most; where
// there is none it is absent.
func whole(value []byte, least, most, absent int64) (int64, error) {
	if value == nil {
		return absent, nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < least {
		return 0, damaged(intray.NewMessage("xmlss.bad_number", intray.Params{"number": source.Excerpt(string(value)), "least": least}))
	}
	if n > most {
		return 0, &source.LimitError{Reason: intray.NewMessage("xmlss.index_beyond_limit", intray.Params{"index": n, "limit": most})}
	}
	return n, nil
}

// appendText appends a raw text with its references and line ends resolved.
func appendText(dst, raw []byte) ([]byte, error) {
	for len(raw) > 0 {
		n := 0
		for n < len(raw) && raw[n] != '&' && raw[n] != '\r' {
			n++
		}
		dst = append(dst, raw[:n]...)
		if n == len(raw) {
			break
		}
		raw = raw[n:]
		if raw[0] == '\r' {
			dst = append(dst, '\n')
			raw = bytes.TrimPrefix(raw[1:], []byte("\n"))
			continue
		}
		end := bytes.IndexByte(raw[:min(len(raw), longestReference)], ';')
		c, ok := reference(raw[1:max(end, 1)])
		if !ok {
			return dst, broken(intray.NewMessage("xml.invalid_entity", nil))
		}
		dst = utf8.AppendRune(dst, c)
		raw = raw[end+1:]
	}
	return dst, nil
}

// longestReference is how long a reference can be.
const longestReference = 12

// reference gives the character that a name between & and ; stands for.
func reference(name []byte) (rune, bool) {
	switch string(name) {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	case "nbsp": // of HTML; some programs write it all the same
		return '\u00A0', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := string(name[1:]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return rune(n), err == nil && n <= utf8.MaxRune && utf8.ValidRune(rune(n))
}
