package csv

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

const (
	// minLayoutLines is the minimum number of lines from which the columns of a table of fixed
	// width are learned, without the first one.
	minLayoutLines = 5
	// maxLayoutLine is the maximum length of these lines, in characters.
	maxLayoutLine = 4096
)

// layoutLines are lines of a text whose columns may have a fixed width.
type layoutLines struct {
	// header is the first line. It may name the columns.
	header []rune
	// body holds the other lines. If spaces separate the cells of the dialect, it holds only those
	// with at least two cells, and all holds all of them. longest is the length of the longest one.
	body, all [][]rune
	longest   int
	// varied reports whether the dialect splits a line into more cells than most lines.
	varied bool
}

// fixedLayout is a list of column starts, with its reason. If it is doubtful, others holds the
// alternatives.
type fixedLayout struct {
	starts   []int
	reason   intray.Message
	doubtful bool
	others   []fixedLayout
	// gapped reports whether gaps separate all columns.
	gapped bool
}

// fixedWidth returns the definition of the columns.
func (f *fixedLayout) fixedWidth(lines layoutLines) *fixedWidth {
	fixed := &fixedWidth{starts: f.starts, exact: !f.gapped}
	if f.gapped {
		fixed.gaps = slices.Repeat([]bool{true}, len(f.starts))
	} else {
		fixed.learnGaps(lines.all)
	}
	return fixed
}

// applyFixedWidth replaces the dialect if the columns have a fixed width, because of the options or
// because the samples prove it, and adds the evidence.
func (s *sheet) applyFixedWidth(ctx context.Context, text *decodedText, sample []byte, found *sniffResult, opt source.Options) error {
	requested := opt.ColumnStarts != ""
	if opt.ColumnStarts == source.NoColumnStarts || !requested && (opt.Delimiter != "" || !found.mayBeFixedWidth()) {
		return nil
	}
	var layout fixedLayout
	if requested {
		starts, ok := intray.ParseColumnStarts(opt.ColumnStarts)
		if !ok {
			return &source.UnreadableError{Reason: intray.NewMessage("csv.invalid_column_starts", intray.Params{"starts": excerpt(opt.ColumnStarts)})}
		}
		layout = fixedLayout{starts: starts, reason: intray.NewMessage("option.requested", nil)}
	}
	far, err := text.farLines(ctx)
	if err != nil {
		return err
	}
	lines := found.collectLines(append([][]byte{wholeLines(sample, text.whole)}, far...))
	opt.Work.Add(int64(len(sample)+len(far)*farSampleBytes) * 4 * byteWork)
	if requested {
		gaps := lines.findGaps()
		layout.gapped = slices.ContainsFunc(append(gaps.others, gaps), func(g fixedLayout) bool { return slices.Equal(g.starts, layout.starts) })
	} else if layout = found.findLayout(lines); layout.starts == nil {
		s.far = far
		return nil
	}
	found.dialect = dialect{delim: spaceGap, fixed: layout.fixedWidth(lines)}
	found.runnerUpShare = 0
	found.delimReason, found.quoteReason = intray.NewMessage("delimiter.fixed_width", nil), intray.NewMessage("quote.text", nil)
	s.startsEvidence = layout.evidence(lines)
	return nil
}

// mayBeFixedWidth reports whether spaces or nothing separates the cells of the sample.
func (s *sniffResult) mayBeFixedWidth() bool {
	if s.separatesBySpaces() {
		return true
	}
	width, _ := mostFrequent(s.widths)
	return width <= 1
}

// separatesBySpaces reports whether one or more spaces separate cells.
func (s *sniffResult) separatesBySpaces() bool { return s.delim == " " || s.delim == spaceGap }

