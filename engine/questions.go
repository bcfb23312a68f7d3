package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
)

const (
	// maxQuestions is the most questions at a time; others come when these are
	// answered.
	maxQuestions = 100
	// maxChoices is the most choices of a question, maxColumns the most of them
	// that are columns.
	maxChoices = 1000
	maxColumns = 20
	// maxExamples is the most examples of a choice.
	maxExamples = 5
)

// applyAnswers gives the options with what a person decided about the reading.
func applyAnswers(opt source.Options, answers intray.Answers) source.Options {
	opt.Encoding = cmp.Or(answers[intray.AnswerEncoding], opt.Encoding)
	opt.Delimiter = cmp.Or(answers[intray.AnswerDelimiter], opt.Delimiter)
	if row, asked := answers[intray.AnswerHeaderRow]; asked {
		opt.HeaderRow = source.NoHeader
		if n, err := strconv.Atoi(row); err == nil {
			opt.HeaderRow = n
		}
	}
	return opt
}

// addQuestion leaves the file to a person, and says why.
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

// tableSheets are the sheets of a book that hold columns.
type tableSheets struct {
	names []string
	found []int
	// shown are those of them that are not hidden.
	shown []int
	// Headers are those of each sheet that was found.
	headers [][]string
}

// findTables opens each sheet for a moment.
func findTables(ctx context.Context, book source.Book) (*tableSheets, error) {
	t := &tableSheets{}
	sheets := book.Sheets()
	for _, s := range sheets {
		t.names = append(t.names, s.Name)
	}
	for i := range t.names {
		if len(t.names) == 1 {
			t.found = []int{0}
			break
		}
		reader, err := book.Open(ctx, i)
		if err != nil {
			return nil, err
		}
		columns := reader.Columns()
		if err := reader.Close(); err != nil {
			return nil, err
		}
		if len(columns) == 0 {
			continue
		}
		var headers []string
		for _, c := range columns[:min(len(columns), maxExamples)] {
			headers = append(headers, mapping.Shorten(c.Header))
		}
		t.found, t.headers = append(t.found, i), append(t.headers, headers)
		if !sheets[i].Hidden {
			t.shown = append(t.shown, i)
		}
	}
	return t, nil
}

// chooseSheet gives the sheet that was asked for, or the one that alone holds a
// table, or a question. What chose it is told.
func chooseSheet(ctx context.Context, book source.Book, answers intray.Answers, out *Outcome) (int, *intray.Question, error) {
	t, err := findTables(ctx, book)
	if err != nil {
		return 0, nil, err
	}
	if value, asked := answers[intray.AnswerSheet]; asked {
		for i := range t.names {
			if intray.SheetChoice(t.names, i) == value {
				t.choose(out, i, intray.NewMessage("sheet.asked_for", nil))
				return i, nil, nil
			}
		}
		return 0, nil, &source.UnreadableError{Reason: intray.NewMessage("sheet.not_found", intray.Params{"sheet": mapping.Shorten(value)})}
	}
	switch {
	case len(t.names) == 1 && t.names[0] == "", len(t.found) == 0:
		return 0, nil, nil
	case len(t.names) == 1:
		t.choose(out, 0, intray.NewMessage("sheet.only_one", nil))
		return 0, nil, nil
	case len(t.found) == 1:
		t.choose(out, t.found[0], intray.NewMessage("sheet.only_table", intray.Params{"n": len(t.names)}))
		return t.found[0], nil, nil
	case len(t.shown) == 1:
		t.choose(out, t.shown[0], intray.NewMessage("sheet.only_visible_table", intray.Params{"n": len(t.names)}))
		return t.shown[0], nil, nil
	}
	return 0, t.question(), nil
}

// choose tells which sheet was chosen, and which others hold a table.
func (t *tableSheets) choose(out *Outcome, sheet int, reason intray.Message) {
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
	var names []intray.Message
	for i, sheet := range t.found[:min(len(t.found), maxChoices)] {
		if i < maxNamed {
			names = append(names, intray.NewMessage("text.quoted", intray.Params{"text": mapping.Shorten(t.names[sheet])}))
		}
		q.Choices = append(q.Choices, intray.Choice{
			Value: intray.SheetChoice(t.names, sheet), Label: sheetLabel(t.names[sheet], sheet),
			Reason: intray.NewMessage("sheet.has_table", nil), Examples: t.headers[i],
		})
	}
	var sheets any = names
	if more := len(t.found) - len(names); more > 0 {
		sheets = intray.NewMessage("list.more", intray.Params{"list": names, "n": more})
	}
	q.Text = intray.NewMessage("question.sheet", intray.Params{"n": len(t.found), "sheets": sheets})
	return q
}

// maxNamed is the most sheets that a question names.
const maxNamed = 5

// sheetLabel is the name of a sheet, or else its number.
func sheetLabel(name string, sheet int) intray.Message {
	if name == "" {
		return intray.NewMessage("sheet.number", intray.Params{"number": sheet + 1})
	}
	return intray.Literal(mapping.Shorten(name))
}

// openChoices are the choices about a file that may be a question, by the names
// under which evidence has them.
var openChoices = map[string]struct {
	id     string
	notice intray.NoticeType
	// text is the code of the question.
	text string
}{
	"encoding":   {intray.AnswerEncoding, intray.EncodingUncertain, "question.encoding"},
	"delimiter":  {intray.AnswerDelimiter, intray.HeaderRowUncertain, "question.delimiter"},
	"header row": {intray.AnswerHeaderRow, intray.HeaderRowUncertain, "question.header_row"},
}

// askTies asks about what fits two ways equally well.
func (o *Outcome) askTies() {
	for _, e := range o.Evidence {
		if _, known := openChoices[e.Choice]; known && e.Tie {
			o.addQuestion(tieQuestion(e))
		}
	}
}

// tieQuestion makes a question of a choice: its value and what else it could be.
func tieQuestion(e intray.Evidence) intray.Question {
	kind := openChoices[e.Choice]
	q := intray.Question{ID: kind.id, Notice: kind.notice}
	taken := intray.Choice{Value: e.Value, Reason: e.Reason}
	if !slices.ContainsFunc(e.Alternatives, func(c intray.Choice) bool { return c.Value == e.Value }) {
		q.Choices = append(q.Choices, taken)
	}
	q.Choices = append(q.Choices, e.Alternatives[:min(len(e.Alternatives), maxChoices)]...)
	q.Text = intray.NewMessage(kind.text, intray.Params{"value": e.Value, "reason": e.Reason})
	if kind.id == intray.AnswerHeaderRow && e.Value == intray.NoAnswer {
		q.Text = intray.NewMessage("question.no_header_row", intray.Params{"reason": e.Reason})
	}
	return q
}
