package staging

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// maxInterned is the maximum number of strings in problems that a cursor keeps for reuse.
const maxInterned = 4096

// cursor reads batches of one stage, one at a time, and reuses memory.
type cursor struct {
	stage   *Stage
	decoder *decoder
	body    []byte
	lines   []int64
	// current holds the rows of the row group that begins with row held-1. It is empty
	// if held is 0.
	current intray.Batch
	held    int64
	// perRow and crossRow each hold one group of problems.
	perRow, crossRow loadedProblems
	interned         map[string]string
}

// loadedProblems holds the columns of the problem group with index loaded-1. It is empty if loaded is 0.
type loadedProblems struct {
	rows, fields, parts  []int64
	codes, levels, texts intray.TextColumn
	loaded               int
}

func newCursor(s *Stage) *cursor {
	return &cursor{stage: s, decoder: &decoder{codec: s.codec, decompressor: parquetio.Decompressor{Zstd: s.zstd}}}
}

// readBatch reads a row group and its problems. The batch is valid until the next call.
func (c *cursor) readBatch(ctx context.Context, s *Segment, g RowGroup) (*intray.Batch, error) {
	if err := c.readRows(ctx, s, g, nil, nil); err != nil {
		return nil, err
	}
	c.held = 0
	return &c.current, c.readProblems(ctx, &c.current, oneRange(g.First, g.First+g.Rows))
}

// load reads a piece of a file and passes it to the decoder.
func (c *cursor) load(ctx context.Context, name string, at Piece, rows int64) error {
	var err error
	if c.body, err = c.stage.readPiece(ctx, name, at, c.body); err != nil {
		return err
	}
	c.decoder.beginGroup(c.body, rows)
	return nil
}

// readRows reads a row group without its problems into c.current, unless it is already there. If
// wanted is not nil, readRows reads only the columns of fields that it selects, and of these only the ones that
// keep does not reject. It leaves all other columns empty.
func (c *cursor) readRows(ctx context.Context, s *Segment, g RowGroup, wanted []columns, keep Keep) error {
	if c.held == g.First+1 {
		return ctx.Err()
	}
	c.held = 0
	if err := c.load(ctx, s.Name, g.Piece, g.Rows); err != nil {
		return err
	}
	b := &c.current
	b.Reset(len(c.stage.manifest.Fields))
	if err := c.decodeRows(b, wanted, keep); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, s.Name, err)
	}
	if len(c.lines) == 0 || c.lines[0] != g.First {
		return fmt.Errorf("%w: %s has other rows", ErrDamaged, s.Name)
	}
	b.First, c.held = g.First, g.First+1
	return nil
}

func (c *cursor) decodeRows(b *intray.Batch, wanted []columns, keep Keep) error {
	d := c.decoder
	for i := range b.Fields {
		read := bothColumns
		if wanted != nil {
			read = wanted[i]
		}
		var keepField func(texts []byte) bool
		if keep != nil {
			keepField = func(texts []byte) bool { return keep.KeepTexts(i, texts) }
		}
		if err := d.readField(&b.Fields[i], read, keepField); err != nil {
			return err
		}
	}
	if b.Unmapped == nil {
		b.Unmapped = make([]intray.UnmappedCells, len(c.stage.manifest.Unmapped))
	}
	for i, u := range c.stage.manifest.Unmapped {
		b.Unmapped[i].Column = u.Index
		var err error
		if wanted == nil {
			err = d.readRequired(&b.Unmapped[i].Cells)
		} else {
			err = d.skipColumn()
		}
		if err != nil {
			return err
		}
	}
	var err error
	if c.lines, err = d.readInts(c.lines); err != nil {
		return err
	}
	b.Lines, err = d.readInts(b.Lines)
	return err
}

// readField reads the given columns of a field, except for those that keep rejects. If it needs the
// values, it also needs the raw values, because a row without a raw value has its value instead.
func (d *decoder) readField(c *intray.Cells, read columns, keep func(texts []byte) bool) (err error) {
	if read != bothColumns {
		if err := d.skipColumn(); err != nil {
			return err
		}
		if read == noColumns {
			return d.skipColumn()
		}
		c.RawRows, err = d.readSparse(&c.Raws, c.RawRows, keep)
		return err
	}
	if c.Nulls, err = d.readValues(&c.Values, c.Nulls, keep); err != nil {
		return err
	}
	if c.Values.Len() > 0 {
		keep = nil
	}
	c.RawRows, err = d.readSparse(&c.Raws, c.RawRows, keep)
	return err
}

