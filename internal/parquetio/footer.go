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
	// tailBytes is the size of the end of a file in bytes: the length of the footer and the
	// magic number.
	tailBytes = 8
	// maxFooterBytes is the maximum size of a footer in bytes. The footer of a file with
	// 10,000 columns and 50 row groups is about 60 MB long.
	maxFooterBytes = 64 << 20
	// maxRowGroups is the maximum number of row groups in a file.
	maxRowGroups = 1 << 18
)

// Footer is the metadata at the end of a file.
type Footer struct {
	// Offset is the file offset of the footer, where the pages end.
	Offset    int64
	CreatedBy []byte
	Rows      int64
	// Elements is the schema. It starts with the root, and each group precedes its members.
	Elements  []Element
	RowGroups []RowGroup

	text []byte
}

// RowGroup describes a row group and its location in the footer.
type RowGroup struct {
	Rows   int64
	offset int
}

// ColumnChunk describes the pages of a leaf in one row group.
type ColumnChunk struct {
	Type  format.Type
	Codec format.CompressionCodec
	// Entries counts values and nulls.
	Entries int64
	Offset  int64
	// External reports whether the chunk is stored in a different file.
	External, Encrypted bool
}

// ReadFooter reads the footer of a file of size bytes. It returns a [LimitError] if the schema
// has more than maxElements elements, because an element can take one byte in the file but
// many in memory.
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

// readRowGroup appends a row group to f.RowGroups. ReadChunks reads its chunks later.
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

// ReadChunks appends the chunks of a row group to chunks. It returns an error if chunks then
// has more than limit elements.
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

// maxWrittenFooter is the maximum size of the encoded row groups in bytes. It leaves room for
// the schema, because a footer cannot exceed 2 GiB.
const maxWrittenFooter = math.MaxInt32 - 1<<28

// createdBy is the name of the program in the footers of written files.
const createdBy = "intray"

// Chunk describes the written pages of a column in one row group.
type Chunk struct {
	Codec     format.CompressionCodec
	Encodings []format.Encoding
	// Entries counts values and nulls.
	Entries, Nulls int64
	// Bytes is the total size of all pages, and PlainBytes is their total size before
	// compression. DictionaryBytes is the size of the dictionary page, which comes first, or 0
	// if there is none.
	Bytes, PlainBytes, DictionaryBytes int64
}

// FooterWriter builds the footer of a file while the row groups of the file are being written.
// It stores row groups in encoded form, which takes a few bytes per chunk.
type FooterWriter struct {
	// Columns holds the schema elements of each column: the groups that contain its leaf, if
	// any, and then the leaf.
	Columns [][]Element
	// Rows and Groups are the numbers of rows and row groups added so far.
	Rows   int64
	Groups int

	encoded thriftWriter
}

// AppendGroup adds a row group that starts at the given file offset and has one chunk per column.
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

// write writes the metadata of a chunk that starts at the given file offset.
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

// Encode returns the footer of a file in the given version of the format, followed by its
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
