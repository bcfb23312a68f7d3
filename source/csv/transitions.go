package csv

import (
	"slices"
	"strconv"
	"unicode"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/headerdetect"
)

const (
	// minTransitionLine is the minimum length of lines without separators in which columns are
	// searched, in characters. Shorter lines are usually codes.
	minTransitionLine = 16
	// minDenseRun is the minimum length of the part of such lines that no blank position interrupts, if
	// spaces separate the other columns.
	minDenseRun = 12
	// minTransitionColumns is the minimum number of columns of such lines.
	minTransitionColumns = 3
)

// character is the kind of characters that lines have at a position.
type character uint8

const (
	mixed character = iota
	blank
	mark
	digit
	letter
)

// positionKinds describes the characters of lines by their position.
type positionKinds struct {
	kinds []character
	// filled, letters and digits hold the number of lines with text, a letter or a digit at a position.
	filled, letters, digits []int
	lines                   int
}

// kindsAt returns the kinds of the characters at each position that all lines have.
func (l *layoutLines) kindsAt() positionKinds {
	n := maxLayoutLine
	for _, line := range l.all {
		n = min(n, len(line))
	}
	p := positionKinds{kinds: make([]character, n), filled: make([]int, n), letters: make([]int, n), digits: make([]int, n), lines: len(l.all)}
	for at := range n {
		marks := 0
		for _, line := range l.all {
			switch r := line[at]; {
			case unicode.IsDigit(r):
				p.digits[at]++
				p.filled[at]++
			case unicode.IsLetter(r):
				p.letters[at]++
				p.filled[at]++
			case r != ' ':
				marks++
				p.filled[at]++
			}
		}
		switch {
		case p.filled[at] == 0:
			p.kinds[at] = blank
		case marks > 0:
			p.kinds[at] = mark
		case p.digits[at] == p.lines:
			p.kinds[at] = digit
		case p.letters[at] == p.lines:
			p.kinds[at] = letter
		}
	}
	return p
}

// findTransitions returns the columns of lines without separators, if there are any. They start where
// the kind of the characters changes in all lines, after dates, and where text follows padding. Such a
// layout is always doubtful. The dialect splits the lines into width cells, and regular is the number of
// lines with that many.
func (l *layoutLines) findTransitions(width, regular int) fixedLayout {
	l.dropShortLines()
	p := l.kindsAt()
	starts, certain := []int{0}, 0
	for at := 1; at < len(p.kinds); at++ {
		switch {
		case p.isTransition(at) || l.endsDate(p, starts[len(starts)-1], at):
			certain++
		case p.isAfterPadding(at) || p.startsNumber(at):
		default:
			continue
		}
		starts = append(starts, at)
	}
	names := l.namedStarts(starts)
	dense := len(starts) >= minTransitionColumns && certain > 0 && l.isDense(p, width)
	if !dense && (width == 1 || 10*regular >= 9*len(l.body) || len(starts) == 1 || !l.haveSameLength()) {
		return fixedLayout{}
	}
	reason := intray.NewMessage("column_starts.characters", intray.Params{"n": len(l.all)})
	layout := fixedLayout{starts: starts, reason: reason, doubtful: true}
	if names != nil && !slices.Equal(names, starts) {
		named := fixedLayout{starts: names, reason: intray.NewMessage("column_starts.names", nil), doubtful: true}
		if len(starts) > 1 {
			named.others = []fixedLayout{layout}
		}
		return named
	}
	return layout
}

// dropShortLines drops lines that are much shorter than the others, such as a line with the number of
// records, if there are only a few.
func (l *layoutLines) dropShortLines() {
	isShort := func(line []rune) bool { return 2*len(line) < l.longest }
	long := slices.DeleteFunc(slices.Clone(l.all), isShort)
	if short := len(l.all) - len(long); short <= max(1, len(l.all)/100) && len(long) >= minLayoutLines {
		l.all = long
	}
}

// haveSameLength reports whether all lines have the same length, and there are enough of them that this
// is not a coincidence.
func (l *layoutLines) haveSameLength() bool {
	return len(l.all) > minLayoutLines && l.longest >= minTransitionLine &&
		!slices.ContainsFunc(l.all, func(line []rune) bool { return len(line) != l.longest })
}

