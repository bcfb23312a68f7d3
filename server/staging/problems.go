package staging

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
)

const (
	// minGroupProblems and problemBytes limit the problems in a row group, and
	// therefore the additional data that reading a window requires. After manyGroups
	// row groups, maxGroupProblems replaces minGroupProblems, because the number of row
	// groups in a file is limited.
	minGroupProblems = 8192
	manyGroups       = 1024
	maxGroupProblems = 65536
	problemBytes     = 4 << 20
)

// problemColumns returns the columns of problems.parquet.
func problemColumns() [][]parquetio.Element {
	return [][]parquetio.Element{intColumn("row"), intColumn("field"), intColumn("part"),
		textColumn("code", format.Required), textColumn("level", format.Required), textColumn("text", format.Required)}
}

// problemFile writes problems.parquet. It creates the file when it receives the first problem.
type problemFile struct {
	create  func(name string) (blob.Writer, error)
	encoder *encoder
	file    *parquetFile
	table   problemTable
	group   encodedGroup
	groups  []ProblemGroup
	// firstCrossRow is the index of the first row group with cross-row problems.
	firstCrossRow int
}

// problemTable holds the columns of a row group in problems.parquet.
type problemTable struct {
	rows, fields, parts  []int64
	codes, levels, texts intray.Texts
}

func (t *problemTable) appendProblem(row int64, p *intray.Problem) {
	t.rows = append(t.rows, row)
	t.fields = append(t.fields, int64(p.Field))
	t.parts = append(t.parts, int64(p.Part))
	t.codes.AppendString(p.Code)
	t.levels.AppendString(p.Level.String())
	t.texts.AppendString(p.Text.Encode())
}

// isGroupFull reports whether enough problems have been collected for a row group.
func (f *problemFile) isGroupFull() bool {
	most := minGroupProblems
	if len(f.groups) >= manyGroups {
		most = maxGroupProblems
	}
	return len(f.table.rows) >= most || len(f.table.texts.Arena)+len(f.table.codes.Arena) >= problemBytes
}

// addBatch adds the problems of a batch. first is the index of its first row in the stage.
func (f *problemFile) addBatch(first int64, p *packedProblems) error {
	t := &f.table
	for i, row := range p.rows {
		t.appendProblem(first+int64(row), &p.distinct[p.kindOf[i]])
		if !f.isGroupFull() {
			continue
		}
		if err := f.flush(); err != nil {
			return err
		}
	}
	return nil
}

// flush writes the collected problems as a row group.
func (f *problemFile) flush() error {
	if f.file == nil {
		out, err := f.create(problemsName)
		if err != nil {
			return err
		}
		if f.file, err = newFile(out, problemColumns()); err != nil {
			return err
		}
	}
	if err := f.encode(); err != nil {
		return fmt.Errorf("encode problems: %w", err)
	}
	if f.file.isFull() {
		return fmt.Errorf("the problems need more than %d row groups", len(f.groups))
	}
	at, err := f.file.appendGroup(&f.group)
	if err != nil {
		return fmt.Errorf("write problems: %w", err)
	}
	rows := f.table.rows
	f.groups = append(f.groups, ProblemGroup{rows[0], rows[len(rows)-1], int64(len(rows)), at})
	f.table.rows, f.table.fields, f.table.parts = f.table.rows[:0], f.table.fields[:0], f.table.parts[:0]
	f.table.codes.Reset()
	f.table.levels.Reset()
	f.table.texts.Reset()
	return nil
}

func (f *problemFile) encode() error {
	t, g := &f.table, &f.group
	g.reset(len(t.rows))
	for _, ints := range [][]int64{t.rows, t.fields, t.parts} {
		if err := f.encoder.writeInts(g, ints); err != nil {
			return err
		}
	}
	for _, texts := range []*intray.Texts{&t.codes, &t.levels, &t.texts} {
		if err := f.encoder.writeRequired(g, texts); err != nil {
			return err
		}
	}
	g.setChecksum()
	return nil
}

// close completes the file, if it exists, and adds its row groups to the manifest.
func (f *problemFile) close(m *Manifest) error {
	if len(f.table.rows) > 0 {
		if err := f.flush(); err != nil {
			return err
		}
	}
	if f.file == nil {
		return nil
	}
	if err := f.file.close(); err != nil {
		return fmt.Errorf("seal the problems: %w", err)
	}
	m.ProblemGroups, m.CrossRowGroups = f.groups[:f.firstCrossRow], f.groups[f.firstCrossRow:]
	return nil
}

