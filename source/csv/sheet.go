package csv

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/table"
)

const (
	// sampleBytes is how much of the beginning of a text is looked at.
	sampleBytes = 1 << 20
	// sampleRows is how many rows of it are learned from.
	sampleRows = 2000
	// findRows is how many are looked through for the header.
	findRows = 300
	// sampleCells is how many cells a column shows.
	sampleCells = 20
	// fewestRows is how many rows that fit it takes to say what a column holds.
	fewestRows = 6
)

// sheet is what was decided about a file before its records are read.
type sheet struct {
	dialect dialect
	asIs    bool
	// body is where the first record begins in the text, and line its line.
	body int64
	line int64
	// width is how many cells a record has.
	width int
	// header are the cells of a header of one row, to know it again.
	header  [][]byte
	comment string
	columns []intray.Column
	// learned gives what the columns hold, and finds it out when it is first
	// called: most files have no row that does not fit. It is nil where the
	// sample does not tell.
	learned func() *profiles
	// rowBytes is about how long a record is.
	rowBytes int
	evidence []intray.Evidence
	// named is the line of the header.
	named int64
	// notices are told with the first batch.
	notices []intray.Notice
}

// sampled is a row of the sample.
type sampled struct {
	cells []string
	from  int
	to    int
	line  int64
	fine  bool
}

// decide looks at a sample from the beginning of a text and decides how to read
// it. whole says that the sample is all there is.
func decide(ctx context.Context, sample []byte, whole bool, opt source.Options) (*sheet, error) {
	s := &sheet{asIs: opt.AsIs, line: 1}
	delim, skip := sepLine(sample)
	var found sniffed
	switch {
	case opt.Delimiter != "":
		found = sniff(sample, whole, opt.Delimiter)
		found.delimWhy = intray.NewMessage("option.requested", nil)
	case delim != "":
		found = sniffed{
			dialect:  dialect{delim: delim, open: `"`, shut: `"`},
			delimWhy: intray.NewMessage("delimiter.sep_line", nil), quoteWhy: intray.NewMessage("quote.sep_line", nil),
		}
	default:
		found = sniff(sample, whole)
	}
	if skip > 0 {
		s.line = 2
	}
	s.dialect = found.dialect
	rows := s.sampleRows(wholeLines(sample[skip:], whole), skip, opt.Limits.Columns)
	if n := len(rows); n > 1 {
		s.rowBytes = (rows[n-1].from - rows[0].from) / (n - 1)
	}
	s.evidence = []intray.Evidence{
		delimiterEvidence(found),
		{Choice: "quote", Value: found.open, Reason: found.quoteWhy},
	}
	s.body = int64(skip)
	if s.asIs {
		s.wholeSheet(rows)
		return s, nil
	}
	return s, s.findTable(ctx, rows, sample, opt)
}

// sampleRows cuts the sample.
func (s *sheet) sampleRows(text []byte, skip, most int) (rows []sampled) {
	line, open, allowance := s.line, 0, int64(maxLineWork/8)
	r := record{most: most}
	for at := 0; at < len(text) && len(rows) < sampleRows; {
		upTo := len(text)
		if at < open {
			upTo = at + physicalLine(text[at:])
		}
		s.dialect.cut(text[at:upTo], none, &r)
		unclosed := r.unclosed
		if line := text[at : at+physicalLine(text[at:])]; unclosed {
			// The rest of the sample would be one cell, and is not to be looked
			// through again for each of its lines.
			open = max(open, upTo)
			allowance -= s.dialect.cutLine(line, &r, min(lineAllowance, allowance))
		}
		row := sampled{from: skip + at, to: skip + at + r.next, line: line, fine: !r.loose && !unclosed}
		row.cells = s.dialect.texts(text[at:], &r)
		rows = append(rows, row)
		at += r.next
		line += r.breaks + 1
	}
	return rows
}

