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

// A column counts as better than another only if its score is higher by more than a margin.
// nearMargin applies if both columns are only related to the field, such as gross and net for an
// amount, because small differences are then meaningless.
const (
	margin     = 0.0003
	nearMargin = 0.0201
)

// inferColumns finds columns for the fields that could not be mapped by name.
func (s *suggestion) inferColumns(ctx context.Context) error {
	if !slices.Contains(s.settled, false) {
		return nil // avoid parsing the lexicon, which is slow
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
	scores := map[[2]int]float64{}
	for _, list := range lists {
		for _, c := range list {
			scores[[2]int{c.field, c.entry}] = c.rankScore()
		}
	}
	d := &decision{suggestion: s, index: x, lists: lists, rankScores: scores, chosen: map[int]candidate{}, owner: map[int]int{}, equals: map[int][]candidate{}}
	chosen, err := solveAssignment(ctx, all)
	if err != nil {
		return err
	}
	for _, c := range chosen {
		d.chosen[c.field], d.owner[c.entry] = c, c.field
	}
	return d.settle(ctx)
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
	// lists holds the candidates of each field. rankScores holds their scores by field and
	// index entry.
	lists      [][]candidate
	rankScores map[[2]int]float64
	// chosen maps each field to its candidate. owner maps each index entry to its field.
	chosen map[int]candidate
	owner  map[int]int
	// equals maps each field to the columns that fit it as well as its own column does. It is
	// computed before any column is assigned, so that the order of fields does not matter.
	equals map[int][]candidate
}

// settle maps columns to the fields, or asks about them, in the order of the schema. It returns an
// error only if ctx is canceled.
func (d *decision) settle(ctx context.Context) error {
	open := map[int]bool{}
	for i := range d.fields {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c, ok := d.chosen[i]; ok {
			d.equals[i] = d.alternatives(c)
			open[i] = d.isAmbiguous(c)
		}
	}
	for i := range d.fields {
		if err := ctx.Err(); err != nil {
			return err
		}
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
	return nil
}

// settleField maps the column of a field or asks about it.
func (d *decision) settleField(i int, open bool) {
	c, ok := d.chosen[i]
	switch {
	case ok && c.isCertain() && !open:
		d.assignColumn(c)
	case ok && c.isCertain() && len(d.contenders(c)) == 0 && d.areTwins(d.equals[i]):
		d.assignTwins(c, d.equals[i])
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

// askNearest asks about the closest columns if no column maps to any field and no other question
// is open. Without such a question, all columns would be dropped silently.
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

// assignColumn maps a column without a question.
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

// areTwins reports whether all columns have the same samples. Then it makes no difference which one is
// chosen, unless later rows differ.
func (d *decision) areTwins(list []candidate) bool {
	first := d.columns[d.columnIndex(list[0])].Samples
	return len(first) > 0 && !slices.ContainsFunc(list[1:], func(c candidate) bool {
		return !slices.Equal(d.columns[d.columnIndex(c)].Samples, first)
	})
}

// assignTwins maps the first of several columns with the same samples.
func (d *decision) assignTwins(c candidate, list []candidate) {
	d.assignColumn(c)
	match := &d.matches[c.field]
	for _, twin := range list {
		if column := d.columnIndex(twin); column != d.columnIndex(c) {
			match.Twins = append(match.Twins, d.columns[column].Index)
			match.Reasons = append(match.Reasons, intray.NewMessage("mapping.same_values", intray.Params{"column": Shorten(d.columns[column].Header)}))
			d.taken[column] = true
		}
	}
}

// columnIndex returns the position of a candidate in the list of columns.
func (d *decision) columnIndex(c candidate) int { return d.index.entries[c.entry].column }

// isAmbiguous reports whether a second column fits the field equally well, or a second field
// fits the column equally well. For a many-to-one field, a second column is not ambiguous,
// because both map to the field.
func (d *decision) isAmbiguous(c candidate) bool {
	return !d.takesMany(c.field) && len(d.equals[c.field]) > 1 || len(d.contenders(c)) > 0
}

// alternatives returns the candidate, followed by the columns that fit its field about
// equally well and do not fit a different field better.
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

// asGood reports whether a second column of a field is as good as the first.
func (d *decision) asGood(c, other candidate) bool {
	return other.rankScore() >= c.rankScore()-margin || other.isAsNear(c) || other.namesSame(c) || d.differInKind(c, other)
}

// namesSame reports whether the headers of two columns are synonyms. It ignores a common
// word of the field's name, such as "name", that occurs in only one of them.
func (c candidate) namesSame(as candidate) bool {
	return c.reading.Head != "" && (c.distinctive || !as.distinctive) && c.reading.Named == as.reading.Named && slices.Equal(c.reading.Qualifiers, as.reading.Qualifiers) &&
		c.rankScore()-c.wordBonus >= as.rankScore()-as.wordBonus-margin
}

// isAvailable reports whether a column does not fit a different field better.
func (d *decision) isAvailable(c, other candidate) bool {
	owner, owned := d.owner[other.entry]
	return !d.taken[d.columnIndex(other)] && (!owned || d.canSwap(c, d.chosen[owner]))
}

// isAsNear reports whether two columns are both only related to the field, the first is about as
// closely related as the second, and the tie break does not favor the second.
func (c candidate) isAsNear(to candidate) bool {
	return c.near && to.near && c.isCertain() && c.score >= to.score-nearMargin && c.tieBreak >= to.tieBreak-margin
}

// canSwap reports whether the columns of two fields would fit equally well if they were swapped.
func (d *decision) canSwap(a, b candidate) bool {
	return d.rankScore(a.field, b.entry) >= a.rankScore()-margin && d.rankScore(b.field, a.entry) >= b.rankScore()-margin
}

// rankScore returns the score of a field and a column, or 0 if the column is not a candidate.
func (d *decision) rankScore(field, entry int) float64 { return d.rankScores[[2]int{field, entry}] }

// contenders returns the other fields that match the column about equally well and that
// have no column or are many-to-one.
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

// askTie asks which of several columns maps to a field.
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

// askWhichField asks to which of several fields a column should map.
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

// holdForAnswer reserves a field and the columns in question until the question is answered.
// Other columns may still map to a many-to-one field.
func (d *decision) holdForAnswer(field int, list []candidate) {
	d.settled[field] = !d.takesMany(field)
	for _, c := range list {
		if owner, owned := d.owner[c.entry]; !owned || owner == field {
			d.taken[d.columnIndex(c)] = true
		}
	}
}

// noteNearMisses adds a note about each column that came close to a field that is unmapped or
// many-to-one, up to maxNearMisses notes.
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

// maxNearMisses is the maximum number of columns that noteNearMisses lists for a field.
const maxNearMisses = 3

func rounded(score float64) float64 { return float64(int(score*1000+0.5)) / 1000 }

// differInKind reports whether two columns are different kinds of the field's concept, such
// as the order date and the ship date for a date. Neither is closer to the field, unless
// the schema mentions one of the kinds.
func (d *decision) differInKind(a, b candidate) bool {
	if a.entry == b.entry || a.near || len(a.extra) > 0 && len(d.foreignQualifiers(a)) == 0 {
		return false
	}
	return d.differInQualifiers(a, b) || d.differInName(a, b)
}

// foreignQualifiers returns the qualifiers of a header that occur neither in the field nor
// in the rest of the schema.
func (d *decision) foreignQualifiers(c candidate) []string {
	return slices.DeleteFunc(slices.Clone(c.extra), func(mark string) bool { return d.index.schemaQualifiers[mark] })
}

// differInQualifiers reports whether the headers have different qualifiers that the field lacks.
func (d *decision) differInQualifiers(a, b candidate) bool {
	x, y := d.foreignQualifiers(a), b.extra
	return !b.near && len(extras(x, y)) > 0 && len(extras(y, x)) > 0 && !d.isPrimary(a)
}

// isPrimary reports whether a header marks its column as the primary one of several similar
// columns.
func (d *decision) isPrimary(c candidate) bool {
	return len(qualifiersOf(d.index.lexicon, c.extra, "rank")) == len(c.extra) && slices.Contains(c.extra, "primary")
}

// differInName reports whether the headers contain the words of the field's name and differ in
// their other words. A column that is only marked as the second one, as in "second email", is
// not a separate kind.
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

// nameWords returns the words of the field name that a candidate matched, or the words of
// the label and of the key.
func (d *decision) nameWords(c candidate) [][]string {
	if c.meaning.Head != "" {
		return [][]string{lexicon.SplitWords(c.meaning.name.text)}
	}
	f := d.fields[c.field]
	return [][]string{lexicon.SplitWords(f.Label), lexicon.SplitWords(f.Key)}
}

// extraWords returns the words of a header that a name lacks. It ignores digits, noise
// words and text in brackets, such as a unit. It returns none if the header lacks a word of
// the name. A word also matches the end of a compound and an abbreviation.
func (d *decision) extraWords(header string, name []string) []string {
	words := lexicon.SplitWords(lexicon.WithoutAside(header))
	for _, part := range name {
		at := slices.IndexFunc(words, func(w string) bool { return w == part || lexicon.Abbreviates(w, part) || lexicon.Abbreviates(part, w) })
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

// minCompound is the minimum length, in letters, of a word that may match the end of a compound.
const minCompound = 4

// variantColumns returns columns whose names express the meaning of the field and additional
// details, so that the lexicon does not match them. They are as likely to belong to the field as
// a column with a related meaning.
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

// isKind reports whether a header is more specific than the name of the field.
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

// maxBeyond is the maximum number of words that a header may add to the name of a field.
const maxBeyond = 2

// valuesFit reports whether the values of a column fit the field. It also sets the candidate's
// only reason: the header contains the name of the field.
func (d *decision) valuesFit(c *candidate) bool {
	column := d.columns[d.columnIndex(*c)]
	p := profileColumn(column)
	c.reasons = []reason{func(header string) intray.Message {
		return intray.NewMessage("mapping.header_contains_name", intray.Params{"header": header})
	}}
	return !p.rulesOut(kindOf(d.fields[c.field].Type.Name))
}
