package mapping

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// By how much a column must be ahead of another one to be better. If both are
// merely near to what the field means, such as gross and net for an amount, a
// small difference in nearness shows nothing.
const (
	margin     = 0.0003
	nearMargin = 0.0201
)

// inferColumns finds columns for the fields that no name decides.
func (s *suggestion) inferColumns(ctx context.Context) error {
	if !slices.Contains(s.settled, false) {
		return nil // reading the lexicon takes a while
	}
	l, err := lexicon.Standard()
	if err != nil {
		return err
	}
	x, err := newIndex(ctx, l, s)
	if err != nil {
		return err
	}
	lists := make([][]candidate, len(s.fields))
	var all []candidate
	for _, i := range s.sortedFields() {
		if s.settled[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		lists[i] = x.candidates(s, i)
		if !s.isHandled(i) {
			all = append(all, lists[i][:min(len(lists[i]), maxCandidates)]...)
		}
	}
	d := &decision{suggestion: s, index: x, lists: lists, rankScores: rankScores(lists), chosen: map[int]candidate{}, owner: map[int]int{}, equals: map[int][]candidate{}}
	for _, c := range solveAssignment(all) {
		d.chosen[c.field], d.owner[c.entry] = c, c.field
	}
	d.settle()
	return nil
}

// sortedFields returns the fields sorted by name, so that their order in a
// schema does not matter.
func (s *suggestion) sortedFields() []int {
	order := make([]int, len(s.fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(s.fields[a].Key, s.fields[b].Key), strings.Compare(s.fields[a].Label, s.fields[b].Label))
	})
	return order
}

// decision converts the best assignment into matches and questions.
type decision struct {
	*suggestion
	index *index
	// lists are the candidates of each field, rankScores their scores by field
	// and column of the index.
	lists      [][]candidate
	rankScores map[[2]int]float64
	// chosen is the candidate of each field, and owner the field of each column
	// of the index.
	chosen map[int]candidate
	owner  map[int]int
	// equals are the columns that fit each field as well as its own, before any
	// is assigned, so that the order of fields does not matter.
	equals map[int][]candidate
}

func rankScores(lists [][]candidate) map[[2]int]float64 {
	all := map[[2]int]float64{}
	for _, list := range lists {
		for _, c := range list {
			all[[2]int{c.field, c.entry}] = c.rankScore()
		}
	}
	return all
}

// settle processes the fields in the schema's order.
func (d *decision) settle() {
	open := map[int]bool{}
	for i := range d.fields {
		if c, ok := d.chosen[i]; ok {
			d.equals[i] = d.alternatives(c)
			open[i] = d.isAmbiguous(c)
		}
	}
	for i := range d.fields {
		if !d.isHandled(i) {
			d.settleField(i, open[i])
		}
	}
	d.assignRemaining()
	for i := range d.fields {
		if !d.settled[i] && len(d.lists[i]) > 0 {
			d.noteNearMisses(i)
		}
	}
	d.askNearest()
}

// settleField maps the column of a field, or asks about it.
func (d *decision) settleField(i int, open bool) {
	c, ok := d.chosen[i]
	switch {
	case ok && c.isCertain() && !open:
		d.assignColumn(c)
	case ok && c.isCertain() && d.takesMany(i):
		d.askWhichField(c, d.contenders(c))
	case ok && c.isCertain():
		d.askTie(i, d.equals[i])
	case ok && !d.takesMany(i) && len(d.equals[i]) > 1:
		d.askTie(i, d.equals[i])
	case len(d.lists[i]) > 0 && needsColumn(d.fields[i]) && !d.asked[d.fields[i].Key]:
		d.askTie(i, d.lists[i])
	}
}

// askNearest asks about what came close if no column feeds any field and no
// other question is open. Otherwise all columns would be lost silently.
func (d *decision) askNearest() {
	if len(d.questions) > 0 || slices.Contains(d.used, true) {
		return
	}
	for i := range d.fields {
		if !d.settled[i] && len(d.lists[i]) > 0 {
			d.askTie(i, d.lists[i])
		}
	}
}

// assignColumn maps a column without asking.
func (d *decision) assignColumn(c candidate) {
	column := d.columnIndex(c)
	if d.takesMany(c.field) {
		d.addPick(c.field, pickedColumn{column: column, score: rounded(c.score), reasons: made(c.reasons, d.columns[column]), near: c.near})
		return
	}
	d.matches[c.field] = intray.Match{
		Column: d.columns[column].Index, Header: d.columns[column].Header,
		Score: rounded(c.score), Reasons: made(c.reasons, d.columns[column]),
	}
	d.used[column], d.taken[column], d.settled[c.field] = true, true, true
}

