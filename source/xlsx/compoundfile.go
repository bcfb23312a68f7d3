package xlsx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
)

// containerMark is how OLE2 containers begin: old workbooks, and new ones that
// are encrypted.
const containerMark = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

const (
	containerHeader = 512
	directoryEntry  = 128
	miniSector      = 64
	// lastSector is the highest number of a sector; those above mean ends.
	lastSector = 0xFFFFFFFA
	// mostDirectory is how many sectors of the directory are looked at; that of
	// an encrypted workbook has a dozen entries.
	mostDirectory = 64
)

var errContainer = errors.New("the container of the encrypted workbook is damaged")

// container is an OLE2 container: streams cut into sectors, which a table
// chains.
type container struct {
	in     *watched
	header []byte
	shift  uint
	// tables are the sectors that hold the table, loaded the one of them that
	// is in table.
	tables []uint32
	loaded uint32
	table  []byte
}

// stream is a run of sectors.
type stream struct {
	of      *container
	sectors []uint32
	size    int64
}

func openContainer(in *watched) (*container, error) {
	c := &container{in: in, header: make([]byte, containerHeader), loaded: lastSector + 1}
	if _, err := in.ReadAt(c.header, 0); err != nil {
		return nil, errContainer
	}
	c.shift = uint(binary.LittleEndian.Uint16(c.header[30:]))
	if c.shift != 9 && c.shift != 12 {
		return nil, errContainer
	}
	c.table = make([]byte, c.sectorSize())
	return c, c.listTables()
}

func (c *container) sectorSize() int64 { return 1 << c.shift }

// number reads a number of the header.
func (c *container) number(at int) uint32 { return binary.LittleEndian.Uint32(c.header[at:]) }

// listTables finds the sectors of the table: the first in the header, others in
// a chain of their own.
func (c *container) listTables() error {
	const inHeader, firstInHeader, chain = 109, 76, 68
	most := int(c.in.Size>>c.shift)/(1<<c.shift/4) + 1
	add := func(list []byte) {
		for ; len(list) >= 4; list = list[4:] {
			if s := binary.LittleEndian.Uint32(list); s <= lastSector && len(c.tables) < most {
				c.tables = append(c.tables, s)
			}
		}
	}
	add(c.header[firstInHeader : firstInHeader+4*inHeader])
	sector := make([]byte, c.sectorSize())
	for next := c.number(chain); next <= lastSector && len(c.tables) < most; {
		if err := c.read(sector, next); err != nil {
			return err
		}
		had := len(c.tables)
		add(sector[:len(sector)-4])
		if len(c.tables) == had {
			return errContainer
		}
		next = binary.LittleEndian.Uint32(sector[len(sector)-4:])
	}
	return nil
}

// read reads a sector.
func (c *container) read(p []byte, sector uint32) error {
	if _, err := c.in.ReadAt(p, (int64(sector)+1)<<c.shift); err != nil {
		return errContainer
	}
	return nil
}

// next gives the sector behind another.
func (c *container) next(sector uint32) (uint32, error) {
	perTable := uint32(1) << (c.shift - 2)
	n := sector / perTable
	if int(n) >= len(c.tables) {
		return 0, errContainer
	}
	if c.loaded != n {
		c.loaded = lastSector + 1
		if err := c.read(c.table, c.tables[n]); err != nil {
			return 0, err
		}
		c.loaded = n
	}
	return binary.LittleEndian.Uint32(c.table[sector%perTable*4:]), nil
}

// chain lists the sectors of a stream, most of them at most.
func (c *container) chain(first uint32, most int64) (*stream, error) {
	s := &stream{of: c}
	for at := first; at <= lastSector && int64(len(s.sectors)) < most; {
		if (int64(at)+1)<<c.shift >= c.in.Size {
			return nil, errContainer
		}
		s.sectors = append(s.sectors, at)
		next, err := c.next(at)
		if err != nil {
			return nil, err
		}
		at = next
	}
	s.size = int64(len(s.sectors)) << c.shift
	return s, nil
}

// ReadAt reads from the sectors.
func (s *stream) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		if at >= s.size {
			return n, io.EOF
		}
		within := at & (s.of.sectorSize() - 1)
		length := min(int64(len(p)-n), s.of.sectorSize()-within, s.size-at)
		place := (int64(s.sectors[at>>s.of.shift])+1)<<s.of.shift + within
		if _, err := s.of.in.ReadAt(p[n:n+int(length)], place); err != nil {
			return n, errors.Join(errContainer, err)
		}
		n, at = n+int(length), at+length
	}
	return n, nil
}

// entry is a stream as the directory lists it.
type entry struct {
	first uint32
	size  int64
}

// directory lists the streams by name, the root under "".
func (c *container) directory() (map[string]entry, error) {
	list, err := c.chain(c.number(48), mostDirectory)
	if err != nil {
		return nil, err
	}
	found := map[string]entry{}
	one := make([]byte, directoryEntry)
	for at := int64(0); at < list.size; at += directoryEntry {
		if _, err := list.ReadAt(one, at); err != nil {
			return nil, err
		}
		e := entry{binary.LittleEndian.Uint32(one[116:]), int64(binary.LittleEndian.Uint32(one[120:]))}
		if at == 0 {
			found[""] = e
			continue
		}
		for _, name := range []string{packageStream, settingsStream} {
			if bytes.HasPrefix(one, append(encodeName(name), 0, 0)) {
				found[name] = e
			}
		}
	}
	return found, nil
}

// stream opens a large stream.
func (c *container) stream(e entry) (*stream, error) {
	s, err := c.chain(e.first, e.size>>c.shift+1)
	if err != nil {
		return nil, err
	}
	s.size = min(s.size, e.size)
	return s, nil
}

// small reads a stream that is small enough to lie in the root's stream.
func (c *container) small(root, e entry) ([]byte, error) {
	const firstTable, most = 60, 64 << 10
	inside, err := c.stream(root)
	if err != nil {
		return nil, err
	}
	table, err := c.chain(c.number(firstTable), c.in.Size>>c.shift)
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, miniSector)
	var next [4]byte
	for at := e.first; int64(len(text)) < min(e.size, most); at = binary.LittleEndian.Uint32(next[:]) {
		text = append(text, make([]byte, miniSector)...)
		if _, err := inside.ReadAt(text[len(text)-miniSector:], int64(at)*miniSector); err != nil {
			return nil, errContainer
		}
		if _, err := table.ReadAt(next[:], int64(at)*4); err != nil {
			return nil, errContainer
		}
	}
	return text[:min(int64(len(text)), e.size)], nil
}

// encodeName gives a text as directories have names.
func encodeName(name string) []byte {
	var text []byte
	for _, unit := range utf16.Encode([]rune(name)) {
		text = binary.LittleEndian.AppendUint16(text, unit)
	}
	return text
}
