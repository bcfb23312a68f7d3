package output

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// maxEncoders is the most goroutines that encode pages. Each keeps scratch memory.
const maxEncoders = 4

var errPageTooLarge = errors.New("more than 2 GiB in one column of one page")

// encoderPool encodes pages in the background, the columns side by side.
type encoderPool struct {
	encoders []*pageEncoder
	running  sync.WaitGroup
	// size is how much the pages of the row group take so far.
	size int
	// errs and panics are what came of each encoder's last run.
	errs   []error
	panics []any
}

func newEncoderPool() (*encoderPool, error) {
	n := min(runtime.GOMAXPROCS(0), maxEncoders)
	// One frame for each page, without a checksum: the pages of other writers have
	// none either.
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(n))
	if err != nil {
		return nil, fmt.Errorf("prepare to compress: %w", err)
	}
	p := &encoderPool{errs: make([]error, n), panics: make([]any, n)}
	for range n {
		p.encoders = append(p.encoders, newPageEncoder(z))
	}
	return p, nil
}

// start encodes what the columns were filled with, and lets them be filled anew.
// It must have been waited for.
func (p *encoderPool) start(leaves []*columnWriter) {
	for _, l := range leaves {
		l.filling, l.encoding = l.encoding, l.filling
		l.filling.reset()
	}
	var next atomic.Int64
	for i, e := range p.encoders {
		p.running.Go(func() {
			defer func() { p.panics[i] = recover() }()
			p.errs[i] = nil
			for p.errs[i] == nil {
				at := int(next.Add(1)) - 1
				if at >= len(leaves) {
					return
				}
				p.errs[i] = e.encodePage(leaves[at])
			}
		})
	}
}

// wait gives how much the row group takes, when all that was started is encoded.
// It may be called again.
func (p *encoderPool) wait() (size int, err error) {
	p.running.Wait()
	for i, e := range p.encoders {
		if panicked := p.panics[i]; panicked != nil {
			p.panics[i] = nil
			panic(panicked)
		}
		p.size += e.added
		e.added = 0
	}
	return p.size, errors.Join(p.errs...)
}

// dictionaryPage gives the page of the column's dictionary, empty where it has none.
// It is gone with the next one.
func (p *encoderPool) dictionaryPage(l *columnWriter) ([]byte, error) {
	if l.chunk.dictionaryPages == 0 {
		return nil, nil
	}
	e := p.encoders[0]
	e.body = e.zstd.EncodeAll(l.chunk.dict.plain, e.body[:0])
	h := format.PageHeader{
		Type: format.DictionaryPage, UncompressedPageSize: int32(len(l.chunk.dict.plain)), CompressedPageSize: int32(len(e.body)),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(l.chunk.dict.count()), Encoding: format.Plain}),
	}
	if err := e.encodeHeader(&h); err != nil {
		return nil, err
	}
	l.chunk.plainSize += int64(e.header.Len() + len(l.chunk.dict.plain))
	e.packed = append(append(e.packed[:0], e.header.Bytes()...), e.body...)
	return e.packed, nil
}

// columnChunk is the encoded pages of one column in the row group under way.
type columnChunk struct {
	// pages stand behind the dictionary, with their headers; they are so long.
	pages  [][]byte
	length int
	dict   dictionary
	// dictionaryPages and straight are how many pages have the numbers of the dictionary's
	// entries, and the values themselves.
	dictionaryPages, plainPages int
	entries, nulls              int64
	// plainSize is what the pages would take without compression.
	plainSize int64
}

// reset empties it for the next row group.
func (c *columnChunk) reset() {
	c.dict.reset()
	clear(c.pages)
	*c = columnChunk{pages: c.pages[:0], dict: c.dict}
}

// pageEncoder encodes pages, one after the other.
type pageEncoder struct {
	zstd   *zstd.Encoder
	thrift *thrift.Encoder
	header bytes.Buffer
	// body is a page before it is compressed, packed after, and coded are levels or
	// the numbers of entries.
	body, packed, coded []byte
	numbers             []int32
	// added is how much its pages take.
	added int
}

