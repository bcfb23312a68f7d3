package headerdetect

import (
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

const (
	// MaxAbove is the most rows above a header that are looked through.
	MaxAbove = 40
	// MaxHeaders is the most rows that a header is made of.
	MaxHeaders = 3
	// MaxColumns is the most columns, from the left, that Find compares. More
	// would not change the answer, and the work grows with them.
	MaxColumns = 2048
)

// Layout says where the table is among the rows it was found in.
type Layout struct {
	// Width is how many columns the table has.
	Width int
	// First is the index of the first row of the header, or of the first record
	// where there is no header.
	First int
	// Headers is how many rows the header has: 0 to MaxHeaders.
	Headers int
	// Reason says why the header is where it is, or why there is none.
	Reason intray.Message
	// Doubt says how near the next best layout came, the one with another header
	// or with none: from 0, where nothing speaks for that, to 1, a toss-up. It is
	// 1/(1+lead), where one point of lead is about what one column says by being
	// text above numbers. Where the header was asked for it is 0.
	Doubt float64
	// Alternative is the row of the header of that next best layout, or NoHeader.
	Alternative int
}

// NoHeader is the Alternative of a layout whose rival has no header.
const NoHeader = -1

// maxDoubt is what a lead of half a point leaves, which is less than one known
// name of a column gives.
const maxDoubt = 2.0 / 3

// Unsure says that a person should be asked: the header that was found and its
// rival are about equally likely.
func (l Layout) Unsure() bool { return l.Doubt > maxDoubt }

// BodyStart is the index of the first record.
func (l Layout) BodyStart() int { return l.First + l.Headers }

// FindLayout locates the table in the first rows of a sheet, blank rows among them.
// width is the number of cells that most rows have; 0 derives it from the rows.
//
// The work is bounded by the product of the rows, [MaxColumns] and [MaxAbove].
// The error is that of ctx.
func FindLayout(ctx context.Context, rows [][]string, width int) (Layout, error) {
	if width == 0 {
		width = commonWidth(rows)
	}
	f := layoutFinder{rows: truncateColumns(rows), width: min(width, MaxColumns)}
	if err := f.measure(ctx); err != nil {
		return Layout{}, err
	}
	layout, err := f.findLayout(ctx)
	layout.Width = width
	return layout, err
}

// truncateColumns returns rows without the cells right of MaxColumns.
func truncateColumns(rows [][]string) [][]string {
	cut := make([][]string, len(rows))
	for i, row := range rows {
		cut[i] = row[:min(len(row), MaxColumns)]
	}
	return cut
}

// commonWidth is the place behind the last cell with text of most rows; among
// equals the wider.
func commonWidth(rows [][]string) int {
	counts := map[int]int{}
	for _, row := range rows {
		if w := filledWidth(row); w > 0 {
			counts[w]++
		}
	}
	best := 0
	for w, n := range counts {
		if n > counts[best] || n == counts[best] && w > best {
			best = w
		}
	}
	// Wider rows count for their columns if there are some: last columns are
	// often empty.
	least := counts[best]
	for w, n := range counts {
		if w > best && 5*n >= least {
			best = w
		}
	}
	return best
}

// filledWidth is the place behind the last cell with text.
func filledWidth(row []string) int {
	for i := len(row) - 1; i >= 0; i-- {
		if strings.TrimSpace(row[i]) != "" {
			return i + 1
		}
	}
	return 0
}

// layoutFinder holds what is known about the rows.
type layoutFinder struct {
	rows   [][]string
	width  int
	filled []int
	cells  [][]cellInfo
	// firstEqual holds for each row the index of the first row with the same cells, so
	// that rows are compared once and not for each of their cells.
	firstEqual []int
	// first is the first row that could begin a table, last the last one that is
	// not blank.
	first, last int
}

func (f *layoutFinder) measure(ctx context.Context) error {
	seed := maphash.MakeSeed()
	firstOf := map[uint64][]int{}
	for i, row := range f.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		looks := make([]cellInfo, 0, len(row))
		filled := 0
		var hash maphash.Hash
		hash.SetSeed(seed)
		for _, cell := range row {
			_, _ = hash.WriteString(cell)
			_ = hash.WriteByte(0)
			l := cellInfo{kind: KindOf(cell)}
			if cell = strings.TrimSpace(cell); cell != "" {
				filled++
			}
			if l.kind != Empty {
				l.sum, l.runes = uint32(maphash.String(seed, strings.ToLower(cell))), uint32(utf8.RuneCountInString(cell))
			}
			looks = append(looks, l)
		}
		f.cells = append(f.cells, looks)
		f.filled = append(f.filled, filled)
		f.firstEqual = append(f.firstEqual, i)
		sum := hash.Sum64()
		for _, earlier := range firstOf[sum] {
			if slices.Equal(f.rows[earlier], row) {
				f.firstEqual[i] = earlier
				break
			}
		}
		if f.firstEqual[i] == i {
			firstOf[sum] = append(firstOf[sum], i)
		}
	}
	f.first = f.firstRow()
	for i, row := range f.rows {
		if f.filled[i] > 0 || len(row) > 1 {
			f.last = i
		}
	}
	return nil
}

