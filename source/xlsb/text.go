package xlsb

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// lengthBytes is the size of the length of a text.
	lengthBytes = 4
	// noText is the length of a text that is missing.
	noText = 0xFFFFFFFF
)

// cutText returns the UTF-16 text at the beginning of raw, and the bytes after it. The text is nil
// if it is missing.
func cutText(raw []byte) (text, rest []byte, ok bool) {
	if len(raw) < lengthBytes {
		return nil, nil, false
	}
	length, rest := little.Uint32(raw), raw[lengthBytes:]
	if length == noText {
		return nil, rest, true
	}
	if int64(length) > int64(len(rest)/2) {
		return nil, nil, false
	}
	return rest[:2*length], rest[2*length:], true
}

// text returns the UTF-16 text at an offset of the current body, which is preceded by its length.
// ok is false if the body is too short for it, or if there is no text. The text can have at most
// limit characters.
func (r *recordReader) text(offset, limit int) (raw []byte, ok bool, err error) {
	head, err := r.body(offset + lengthBytes)
	if err != nil || len(head) < offset+lengthBytes {
		return nil, false, err
	}
	length := little.Uint32(head[offset:])
	if length == noText {
		return nil, false, nil
	}
	if int64(length) > int64(limit) {
		return nil, false, r.textTooLong(limit)
	}
	end := offset + lengthBytes + 2*int(length)
	body, err := r.body(end)
	if err != nil || len(body) < end {
		return nil, false, err
	}
	return body[offset+lengthBytes:], true, nil
}

func (r *recordReader) textTooLong(limit int) error {
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_text_too_long", intray.Params{"part": source.Excerpt(r.part), "limit": limit})}
}

// appendUTF16 appends text in UTF-16LE. Unpaired surrogates become U+FFFD.
func appendUTF16(dst, raw []byte) []byte {
	const notASCII = 0xFF80FF80FF80FF80
	for len(raw) >= 2 {
		if len(raw) >= 8 {
			if four := little.Uint64(raw); four&notASCII == 0 {
				dst = append(dst, byte(four), byte(four>>16), byte(four>>32), byte(four>>48))
				raw = raw[8:]
				continue
			}
		}
		c := rune(little.Uint16(raw))
		raw = raw[2:]
		if utf16.IsSurrogate(c) {
			low := utf8.RuneError
			if len(raw) >= 2 {
				low = rune(little.Uint16(raw))
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				raw = raw[2:]
			}
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}
