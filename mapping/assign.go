package mapping

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// suggestion is a mapping in progress.
type suggestion struct {
	fields  []intray.Field
	columns []intray.Column
	// keyed reports whether the headers are the keys of JSON records.
	keyed   bool
	matches []intray.Match
	// picks are the columns of the many-to-one fields, by field.
	picks [][]pickedColumn
	// notes are additional reasons for each field. They list the columns that came close.
	notes [][]intray.Message
	// settled reports, for each field, whether it needs no further column because it has one, is
	// hidden or is the subject of a question.
	settled []bool
	// taken reports, for each column, whether it maps to a field or is the subject of a
	// question. used reports whether it maps to a field.
	taken, used []bool
	questions   []Question
	// asked holds the keys of the fields that are subject to a question.
	asked map[string]bool
}

// offer holds the columns that share one spelling of a header, and the fields that match
// this spelling.
type offer struct{ columns, fields []int }

// claim is a field with the offers that match its names.
type claim struct {
	field  int
	names  []name
	offers []*offer
}

// columnCount returns the number of columns that match the field. No column is in more than
// one offer.
func (w claim) columnCount() int {
	n := 0
	for _, o := range w.offers {
		n += len(o.columns)
	}
	return n
}

// assign maps the columns whose headers match names of fields by the rules of one grade.
func (s *suggestion) assign(ctx context.Context, g grade) error {
	claims, err := s.claims(ctx, g)
	if err != nil {
		return err
	}
	for _, w := range claims {
		if s.takesMany(w.field) {
			continue
		}
		s.settled[w.field] = true
		if w.columnCount() > 1 {
			s.askConflict(w)
		}
	}
	for _, w := range claims {
		for _, o := range w.offers {
			s.takeOffer(w, o)
		}
		s.applyClaim(g, w)
	}
	return nil
}

// applyClaim maps the columns that match only this field: a single column, or several if
// the field is many-to-one.
func (s *suggestion) applyClaim(g grade, w claim) {
	if s.takesMany(w.field) {
		w.eachOwnColumn(func(column int, n name) {
			m := g.matched(s.columns[column], n)
			s.addPick(w.field, pickedColumn{column: column, score: m.Score, reasons: s.withValueWarning(w.field, s.columns[column], m.Reasons)})
		})
		return
	}
	if o := w.offers[0]; len(o.fields) == 1 && w.columnCount() == 1 {
		column := o.columns[0]
		m := g.matched(s.columns[column], w.names[0])
		m.Reasons = s.withValueWarning(w.field, s.columns[column], m.Reasons)
		s.matches[w.field], s.used[column] = m, true
	}
}

// takeOffer marks the columns of an offer as taken and asks about a column that several fields
// match. If the offer has several columns, there already is a question about each field that
// takes only one column.
func (s *suggestion) takeOffer(w claim, o *offer) {
	if o.fields[0] != w.field {
		return
	}
	if len(o.fields) > 1 {
		if len(o.columns) == 1 {
			s.askCompetingFields(o)
		} else if s.allTakeMany(o.fields) {
			for _, c := range o.columns[:min(len(o.columns), maxNamed)] {
				s.askCompetingFields(&offer{columns: []int{c}, fields: o.fields})
			}
		}
	}
	for _, c := range o.columns {
		s.taken[c] = true
	}
}

func (s *suggestion) allTakeMany(fields []int) bool {
	return !slices.ContainsFunc(fields, func(f int) bool { return !s.takesMany(f) })
}

// claims returns the claims of those fields that are not settled and match a free column.
func (s *suggestion) claims(ctx context.Context, g grade) ([]claim, error) {
	offers, err := s.offers(ctx, g)
	if err != nil {
		return nil, err
	}
	var claims []claim
	for i, f := range s.fields {
		if s.settled[i] || g.many && !s.takesMany(i) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := claim{field: i}
		for _, n := range g.namesOf(f) {
			if o := offers[n.spelled]; o != nil && !s.isContradicted(g, f, n, o) {
				o.fields = append(o.fields, i)
				w.names, w.offers = append(w.names, n), append(w.offers, o)
			}
		}
		if len(w.offers) > 0 {
			claims = append(claims, w)
		}
	}
	return claims, nil
}

