package csv

import (
	"bytes"

	"github.com/intraydata/intray/source/table"
)

// noDelimiter is the unit separator, which no text has: it stands for none.
const noDelimiter = "\x1f"

// oneColumn is the dialect of a text without delimiters. That is called a comma
// where commas stand in quotes only.
func oneColumn(d dialect, sample []byte) sniffed {
	d.delim = ","
	if widths, _ := d.widths(sample); len(widths) > 1 {
		d.delim = noDelimiter
	}
	return sniffed{dialect: d}
}

// cuts says whether a dialect cuts enough of the rows, and alike; or at least the
// first one, which may be a header above rows that leave out their empty cells.
func (d dialect) cuts(sample []byte) bool {
	widths, rows := d.widths(sample)
	if d.delim == "," && decimals(sample) {
		return false
	}
	if d.punctuates(sample) {
		delete(widths, 1)
		_, n := mostOf(widths)
		return 5*n >= 4*rows && n > 1
	}
	r := record{most: sniffWidth}
	d.cut(bytes.TrimLeft(sample, "\r\n"), none, &r)
	if len(r.cells) > 1 && usual(d.delim) == 1 {
		return true
	}
	delete(widths, 1)
	_, n := mostOf(widths)
	return 5*n >= rows && n > 0
}

// widths counts the rows of a sample by their cells.
func (d dialect) widths(sample []byte) (widths map[int]int, rows int) {
	widths = map[int]int{}
	r := record{most: sniffWidth}
	for at := 0; at < len(sample) && rows < sniffRecords; {
		d.cut(sample[at:], none, &r)
		if !blankText(sample[at : at+r.next]) {
			rows++
			widths[len(r.cells)]++
		}
		at += r.next
	}
	return widths, rows
}

// punctuates says whether a blank follows each delimiter of a sample, as in
// sentences. Such a text is a table only where its rows are cut alike.
func (d dialect) punctuates(sample []byte) bool {
	switch d.delim {
	case ", ":
		return true
	case ",", ";", ":":
		n := bytes.Count(sample, []byte(d.delim))
		return bytes.Count(sample, []byte(d.delim+" ")) == n
	}
	return false
}

// decimals says whether a sample is a name above decimal numbers whose sign is a
// comma, one to a line.
func decimals(sample []byte) bool {
	numbers := 0
	for line := range bytes.Lines(bytes.ReplaceAll(sample, []byte{'\r'}, []byte{'\n'})) {
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case bytes.Count(line, []byte{','}) == 1 && table.KindOf(string(line)) == table.Number:
			numbers++
		case numbers > 0 || bytes.IndexByte(line, ',') >= 0:
			return false
		}
	}
	return numbers > 1 && bytes.IndexByte(sample[:physicalLine(sample)], ',') < 0
}
