package draft

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/staging"
)

// rowSource is a set of rows that are read from the same source, and the batch that
// they are read into.
type rowSource struct {
	rows  []uint32
	read  func(ctx context.Context, rows []uint32) (*intray.Batch, error)
	batch *intray.Batch
	next  int
}

// readRows reads live rows. The row numbers must be in ascending order. Row i of the
// batch is row rows[i] of the draft. The batch does not contain problems of
// cross-row validators. It belongs to the caller.
func (d *Draft) readRows(ctx context.Context, s *snapshot, rows []uint32) (*intray.Batch, error) {
	return d.readRowsWith(ctx, s, rows, nil)
}

// readWindow reads rows like readRows. It uses the row caches, which pay for few rows in many row groups.
func (d *Draft) readWindow(ctx context.Context, s *snapshot, rows []uint32) (*intray.Batch, error) {
	return d.readRowsWith(ctx, s, rows, d.caches.find(rows))
}

// readRowsWith reads live rows, from a cache as far as it holds them. cache may be nil.
func (d *Draft) readRowsWith(ctx context.Context, s *snapshot, rows []uint32, cache *rowCache) (*intray.Batch, error) {
	sources, of := d.rowSources(s, rows, cache)
	if err := readSources(ctx, sources); err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	if len(sources) == 1 {
		sources[0].batch.First = int64(rows[0])
		return sources[0].batch, nil
	}
	out := d.newBatch()
	if len(rows) > 0 {
		out.First = int64(rows[0])
	}
	for i := 0; i < len(of); {
		run := i + 1
		for run < len(of) && of[run] == of[i] {
			run++
		}
		from := of[i]
		copyRows(out, from.batch, from.next, from.next+run-i)
		from.next += run - i
		i = run
	}
	return out, nil
}

// newBatch returns an empty batch with the columns of the stage.
func (d *Draft) newBatch() *intray.Batch {
	m := d.cfg.Stage.Manifest()
	b := &intray.Batch{Fields: make([]intray.Cells, len(m.Fields))}
	for _, u := range m.Unmapped {
		b.Unmapped = append(b.Unmapped, intray.UnmappedCells{Column: u.Index})
	}
	return b
}

// rowSources groups rows by the source of their current content, and returns all sources and
// the source of each row. If all rows have the same source, it may return only that source.
func (d *Draft) rowSources(s *snapshot, rows []uint32, cache *rowCache) (all []*rowSource, of []*rowSource) {
	if len(rows) > 0 && cache == nil && !s.touched.IntersectsWithInterval(uint64(rows[0]), uint64(rows[len(rows)-1])+1) {
		return []*rowSource{{rows: rows, read: d.withoutRuleProblems(d.readStaged)}}, nil
	}
	byOwner := map[int64]*rowSource{}
	const inCache = -1
	for _, row := range rows {
		owner := int64(0)
		if s.touched.Contains(row) {
			owner = int64(s.revisionOf(row))
		}
		if owner == 0 && cache.holds(row) {
			owner = inCache
		}
		l := byOwner[owner]
		if l == nil {
			l = &rowSource{}
			switch owner {
			case inCache:
				l.read = d.withoutRuleProblems(d.cached(cache))
			case 0:
				l.read = d.withoutRuleProblems(d.readStaged)
			default:
				l.read = s.revisions[owner-1].read
			}
			byOwner[owner] = l
			all = append(all, l)
		}
		l.rows = append(l.rows, row)
		of = append(of, l)
	}
	return all, of
}

