package xlsx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"

	"github.com/intraydata/intray/internal/zipfile"
)

// compoundFileMagic is how OLE2 containers begin: old workbooks, and new ones that
// are encrypted.
const compoundFileMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

const (
	headerBytes        = 512
	directoryEntrySize = 128
	miniSectorBytes    = 64
	// maxSector is the highest number of a sector; those above mean ends.
	maxSector = 0xFFFFFFFA
	// maxDirectorySectors is how many sectors of the directory are looked at; that of
	// an encrypted workbook has a dozen entries.
	maxDirectorySectors = 64
)

var errCompoundFile = errors.New("the container of the encrypted workbook is damaged")

// compoundFile is an OLE2 container: streams cut into sectors, which a table
// chains.
type compoundFile struct {
	in        *zipfile.Input
	headerBuf []byte
	shift     uint
	// fatSectors are the sectors that hold the table, loaded the one of them that
	// is in table.
	fatSectors []uint32
	loadedFAT  uint32
	fat        []byte
}

// stream is a run of sectors.
type stream struct {
	file    *compoundFile
	sectors []uint32
	size    int64
}

func openCompoundFile(in *zipfile.Input) (*compoundFile, error) {
	c := &compoundFile{in: in, headerBuf: make([]byte, headerBytes), loadedFAT: maxSector + 1}
	if _, err := in.ReadAt(c.headerBuf, 0); err != nil {
		return nil, errCompoundFile
	}
	c.shift = uint(binary.LittleEndian.Uint16(c.headerBuf[30:]))
	if c.shift != 9 && c.shift != 12 {
		return nil, errCompoundFile
	}
	c.fat = make([]byte, c.sectorSize())
	return c, c.listFAT()
}

func (c *compoundFile) sectorSize() int64 { return 1 << c.shift }

// headerUint32 reads a number of the header.
func (c *compoundFile) headerUint32(at int) uint32 {
	return binary.LittleEndian.Uint32(c.headerBuf[at:])
}

// listFAT finds the sectors of the table: the first in the header, others in
// a chain of their own.
func (c *compoundFile) listFAT() error {
	const inHeader, firstInHeader, chain = 109, 76, 68
	most := int(c.in.Size>>c.shift)/(1<<c.shift/4) + 1
	add := func(list []byte) {
		for ; len(list) >= 4; list = list[4:] {
			if s := binary.LittleEndian.Uint32(list); s <= maxSector && len(c.fatSectors) < most {
				c.fatSectors = append(c.fatSectors, s)
			}
		}
	}
	add(c.headerBuf[firstInHeader : firstInHeader+4*inHeader])
	sector := make([]byte, c.sectorSize())
	for next := c.headerUint32(chain); next <= maxSector && len(c.fatSectors) < most; {
		if err := c.readSector(sector, next); err != nil {
			return err
		}
		had := len(c.fatSectors)
		add(sector[:len(sector)-4])
		if len(c.fatSectors) == had {
			return errCompoundFile
		}
		next = binary.LittleEndian.Uint32(sector[len(sector)-4:])
	}
	return nil
}

// readSector reads a sector.
func (c *compoundFile) readSector(p []byte, sector uint32) error {
	if _, err := c.in.ReadAt(p, (int64(sector)+1)<<c.shift); err != nil {
		return errCompoundFile
	}
	return nil
}

// nextSector gives the sector behind another.
func (c *compoundFile) nextSector(sector uint32) (uint32, error) {
	perTable := uint32(1) << (c.shift - 2)
	n := sector / perTable
	if int(n) >= len(c.fatSectors) {
		return 0, errCompoundFile
	}
	if c.loadedFAT != n {
		c.loadedFAT = maxSector + 1
		if err := c.readSector(c.fat, c.fatSectors[n]); err != nil {
			return 0, err
		}
		c.loadedFAT = n
	}
	return binary.LittleEndian.Uint32(c.fat[sector%perTable*4:]), nil
}

// readChain lists the sectors of a stream, most of them at most.
func (c *compoundFile) readChain(first uint32, maxSectors int64) (*stream, error) {
	s := &stream{file: c}
	for at := first; at <= maxSector && int64(len(s.sectors)) < maxSectors; {
		if (int64(at)+1)<<c.shift >= c.in.Size {
			return nil, errCompoundFile
		}
		s.sectors = append(s.sectors, at)
		next, err := c.nextSector(at)
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
		within := at & (s.file.sectorSize() - 1)
		length := min(int64(len(p)-n), s.file.sectorSize()-within, s.size-at)
		place := (int64(s.sectors[at>>s.file.shift])+1)<<s.file.shift + within
		if _, err := s.file.in.ReadAt(p[n:n+int(length)], place); err != nil {
			return n, errors.Join(errCompoundFile, err)
		}
		n, at = n+int(length), at+length
	}
	return n, nil
}

// entry is a stream as the directory lists it.
type entry struct {
	firstSector uint32
	size        int64
}

// readDirectory lists the streams by name, the root under "".
func (c *compoundFile) readDirectory() (map[string]entry, error) {
	list, err := c.readChain(c.headerUint32(48), maxDirectorySectors)
	if err != nil {
		return nil, err
	}
	found := map[string]entry{}
	one := make([]byte, directoryEntrySize)
	for at := int64(0); at < list.size; at += directoryEntrySize {
		if _, err := list.ReadAt(one, at); err != nil {
			return nil, err
		}
		e := entry{binary.LittleEndian.Uint32(one[116:]), int64(binary.LittleEndian.Uint32(one[120:]))}
		if at == 0 {
			found[""] = e
			continue
		}
		for _, name := range []string{packageStream, settingsStream} {
			if bytes.HasPrefix(one, append(encodeUTF16(name), 0, 0)) {
				found[name] = e
			}
		}
	}
	return found, nil
}

// openStream opens a large stream.
func (c *compoundFile) openStream(e entry) (*stream, error) {
	s, err := c.readChain(e.firstSector, e.size>>c.shift+1)
	if err != nil {
		return nil, err
	}
	s.size = min(s.size, e.size)
	return s, nil
}

// readMiniStream reads a stream that is small enough to lie in the root's stream.
func (c *compoundFile) readMiniStream(root, e entry) ([]byte, error) {
	const firstTable, most = 60, 64 << 10
	inside, err := c.openStream(root)
	if err != nil {
		return nil, err
	}
	table, err := c.readChain(c.headerUint32(firstTable), c.in.Size>>c.shift)
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, miniSectorBytes)
	var next [4]byte
	for at := e.firstSector; int64(len(text)) < min(e.size, most); at = binary.LittleEndian.Uint32(next[:]) {
		text = append(text, make([]byte, miniSectorBytes)...)
		if _, err := inside.ReadAt(text[len(text)-miniSectorBytes:], int64(at)*miniSectorBytes); err != nil {
			return nil, errCompoundFile
		}
		if _, err := table.ReadAt(next[:], int64(at)*4); err != nil {
			return nil, errCompoundFile
		}
	}
	return text[:min(int64(len(text)), e.size)], nil
}

// encodeUTF16 gives a text as directories have names.
func encodeUTF16(name string) []byte {
	var text []byte
	for _, unit := range utf16.Encode([]rune(name)) {
		text = binary.LittleEndian.AppendUint16(text, unit)
	}
	return text
}
