package output

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/distinct"
	"github.com/intraydata/intray/internal/parquetio"
)

// maxEncoders is the maximum number of goroutines that encode pages. It is limited because
// each of them retains buffers.
const maxEncoders = 4

// encoderPool encodes pages in the background, several columns at a time.
type encoderPool struct {
	encoders []*pageEncoder
	running  sync.WaitGroup
	// size is the size in memory of the pages in the row group so far, in bytes.
	size int
	// errs and panics are the results of each encoder's last run.
	errs   []error
	panics []any
}

func newEncoderPool() (*encoderPool, error) {
	n := min(runtime.GOMAXPROCS(0), maxEncoders)
	compressor, err := parquetio.NewCompressor(format.Zstd, n)
	if err != nil {
		return nil, err
	}
	p := &encoderPool{errs: make([]error, n), panics: make([]any, n)}
	for range n {
		p.encoders = append(p.encoders, &pageEncoder{pages: parquetio.NewPageEncoder(compressor)})
	}
	return p, nil
}

// start encodes the filled pages of the columns in the background. The columns can be
// filled again immediately. The caller must call wait before start.
func (p *encoderPool) start(columns []*columnWriter) {
	for _, c := range columns {
		c.filling, c.encoding = c.encoding, c.filling
		c.filling.reset()
	}
	var next atomic.Int64
	for i, e := range p.encoders {
		p.running.Go(func() {
			defer func() { p.panics[i] = recover() }()
			p.errs[i] = nil
			for p.errs[i] == nil {
				at := int(next.Add(1)) - 1
				if at >= len(columns) {
					return
				}
				p.errs[i] = e.encodePage(columns[at])
			}
		})
	}
}

// wait waits until the goroutines that start began have encoded all pages, and returns the size
// of the row group in bytes. It may be called more than once.
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

// endChunk completes the chunk of a column and returns its dictionary page, which is empty
// if there is no dictionary. The page is valid until the next call.
func (p *encoderPool) endChunk(c *columnChunk) []byte {
	e := p.encoders[0]
	c.Codec, c.Encodings = format.Zstd, []format.Encoding{format.RLE}
	if c.plainPages > 0 || c.dictionaryPages > 0 {
		c.Encodings = append(c.Encodings, format.Plain) // the encoding of the dictionary page
	}
	e.dictionary = e.dictionary[:0]
	if c.dictionaryPages > 0 {
		c.Encodings = append(c.Encodings, format.RLEDictionary)
		if c.width > 0 {
			e.body = append(e.body[:0], c.dict.Texts.Arena[:c.dictEntries*c.width]...)
		} else {
			e.body = parquetio.AppendPlainTexts(e.body[:0], &c.dict.Texts, 0, c.dictEntries)
		}
		e.dictionary = e.pages.AppendDictionaryPage(e.dictionary, &c.Chunk, e.body, c.dictEntries)
	}
	return e.dictionary
}

// columnChunk holds the encoded pages of one column in the current row group.
type columnChunk struct {
	parquetio.Chunk
	// pages contains the encoded data pages, including their headers.
	pages []byte
	// dict is the dictionary, and dictEntries is the number of its entries that pages use. width is the
	// number of bytes per entry, or 0 for strings.
	dict               distinct.Table
	dictEntries, width int
	// dictClosed is set if the dictionary accepts no more values.
	dictClosed bool
	// dictionaryPages is the number of pages that hold indexes into the dictionary.
	// plainPages is the number of pages that hold values.
	dictionaryPages, plainPages int
}

// reset empties the chunk. Because there may be thousands of columns, it frees the dictionary, and the memory of
// the pages if less than half of it was used.
func (c *columnChunk) reset() {
	pages := c.pages[:0]
	if cap(pages) > 2*len(c.pages) {
		pages = nil
	}
	*c = columnChunk{pages: pages}
}

// entryCost is the memory overhead of a dictionary entry, in bytes: its identity, its end and its slots.
const entryCost = 44

// memorySize returns the size of the chunk in memory, in bytes. It is about the same as the
// size in the file.
func (c *columnChunk) memorySize() int {
	return int(c.Bytes) + len(c.dict.Texts.Arena) + entryCost*c.dict.Len()
}

// pageEncoder encodes pages one at a time.
type pageEncoder struct {
	pages *parquetio.PageEncoder
	// body is an uncompressed page without its header. dictionary is a dictionary page.
	body, dictionary, encoded []byte
	// indexes holds the dictionary index of each value, and entries that of each entry of the page.
	indexes, entries []int32
	// added is the size in memory of the pages that were encoded since the last wait, in bytes.
	added int
}