// wholeSheet takes every row for a record.
func (s *sheet) wholeSheet(rows []sampled) {
	for _, row := range rows {
		s.width = max(s.width, len(row.cells))
	}
	for i := range s.width {
		s.columns = append(s.columns, intray.Column{Index: i})
	}
	s.takeSamples(rows)
	s.evidence = append(s.evidence, intray.Evidence{Choice: "header row", Value: "none", Reason: intray.NewMessage("header.not_searched", nil)})
}

// findTable finds the header, and what the columns hold.
func (s *sheet) findTable(ctx context.Context, rows []sampled, sample []byte, opt source.Options) error {
	if s.width = usualCells(rows); s.width == 0 && opt.HeaderRow == 0 { // no text at all
		if n := len(rows); n > 0 {
			s.body, s.line = int64(rows[n-1].to), rows[n-1].line+1
		}
		s.evidence = append(s.evidence, intray.Evidence{Choice: "header row", Value: "none", Reason: intray.NewMessage("header.no_text", nil)})
		return nil
	}
	s.mendHeader(rows, sample)
	texts := make([][]string, 0, findRows)
	for _, row := range rows[:min(len(rows), findRows)] {
		if isRule(row.cells) {
			row.cells = nil
		}
		texts = append(texts, row.cells)
	}
	s.hidePairs(texts)
	layout, err := table.Find(ctx, texts, s.width)
	if err != nil {
		return err
	}
	layout = layout.Prefer(texts, opt.Names)
	if opt.HeaderRow == source.NoHeader {
		layout = table.Layout{Width: s.width, First: firstFilled(texts), Reason: intray.NewMessage("option.requested", nil)}
	}
	if opt.HeaderRow > 0 {
		if opt.HeaderRow > len(texts) {
			return &source.UnreadableError{Reason: intray.NewMessage("header.row_out_of_range", intray.Params{"row": opt.HeaderRow, "n": len(texts)})}
		}
		layout = table.Layout{Width: s.width, First: opt.HeaderRow - 1, Headers: 1, Reason: intray.NewMessage("option.requested", nil)}
	}
	above := texts[:min(layout.First, len(texts))]
	for _, row := range above {
		if len(row) > 0 && strings.HasPrefix(strings.TrimSpace(row[0]), "#") {
			s.comment = "#"
		}
	}
	names := s.names(layout, rows, texts)
	s.width = max(s.width, len(names))
	body := min(layout.Body(), len(rows))
	if body < len(rows) && layout.Headers > 0 && isRule(rows[body].cells) {
		s.tellRule(rows[body])
		body++
	}
	s.learn(rows[body:], sample)
	s.tellHeader(rows, layout)
	s.tellAbove(rows[:min(layout.First, len(rows))])
	if opt.HeaderRow == 0 {
		s.doubtHeader(layout, rows, texts)
	}
	s.startAt(rows, body)
	if err := s.takeColumns(names, opt.Limits); err != nil {
		return err
	}
	s.takeSamples(rows[body:])
	return nil
}

// firstFilled is the first row with any text.
func firstFilled(rows [][]string) int {
	for i, row := range rows {
		if table.Filled(row) > 0 {
			return i
		}
	}
	return 0
}

// hidePairs blanks the rows of names and values at the beginning of a file, each
// with a colon between the two, where a row of more cells follows them.
func (s *sheet) hidePairs(rows [][]string) {
	pairs := 0
	for ; pairs < len(rows); pairs++ {
		row := rows[pairs]
		filled := table.Filled(row)
		if filled > 2 || filled > 0 && !strings.HasSuffix(strings.TrimSpace(row[0]), ":") {
			break
		}
	}
	if s.width > 2 && pairs < len(rows) && table.Filled(rows[pairs]) > 2 {
		clear(rows[:pairs])
	}
}

// startAt makes a row the first record.
func (s *sheet) startAt(rows []sampled, at int) {
	if at < len(rows) {
		s.body, s.line = int64(rows[at].from), rows[at].line
	} else if len(rows) > 0 {
		last := rows[len(rows)-1]
		s.body, s.line = int64(last.to), last.line+1
	}
}

// isRule says whether the cells of a row are lines drawn with characters, as
// some programs put them below the header.
func isRule(cells []string) bool {
	for _, cell := range cells {
		if cell = strings.TrimSpace(cell); cell != "" && (len(cell) < 3 || strings.Trim(cell, "-=_+|: ") != "") {
			return false
		}
	}
	return table.Filled(cells) > 0
}