// columnIndex returns the position of a candidate in the list of columns.
func (d *decision) columnIndex(c candidate) int { return d.index.entries[c.entry].column }

// isAmbiguous reports whether another column fits the field as well, or another
// field the column. A field that takes several columns takes those that fit as
// well.
func (d *decision) isAmbiguous(c candidate) bool {
	return !d.takesMany(c.field) && len(d.equals[c.field]) > 1 || len(d.contenders(c)) > 0
}

// alternatives returns the columns that fit the field of a candidate about as
// well as its own and are not needed more elsewhere, its own first.
func (d *decision) alternatives(c candidate) []candidate {
	list := []candidate{c}
	for _, other := range d.lists[c.field] {
		if other.entry != c.entry && d.asGood(c, other) && d.isAvailable(c, other) {
			list = append(list, other)
		}
	}
	for _, other := range d.variantColumns(c) {
		if d.isAvailable(c, other) && d.valuesFit(&other) {
			list = append(list, other)
		}
	}
	return list
}

// asGood reports whether another column of a field is as good as the first.
func (d *decision) asGood(c, other candidate) bool {
	return other.rankScore() >= c.rankScore()-margin || other.isAsNear(c) || other.namesSame(c) || d.differInKind(c, other)
}

// namesSame reports whether two columns are named by two words for the same
// thing. A common word of the field's name, such as "name", in one of them does
// not matter.
func (c candidate) namesSame(as candidate) bool {
	return c.reading.Head != "" && (c.distinctive || !as.distinctive) && c.reading.Named == as.reading.Named && slices.Equal(c.reading.Qualifiers, as.reading.Qualifiers) &&
		c.rankScore()-c.wordBonus >= as.rankScore()-as.wordBonus-margin
}

// isAvailable reports whether a column is not needed more elsewhere.
func (d *decision) isAvailable(c, other candidate) bool {
	owner, owned := d.owner[other.entry]
	return !d.taken[d.columnIndex(other)] && (!owned || d.canSwap(c, d.chosen[owner]))
}

// isAsNear reports whether two columns are both merely near, about equally so,
// and nothing else ranks the second before the first.
func (c candidate) isAsNear(to candidate) bool {
	return c.near && to.near && c.isCertain() && c.score >= to.score-nearMargin && c.tieBreak >= to.tieBreak-margin
}

// canSwap reports whether two fields could as well have each other's columns.
func (d *decision) canSwap(a, b candidate) bool {
	return d.rankScore(a.field, b.entry) >= a.rankScore()-margin && d.rankScore(b.field, a.entry) >= b.rankScore()-margin
}

// rankScore returns the score of a field and a column, or 0 if the column is
// not a candidate.
func (d *decision) rankScore(field, entry int) float64 { return d.rankScores[[2]int{field, entry}] }

// contenders returns the other fields that match the column about as well and
// have none, or take several.
func (d *decision) contenders(c candidate) []int {
	var list []int
	for i := range d.fields {
		if i == c.field || d.rankScore(i, c.entry) < c.rankScore()-margin || d.rankScore(i, c.entry) == 0 {
			continue
		}
		if _, has := d.chosen[i]; !has && !d.takesMany(i) || d.takesMany(i) && !d.settled[i] {
			list = append(list, i)
		}
	}
	return list
}

// askTie asks for the column of a field and names those that may be it.
func (d *decision) askTie(field int, list []candidate) {
	f := d.fields[field]
	if d.asked[f.Key] {
		d.settled[field] = true
		return
	}
	q := Question{Field: f.Key}
	var places []intray.Message
	for _, c := range list[:min(len(list), maxNamed)] {
		column := d.columns[d.columnIndex(c)]
		q.Columns = append(q.Columns, column)
		places = append(places, intray.NewMessage("column.named_with_reason", intray.Params{
			"header": Shorten(column.Header), "column": column.Index + 1, "reason": intray.JoinMessages(made(c.reasons, column)...),
		}))
	}
	if len(list) == 1 {
		if others := d.contenders(list[0]); len(others) > 0 {
			d.askWhichField(list[0], others)
			return
		}
	}
	q.Text = intray.NewMessage("question.column_uncertain", intray.Params{"column": places[0], "field": Shorten(f.Label)})
	if len(list) > 1 {
		q.Text = intray.NewMessage("question.columns_uncertain", intray.Params{"columns": joinParts(places, len(list)), "field": Shorten(f.Label)})
	}
	d.holdForAnswer(field, list)
	d.addQuestion(q)
}

