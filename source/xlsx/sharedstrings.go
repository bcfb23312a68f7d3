package xlsx

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
)

// readSharedStrings reads the shared strings from the part with the given name. If name
// is "", the result is empty.
func readSharedStrings(ctx context.Context, arc *ooxml.Archive, name string, limits Limits) (*ooxml.SharedStrings, error) {
	t := ooxml.NewSharedStrings(ooxml.StringLimits{Strings: limits.Strings, Bytes: limits.StringBytes, TempDir: limits.TempDir})
	if name == "" {
		return t, nil
	}
	p, err := arc.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	s, err := arc.NewScanner(p, name)
	if err == nil {
		err = readStringTable(s, t, limits.CellBytes)
	}
	if err == nil {
		err = t.Finish()
	}
	if err != nil {
		return nil, errors.Join(zipfile.Cause(ctx, err), t.Close())
	}
	return t, nil
}

func readStringTable(s *xmlscan.Scanner, t *ooxml.SharedStrings, longest int) error {
	if err := s.OpenRoot("sst"); err != nil {
		return err
	}
	var text []byte
	for {
		if err := readPlainStrings(s, t, longest); err != nil {
			return err
		}
		more, err := s.NextChild()
		if err != nil || !more {
			return err
		}
		if string(s.Name) != "si" {
			if err := s.Skip(); err != nil {
				return err
			}
			continue
		}
		if text, err = appendRichText(s, text[:0]); err != nil {
			return err
		}
		if err := t.Add(text); err != nil {
			return err
		}
	}
}

const (
	stringOpen = "<si><t>"
	stringShut = "</t></si>"
)

// readPlainStrings reads the strings that follow and are text without runs, references and escapes. It
// stops at any other string, at one that is longer than the given number of bytes, and at one that is not
// entirely in the buffer.
func readPlainStrings(s *xmlscan.Scanner, t *ooxml.SharedStrings, longest int) error {
	b, read := s.Peek(), 0
	for rest := b; bytes.HasPrefix(rest, []byte(stringOpen)); rest = b[read:] {
		rest = rest[len(stringOpen):]
		size := bytes.IndexByte(rest, '<')
		if size < 0 || size > longest || !bytes.HasPrefix(rest[size:], []byte(stringShut)) || !isPlain(rest[:size]) {
			break
		}
		if err := t.Add(rest[:size]); err != nil {
			return err
		}
		read += len(stringOpen) + size + len(stringShut)
	}
	s.Consume(read)
	return nil
}

// isPlain reports whether text is valid UTF-8 that means itself: without references, line ends to
// convert, escapes, and white space at its ends.
func isPlain(text []byte) bool {
	if len(text) > 0 && (xmlscan.IsSpace(text[0]) || xmlscan.IsSpace(text[len(text)-1])) {
		return false
	}
	if isSimpleASCII(text) {
		return true
	}
	return bytes.IndexByte(text, '&') < 0 && bytes.IndexByte(text, '\r') < 0 && !bytes.Contains(text, []byte("_x")) && utf8.Valid(text)
}

// isSimpleASCII reports whether text has only ASCII characters, and none of &, _ and carriage return. It
// may be false for other text too, because a byte that matches borrows from the next one.
func isSimpleASCII(text []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	found := uint64(0)
	for ; len(text) >= 8; text = text[8:] {
		w := word(text)
		found |= w | (w ^ '&'*ones - ones) | (w ^ '_'*ones - ones) | (w ^ '\r'*ones - ones)
	}
	for _, c := range text {
		if c == '&' || c == '_' || c == '\r' {
			return false
		}
		found |= uint64(c)
	}
	return found&tops == 0
}