// collectLines returns the lines of samples from the first record on. It returns no lines if one of
// them cannot be part of a table of fixed width.
func (s *sniffResult) collectLines(samples [][]byte) (lines layoutLines) {
	width := 0
	if s.separatesBySpaces() {
		width, _ = mostFrequent(s.countWidths(samples[0]))
	}
	var r record
	for _, sample := range samples {
		for at, n := 0, 0; at < len(sample) && n < maxSampleRows; n++ {
			line := sample[at : at+firstLineLength(sample[at:])]
			at += len(line)
			if isBlank(line) || isRule(line) || line[0] == '#' {
				continue
			}
			s.parseRecord(line, notFound, &r)
			if width > 1 && lines.header == nil && len(r.cells) < max(2, width-1) {
				continue // a title
			}
			text := []rune(strings.TrimRight(string(line), "\r\n"))
			if len(text) > maxLayoutLine || slices.Contains(line, '\t') || r.unclosed || slices.ContainsFunc(r.cells, func(c cell) bool { return c.quoted }) {
				return layoutLines{}
			}
			if lines.header == nil {
				lines.header = text
				continue
			}
			lines.all = append(lines.all, text)
			lines.longest = max(lines.longest, len(text))
			if width > 1 && len(r.cells) == 1 {
				continue // a remark
			}
			lines.body = append(lines.body, text)
			lines.varied = lines.varied || len(r.cells) > width
		}
	}
	return lines
}

// isFilled reports whether a line has a character other than a space at a position.
func isFilled(line []rune, at int) bool { return at >= 0 && at < len(line) && line[at] != ' ' }

// findLayout returns the columns of a table of fixed width, or no starts if the lines do not prove
// that they have a fixed width, or the dialect describes them as well.
func (s *sniffResult) findLayout(lines layoutLines) fixedLayout {
	width, regular := 1, 0
	if s.separatesBySpaces() && len(lines.body) >= minLayoutLines {
		widths := map[int]int{}
		var r record
		for _, line := range lines.body {
			s.parseRecord([]byte(string(line)), notFound, &r)
			widths[len(r.cells)]++
		}
		width, regular = mostFrequent(widths)
		layout := lines.findGaps()
		n := len(layout.starts)
		better := n > width || n == width && lines.varied && s.agrees(lines, layout.starts)
		if !s.joinsSpaces() { // some of the spaces between cells are padding
			better = n > 1 && 20*regular < 19*len(lines.body)
		}
		if better && lines.fitsHeader(layout.starts) && lines.leaveNoGaps(layout) {
			return layout
		}
	}
	if len(lines.all) < minLayoutLines {
		return fixedLayout{}
	}
	return lines.findTransitions(width, regular)
}

// agrees reports whether columns of fixed width have the same cells as the dialect in nearly all lines
// that the dialect splits into as many cells.
func (s *sniffResult) agrees(lines layoutLines, starts []int) bool {
	layout := fixedLayout{starts: starts, gapped: true}
	fixed := dialect{delim: spaceGap, fixed: layout.fixedWidth(lines)}
	var one, two record
	same, regular := 0, 0
	for _, line := range lines.body {
		text := []byte(string(line))
		if s.parseRecord(text, notFound, &one); len(one.cells) != len(starts) {
			continue
		}
		regular++
		if fixed.parseRecord(text, notFound, &two); slices.Equal(s.cellTexts(text, &one), fixed.cellTexts(text, &two)) {
			same++
		}
	}
	return 20*same >= 19*regular
}

// fitsHeader reports whether the first line has more than one cell if columns start at the given
// positions.
func (l *layoutLines) fitsHeader(starts []int) bool {
	fixed := fixedWidth{starts: starts, gaps: slices.Repeat([]bool{true}, len(starts))}
	var r record
	fixed.parseRecord([]byte(string(l.header)), &r)
	return len(r.cells) > 1
}

// leaveNoGaps reports whether hardly any cell of a layout contains several spaces in a row, which usually
// separate columns.
func (l *layoutLines) leaveNoGaps(layout fixedLayout) bool {
	fixed := layout.fixedWidth(*l)
	var r record
	spaced := 0
	for _, line := range l.body {
		text := []byte(string(line))
		r.cells = r.cells[:0]
		fixed.parseRecord(text, &r)
		if len(r.cells) > 1 && slices.ContainsFunc(r.cells, func(c cell) bool { return strings.Contains(string(text[c.from:c.to]), spaceGap) }) {
			spaced++
		}
	}
	return 10*spaced <= len(l.body)
}

// run is a range of positions at which lines have text.
type run struct{ from, to int }

func (r run) text(line []rune) string {
	return strings.TrimSpace(string(line[min(r.from, len(line)):min(r.to, len(line))]))
}

