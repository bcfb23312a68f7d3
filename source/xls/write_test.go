package xls

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

// body writes numbers in their size, floats, texts and bytes one behind the
// other.
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

// rec writes a record.
func rec(id uint16, parts ...any) []byte {
	b := body(parts...)
	return body(id, uint16(len(b)), b)
}

// utf16le is a text in two bytes for each character.
func utf16le(text string) (raw []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = little.AppendUint16(raw, unit)
	}
	return raw
}

// narrow and wide write a string of BIFF8 with its length.
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

// part is a sheet to be written.
type part struct {
	name   string
	hidden byte
	kind   byte
	// dt is the kind in the BOF; 0 is a worksheet.
	dt uint16
	// shift makes the list lie about the place.
	shift int
	body  []byte
}

// workbookStream writes the stream of a workbook with its list of sheets.
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

// one is a workbook of BIFF8 with one sheet.
func one(globals []byte, sheet ...[]byte) []byte {
	var all []byte
	for _, record := range sheet {
		all = append(all, record...)
	}
	return workbookStream(8, globals, part{name: "One", body: all})
}

// file is a stream of a container.
type file struct {
	name string
	text []byte
}

// ole is a container under construction, with sectors of 512 bytes.
type ole struct {
	sectors, links []byte
}

// chain adds sectors for a stream and gives the first.
func (o *ole) chain(text []byte, mark uint32) uint32 {
	first := uint32(len(o.links) / 4)
	for len(text) > 0 {
		n := min(512, len(text))
		o.sectors = append(o.sectors, text[:n]...)
		o.sectors = append(o.sectors, make([]byte, 512-n)...)
		next := uint32(len(o.links)/4 + 1)
		if text = text[n:]; len(text) == 0 {
			next = mark
		}
		o.links = little.AppendUint32(o.links, next)
	}
	return first
}

// pack writes a container. Streams shorter than 4,096 bytes go to the mini
// stream, as they must.
func pack(files ...file) []byte {
	var o ole
	var mini, miniLinks []byte
	type placed struct{ start, size uint32 }
	var places []placed
	for _, f := range files {
		p := placed{size: uint32(len(f.text))}
		if len(f.text) >= miniCutoff {
			p.start = o.chain(f.text, endOfChain)
		} else {
			p.start = uint32(len(mini) / miniSectorBytes)
			for rest := len(f.text); rest > 0; rest -= miniSectorBytes {
				next := uint32(len(miniLinks)/4 + 1)
				if rest <= miniSectorBytes {
					next = endOfChain
				}
				miniLinks = little.AppendUint32(miniLinks, next)
			}
			mini = append(mini, f.text...)
			mini = append(mini, make([]byte, -len(f.text)&(miniSectorBytes-1))...)
		}
		places = append(places, p)
	}
	root := placed{start: endOfChain, size: uint32(len(mini))}
	miniStart := uint32(endOfChain)
	if len(mini) > 0 {
		root.start, miniStart = o.chain(mini, endOfChain), o.chain(miniLinks, endOfChain)
	}
	const none = 0xFFFFFFFF
	directory := dirEntry("Root Entry", kindRoot, none, none, 1, root.start, root.size)
	for i, f := range files {
		right := uint32(i + 2)
		if i == len(files)-1 {
			right = none
		}
		directory = append(directory, dirEntry(f.name, kindStream, none, right, none, places[i].start, places[i].size)...)
	}
	dirStart := o.chain(directory, endOfChain)
	return o.finish(dirStart, miniStart)
}

// finish adds the FAT, the list of its sectors where the header has no room for
// all of them, and the header.
func (o *ole) finish(dirStart, miniStart uint32) []byte {
	tables, lists := 1, 0
	for len(o.links)/4+tables+lists > tables*128 {
		tables++
		lists = max(0, tables-109+126) / 127
	}
	first := uint32(len(o.links) / 4)
	listStart := uint32(endOfChain)
	if lists > 0 {
		listStart = first + uint32(tables)
	}
	head := body(compoundFileMagic, make([]byte, 16), uint16(0x3E), uint16(3), uint16(0xFFFE), uint16(9), uint16(6), make([]byte, 10),
		uint32(tables), dirStart, uint32(0), uint32(miniCutoff), miniStart, uint32(1), listStart, uint32(lists))
	var more []byte
	for i := range 109 + 127*lists {
		number := uint32(0xFFFFFFFF)
		if i < tables {
			number = first + uint32(i)
		}
		if i < 109 {
			head = little.AppendUint32(head, number)
			continue
		}
		if more = little.AppendUint32(more, number); len(more)%512 == 508 {
			listStart++
			more = little.AppendUint32(more, listStart)
		}
	}
	if lists > 0 {
		little.PutUint32(more[len(more)-4:], endOfChain)
	}
	for i := range tables + lists {
		number := uint32(0xFFFFFFFD)
		if i >= tables {
			number = 0xFFFFFFFC
		}
		o.links = little.AppendUint32(o.links, number)
	}
	for len(o.links) < tables*512 {
		o.links = append(o.links, 0xFF)
	}
	return body(head, o.sectors, o.links, more)
}

func dirEntry(name string, kind byte, left, right, child, start, size uint32) []byte {
	raw := utf16le(name)
	return body(raw, make([]byte, 64-len(raw)), uint16(len(raw)+2), kind, byte(1), left, right, child,
		make([]byte, 36), start, size, uint32(0))
}

// xls packs a workbook of BIFF8.
func xls(text []byte) []byte { return pack(file{"Workbook", text}) }

// read gives the sheets of a file as text: one line for each row.
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
			t.Errorf("row %d comes behind row %d", row.Number, last)
		}
		last = row.Number
		fmt.Fprintf(out, "%d%s:", row.Number, mark(row.Hidden))
		column := -1
		for _, c := range row.Cells {
			if c.Column <= column {
				t.Errorf("row %d: column %d comes behind column %d", row.Number, c.Column, column)
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

// kindLetter marks the kind of a cell; texts have no mark.
func kindLetter(kind intray.CellKind) string {
	return [...]string{"", "n", "d", "dt", "t", "b", "e"}[kind]
}