// tellAbove tells of the rows above a table what they hold.
func (s *sheet) tellAbove(rows []sampled) {
	var texts []string
	last := int64(0)
	for _, row := range rows {
		if text := (heldRow{cells: row.cells}).text(); text != "" {
			texts = append(texts, text)
			last = row.line
		}
	}
	if len(texts) == 0 {
		return
	}
	raw := excerpt(strings.Join(texts, "\n"))
	s.notices = append(s.notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw,
		Text: intray.NewMessage("csv.lines_above_table", intray.Params{"line": last})})
}

func (s *sheet) tellRule(row sampled) {
	s.notices = append(s.notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo,
		Text: intray.NewMessage("csv.ruled_line", intray.Params{"line": row.line})})
}

// usualCells is how many cells most rows have. Blank rows do not count, nor do
// rows of one cell above and below all others: titles and remarks.
func usualCells(rows []sampled) int {
	counts := map[int]int{}
	rows = withoutEdges(rows)
	first := 0
	anyFine := slices.ContainsFunc(rows, func(row sampled) bool { return row.fine && table.Filled(row.cells) > 0 })
	for _, row := range rows {
		if row.fine == anyFine && table.Filled(row.cells) > 0 {
			counts[len(row.cells)]++
			if first == 0 {
				first = len(row.cells)
			}
		}
	}
	width, n := mostOf(counts)
	if counts[first] == n { // among equals that of the first row
		return first
	}
	return width
}

// withoutEdges leaves out the rows of one cell at both ends, if there are at
// least two others.
func withoutEdges(rows []sampled) []sampled {
	wide := func(row sampled) bool { return row.fine && len(row.cells) > 1 && table.Filled(row.cells) > 1 }
	from := slices.IndexFunc(rows, wide)
	to := len(rows)
	for to > 0 && !wide(rows[to-1]) {
		to--
	}
	if from < 0 || to-from < 2 {
		return rows
	}
	return rows[from:to]
}

// names gives the names of the columns: those of the header, without empty ones
// at its end beyond what records have.
func (s *sheet) names(layout table.Layout, rows []sampled, texts [][]string) []string {
	if layout.Headers == 0 {
		return nil
	}
	names := layout.Names(texts)
	for len(names) > s.width && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	return names
}

// learn takes the rows that fit for what the columns hold.
func (s *sheet) learn(body []sampled, sample []byte) {
	width := usualCells(body)
	if width < 2 {
		return
	}
	var fit [][]byte
	rows, narrow := 0, 0
	for _, row := range body {
		if table.Filled(row.cells) == 0 {
			continue
		}
		rows++
		if !row.fine || len(row.cells) != width {
			if len(row.cells) < width {
				narrow++
			}
			continue
		}
		fit = append(fit, sample[row.from:row.to])
	}
	if len(fit) < fewestRows || 2*len(fit) < rows && (narrow > 0 || 5*len(fit) < rows) {
		return
	}
	s.width = max(s.width, width)
	if width == s.width {
		s.learned = sync.OnceValue(func() *profiles { return s.look(fit) })
	}
}

// look finds out what the columns of the table hold, from rows that fit.
func (s *sheet) look(fit [][]byte) *profiles {
	rows := make([]sampleRow, len(fit))
	var r record
	for i, text := range fit {
		s.dialect.cut(text, none, &r)
		for n, cell := range s.dialect.texts(text, &r)[:min(len(r.cells), s.width)] {
			rows[i] = append(rows[i], featuresOf(cell, r.cells[n].quoted))
		}
	}
	return newProfiles(s.width, rows)
}