// textRuns returns the ranges of positions that are not blank in all lines, apart from a few. It adds
// a range in which only few lines have text to the one on its left.
func (l *layoutLines) textRuns() (runs []run) {
	filled := make([]int, l.longest)
	for _, line := range l.body {
		for at, r := range line {
			if r != ' ' {
				filled[at]++
			}
		}
	}
	least := max(2, len(l.body)/50)
	from, most := notFound, 0
	for at := 0; at <= len(filled); at++ {
		blank := at == len(filled) || filled[at] <= maxCrossed(len(l.body))
		switch {
		case !blank && from == notFound:
			from, most = at, filled[at]
		case !blank:
			most = max(most, filled[at])
		case from != notFound && most < least && len(runs) > 0:
			runs[len(runs)-1].to, from = at, notFound
		case from != notFound:
			runs, from = append(runs, run{from, at}), notFound
		}
	}
	return runs
}

// findGaps returns the columns that blank positions separate. A single blank position separates
// columns only if the text around it is aligned, if there are numbers on both sides, or if there are
// many lines and a name starts there. With a name and few lines, or many lines and no names, the
// layout is doubtful.
func (l *layoutLines) findGaps() (layout fixedLayout) {
	runs := l.textRuns()
	if len(runs) < 2 {
		return layout
	}
	certain, all := []int{0}, []int{0}
	named := !slices.ContainsFunc(strings.Fields(string(l.header)), func(word string) bool { return headerdetect.KindOf(word).IsTyped() })
	left := runs[0]
	for _, right := range runs[1:] {
		start := l.startNear(left.to, right.from)
		isNamed := named && isFilled(l.header, right.from) && !isFilled(l.header, right.from-1)
		switch {
		case right.from-left.to > 1 || l.isAligned(left, right) || isNamed && len(l.body) >= minSingleSpaceLines && l.mayBeColumns(left, right):
			certain, all = append(certain, start), append(all, start)
		case isNamed, !named && l.mayBeColumns(left, right):
			all = append(all, start)
		}
		left = right
	}
	reason := intray.NewMessage("csv.column_starts", intray.Params{"n": len(l.body)})
	layout = fixedLayout{starts: certain, reason: reason, gapped: true}
	if len(all) > len(certain) {
		layout = fixedLayout{starts: all, reason: intray.NewMessage("column_starts.single_spaces", nil), doubtful: true, gapped: true}
		if len(certain) > 1 {
			layout.others = []fixedLayout{{starts: certain, reason: intray.NewMessage("column_starts.wide_gaps", nil), gapped: true}}
		}
	}
	return layout
}

// maxStartShift is the maximum number of positions by which a start is moved into the gap above it.
const maxStartShift = 24

// startNear returns the start of the column after a gap: the last position in or at the end of the gap
// that does not cut the first line, and cuts as few of the others as possible.
func (l *layoutLines) startNear(from, to int) (start int) {
	fewest := notFound
	for at := to; at > max(from, to-maxStartShift) && fewest != 0; at-- {
		cut := 0
		if isCutBy(l.header, at, to) {
			cut = len(l.body)
		}
		for _, line := range l.body {
			if isCutBy(line, at, to) {
				cut++
			}
		}
		if fewest == notFound || cut < fewest {
			start, fewest = at, cut
		}
	}
	return start
}

// isCutBy reports whether a column that starts at a position, and not only at the end of the gap,
// separates parts of a text in a line, or text of the column on the left from that column.
func isCutBy(line []rune, start, end int) bool {
	if crossesAt(line, start) {
		return true
	}
	for at := start; at < end; at++ {
		if isFilled(line, at) {
			return slices.Contains(line[at:min(end+1, len(line))], ' ') || end >= len(line)
		}
	}
	return false
}

// crossesAt reports whether a position is inside a word.
func crossesAt(line []rune, at int) bool { return isFilled(line, at-1) && isFilled(line, at) }