// offers returns the free columns, keyed by the spelling of their headers.
func (s *suggestion) offers(ctx context.Context, g grade) (map[string]*offer, error) {
	offers := make(map[string]*offer)
	for i, c := range s.columns {
		if s.taken[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		header := g.spelling(c.Header)
		if header == "" {
			continue
		}
		if offers[header] == nil {
			offers[header] = &offer{}
		}
		offers[header].columns = append(offers[header].columns, i)
	}
	return offers, nil
}

func (s *suggestion) addQuestion(q Question) {
	s.questions = append(s.questions, q)
	s.asked[q.Field] = true
	for _, key := range q.CompetingFields {
		s.asked[key] = true
	}
}

// askConflict asks which of several columns maps to a field.
func (s *suggestion) askConflict(w claim) {
	var first []int
	for _, o := range w.offers {
		first = append(first, o.columns[:min(len(o.columns), maxNamed)]...)
	}
	slices.Sort(first)
	first = first[:min(len(first), maxNamed)]
	field := s.fields[w.field]
	q := Question{Field: field.Key}
	places := make([]intray.Message, len(first))
	for i, c := range first {
		q.Columns = append(q.Columns, s.columns[c])
		places[i] = columnMessage(s.columns[c])
	}
	q.Text = intray.NewMessage("question.columns_fit_field", intray.Params{"n": w.columnCount(), "field": Shorten(field.Label), "columns": joinParts(places, w.columnCount())})
	s.addQuestion(q)
}

// askCompetingFields asks to which of several fields a column maps.
func (s *suggestion) askCompetingFields(o *offer) {
	column := s.columns[o.columns[0]]
	q := Question{Field: s.fields[o.fields[0]].Key, Columns: []intray.Column{column}}
	var labels []intray.Message
	for i, f := range o.fields {
		q.CompetingFields = append(q.CompetingFields, s.fields[f].Key)
		if i < maxNamed {
			labels = append(labels, quoted(s.fields[f].Label))
		}
	}
	q.Text = intray.NewMessage("question.fields_share_header", intray.Params{"column": Shorten(column.Header), "fields": joinParts(labels, len(o.fields))})
	s.addQuestion(q)
}

// askForColumns asks about each field that requires a column, has none and is not yet
// subject to a question.
func (s *suggestion) askForColumns() {
	if len(s.questions) == 0 && !slices.Contains(s.used, true) {
		switch {
		case !slices.ContainsFunc(s.fields, func(f intray.Field) bool { return !f.Hidden }):
		case s.keyed:
			s.addQuestion(Question{Text: intray.NewMessage("question.no_key_matches", nil)})
		default:
			s.addQuestion(Question{Text: intray.NewMessage("question.no_header_matches", nil)})
		}
		return
	}
	for i, f := range s.fields {
		if s.matches[i].Column != intray.NoColumn || !needsColumn(f) || s.asked[f.Key] {
			continue
		}
		s.addQuestion(Question{Field: f.Key, Text: intray.NewMessage("question.no_column", intray.Params{"field": Shorten(f.Label)})})
	}
}

func needsColumn(f intray.Field) bool {
	if f.Hidden {
		return false
	}
	return f.RequireMapping || slices.ContainsFunc(f.Validators, func(v intray.Validator) bool {
		return v.Rule == "required" && v.Level == intray.LevelError
	})
}

// scoreLearned is the score of a mapping that a person confirmed for an earlier file.
const scoreLearned = 0.99

// applyLearned applies mappings that a person confirmed. A mapping applies only if exactly one
// column has the confirmed header and its values do not contradict the field. All columns with a
// header that was confirmed for a many-to-one field map to it.
func (s *suggestion) applyLearned(all []intray.LearnedColumn) {
	if len(all) == 0 {
		return
	}
	fields, columns := map[string]int{}, map[string][]int{}
	for i, f := range s.fields {
		fields[f.Key] = i
	}
	for i, c := range s.columns {
		columns[c.Header] = append(columns[c.Header], i)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b intray.LearnedColumn) int {
		return cmp.Or(b.On.Compare(a.On), strings.Compare(a.Field, b.Field), strings.Compare(a.Header, b.Header))
	})
	for _, r := range all {
		i, known := fields[r.Field]
		if !known || s.settled[i] || r.Header == "" || len(columns[r.Header]) > 1 && !s.takesMany(i) {
			continue
		}
		for _, column := range columns[r.Header] {
			s.mapLearned(i, column, r)
		}
	}
}

// mapLearned maps a column to the field that a person confirmed.
func (s *suggestion) mapLearned(field, column int, r intray.LearnedColumn) {
	c := s.columns[column]
	if p := profileColumn(c); s.taken[column] || p.rulesOut(kindOf(s.fields[field].Type.Name)) {
		return
	}
	reasons := []intray.Message{intray.NewMessage("mapping.remembered", intray.Params{"header": Shorten(r.Header), "date": r.On.Format(time.DateOnly)})}
	if s.takesMany(field) {
		s.addPick(field, pickedColumn{column: column, score: scoreLearned, reasons: reasons})
		return
	}
	s.matches[field] = intray.Match{Column: c.Index, Header: r.Header, Score: scoreLearned, Reasons: reasons}
	s.settled[field], s.taken[column], s.used[column] = true, true, true
}
