package staging

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/intraydata/intray"
)

// maxInterned bounds the texts of problems that a cursor keeps to use again.
const maxInterned = 4096

// cursor reads batches of one stage, one after the other, into the same
// memory.
type cursor struct {
	stage   *Stage
	decoder *decoder
	body    []byte
	lines   []int64
	// current holds the rows of the group that begins with row held less one; 0
	// is none.
	current intray.Batch
	held    int64
	// early and late hold a group of problems each.
	perRow, crossRow loadedProblems
	interned         map[string]string
}

// loadedProblems holds the problems of the group with index loaded less one; 0 is
// none.
type loadedProblems struct {
	table  problemTable
	loaded int
}

func newCursor(s *Stage) *cursor { return &cursor{stage: s, decoder: newDecoder(s.decompressor)} }

// readBatch reads a whole row group with its problems. The batch is the caller's
// until the next call.
func (c *cursor) readBatch(ctx context.Context, s *Segment, g RowGroup) (*intray.Batch, error) {
	if err := c.readRows(ctx, s, g); err != nil {
		return nil, err
	}
	c.held = 0
	return &c.current, c.readProblems(ctx, &c.current)
}

// load reads a piece and points the decoder at it.
func (c *cursor) load(ctx context.Context, name string, at Piece, rows int64) error {
	var err error
	if c.body, err = c.stage.readPiece(ctx, name, at, c.body); err != nil {
		return err
	}
	c.decoder.beginGroup(c.body, rows)
	return nil
}

// readRows reads a whole row group, without problems, into c.current, where it is not
// there already.
func (c *cursor) readRows(ctx context.Context, s *Segment, g RowGroup) error {
	if c.held == g.First+1 {
		return ctx.Err()
	}
	c.held = 0
	if err := c.load(ctx, s.Name, g.Piece, g.Rows); err != nil {
		return err
	}
	b := &c.current
	b.Reset(len(c.stage.manifest.Fields))
	if err := c.decodeRows(b); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, s.Name, err)
	}
	if len(c.lines) == 0 || c.lines[0] != g.First {
		return fmt.Errorf("%w: %s holds other rows", ErrDamaged, s.Name)
	}
	b.First, c.held = g.First, g.First+1
	return nil
}

func (c *cursor) decodeRows(b *intray.Batch) error {
	for i := range b.Fields {
		if err := c.decoder.readField(&b.Fields[i]); err != nil {
			return err
		}
	}
	if b.Unmapped == nil {
		b.Unmapped = make([]intray.UnmappedCells, len(c.stage.manifest.Unmapped))
	}
	for i, u := range c.stage.manifest.Unmapped {
		b.Unmapped[i].Column = u.Index
		if err := c.decoder.readRequired(&b.Unmapped[i].Cells); err != nil {
			return err
		}
	}
	var err error
	if c.lines, err = c.decoder.readInts(c.lines); err != nil {
		return err
	}
	b.Lines, err = c.decoder.readInts(b.Lines)
	return err
}

func (d *decoder) readField(c *intray.Cells) error {
	var err error
	if c.Nulls, err = d.readValues(&c.Values, c.Nulls); err != nil {
		return err
	}
	c.RawRows, err = d.readSparse(&c.Raws, c.RawRows)
	return err
}

// readProblems adds to the batch the problems of its rows, ordered by row and field.
func (c *cursor) readProblems(ctx context.Context, b *intray.Batch) error {
	m := c.stage.manifest
	if err := c.readProblemGroups(ctx, b, &c.perRow, m.ProblemGroups); err != nil {
		return err
	}
	early := len(b.Problems)
	if err := c.readProblemGroups(ctx, b, &c.crossRow, m.CrossRowGroups); err != nil {
		return err
	}
	sortProblems(b.Problems, early)
	return nil
}

// sortProblems brings problems into the order of row and field. The first early of
// them are so by themselves, and those behind them.
func sortProblems(problems []intray.Problem, early int) {
	if early == 0 || early == len(problems) {
		return
	}
	slices.SortStableFunc(problems, func(x, y intray.Problem) int {
		return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
	})
}

func (c *cursor) readProblemGroups(ctx context.Context, b *intray.Batch, in *loadedProblems, groups []ProblemGroup) error {
	end := b.First + int64(b.Rows())
	at := sort.Search(len(groups), func(i int) bool { return groups[i].Last >= b.First })
	for ; at < len(groups) && groups[at].First < end; at++ {
		if err := c.loadProblems(ctx, in, groups, at); err != nil {
			return err
		}
		if err := c.appendProblems(b, &in.table, b.First, end, 0); err != nil {
			return err
		}
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
	if err := c.decoder.readProblems(&in.table); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, problemsName, err)
	}
	in.loaded = index + 1
	return nil
}

func (d *decoder) readProblems(t *problemTable) error {
	for _, ints := range []*[]int64{&t.rows, &t.fields, &t.parts} {
		read, err := d.readInts(*ints)
		if err != nil {
			return err
		}
		*ints = read
	}
	for _, texts := range []*intray.Texts{&t.codes, &t.levels, &t.texts} {
		if err := d.readRequired(texts); err != nil {
			return err
		}
	}
	return nil
}

// decodeProblem makes problem i of the loaded ones. Its row counts from the stage's
// first.
func (c *cursor) decodeProblem(t *problemTable, i int) (intray.Problem, error) {
	level, known := intray.ParseLevel(c.intern(t.levels.At(i)))
	if !known {
		return intray.Problem{}, fmt.Errorf("%w: %s has an unknown level", ErrDamaged, problemsName)
	}
	return intray.Problem{
		Row: int(t.rows[i]), Field: int(t.fields[i]), Part: int(t.parts[i]), Level: level,
		Code: c.intern(t.codes.At(i)), Text: intray.DecodeMessage(c.intern(t.texts.At(i))),
	}, nil
}

