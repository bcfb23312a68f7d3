package sourcetest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
)

// UTF16LE encodes text in UTF-16LE.
func UTF16LE(text string) (raw []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return raw
}

// Entry is an entry in a ZIP archive. Its header needs only a name.
type Entry struct {
	zip.FileHeader
	Text string
}

// File returns an entry as archivers write it. It is deflated, unless it is the
// mimetype entry of OpenDocument, which is stored.
func File(name, text string) Entry {
	if name == "mimetype" {
		return Stored(name, text)
	}
	return Entry{zip.FileHeader{Name: name, Method: zip.Deflate}, text}
}

// Stored returns an entry that is not compressed.
func Stored(name, text string) Entry {
	return Entry{zip.FileHeader{Name: name, Method: zip.Store}, text}
}

// ZipZstd is the compression method of zstd entries.
const ZipZstd = 93

// Zip returns a ZIP archive with the given entries.
func Zip(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(ZipZstd, func(out io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(out) })
	for _, e := range entries {
		f, err := w.CreateHeader(&e.FileHeader)
		if err == nil && e.Text != "" {
			_, err = io.WriteString(f, e.Text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Stream is a stream in an OLE2 compound file.
type Stream struct {
	Name string
	Text []byte
}

const (
	cfbSector     = 512
	cfbMiniSector = 64
	cfbMiniCutoff = 4096
	cfbEndOfChain = 0xFFFFFFFE
	cfbFree       = 0xFFFFFFFF
)

// CompoundFile returns an OLE2 compound file of version 3, with sectors of 512 bytes. Streams
// shorter than 4,096 bytes are in the mini stream, as the format requires. The header is
// followed by the large streams, the mini stream, its table, the directory and the FAT.
func CompoundFile(streams ...Stream) []byte {
	var c compoundFile
	var mini, miniLinks []byte
	var entries [][]byte
	for i, s := range streams {
		start := uint32(0)
		if len(s.Text) >= cfbMiniCutoff {
			start = c.chain(s.Text)
		} else {
			start = uint32(len(mini) / cfbMiniSector)
			for rest := len(s.Text); rest > 0; rest -= cfbMiniSector {
				next := uint32(len(miniLinks)/4 + 1)
				if rest <= cfbMiniSector {
					next = cfbEndOfChain
				}
				miniLinks = binary.LittleEndian.AppendUint32(miniLinks, next)
			}
			mini = append(mini, s.Text...)
			mini = append(mini, make([]byte, -len(s.Text)&(cfbMiniSector-1))...)
		}
		right := uint32(i + 2)
		if i == len(streams)-1 {
			right = cfbFree
		}
		entries = append(entries, directoryEntry(s.Name, 2, right, cfbFree, start, uint32(len(s.Text))))
	}
	root, miniTable := uint32(cfbEndOfChain), uint32(cfbEndOfChain)
	if len(mini) > 0 {
		root, miniTable = c.chain(mini), c.chain(miniLinks)
	}
	directory := directoryEntry("Root Entry", 5, cfbFree, 1, root, uint32(len(mini)))
	return c.finish(c.chain(append(directory, bytes.Join(entries, nil)...)), miniTable)
}

// compoundFile is a compound file under construction.
type compoundFile struct{ sectors, links []byte }

// chain appends the sectors of a stream and returns the number of the first sector.
func (c *compoundFile) chain(text []byte) uint32 {
	first := uint32(len(c.links) / 4)
	for len(text) > 0 {
		n := min(cfbSector, len(text))
		c.sectors = append(c.sectors, text[:n]...)
		c.sectors = append(c.sectors, make([]byte, cfbSector-n)...)
		next := uint32(len(c.links)/4 + 1)
		if text = text[n:]; len(text) == 0 {
			next = cfbEndOfChain
		}
		c.links = binary.LittleEndian.AppendUint32(c.links, next)
	}
	return first
}

// finish appends the FAT, appends the DIFAT if the header cannot list all sectors of
// the FAT, and prepends the header.
func (c *compoundFile) finish(directory, miniTable uint32) []byte {
	const inHeader, perList, fatMark, difatMark = 109, 127, 0xFFFFFFFD, 0xFFFFFFFC
	tables, lists := 1, 0
	for len(c.links)/4+tables+lists > tables*cfbSector/4 {
		tables++
		lists = max(0, tables-inHeader+perList-1) / perList
	}
	first := uint32(len(c.links) / 4)
	next := uint32(cfbEndOfChain)
	if lists > 0 {
		next = first + uint32(tables)
	}
	header := make([]byte, 76, cfbSector)
	copy(header, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	for at, number := range map[int]uint16{24: 0x3E, 26: 3, 28: 0xFFFE, 30: 9, 32: 6} {
		binary.LittleEndian.PutUint16(header[at:], number)
	}
	for at, number := range map[int]uint32{44: uint32(tables), 48: directory, 56: cfbMiniCutoff, 60: miniTable, 64: 1, 68: next, 72: uint32(lists)} {
		binary.LittleEndian.PutUint32(header[at:], number)
	}
	var more []byte
	for i := range inHeader + perList*lists {
		number := uint32(cfbFree)
		if i < tables {
			number = first + uint32(i)
		}
		if i < inHeader {
			header = binary.LittleEndian.AppendUint32(header, number)
			continue
		}
		if more = binary.LittleEndian.AppendUint32(more, number); len(more)%cfbSector == cfbSector-4 {
			next++
			more = binary.LittleEndian.AppendUint32(more, next)
		}
	}
	if lists > 0 {
		binary.LittleEndian.PutUint32(more[len(more)-4:], cfbEndOfChain)
	}
	for i := range tables + lists {
		mark := uint32(fatMark)
		if i >= tables {
			mark = difatMark
		}
		c.links = binary.LittleEndian.AppendUint32(c.links, mark)
	}
	for len(c.links) < tables*cfbSector {
		c.links = append(c.links, 0xFF)
	}
	return bytes.Join([][]byte{header, c.sectors, c.links, more}, nil)
}

// directoryEntry returns an entry for the directory of a compound file. All streams are
// linked as right siblings.
func directoryEntry(name string, kind byte, right, child, start, size uint32) []byte {
	entry := make([]byte, 128)
	binary.LittleEndian.PutUint16(entry[64:], uint16(copy(entry, UTF16LE(name))+2))
	entry[66], entry[67] = kind, 1
	for at, number := range map[int]uint32{68: cfbFree, 72: right, 76: child, 116: start, 120: size} {
		binary.LittleEndian.PutUint32(entry[at:], number)
	}
	return entry
}