// oneRange returns a sequence that consists of one range of rows.
func oneRange(first, end int64) iter.Seq2[int64, int64] {
	return func(yield func(first, end int64) bool) { yield(first, end) }
}

// rangesOf returns the ranges [first, end) that a list of ascending rows covers.
func rangesOf(rows []int64) iter.Seq2[int64, int64] {
	return func(yield func(first, end int64) bool) {
		from := 0
		for i := range rows {
			if i+1 < len(rows) && rows[i+1] == rows[i]+1 {
				continue
			}
			if !yield(rows[from], rows[i]+1) {
				return
			}
			from = i + 1
		}
	}
}

// appendRanges appends ranges of rows of the stage, with their problems, to an empty batch.
func (c *cursor) appendRanges(ctx context.Context, out *intray.Batch, ranges iter.Seq2[int64, int64]) error {
	total := int64(0)
	for first, end := range ranges {
		total += end - first
	}
	var pieces []intray.RowRange // of the current rows
	appendPieces := func() {
		if len(pieces) == 0 {
			return
		}
		if out.Rows() == 0 {
			c.reserveRows(out, int(total), pieces)
		}
		AppendRows(out, &c.current, pieces...)
		pieces = pieces[:0]
	}
	for first, end := range ranges {
		for from := first; from < end; {
			segment, g := c.stage.groupFor(from)
			if c.held != g.First+1 {
				appendPieces()
			}
			if err := c.readRows(ctx, segment, g, nil, nil); err != nil {
				return err
			}
			to := min(end, g.First+g.Rows)
			pieces = append(pieces, intray.RowRange{From: int(from - g.First), To: int(to - g.First)})
			from = to
		}
	}
	appendPieces()
	return c.readProblems(ctx, out, ranges)
}

// reserveRows makes room for rows in an empty batch. They probably have the same sizes as the current rows.
// The first of them are the given ranges of the current rows.
func (c *cursor) reserveRows(out *intray.Batch, rows int, first []intray.RowRange) {
	all := rows == intray.CountRows(first)
	reserve := func(to *intray.Texts, from *intray.TextColumn) {
		if all && from.KeepsCodes(rows) {
			return // the texts are not expanded
		}
		n := min(rows, maxReserved)
		if count := from.Len(); count > 0 {
			to.Ends = slices.Grow(to.Ends, count*n/c.current.Rows())
			to.Arena = slices.Grow(to.Arena, (from.Bytes()*n/c.current.Rows())/8*9)
		}
	}
	out.Lines = slices.Grow(out.Lines, min(rows, maxReserved))
	for i := range out.Fields {
		to, from := &out.Fields[i], &c.current.Fields[i]
		reserve(&to.Values.Texts, &from.Values)
		reserve(&to.Raws.Texts, &from.Raws)
	}
	for i := range out.Unmapped {
		from := &c.current.Unmapped[i].Cells
		reserve(&out.Unmapped[i].Cells, &intray.TextColumn{Texts: *from})
	}
}

// maxReserved is the maximum number of rows that reserveRows makes room for.
const maxReserved = 1 << 14

// readProblems adds to a batch the problems of its rows. ranges are the positions of
// these rows in the stage.
func (c *cursor) readProblems(ctx context.Context, b *intray.Batch, ranges iter.Seq2[int64, int64]) error {
	m := c.stage.manifest
	if err := c.readProblemGroups(ctx, b, &c.perRow, m.ProblemGroups, ranges); err != nil {
		return err
	}
	crossRow := len(b.Problems)
	if err := c.readProblemGroups(ctx, b, &c.crossRow, m.CrossRowGroups, ranges); err != nil {
		return err
	}
	if crossRow > 0 && crossRow < len(b.Problems) {
		slices.SortStableFunc(b.Problems, func(x, y intray.Problem) int {
			return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
		})
	}
	return nil
}