// isAligned reports whether two columns are next to a single blank position, and not two words of one
// column: the text of the left column is shorter in some lines, the text of one of them is aligned to
// the right, or both have numbers.
func (l *layoutLines) isAligned(left, right run) bool {
	if numeric, certain := l.areNumbers(left, right); certain {
		return numeric
	}
	var short, rightOfLeft, rightOfRight int
	flush := true
	for _, line := range l.body {
		end, start := isFilled(line, left.to-1), isFilled(line, right.from)
		if !end && start {
			short++
		}
		if end && !start && right.text(line) != "" {
			rightOfRight++
		}
		if end && !isFilled(line, left.from) {
			rightOfLeft++
		}
		flush = flush && (end || left.text(line) == "")
	}
	least := max(2, len(l.body)/50)
	return short >= least || rightOfRight >= least || flush && rightOfLeft >= least
}

// areNumbers reports whether two columns have numbers. It is certain if nearly all of their cells are
// numbers, or if those of the right column are always the second part of numbers such as 12 345, so
// that they are not columns.
func (l *layoutLines) areNumbers(left, right run) (numeric, certain bool) {
	numbers, groups, both := 0, 0, 0
	for _, line := range l.body {
		one, two := left.text(line), right.text(line)
		if one == "" || two == "" {
			continue
		}
		both++
		if isNumeric(one) && isNumeric(two) {
			numbers++
			if isGroup(two) {
				groups++
			}
		}
	}
	if both > 0 && groups == both {
		return false, true
	}
	return true, both >= minLayoutLines && 20*numbers >= 19*both
}

// minSingleSpaceLines is the minimum number of lines in which a single blank position without other
// signs may separate columns. In fewer lines, the first words of a text can have the same length by chance.
const minSingleSpaceLines = 20

// mayBeColumns reports whether two texts next to a single blank position can be columns: many lines have
// both, or one of them has values such as dates, they are not the same word in all lines, and not a date
// with its time.
func (l *layoutLines) mayBeColumns(left, right run) bool {
	both, times, typed := 0, 0, 0
	ones, twos := map[string]bool{}, map[string]bool{}
	for _, line := range l.body {
		one, two := left.text(line), right.text(line)
		if one == "" || two == "" {
			continue
		}
		both++
		ones[one], twos[two] = true, true
		left, right := headerdetect.KindOf(one), headerdetect.KindOf(two)
		if left == headerdetect.Date && right == headerdetect.Time {
			times++
		}
		if left.IsTyped() && left != headerdetect.Integer || right.IsTyped() && right != headerdetect.Integer {
			typed++
		}
	}
	return (both >= minSingleSpaceLines || typed == both && both >= minLayoutLines) && 2*both >= len(l.body) && len(ones) > 1 && len(twos) > 1 && 2*times < both
}

func isNumeric(text string) bool {
	kind := headerdetect.KindOf(text)
	return kind == headerdetect.Integer || kind == headerdetect.Number
}

// isGroup reports whether a text is the end of a number whose digits spaces separate in groups of
// three.
func isGroup(text string) bool {
	digits := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	if digits < 0 {
		digits = len(text)
	}
	return digits == 3 && (len(text) == 3 || text[3] == '.' || text[3] == ',')
}

// evidence returns the evidence about the starts of the columns.
func (f fixedLayout) evidence(lines layoutLines) intray.Evidence {
	e := intray.Evidence{Choice: "column starts", Value: formatStarts(f.starts), Reason: f.reason, Tie: f.doubtful}
	if !f.doubtful {
		return e
	}
	for _, one := range append([]fixedLayout{f}, f.others...) {
		e.Alternatives = append(e.Alternatives, intray.Choice{Value: formatStarts(one.starts), Reason: one.reason, Examples: lines.examples(one.fixedWidth(lines))})
	}
	e.Alternatives = append(e.Alternatives, intray.Choice{Value: source.NoColumnStarts, Reason: intray.NewMessage("column_starts.none", nil)})
	return e
}

// maxLayoutExamples is the maximum number of lines that a choice of column starts shows.
const maxLayoutExamples = 3

// examples returns the first lines, with bars between the columns.
func (l *layoutLines) examples(fixed *fixedWidth) (list []string) {
	var r record
	for _, line := range append([][]rune{l.header}, l.all...)[:maxLayoutExamples] {
		text := []byte(string(line))
		r.cells = r.cells[:0]
		fixed.parseRecord(text, &r)
		d := dialect{}
		list = append(list, excerpt(strings.Join(d.cellTexts(text, &r), " | ")))
	}
	return list
}
