package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// answered gives the options with what a person decided about the reading.
func answered(opt source.Options, answers intray.Answers) source.Options {
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

// ask leaves the file to a person, and says why.
func (o *Outcome) ask(q intray.Question) *Outcome {
	o.Verdict = Open
	o.put(q)
	o.tell(intray.Notice{Type: q.Notice, Level: intray.LevelError, Text: q.Text, Field: q.Field, Header: q.Header})
	return o
}

func (o *Outcome) put(q intray.Question) {
	if len(o.Questions) < maxQuestions {
		o.Questions = append(o.Questions, q)
	}
}

// tables are the sheets of a book that hold columns.
type tables struct {
	names []string
	found []int
	// shown are those of them that are not hidden.
	shown []int
	// headers are those of each sheet that was found.
	headers [][]string
}

// findTables opens each sheet for a moment.
func findTables(ctx context.Context, book source.Book) (*tables, error) {
	t := &tables{}
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
				t.choose(out, i, "it was asked for")
				return i, nil, nil
			}
		}
		return 0, nil, &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("there is no sheet %q, which was asked for", mapping.Shorten(value)))}
	}
	switch {
	case len(t.names) == 1 && t.names[0] == "", len(t.found) == 0:
		return 0, nil, nil
	case len(t.names) == 1:
		t.choose(out, 0, "the file has no other")
		return 0, nil, nil
	case len(t.found) == 1:
		t.choose(out, t.found[0], fmt.Sprintf("of %d sheets no other holds a table", len(t.names)))
		return t.found[0], nil, nil
	case len(t.shown) == 1:
		t.choose(out, t.shown[0], fmt.Sprintf("of %d sheets no other that is shown holds a table; hidden sheets do hold some", len(t.names)))
		return t.shown[0], nil, nil
	}
	return 0, t.question(), nil
}

// choose tells which sheet was chosen, and which others hold a table.
func (t *tables) choose(out *Outcome, sheet int, reason string) {
	if len(t.names) == 1 {
		out.Evidence = append(out.Evidence, intray.Evidence{Choice: "sheet", Value: t.names[sheet], Reason: intray.Literal(reason)})
		return
	}
	own := intray.SheetChoice(t.names, sheet)
	others := slices.DeleteFunc(t.question().Choices, func(c intray.Choice) bool { return c.Value == own })
	out.Evidence = append(out.Evidence, intray.Evidence{Choice: "sheet", Value: t.names[sheet], Reason: intray.Literal(reason), Rivals: others})
}

func (t *tables) question() *intray.Question {
	q := &intray.Question{ID: intray.AnswerSheet, Notice: intray.SheetUncertain}
	var names []string
	for i, sheet := range t.found[:min(len(t.found), maxChoices)] {
		names = append(names, t.names[sheet])
		q.Choices = append(q.Choices, intray.Choice{
			Value: intray.SheetChoice(t.names, sheet), Label: intray.Literal(mapping.Shorten(cmp.Or(t.names[sheet], fmt.Sprintf("sheet %d", sheet+1)))),
			Reason: intray.Literal("it holds a table"), Examples: t.headers[i],
		})
	}
	q.Text = intray.Literal(fmt.Sprintf("The file holds %d tables: %s. Choose the one to import, or send it as a file of its own.", len(t.found), listed(names, len(t.found))))
	return q
}

// listed names some of many tables.
func listed(tables []string, total int) string {
	const most = 5
	quoted := make([]string, 0, most)
	for _, name := range tables[:min(most, len(tables))] {
		quoted = append(quoted, fmt.Sprintf("%q", mapping.Shorten(name)))
	}
	text := strings.Join(quoted, ", ")
	if n := total - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// openChoices are the choices about a file that may be a question, by the names
// under which evidence has them.
var openChoices = map[string]struct {
	id     string
	notice intray.NoticeType
	text   string
	advice string
}{
	"encoding":   {intray.AnswerEncoding, intray.EncodingUncertain, "The text can be read in several encodings, and not all give the same.", " Choose one, or save the file as UTF-8 and send it again."},
	"delimiter":  {intray.AnswerDelimiter, intray.HeaderRowUncertain, "Several separators cut the file into columns equally well.", " Choose one."},
	"header row": {intray.AnswerHeaderRow, intray.HeaderRowUncertain, "It is not certain which row is the header of the table.", " Choose one."},
}

// askTies asks about what fits two ways equally well.
func (o *Outcome) askTies() {
	for _, e := range o.Evidence {
		if _, known := openChoices[e.Choice]; known && e.Tie {
			o.ask(tie(e))
		}
	}
}

// tie makes a question of a choice: its value and what else it could be.
func tie(e intray.Evidence) intray.Question {
	kind := openChoices[e.Choice]
	q := intray.Question{ID: kind.id, Notice: kind.notice}
	taken := intray.Choice{Value: e.Value, Reason: e.Reason}
	if !slices.ContainsFunc(e.Rivals, func(c intray.Choice) bool { return c.Value == e.Value }) {
		q.Choices = append(q.Choices, taken)
	}
	q.Choices = append(q.Choices, e.Rivals[:min(len(e.Rivals), maxChoices)]...)
	likely := e.Value
	if kind.id == intray.AnswerHeaderRow && likely != intray.NoAnswer {
		likely = "row " + likely
	}
	q.Text = intray.Literal(fmt.Sprintf("%s The likeliest is %s: %s.%s", kind.text, likely, e.Reason, kind.advice))
	return q
}
