package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/parquet-go/parquet-go/format"

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
		return nil, damage("the file is too short for a Parquet file")
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
		return nil, damage("the file does not begin with PAR1, as Parquet files do")
	case end != mark:
		return nil, damage("the file does not end with PAR1: it was cut short, or its transfer is not complete")
	}
	size := int64(binary.LittleEndian.Uint32(tail))
	at := in.Size - tailBytes - size
	if at < int64(len(mark)) {
		return nil, damage("the footer is said to be longer than the file")
	}
	if size > maxFooter {
		return nil, limitReached(fmt.Sprintf("the footer has more than %d bytes", maxFooter))
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
				c.bound(len(f.elements), most, "elements of the schema")
			})
		case 3:
			f.rows = c.int(wire)
		case 4:
			c.each(wire, func(wire byte) {
				f.groups = append(f.groups, f.readGroup(c, wire))
				c.bound(len(f.groups), maxGroups, "row groups")
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
		return damage("the footer is damaged: " + string(broken))
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
					c.fail(damage("a row group has more columns than the schema"))
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
			return damage(fmt.Sprintf("row group %d has an impossible number of rows", i+1))
		}
		rows += g.rows
		var err error
		if chunks, err = f.chunks(g, len(leaves), chunks[:0]); err != nil {
			return fmt.Errorf("read row group %d: %w", i+1, err)
		}
		if len(chunks) != len(leaves) {
			return damage(fmt.Sprintf("row group %d has %d columns, and the schema %d", i+1, len(chunks), len(leaves)))
		}
		for c, k := range chunks {
			if err := f.checkChunk(k, leaves[c], g.rows); err != nil {
				return err
			}
		}
	}
	if rows != f.rows {
		return damage(fmt.Sprintf("the file says that it has %d rows, and its row groups have %d", f.rows, rows))
	}
	return nil
}

func (f *footer) checkChunk(k chunk, l *leaf, rows int64) error {
	switch {
	case k.sealed:
		return errEncrypted
	case k.elsewhere:
		return damage(fmt.Sprintf("column %q is kept in another file", l.path))
	case k.physical != l.physical:
		return damage(fmt.Sprintf("column %q has another type than the schema says", l.path))
	case k.entries < rows || l.rep == 0 && k.entries > rows:
		return damage(fmt.Sprintf("column %q has %d values in %d rows", l.path, k.entries, rows))
	case k.entries > 0 && (k.start < int64(len(mark)) || k.start >= f.at):
		return damage(fmt.Sprintf("column %q begins outside of the file", l.path))
	}
	_, known := codecs[k.codec]
	if !known {
		return damage(fmt.Sprintf("column %q is compressed with %v, which cannot be read; save the file with snappy, gzip, zstd, lz4_raw, brotli or no compression", l.path, k.codec))
	}
	return nil
}
