package stage

import (
	"context"
	"fmt"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// Scan reads some fields of the batches of a stage, in any order, into the same
// memory. It serves one goroutine at a time.
type Scan struct {
	cursor *cursor
	wanted []bool
}

// Scan makes what reads batches.
func (s *Stage) Scan() *Scan { return &Scan{cursor: newCursor(s)} }

// Groups are the row groups of all segments, in order: one for each batch that
// was staged.
func (s *Stage) Groups() []Group {
	var all []Group
	for i := range s.manifest.Segments {
		all = append(all, s.manifest.Segments[i].Groups...)
	}
	return all
}

// Fields reads the fields at these places of the batch that has the row; the
// others are left without cells, and so are passed columns and problems. The
// batch is the caller's until the next call.
func (s *Scan) Fields(ctx context.Context, row int64, fields []int) (*intray.Batch, error) {
	c := s.cursor
	segment, g, err := c.stage.holding(row)
	if err == nil {
		c.held = 0
		err = c.load(ctx, segment.Name, g.Piece, g.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("read the staged rows from %d on: %w", row, err)
	}
	s.want(fields)
	b := &c.current
	b.Reset(len(s.wanted))
	if err := s.decode(b); err != nil {
		return nil, fmt.Errorf("read the staged rows from %d on: %w: %s: %w", row, ErrDamaged, segment.Name, err)
	}
	if len(c.lines) == 0 || c.lines[0] != g.First {
		return nil, fmt.Errorf("read the staged rows from %d on: %w: %s holds other rows", row, ErrDamaged, segment.Name)
	}
	b.First = g.First
	return b, nil
}

func (s *Scan) want(fields []int) {
	s.wanted = append(s.wanted[:0], make([]bool, len(s.cursor.stage.manifest.Fields))...)
	for _, f := range fields {
		s.wanted[f] = true
	}
}

// decode reads the columns that are wanted, and those that say which rows they are.
func (s *Scan) decode(b *intray.Batch) error {
	c := s.cursor
	for i := range b.Fields {
		if s.wanted[i] {
			if err := c.decoder.field(&b.Fields[i]); err != nil {
				return err
			}
			continue
		}
		if err := c.decoder.skip(2); err != nil {
			return err
		}
	}
	for i := range b.Unmapped {
		b.Unmapped[i].Cells.Reset()
	}
	if err := c.decoder.skip(len(c.stage.manifest.Unmapped)); err != nil {
		return err
	}
	var err error
	if c.lines, err = c.decoder.ints(c.lines); err != nil {
		return err
	}
	b.Lines, err = c.decoder.ints(b.Lines)
	return err
}

// skip passes over so many columns.
func (d *decoder) skip(columns int) error {
	for range columns {
		h, _, err := d.next()
		if err == nil && h.Type == format.DictionaryPage {
			h, _, err = d.next()
		}
		if err != nil {
			return err
		}
		if h.Type != format.DataPageV2 {
			return errPage
		}
	}
	return nil
}

// holding is groupOf for a row that may not be there.
func (s *Stage) holding(row int64) (*Segment, Group, error) {
	if row < 0 || row >= s.manifest.Rows {
		return nil, Group{}, fmt.Errorf("there is no staged row %d", row)
	}
	segment, g := s.groupOf(row)
	return segment, g, nil
}

// Marked gives the rows that have a problem of the kind, which must be one of the
// manifest's. The bitmap must not be changed.
func (s *Stage) Marked(ctx context.Context, kind Kind) (*roaring.Bitmap, error) {
	rows, err := s.bitmap(ctx, kind.Bitmap)
	if err != nil {
		return nil, fmt.Errorf("read the rows with problems: %w", err)
	}
	return rows, nil
}

// GroupsOf says how many of the row groups hold any of the rows, which ascend.
func (s *Stage) GroupsOf(rows *roaring.Bitmap) int {
	n := 0
	for i := range s.manifest.Segments {
		groups := s.manifest.Segments[i].Groups
		for at := 0; at < len(groups); at++ {
			next := rows.NextValue(uint32(groups[at].First))
			if next < 0 {
				return n
			}
			at += sort.Search(len(groups)-at, func(k int) bool { return groups[at+k].First+groups[at+k].Rows > next })
			if at < len(groups) {
				n++
			}
		}
	}
	return n
}

// AppendRows adds the rows [from, to) of src, a batch of the same layout, to dst,
// without their problems.
func AppendRows(dst, src *intray.Batch, from, to int) { appendRows(dst, src, from, to) }
