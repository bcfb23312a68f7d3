package csv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
	"github.com/intraydata/intray/internal/textinput"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
)

// decodedText is a file decoded to UTF-8 text.
type decodedText struct {
	in    source.Input
	guess charset.Guess
	units units
	// sample is the beginning of the text. whole reports whether the sample is the whole text.
	sample []byte
	whole  bool
	// wrapped reports whether each line is enclosed in quotes that are not part of the text.
	wrapped bool
}

// openText detects the encoding of a file and reads the sample.
func openText(ctx context.Context, in source.Input, name string) (*decodedText, error) {
	raw := make([]byte, min(in.Size, sampleBytes))
	if err := readFullAt(in, raw, 0); err != nil {
		return nil, err
	}
	d := &decodedText{in: in, whole: int64(len(raw)) == in.Size}
	d.guess = charset.Detect(raw, d.whole)
	switch {
	case name != "":
		if err := textinput.Request(&d.guess, name, excerpt(name)); err != nil {
			return nil, err
		}
	case d.guess.ASCII && !d.whole:
		if err := d.scanForNonASCII(ctx); err != nil {
			return nil, err
		}
	}
	d.units = unitsOf(d.guess.Encoding)
	if d.isUTF8() {
		d.sample = raw[d.guess.BOM:]
		return d, nil
	}
	text, err := io.ReadAll(charset.NewReader(bytes.NewReader(raw[d.guess.BOM:]), d.guess.Encoding))
	d.sample = text
	return d, err
}

// isUTF8 reports whether the bytes of the file need no conversion.
func (d *decodedText) isUTF8() bool { return d.guess.Encoding == charset.UTF8 && !d.wrapped }

// readerFrom returns a reader of the text that starts at an offset in the file.
func (d *decodedText) readerFrom(at int64) (io.Reader, error) {
	start := int64(d.guess.BOM)
	if d.units.hasOffsets() {
		start += at
	}
	raw := textinput.NewReader(d.in, start)
	if d.isUTF8() {
		return raw, nil
	}
	var text io.Reader = charset.NewReader(raw, d.guess.Encoding)
	if d.units.hasOffsets() {
		return text, nil
	}
	if d.wrapped {
		text = newUnwrapReader(text)
	}
	return text, textinput.Discard(text, at)
}

// detectBytes is the number of bytes examined around the first invalid UTF-8 byte.
const detectBytes = 256 << 10

// scanForNonASCII searches the whole file for bytes that are not ASCII. If it finds any, it
// updates the guess of the encoding.
func (d *decodedText) scanForNonASCII(ctx context.Context) error {
	start, err := skipASCII(ctx, d.in)
	if err != nil || start == d.in.Size {
		return err
	}
	var check charset.Checker
	chunk := make([]byte, asciiBytes)
	for at := start; at < d.in.Size && check.FirstInvalid() < 0; at += int64(len(chunk)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk = chunk[:min(int64(len(chunk)), d.in.Size-at)]
		if err := readFullAt(d.in, chunk, at); err != nil {
			return err
		}
		_, _ = check.Write(chunk)
	}
	if check.FirstInvalid() < 0 {
		if !check.ASCII() {
			d.guess.Reason, d.guess.ASCII = intray.NewMessage("encoding.utf8_throughout", nil), false
		}
		return nil
	}
	from := max(0, start+check.FirstInvalid()-detectBytes/2)
	around := make([]byte, min(detectBytes, d.in.Size-from))
	if err := readFullAt(d.in, around, from); err != nil {
		return err
	}
	if i := bytes.IndexAny(around, "\r\n"); from > 0 && i >= 0 {
		around = around[i+1:]
	}
	d.guess = charset.Detect(around, false)
	d.guess.BOM = 0
	return nil
}

// asciiBytes is the number of bytes that one worker of skipASCII examines at a time.
const asciiBytes = 512 << 10

