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
	"github.com/intraydata/intray/source/headerdetect"
)

const (
	// sampleBytes is the maximum length of the sample from the beginning of the text, in bytes.
	sampleBytes = 1 << 20
	// maxSampleRows is the maximum number of rows that are parsed from the sample.
	maxSampleRows = 2000
	// headerSearchRows is the maximum number of rows that are searched for the header.
	headerSearchRows = 300
	// maxColumnSamples is the maximum number of sample cells per column.
	maxColumnSamples = 20
	// minProfileRows is the minimum number of regular rows from which a profile is built.
	minProfileRows = 6
)

// sheet holds the decisions about a file that are made before its records are read.
type sheet struct {
	dialect dialect
	asIs    bool
	// body is the offset of the first record, and line is the number of its line.
	body int64
	line int64
	// width is the number of cells in a record.
	width int
	// header holds the cells of a header that consists of one row, so that the reader can
	// recognize repetitions.
	header  [][]byte
	comment string
	columns []intray.Column
	// profile returns the profile of the table. It builds the profile on the first call, because
	// most files have no irregular rows. The function is nil if the sample has too few regular
	// rows.
	profile func() *tableProfile
	// traits returns the traits of the columns in the sample. It is nil if the table has one column.
	traits func() []columnTraits
	// spaced reports whether an unquoted cell in the sample starts with a space. It is nil like traits.
	spaced func() bool
	// misplaced is how quotes are read that may be misplaced, or "" if each record decides.
	misplaced string
	// rowBytes is the approximate length of a record, in bytes.
	rowBytes   int
	evidence   []intray.Evidence
	headerLine int64
	// headerRequested reports whether the header was requested. rowLines holds the line number of
	// each row that can be requested.
	headerRequested bool
	rowLines        []int64
	// extents holds the extents of the columns if spaces align them.
	extents []extent
	// startsEvidence is the evidence about columns of fixed width, if there are any. far holds samples
	// from the rest of a long text in which spaces align columns.
	startsEvidence intray.Evidence
	far            [][]byte
	// tableLine is the line of another table that was found in the sample, or 0.
	tableLine int64
	// rules counts the lines above the first record that only draw the frame of the table.
	rules ruleCount
	// records describes the records.
	records headerdetect.Body
	// notices are returned with the first batch.
	notices []intray.Notice
}

// sampledRow is a row of the sample.
type sampledRow struct {
	cells      []string
	from       int
	to         int
	line       int64
	wellFormed bool
}

// analyzeText decides how to read the text of a file, based on a sample from its beginning. If spaces
// align columns, it also examines samples from the rest of the text.
func analyzeText(ctx context.Context, text *decodedText, opt source.Options) (*sheet, error) {
	s := &sheet{asIs: opt.AsIs, line: 1, misplaced: opt.MisplacedQuotes}
	sample, whole := text.sample, text.whole
	blanked := blankNULs(sample)
	delim, skip := parseSepLine(sample)
	var found sniffResult
	switch {
	case opt.Delimiter != "":
		found = sniffDialect(blanked, whole, opt.Delimiter)
		found.delimReason = intray.NewMessage("option.requested", nil)
	case delim != "":
		found = sniffResult{
			dialect:     dialect{delim: delim, open: `"`, shut: `"`},
			delimReason: intray.NewMessage("delimiter.sep_line", nil), quoteReason: intray.NewMessage("quote.sep_line", nil),
		}
	default:
		found = sniffDialect(blanked, whole)
	}
	if skip > 0 {
		s.line = 2
	}
	if delim == "" || opt.ColumnStarts != "" {
		if err := s.applyFixedWidth(ctx, text, blanked[skip:], &found, opt); err != nil {
			return nil, err
		}
	}
	if s.dialect = found.dialect; s.dialect.joinsSpaces() {
		sample = blanked
	}
	rows := s.parseSample(wholeLines(sample[skip:], whole), skip, opt.Limits.Columns)
	opt.Work.Add(found.work + sampleWork(rows))
	if n := len(rows); n > 1 {
		s.rowBytes = (rows[n-1].from - rows[0].from) / (n - 1)
	}
	s.evidence = []intray.Evidence{
		delimiterEvidence(found),
		{Choice: "quote", Value: found.open, Reason: found.quoteReason},
	}
	if s.startsEvidence.Choice != "" {
		s.evidence = append(s.evidence, s.startsEvidence)
	}
	s.body = int64(skip)
	if s.asIs {
		for _, row := range rows {
			s.width = max(s.width, len(row.cells))
		}
		for i := range s.width {
			s.columns = append(s.columns, intray.Column{Index: i})
		}
		s.collectSamples(rows)
		s.evidence = append(s.evidence, intray.Evidence{Choice: "header row", Value: "none", Reason: intray.NewMessage("header.not_searched", nil)})
		return s, nil
	}
	return s, s.findTable(ctx, rows, sample, opt)
}

