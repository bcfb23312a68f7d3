package draft

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray"
)

// lot is rows that are read from one place, in order, and where they go.
type lot struct {
	rows []uint32
	read func(ctx context.Context, rows []uint32) (*intray.Batch, error)
	got  *intray.Batch
	next int
}

// gather reads live rows, which ascend, as a batch: row i of it is row rows[i]. The
// problems of rules about all rows are not among its problems. The batch is the
// caller's.
func (d *Draft) gather(ctx context.Context, s *snapshot, rows []uint32) (*intray.Batch, error) {
	lots, of := d.lots(s, rows)
	if err := readLots(ctx, lots); err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	if len(lots) == 1 {
		lots[0].got.First = int64(rows[0])
		return lots[0].got, nil
	}
	out := d.blank()
	if len(rows) > 0 {
		out.First = int64(rows[0])
	}
	for i := 0; i < len(of); {
		run := i + 1
		for run < len(of) && of[run] == of[i] {
			run++
		}
		from := of[i]
		takeRun(out, from.got, from.next, from.next+run-i)
		from.next += run - i
		i = run
	}
	return out, nil
}

// blank is a batch of no rows.
func (d *Draft) blank() *intray.Batch {
	m := d.cfg.Stage.Manifest()
	b := &intray.Batch{Fields: make([]intray.Cells, len(m.Fields))}
	for _, u := range m.Unmapped {
		b.Unmapped = append(b.Unmapped, intray.UnmappedCells{Column: u.Index})
	}
	return b
}

// lots divides rows by the place where their latest content is, and gives the lot
// of each.
func (d *Draft) lots(s *snapshot, rows []uint32) (all []*lot, of []*lot) {
	shelf := d.shelves.of(rows)
	byOwner := map[int64]*lot{}
	const shelved = -1
	for _, row := range rows {
		owner := int64(0)
		if s.touched.Contains(row) {
			owner = int64(s.owner(row))
		}
		if owner == 0 && shelf != nil && shelf.rows.Contains(row) {
			owner = shelved
		}
		l := byOwner[owner]
		if l == nil {
			l = &lot{}
			switch owner {
			case shelved:
				l.read = d.unruled(shelf.read)
			case 0:
				l.read = d.unruled(d.readStaged)
			default:
				l.read = s.layers[owner-1].read
			}
			byOwner[owner] = l
			all = append(all, l)
		}
		l.rows = append(l.rows, row)
		of = append(of, l)
	}
	return all, of
}

func readLots(ctx context.Context, lots []*lot) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, l := range lots {
		group.Go(func() (err error) {
			l.got, err = l.read(ctx, l.rows)
			return err
		})
	}
	return group.Wait()
}

// unruled reads without the problems of rules about all rows: what the stage says
// of these is not what holds now.
func (d *Draft) unruled(read func(ctx context.Context, rows []uint32) (*intray.Batch, error)) func(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	if len(d.rules) == 0 {
		return read
	}
	return func(ctx context.Context, rows []uint32) (*intray.Batch, error) {
		b, err := read(ctx, rows)
		if err == nil {
			dropProblems(b, d.ofRule)
		}
		return b, err
	}
}

// ofRule says whether a problem is one of a rule about all rows.
func (d *Draft) ofRule(p *intray.Problem) bool {
	for _, k := range d.ruleKinds {
		if k.Field == p.Field && k.Level == p.Level && k.Code == p.Code {
			return true
		}
	}
	return false
}

// readStaged reads rows of the stage. Rows that lie far apart are in many batches,
// which are read on all cores.
func (d *Draft) readStaged(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	runs := d.runs(rows)
	if len(runs) <= 1 {
		return d.cfg.Stage.Rows(ctx, wide(rows))
	}
	parts := make([]*intray.Batch, len(runs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, run := range runs {
		group.Go(func() (err error) {
			parts[i], err = d.cfg.Stage.Rows(ctx, wide(run))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := d.blank()
	for _, b := range parts {
		takeRun(out, b, 0, b.Rows())
	}
	return out, nil
}

// runs divides rows of the stage so that no batch is read by two.
func (d *Draft) runs(rows []uint32) (out [][]uint32) {
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

func wide(rows []uint32) []int64 {
	out := make([]int64, len(rows))
	for i, row := range rows {
		out[i] = int64(row)
	}
	return out
}