// readProblemGroups adds the problems from one list of groups. The problems of one
// row may be spread over several groups.
func (c *cursor) readProblemGroups(ctx context.Context, b *intray.Batch, in *loadedProblems, groups []ProblemGroup, ranges iter.Seq2[int64, int64]) error {
	at := int64(0)
	for first, end := range ranges {
		i := sort.Search(len(groups), func(i int) bool { return groups[i].Last >= first })
		for ; i < len(groups) && groups[i].First < end; i++ {
			if err := c.loadProblems(ctx, in, groups, i); err != nil {
				return err
			}
			if err := c.appendProblems(b, in, first, end, at); err != nil {
				return err
			}
		}
		at += end - first
	}
	return nil
}

func (c *cursor) loadProblems(ctx context.Context, in *loadedProblems, groups []ProblemGroup, index int) error {
	if in.loaded == index+1 {
		return nil
	}
	in.loaded = 0
	g := groups[index]
	if err := c.load(ctx, problemsName, g.Piece, g.Problems); err != nil {
		return err
	}
	if err := c.decoder.readProblems(in); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, problemsName, err)
	}
	in.loaded = index + 1
	return nil
}

func (d *decoder) readProblems(t *loadedProblems) error {
	for _, ints := range []*[]int64{&t.rows, &t.fields, &t.parts} {
		read, err := d.readInts(*ints)
		if err != nil {
			return err
		}
		*ints = read
	}
	for _, texts := range []*intray.TextColumn{&t.codes, &t.levels, &t.texts} {
		if err := d.readColumn(texts); err != nil {
			return err
		}
	}
	return nil
}

// appendProblems adds the problems of a group that rows [first, end) of the stage have. at is
// the index that the first of these rows has in the batch.
func (c *cursor) appendProblems(out *intray.Batch, t *loadedProblems, first, end, at int64) error {
	from, _ := slices.BinarySearch(t.rows, first)
	to, _ := slices.BinarySearch(t.rows, end)
	for i := from; i < to; i++ {
		level, known := intray.ParseLevel(c.intern(t.levels.At(i)))
		if !known {
			return fmt.Errorf("%w: %s has an unknown level", ErrDamaged, problemsName)
		}
		out.Problems = append(out.Problems, intray.Problem{
			Row: int(at + t.rows[i] - first), Field: int(t.fields[i]), Part: int(t.parts[i]), Level: level,
			Code: c.intern(t.codes.At(i)), Text: intray.DecodeMessage(c.intern(t.texts.At(i))),
		})
	}
	return nil
}

// intern returns text as a string. It returns the same string if the text occurs again.
func (c *cursor) intern(text []byte) string {
	if name, known := c.interned[string(text)]; known {
		return name
	}
	if c.interned == nil || len(c.interned) >= maxInterned {
		c.interned = map[string]string{}
	}
	name := string(text)
	c.interned[name] = name
	return name
}

// AppendRows appends ranges of rows of src to dst, without their problems. Both batches must have the
// same columns.
func AppendRows(dst, src *intray.Batch, ranges ...intray.RowRange) {
	at := dst.Rows()
	for _, r := range ranges {
		dst.Lines = append(dst.Lines, src.Lines[r.From:r.To]...)
	}
	var raws []intray.RowRange
	for i := range dst.Fields {
		cells, more := &dst.Fields[i], &src.Fields[i]
		cells.Values.AppendRanges(&more.Values, ranges...)
		raws = raws[:0]
		next := at
		for _, r := range ranges {
			cells.Nulls, _ = appendShifted(cells.Nulls, more.Nulls, next, r)
			rows, found := appendShifted(cells.RawRows, more.RawRows, next, r)
			cells.RawRows, raws = rows, append(raws, found)
			next += r.To - r.From
		}
		cells.Raws.AppendRanges(&more.Raws, raws...)
	}
	for i := range dst.Unmapped {
		for _, r := range ranges {
			dst.Unmapped[i].Cells.AppendRange(&src.Unmapped[i].Cells, r.From, r.To)
		}
	}
}

// appendShifted appends those numbers of an ascending list that are in a range, shifted so that the start of
// the range becomes at. It also returns the range of their indexes in the list.
func appendShifted(dst, rows []uint32, at int, r intray.RowRange) ([]uint32, intray.RowRange) {
	first, _ := slices.BinarySearch(rows, uint32(r.From))
	end, _ := slices.BinarySearch(rows, uint32(r.To))
	for _, row := range rows[first:end] {
		dst = append(dst, row-uint32(r.From)+uint32(at))
	}
	return dst, intray.RowRange{From: first, To: end}
}