// firstRowBonus is how much speaks for a header in the first row before it is
// looked at: most tables have one there.
const firstRowBonus = 1

// headerCandidate is a row and how well it serves as the header.
type headerCandidate struct {
	row int
	// score decides; found is the part of it that was found in the rows.
	score, found float64
	why          grounds
}

// findLayout takes the header that fits best, from the rows above the first record.
func (f *layoutFinder) findLayout(ctx context.Context) (Layout, error) {
	none := headerCandidate{row: NoHeader}
	first, best := f.first, none
	list := []headerCandidate{none}
	for at := first; at < min(len(f.rows), first+MaxAbove); at++ {
		if err := ctx.Err(); err != nil {
			return Layout{}, err
		}
		s := f.scoreRow(at, first)
		list = append(list, s)
		if s.score > best.score {
			best = s
		}
		if s.score > 0 && f.filled[at] >= f.width && at > max(best.row, first)+MaxHeaders {
			break
		}
	}
	l := Layout{Width: f.width, First: max(best.row, 0)}
	if best.row == NoHeader {
		l.First, l.Reason = first, f.noneReason()
	} else {
		l.Headers, l.Reason = 1, best.why.reason(f.width)
		f.extendHeader(&l)
	}
	f.findAlternative(&l, best, list)
	return l, nil
}

// noneReason says why no row is the header.
func (f *layoutFinder) noneReason() intray.Message {
	if f.first >= f.last && f.width > 1 {
		return intray.NewMessage("header.only_row_like_values", nil)
	}
	return intray.NewMessage("header.first_row_like_others", nil)
}

// scoreRow is headerScore with what speaks for the first row of a table.
func (f *layoutFinder) scoreRow(at, first int) headerCandidate {
	s := headerCandidate{row: at}
	s.found, s.why = f.headerScore(at)
	s.score = s.found
	if at == first {
		s.score += firstRowBonus
	}
	return s
}

// findAlternative finds the rival of the layout that was chosen, by what was found: that
// most tables begin with their header makes no table surer. Other rows of the
// same header, and rows that repeat it, are no rivals.
func (f *layoutFinder) findAlternative(l *Layout, best headerCandidate, list []headerCandidate) {
	l.Alternative = NoHeader
	next := math.Inf(-1)
	for _, s := range list {
		if s.row == best.row || l.Headers > 0 && s.row != NoHeader && (s.row >= l.First && s.row < l.BodyStart() || f.firstEqual[s.row] == f.firstEqual[best.row]) {
			continue
		}
		if l.Headers > 0 && s.row == NoHeader && f.hasTitleAbove(l.First) {
			continue
		}
		if s.found > next {
			next, l.Alternative = s.found, s.row
		}
	}
	l.Doubt = 1 / (1 + max(0, best.found-next))
	if l.Headers > 0 && f.hasRecordAbove(l.First, l.BodyStart()) {
		l.Doubt, l.Alternative = 1, NoHeader // it would be lost
	}
}

// hasRecordAbove says whether one of the rows above a header is like the records
// below it: it fills most of the columns, and what stands in typed columns is of
// their kinds, in two of them at least.
func (f *layoutFinder) hasRecordAbove(header, below int) bool {
	for at := range header {
		if 4*f.filled[at] < 3*f.width {
			continue
		}
		same, other := 0, 0
		for c, l := range f.cells[at] {
			col := f.columnStats(columnBody{c, below, noRow})
			switch {
			case l.kind == Empty || !col.kind.IsTyped() || col.share < 0.8:
			case l.kind == col.kind, l.kind == Integer && col.kind == Number:
				same++
			default:
				other++
			}
		}
		if same >= 2 && other == 0 {
			return true
		}
	}
	return false
}

