package xls

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// The marks of a container.
const (
	compoundFileMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
	headerBytes       = 512
	// miniSectorBytes is the size of a sector of the mini stream, which holds the
	// streams shorter than miniCutoff.
	miniSectorBytes = 64
	miniCutoff      = 4096
	// maxSector is the highest number of a sector; those above are marks, such
	// as the end of a chain.
	maxSector  = 0xFFFFFFFA
	endOfChain = 0xFFFFFFFE
)

// compoundFile is an OLE2 compound file: sectors of one size, which a table of
// links (the FAT) joins to chains. Whatever its numbers say, it costs no more
// than a few bytes for each sector that the file has room for.
type compoundFile struct {
	in source.Input
	// shift gives the size of a sector: 1<<shift bytes.
	shift uint
	// sectorCount is how many the file has room for, the last one cut or not.
	sectorCount int64
	fat         []uint32
	// directory holds the entries; version is 3 or 4.
	directory *stream
	version   uint16
	// miniStream holds the short streams and miniFAT joins its sectors.
	miniStream *stream
	miniFAT    []uint32
}

var little = binary.LittleEndian

// openCompoundFile reads the tables of a container.
func openCompoundFile(in source.Input) (*compoundFile, error) {
	head := make([]byte, headerBytes)
	if in.Size < headerBytes {
		return nil, unreadable(intray.NewMessage("xls.too_short", intray.Params{"size": in.Size}))
	}
	if err := readFull(in, head, 0); err != nil {
		return nil, err
	}
	c := &compoundFile{in: in, version: little.Uint16(head[26:]), shift: uint(little.Uint16(head[30:]))}
	if c.shift != 9 && c.shift != 12 {
		return nil, damagedContainer(intray.NewMessage("xls.sector_size", intray.Params{"exponent": int(c.shift)}))
	}
	c.sectorCount = (in.Size - 1) >> c.shift // the header takes the place of one
	if err := c.loadFAT(head); err != nil {
		return nil, err
	}
	var err error
	if c.directory, err = c.readChain(little.Uint32(head[48:]), math.MaxInt64); err != nil {
		return nil, err
	}
	return c, c.loadMiniStream(little.Uint32(head[60:]))
}

// sectorOffset is where a sector is in the file.
func (c *compoundFile) sectorOffset(sector uint32) int64 { return (int64(sector) + 1) << c.shift }

// readSector reads one; its missing end reads as marks of free sectors.
func (c *compoundFile) readSector(number uint32, into []byte) error {
	n := min(int64(len(into)), c.in.Size-c.sectorOffset(number))
	for i := n; i < int64(len(into)); i++ {
		into[i] = 0xFF
	}
	return readFull(c.in, into[:n], c.sectorOffset(number))
}

// loadFAT reads the FAT, whose sectors are listed in the header and in the
// sectors of the DIFAT, and no more of it than there are sectors to link.
func (c *compoundFile) loadFAT(head []byte) error {
	buf := make([]byte, 1<<c.shift)
	most := int(c.sectorCount<<2>>c.shift) + 1
	list := regularSectors(head[76:])
	next, seen := little.Uint32(head[68:]), newBitset(c.sectorCount)
	for next <= maxSector && int64(next) < c.sectorCount && len(list) < most {
		if !seen.set(next) {
			return damagedContainer(intray.NewMessage("xls.circular_tables", nil))
		}
		if err := c.readSector(next, buf); err != nil {
			return err
		}
		list = append(list, regularSectors(buf[:len(buf)-4])...)
		next = little.Uint32(buf[len(buf)-4:])
	}
	for _, number := range list[:min(len(list), most)] {
		if int64(number) >= c.sectorCount {
			break // cut off; chains that lead there end early
		}
		if err := c.readSector(number, buf); err != nil {
			return err
		}
		c.fat = appendUint32s(c.fat, buf)
	}
	return nil
}

// regularSectors gives the numbers of sectors up to the first mark.
func regularSectors(raw []byte) []uint32 {
	list := appendUint32s(nil, raw)
	for i, number := range list {
		if number > maxSector {
			return list[:i]
		}
	}
	return list
}