func readSources(ctx context.Context, sources []*rowSource) (err error) {
	if len(sources) == 1 {
		sources[0].batch, err = sources[0].read(ctx, sources[0].rows)
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, l := range sources {
		group.Go(func() (err error) {
			l.batch, err = l.read(ctx, l.rows)
			return err
		})
	}
	return group.Wait()
}

// withoutRuleProblems wraps read to drop the problems of cross-row validators,
// because those in the stage are outdated.
func (d *Draft) withoutRuleProblems(read func(ctx context.Context, rows []uint32) (*intray.Batch, error)) func(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	if len(d.rules) == 0 {
		return read
	}
	return func(ctx context.Context, rows []uint32) (*intray.Batch, error) {
		b, err := read(ctx, rows)
		if err == nil {
			dropProblems(b, d.isRuleProblem)
		}
		return b, err
	}
}

// isRuleProblem reports whether a cross-row validator reported the problem.
func (d *Draft) isRuleProblem(p *intray.Problem) bool {
	return slices.ContainsFunc(d.ruleKinds, func(k Kind) bool { return k.Field == p.Field && k.Level == p.Level && k.Code == p.Code })
}

// readStaged reads rows of the stage. It reads row groups in parallel.
func (d *Draft) readStaged(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	runs := d.splitByGroup(rows)
	if len(runs) <= 1 {
		return d.cfg.Stage.Rows(ctx, toInt64(rows))
	}
	parts := make([]*intray.Batch, len(runs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, run := range runs {
		group.Go(func() (err error) {
			parts[i], err = d.cfg.Stage.Rows(ctx, toInt64(run))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := d.newBatch()
	for _, b := range parts {
		copyRows(out, b, 0, b.Rows())
	}
	return out, nil
}

// cached returns a function that reads rows from a cache. If the cache has been closed or its file cannot be
// read, the function reads the stage.
func (d *Draft) cached(c *rowCache) func(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	return func(ctx context.Context, rows []uint32) (*intray.Batch, error) {
		b, err := c.read(d, rows)
		if err != nil {
			return d.readStaged(ctx, rows)
		}
		return b, nil
	}
}

// splitByGroup splits rows of the stage into runs that have no row group in common.
func (d *Draft) splitByGroup(rows []uint32) (out [][]uint32) {
	most := len(rows)/runtime.GOMAXPROCS(0) + 1
	for len(rows) > 0 {
		n := min(most, len(rows))
		end := d.spanOf(rows[n-1]).end
		for n < len(rows) && rows[n] < end {
			n++
		}
		out = append(out, rows[:n])
		rows = rows[n:]
	}
	return out
}

func toInt64(rows []uint32) []int64 {
	out := make([]int64, len(rows))
	for i, row := range rows {
		out[i] = int64(row)
	}
	return out
}

// Batches yields all live rows in order, with added rows last. A batch is valid until the next
// iteration, unless the consumer keeps it. Its First is the number of its first row. The sequence ends after an error.
func (d *Draft) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		s, done := d.beginRead()
		defer done()
		for b, err := range d.cfg.Stage.Batches(ctx) {
			if err == nil {
				b, err = d.currentRows(ctx, s, b)
			}
			if err != nil {
				yield(nil, fmt.Errorf("read all rows: %w", err))
				return
			}
			if b.Rows() > 0 && !yield(b, nil) {
				return
			}
		}
		d.addedBatches(ctx, s, yield)
	}
}

// addedBatches yields the added rows.
func (d *Draft) addedBatches(ctx context.Context, s *snapshot, yield func(*intray.Batch, error) bool) {
	for next := s.live.NextValue(d.staged); next >= 0; {
		var rows []uint32
		for it := iterateFrom(s.live, uint32(next)); it.HasNext() && len(rows) < addedAtOnce; {
			rows = append(rows, it.Next())
		}
		b, err := d.readRows(ctx, s, rows)
		if err != nil {
			yield(nil, fmt.Errorf("read added rows: %w", err))
			return
		}
		d.addRuleProblems(s, b, rows)
		b.OnKeep(keepForever)
		if !yield(b, nil) {
			return
		}
		next = s.live.NextValue(rows[len(rows)-1] + 1)
	}
}

// keepForever is the argument of OnKeep for a batch whose memory nothing reuses.
func keepForever() (release func()) { return func() {} }

// currentRows returns the current state of the rows of a staged batch.
func (d *Draft) currentRows(ctx context.Context, s *snapshot, b *intray.Batch) (*intray.Batch, error) {
	first, end := uint32(b.First), uint32(b.First)+uint32(b.Rows())
	var rows, changed []uint32
	for it := iterateFrom(s.live, first); it.HasNext(); {
		row := it.Next()
		if row >= end {
			break
		}
		rows = append(rows, row)
		if s.touched.Contains(row) {
			changed = append(changed, row)
		}
	}
	if len(d.rules) > 0 {
		dropProblems(b, d.isRuleProblem)
	}
	if len(changed) > 0 || len(rows) < b.Rows() {
		over, err := d.readRows(ctx, s, changed)
		if err != nil {
			return nil, err
		}
		b = overlayRows(b, over, rows, changed)
		b.OnKeep(keepForever)
	}
	d.addRuleProblems(s, b, rows)
	return b, nil
}

// overlayRows returns the given rows of b. It copies the rows in changed from over, and all
// others from b.
func overlayRows(b, over *intray.Batch, rows, changed []uint32) *intray.Batch {
	out := newBatchLike(b)
	if len(rows) > 0 {
		out.First = int64(rows[0])
	}
	next := 0
	for i := 0; i < len(rows); {
		if next < len(changed) && changed[next] == rows[i] {
			copyRows(out, over, next, next+1)
			next++
			i++
			continue
		}
		run := i + 1
		for run < len(rows) && rows[run] == rows[run-1]+1 && (next >= len(changed) || rows[run] < changed[next]) {
			run++
		}
		at := int(int64(rows[i]) - b.First)
		copyRows(out, b, at, at+run-i)
		i = run
	}
	return out
}

// addRuleProblems adds the problems of cross-row validators to a batch.
func (d *Draft) addRuleProblems(s *snapshot, b *intray.Batch, rows []uint32) {
	known := len(b.Problems)
	if len(rows) == 0 {
		return
	}
	for at, rule := range d.rules {
		if !s.rules[at].IntersectsWithInterval(uint64(rows[0]), uint64(rows[len(rows)-1])+1) {
			continue
		}
		for i, row := range rows {
			if s.rules[at].Contains(row) {
				p := rule.problem
				p.Row = i
				b.Problems = append(b.Problems, p)
			}
		}
	}
	if len(b.Problems) > known {
		slices.SortStableFunc(b.Problems, func(x, y intray.Problem) int {
			return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
		})
	}
}

// ErrorRows returns the numbers of the first n rows with at least one error.
func (d *Draft) ErrorRows(n int) []int64 {
	s, done := d.beginRead()
	defer done()
	return toInt64(rowsAt(s.errors(), 0, n))
}

// newBatchLike returns an empty batch with the same columns as b.
func newBatchLike(b *intray.Batch) *intray.Batch {
	out := &intray.Batch{Fields: make([]intray.Cells, len(b.Fields))}
	for _, u := range b.Unmapped {
		out.Unmapped = append(out.Unmapped, intray.UnmappedCells{Column: u.Column})
	}
	return out
}

// problemsOf returns the problems of a row. The list must be sorted by row.
func problemsOf(problems []intray.Problem, row int) []intray.Problem {
	from := sort.Search(len(problems), func(i int) bool { return problems[i].Row >= row })
	to := from
	for to < len(problems) && problems[to].Row == row {
		to++
	}
	return problems[from:to]
}

// copyRows appends rows [first, end) of one batch, with their problems, to a different batch.
func copyRows(to, from *intray.Batch, first, end int) {
	shift := to.Rows() - first
	staging.AppendRows(to, from, intray.RowRange{From: first, To: end})
	at := sort.Search(len(from.Problems), func(i int) bool { return from.Problems[i].Row >= first })
	for ; at < len(from.Problems) && from.Problems[at].Row < end; at++ {
		p := from.Problems[at]
		p.Row += shift
		to.Problems = append(to.Problems, p)
	}
}

// pickRows returns a new batch with the rows at the given positions, which must be
// in ascending order.
func pickRows(from *intray.Batch, positions []int64) *intray.Batch {
	out := newBatchLike(from)
	for i := 0; i < len(positions); {
		run := i + 1
		for run < len(positions) && positions[run] == positions[run-1]+1 {
			run++
		}
		copyRows(out, from, int(positions[i]), int(positions[run-1])+1)
		i = run
	}
	return out
}

// dropProblems removes the problems for which match returns true.
func dropProblems(b *intray.Batch, match func(p *intray.Problem) bool) {
	kept := b.Problems[:0]
	for i := range b.Problems {
		if !match(&b.Problems[i]) {
			kept = append(kept, b.Problems[i])
		}
	}
	b.Problems = kept
}

// sizeOf estimates the size of a batch in bytes.
func sizeOf(b *intray.Batch) int {
	n := 8 * b.Rows()
	for i := range b.Fields {
		c := &b.Fields[i]
		n += c.Values.Bytes() + 4*c.Values.Len() + c.Raws.Bytes() + 8*len(c.RawRows)
	}
	for i := range b.Unmapped {
		n += len(b.Unmapped[i].Cells.Arena) + 4*b.Unmapped[i].Cells.Len()
	}
	for i := range b.Problems {
		n += b.Problems[i].Text.Size() + 40
	}
	return n
}

// RawPart returns the raw value of one column of a many-to-one field. It returns ""
// if the cell has no such column.
func (c Cell) RawPart(part int) string {
	var raws []string
	if json.Unmarshal([]byte(c.Raw), &raws) != nil || part >= len(raws) {
		return ""
	}
	return raws[part]
}

// eachCell calls the function do with the raw value of each cell that a field has in a row. A
// many-to-one field has one cell per column.
func (d *Draft) eachCell(b *intray.Batch, field, row int, do func(part int, text []byte)) error {
	c := &b.Fields[field]
	if !d.cfg.Fields[field].ManyToOne {
		do(0, c.Raw(row))
		return nil
	}
	parts := d.partCount(field)
	raw := c.Raw(row)
	if len(bytes.TrimSpace(raw)) == 0 {
		for part := range parts {
			do(part, nil)
		}
		return nil
	}
	var texts []string
	if err := json.Unmarshal(raw, &texts); err != nil || len(texts) != parts {
		return fmt.Errorf("the raw text of field %q does not hold one text for each of its %d columns", d.cfg.Fields[field].Key, parts)
	}
	for part, text := range texts {
		do(part, []byte(text))
	}
	return nil
}

// cellText returns the raw value of one cell.
func (d *Draft) cellText(b *intray.Batch, field, part, row int) (text string, err error) {
	err = d.eachCell(b, field, row, func(p int, t []byte) {
		if p == part {
			text = string(t)
		}
	})
	return text, err
}
