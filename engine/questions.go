package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
)

const (
	// maxQuestions is the maximum number of questions of a run. The remaining ones follow
	// in the next run.
	maxQuestions = 100
	// maxChoices is the maximum number of choices of a question. maxColumns is the maximum
	// if the choices are columns.
	maxChoices = 1000
	maxColumns = 20
	// maxExamples is the maximum number of examples of a choice.
	maxExamples = 5
)

// applyAnswers returns the options after applying the answers about reading the file.
func applyAnswers(opt source.Options, answers intray.Answers) source.Options {
	opt.Encoding = cmp.Or(answers[intray.AnswerEncoding], opt.Encoding)
	opt.Delimiter = cmp.Or(answers[intray.AnswerDelimiter], opt.Delimiter)
	opt.MisplacedQuotes = cmp.Or(answers[intray.AnswerMisplacedQuotes], opt.MisplacedQuotes)
	opt.ColumnStarts = cmp.Or(answers[intray.AnswerColumnStarts], opt.ColumnStarts)
	if row, asked := answers[intray.AnswerHeaderRow]; asked {
		opt.HeaderRow, opt.HeaderRows = source.NoHeader, 0
		if first, count, ok := intray.ParseHeaderRows(row); ok {
			opt.HeaderRow, opt.HeaderRows = first, count
		}
	}
	return opt
}

// addQuestion adds a question and its notice.
func (o *Outcome) addQuestion(q intray.Question) *Outcome {
	o.Verdict = Open
	o.appendQuestion(q)
	o.addNotice(intray.Notice{Type: q.Notice, Level: intray.LevelError, Text: q.Text, Field: q.Field, Header: q.Header})
	return o
}

func (o *Outcome) appendQuestion(q intray.Question) {
	if len(o.Questions) < maxQuestions {
		o.Questions = append(o.Questions, q)
	}
}

// tableSheets are the sheets of a book that contain a table.
type tableSheets struct {
	names []string
	found []int
	// shown lists the sheets in found that are not hidden.
	shown []int
	// headers are the first headers of each sheet in found. They are nil for sheets that were
	// not examined.
	headers [][]string
	// columns are the fingerprints of the columns of each sheet in found. They are zero for sheets
	// that were not examined or have no headers.
	columns []uint64
	// unexamined is the number of sheets in found that were not examined.
	unexamined int
	// single lists the sheets that consist of a single cell, and singleTexts their text. Such a
	// sheet is a note, a title or a date rather than a table.
	single      []int
	singleTexts []string
}

// maxTableWork is the work of finding tables after which the remaining sheets are not examined.
// It takes about 10 s.
const maxTableWork = 10 << 30

// findTables returns the sheets that have columns and more than one cell. If there is only one
// sheet, findTables does not open it and assumes that it has a table. It also assumes this for all
// sheets that remain after maxTableWork. If no sheet has more than one cell, all sheets with a
// cell count as tables.
func findTables(ctx context.Context, book source.Book, work *source.Work) (*tableSheets, error) {
	t, seed := &tableSheets{}, maphash.MakeSeed()
	sheets := book.Sheets()
	for _, s := range sheets {
		t.names = append(t.names, s.Name)
	}
	for i := range t.names {
		if len(t.names) == 1 {
			t.found = []int{0}
			break
		}
		if work.Units() > maxTableWork {
			t.unexamined++
			t.addSheet(i, sheets[i], nil, 0)
			continue
		}
		reader, err := book.Open(ctx, i)
		if err != nil {
			return nil, err
		}
		columns := reader.Columns()
		text, single, err := singleCell(ctx, reader)
		if err := errors.Join(err, reader.Close()); err != nil {
			return nil, err
		}
		switch {
		case single:
			t.single, t.singleTexts = append(t.single, i), append(t.singleTexts, text)
		case len(columns) > 0:
			t.addSheet(i, sheets[i], firstHeaders(columns), fingerprint(seed, columns))
		}
	}
	if len(t.found) == 0 {
		for _, i := range t.single {
			t.addSheet(i, sheets[i], []string{}, 0)
		}
		t.single = nil
	}
	return t, nil
}