// tellHeader says where the header is, and keeps one of one row.
func (s *sheet) tellHeader(rows []sampled, layout table.Layout) {
	if layout.Headers == 0 {
		s.evidence = append(s.evidence, intray.Evidence{Choice: "header row", Value: "none", Reason: layout.Reason})
		return
	}
	first := rows[layout.First].line
	value := strconv.Itoa(layout.First + 1)
	if layout.Headers > 1 {
		value += "–" + strconv.Itoa(layout.Body())
	}
	reason := layout.Reason
	if first > 1 {
		reason = intray.JoinMessages(reason, intray.NewMessage("header.lines_above", intray.Params{"n": first - 1}))
	}
	s.evidence = append(s.evidence, intray.Evidence{Choice: "header row", Value: value, Reason: reason})
	s.named = first
	if layout.Headers == 1 {
		for _, cell := range rows[layout.First].cells {
			s.header = append(s.header, bytes.TrimSpace([]byte(cell)))
		}
	}
}

// takeColumns makes the columns.
func (s *sheet) takeColumns(names []string, limits source.Limits) error {
	if s.width > limits.Columns {
		return &source.LimitError{Line: s.line, Reason: tooManyCells(limits)}
	}
	total := 0
	for i := range s.width {
		column := intray.Column{Index: i}
		if i < len(names) {
			column.Header = names[i]
			total += len(names[i])
		}
		if over := limits.OverHeader(i+1, len(column.Header), total); !over.IsZero() {
			return &source.LimitError{Line: s.named, Reason: over}
		}
		s.columns = append(s.columns, column)
	}
	return nil
}

// takeSamples gives the columns some of their cells.
func (s *sheet) takeSamples(rows []sampled) {
	for _, row := range rows[:min(len(rows), sampleRows)] {
		for i, cell := range row.cells[:min(len(row.cells), len(s.columns))] {
			if column := &s.columns[i]; cell != "" && len(column.Samples) < sampleCells {
				column.Samples = append(column.Samples, cell)
			}
		}
	}
}

// tie is how near the score of another delimiter must come for a person to be
// asked.
const tie = 0.97

// doubtHeader tells beside the header where another header fits about as well as the one found.
func (s *sheet) doubtHeader(layout table.Layout, rows []sampled, texts [][]string) {
	if !layout.Unsure() || layout.First >= len(rows) || layout.Headers > 0 && layout.Rival == table.NoHeader && standsOut(texts[layout.First], texts[layout.Body():]) {
		return
	}
	told := &s.evidence[len(s.evidence)-1]
	told.Tie = layout.Headers <= 1 // nobody can ask for several rows
	switch rival := layout.Rival; {
	case rival == table.NoHeader:
		told.Rivals = []intray.Choice{{Value: intray.NoAnswer, Label: intray.NewMessage("header.none", nil), Reason: intray.NewMessage("header.like_rows_below", nil), Examples: rows[layout.First].cells}}
	case rival >= 0 && rival < len(rows):
		told.Rivals = []intray.Choice{{Value: strconv.Itoa(rival + 1), Label: intray.NewMessage("header.row", intray.Params{"row": rival + 1}), Reason: intray.NewMessage("header.could_name_columns", nil), Examples: rows[rival].cells}}
	}
}

// fewestRepeats is how many cells a column must have to show that it repeats few
// values.
const fewestRepeats = 4

// standsOut says whether a row has a cell that the column below it never has,
// where that repeats few values: then the row is no record.
func standsOut(header []string, body [][]string) bool {
	for c, name := range header {
		values := map[string]bool{}
		filled := 0
		for _, row := range body {
			if c < len(row) && row[c] != "" {
				values[row[c]] = true
				filled++
			}
		}
		if name != "" && !values[name] && filled >= fewestRepeats && 2*len(values) <= filled {
			return true
		}
	}
	return false
}

// delimiterEvidence tells the delimiter, and another that cuts the file about as
// well.
func delimiterEvidence(found sniffed) intray.Evidence {
	named := func(delim string) string { return strings.ReplaceAll(delim, noDelimiter, "none") }
	e := intray.Evidence{Choice: "delimiter", Value: named(found.delim), Reason: found.delimWhy}
	if found.rivalShare >= tie {
		e.Tie = true
		e.Rivals = []intray.Choice{{Value: named(found.rival), Reason: intray.NewMessage("delimiter.about_as_good", nil)}}
	}
	return e
}