const (
	// byteWork and cellWork are the work for parsing one byte and one cell of the sample with one
	// dialect, in units of source.Work.
	byteWork, cellWork = 2, 32
	// layoutWork is the work for finding the header, per cell of the sample.
	layoutWork = 128
)

// sampleWork returns the work for parsing and examining the rows of a sample.
func sampleWork(rows []sampledRow) (work int64) {
	for _, row := range rows {
		work += byteWork*int64(row.to-row.from) + layoutWork*int64(len(row.cells))
	}
	return work
}

// parseSample splits the sample into rows of at most `most` cells. skip is the offset at which
// text starts in the sample.
func (s *sheet) parseSample(text []byte, skip, most int) (rows []sampledRow) {
	line, open, allowance := s.line, 0, int64(maxUnclosedWork/8)
	r := record{maxCells: most}
	for at := 0; at < len(text) && len(rows) < maxSampleRows; {
		upTo := len(text)
		if at < open {
			upTo = at + firstLineLength(text[at:])
		}
		s.dialect.parseRecord(text[at:upTo], notFound, &r)
		unclosed := r.unclosed
		if line := text[at : at+firstLineLength(text[at:])]; unclosed {
			// Without this, the rest of the sample would be one cell and would be scanned
			// again for each of its lines.
			open = max(open, upTo)
			allowance -= s.dialect.parseUnclosedLine(line, &r, min(maxUnclosedLineWork, allowance))
		}
		row := sampledRow{from: skip + at, to: skip + at + r.next, line: line, wellFormed: !r.loose && !unclosed}
		row.cells = s.dialect.cellTexts(text[at:], &r)
		rows = append(rows, row)
		at += r.next
		line += r.breaks + 1
	}
	return rows
}

