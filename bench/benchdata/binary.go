package benchdata

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

var little = binary.LittleEndian

// binarySheetRows is the number of rows of a full sheet below its header.
const binarySheetRows = 1<<16 - 1

// binaryRecord appends a record of the BIFF8 stream.
func binaryRecord(to []byte, id uint16, body ...[]byte) []byte {
	size := 0
	for _, part := range body {
		size += len(part)
	}
	to = little.AppendUint16(little.AppendUint16(to, id), uint16(size))
	for _, part := range body {
		to = append(to, part...)
	}
	return to
}

// units returns the bytes of 16-bit numbers.
func units(list ...uint16) (raw []byte) {
	for _, one := range list {
		raw = little.AppendUint16(raw, one)
	}
	return raw
}

func binaryStart(kind uint16) []byte {
	return binaryRecord(nil, 0x0809, units(0x0600, kind, 0x0DBB, 0x07CC, 0, 0, 6, 0))
}

// WriteBinaryWorkbook writes the rows of Write as an XLS file. It has as many sheets as the rows need,
// each with the header. The id is a number, the amount is a number with the format #,##0.00, and the day is
// a serial number with the format yyyy-mm-dd. All other values are shared strings. The file is held in
// memory.
//
// The format follows [MS-XLS] and [MS-CFB].
func WriteBinaryWorkbook(to io.Writer, rows int, seed uint64) error {
	table := sharedTexts{numbers: map[string]uint32{}}
	var sheets [][]byte
	made := newRowGenerator(seed)
	for done := 0; done < rows || len(sheets) == 0; done += binarySheetRows {
		sheets = append(sheets, binarySheet(made, min(rows-done, binarySheetRows), done+1, &table))
	}
	globals := binaryStart(0x0005)
	globals = binaryRecord(globals, 0x0042, units(1200))
	globals = binaryRecord(globals, 0x041E, units(164), binaryText("yyyy\\-mm\\-dd"))
	const styleFlag, cellStyle = 0xFFF5, 0x0001
	for i := range 18 {
		format, flags := uint16(0), uint16(styleFlag)
		switch i {
		case 15:
			flags = cellStyle
		case 16:
			format, flags = 164, cellStyle
		case 17:
			format, flags = 4, cellStyle
		}
		globals = binaryRecord(globals, 0x00E0, units(0, format, flags, 0, 0, 0, 0, 0, 0, 0))
	}
	strings := table.records()
	const sheetEntry = 4 + 4 + 2 + 2 + len("People00")
	at := len(globals) + len(sheets)*sheetEntry + len(strings) + 4
	for i, sheet := range sheets {
		name := fmt.Sprintf("People%02d", i+1)
		globals = binaryRecord(globals, 0x0085, little.AppendUint32(nil, uint32(at)), units(0), []byte{byte(len(name)), 0}, []byte(name))
		at += len(sheet)
	}
	stream := binaryRecord(append(globals, strings...), 0x000A)
	for _, sheet := range sheets {
		stream = append(stream, sheet...)
	}
	_, err := to.Write(compoundFile(stream))
	return err
}

// binaryText returns a string with its length. Its characters are in Latin-1.
func binaryText(text string) []byte {
	raw := append(units(uint16(utf8.RuneCountInString(text))), 0)
	for _, c := range text {
		raw = append(raw, byte(c))
	}
	return raw
}

// sharedTexts assigns indexes to shared strings.
type sharedTexts struct {
	uses    uint32
	texts   []string
	numbers map[string]uint32
}

func (s *sharedTexts) number(text string) uint32 {
	s.uses++
	number, known := s.numbers[text]
	if !known {
		number = uint32(len(s.texts))
		s.numbers[text], s.texts = number, append(s.texts, text)
	}
	return number
}

// records returns the table as a record and its continuations, each of which starts with a string.
func (s *sharedTexts) records() (all []byte) {
	const longest = 8224
	id, body := uint16(0x00FC), little.AppendUint32(little.AppendUint32(nil, s.uses), uint32(len(s.texts)))
	for _, text := range s.texts {
		raw := binaryText(text)
		if len(body)+len(raw) > longest {
			all = binaryRecord(all, id, body)
			id, body = 0x003C, body[:0]
		}
		body = append(body, raw...)
	}
	return binaryRecord(all, id, body)
}