// askWhichField asks which of several fields gets a column.
func (d *decision) askWhichField(c candidate, others []int) {
	column := d.columns[d.columnIndex(c)]
	q := Question{Columns: []intray.Column{column}}
	var labels []intray.Message
	sorted := slices.Sorted(slices.Values(append(others, c.field)))
	q.Field = d.fields[sorted[0]].Key
	for _, i := range sorted {
		q.CompetingFields = append(q.CompetingFields, d.fields[i].Key)
		d.settled[i] = !d.takesMany(i)
		if len(labels) < maxNamed {
			labels = append(labels, quoted(d.fields[i].Label))
		}
	}
	q.Text = intray.NewMessage("question.fields_fit_column", intray.Params{"column": Shorten(column.Header), "fields": joinParts(labels, len(q.CompetingFields))})
	d.holdForAnswer(c.field, []candidate{c})
	d.addQuestion(q)
}

// holdForAnswer reserves a field and the columns in question for the answer. A
// field that takes several columns continues to look for others.
func (d *decision) holdForAnswer(field int, list []candidate) {
	d.settled[field] = !d.takesMany(field)
	for _, c := range list {
		if owner, owned := d.owner[c.entry]; !owned || owner == field {
			d.taken[d.columnIndex(c)] = true
		}
	}
}

// noteNearMisses adds to a field that is left open, or takes several columns,
// which columns came close.
func (d *decision) noteNearMisses(field int) {
	count := 0
	for _, c := range d.lists[field] {
		column := d.columns[d.columnIndex(c)]
		if d.used[d.columnIndex(c)] {
			continue
		}
		if count++; count > maxNearMisses {
			return
		}
		params := intray.Params{
			"header": Shorten(column.Header), "column": column.Index + 1, "score": strconv.FormatFloat(c.score, 'f', 2, 64),
			"reason": intray.JoinMessages(made(c.reasons, column)...),
		}
		note := intray.NewMessage("mapping.not_certain", params)
		if c.isCertain() && c.near {
			note = intray.NewMessage("mapping.others_nearer", params)
		}
		d.notes[field] = append(d.notes[field], note)
	}
}

// maxNearMisses is the most such columns that a field lists.
const maxNearMisses = 3

func rounded(score float64) float64 { return float64(int(score*1000+0.5)) / 1000 }

// differInKind reports whether two columns are each of another kind of what the
// field means: the order date and the ship date for a date. Neither is nearer
// to it. A kind that the schema mentions is nearer than others.
func (d *decision) differInKind(a, b candidate) bool {
	if a.entry == b.entry || a.near || len(a.extra) > 0 && len(d.foreignQualifiers(a)) == 0 {
		return false
	}
	return d.differInQualifiers(a, b) || d.differInName(a, b)
}

// foreignQualifiers returns the qualifiers of a header that neither the field
// nor the rest of the schema has.
func (d *decision) foreignQualifiers(c candidate) []string {
	return slices.DeleteFunc(slices.Clone(c.extra), func(mark string) bool { return d.index.schemaQualifiers[mark] })
}

// differInQualifiers reports whether the headers name different qualifiers that
// the field lacks.
func (d *decision) differInQualifiers(a, b candidate) bool {
	x, y := d.foreignQualifiers(a), b.extra
	return !b.near && len(extras(x, y)) > 0 && len(extras(y, x)) > 0 && !d.isPrimary(a)
}

// isPrimary reports whether the header is that of the first of several.
func (d *decision) isPrimary(c candidate) bool {
	return len(qualifiersOf(d.index.lexicon, c.extra, "rank")) == len(c.extra) && slices.Contains(c.extra, "primary")
}

// differInName reports whether the headers have the words of the field's name
// and differ in their other words. The second of several is not a kind of its
// own.
func (d *decision) differInName(a, b candidate) bool {
	if len(qualifiersOf(d.index.lexicon, b.extra, "rank")) > len(qualifiersOf(d.index.lexicon, a.extra, "rank")) {
		return false
	}
	e, f := d.columns[d.columnIndex(a)].Header, d.columns[d.columnIndex(b)].Header
	return slices.ContainsFunc(d.nameWords(a), func(name []string) bool {
		x, y := d.extraWords(e, name), d.extraWords(f, name)
		return len(extras(x, y)) > 0 && len(extras(y, x)) > 0
	})
}