// packedProblems holds the problems of one batch until it is committed. It stores each distinct
// problem once, and two small numbers for each occurrence. This saves memory: a batch may have
// hundreds of thousands of problems, and several batches may wait at the same time.
type packedProblems struct {
	// distinct holds each distinct problem once. Problems that differ only in their row
	// count as the same problem.
	distinct []intray.Problem
	// rows holds the row of each problem, and kindOf its index in distinct.
	rows, kindOf []uint32
	// byKind holds the rows grouped by kind, and ends holds the end of each group.
	byKind, ends []uint32

	seen map[intray.Problem]uint32
	// last holds, for each field, one plus the kind of its last problem, or 0 if it has had
	// none. The first element is for problems of whole rows.
	last []uint32
}

func (p *packedProblems) packProblems(problems []intray.Problem, fields int) {
	p.distinct, p.rows, p.kindOf, p.byKind = p.distinct[:0], p.rows[:0], p.kindOf[:0], p.byKind[:0]
	if len(problems) == 0 {
		return
	}
	p.seen = map[intray.Problem]uint32{}
	p.last = append(p.last[:0], make([]uint32, fields+1)...)
	for _, problem := range problems {
		p.rows = append(p.rows, uint32(problem.Row))
		problem.Row = 0
		p.kindOf = append(p.kindOf, p.kindIndex(problem))
	}
	p.seen = nil
	p.groupByKind()
}

// kindIndex returns the index of a problem in distinct, and adds the problem if it is missing. The
// Row of the problem must be 0.
func (p *packedProblems) kindIndex(problem intray.Problem) uint32 {
	last := &p.last[problem.Field-intray.NoField]
	if *last > 0 && p.distinct[*last-1] == problem {
		return *last - 1
	}
	kind, known := p.seen[problem]
	if !known {
		kind = uint32(len(p.distinct))
		p.distinct = append(p.distinct, problem)
		p.seen[problem] = kind
	}
	*last = kind + 1
	return kind
}

// groupByKind groups the rows by kind.
func (p *packedProblems) groupByKind() {
	p.ends = append(p.ends[:0], make([]uint32, len(p.distinct))...)
	for _, kind := range p.kindOf {
		p.ends[kind]++
	}
	at := uint32(0)
	for kind, n := range p.ends {
		p.ends[kind] = at
		at += n
	}
	p.byKind = slices.Grow(p.byKind, len(p.rows))[:len(p.rows)]
	for i, kind := range p.kindOf {
		p.byKind[p.ends[kind]] = p.rows[i]
		p.ends[kind]++
	}
}

// rowsOf returns the rows of one kind in ascending order.
func (p *packedProblems) rowsOf(kind int) []uint32 {
	if kind == 0 {
		return p.byKind[:p.ends[0]]
	}
	return p.byKind[p.ends[kind-1]:p.ends[kind]]
}

// maxKinds is the maximum number of kinds. It limits the memory for bitmaps, because
// a hostile hook can create any number of codes.
const maxKinds = 65536

// problemIndex counts the problems of each kind and records their rows.
type problemIndex struct {
	errors   *roaring.Bitmap
	counts   map[problemKey]*problemCount
	problems int64
}

type problemKey struct {
	field int
	code  string
	level intray.Level
}

type problemCount struct {
	problems int64
	rows     *roaring.Bitmap
}

func newProblemIndex() problemIndex {
	return problemIndex{errors: roaring.New(), counts: map[problemKey]*problemCount{}}
}

// addBatch adds the problems of a batch. first is the index of its first row in the
// stage. addBatch replaces the rows in p.byKind with rows of the stage.
func (k *problemIndex) addBatch(first int64, p *packedProblems) error {
	for i := range p.byKind {
		p.byKind[i] += uint32(first)
	}
	for i := range p.distinct {
		t, err := k.countFor(&p.distinct[i])
		if err != nil {
			return err
		}
		rows := p.rowsOf(i)
		t.problems += int64(len(rows))
		t.rows.AddMany(rows)
		if p.distinct[i].Level == intray.LevelError {
			k.errors.AddMany(rows)
		}
	}
	k.problems += int64(len(p.rows))
	return nil
}

// countFor returns the count for the kind of a problem.
func (k *problemIndex) countFor(p *intray.Problem) (*problemCount, error) {
	key := problemKey{p.Field, p.Code, p.Level}
	t := k.counts[key]
	if t == nil {
		if len(k.counts) == maxKinds {
			return nil, fmt.Errorf("there are more than %d kinds of problems", maxKinds)
		}
		t = &problemCount{rows: roaring.New()}
		k.counts[key] = t
	}
	return t, nil
}

// encode returns the concatenated bitmaps. It adds their locations and the counts to
// the manifest.
func (k *problemIndex) encode(m *Manifest) ([]byte, error) {
	m.Problems, m.ErrorRows = k.problems, int64(k.errors.GetCardinality())
	if k.problems == 0 {
		return nil, nil
	}
	body, at, err := appendBitmap(nil, k.errors)
	if err != nil {
		return nil, err
	}
	m.Errors = at
	for _, key := range k.sorted() {
		t := k.counts[key]
		if body, at, err = appendBitmap(body, t.rows); err != nil {
			return nil, err
		}
		m.Kinds = append(m.Kinds, ProblemKind{
			Field: key.field, Code: key.code, Level: key.level.String(),
			Problems: t.problems, Rows: int64(t.rows.GetCardinality()), Bitmap: at,
		})
	}
	return body, nil
}

