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
	// text is the footer, at where it begins in the file.
	text []byte
	at   int64

	createdBy string
	rows      int64
	elements  []element
	groups    []group
}

// group is a row group: its place in the footer and its rows.
type group struct {
	at   int
	rows int64
}

// chunk is where a leaf's pages of one row group are.
type chunk struct {
	physical format.Type
	codec    format.CompressionCodec
	// entries counts values and nulls.
	entries int64
	start   int64
	// elsewhere says that the chunk is in another file, sealed that it is
	// encrypted.
	elsewhere, sealed bool
}

// readFooter reads the end of a file.
func readFooter(in source.Input, limits source.Limits) (*footer, error) {
	head, tail := make([]byte, len(mark)), make([]byte, tailBytes)
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	if in.Size < int64(len(head)+len(tail)) {
		return nil, damage{intray.NewMessage("parquet.too_short", nil)}
	}
	if err := readAt(in, head, 0); err != nil {
		return nil, err
	}
	if err := readAt(in, tail, in.Size-tailBytes); err != nil {
		return nil, err
	}
	switch end := string(tail[4:]); {
	case string(head) == markEncrypted || string(head) == mark && end == markEncrypted:
		return nil, errEncrypted
	case string(head) != mark:
		return nil, damage{intray.NewMessage("parquet.no_par1_at_start", nil)}
	case end != mark:
		return nil, damage{intray.NewMessage("parquet.no_par1_at_end", nil)}
	}
	size := int64(binary.LittleEndian.Uint32(tail))
	at := in.Size - tailBytes - size
	if at < int64(len(mark)) {
		return nil, damage{intray.NewMessage("parquet.footer_too_long", nil)}
	}
	if size > maxFooter {
		return nil, limitReached{intray.NewMessage("parquet.footer_too_large", intray.Params{"limit": maxFooter})}
	}
	f := &footer{text: make([]byte, size), at: at}
	if err := readAt(in, f.text, at); err != nil {
		return nil, err
	}
	return f, f.parse(elementsPerColumn * limits.Columns)
}

// parse reads the footer, with at most so many elements of the schema: an empty
// one has a single byte there, and many in memory.
func (f *footer) parse(most int) error {
	c := &compact{text: f.text}
	c.fields(wireStruct, func(id int16, wire byte) bool {
		switch id {
		case 2:
			c.each(wire, func(wire byte) {
				f.elements = append(f.elements, readElement(c, wire))
				if len(f.elements) > most {
					c.fail(limitReached{intray.NewMessage("parquet.too_many_elements", intray.Params{"limit": most})})
				}
			})
		case 3:
			f.rows = c.int(wire)
		case 4:
			c.each(wire, func(wire byte) {
				f.groups = append(f.groups, f.readGroup(c, wire))
				if len(f.groups) > maxGroups {
					c.fail(limitReached{intray.NewMessage("parquet.too_many_row_groups", intray.Params{"limit": maxGroups})})
				}
			})
		case 6:
			f.createdBy = printable(c.bytes(wire))
		default:
			return false
		}
		return true
	})
	var broken damage
	if errors.As(c.err, &broken) {
		return damage{intray.NewMessage("parquet.footer_damaged", intray.Params{"problem": broken.problem})}
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
func (f *footer) readGroup(c *compact, wire byte) group {
	g := group{at: c.at}
	c.fields(wire, func(id int16, wire byte) bool {
		if id == 3 {
			g.rows = c.int(wire)
		}
		return id == 3
	})
	return g
}

// chunks reads the chunks of a row group, which has at most so many.
func (f *footer) chunks(g group, most int, chunks []chunk) ([]chunk, error) {
	c := &compact{text: f.text, at: g.at}
	c.fields(wireStruct, func(id int16, wire byte) bool {
		if id == 1 {
			c.each(wire, func(wire byte) {
				if chunks = append(chunks, readChunk(c, wire)); len(chunks) > most {
					c.fail(damage{intray.NewMessage("parquet.row_group_too_wide", nil)})
				}
			})
		}
		return id == 1
	})
	return chunks, c.err
}

func readChunk(c *compact, wire byte) chunk {
	k := chunk{physical: -1}
	c.fields(wire, func(id int16, wire byte) bool {
		switch id {
		case 1:
			k.elsewhere = len(c.bytes(wire)) > 0
		case 3:
			k.readPlace(c, wire)
		case 8:
			k.sealed = true
			return false
		default:
			return false
		}
		return true
	})
	return k
}

func (k *chunk) readPlace(c *compact, wire byte) {
	var dictionary int64
	c.fields(wire, func(id int16, wire byte) bool {
		switch id {
		case 1:
			k.physical = format.Type(c.small(wire))
		case 4:
			k.codec = format.CompressionCodec(c.small(wire))
		case 5:
			k.entries = c.int(wire)
		case 9:
			k.start = c.int(wire)
		case 11:
			dictionary = c.int(wire)
		default:
			return false
		}
		return true
	})
	if dictionary > 0 && dictionary < k.start {
		k.start = dictionary
	}
}

// check wants all row groups to have the chunks of these leaves, and the rows of
// all to be those of the file.
func (f *footer) check(leaves []*leaf) error {
	rows := int64(0)
	var chunks []chunk
	for i, g := range f.groups {
		if g.rows < 0 || g.rows > math.MaxInt64-rows {
			return damage{intray.NewMessage("parquet.impossible_row_count", intray.Params{"group": i + 1})}
		}
		rows += g.rows
		var err error
		if chunks, err = f.chunks(g, len(leaves), chunks[:0]); err != nil {
			return fmt.Errorf("read row group %d: %w", i+1, err)
		}
		if len(chunks) != len(leaves) {
			return damage{intray.NewMessage("parquet.wrong_column_count", intray.Params{"group": i + 1, "columns": columnCount(len(chunks)), "expected": len(leaves)})}
		}
		for c, k := range chunks {
			if err := f.checkChunk(k, leaves[c], g.rows); err != nil {
				return err
			}
		}
	}
	if rows != f.rows {
		return damage{intray.NewMessage("parquet.wrong_row_count", intray.Params{"declared": f.rows, "found": rows})}
	}
	return nil
}

func (f *footer) checkChunk(k chunk, l *leaf, rows int64) error {
	switch {
	case k.sealed:
		return errEncrypted
	case k.elsewhere:
		return damage{intray.NewMessage("parquet.column_in_other_file", intray.Params{"column": source.Excerpt(l.path)})}
	case k.physical != l.physical:
		return damage{intray.NewMessage("parquet.wrong_column_type", intray.Params{"column": source.Excerpt(l.path)})}
	case k.entries < rows || l.rep == 0 && k.entries > rows:
		return damage{intray.NewMessage("parquet.wrong_value_count", intray.Params{"column": source.Excerpt(l.path), "values": k.entries, "rows": rows})}
	case k.entries > 0 && (k.start < int64(len(mark)) || k.start >= f.at):
		return damage{intray.NewMessage("parquet.column_outside_file", intray.Params{"column": source.Excerpt(l.path)})}
	}
	_, known := codecs[k.codec]
	if !known {
		return damage{intray.NewMessage("parquet.unknown_compression", intray.Params{
			"column": source.Excerpt(l.path), "codec": k.codec.String(), "codecs": []string{"snappy", "gzip", "zstd", "lz4_raw", "brotli"},
		})}
	}
	return nil
}