// binarySheet returns a sheet with the next rows. The first of them has the given id.
func binarySheet(made *rowGenerator, rows, first int, table *sharedTexts) []byte {
	const blank, day, amount = 15, 16, 17 // styles
	sheet := binaryStart(0x0010)
	sheet = binaryRecord(sheet, 0x0200, little.AppendUint32(little.AppendUint32(nil, 0), uint32(rows+1)), units(0, 10, 0))
	row := [10]string(Header)
	for r := range rows + 1 {
		for c, cell := range row {
			place := units(uint16(r), uint16(c), blank)
			switch {
			case r == 0 || !isNumber(c):
				sheet = binaryRecord(sheet, 0x00FD, place, little.AppendUint32(nil, table.number(cell)))
			case c == columnSignedUp:
				sheet = binaryRecord(sheet, 0x027E, units(uint16(r), uint16(c), day), little.AppendUint32(nil, uint32(serial(cell))<<2|2))
			case c == columnAmount:
				value := float64(cents(cell)) / 100
				sheet = binaryRecord(sheet, 0x0203, units(uint16(r), uint16(c), amount), little.AppendUint64(nil, math.Float64bits(value)))
			default:
				sheet = binaryRecord(sheet, 0x027E, place, little.AppendUint32(nil, uint32(first+r-1)<<2|2))
			}
		}
		if r < rows {
			row = *made.next()
		}
	}
	return binaryRecord(sheet, 0x000A)
}

const (
	sectorBytes   = 512
	sectorNumbers = sectorBytes / 4
	// These are special numbers of sectors.
	masterTableSector, tableSector, lastSector, noSector = 0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF
	// headTables is the number of table sectors that the header of a file lists.
	headTables = 109
)

// compoundFile returns a file with the stream Workbook: a header, the stream, the directory, the tables
// with the next sector of each sector, and the master tables, which list those that have no room in the
// header.
func compoundFile(stream []byte) []byte {
	sectors := func(size int) int { return (size + sectorBytes - 1) / sectorBytes }
	data := max(sectors(len(stream)), 8) // shorter streams are stored in another way
	tables, masters := 0, 0
	for {
		more := (data + 1 + tables + masters + sectorNumbers - 1) / sectorNumbers
		lists := (max(more-headTables, 0) + sectorNumbers - 2) / (sectorNumbers - 1)
		if more == tables && lists == masters {
			break
		}
		tables, masters = more, lists
	}
	firstTable, firstMaster := data+1, data+1+tables
	master := uint32(lastSector)
	if masters > 0 {
		master = uint32(firstMaster)
	}
	file := append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 16)...)
	file = append(file, units(0x3E, 3, 0xFFFE, 9, 6, 0, 0, 0)...)
	for _, number := range []uint32{0, uint32(tables), uint32(data), 0, 4096, lastSector, 0, master, uint32(masters)} {
		file = little.AppendUint32(file, number)
	}
	tableNumber := func(i int) uint32 {
		if i >= tables {
			return noSector
		}
		return uint32(firstTable + i)
	}
	for i := range headTables {
		file = little.AppendUint32(file, tableNumber(i))
	}
	file = append(append(file, stream...), make([]byte, data*sectorBytes-len(stream))...)
	file = append(file, directoryEntry("Root Entry", 5, 1, lastSector, 0)...)
	file = append(file, directoryEntry("Workbook", 2, noSector, 0, data*sectorBytes)...)
	file = append(file, make([]byte, sectorBytes/2)...)
	for i := range tables * sectorNumbers {
		next := uint32(noSector)
		switch {
		case i < data-1:
			next = uint32(i + 1)
		case i <= data:
			next = lastSector
		case i < firstMaster:
			next = tableSector
		case i < firstMaster+masters:
			next = masterTableSector
		}
		file = little.AppendUint32(file, next)
	}
	for m := range masters {
		for i := range sectorNumbers - 1 {
			file = little.AppendUint32(file, tableNumber(headTables+m*(sectorNumbers-1)+i))
		}
		next := uint32(lastSector)
		if m+1 < masters {
			next = uint32(firstMaster + m + 1)
		}
		file = little.AppendUint32(file, next)
	}
	return file
}

// directoryEntry returns an entry of the directory of 128 bytes.
func directoryEntry(name string, kind byte, child, start uint32, size int) []byte {
	entry := make([]byte, 64, 128)
	for i := range len(name) {
		entry[2*i] = name[i]
	}
	entry = append(entry, units(uint16(2*len(name)+2))...)
	entry = append(entry, kind, 1)
	for _, number := range []uint32{noSector, noSector, child} {
		entry = little.AppendUint32(entry, number)
	}
	entry = append(entry, make([]byte, 36)...)
	return little.AppendUint64(little.AppendUint32(entry, start), uint64(size))
}