func firstHeaders(columns []intray.Column) (headers []string) {
	for _, c := range columns[:min(len(columns), maxExamples)] {
		headers = append(headers, mapping.Shorten(c.Header))
	}
	return headers
}

// singleCell reports whether a sheet has exactly one cell with text, and returns that text. It
// reads records only if the columns and their samples show at most one cell.
func singleCell(ctx context.Context, reader source.Reader) (text string, single bool, err error) {
	cells := 0
	add := func(cell string) {
		if strings.TrimSpace(cell) != "" {
			cells, text = cells+1, cell
		}
	}
	for _, c := range reader.Columns() {
		add(c.Header)
		if cells+len(c.Samples) > 1 {
			return "", false, nil
		}
	}
	for batch := new(intray.Records); ; {
		switch err := reader.Next(ctx, batch); {
		case errors.Is(err, io.EOF):
			return text, cells == 1, nil
		case err != nil:
			return "", false, err
		}
		for i := range batch.Len() {
			for c := range batch.NumCells(i) {
				add(string(batch.Cell(i, c)))
			}
			if cells > 1 {
				return "", false, nil
			}
		}
	}
}

// addSheet adds a sheet to the sheets that contain a table.
func (t *tableSheets) addSheet(i int, sheet source.Sheet, headers []string, columns uint64) {
	t.found, t.headers, t.columns = append(t.found, i), append(t.headers, headers), append(t.columns, columns)
	if !sheet.Hidden {
		t.shown = append(t.shown, i)
	}
}

// fingerprint returns a hash of the headers, apart from letter case and surrounding white space. It is
// 0 if there are no headers.
func fingerprint(seed maphash.Seed, columns []intray.Column) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	named := false
	for _, c := range columns {
		header := strings.ToLower(strings.TrimSpace(c.Header))
		named = named || header != ""
		h.WriteString(header)
		h.WriteByte(0)
	}
	if !named {
		return 0
	}
	return max(h.Sum64(), 1)
}

// tableChoice is the table to import: one sheet, or several sheets with the same columns.
type tableChoice struct {
	// sheets are the indexes of the sheets. There is at least one.
	sheets []int
	// named reports whether the first column contains the names of the sheets.
	named bool
}

// open opens the table.
func (c tableChoice) open(ctx context.Context, book source.Book) (source.Reader, error) {
	if len(c.sheets) == 1 {
		return book.Open(ctx, c.sheets[0])
	}
	return source.JoinSheets(ctx, book, c.sheets, c.named)
}

// chooseSheet returns the sheets that the answer selects, the only sheet with a table, or the
// only visible sheet with a table, and adds evidence for it. If none of these exists but several
// sheets have a table, it returns a question.
func chooseSheet(ctx context.Context, book source.Book, work *source.Work, answers intray.Answers, out *Outcome) (tableChoice, *intray.Question, error) {
	t, err := findTables(ctx, book, work)
	if err != nil {
		return tableChoice{}, nil, err
	}
	if t.unexamined > 0 {
		out.addNotice(intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo,
			Text: intray.NewMessage("sheet.not_examined", intray.Params{"n": t.unexamined, "total": len(t.names)})})
	}
	sheet, question, err := t.choose(answers, out)
	if err == nil && question == nil {
		t.reportSingleCells(out, sheet.sheets)
	}
	return sheet, question, err
}