// encodePage encodes the filled page of a column as a data page of version 1, which every
// reader supports.
func (e *pageEncoder) encodePage(l *columnWriter) (err error) {
	p, c := &l.encoding, &l.chunk
	if p.rows == 0 {
		return nil
	}
	before := c.memorySize()
	e.body = e.body[:0]
	most := 1
	if l.kind == listColumn {
		if e.body, err = e.pages.AppendLevels(e.body, p.repeats, 1); err != nil {
			return err
		}
		most = listValue
	}
	if len(p.levels) == 0 {
		e.body = parquetio.AppendOnes(e.body, p.rows)
	} else if e.body, err = e.pages.AppendLevels(e.body, p.levels, most); err != nil {
		return err
	}
	h := parquetio.PageHeader{Count: p.rows, Nulls: p.rows - p.values}
	var body []byte
	if body, h.Encoding, err = e.appendValues(l); err != nil {
		return err
	}
	c.Codec = format.Zstd
	if c.pages, err = e.pages.AppendDataPage(c.pages, &c.Chunk, h, nil, body); err != nil {
		return err
	}
	e.added += c.memorySize() - before
	return nil
}

// appendValues returns the levels in e.body followed by the values of a page, as dictionary indexes if these
// are smaller.
func (e *pageEncoder) appendValues(l *columnWriter) (body []byte, encoding format.Encoding, err error) {
	c, p := &l.chunk, &l.encoding
	c.width = l.kind.byteWidth()
	if l.kind != booleanColumn && e.indexValues(c, p) {
		c.dictionaryPages++
		e.body, err = e.pages.AppendIndexes(e.body, e.indexes, int(slices.Max(e.entries))+1)
		return e.body, format.RLEDictionary, err
	}
	c.plainPages++
	return e.appendPlainValues(p, l.kind), format.Plain, nil
}

// appendPlainValues returns the levels in e.body followed by the values of a page in the encoding PLAIN. The
// result may use the memory of the page.
func (e *pageEncoder) appendPlainValues(p *page, kind columnKind) []byte {
	if len(p.indexes) == 0 && kind != booleanColumn && len(e.body) <= headroom {
		start := headroom - len(e.body)
		copy(p.plain[start:], e.body)
		return p.plain[start:]
	}
	from := len(e.body)
	if len(p.indexes) == 0 {
		e.body = append(e.body, p.plain[headroom:]...)
	}
	for _, i := range p.indexes {
		e.body = append(e.body, p.plainEntry(int(i), kind.byteWidth())...)
	}
	if kind == booleanColumn {
		e.encoded = append(e.encoded[:0], e.body[from:]...)
		e.body = appendBits(e.body[:from], e.encoded)
	}
	return e.body
}

// appendBits appends booleans, eight to a byte.
func appendBits(b, booleans []byte) []byte {
	for i, v := range booleans {
		if i%8 == 0 {
			b = append(b, 0)
		}
		b[len(b)-1] |= v << (i % 8)
	}
	return b
}

// These are the limits of a dictionary. It is abandoned early if more than earlyMost of the first
// earlyLook values are distinct.
const (
	dictEntries = 16_384
	dictBytes   = 1 << 20
	// minRepeats is the minimum average number of uses of each entry that a page adds to the
	// dictionary.
	minRepeats           = 2
	earlyLook, earlyMost = 1024, 1000
)

// indexValues computes the dictionary indexes of the values in a page. It reports whether the dictionary is
// worth using. If not, it closes the dictionary, which retains the entries of earlier pages.
func (e *pageEncoder) indexValues(c *columnChunk, p *page) bool {
	if c.dictClosed || p.values == 0 {
		return false
	}
	d := &c.dict
	if d.Len() == 0 {
		d.Reset()
	}
	e.entries = e.entries[:0]
	pays := true
	for i := 0; i < p.count && pays; i++ {
		e.entries = append(e.entries, d.Code(p.entry(i, c.width), 0))
		fresh := d.Len() - c.dictEntries
		pays = d.Len() <= dictEntries && len(d.Texts.Arena) <= dictBytes && (i != earlyLook || fresh <= earlyMost)
	}
	if pays = pays && (d.Len()-c.dictEntries)*minRepeats <= p.values; !pays {
		c.closeDictionary()
		return false
	}
	c.dictEntries = d.Len()
	if len(p.indexes) == 0 {
		e.indexes = append(e.indexes[:0], e.entries...)
		return true
	}
	e.indexes = slices.Grow(e.indexes[:0], len(p.indexes))[:len(p.indexes)]
	for i, entry := range p.indexes {
		e.indexes[i] = e.entries[entry]
	}
	return true
}

// closeDictionary frees the memory that is needed only for adding values, and the entries that no page uses.
func (c *columnChunk) closeDictionary() {
	c.dictClosed = true
	var used intray.Texts
	used.AppendRange(&c.dict.Texts, 0, c.dictEntries)
	c.dict = distinct.Table{Texts: used}
}
