package xls

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

// body concatenates integers, floats, strings and bytes. Each integer has the size of its type.
func body(parts ...any) (raw []byte) {
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			raw = append(raw, v...)
		case []byte:
			raw = append(raw, v...)
		case float64:
			raw = little.AppendUint64(raw, math.Float64bits(v))
		default:
			var err error
			if raw, err = binary.Append(raw, little, v); err != nil {
				panic(err)
			}
		}
	}
	return raw
}

// rec returns a record with the given identifier and body.
func rec(id uint16, parts ...any) []byte {
	b := body(parts...)
	return body(id, uint16(len(b)), b)
}

// utf16le encodes text in UTF-16LE.
func utf16le(text string) []byte { return sourcetest.UTF16LE(text) }

// narrow and wide return a BIFF8 string with characters of one and two bytes, preceded
// by its length.
func narrow(text string) []byte { return body(uint16(len(text)), byte(0), text) }

func wide(text string) []byte {
	raw := utf16le(text)
	return body(uint16(len(raw)/2), byte(1), raw)
}

func bofOf(version int, kind uint16) []byte {
	switch version {
	case 2:
		return rec(0x0009, uint16(2), kind)
	case 3:
		return rec(0x0209, uint16(3), kind, uint16(0))
	case 4:
		return rec(0x0409, uint16(4), kind, uint16(0))
	case 5:
		return rec(recBOF, uint16(0x0500), kind, uint32(0))
	}
	return rec(recBOF, uint16(0x0600), kind, make([]byte, 12))
}

var eof = rec(recEOF)

// part is a sheet to write.
type part struct {
	name   string
	hidden byte
	kind   byte
	// dt is the type of the sheet in the BOF record. If it is 0, the sheet is a worksheet.
	dt uint16
	// shift is added to the offset in the list of sheets, to make it wrong.
	shift int
	body  []byte
}

// workbookStream returns the stream of a workbook, with a list of sheets followed by the sheets.
func workbookStream(version int, globals []byte, parts ...part) []byte {
	list := func(places []int) (raw []byte) {
		for i, p := range parts {
			name := body(byte(len(p.name)), p.name)
			if version == 8 {
				name = body(byte(len(p.name)), byte(0), p.name)
			}
			raw = append(raw, rec(recBoundSheet, uint32(places[i]+p.shift), p.hidden, p.kind, name)...)
		}
		return raw
	}
	head := body(bofOf(version, partGlobals), globals)
	at := len(head) + len(list(make([]int, len(parts)))) + len(eof)
	var places []int
	var bodies []byte
	for _, p := range parts {
		places = append(places, at+len(bodies))
		if p.dt == 0 {
			p.dt = partSheet
		}
		bodies = body(bodies, bofOf(version, p.dt), p.body, eof)
	}
	return body(head, list(places), eof, bodies)
}

// one returns the stream of a BIFF8 workbook that has one sheet.
func one(globals []byte, sheet ...[]byte) []byte {
	var all []byte
	for _, record := range sheet {
		all = append(all, record...)
	}
	return workbookStream(8, globals, part{name: "One", body: all})
}

// file is a stream in a container.
type file struct {
	name string
	text []byte
}

// pack returns a container with the given streams.
func pack(files ...file) []byte {
	var streams []sourcetest.Stream
	for _, f := range files {
		streams = append(streams, sourcetest.Stream{Name: f.name, Text: f.text})
	}
	return sourcetest.CompoundFile(streams...)
}

// xls returns a container with the stream of a BIFF8 workbook.
func xls(text []byte) []byte { return pack(file{"Workbook", text}) }

// read returns the sheets of a file as text, with one line per row.
func read(t *testing.T, text []byte, limits Limits) (string, error) {
	t.Helper()
	b, err := Open(t.Context(), sourcetest.NewInput("", text), limits)
	if err != nil {
		return "", err
	}
	defer b.Close()
	var out strings.Builder
	for i, s := range b.Sheets() {
		fmt.Fprintf(&out, "[%s]%s\n", s.Name, mark(s.Hidden))
		rows, err := b.Rows(t.Context(), i)
		if err != nil {
			return out.String(), err
		}
		if err := writeRows(t, &out, rows); err != nil {
			return out.String(), err
		}
	}
	return out.String(), nil
}

func mark(hidden bool) string {
	if hidden {
		return " hidden"
	}
	return ""
}

func writeRows(t *testing.T, out *strings.Builder, rows workbook.Rows) error {
	defer rows.Close()
	for last := int64(0); ; {
		row, err := rows.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if row.Number <= last {
			t.Errorf("row %d follows row %d", row.Number, last)
		}
		last = row.Number
		fmt.Fprintf(out, "%d%s:", row.Number, mark(row.Hidden))
		column := -1
		for _, c := range row.Cells {
			if c.Column <= column {
				t.Errorf("row %d: column %d follows column %d", row.Number, c.Column, column)
			}
			column = c.Column
			fmt.Fprintf(out, " %d%s=%s", c.Column, kindLetter(c.Kind), c.Value)
			if c.Formatted != nil {
				fmt.Fprintf(out, "|%s", c.Formatted)
			}
		}
		out.WriteString("\n")
	}
}

// kindLetter returns the mark of a cell kind, which is "" for text.
func kindLetter(kind intray.CellKind) string {
	return [...]string{"", "n", "d", "dt", "t", "b", "e"}[kind]
}
