package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// tailBytes are the length of the footer and the mark behind it.
	tailBytes = 8
	// maxFooter is the longest footer that is read. One of 10,000 columns in 50
	// row groups has about 60 MB.
	maxFooter = 64 << 20
	// maxGroups is the most row groups of a file.
	maxGroups = 1 << 18
	// maxProgram is how much of the name of the program is told.
	maxProgram = 200
)

// footer is what the end of a file says about it.
type footer struct {
	// data is the footer, at where it begins in the file.
	data   []byte
	offset int64

	createdBy string
	rows      int64
	elements  []element
	rowGroups []rowGroup
}

// rowGroup is a row group: its place in the footer and its rows.
type rowGroup struct {
	offset int
	rows   int64
}

// columnChunk is where a leaf's pages of one row group are.
type columnChunk struct {
	physical format.Type
	codec    format.CompressionCodec
	// entries counts values and nulls.
	entries int64
	start   int64
	// elsewhere says that the chunk is in another file, sealed that it is
	// encrypted.
	external, encrypted bool
}

// readFooter reads the end of a file.
func readFooter(in source.Input, limits source.Limits) (*footer, error) {
	head, tail := make([]byte, len(magic)), make([]byte, tailBytes)
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	if in.Size < int64(len(head)+len(tail)) {
		return nil, damageError{intray.NewMessage("parquet.too_short", nil)}
	}
	if err := readAt(in, head, 0); err != nil {
		return nil, err
	}
	if err := readAt(in, tail, in.Size-tailBytes); err != nil {
		return nil, err
	}
	switch end := string(tail[4:]); {
	case string(head) == magicEncrypted || string(head) == magic && end == magicEncrypted:
		return nil, errEncrypted
	case string(head) != magic:
		return nil, damageError{intray.NewMessage("parquet.no_par1_at_start", nil)}
	case end != magic:
		return nil, damageError{intray.NewMessage("parquet.no_par1_at_end", nil)}
	}
	size := int64(binary.LittleEndian.Uint32(tail))
	at := in.Size - tailBytes - size
	if at < int64(len(magic)) {
		return nil, damageError{intray.NewMessage("parquet.footer_too_long", nil)}
	}
	if size > maxFooter {
		return nil, limitError{intray.NewMessage("parquet.footer_too_large", intray.Params{"limit": maxFooter})}
	}
	f := &footer{data: make([]byte, size), offset: at}
	if err := readAt(in, f.data, at); err != nil {
		return nil, err
	}
	return f, f.parse(elementsPerColumn * limits.Columns)
}

// parse reads the footer, with at most so many elements of the schema: an empty
// one has a single byte there, and many in memory.
func (f *footer) parse(most int) error {
	c := &thriftReader{text: f.data}
	c.readFields(wireStruct, func(id int16, wire byte) bool {
		switch id {
		case 2:
			c.eachElement(wire, func(wire byte) {
				f.elements = append(f.elements, readElement(c, wire))
				if len(f.elements) > most {
					c.fail(limitError{intray.NewMessage("parquet.too_many_elements", intray.Params{"limit": most})})
				}
			})
		case 3:
			f.rows = c.readInt(wire)
		case 4:
			c.eachElement(wire, func(wire byte) {
				f.rowGroups = append(f.rowGroups, f.readGroup(c, wire))
				if len(f.rowGroups) > maxGroups {
					c.fail(limitError{intray.NewMessage("parquet.too_many_row_groups", intray.Params{"limit": maxGroups})})
				}
			})
		case 6:
			f.createdBy = printable(c.readBinary(wire))
		default:
			return false
		}
		return true
	})
	var broken damageError
	if errors.As(c.err, &broken) {
		return damageError{intray.NewMessage("parquet.footer_damaged", intray.Params{"problem": broken.problem})}
	}
	return c.err
}

// printable makes a text of strangers fit to be shown.
func printable(text []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(string(text[:min(len(text), maxProgram)]), ""))
}

// readGroup notes where a row group is; its chunks are read when it is.
func (f *footer) readGroup(c *thriftReader, wire byte) rowGroup {
	g := rowGroup{offset: c.at}
	c.readFields(wire, func(id int16, wire byte) bool {
		if id == 3 {
			g.rows = c.readInt(wire)
		}
		return id == 3
	})
	return g
}