// skipASCII returns an offset before which all bytes of the file are ASCII: its size, or an offset shortly
// before the first other byte. Workers examine parts of the file in parallel.
func skipASCII(ctx context.Context, in source.Input) (int64, error) {
	at := int64(0)
	cut := func(context.Context) (int64, error) {
		if at >= in.Size {
			return 0, io.EOF
		}
		from := at
		at += asciiBytes
		return from, nil
	}
	workers := max(runtime.GOMAXPROCS(0), 1)
	parts := ordered.Start(ctx, workers, 2*workers, cut, func() func(context.Context, int64) (bool, error) {
		part := make([]byte, asciiBytes)
		return func(_ context.Context, from int64) (bool, error) {
			part = part[:min(asciiBytes, in.Size-from)]
			if err := readFullAt(in, part, from); err != nil {
				return false, err
			}
			var check charset.Checker
			_, _ = check.Write(part)
			return check.ASCII(), nil
		}
	})
	defer parts.Close()
	for from := int64(0); ; from += asciiBytes {
		ascii, err := parts.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return in.Size, nil
		case err != nil:
			return 0, err
		case !ascii:
			return from, nil
		}
	}
}

// length returns the length of the file in bytes, without its byte order mark.
func (d *decodedText) length() int64 { return d.in.Size - int64(d.guess.BOM) }

// rawSize returns the approximate number of bytes in the file that decode to the given number
// of UTF-8 bytes.
func (d *decodedText) rawSize(text int) int {
	if d.isUTF8() {
		return text
	}
	return max(d.units.size*text/2, 1)
}

// readChunk reads the part of the file between two offsets. It uses the memory of raw if it is large
// enough, and returns false if reading fails.
func (d *decodedText) readChunk(raw *[]byte, from, to int64) bool {
	*raw = slices.Grow((*raw)[:0], int(to-from))[:to-from]
	return readFullAt(d.in, *raw, from+int64(d.guess.BOM)) == nil
}

// decodeChunk decodes a part of the file to UTF-8. It may overwrite the slice named into and use
// its memory for the result. If the file is UTF-8, it returns raw unchanged.
func (d *decodedText) decodeChunk(into, raw []byte) []byte {
	if d.isUTF8() {
		return raw
	}
	from := charset.NewReader(bytes.NewReader(raw), d.guess.Encoding)
	text := slices.Grow(into[:0], len(raw)/d.units.size*9/8+bytes.MinRead)
	for {
		n, err := from.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err != nil { // EOF is the only error of a reader in memory
			return text
		}
		if len(text) == cap(text) {
			text = slices.Grow(text, bytes.MinRead)
		}
	}
}

// evidence returns the evidence about the encoding.
func (d *decodedText) evidence() intray.Evidence { return textinput.Evidence(d.guess) }

// readFullAt fills b with the bytes of the file that start at an offset.
func readFullAt(in source.Input, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	if n == len(b) && (err == nil || errors.Is(err, io.EOF)) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", at, err)
}

// units converts lengths of decoded text to lengths in the file, for encodings in which the
// text alone determines them. The zero value is for all other encodings. Offsets then refer to
// the decoded text.
type units struct {
	// size is the size of a unit in bytes. It is 1 for UTF-8, which needs no conversion. In all
	// other encodings, a character is one unit, or two units for some characters in UTF-16.
	size      int
	bigEndian bool
	utf8      bool
}

// unitsOf returns the units of an encoding.
func unitsOf(e charset.Encoding) units {
	name := e.Name()
	switch {
	case e == charset.UTF8:
		return units{size: 1, utf8: true}
	case strings.HasPrefix(name, "UTF-16"):
		return units{size: 2, bigEndian: strings.HasSuffix(name, "BE")}
	case strings.HasPrefix(name, "UTF-32"):
		return units{size: 4, bigEndian: strings.HasSuffix(name, "BE")}
	case isASCIISuperset(e):
		return units{size: 1}
	}
	return units{}
}

