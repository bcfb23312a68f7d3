package hooks

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// A pure row hook ([jsruntime.PureRowHooks]) is called once for all rows of a call whose used cells are equal.
// The changes are the same as those of a call with every row, because the result of such a hook depends only on
// these cells, as does the comparison of the result with the cells. Cells with messages are never counted as equal,
// and columns whose cells are lists or have their own options are not used.
//
// The limits also have the same effect. A call with the distinct rows counts only if a call with all rows would
// certainly stay within its limits:
//
//   - Time: if each distinct row had taken as long as all of them, and as often as the most frequent one, the time
//     would still be sufficient (callDistinct).
//   - Memory and size of the changes: the cells and the changes of all rows are far smaller than the limits (maxBytes).
//
// In all other cases, and after any failure, the hook is called with every row, which decides on the result. The error
// then has the same row, position and reason as always.

const (
	// maxDistinctBytes limits the size of the cells and changes of all rows, in bytes. answerShare and memoryShare are
	// the parts of the maximum answer and of the memory of a worker that they may have. Six times as many bytes would
	// be enough to escape every character in JSON.
	maxDistinctBytes         = 1 << 20
	answerShare, memoryShare = 8, 64
	// truncatedMessage is the length of a message that the worker may have truncated, in characters.
	truncatedMessage = 2000
	// minDistinct is the minimum number of rows for which a call with distinct rows pays. It does not pay if there are
	// more than half as many inputs as rows. If there are more than lookMost among the first lookAt rows, that is not
	// to be expected.
	minDistinct      = 16
	lookAt, lookMost = 256, 230
)

// distinctRows are the rows of a span without repetitions. It reuses memory.
type distinctRows struct {
	// batch contains one row for each distinct input. It has only the cells of the used fields.
	batch intray.Batch
	// indexes holds, for each row of the span, the index of its input in batch. counts holds the number of
	// rows of each input, and rows the first of them.
	indexes, counts, rows []int32
	// changes are the changes of the distinct rows. Those of row i are between ends[i] and ends[i+1].
	changes []intray.Change
	ends    []int32

	// known maps the codes of the cells of a row to the index of its input. ofCode does so for one column, and adds
	// one to the index.
	known  map[string]int32
	ofCode []int32
}

// fill finds the distinct rows of a span, given the fields that the hook uses. It reports false if there are so
// many that a call with them does not pay, or if a column is not suitable.
func (d *distinctRows) fill(layouts []columnLayout, s span, used []bool) bool {
	if s.rows() < minDistinct || len(s.batch.Options) > 0 {
		return false
	}
	most := s.rows() / 2
	columns := make([]int, 0, len(layouts))
	for i := range layouts {
		if !used[i] {
			continue
		}
		if layouts[i].field.ManyToOne || layouts[i].kind == jsruntime.ValueList || len(s.batch.Fields[i].Values.Codes) == 0 {
			return false
		}
		columns = append(columns, i)
	}
	if !d.number(s, columns, used, most) {
		return false
	}
	d.copyRows(s, columns, used)
	return true
}

// number numbers the inputs of a span.
func (d *distinctRows) number(s span, columns []int, used []bool, most int) bool {
	d.indexes, d.counts, d.rows = d.indexes[:0], d.counts[:0], d.rows[:0]
	single := singleRows{problems: s.batch.Problems, used: used}
	single.skipTo(s.from)
	cells := make([]*intray.Cells, len(columns))
	nulls := make([][]uint32, len(columns))
	for i, field := range columns {
		cells[i] = &s.batch.Fields[field]
		next, _ := slices.BinarySearch(cells[i].Nulls, uint32(s.from))
		nulls[i] = cells[i].Nulls[next:]
	}
	if len(columns) == 1 && (len(nulls[0]) == 0 || int(nulls[0][0]) >= s.to) && (len(single.problems) == 0 || single.problems[0].Row >= s.to) {
		return d.numberCodes(cells[0].Values.Codes[s.from:s.to], cells[0].Values.Texts.Len(), s.from, most)
	}
	if d.known == nil {
		d.known = map[string]int32{}
	}
	clear(d.known)
	key := make([]byte, 4*len(columns))
	for row := s.from; row < s.to; row++ {
		isSingle := single.has(row)
		for i, c := range cells {
			code := uint32(c.Values.Codes[row])
			if len(nulls[i]) > 0 && int(nulls[i][0]) == row {
				nulls[i] = nulls[i][1:]
				code = nullCode
				// The raw text of a cell that cannot be parsed is not a part of the key.
				isSingle = isSingle || len(c.Raw(row)) > 0
			}
			binary.LittleEndian.PutUint32(key[4*i:], code)
		}
		index := int32(len(d.rows))
		if !isSingle {
			if known, found := d.known[string(key)]; found {
				index = known
			} else {
				d.known[string(key)] = index
			}
		}
		if int(index) == len(d.rows) {
			d.rows, d.counts = append(d.rows, int32(row)), append(d.counts, 0)
		}
		d.counts[index]++
		d.indexes = append(d.indexes, index)
		if tried := row - s.from + 1; len(d.rows) > most || tried == lookAt && len(d.rows) > lookMost {
			return false
		}
	}
	return true
}