func (k *problemIndex) sorted() []problemKey {
	keys := make([]problemKey, 0, len(k.counts))
	for key := range k.counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b problemKey) int {
		return cmp.Or(cmp.Compare(a.field, b.field), strings.Compare(a.code, b.code), cmp.Compare(a.level, b.level))
	})
	return keys
}

func appendBitmap(body []byte, rows *roaring.Bitmap) ([]byte, Piece, error) {
	rows.RunOptimize()
	text, err := rows.ToBytes()
	if err != nil {
		return nil, Piece{}, fmt.Errorf("encode a bitmap: %w", err)
	}
	return append(body, text...), Piece{int64(len(body)), int64(len(text)), checksum(text)}, nil
}

// bitmapWindow returns up to n rows of a bitmap. skip is the number of rows of the bitmap
// before the first one returned.
func bitmapWindow(rows *roaring.Bitmap, skip int64, n int) []int64 {
	total := int64(rows.GetCardinality())
	if skip >= total || n <= 0 {
		return nil
	}
	first, err := rows.Select(uint32(skip))
	if err != nil {
		return nil
	}
	list := make([]int64, 0, min(int64(n), total-skip))
	it := rows.Iterator()
	it.AdvanceIfNeeded(first)
	for it.HasNext() && len(list) < n {
		list = append(list, int64(it.Next()))
	}
	return list
}

// crossRowProblem is a problem that was found after all rows were known, and the
// rows that have it.
type crossRowProblem struct {
	problem intray.Problem
	rows    *roaring.Bitmap
}

// AddProblem adds a problem to rows that have been committed. It ignores problem.Row. Call it
// after every commit has returned and before Close. The caller must not modify the bitmap
// afterwards.
func (w *Writer) AddProblem(problem intray.Problem, rows *roaring.Bitmap) error {
	if w.err != nil {
		return w.err
	}
	if rows.IsEmpty() {
		return nil
	}
	if problem.Field < intray.NoField || problem.Field >= len(w.manifest.Fields) || problem.Level > intray.LevelInfo || int64(rows.Maximum()) >= w.manifest.Rows {
		return fmt.Errorf("a cross-row problem has field %d, level %d and row %d", problem.Field, uint8(problem.Level), rows.Maximum())
	}
	problem.Row = 0
	w.crossRow = append(w.crossRow, crossRowProblem{problem, rows})
	t, err := w.problemIndex.countFor(&problem)
	if err != nil {
		return err
	}
	t.problems += int64(rows.GetCardinality())
	t.rows.Or(rows)
	if problem.Level == intray.LevelError {
		w.problemIndex.errors.Or(rows)
	}
	w.problemIndex.problems += int64(rows.GetCardinality())
	return nil
}

// writeCrossRow writes the cross-row problems in row order, after all other problems.
func (f *problemFile) writeCrossRow(all []crossRowProblem) error {
	if len(f.table.rows) > 0 {
		if err := f.flush(); err != nil {
			return err
		}
	}
	f.firstCrossRow = len(f.groups)
	if len(all) == 0 {
		return nil
	}
	next := make(crossRowHeap, 0, len(all))
	for i, l := range all {
		next = append(next, crossRowItem{rows: l.rows.Iterator(), problem: i, field: l.problem.Field})
	}
	heap.Init(&next)
	for len(next) > 0 {
		first := &next[0]
		p := &all[first.problem].problem
		f.table.appendProblem(int64(first.rows.Next()), p)
		if first.rows.HasNext() {
			heap.Fix(&next, 0)
		} else {
			heap.Pop(&next)
		}
		if !f.isGroupFull() {
			continue
		}
		if err := f.flush(); err != nil {
			return err
		}
	}
	return nil
}

// crossRowItem iterates over the rows of a cross-row problem. A crossRowHeap has the item with
// the lowest next row at the top.
type crossRowItem struct {
	rows           roaring.IntPeekable
	problem, field int
}

type crossRowHeap []crossRowItem

func (h crossRowHeap) Len() int      { return len(h) }
func (h crossRowHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *crossRowHeap) Push(x any)   { *h = append(*h, x.(crossRowItem)) }

func (h crossRowHeap) Less(i, j int) bool {
	a, b := h[i].rows.PeekNext(), h[j].rows.PeekNext()
	return a < b || a == b && (h[i].field < h[j].field || h[i].field == h[j].field && h[i].problem < h[j].problem)
}

func (h *crossRowHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
