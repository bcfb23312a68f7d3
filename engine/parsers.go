package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
)

// sniffRows is the number of rows after which sniffing stops if all columns are decided.
// Otherwise, it continues to the end of the file.
const sniffRows = 20_000

// columnSniffer decides the formats of columns whose cells can be ambiguous.
type columnSniffer struct {
	plan *rowplan.Plan
	// fields are the indexes of the fields to which these columns map. sniffers and answers
	// have one entry for each of these fields.
	fields   []int
	sniffers []celltype.Sniffer
	answers  []map[string]string
	// missing finds markers of missing values.
	missing []missingSniffer
	twins   []twinSniffer
}

// sniffColumns reads rows to decide the formats of the columns and adds a question
// for each ambiguity.
func (p *importRun) sniffColumns(ctx context.Context, plan *rowplan.Plan) error {
	s := &columnSniffer{plan: plan, twins: twinSniffers(p.out.Mapping)}
	for i, f := range plan.Fields {
		if plan.HasMissingMarkers(i) {
			s.missing = append(s.missing, missingSniffer{field: i})
		}
		f.Parser = celltype.WithContext(f.Parser, p.contextOf(p.imp.Schema.Fields[i], f.Headers[0]))
		plan.Fields[i].Parser = f.Parser
		if parser, sniffing := f.Parser.(celltype.SniffingParser); sniffing && len(f.Columns) > 0 {
			s.fields = append(s.fields, i)
			s.sniffers = append(s.sniffers, parser.NewSniffer())
			s.answers = append(s.answers, formatAnswers(p.imp.Answers, plan.Keys[i]))
		}
	}
	if len(s.missing) == 0 && len(s.twins) == 0 {
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
	for i := range s.missing {
		s.missing[i].decide(plan, p.imp, p.out)
	}
	for _, t := range s.twins {
		if t.differ {
			p.out.askTwins(p.imp.Schema, t)
		}
	}
	return nil
}

// contextOf returns what the names of a field and the header of its column mean.
func (p *importRun) contextOf(f intray.Field, header string) celltype.Context {
	c := celltype.Context{Year: p.imp.HookEnv.Now.Year()}
	names := []string{f.Label, f.Key, header}
	switch f.Type.Name {
	case intray.TypeDate, intray.TypeDatetime:
		c.PastDates = sync.OnceValue(func() bool { return slices.ContainsFunc(names, mapping.NamesPastDate) })
	case intray.TypeNumber:
		c.Years = slices.ContainsFunc(names, mapping.NamesYear)
	}
	return c
}

// formatAnswers returns the answers about the formats of a field's column, keyed by the key
// of the ambiguity.
func formatAnswers(answers intray.Answers, key string) map[string]string {
	forms := map[string]string{}
	for id, answer := range answers {
		if form, about := strings.CutPrefix(id, intray.AnswerFormat+key); about && (form == "" || form[0] == ':') {
			forms[strings.TrimPrefix(form, ":")] = answer
		}
	}
	return forms
}

// readRows observes rows until all columns are decided or the file ends. If no column can be
// ambiguous, it observes only the first rows. It ignores errors
// in the file, because the pipeline later reads the same rows and reports them.
func (s *columnSniffer) readRows(ctx context.Context, reader source.Reader) error {
	var recs intray.Records
	least := int64(sniffRows)
	if len(s.fields) == 0 {
		least = plainRows
	}
	for rows := int64(0); rows < least || s.isUndecided(); {
		err := reader.Next(ctx, &recs)
		if errors.Is(err, io.EOF) || isFileError(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, f := range s.fields {
			for _, column := range s.plan.Fields[f].Columns {
				for row := range recs.Len() {
					s.sniffers[i].Observe(rowplan.TypedCell(&recs, row, column))
				}
			}
		}
		s.observeMissing(&recs)
		for i := range s.twins {
			s.twins[i].observe(&recs)
		}
		rows += int64(recs.Len())
	}
	return nil
}

// observeMissing observes the cells of columns that can have markers of missing values.
func (s *columnSniffer) observeMissing(recs *intray.Records) {
	for i := range s.missing {
		m := &s.missing[i]
		for _, column := range s.plan.Fields[m.field].Columns {
			for row := 0; row < recs.Len() && !m.isFull(); row++ {
				m.observe(s.plan, rowplan.TypedCell(recs, row, column))
			}
		}
	}
}

// isUndecided reports whether any column is still ambiguous after the rows read so far.
func (s *columnSniffer) isUndecided() bool {
	for i, sniffer := range s.sniffers {
		if len(sniffer.Decide(s.answers[i], nil).Ambiguities) > 0 {
			return true
		}
	}
	return false
}

// decide sets the format of each column. A column whose own cells decide its format
// is evidence for ambiguous columns of the same file.
func (s *columnSniffer) decide(schema *intray.Schema, out *Outcome) {
	decisions := make([]celltype.Decision, len(s.fields))
	var neighbors []celltype.Neighbor
	for i := range s.fields {
		decisions[i] = s.sniffers[i].Decide(s.answers[i], nil)
		if d := decisions[i]; len(d.Ambiguities) == 0 && len(d.Reasons) > 0 {
			neighbors = append(neighbors, celltype.Neighbor{Header: mapping.Shorten(s.plan.Fields[s.fields[i]].Headers[0]), Decision: d})
		}
	}
	for i, f := range s.fields {
		if len(decisions[i].Ambiguities) > 0 && len(neighbors) > 0 {
			decisions[i] = s.sniffers[i].Decide(s.answers[i], neighbors)
		}
		d := decisions[i]
		s.plan.Fields[f].Parser = d.Parser
		if out.Forms == nil {
			out.Forms = map[string]string{}
		}
		out.Forms[s.plan.Keys[f]] = d.Spec
		for _, tie := range d.Ambiguities {
			id := intray.AnswerFormat + schema.Fields[f].Key
			if tie.Key != "" {
				id += ":" + tie.Key
			}
			out.addQuestion(intray.Question{ID: id, Notice: intray.AmbiguousColumn, Field: schema.Fields[f].Key, Header: s.plan.Fields[f].Headers[0], Text: tie.Text, Choices: tie.Choices})
		}
		if len(d.Reasons) > 0 {
			out.Evidence = append(out.Evidence, intray.Evidence{
				Choice: formatOf + mapping.Shorten(s.plan.Keys[f]), Value: d.Style, Reason: intray.JoinMessages(d.Reasons...),
			})
		}
	}
}