func appendUint32s(list []uint32, raw []byte) []uint32 {
	for ; len(raw) >= 4; raw = raw[4:] {
		list = append(list, little.Uint32(raw))
	}
	return list
}

// readChain joins the sectors from start on to a stream of at most size bytes.
// Where they end early, or beyond the end of the file, the stream is cut.
func (c *compoundFile) readChain(start uint32, size int64) (*stream, error) {
	s := &stream{in: c.in, declaredSize: size}
	seen := newBitset(c.sectorCount)
	for next := start; s.size < size && next <= maxSector && int64(next) < c.sectorCount; {
		if !seen.set(next) {
			return nil, damagedContainer(intray.NewMessage("xls.circular_sectors", nil))
		}
		at := c.sectorOffset(next)
		s.addRun(at, min(1<<c.shift, size-s.size, c.in.Size-at))
		if at+1<<c.shift > c.in.Size {
			break
		}
		next = nextSector(c.fat, next)
	}
	return s, nil
}

// nextSector gives the link of a sector; one without any ends its chain.
func nextSector(links []uint32, number uint32) uint32 {
	if int64(number) >= int64(len(links)) {
		return endOfChain
	}
	return links[number]
}

// loadMiniStream reads what short streams need: the first entry of the directory
// says where they are.
func (c *compoundFile) loadMiniStream(start uint32) error {
	root, err := c.readEntry(0)
	if err != nil {
		return err
	}
	if c.miniStream, err = c.readChain(root.start, root.size); err != nil {
		return err
	}
	links, err := c.readChain(start, math.MaxInt64)
	if err != nil {
		return err
	}
	raw := make([]byte, min(links.size, c.miniStream.size/miniSectorBytes*4+4))
	if err := links.readAt(raw, 0); err != nil {
		return err
	}
	c.miniFAT = appendUint32s(nil, raw)
	return nil
}

// readMiniChain is chain for the sectors of the mini stream.
func (c *compoundFile) readMiniChain(start uint32, size int64) (*stream, error) {
	s := &stream{in: c.in, declaredSize: size}
	seen := newBitset(int64(len(c.miniFAT)))
	for next := start; s.size < size && int64(next) < int64(len(c.miniFAT)); next = c.miniFAT[next] {
		if !seen.set(next) {
			return nil, damagedContainer(intray.NewMessage("xls.circular_sectors", nil))
		}
		off := int64(next) * miniSectorBytes
		if off >= c.miniStream.size {
			break
		}
		at, _ := c.miniStream.locate(off)
		s.addRun(at, min(miniSectorBytes, size-s.size, c.miniStream.size-off))
	}
	return s, nil
}

// bitset remembers numbers.
type bitset []uint64

func newBitset(n int64) bitset { return make(bitset, n/64+1) }

// set marks a number and says whether it was not yet marked.
func (m bitset) set(n uint32) bool {
	bit := uint64(1) << (n % 64)
	fresh := m[n/64]&bit == 0
	m[n/64] |= bit
	return fresh
}

func (m bitset) contains(n uint32) bool { return m[n/64]&(1<<(n%64)) != 0 }

func damagedContainer(problem intray.Message) error {
	return unreadable(intray.NewMessage("xls.container_damaged", intray.Params{"problem": problem}))
}

const entryBytes = 128

// entry names a stream or a folder of the container.
type entry struct {
	name string
	kind byte
	// left and right lead to entries of the same folder, child to one inside.
	left, right, child uint32
	start              uint32
	size               int64
}

// The kinds of entries that are looked for.
const (
	kindStream = 2
	kindRoot   = 5
)