// findTable finds the header and the first record, and builds the columns.
func (s *sheet) findTable(ctx context.Context, rows []sampledRow, sample []byte, opt source.Options) error {
	s.blankRules(rows, sample)
	s.placeNames(rows, sample)
	if s.width = s.tableWidth(rows, sample); s.width == 0 && opt.HeaderRow == 0 { // no text
		if n := len(rows); n > 0 {
			s.body, s.line = int64(rows[n-1].to), rows[n-1].line+1
		}
		s.evidence = append(s.evidence, intray.Evidence{Choice: "header row", Value: "none", Reason: intray.NewMessage("header.no_text", nil)})
		return nil
	}
	s.repairHeader(rows, sample)
	s.headerRequested = opt.HeaderRow != 0
	texts := make([][]string, 0, headerSearchRows)
	for _, row := range rows[:min(len(rows), headerSearchRows)] {
		if isRulerRow(row.cells) || s.isProseAbove(row.cells) {
			row.cells = nil
		}
		texts, s.rowLines = append(texts, row.cells), append(s.rowLines, row.line)
	}
	s.blankNameValuePairs(texts)
	layout, err := headerdetect.FindLayout(ctx, texts, s.width)
	if err != nil {
		return err
	}
	layout = layout.Prefer(texts, opt.HeaderScore)
	if opt.HeaderRow == source.NoHeader {
		layout = headerdetect.Layout{Width: s.width, First: firstFilled(texts), Reason: intray.NewMessage("option.requested", nil)}
	}
	if opt.HeaderRow > 0 {
		if opt.HeaderRow > len(texts) {
			return &source.UnreadableError{Reason: intray.NewMessage("header.row_out_of_range", intray.Params{"row": opt.HeaderRow, "n": len(texts)})}
		}
		rows := min(max(1, opt.HeaderRows), len(texts)-opt.HeaderRow+1)
		layout = headerdetect.Layout{Width: s.width, First: opt.HeaderRow - 1, Headers: rows, Reason: intray.NewMessage("option.requested", nil)}
	}
	for _, row := range rows[:min(layout.First, len(rows))] {
		if len(row.cells) > 0 && strings.HasPrefix(strings.TrimSpace(row.cells[0]), "#") {
			s.comment = "#"
		}
	}
	names := s.columnNames(layout, texts)
	s.width = max(s.width, len(names))
	body := min(layout.BodyStart(), len(rows))
	if body < len(rows) && layout.Headers > 0 && isRulerRow(rows[body].cells) {
		s.reportRuler(rows[body])
		body++
	}
	s.reportHeader(rows, layout, texts)
	s.learnProfile(rows[body:], sample)
	s.learnExtents(rows[body:], sample)
	s.records = headerdetect.NewBody(texts[min(body, len(texts)):])
	s.findTableBelow(rows, body)
	s.reportRowsAbove(rows[:min(layout.First, len(rows))])
	s.setFirstRecord(rows, body)
	s.countRulesAbove(rows[:min(body, len(rows))], sample)
	if err := s.setColumns(names, opt.Limits); err != nil {
		return err
	}
	s.collectSamples(rows[body:])
	s.judgeSample(rows[body:], sample)
	return nil
}

// isProseAbove reports whether a row is a comment or a sentence that spaces split into words, and
// therefore not the header: a row in a table with spaces as delimiters that has far fewer cells than
// a record, or that starts with "#" and does not have a cell per column. The "#" can be a cell of
// its own.
func (s *sheet) isProseAbove(cells []string) bool {
	if s.dialect.delim != " " && s.dialect.delim != spaceGap || len(cells) == 0 {
		return false
	}
	if s.dialect.delim == " " && cells[0] == "#" {
		return len(cells) != s.width+1
	}
	if s.dialect.delim == " " && strings.HasPrefix(cells[0], "#") {
		return len(cells) != s.width
	}
	return 2*len(cells) < s.width
}

// firstFilled returns the index of the first row that contains text, or 0 if there is none.
func firstFilled(rows [][]string) int {
	for i, row := range rows {
		if headerdetect.Filled(row) > 0 {
			return i
		}
	}
	return 0
}

// blankNameValuePairs clears rows that hold a name and a value at the beginning of a file,
// such as "Date:" and "2024-05-01". It does so only if a row with more cells follows them.
func (s *sheet) blankNameValuePairs(rows [][]string) {
	pairs := 0
	for ; pairs < len(rows); pairs++ {
		row := rows[pairs]
		filled := headerdetect.Filled(row)
		if filled > 2 || filled > 0 && !strings.HasSuffix(strings.TrimSpace(row[0]), ":") {
			break
		}
	}
	if s.width > 2 && pairs < len(rows) && headerdetect.Filled(rows[pairs]) > 2 {
		clear(rows[:pairs])
	}
}

// setFirstRecord makes the row with the given index the first record.
func (s *sheet) setFirstRecord(rows []sampledRow, at int) {
	if at < len(rows) {
		s.body, s.line = int64(rows[at].from), rows[at].line
	} else if len(rows) > 0 {
		last := rows[len(rows)-1]
		s.body, s.line = int64(last.to), last.line+1
	}
}

