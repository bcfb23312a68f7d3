package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
)

// sniffRows is how many rows are looked at where they decide how their columns
// are read; where they leave that open, all rows are.
const sniffRows = 20_000

// columnSniffer looks at the columns whose cells can be read in several ways.
type columnSniffer struct {
	plan    *plan
	fields  []int
	surveys []celltype.Sniffer
	answers []map[string]string
}

// sniffColumns decides how the columns are read, from the rows of a reader of its own,
// and asks what they leave open.
func (p *importRun) sniffColumns(ctx context.Context, plan *plan) error {
	s := &columnSniffer{plan: plan}
	for i, f := range plan.fields {
		if parser, surveyed := f.parser.(celltype.SniffingParser); surveyed && len(f.columns) > 0 {
			s.fields = append(s.fields, i)
			s.surveys = append(s.surveys, parser.NewSniffer())
			s.answers = append(s.answers, formAnswers(p.imp.Answers, plan.keys[i]))
		}
	}
	if len(s.fields) == 0 {
		return nil
	}
	reader, err := p.reopenSheet(ctx)
	if err != nil {
		return err
	}
	err = s.readRows(ctx, reader)
	if closing := reader.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	s.decide(p.imp.Schema, p.out)
	return nil
}

// formAnswers are what a person said of the forms of a field's column.
func formAnswers(answers intray.Answers, key string) map[string]string {
	forms := map[string]string{}
	for id, answer := range answers {
		if form, about := strings.CutPrefix(id, intray.AnswerFormat+key); about && (form == "" || form[0] == ':') {
			forms[strings.TrimPrefix(form, ":")] = answer
		}
	}
	return forms
}

// readRows looks at rows until the columns are decided or there are no more. What is
// wrong with the file is told when its rows move.
func (s *columnSniffer) readRows(ctx context.Context, reader source.Reader) error {
	var recs intray.Records
	for rows := int64(0); rows < sniffRows || s.isUndecided(); {
		err := reader.Next(ctx, &recs)
		if errors.Is(err, io.EOF) || isFileError(err) {
			return nil
		}
		if err != nil {
			return err
		}
		s.addRecords(&recs)
		rows += int64(recs.Len())
	}
	return nil
}

func (s *columnSniffer) addRecords(recs *intray.Records) {
	for i, f := range s.fields {
		for _, column := range s.plan.fields[f].columns {
			for row := range recs.Len() {
				s.surveys[i].Observe(typedCell(recs, row, column))
			}
		}
	}
}

// isUndecided says whether the rows so far leave something open.
func (s *columnSniffer) isUndecided() bool {
	for i, survey := range s.surveys {
		if len(survey.Decide(s.answers[i], nil).Ambiguities) > 0 {
			return true
		}
	}
	return false
}

// decide takes the style of each column. Columns that their own cells decide
// speak for those beside them that do not.
func (s *columnSniffer) decide(schema *intray.Schema, out *Outcome) {
	decisions := make([]celltype.Decision, len(s.fields))
	var beside []celltype.Neighbor
	for i := range s.fields {
		decisions[i] = s.surveys[i].Decide(s.answers[i], nil)
		if d := decisions[i]; len(d.Ambiguities) == 0 && len(d.Reasons) > 0 {
			beside = append(beside, celltype.Neighbor{Header: mapping.Shorten(s.plan.fields[s.fields[i]].headers[0]), Decision: d})
		}
	}
	for i, f := range s.fields {
		if len(decisions[i].Ambiguities) > 0 && len(beside) > 0 {
			decisions[i] = s.surveys[i].Decide(s.answers[i], beside)
		}
		d := decisions[i]
		s.plan.fields[f].parser = d.Parser
		if out.Forms == nil {
			out.Forms = map[string]string{}
		}
		out.Forms[s.plan.keys[f]] = d.Spec
		for _, tie := range d.Ambiguities {
			out.askForm(schema.Fields[f], s.plan.fields[f].headers[0], tie)
		}
		if len(d.Reasons) > 0 {
			out.Evidence = append(out.Evidence, intray.Evidence{
				Choice: formatOf + mapping.Shorten(s.plan.keys[f]), Value: d.Style, Reason: intray.JoinMessages(d.Reasons...),
			})
		}
	}
}

