package csv

import (
	"bytes"
	"strings"

	"github.com/intraydata/intray"
)

// hasTextNULs reports whether a file that starts with head is text whose NUL bytes are empty cells
// or padding: it has lines, hardly any other control characters, and at most half of it is NUL bytes,
// where adjacent ones count as one.
func hasTextNULs(head []byte) bool {
	if len(head) > 262 && bytes.HasPrefix(head[257:], []byte("ustar")) {
		return false
	}
	runs, others, controls, lines := 0, 0, 0, 0
	before := byte(' ')
	for _, c := range head {
		switch {
		case c == 0 && before != 0:
			runs++
		case c == 0:
		case c == '\n' || c == '\r':
			lines++
			others++
		case c < ' ' && c != '\t' && c != '\f' || c == 0x7F:
			controls++
		default:
			others++
		}
		before = c
	}
	return lines > 0 && runs <= others && 500*controls <= others
}

// cleanNULs returns the text of a cell without the NUL bytes that pad it, and with U+FFFD instead of
// the others. A cell that consists of NUL bytes and spaces is empty.
func cleanNULs(cell string) string {
	if strings.IndexByte(cell, 0) < 0 {
		return cell
	}
	if strings.Trim(cell, "\x00 ") == "" {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(cell, "\x00"), "\x00", "\uFFFD")
}

// blankNULs returns text with spaces instead of NUL bytes. It returns text itself if there are none.
func blankNULs(text []byte) []byte {
	if bytes.IndexByte(text, 0) < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{0}, []byte{' '})
}

// isBlankOrNULs reports whether b contains nothing but white space and NUL bytes.
func isBlankOrNULs(b []byte) bool {
	for len(b) > 0 {
		if b = bytes.TrimSpace(b); len(b) > 0 && b[0] != 0 {
			return false
		}
		b = bytes.TrimLeft(b, "\x00")
	}
	return true
}

// nulCount counts the NUL bytes of a file. line is the line of the first one.
type nulCount struct{ bytes, line int64 }

// add counts the NUL bytes of a row that starts on the given line.
func (n *nulCount) add(row []byte, line int64) {
	found := int64(bytes.Count(row, []byte{0}))
	if n.bytes += found; n.line == 0 && found > 0 {
		if at := bytes.IndexByte(row, 0); at > 0 {
			line += countLineBreaks(row[:at])
		}
		n.line = line
	}
}

// blank replaces the NUL bytes of text, which starts on the given line, with spaces and counts them.
func (n *nulCount) blank(text []byte, line int64) {
	n.add(text, line)
	for at := bytes.IndexByte(text, 0); at >= 0 && at < len(text); at++ {
		if text[at] == 0 {
			text[at] = ' '
		}
	}
}

// report adds a notice about the NUL bytes, if there are any, and forgets them.
func (n *nulCount) report(batch *intray.Records) {
	if n.bytes > 0 {
		batch.Notices = append(batch.Notices, intray.Notice{Type: intray.EncodingUncertain, Level: intray.LevelWarning,
			Text: intray.NewMessage("csv.nul_bytes", intray.Params{"n": n.bytes, "line": n.line})})
	}
	*n = nulCount{}
}