// choose implements chooseSheet for the sheets that contain a table.
func (t *tableSheets) choose(answers intray.Answers, out *Outcome) (tableChoice, *intray.Question, error) {
	if value, asked := answers[intray.AnswerSheet]; asked {
		for i := range t.names {
			if intray.SheetChoice(t.names, i) == value {
				t.addEvidence(out, i, intray.NewMessage("sheet.asked_for", nil))
				return tableChoice{sheets: []int{i}}, nil, nil
			}
		}
		if sheets, named, ok := intray.ParseSheets(value, len(t.names)); ok {
			reason := intray.NewMessage("sheet.joined", intray.Params{"n": len(sheets)})
			t.addEvidence(out, sheets[0], reason)
			for _, i := range sheets[1:] {
				out.Evidence = append(out.Evidence, intray.Evidence{Choice: "sheet", Value: t.names[i], Reason: reason})
			}
			return tableChoice{sheets, named}, nil, nil
		}
		return tableChoice{}, nil, &source.UnreadableError{Reason: intray.NewMessage("sheet.not_found", intray.Params{"sheet": mapping.Shorten(value)})}
	}
	switch {
	case t.unexamined > 0: // whether a sheet is the only table is unknown
	case len(t.names) == 1 && t.names[0] == "", len(t.found) == 0:
		return tableChoice{sheets: []int{0}}, nil, nil
	case len(t.names) == 1:
		t.addEvidence(out, 0, intray.NewMessage("sheet.only_one", nil))
		return tableChoice{sheets: []int{0}}, nil, nil
	case len(t.found) == 1:
		t.addEvidence(out, t.found[0], intray.NewMessage("sheet.only_table", intray.Params{"n": len(t.names)}))
		return tableChoice{sheets: t.found[:1]}, nil, nil
	case len(t.shown) == 1:
		t.addEvidence(out, t.shown[0], intray.NewMessage("sheet.only_visible_table", intray.Params{"n": len(t.names)}))
		return tableChoice{sheets: t.shown[:1]}, nil, nil
	}
	return tableChoice{}, t.question(), nil
}

// joinChoices returns the choices to read all sheets with the same columns as one table, if there are
// several. Of several such groups, it uses the largest one.
func (t *tableSheets) joinChoices() []intray.Choice {
	groups := map[uint64][]int{}
	var best []int
	for n, sheet := range t.found {
		if key := t.columns[n]; key != 0 {
			groups[key] = append(groups[key], sheet)
			if len(groups[key]) > max(1, len(best)) {
				best = groups[key]
			}
		}
	}
	if best == nil {
		return nil
	}
	params := intray.Params{"n": len(best), "sheets": t.listSheets(best)}
	reason := intray.NewMessage("sheet.same_columns", intray.Params{"n": len(best)})
	return []intray.Choice{
		{Value: intray.SheetsChoice(best, false), Label: intray.NewMessage("sheet.join", params), Reason: reason},
		{Value: intray.SheetsChoice(best, true), Label: intray.NewMessage("sheet.join_with_names", params), Reason: reason},
	}
}

// listSheets returns the list of the names of sheets. It names at most maxNamed sheets.
func (t *tableSheets) listSheets(sheets []int) any {
	names := make([]intray.Message, 0, maxNamed)
	for _, sheet := range sheets[:min(len(sheets), maxNamed)] {
		names = append(names, intray.NewMessage("text.quoted", intray.Params{"text": mapping.Shorten(t.names[sheet])}))
	}
	if more := len(sheets) - len(names); more > 0 {
		return intray.NewMessage("list.more", intray.Params{"list": names, "n": more})
	}
	return names
}

// reportSingleCells reports the sheets that consist of a single cell, with the text of the first
// ones. It does not report the chosen sheets.
func (t *tableSheets) reportSingleCells(out *Outcome, chosen []int) {
	list := make([]string, 0, maxNotedCells)
	for n, i := range t.single[:min(len(t.single), maxNotedCells)] {
		if slices.Contains(chosen, i) {
			continue
		}
		name, text := mapping.Shorten(t.names[i]), mapping.Shorten(t.singleTexts[n])
		list = append(list, name+": "+text)
		out.addNotice(intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &t.singleTexts[n],
			Text: intray.NewMessage("sheet.single_cell_skipped", intray.Params{"sheet": name, "text": text})})
	}
	if more := len(t.single) - maxNotedCells; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	if len(list) > 0 {
		out.Evidence = append(out.Evidence, intray.Evidence{Choice: "sheets without a table", Value: strings.Join(list, "; "), Reason: intray.NewMessage("sheet.single_cell", nil)})
	}
}

// maxNotedCells is the maximum number of sheets with a single cell whose text is reported.
const maxNotedCells = 20