// numberCodes numbers the inputs of rows with one used column, which have the given codes.
func (d *distinctRows) numberCodes(codes []int32, texts, first, most int) bool {
	d.ofCode = slices.Grow(d.ofCode[:0], texts)[:texts]
	clear(d.ofCode)
	for i, code := range codes {
		index := d.ofCode[code] - 1
		if index < 0 {
			index = int32(len(d.rows))
			d.ofCode[code] = index + 1
			if len(d.rows) == most {
				return false
			}
			d.rows, d.counts = append(d.rows, int32(first+i)), append(d.counts, 0)
		}
		d.counts[index]++
		d.indexes = append(d.indexes, index)
	}
	return true
}

// nullCode is the code of an empty cell in a key.
const nullCode = 1<<32 - 1

// singleRows finds the rows with messages in used fields, row by row.
type singleRows struct {
	problems []intray.Problem
	used     []bool
}

func (r *singleRows) skipTo(row int) {
	next, _ := slices.BinarySearchFunc(r.problems, row, compareProblemRow)
	r.problems = r.problems[next:]
}

func (r *singleRows) has(row int) (has bool) {
	for ; len(r.problems) > 0 && r.problems[0].Row == row; r.problems = r.problems[1:] {
		field := r.problems[0].Field
		has = has || field >= 0 && field < len(r.used) && r.used[field]
	}
	return has
}

// copyRows copies the distinct rows to the batch.
func (d *distinctRows) copyRows(s span, columns []int, used []bool) {
	b := &d.batch
	b.Reset(len(used))
	b.Lines = slices.Grow(b.Lines, len(d.rows))[:len(d.rows)]
	for _, field := range columns {
		from, to := &s.batch.Fields[field], &b.Fields[field]
		for _, row := range d.rows {
			if v, parsed := from.Value(int(row)); parsed {
				to.AppendValue(v)
			} else {
				to.AppendNull(from.Raw(int(row)))
			}
		}
	}
	single := singleRows{problems: s.batch.Problems, used: used}
	for i, row := range d.rows {
		if d.counts[i] > 1 {
			continue
		}
		single.skipTo(int(row))
		for _, p := range single.problems {
			if p.Row != int(row) {
				break
			}
			p.Row = i
			b.Problems = append(b.Problems, p)
		}
	}
}

// inputBytes returns the size of the cells and messages of all rows, given the columns of the distinct rows.
func (d *distinctRows) inputBytes(columns []*jsruntime.Column) (size int) {
	for _, column := range columns {
		if column == nil {
			continue
		}
		for _, cell := range column.Infos { // only rows that occur once have messages
			for _, info := range cell.Infos {
				size += messageBytes(info.Message)
			}
		}
		for _, cells := range []*jsruntime.Cells{&column.Value, column.Result} {
			if cells == nil {
				continue
			}
			for i, count := range d.counts {
				size += int(count) * (len(cells.Texts.At(cells.From+i)) + 16)
			}
		}
	}
	return size
}

// expandChanges appends the changes of all rows to changes. It reports false if they have more than most bytes.
// Rows with equal cells share the memory of their values and messages.
func (d *distinctRows) expandChanges(changes []intray.Change, rowOffset, most int) ([]intray.Change, bool) {
	d.ends = append(d.ends[:0], 0)
	end, total, size := 0, 0, 0
	for i, count := range d.counts {
		from := end
		for ; end < len(d.changes) && d.changes[end].Row == i; end++ {
			size += int(count) * changeBytes(&d.changes[end])
		}
		total += int(count) * (end - from)
		d.ends = append(d.ends, int32(end))
	}
	if size > most || end != len(d.changes) {
		return changes, false
	}
	next := len(changes)
	changes = slices.Grow(changes, total)[:next+total]
	for row, index := range d.indexes {
		for at := d.ends[index]; at < d.ends[index+1]; at++ {
			changes[next] = d.changes[at]
			changes[next].Row = rowOffset + row
			next++
		}
	}
	return changes, true
}