// nameWords returns the words of the field name that a candidate matched, or of
// its label and key.
func (d *decision) nameWords(c candidate) [][]string {
	if c.meaning.Head != "" {
		return [][]string{lexicon.SplitWords(c.meaning.name.text)}
	}
	f := d.fields[c.field]
	return [][]string{lexicon.SplitWords(f.Label), lexicon.SplitWords(f.Key)}
}

// extraWords returns the words of a header that a name lacks, without digits,
// noise words, and what is in brackets, such as a unit. It returns none if the
// header lacks a word of the name. A word may be the end of another, as in a
// compound, and may be abbreviated.
func (d *decision) extraWords(header string, name []string) []string {
	words := lexicon.SplitWords(lexicon.WithoutAside(header))
	for _, part := range name {
		at := slices.IndexFunc(words, func(w string) bool { return w == part || abbreviates(w, part) || abbreviates(part, w) })
		if at >= 0 {
			words = slices.Delete(words, at, at+1)
			continue
		}
		at = slices.IndexFunc(words, func(w string) bool {
			return utf8.RuneCountInString(part) >= minCompound && strings.HasSuffix(w, part)
		})
		if at < 0 {
			return nil
		}
		words[at] = strings.TrimSuffix(words[at], part)
	}
	return slices.DeleteFunc(words, func(w string) bool {
		return d.index.lexicon.IsNoise(w) || strings.IndexFunc(w, unicode.IsLetter) < 0
	})
}

// minCompound is the fewest letters of a word that is looked for at the end of
// others.
const minCompound = 4

// variantColumns returns the columns that have the field's meaning and more in
// their names, so that the lexicon keeps them from the field. Next to a column
// with a different meaning, they are as likely.
func (d *decision) variantColumns(c candidate) []candidate {
	seen := map[int]bool{c.entry: true}
	var list []candidate
	offer := func(e int, extra []string) {
		other := candidate{field: c.field, entry: e, meaning: c.meaning, extra: extra}
		if _, known := d.rankScores[[2]int{c.field, e}]; !known && !seen[e] && d.differInName(c, other) && d.extendsName(other) {
			seen[e] = true
			list = append(list, other)
		}
	}
	if !d.isKind(c) {
		return nil
	}
	alike := 0
	for _, sig := range d.index.byConcept[c.meaning.Head] {
		if alike += len(sig.entries); alike > maxAlike {
			break
		}
		for _, e := range sig.entries {
			offer(e, extras(sig.reading.Qualifiers, c.meaning.Qualifiers))
		}
	}
	for _, name := range d.nameWords(c) {
		if len(name) == 0 {
			continue
		}
		for _, e := range d.index.byWord[name[len(name)-1]] {
			offer(e, nil)
		}
	}
	return list
}

// isKind reports whether a header says more than the name of the field.
func (d *decision) isKind(c candidate) bool {
	return slices.ContainsFunc(d.nameWords(c), func(name []string) bool {
		return len(d.extraWords(d.columns[d.columnIndex(c)].Header, name)) > 0
	})
}

// extendsName reports whether a header is the name of the field with a word or
// two before or after it.
func (d *decision) extendsName(c candidate) bool {
	words := lexicon.SplitWords(lexicon.WithoutAside(d.columns[d.columnIndex(c)].Header))
	return slices.ContainsFunc(d.nameWords(c), func(name []string) bool {
		n := len(name)
		if n == 0 || len(words) <= n || len(words) > n+maxBeyond {
			return false
		}
		return len(d.extraWords(strings.Join(words[:n], " ")+" x", name)) == 1 || len(d.extraWords(strings.Join(words[len(words)-n:], " ")+" x", name)) == 1
	})
}

// maxBeyond is the most words that describe a kind.
const maxBeyond = 2

// valuesFit reports whether the values of a column may be those of the field,
// and adds why it is in question.
func (d *decision) valuesFit(c *candidate) bool {
	column := d.columns[d.columnIndex(*c)]
	p := profileColumn(column)
	c.reasons = []reason{func(header string) intray.Message {
		return intray.NewMessage("mapping.header_contains_name", intray.Params{"header": header})
	}}
	return !p.rulesOut(kindOf(d.fields[c.field].Type.Name))
}