// isTransition reports whether all lines have a letter at a position and no line has one before it, or
// digits follow letters in all lines.
func (p *positionKinds) isTransition(at int) bool {
	if p.kinds[at] == letter {
		return p.letters[at-1] == 0 && p.digits[at-1] > 0
	}
	return p.kinds[at-1] == letter && p.kinds[at] == digit
}

// isAfterPadding reports whether all lines have text at a position and padding ends above it: the
// position before is blank in all lines, or text is less frequent the closer it is.
func (p *positionKinds) isAfterPadding(at int) bool {
	if p.filled[at] < p.lines || p.filled[at-1] == p.lines {
		return false
	}
	if p.kinds[at-1] == blank {
		return true
	}
	from := at - 1
	for from > 0 && p.filled[from-1] == p.filled[at-1] {
		from--
	}
	if from == 0 || p.filled[from-1] < p.filled[at-1] {
		return false // text that is aligned to the right
	}
	return true
}

// startsNumber reports whether numbers that are aligned to the right start at a position after letters.
func (p *positionKinds) startsNumber(at int) bool {
	return p.kinds[at-1] == letter && p.kinds[at] == mixed && p.letters[at] == 0 && p.filled[at] < p.lines
}

// endsDate reports whether each line has a date of eight digits between two positions, with a digit
// after it.
func (l *layoutLines) endsDate(p positionKinds, from, to int) bool {
	if to-from != len("20240131") || p.kinds[to] != digit || slices.ContainsFunc(p.kinds[from:to], func(c character) bool { return c != digit }) {
		return false
	}
	yearFirst, yearLast := true, true
	for _, line := range l.all {
		text := string(line[from:to])
		yearFirst = yearFirst && isDate(text[:4], text[4:6], text[6:])
		yearLast = yearLast && isDate(text[4:], text[2:4], text[:2])
	}
	return yearFirst || yearLast
}

func isDate(year, month, day string) bool {
	y, err1 := strconv.Atoi(year)
	m, err2 := strconv.Atoi(month)
	d, err3 := strconv.Atoi(day)
	return err1 == nil && err2 == nil && err3 == nil && y >= 1900 && y < 2100 && m >= 1 && m <= 12 && d >= 1 && d <= 31
}

// isDense reports whether the lines hold several values without separators. They have the same
// length or padding. If spaces separate the cells of the dialect, a long part without blank positions
// has two starts. If there are no spaces, there are no marks either, but a date, because the lines
// may be codes, addresses or names of files.
func (l *layoutLines) isDense(p positionKinds, width int) bool {
	padded := slices.ContainsFunc(p.filled, func(n int) bool { return n < p.lines })
	if len(p.kinds) < minTransitionLine || !padded && (slices.Contains(p.kinds, mark) || len(p.kinds) < l.longest) {
		return false
	}
	from, inside, dense, dated := 0, 0, false, false
	for at := 1; at <= len(p.kinds); at++ {
		if at == len(p.kinds) || p.kinds[at] == blank || p.kinds[at] == mark || p.filled[at] < p.lines {
			dense = dense || at-from >= minDenseRun && inside >= 2
			from, inside = at+1, 0
			continue
		}
		if date := l.endsDate(p, from, at); date || p.isTransition(at) {
			inside++
			dated = dated || date
		}
	}
	return dense && (padded || dated) || padded && width == 1
}

// namedStarts returns the starts of the names in the first line, if they divide the other lines where
// a column can start, and at least one of them is a start that the characters show.
func (l *layoutLines) namedStarts(starts []int) []int {
	var names []int
	for at, r := range l.header {
		if r != ' ' && !isFilled(l.header, at-1) {
			names = append(names, at)
		}
	}
	if len(names) < 2 || names[0] != 0 || names[len(names)-1] >= l.longest || headerdetect.KindOf(string(l.header)).IsTyped() {
		return nil
	}
	agree := 0
	for _, at := range starts[1:] {
		if slices.Contains(names, at) {
			agree++
		}
	}
	if agree == 0 || 2*agree < len(starts)-1 || len(names) < len(starts) {
		return nil
	}
	return names
}