// isRulerRow reports whether every cell of a row is a line of characters such as dashes, which
// some programs write below the header.
func isRulerRow(cells []string) bool {
	for _, cell := range cells {
		if cell = strings.TrimSpace(cell); cell != "" && (len(cell) < 3 || strings.Trim(cell, "-=_+|: ") != "") {
			return false
		}
	}
	return headerdetect.Filled(cells) > 0
}

// reportRowsAbove adds a notice that quotes the rows above the table.
func (s *sheet) reportRowsAbove(rows []sampledRow) {
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
	code := "csv.lines_above_table"
	if len(texts) == 1 {
		code = "csv.line_above_table"
	}
	raw := excerpt(strings.Join(texts, "\n"))
	s.notices = append(s.notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw,
		Text: intray.NewMessage(code, intray.Params{"line": last})})
}

func (s *sheet) reportRuler(row sampledRow) {
	s.notices = append(s.notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo,
		Text: intray.NewMessage("csv.ruled_line", intray.Params{"line": row.line})})
}

// columnNames returns the names in the header. It drops empty names at the end if there are
// more names than cells in a record.
func (s *sheet) columnNames(layout headerdetect.Layout, texts [][]string) []string {
	if layout.Headers == 0 {
		return nil
	}
	names := layout.ColumnNames(texts)
	for len(names) > s.width && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	return names
}

// learnProfile sets s.profile to a function that builds the profile from the regular rows of
// the sample, if there are enough of them.
func (s *sheet) learnProfile(body []sampledRow, sample []byte) {
	width := commonWidth(body)
	if width < 2 {
		return
	}
	fit := make([][]byte, 0, len(body))
	rows, narrow, others := 0, 0, map[int]int{}
	for _, row := range body {
		if headerdetect.Filled(row.cells) == 0 || s.equalsHeader(row.cells) {
			continue
		}
		rows++
		if !row.wellFormed || len(row.cells) != width {
			if len(row.cells) < width {
				narrow++
			}
			if row.wellFormed && !continuesText(row.cells, width) {
				others[len(row.cells)]++
			}
			continue
		}
		fit = append(fit, sample[row.from:row.to])
	}
	s.spaced = sync.OnceValue(func() bool { return s.hasSpaced(fit) })
	regular := sync.OnceValue(func() [][]byte { return s.withoutHiddenRows(fit) })
	s.traits = sync.OnceValue(func() []columnTraits { return s.columnTraits(regular()) })
	if len(fit) < minProfileRows || 2*len(fit) < rows && (narrow > 0 || 5*len(fit) < rows) {
		return
	}
	s.width = max(s.width, width)
	if width == s.width && !s.dialect.padded && s.dialect.fixed == nil {
		s.profile = sync.OnceValue(func() *tableProfile {
			p := s.newProfile(regular(), width)
			p.shares = map[int]float64{}
			for count, n := range others {
				p.shares[count] = float64(n-1) / float64(rows) // a row is no evidence for itself
			}
			return p
		})
	}
}

// newProfile returns the profile of rows with at least width cells.
func (s *sheet) newProfile(texts [][]byte, width int) *tableProfile {
	rows := make([]rowFeatures, len(texts))
	var r record
	for i, text := range texts {
		s.dialect.parseRecord(text, notFound, &r)
		for n, cell := range s.dialect.cellTexts(text, &r)[:min(len(r.cells), width)] {
			rows[i] = append(rows[i], featuresOf(cell, r.cells[n].quoted))
		}
	}
	return newTableProfile(width, rows)
}

