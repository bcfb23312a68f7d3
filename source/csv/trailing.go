package csv

import (
	"context"

	"github.com/intraydata/intray"
)

// trailingChunk is the number of bytes that are read at a time from the end of a file. It is a
// multiple of the size of each unit.
const trailingChunk = 64 << 10

// dropTrailingRows returns the text without the rows at its end that consist of delimiters only,
// which spreadsheet programs write, and adds a notice. It returns text if it has no such rows, or if
// offsets in the file are unknown. A row of more than most cells is not dropped, so that the reader
// reports it.
func (s *sheet) dropTrailingRows(ctx context.Context, text *decodedText, most int) (*decodedText, error) {
	if s.asIs || len(s.dialect.delim) != 1 || s.dialect.delim == " " || !text.units.hasOffsets() || text.wrapped {
		return text, nil
	}
	start := int64(text.guess.BOM) + text.units.encodedLength(text.sample[:s.body])
	rows, size, err := text.findTrailingRows(ctx, start, s.dialect.delim[0], most)
	if err != nil || rows == 0 {
		return text, err
	}
	s.notices = append(s.notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo,
		Text: intray.NewMessage("csv.empty_rows_at_end", intray.Params{"n": rows})})
	shorter := *text
	shorter.in.Size = size
	if text.whole {
		shorter.sample = text.sample[:len(text.sample)-text.textLength(text.in.Size-size)]
	}
	return &shorter, nil
}

// textLength returns the length of text that needs the given number of bytes in the file and
// consists of ASCII characters.
func (d *decodedText) textLength(raw int64) int { return int(raw) / d.units.size }

// findTrailingRows returns the number of rows at the end of the file that consist of delimiters
// and spaces only, and the size of the file without them. It reads no bytes before start. Rows of
// more than most cells do not count.
func (d *decodedText) findTrailingRows(ctx context.Context, start int64, delim byte, most int) (rows int64, size int64, err error) {
	unit := int64(d.units.size)
	size = d.in.Size
	if (size-start)%unit != 0 {
		return 0, size, nil
	}
	chunk := make([]byte, min(trailingChunk, size-start))
	delims := 0 // the number of delimiters in the current line, from its end
	for end := size; end > start; end -= int64(len(chunk)) {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		chunk = chunk[:min(int64(len(chunk)), end-start)]
		from := end - int64(len(chunk))
		if err := readFullAt(d.in, chunk, from); err != nil {
			return 0, 0, err
		}
		for at := int64(len(chunk)) - unit; at >= 0; at -= unit {
			c, ascii := d.units.asciiChar(chunk[at : at+unit])
			switch {
			case !ascii:
				return rows, size, nil
			case c == '\n' || c == '\r':
				if delims > 0 {
					rows, size = rows+1, from+at+unit
				}
				delims = 0
			case c == delim && delims < most-1:
				delims++
			case c != ' ':
				return rows, size, nil
			}
		}
	}
	if delims > 0 { // the first line after start
		rows, size = rows+1, start
	}
	return rows, size, nil
}
