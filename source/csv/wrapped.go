package csv

import (
	"bufio"
	"bytes"
	"io"

	"github.com/intraydata/intray"
)

// leastWrapped is how many cells the lines of a wrapped file have at least: a
// quoted line of fewer is a text with a comma in it.
const leastWrapped = 3

// unwrap looks whether each line of the file is one quoted cell that holds a
// whole record, as spreadsheets write a table that was opened as one column. Then
// the text is what stands between the quotes.
func (d *decoded) unwrap() {
	if !oneQuotedCell(wholeLines(d.sample, d.whole)) {
		return
	}
	inside, err := io.ReadAll(newUnwrapped(bytes.NewReader(d.sample)))
	if err != nil {
		return
	}
	s := sniff(inside, d.whole)
	widths, rows := s.widths(wholeLines(inside, d.whole))
	width, n := mostOf(widths)
	if s.delim == ", " || s.delim == " " || width < leastWrapped || 10*n < 9*rows {
		return
	}
	d.sample, d.wrapped, d.units = inside, true, units{}
}

// oneQuotedCell says whether nearly all lines of a sample are.
func oneQuotedCell(sample []byte) bool {
	if len(sample) == 0 || sample[0] != '"' {
		return false
	}
	d := dialect{delim: ",", open: `"`, shut: `"`}
	quoted, rows := 0, 0
	r := record{most: sniffWidth}
	for at := 0; at < len(sample) && rows < sniffRecords; at += r.next {
		d.cut(sample[at:], none, &r)
		if blankText(sample[at : at+r.next]) {
			continue
		}
		if rows++; len(r.cells) == 1 && r.cells[0].quoted && !r.loose && !r.unclosed && r.breaks == 0 {
			quoted++
		}
	}
	return rows > 1 && 10*quoted >= 9*rows
}

// wrappedEvidence tells that the quotes around lines were taken off.
func wrappedEvidence() intray.Evidence {
	return intray.Evidence{Choice: "lines", Value: "unquoted",
		Reason: intray.NewMessage("csv.quoted_lines", nil)}
}

// unwrapped takes the quotes off whole lines.
type unwrapped struct {
	in *bufio.Reader
	// begun says that a line has begun, inside that its quote is still open.
	begun, inside bool
	err           error
}

func newUnwrapped(in io.Reader) *unwrapped { return &unwrapped{in: bufio.NewReader(in)} }

func (u *unwrapped) Read(p []byte) (n int, err error) {
	for n < len(p) && u.err == nil {
		var c byte
		if c, u.err = u.in.ReadByte(); u.err == nil && u.keeps(c) {
			p[n] = c
			n++
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, u.err
}

// keeps says whether a character is text of a record.
func (u *unwrapped) keeps(c byte) bool {
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