// reportHeader adds the location of the header to the evidence. If the header is a single row,
// it stores the cells in s.header.
func (s *sheet) reportHeader(rows []sampledRow, layout headerdetect.Layout, texts [][]string) {
	if layout.Headers > 0 && layout.Alternative == headerdetect.NoHeader && !layout.RecordsAbove && differsFromBody(texts[layout.First], texts[layout.BodyStart():]) {
		layout.Doubt = 0
	}
	evidence := layout.Evidence(texts, 0)
	if layout.Headers > 0 {
		s.headerLine = rows[layout.First].line
		if s.headerLine > 1 {
			evidence.Reason = intray.JoinMessages(evidence.Reason, intray.NewMessage("header.lines_above", intray.Params{"n": s.headerLine - 1}))
		}
	}
	if layout.Headers == 1 {
		for _, cell := range rows[layout.First].cells {
			s.header = append(s.header, bytes.TrimSpace([]byte(cell)))
		}
	}
	s.evidence = append(s.evidence, evidence)
}

// evidenceWithTable returns the evidence after another table was found below the table, whose rows
// are not read. Unless the header was requested, its choice becomes a tie. The other table is an
// alternative if its header can be requested.
func (s *sheet) evidenceWithTable(line int64) []intray.Evidence {
	all := slices.Clone(s.evidence)
	if line == s.tableLine {
		return all
	}
	at := slices.IndexFunc(all, func(e intray.Evidence) bool { return e.Choice == "header row" })
	if at < 0 || s.headerRequested {
		return all
	}
	all[at].Tie, all[at].Alternatives = true, nil
	all[at].Reason = intray.JoinMessages(all[at].Reason, intray.NewMessage("header.table_below", intray.Params{"line": line}))
	if row := slices.Index(s.rowLines, line); row >= 0 {
		all[at].Alternatives = []intray.Choice{{Value: strconv.Itoa(row + 1), Label: intray.NewMessage("header.row", intray.Params{"row": row + 1}),
			Reason: intray.NewMessage("header.begins_table", intray.Params{"line": line})}}
	}
	return all
}

// setColumns builds the columns.
func (s *sheet) setColumns(names []string, limits source.Limits) error {
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
		if over := limits.HeaderLimitReason(i+1, len(column.Header), total); !over.IsZero() {
			return &source.LimitError{Line: s.headerLine, Reason: over}
		}
		s.columns = append(s.columns, column)
	}
	return nil
}

// collectSamples copies cells of rows to the samples of the columns.
func (s *sheet) collectSamples(rows []sampledRow) {
	for _, row := range rows[:min(len(rows), maxSampleRows)] {
		for i, cell := range row.cells[:min(len(row.cells), len(s.columns))] {
			if column := &s.columns[i]; cell != "" && len(column.Samples) < maxColumnSamples {
				column.Samples = append(column.Samples, cell)
			}
		}
	}
}

// ambiguousShare is the minimum score of a second delimiter, relative to the best score, that
// makes the choice ambiguous.
const ambiguousShare = 0.97

// minRepeatedCells is the minimum number of cells in a column for repeated values to be
// significant.
const minRepeatedCells = 4

// differsFromBody reports whether a row has a cell whose value does not occur in the column
// below it, although that column has only a few values that repeat. Such a row is not a record.
func differsFromBody(header []string, body [][]string) bool {
	for c, name := range header {
		values := map[string]bool{}
		filled := 0
		for _, row := range body {
			if c < len(row) && row[c] != "" {
				values[row[c]] = true
				filled++
			}
		}
		if name != "" && !values[name] && filled >= minRepeatedCells && 2*len(values) <= filled {
			return true
		}
	}
	return false
}

// delimiterEvidence returns the evidence about the delimiter. It includes a second delimiter
// as an alternative if that one fits about as well.
func delimiterEvidence(found sniffResult) intray.Evidence {
	named := func(delim string) string { return strings.ReplaceAll(delim, noDelimiter, "none") }
	e := intray.Evidence{Choice: "delimiter", Value: named(found.delim), Reason: found.delimReason}
	if found.runnerUpShare >= ambiguousShare {
		e.Tie = true
		e.Alternatives = []intray.Choice{{Value: named(found.runnerUp), Reason: intray.NewMessage("delimiter.about_as_good", nil)}}
	}
	return e
}