// hasTitleAbove says whether titles or notes stand above a row: files that have them
// name their columns.
func (f *layoutFinder) hasTitleAbove(at int) bool {
	for _, n := range f.filled[:at] {
		if n > 0 && 2*n < f.width {
			return true
		}
	}
	return false
}

// firstRow is the first row that could begin a table of this width: titles and
// notes above have fewer cells.
func (f *layoutFinder) firstRow() int {
	for i, n := range f.filled {
		if n > 0 && (f.width <= 1 || n >= 2 && 2*n >= f.width || n > 0 && f.hasTypedCells(i)) {
			return i
		}
	}
	for i, n := range f.filled {
		if n > 0 {
			return i
		}
	}
	return 0
}

// hasTypedCells says whether a row with few cells has them where typed columns are.
func (f *layoutFinder) hasTypedCells(at int) bool {
	if f.filled[at] < 2 {
		return false
	}
	typed := 0
	for c, l := range f.cells[at] {
		if l.kind.IsTyped() && f.columnStats(columnBody{c, at + 1, noRow}).share >= 0.8 {
			typed++
		}
	}
	return typed >= 2
}

// extendHeader takes the rows beside a header in that belong to it: those that are
// text above the same typed columns.
func (f *layoutFinder) extendHeader(l *Layout) {
	l.Headers = f.bodyStart(l.First) - l.First
	for l.Headers < MaxHeaders && l.BodyStart() < len(f.rows) && f.isFurtherHeader(l.BodyStart(), l.First, l.BodyStart()+1) {
		l.Headers++
	}
	for l.Headers < MaxHeaders && l.First > 0 && f.isFurtherHeader(l.First-1, l.First, l.First+1) {
		l.First--
		l.Headers++
	}
	if l.Headers > 1 {
		l.Reason = intray.NewMessage("header.rows_above_values", intray.Params{"n": l.Headers})
	}
}

// bodyStart is the first row below a header that begins with a row: the next one, or
// the one below further rows of the header.
func (f *layoutFinder) bodyStart(header int) int {
	if f.isSideBySideText(header) {
		return header + 1
	}
	for body := min(header+MaxHeaders, len(f.rows)-1); body > header+1; body-- {
		at := header + 1
		for at < body && f.isFurtherHeader(at, header, body) {
			at++
		}
		if at == body && f.isTextAboveTyped(header, header, body) {
			return body
		}
	}
	return header + 1
}

// isSideBySideText says whether a row is text side by side, and nothing above the last
// columns, a quarter of all or more: that is a title or a note. Groups of columns
// stand above all of them, and records are hardly ever text alone.
func (f *layoutFinder) isSideBySideText(at int) bool {
	end := filledWidth(f.rows[at])
	return f.filled[at] == end && 4*end <= 3*f.width &&
		!slices.ContainsFunc(f.cells[at], func(l cellInfo) bool { return l.kind.IsTyped() || l.kind == Code })
}

// isFurtherHeader says whether a row next to a header is another row of it, where the
// records begin with the row below: it repeats the header, or is text where typed
// columns are.
func (f *layoutFinder) isFurtherHeader(at, header, below int) bool {
	if 2*f.filled[at] <= f.width || f.filled[at] < 2 || at < header && f.isSideBySideText(at) {
		return false
	}
	if slices.EqualFunc(f.rows[at], f.rows[header], func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
		return true
	}
	return f.isTextAboveTyped(at, header, below)
}

// isTextAboveTyped says whether a row has no typed cell, and text in some columns that
// are typed from the row below on.
func (f *layoutFinder) isTextAboveTyped(at, header, below int) bool {
	if slices.ContainsFunc(f.cells[at], func(l cellInfo) bool { return l.kind.IsTyped() || l.kind == Code }) {
		return false
	}
	against := 0
	for c, l := range f.cells[at] {
		if l.kind == Empty {
			continue
		}
		if col := f.columnStats(columnBody{c, below, f.firstEqual[header]}); col.kind.IsTyped() && col.share >= 0.8 {
			if against++; against == 2 {
				return true
			}
		}
	}
	return false
}
