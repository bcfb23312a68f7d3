package engine

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
)

// sniffRows is how many rows are looked at where they decide how their columns
// are read; where they leave that open, all rows are.
const sniffRows = 20_000

// columnSniffer looks at the columns whose cells can be read in several ways.
type columnSniffer struct {
	plan    *rowplan.Plan
	fields  []int
	surveys []celltype.Sniffer
	answers []map[string]string
}

// sniffColumns decides how the columns are read, from the rows of a reader of its own,
// and asks what they leave open.
func (p *importRun) sniffColumns(ctx context.Context, plan *rowplan.Plan) error {
	s := &columnSniffer{plan: plan}
	for i, f := range plan.Fields {
		if parser, surveyed := f.Parser.(celltype.SniffingParser); surveyed && len(f.Columns) > 0 {
			s.fields = append(s.fields, i)
			s.surveys = append(s.surveys, parser.NewSniffer())
			s.answers = append(s.answers, formAnswers(p.imp.Answers, plan.Keys[i]))
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
		for _, column := range s.plan.Fields[f].Columns {
			for row := range recs.Len() {
				s.surveys[i].Observe(rowplan.TypedCell(recs, row, column))
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
			beside = append(beside, celltype.Neighbor{Header: mapping.Shorten(s.plan.Fields[s.fields[i]].Headers[0]), Decision: d})
		}
	}
	for i, f := range s.fields {
		if len(decisions[i].Ambiguities) > 0 && len(beside) > 0 {
			decisions[i] = s.surveys[i].Decide(s.answers[i], beside)
		}
		d := decisions[i]
		s.plan.Fields[f].Parser = d.Parser
		if out.Forms == nil {
			out.Forms = map[string]string{}
		}
		out.Forms[s.plan.Keys[f]] = d.Spec
		for _, tie := range d.Ambiguities {
			out.askForm(schema.Fields[f], s.plan.Fields[f].Headers[0], tie)
		}
		if len(d.Reasons) > 0 {
			out.Evidence = append(out.Evidence, intray.Evidence{
				Choice: formatOf + mapping.Shorten(s.plan.Keys[f]), Value: d.Style, Reason: intray.JoinMessages(d.Reasons...),
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