// isASCIISuperset reports whether an encoding has one byte per character and bytes below 128
// are ASCII.
func isASCIISuperset(e charset.Encoding) bool {
	all := make([]byte, 256)
	for b := range all {
		all[b] = byte(b)
	}
	text, err := io.ReadAll(charset.NewReader(bytes.NewReader(all), e))
	if err != nil || utf8.RuneCount(text) != len(all) || !bytes.HasPrefix(text, all[:utf8.RuneSelf]) {
		return false
	}
	for _, b := range text[utf8.RuneSelf:] {
		if b < utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hasOffsets reports whether offsets in the file can be computed from the text.
func (u units) hasOffsets() bool { return u.size > 0 }

// encodedLength returns the length of text in the file, in bytes.
func (u units) encodedLength(text []byte) int64 {
	switch {
	case u.utf8 || !u.hasOffsets():
		return int64(len(text))
	case u.size == 2:
		n := utf8.RuneCount(text)
		for _, b := range text {
			if b >= 0xF0 { // the first of four bytes, which are a surrogate pair in UTF-16
				n++
			}
		}
		return 2 * int64(n)
	}
	return int64(u.size) * int64(utf8.RuneCount(text))
}

// asciiChar returns the character of a unit. ok is false if it is not ASCII.
func (u units) asciiChar(unit []byte) (c byte, ok bool) {
	low, rest := unit[0], unit[1:]
	if u.bigEndian {
		low, rest = unit[len(unit)-1], unit[:len(unit)-1]
	}
	for _, b := range rest {
		if b != 0 {
			return 0, false
		}
	}
	return low, true
}

// unwrapBytes is the number of bytes inside the quotes from which the dialect of a file of quoted
// lines is detected. It limits the work for opening the members of an archive.
const unwrapBytes = 64 << 10

// minWrappedCells is the minimum number of cells in the lines of a wrapped file. A quoted line
// with fewer cells may be a value that contains a comma.
const minWrappedCells = 3

// unwrap removes the quotes around each line if nearly every line is one quoted cell that
// contains a whole record. A spreadsheet program writes such a file if it opened a table as a
// single column.
func (d *decodedText) unwrap() {
	if !hasOneQuotedCellPerLine(wholeLines(d.sample, d.whole)) {
		return
	}
	inside, err := io.ReadAll(newUnwrapReader(bytes.NewReader(d.sample)))
	if err != nil {
		return
	}
	first := inside[:min(len(inside), unwrapBytes)]
	s := sniffDialect(first, d.whole && len(first) == len(inside))
	widths := s.countWidths(wholeLines(inside, d.whole))
	width, n := mostFrequent(widths)
	if s.delim == ", " || s.delim == " " || width < minWrappedCells || 10*n < 9*sumOf(widths) {
		return
	}
	d.sample, d.wrapped, d.units = inside, true, units{}
}

// hasOneQuotedCellPerLine reports whether nearly all lines of a sample are a single quoted cell.
func hasOneQuotedCellPerLine(sample []byte) bool {
	if len(sample) == 0 || sample[0] != '"' {
		return false
	}
	d := dialect{delim: ",", open: `"`, shut: `"`}
	quoted, rows := 0, 0
	r := record{maxCells: maxSniffCells}
	for at := 0; at < len(sample) && rows < sniffRecords; at += r.next {
		d.parseRecord(sample[at:], notFound, &r)
		if isBlank(sample[at : at+r.next]) {
			continue
		}
		if rows++; len(r.cells) == 1 && r.cells[0].quoted && !r.loose && !r.unclosed && r.breaks == 0 {
			quoted++
		}
	}
	return rows > 1 && 10*quoted >= 9*rows
}

// unwrapReader reads text without the quotes around whole lines.
type unwrapReader struct {
	in *bufio.Reader
	// begun reports whether a line has begun, and inside reports whether its quote is open.
	begun, inside bool
	err           error
}

func newUnwrapReader(in io.Reader) *unwrapReader { return &unwrapReader{in: bufio.NewReader(in)} }

func (u *unwrapReader) Read(p []byte) (n int, err error) {
	for n < len(p) && u.err == nil {
		var c byte
		if c, u.err = u.in.ReadByte(); u.err == nil && u.acceptByte(c) {
			p[n] = c
			n++
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, u.err
}

// acceptByte reports whether a byte is part of the text, and not a quote around a line.
func (u *unwrapReader) acceptByte(c byte) bool {
	switch {
	case c == '"' && !u.begun:
		u.begun, u.inside = true, true
		return false
	case c == '"' && u.inside:
		if next, _ := u.in.Peek(1); len(next) == 1 && next[0] == '"' {
			_, _ = u.in.Discard(1)
			return true
		}
		u.inside = false
		return false
	}
	u.begun = c != '\n' && c != '\r' || u.inside
	return true
}