// readChunks reads the chunks of a row group, which has at most so many.
func (f *footer) readChunks(g rowGroup, most int, chunks []columnChunk) ([]columnChunk, error) {
	c := &thriftReader{text: f.data, at: g.offset}
	c.readFields(wireStruct, func(id int16, wire byte) bool {
		if id == 1 {
			c.eachElement(wire, func(wire byte) {
				if chunks = append(chunks, readChunk(c, wire)); len(chunks) > most {
					c.fail(damageError{intray.NewMessage("parquet.row_group_too_wide", nil)})
				}
			})
		}
		return id == 1
	})
	return chunks, c.err
}

func readChunk(c *thriftReader, wire byte) columnChunk {
	k := columnChunk{physical: -1}
	c.readFields(wire, func(id int16, wire byte) bool {
		switch id {
		case 1:
			k.external = len(c.readBinary(wire)) > 0
		case 3:
			k.readMetaData(c, wire)
		case 8:
			k.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	return k
}

func (k *columnChunk) readMetaData(c *thriftReader, wire byte) {
	var dictionary int64
	c.readFields(wire, func(id int16, wire byte) bool {
		switch id {
		case 1:
			k.physical = format.Type(c.readInt32(wire))
		case 4:
			k.codec = format.CompressionCodec(c.readInt32(wire))
		case 5:
			k.entries = c.readInt(wire)
		case 9:
			k.start = c.readInt(wire)
		case 11:
			dictionary = c.readInt(wire)
		default:
			return false
		}
		return true
	})
	if dictionary > 0 && dictionary < k.start {
		k.start = dictionary
	}
}

// validateRowGroups wants all row groups to have the chunks of these leaves, and the rows of
// all to be those of the file.
func (f *footer) validateRowGroups(leaves []*leaf) error {
	rows := int64(0)
	var chunks []columnChunk
	for i, g := range f.rowGroups {
		if g.rows < 0 || g.rows > math.MaxInt64-rows {
			return damageError{intray.NewMessage("parquet.impossible_row_count", intray.Params{"group": i + 1})}
		}
		rows += g.rows
		var err error
		if chunks, err = f.readChunks(g, len(leaves), chunks[:0]); err != nil {
			return fmt.Errorf("read row group %d: %w", i+1, err)
		}
		if len(chunks) != len(leaves) {
			return damageError{intray.NewMessage("parquet.wrong_column_count", intray.Params{"group": i + 1, "columns": columnCount(len(chunks)), "expected": len(leaves)})}
		}
		for c, k := range chunks {
			if err := f.checkChunk(k, leaves[c], g.rows); err != nil {
				return err
			}
		}
	}
	if rows != f.rows {
		return damageError{intray.NewMessage("parquet.wrong_row_count", intray.Params{"declared": f.rows, "found": rows})}
	}
	return nil
}

func (f *footer) checkChunk(k columnChunk, l *leaf, rows int64) error {
	switch {
	case k.encrypted:
		return errEncrypted
	case k.external:
		return damageError{intray.NewMessage("parquet.column_in_other_file", intray.Params{"column": source.Excerpt(l.path)})}
	case k.physical != l.physical:
		return damageError{intray.NewMessage("parquet.wrong_column_type", intray.Params{"column": source.Excerpt(l.path)})}
	case k.entries < rows || l.rep == 0 && k.entries > rows:
		return damageError{intray.NewMessage("parquet.wrong_value_count", intray.Params{"column": source.Excerpt(l.path), "values": k.entries, "rows": rows})}
	case k.entries > 0 && (k.start < int64(len(magic)) || k.start >= f.offset):
		return damageError{intray.NewMessage("parquet.column_outside_file", intray.Params{"column": source.Excerpt(l.path)})}
	}
	_, known := codecs[k.codec]
	if !known {
		return damageError{intray.NewMessage("parquet.unknown_compression", intray.Params{
			"column": source.Excerpt(l.path), "codec": k.codec.String(), "codecs": []string{"snappy", "gzip", "zstd", "lz4_raw", "brotli"},
		})}
	}
	return nil
}