// intern gives a text as a string, the same one each time it recurs.
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

// appendRows adds the rows [from, to) of src to dst, without problems.
func appendRows(dst, src *intray.Batch, from, to int) {
	at := uint32(dst.Rows())
	dst.Lines = append(dst.Lines, src.Lines[from:to]...)
	for i := range dst.Fields {
		appendCells(&dst.Fields[i], &src.Fields[i], at, from, to)
	}
	for i := range dst.Unmapped {
		appendTexts(&dst.Unmapped[i].Cells, &src.Unmapped[i].Cells, from, to)
	}
}

func appendCells(dst, src *intray.Cells, at uint32, from, to int) {
	appendTexts(&dst.Values, &src.Values, from, to)
	first, end := indexRange(src.Nulls, from, to)
	for _, row := range src.Nulls[first:end] {
		dst.Nulls = append(dst.Nulls, row-uint32(from)+at)
	}
	first, end = indexRange(src.RawRows, from, to)
	for _, row := range src.RawRows[first:end] {
		dst.RawRows = append(dst.RawRows, row-uint32(from)+at)
	}
	appendTexts(&dst.Raws, &src.Raws, first, end)
}

// indexRange gives the places of the rows [from, to) in an ascending list.
func indexRange(rows []uint32, from, to int) (first, end int) {
	first, _ = slices.BinarySearch(rows, uint32(from))
	end, _ = slices.BinarySearch(rows, uint32(to))
	return first, end
}

func appendTexts(dst, src *intray.Texts, from, to int) {
	if from == to {
		return
	}
	start := uint32(0)
	if from > 0 {
		start = src.Ends[from-1]
	}
	rebase := uint32(len(dst.Arena)) - start
	dst.Arena = append(dst.Arena, src.Arena[start:src.Ends[to-1]]...)
	for _, end := range src.Ends[from:to] {
		dst.Ends = append(dst.Ends, end+rebase)
	}
}

// Rows gives the rows with these indexes, which ascend, as a batch of their own
// with their problems: row i of the batch is row rows[i] of the stage. It costs
// one ranged read for each batch that has any of the rows, and one or two for
// the problems of each.
func (s *Stage) Rows(ctx context.Context, rows []int64) (*intray.Batch, error) {
	for i, row := range rows {
		if row < 0 || row >= s.manifest.Rows || i > 0 && row <= rows[i-1] {
			return nil, fmt.Errorf("read staged rows: row %d is not there, or out of order", row)
		}
	}
	first := int64(0)
	if len(rows) > 0 {
		first = rows[0]
	}
	out := s.emptyBatch(first)
	c := s.cursors.Get().(*cursor)
	defer s.cursors.Put(c)
	if err := c.collectRows(ctx, out, rows); err != nil {
		return nil, fmt.Errorf("read %d staged rows from %d on: %w", len(rows), first, err)
	}
	return out, nil
}

// collectRows adds the rows to out.
func (c *cursor) collectRows(ctx context.Context, out *intray.Batch, rows []int64) error {
	for i := 0; i < len(rows); {
		segment, g := c.stage.groupFor(rows[i])
		if err := c.readRows(ctx, segment, g); err != nil {
			return err
		}
		for i < len(rows) && rows[i] < g.First+g.Rows {
			run := i + 1
			for run < len(rows) && rows[run] == rows[run-1]+1 && rows[run] < g.First+g.Rows {
				run++
			}
			appendRows(out, &c.current, int(rows[i]-g.First), int(rows[run-1]-g.First)+1)
			i = run
		}
	}
	m := c.stage.manifest
	if err := c.collectProblems(ctx, out, rows, &c.perRow, m.ProblemGroups); err != nil {
		return err
	}
	early := len(out.Problems)
	if err := c.collectProblems(ctx, out, rows, &c.crossRow, m.CrossRowGroups); err != nil {
		return err
	}
	sortProblems(out.Problems, early)
	return nil
}

// collectProblems adds the problems of the rows that are among the groups.
func (c *cursor) collectProblems(ctx context.Context, out *intray.Batch, rows []int64, in *loadedProblems, groups []ProblemGroup) error {
	for i := 0; i < len(rows); {
		at := sort.Search(len(groups), func(k int) bool { return groups[k].Last >= rows[i] })
		if at == len(groups) {
			return nil
		}
		// The problems of one row may be in several groups.
		for ; at < len(groups) && groups[at].First <= rows[i]; at++ {
			if err := c.loadProblems(ctx, in, groups, at); err != nil {
				return err
			}
			if err := c.appendProblems(out, &in.table, rows[i], rows[i]+1, i); err != nil {
				return err
			}
		}
		i++
	}
	return nil
}

// appendProblems adds the problems of the rows [from, to), the first of which is
// row at of the batch.
func (c *cursor) appendProblems(out *intray.Batch, t *problemTable, from, to int64, at int) error {
	first, _ := slices.BinarySearch(t.rows, from)
	end, _ := slices.BinarySearch(t.rows, to)
	for i := first; i < end; i++ {
		p, err := c.decodeProblem(t, i)
		if err != nil {
			return err
		}
		p.Row += at - int(from)
		out.Problems = append(out.Problems, p)
	}
	return nil
}
