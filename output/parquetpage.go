package output

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

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
		e.dictionary = e.pages.AppendDictionaryPage(e.dictionary, &c.Chunk, c.dict.Plain(), c.dict.Len())
	}
	return e.dictionary
}

// columnChunk holds the encoded pages of one column in the current row group.
type columnChunk struct {
	parquetio.Chunk
	// pages are the encoded data pages, including their headers.
	pages [][]byte
	dict  parquetio.DictionaryBuilder
	// dictClosed is set if the dictionary accepts no more values.
	dictClosed bool
	// dictionaryPages is the number of pages that hold indexes into the dictionary.
	// plainPages is the number of pages that hold values.
	dictionaryPages, plainPages int
}

// reset empties the chunk. It frees the dictionary, because there may be thousands of columns.
func (c *columnChunk) reset() {
	clear(c.pages)
	*c = columnChunk{pages: c.pages[:0]}
}

// entryCost is the memory overhead of a dictionary entry, in bytes.
const entryCost = 20

// memorySize returns the size of the chunk in memory, in bytes. It is about the same as the
// size in the file.
func (c *columnChunk) memorySize() int {
	return int(c.Bytes) + c.dict.Bytes() + entryCost*c.dict.Len()
}

// pageEncoder encodes pages one at a time.
type pageEncoder struct {
	pages *parquetio.PageEncoder
	// body is an uncompressed page without its header. dictionary is a dictionary page.
	body, dictionary, encoded []byte
	indexes                   []int32
	// added is the size in memory of the pages that were encoded since the last wait, in bytes.
	added int
}

// encodePage encodes the filled page of a column as a data page of version 1, which every
// reader supports.
func (e *pageEncoder) encodePage(l *columnWriter) (err error) {
	p, c := &l.encoding, &l.chunk
	if len(p.levels) == 0 {
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
	if e.body, err = e.pages.AppendLevels(e.body, p.levels, most); err != nil {
		return err
	}
	h := parquetio.PageHeader{Count: len(p.levels), Nulls: len(p.levels) - p.values}
	if h.Encoding, err = e.appendValues(l); err != nil {
		return err
	}
	c.Codec = format.Zstd
	page, err := e.pages.AppendDataPage(nil, &c.Chunk, h, nil, e.body)
	if err != nil {
		return err
	}
	c.pages = append(c.pages, page)
	e.added += c.memorySize() - before
	return nil
}

// appendValues appends the values of a page, as dictionary indexes if these are smaller.
func (e *pageEncoder) appendValues(l *columnWriter) (format.Encoding, error) {
	c, p := &l.chunk, &l.encoding
	switch {
	case l.kind == booleanColumn:
		e.body = appendBits(e.body, p.plain)
	case e.indexValues(c, p, l.kind.byteWidth()):
		c.dictionaryPages++
		var err error
		if e.encoded, err = new(rle.DictionaryEncoding).EncodeInt32(e.encoded, e.indexes); err != nil {
			return 0, fmt.Errorf("encode the indexes of entries: %w", err)
		}
		e.body = append(e.body, e.encoded...)
		return format.RLEDictionary, nil
	default:
		e.body = append(e.body, p.plain...)
	}
	c.plainPages++
	return format.Plain, nil
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

// These are the limits of a dictionary. It is abandoned early if most of the first values
// are distinct.
const (
	dictEntries = 16_384
	dictBytes   = 1 << 20
	// minRepeats is the minimum average number of uses of each entry that a page adds to the
	// dictionary.
	minRepeats            = 3
	firstLook, firstMost  = 256, 192
	secondLook, moreTimes = 1024, 2
)

// indexValues computes the dictionary indexes of the values in a page. The values have width
// bytes each, or a length prefix if width is 0. It reports whether the dictionary is worth
// using. If not, it closes the dictionary, which retains the entries of earlier pages.
func (e *pageEncoder) indexValues(c *columnChunk, p *page, width int) bool {
	e.indexes = e.indexes[:0]
	if c.dictClosed || p.values == 0 {
		return false
	}
	d := &c.dict
	known := d.Len()
	if known == 0 {
		d.Reset(width, 0)
	}
	pays := true
	for i, rest := 0, p.plain; len(rest) > 0 && pays; i++ {
		from, end := 0, width
		if width == 0 {
			from, end = 4, 4+int(binary.LittleEndian.Uint32(rest))
		}
		e.indexes = append(e.indexes, d.Index(rest[from:end]))
		rest = rest[end:]
		fresh := d.Len() - known
		pays = d.Len() <= dictEntries && d.Bytes() <= dictBytes && (i != firstLook || fresh <= firstMost) && (i != secondLook || fresh*moreTimes <= i)
	}
	if pays = pays && (d.Len()-known)*minRepeats <= p.values; !pays {
		c.dictClosed = true
		d.Close(known)
	}
	return pays
}