// changeBytes returns the size of a change, in bytes. It is not less than the size that the worker counts.
func changeBytes(c *intray.Change) int {
	size := 16
	if c.Value != nil {
		size += len(*c.Value)
		if strings.HasPrefix(*c.Value, "[") {
			size += 8 * len(*c.Value) // it may be a list, whose elements count separately
		}
	}
	for _, info := range c.Infos {
		size += messageBytes(info.Text)
	}
	for _, option := range c.Options {
		size += len(option.Label) + len(option.Value) + 40
		for _, text := range option.AlternateMatches {
			size += len(text) + 4
		}
	}
	return size
}

// messageBytes returns the size of a message that the worker counts. If the worker truncated the message, the
// size is unknown, and messageBytes returns more than any limit.
func messageBytes(text string) int {
	if len(text) >= truncatedMessage {
		return maxDistinctBytes + 1
	}
	return len(text) + 40
}

// distinctSizer decides on the number of rows that are reduced to distinct ones: 1,000, or more if the limits certainly
// suffice, because longer lists have more repetitions. After a call that did not count, the next calls have every row.
type distinctSizer struct {
	mu         sync.Mutex
	rows, most int
	pause      int
}

// pausedCalls is the number of calls with every row after a call with distinct rows that did not count.
const pausedCalls = 16

// next returns the number of rows for the next call, or 0 if it must have every row.
func (s *distinctSizer) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pause > 0 {
		s.pause--
		return 0
	}
	return max(s.rows, batchRows)
}

// observe records that a call counted. share is the part of the time limit that all rows would have needed at most.
func (s *distinctSizer) observe(rows int, share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if share < 0.25 && rows >= s.rows {
		s.rows = min(2*max(rows, batchRows), cmp.Or(s.most, intray.BatchRows))
	}
}

// refuse records that a call did not count.
func (s *distinctSizer) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = max(s.rows/2, batchRows)
	s.rows, s.pause = min(s.rows, s.most), pausedCalls
}

// maxBytes returns the maximum size of the cells, and of the changes, of all rows, in bytes.
func (s *Session) maxBytes() int {
	return min(maxDistinctBytes, s.cfg.MaxAnswer/answerShare, int(s.pool.Memory()/memoryShare))
}

// callDistinct calls the hook with the distinct rows of a span and appends the changes of all rows. It reports
// false if the hook must be called with every row.
func (r *rowHookRun) callDistinct(ctx context.Context, rows span) (done bool, err error) {
	fields := layoutFields(r.layouts)
	used, known := r.usedColumns(r.hook, fields)
	if !known {
		return false, nil
	}
	d := &r.slot.distinct
	if !d.fill(r.layouts, rows, used) {
		return false, nil
	}
	all := span{batch: &d.batch, to: d.batch.Rows()}
	call := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Hooks: []string{r.hook.name}, Mode: hookMode(r.update), Budget: r.engineBudget(r.cfg.BatchTimeout), Rows: buildRows(r.layouts, []span{all}, used)}
	most := r.maxBytes()
	if d.inputBytes(call.Rows.Columns) > most {
		r.hook.distinctSizer.refuse()
		return false, nil
	}
	collector := changeCollector{changes: d.changes[:0]}
	loaded, start := r.slot.fields, time.Now()
	a, err := r.roundTrip(ctx, r.slot, call, answerBounds(r.layouts, all.rows(), false), r.cfg.BatchTimeout, collector.appendChange)
	if ctx.Err() != nil {
		return false, err
	}
	d.changes = collector.changes
	took := time.Since(start)
	if err != nil || a.Failure != nil && a.Failure.Fatal() {
		r.hook.distinctSizer.refuse()
		return false, r.replaceWorker(ctx, r.slot, loaded)
	}
	if len(a.Missed) > 0 {
		r.recordUsedFields(r.hook, a, fields, false)
		return false, nil
	}
	changes, fits := d.expandChanges(r.changes, rows.rowOffset, most)
	share := float64(took) * float64(slices.Max(d.counts)) / float64(r.cfg.BatchTimeout)
	if done = a.Failure == nil && fits && share <= 1; !done {
		r.hook.distinctSizer.refuse()
		return false, nil
	}
	r.changes = changes
	r.recordOutput(a)
	r.hook.distinctSizer.observe(rows.rows(), share)
	return true, nil
}