func newPageEncoder(z *zstd.Encoder) *pageEncoder {
	e := &pageEncoder{zstd: z}
	e.thrift = thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&e.header))
	return e
}

func (e *pageEncoder) encodeHeader(h *format.PageHeader) error {
	e.header.Reset()
	if err := e.thrift.Encode(h); err != nil {
		return fmt.Errorf("write the header of a page: %w", err)
	}
	return nil
}

// encodePage encodes the page of a column that waits for it: a data page of version 1,
// which every reader knows.
func (e *pageEncoder) encodePage(l *columnWriter) error {
	p, c := &l.encoding, &l.chunk
	if len(p.levels) == 0 {
		return nil
	}
	before := c.memorySize()
	e.body = e.body[:0]
	if l.kind == listColumn {
		if err := e.appendLevels(p.repeats, 1); err != nil {
			return err
		}
	}
	if err := e.appendLevels(p.levels, l.maxDefinitionLevel()); err != nil {
		return err
	}
	encoding, err := e.appendValues(l)
	if err != nil {
		return err
	}
	if len(e.body) > math.MaxInt32 {
		return errPageTooLarge
	}
	e.packed = e.zstd.EncodeAll(e.body, e.packed[:0])
	h := format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(e.body)), CompressedPageSize: int32(len(e.packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(len(p.levels)), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	}
	if err := e.encodeHeader(&h); err != nil {
		return err
	}
	// Memory of just this size: it is held until the row group is written.
	c.pages = append(c.pages, slices.Concat(e.header.Bytes(), e.packed))
	c.length += e.header.Len() + len(e.packed)
	c.entries += int64(len(p.levels))
	c.nulls += int64(len(p.levels) - p.values)
	c.plainSize += int64(e.header.Len() + len(e.body))
	e.added += c.memorySize() - before
	return nil
}

// memorySize is what the chunk holds in memory, which is about what it takes in the
// file.
func (c *columnChunk) memorySize() int { return c.length + c.dict.size() }

// appendLevels adds levels with their length before them.
func (e *pageEncoder) appendLevels(levels []byte, most uint) (err error) {
	width := 1
	for most > 1 {
		width, most = width+1, most>>1
	}
	if e.coded, err = (&rle.Encoding{BitWidth: width}).EncodeLevels(e.coded, levels); err != nil {
		return fmt.Errorf("encode levels: %w", err)
	}
	e.body = append(binary.LittleEndian.AppendUint32(e.body, uint32(len(e.coded))), e.coded...)
	return nil
}

// maxDefinitionLevel is the level of a value.
func (l *columnWriter) maxDefinitionLevel() uint {
	if l.kind == listColumn {
		return 3
	}
	return 1
}

// appendValues adds the values: the numbers of their entries in the dictionary where
// that pays, else the values themselves.
func (e *pageEncoder) appendValues(l *columnWriter) (format.Encoding, error) {
	c, p := &l.chunk, &l.encoding
	if l.kind == booleanColumn {
		c.plainPages++
		e.body = appendBits(e.body, p.plain)
		return format.Plain, nil
	}
	numbers, ok := c.dict.appendIndexes(e.numbers[:0], p.plain, l.kind.byteWidth(), p.values)
	e.numbers = numbers
	if !ok {
		c.plainPages++
		e.body = append(e.body, p.plain...)
		return format.Plain, nil
	}
	c.dictionaryPages++
	var err error
	if e.coded, err = new(rle.DictionaryEncoding).EncodeInt32(e.coded, numbers); err != nil {
		return 0, fmt.Errorf("encode the numbers of entries: %w", err)
	}
	e.body = append(e.body, e.coded...)
	return format.RLEDictionary, nil
}

// appendBits adds truths, eight to a byte.
func appendBits(b, truths []byte) []byte {
	for i, t := range truths {
		if i%8 == 0 {
			b = append(b, 0)
		}
		b[len(b)-1] |= t << (i % 8)
	}
	return b
}