// readEntry reads one of the directory by its number.
func (c *compoundFile) readEntry(number uint32) (entry, error) {
	raw := make([]byte, entryBytes)
	off := int64(number) * entryBytes
	if off+entryBytes > c.directory.size {
		return entry{}, unreadable(intray.NewMessage("xls.no_directory_entry", intray.Params{"entry": number}))
	}
	if err := c.directory.readAt(raw, off); err != nil {
		return entry{}, err
	}
	e := entry{
		kind: raw[66], left: little.Uint32(raw[68:]), right: little.Uint32(raw[72:]), child: little.Uint32(raw[76:]),
		start: little.Uint32(raw[116:]), size: int64(little.Uint32(raw[120:])),
	}
	if high := little.Uint32(raw[124:]); c.version >= 4 && high != 0 {
		e.size = c.in.Size + 1 // more than there can be
	}
	units := make([]uint16, 0, 32)
	for i := 0; i+2 < min(int(little.Uint16(raw[64:])), 64); i += 2 {
		units = append(units, little.Uint16(raw[i:]))
	}
	e.name = string(utf16.Decode(units))
	return e, nil
}

// findStreams lists the streams outside of all folders, whose names are among those
// asked for. Workbooks inside folders belong to embedded objects.
func (c *compoundFile) findStreams(names ...string) (map[string]entry, error) {
	root, err := c.readEntry(0)
	if err != nil {
		return nil, err
	}
	found := map[string]entry{}
	seen := newBitset(c.directory.size / entryBytes)
	for todo := []uint32{root.child}; len(todo) > 0; {
		number := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if int64(number) >= c.directory.size/entryBytes || !seen.set(number) {
			continue // damaged links lead nowhere: what can be found is found
		}
		e, err := c.readEntry(number)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if e.kind == kindStream && strings.EqualFold(name, e.name) {
				found[name] = e
			}
		}
		todo = append(todo, e.left, e.right)
	}
	return found, nil
}

// openStream gives the bytes of an entry.
func (c *compoundFile) openStream(e entry) (*stream, error) {
	if e.size < miniCutoff {
		return c.readMiniChain(e.start, e.size)
	}
	return c.readChain(e.start, e.size)
}

// run is a part of a stream that lies in one piece in the file.
type run struct {
	// start is where it begins in the stream, at where in the file.
	start, fileOffset int64
}

// stream is a named sequence of bytes inside a container.
type stream struct {
	in   io.ReaderAt
	runs []run
	// size is how many bytes there are; declared how many there should be.
	size, declaredSize int64
}

// wholeFile is a file that is one stream.
func wholeFile(in source.Input) *stream {
	s := &stream{in: in, declaredSize: in.Size}
	s.addRun(0, in.Size)
	return s
}

// addRun adds a piece of the file.
func (s *stream) addRun(at, length int64) {
	if last := len(s.runs) - 1; last < 0 || s.runs[last].fileOffset+s.size-s.runs[last].start != at {
		s.runs = append(s.runs, run{start: s.size, fileOffset: at})
	}
	s.size += length
}

// truncated says that bytes at the end are missing.
func (s *stream) truncated() bool { return s.size < s.declaredSize }

// locate gives where in the file a byte of the stream is, and how many follow
// it there.
func (s *stream) locate(off int64) (at, length int64) {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].start > off }) - 1
	end := s.size
	if i+1 < len(s.runs) {
		end = s.runs[i+1].start
	}
	return s.runs[i].fileOffset + off - s.runs[i].start, end - off
}

// readAt fills p, all of which must be inside the stream.
func (s *stream) readAt(p []byte, off int64) error {
	for len(p) > 0 {
		at, length := s.locate(off)
		n := min(int64(len(p)), length)
		if err := readFull(s.in, p[:n], at); err != nil {
			return err
		}
		p, off = p[n:], off+n
	}
	return nil
}

// readFull reads bytes that the file must have.
func readFull(in io.ReaderAt, p []byte, at int64) error {
	n, err := in.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(p), at, err)
}

// unreadable says why a file cannot be read.
func unreadable(reason intray.Message) error {
	return &source.UnreadableError{Reason: reason}
}

// broken says what of a workbook is damaged.
func broken(problem intray.Message) error {
	return unreadable(intray.NewMessage("workbook.damaged", intray.Params{"problem": problem}))
}
