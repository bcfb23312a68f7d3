package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

const (
	// tailBytes is the size of the footer's length and the magic number.
	tailBytes = 8
	// maxFooterBytes is the size of the largest footer that is read. One of
	// 10,000 columns in 50 row groups has about 60 MB.
	maxFooterBytes = 64 << 20
	// maxRowGroups is the number of row groups that a file may have.
	maxRowGroups = 1 << 18
)

// Footer is the metadata at the end of a file.
type Footer struct {
	// Offset is where the footer begins and the pages end.
	Offset    int64
	CreatedBy []byte
	Rows      int64
	// Elements is the schema: the root first, and each group before its members.
	Elements  []Element
	RowGroups []RowGroup

	text []byte
}

// RowGroup locates a row group in a footer.
type RowGroup struct {
	Rows   int64
	offset int
}

// ColumnChunk locates the pages of a leaf in a row group.
type ColumnChunk struct {
	Type  format.Type
	Codec format.CompressionCodec
	// Entries counts values and nulls.
	Entries int64
	Offset  int64
	// External reports whether the chunk is in another file.
	External, Encrypted bool
}

// ReadFooter reads the footer of a file of size bytes. A schema of more than
// maxElements elements is a [LimitError]: an empty element takes one byte of the
// file, and many of memory.
func ReadFooter(r io.ReaderAt, size int64, maxElements int) (*Footer, error) {
	head, tail := make([]byte, len(Magic)), make([]byte, tailBytes)
	if size < int64(len(head)+len(tail)) {
		return nil, Damaged(intray.NewMessage("parquet.too_short", nil))
	}
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	if err := readAt(r, tail, size-tailBytes); err != nil {
		return nil, err
	}
	switch end := string(tail[4:]); {
	case string(head) == MagicEncrypted || string(head) == Magic && end == MagicEncrypted:
		return nil, Damaged(intray.NewMessage("file.encrypted", nil))
	case string(head) != Magic:
		return nil, Damaged(intray.NewMessage("parquet.no_par1_at_start", nil))
	case end != Magic:
		return nil, Damaged(intray.NewMessage("parquet.no_par1_at_end", nil))
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	f := &Footer{Offset: size - tailBytes - length}
	if f.Offset < int64(len(Magic)) {
		return nil, Damaged(intray.NewMessage("parquet.footer_too_long", nil))
	}
	if length > maxFooterBytes {
		return nil, Limited(intray.NewMessage("parquet.footer_too_large", intray.Params{"limit": maxFooterBytes}))
	}
	f.text = make([]byte, length)
	if err := readAt(r, f.text, f.Offset); err != nil {
		return nil, err
	}
	return f, f.parse(maxElements)
}

func (f *Footer) parse(maxElements int) error {
	r := &thriftReader{text: f.text}
	r.readFields(wireStruct, nil, func(id int16, wire byte) bool {
		switch id {
		case 2:
			r.eachElement(wire, func(wire byte) {
				var e Element
				e.read(r, wire)
				if f.Elements = append(f.Elements, e); len(f.Elements) > maxElements {
					r.fail(Limited(intray.NewMessage("parquet.too_many_elements", intray.Params{"limit": maxElements})))
				}
			})
		case 3:
			f.Rows = r.readInt(wire)
		case 4:
			r.eachElement(wire, func(wire byte) {
				if f.readRowGroup(r, wire); len(f.RowGroups) > maxRowGroups {
					r.fail(Limited(intray.NewMessage("parquet.too_many_row_groups", intray.Params{"limit": maxRowGroups})))
				}
			})
		case 6:
			f.CreatedBy = r.readBinary(wire)
		default:
			return false
		}
		return true
	})
	var damage DamageError
	if errors.As(r.err, &damage) {
		return Damaged(intray.NewMessage("parquet.footer_damaged", intray.Params{"problem": damage.Problem}))
	}
	return r.err
}

// readRowGroup notes where a row group is. Its chunks are read by ReadChunks.
func (f *Footer) readRowGroup(r *thriftReader, wire byte) {
	g := RowGroup{offset: r.pos}
	r.readFields(wire, nil, func(id int16, wire byte) bool {
		if id == 3 {
			g.Rows = r.readInt(wire)
		}
		return id == 3
	})
	f.RowGroups = append(f.RowGroups, g)
}

// ReadChunks appends the chunks of a row group, of which there may be limit in all.
func (f *Footer) ReadChunks(g RowGroup, limit int, chunks []ColumnChunk) ([]ColumnChunk, error) {
	r := &thriftReader{text: f.text, pos: g.offset}
	r.readFields(wireStruct, nil, func(id int16, wire byte) bool {
		if id == 1 {
			r.eachElement(wire, func(wire byte) {
				if chunks = append(chunks, readChunk(r, wire)); len(chunks) > limit {
					r.fail(Damaged(intray.NewMessage("parquet.row_group_too_wide", nil)))
				}
			})
		}
		return id == 1
	})
	return chunks, r.err
}

func readChunk(r *thriftReader, wire byte) ColumnChunk {
	c := ColumnChunk{Type: NoType}
	dictionary := int64(0)
	r.readFields(wire, nil, func(id int16, wire byte) bool {
		switch id {
		case 1:
			c.External = len(r.readBinary(wire)) > 0
			return true
		case 3:
			r.readFields(wire, nil, func(id int16, wire byte) bool {
				switch id {
				case 1:
					c.Type = format.Type(r.readInt32(wire))
				case 4:
					c.Codec = format.CompressionCodec(r.readInt32(wire))
				case 5:
					c.Entries = r.readInt(wire)
				case 9:
					c.Offset = r.readInt(wire)
				case 11:
					dictionary = r.readInt(wire)
				default:
					return false
				}
				return true
			})
			return true
		case 8:
			c.Encrypted = true
		}
		return false
	})
	if dictionary > 0 && dictionary < c.Offset {
		c.Offset = dictionary
	}
	return c
}

// maxWrittenFooter leaves room for the schema below the 2 GiB of a footer.
const maxWrittenFooter = math.MaxInt32 - 1<<28

// createdBy names the program in the files that it writes.
const createdBy = "intray"

// Chunk describes the pages of a column that were written in one row group.
type Chunk struct {
	Codec     format.CompressionCodec
	Encodings []format.Encoding
	// Entries counts values and nulls.
	Entries, Nulls int64
	// Bytes is the size of all pages, and PlainBytes their size before
	// compression. DictionaryBytes is the size of the dictionary page, which is
	// the first page, or 0 without a dictionary.
	Bytes, PlainBytes, DictionaryBytes int64
}

// FooterWriter gathers the footer of a file while its row groups are written. Row
// groups are kept encoded, in a few bytes for each chunk.
type FooterWriter struct {
	// Columns are the columns: each a leaf, or the groups that lead to one and
	// then the leaf.
	Columns [][]Element
	// Rows and Groups count the rows and row groups so far.
	Rows   int64
	Groups int

	encoded thriftWriter
}

// AppendGroup adds a row group that begins at offset and has a chunk for each
// column.
func (f *FooterWriter) AppendGroup(rows, offset int64, chunks []Chunk) error {
	if f.Groups == math.MaxInt16 {
		return fmt.Errorf("a Parquet file has at most %d row groups", math.MaxInt16)
	}
	var size, plain int64
	w := &f.encoded
	w.appendStruct(func() {
		w.writeListHeader(1, len(chunks), wireStruct)
		for i := range chunks {
			w.appendStruct(func() {
				w.writeInt64(2, 0)
				w.writeStruct(3, func() { chunks[i].write(w, f.Columns[i], offset+size) })
			})
			size += chunks[i].Bytes
			plain += chunks[i].PlainBytes
		}
		w.writeInt64(2, plain)
		w.writeInt64(3, rows)
		w.writeInt64(5, offset)
		w.writeInt64(6, size)
		w.writeInt(7, wireInt16, int64(f.Groups))
	})
	f.Rows += rows
	f.Groups++
	if len(w.text) > maxWrittenFooter {
		return fmt.Errorf("the descriptions of the row groups exceed %d bytes", maxWrittenFooter)
	}
	return nil
}

// write writes the metadata of a chunk that begins at offset.
func (c *Chunk) write(w *thriftWriter, column []Element, offset int64) {
	w.writeInts(1, int(column[len(column)-1].Type))
	w.writeListHeader(2, len(c.Encodings), wireInt32)
	for _, encoding := range c.Encodings {
		w.text = binary.AppendVarint(w.text, int64(encoding))
	}
	w.writeListHeader(3, len(column), wireBinary)
	for i := range column {
		w.appendBinary(column[i].Name)
	}
	w.writeInts(4, int(c.Codec))
	w.writeInt64(5, c.Entries)
	w.writeInt64(6, c.PlainBytes)
	w.writeInt64(7, c.Bytes)
	w.writeInt64(9, offset+c.DictionaryBytes)
	if c.DictionaryBytes > 0 {
		w.writeInt64(11, offset)
	}
	w.writeStruct(12, func() { w.writeInt64(3, c.Nulls) })
}

// Encode returns the footer of a file of this version of the format, with its
// length and the magic number.
func (f *FooterWriter) Encode(version int) []byte {
	elements := 1
	for _, column := range f.Columns {
		elements += len(column)
	}
	w := &thriftWriter{}
	w.appendStruct(func() {
		w.writeInts(1, version)
		w.writeListHeader(2, elements, wireStruct)
		root := Element{Name: []byte("rows"), Type: NoType, Repetition: NoRepetition, Children: len(f.Columns)}
		root.append(w)
		for _, column := range f.Columns {
			for i := range column {
				column[i].append(w)
			}
		}
		w.writeInt64(3, f.Rows)
		w.writeListHeader(4, f.Groups, wireStruct)
		w.text = append(w.text, f.encoded.text...)
		w.writeBinary(6, []byte(createdBy))
	})
	return append(binary.LittleEndian.AppendUint32(w.text, uint32(len(w.text))), Magic...)
}