// Bounds of a dictionary, and when it is given up: after few values of which most
// are different. What it holds in memory counts for the size of the row group.
const (
	dictEntries = 16_384
	dictBytes   = 1 << 20
	// minRepeats is how often each entry is to be used.
	minRepeats            = 3
	firstLook, firstMost  = 256, 192
	secondLook, moreTimes = 1024, 2
	// entryCost is what an entry takes beside its value.
	entryCost = 20
)

// dictionary numbers the different values of a column in a row group.
type dictionary struct {
	seed maphash.Seed
	// slots is an open hash table of entry numbers plus one.
	slots  []uint32
	hashes []uint32
	// ends are where the entries end in plain.
	ends  []uint32
	plain []byte
	// closed says that it takes no further page.
	closed bool
}

func (d *dictionary) count() int { return len(d.ends) }

func (d *dictionary) size() int { return len(d.plain) + entryCost*d.count() }

// reset empties it. What is large is let go: there may be thousands of columns.
func (d *dictionary) reset() {
	const slots, bytes = 4096, 64 << 10
	if len(d.slots) > slots || cap(d.plain) > bytes {
		*d = dictionary{}
		return
	}
	clear(d.slots)
	d.hashes, d.ends, d.plain, d.closed = d.hashes[:0], d.ends[:0], d.plain[:0], false
}

// appendIndexes adds the number of each value of a page, as the encoding PLAIN has them;
// width is that of a value, or 0 where each has its length before it. It is not
// ok where that does not pay; then the dictionary takes no further page.
func (d *dictionary) appendIndexes(numbers []int32, plain []byte, width, values int) (_ []int32, ok bool) {
	if d.closed || values == 0 {
		return numbers, false
	}
	known := d.count()
	for i := 0; len(plain) > 0; i++ {
		n := width
		if width == 0 {
			n = 4 + int(binary.LittleEndian.Uint32(plain))
		}
		numbers = append(numbers, d.indexOf(plain[:n]))
		plain = plain[n:]
		fresh := d.count() - known
		if d.count() > dictEntries || len(d.plain) > dictBytes || i == firstLook && fresh > firstMost || i == secondLook && fresh*moreTimes > i {
			d.truncate(known)
			return numbers, false
		}
	}
	if (d.count()-known)*minRepeats > values {
		d.truncate(known)
		return numbers, false
	}
	return numbers, true
}

// truncate closes the dictionary with the entries that earlier pages need.
func (d *dictionary) truncate(known int) {
	d.closed = true
	d.slots, d.hashes = nil, nil
	d.ends = d.ends[:known]
	if known == 0 {
		d.plain = nil
		return
	}
	d.plain = d.plain[:d.ends[known-1]]
}

// indexOf gives the number of a value, a new one where it was not seen before.
func (d *dictionary) indexOf(v []byte) int32 {
	if 2*(d.count()+1) > len(d.slots) {
		d.growTable()
	}
	hash := uint32(maphash.Bytes(d.seed, v))
	mask := uint32(len(d.slots) - 1)
	at := hash & mask
	for ; d.slots[at] != 0; at = (at + 1) & mask {
		if n := d.slots[at] - 1; d.hashes[n] == hash && bytes.Equal(d.entryValue(n), v) {
			return int32(n)
		}
	}
	d.slots[at] = uint32(d.count() + 1)
	d.hashes = append(d.hashes, hash)
	d.plain = append(d.plain, v...)
	d.ends = append(d.ends, uint32(len(d.plain)))
	return int32(d.count() - 1)
}

func (d *dictionary) entryValue(n uint32) []byte {
	from := uint32(0)
	if n > 0 {
		from = d.ends[n-1]
	}
	return d.plain[from:d.ends[n]]
}

// growTable doubles the table.
func (d *dictionary) growTable() {
	size := 2 * len(d.slots)
	if size == 0 {
		size = 64
		d.seed = maphash.MakeSeed()
	}
	d.slots = make([]uint32, size)
	mask := uint32(size - 1)
	for n, hash := range d.hashes {
		at := hash & mask
		for d.slots[at] != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = uint32(n + 1)
	}
}