// askForm asks how the cells of a column are to be read.
func (o *Outcome) askForm(f intray.Field, header string, tie celltype.Ambiguity) {
	id := intray.AnswerFormat + f.Key
	if tie.Key != "" {
		id += ":" + tie.Key
	}
	o.addQuestion(intray.Question{ID: id, Notice: intray.AmbiguousColumn, Field: f.Key, Header: header, Text: tie.Text, Choices: tie.Choices})
}

// typedCell gives a cell with what a workbook says of it.
func typedCell(recs *intray.Records, row, column int) celltype.Cell {
	c := celltype.Cell{Raw: cellAt(recs, row, column)}
	if recs.HasTyped() && column < recs.NumCells(row) {
		c.Kind, c.Typed = recs.TypedCell(row, column)
	}
	return c
}

// overrideParser is a parser that reads some texts as a person said.
type overrideParser struct {
	celltype.Parser
	texts map[string]valueOverride
}

// valueOverride is what a text is read as, and a note of who said so.
type valueOverride struct {
	value []byte
	note  *celltype.Note
}

// Parse reads a cell.
func (t overrideParser) Parse(c celltype.Cell, scratch []byte) celltype.Result {
	l, known := t.texts[string(bytes.TrimSpace(c.Raw))]
	if !known {
		return t.Parser.Parse(c, scratch)
	}
	if len(l.value) == 0 {
		return celltype.Result{State: celltype.Empty, Note: l.note}
	}
	r := t.Parser.Parse(celltype.Cell{Raw: l.value}, scratch)
	switch r.State {
	case celltype.Unchanged:
		r.State, r.Value = celltype.Parsed, l.value
	case celltype.Invalid, celltype.Empty:
		return t.Parser.Parse(c, scratch) // the schema does not take that value any more
	}
	r.Note = l.note
	return r
}

// overridableTypes are the types whose texts a person may map to values.
var overridableTypes = []intray.TypeName{intray.TypeSelect, intray.TypeMultiSelect, intray.TypeCountry, intray.TypeState}

// applyLearnedValues lets the parsers of fields with choices read the texts that persons
// mapped to values: those remembered, the latest last, and then the answers.
func (p *plan) applyLearnedValues(imp Import) {
	ids := slices.Sorted(maps.Keys(imp.Answers))
	for i := range p.fields {
		f := &p.fields[i]
		if !slices.Contains(overridableTypes, f.field.Type.Name) {
			continue
		}
		texts := map[string]valueOverride{}
		for _, r := range learnedFor(imp.Memory.Values, f.field.Key) {
			texts[strings.TrimSpace(r.Text)] = newOverride(r.Value, rememberedText(r))
		}
		prefix := intray.AnswerValue + f.field.Key + ":"
		for _, id := range ids {
			if text, about := strings.CutPrefix(id, prefix); about {
				texts[strings.TrimSpace(text)] = newOverride(imp.Answers[id], answeredText(imp.Answers[id]))
			}
		}
		delete(texts, "")
		if len(texts) > 0 {
			f.parser = overrideParser{f.parser, texts}
		}
	}
}

func newOverride(text string, why intray.Message) valueOverride {
	return valueOverride{[]byte(text), &celltype.Note{Code: celltype.CodeMapped, Level: intray.LevelInfo, Text: why}}
}

func rememberedText(r intray.LearnedValue) intray.Message {
	date := r.On.Format(time.DateOnly)
	if r.Value == "" {
		return intray.NewMessage("value_mapping.remembered_empty", intray.Params{"date": date})
	}
	return intray.NewMessage("value_mapping.remembered", intray.Params{"value": mapping.Shorten(r.Value), "date": date})
}

func answeredText(v string) intray.Message {
	if v == "" {
		return intray.NewMessage("value_mapping.answered_empty", nil)
	}
	return intray.NewMessage("value_mapping.answered", intray.Params{"value": mapping.Shorten(v)})
}

func learnedFor(all []intray.LearnedValue, key string) []intray.LearnedValue {
	own := slices.DeleteFunc(slices.Clone(all), func(r intray.LearnedValue) bool { return r.Field != key })
	slices.SortStableFunc(own, func(a, b intray.LearnedValue) int {
		return cmp.Or(a.On.Compare(b.On), strings.Compare(a.Text, b.Text), strings.Compare(a.Value, b.Value))
	})
	return own
}