// addEvidence records the chosen sheet, with the other tables as alternatives.
func (t *tableSheets) addEvidence(out *Outcome, sheet int, reason intray.Message) {
	if len(t.names) == 1 {
		out.Evidence = append(out.Evidence, intray.Evidence{Choice: "sheet", Value: t.names[sheet], Reason: reason})
		return
	}
	own := intray.SheetChoice(t.names, sheet)
	others := slices.DeleteFunc(t.question().Choices, func(c intray.Choice) bool { return c.Value == own })
	out.Evidence = append(out.Evidence, intray.Evidence{Choice: "sheet", Value: t.names[sheet], Reason: reason, Alternatives: others})
}

func (t *tableSheets) question() *intray.Question {
	q := &intray.Question{ID: intray.AnswerSheet, Notice: intray.SheetUncertain}
	for i, sheet := range t.found[:min(len(t.found), maxChoices)] {
		reason := intray.NewMessage("sheet.has_table", nil)
		if t.headers[i] == nil {
			reason = intray.NewMessage("sheet.may_have_table", nil)
		}
		q.Choices = append(q.Choices, intray.Choice{
			Value: intray.SheetChoice(t.names, sheet), Label: sheetLabel(t.names[sheet], sheet),
			Reason: reason, Examples: t.headers[i],
		})
	}
	q.Choices = append(q.Choices, t.joinChoices()...)
	q.Text = intray.NewMessage("question.sheet", intray.Params{"n": len(t.found), "sheets": t.listSheets(t.found)})
	return q
}

// maxNamed is the maximum number of sheets that the text of a question lists.
const maxNamed = 5

// sheetLabel returns the name of a sheet, or its number if it has no name.
func sheetLabel(name string, sheet int) intray.Message {
	if name == "" {
		return intray.NewMessage("sheet.number", intray.Params{"number": sheet + 1})
	}
	return intray.Literal(mapping.Shorten(name))
}

// openChoices are the choices about a file that may become a question, keyed by Evidence.Choice.
var openChoices = map[string]struct {
	id     string
	notice intray.NoticeType
	// text is the message code of the question.
	text string
}{
	"encoding":         {intray.AnswerEncoding, intray.EncodingUncertain, "question.encoding"},
	"delimiter":        {intray.AnswerDelimiter, intray.HeaderRowUncertain, "question.delimiter"},
	"column starts":    {intray.AnswerColumnStarts, intray.HeaderRowUncertain, "question.column_starts"},
	"header row":       {intray.AnswerHeaderRow, intray.HeaderRowUncertain, "question.header_row"},
	"quoting of lines": {intray.AnswerMisplacedQuotes, intray.RepairedRow, "question.misplaced_quotes"},
}

// askAboutLateTies adds a question for each choice that became a tie while the records were read: the
// header, if rows of another table were not read, and quotes that may be misplaced. evidence is the
// evidence of the reader after the last record.
func (o *Outcome) askAboutLateTies(evidence []intray.Evidence) {
	for _, e := range evidence {
		if !e.Tie || e.Choice != "header row" && e.Choice != "quoting of lines" {
			continue
		}
		own := slices.IndexFunc(o.Evidence, func(old intray.Evidence) bool { return old.Choice == e.Choice })
		switch {
		case own >= 0:
			o.Evidence[own] = e
		case e.Choice != "header row":
			o.Evidence = append(o.Evidence, e)
		}
	}
	o.askTies()
}

// askTies adds a question for each choice with equally good alternatives.
func (o *Outcome) askTies() {
	for _, e := range o.Evidence {
		if _, known := openChoices[e.Choice]; known && e.Tie {
			kind := openChoices[e.Choice]
			q := intray.Question{ID: kind.id, Notice: kind.notice}
			if !slices.ContainsFunc(e.Alternatives, func(c intray.Choice) bool { return c.Value == e.Value }) {
				q.Choices = append(q.Choices, intray.Choice{Value: e.Value, Reason: e.Reason})
			}
			q.Choices = append(q.Choices, e.Alternatives[:min(len(e.Alternatives), maxChoices)]...)
			q.Text = intray.NewMessage(kind.text, intray.Params{"value": e.Value, "reason": e.Reason})
			if kind.id == intray.AnswerHeaderRow && e.Value == intray.NoAnswer {
				q.Text = intray.NewMessage("question.no_header_row", intray.Params{"reason": e.Reason})
			}
			o.addQuestion(q)
		}
	}
}
