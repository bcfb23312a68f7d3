package csv

import (
	"math"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray/source/headerdetect"
)

// columnProfile describes the cells of a column by their kinds, patterns, lengths and quotes.
// It scores how well a new cell fits the column.
type columnProfile struct {
	n       float64
	kinds   [headerdetect.Kinds]float64
	lengths [16]float64
	quoted  float64
	// mean is the mean score of the cells of regular rows.
	mean                      float64
	exact, loose, words, ends frequencyModel
}

// frequencyModel counts distinct strings and estimates the probability that the next string
// has a given value, whether seen before or not. The more strings have occurred only once, the
// more likely a new one is (the Good-Turing estimate).
type frequencyModel struct {
	counts map[string]float64
	n      float64
	once   float64
}

// maxDistinctTexts is the maximum number of distinct strings that are counted.
const maxDistinctTexts = 1024

func (t *frequencyModel) observe(text string) {
	t.n++
	seen := t.counts[text]
	switch {
	case seen == 0 && len(t.counts) >= maxDistinctTexts:
		return
	case seen == 0:
		t.once++
	case seen == 1:
		t.once--
	}
	t.counts[text]++
}

// unseenPenalty is subtracted from the log probability of a new string, because the probability
// of one particular new string is lower than that of all new strings together.
const unseenPenalty = 2

func (t *frequencyModel) logProbability(text string) float64 {
	if seen := t.counts[text]; seen > 0 {
		return math.Log(seen / (t.n + 1))
	}
	return math.Log((t.once+0.5)/(t.n+1)) - unseenPenalty
}

// features holds the properties of a cell that a profile uses.
type features struct {
	kind         headerdetect.Kind
	exact, loose string
	// ends holds the classes of the first and the last character.
	ends   string
	length int
	quoted bool
	text   string
}

func featuresOf(text string, quoted bool) features {
	exact, loose := patterns(text)
	return features{
		kind: headerdetect.KindOf(text), exact: exact, loose: loose, ends: endClasses(text),
		length: min(bits.Len(uint(len(text))), 15), quoted: quoted, text: text,
	}
}

// patternRunes is the maximum number of characters of a cell that its patterns describe.
const patternRunes = 40

// patterns returns two patterns of text. exact has the class of each character, and loose has
// the class of each run of characters.
func patterns(text string) (exact, loose string) {
	full, runs := make([]rune, 0, patternRunes+1), make([]rune, 0, patternRunes)
	n := 0
	for _, r := range text {
		if n++; n > patternRunes {
			full = append(full, '…')
			break
		}
		class := charClass(r)
		full = append(full, class)
		if len(runs) == 0 || runs[len(runs)-1] != class {
			runs = append(runs, class)
		}
	}
	return string(full), string(runs)
}

func charClass(r rune) rune {
	switch {
	case r >= '0' && r <= '9' || unicode.IsDigit(r):
		return '9'
	case unicode.IsUpper(r):
		return 'A'
	case unicode.IsLetter(r):
		return 'a'
	}
	return r
}

func endClasses(text string) string {
	if text == "" {
		return ""
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return string([]rune{charClass(first), charClass(last)})
}

// logProbability returns the natural logarithm of the probability that a cell of the column
// has these features.
func (p *columnProfile) logProbability(f features) float64 {
	share := func(seen, sorts float64) float64 { return math.Log((seen + 0.5) / (p.n + 0.5*sorts)) }
	score := 0.5*p.exact.logProbability(f.exact) + 0.5*p.loose.logProbability(f.loose) +
		0.5*p.ends.logProbability(f.ends) + 0.5*share(p.kinds[f.kind], float64(headerdetect.Kinds)) + 0.7*share(p.lengths[f.length], 16)
	if p.words.once < 0.3*p.n { // the column has few distinct values
		score += 0.3 * p.words.logProbability(f.text)
	}
	if f.text != "" { // empty cells need no quotes
		quoted := p.quoted
		if !f.quoted {
			quoted = p.n - p.quoted
		}
		score += share(quoted, 2)
	}
	return score
}

// tableProfile holds the profiles of all columns of a table.
type tableProfile struct {
	columns []*columnProfile
	// meanScore is the mean score of the regular rows, and scoreSpread measures how much their
	// scores vary.
	meanScore, scoreSpread float64
	// shares holds the shares of the rows that have fewer or more cells than the table has columns, by
	// their number of cells.
	shares map[int]float64
}

// newTableProfile builds a profile from regular rows.
func newTableProfile(width int, rows []rowFeatures) *tableProfile {
	p := &tableProfile{columns: make([]*columnProfile, width)}
	for i := range p.columns {
		fresh := func() frequencyModel { return frequencyModel{counts: map[string]float64{}} }
		p.columns[i] = &columnProfile{exact: fresh(), loose: fresh(), words: fresh(), ends: fresh()}
	}
	for _, row := range rows {
		for i, f := range row {
			c := p.columns[i]
			c.n++
			c.kinds[f.kind]++
			c.lengths[f.length]++
			if f.quoted {
				c.quoted++
			}
			c.exact.observe(f.exact)
			c.loose.observe(f.loose)
			c.words.observe(f.text)
			c.ends.observe(f.ends)
		}
	}
	sum, squares := 0.0, 0.0
	n := float64(max(len(rows), 1))
	for _, row := range rows {
		s := 0.0
		for i, f := range row {
			score := p.columns[i].logProbability(f)
			p.columns[i].mean += score / n
			s += score
		}
		sum += s
		squares += s * s
	}
	p.meanScore = sum / n
	p.scoreSpread = math.Sqrt(max(squares/n-p.meanScore*p.meanScore, 0)) + 1
	return p
}

type rowFeatures []features

func (p *tableProfile) rowScore(row rowFeatures) float64 {
	total := 0.0
	for i, f := range row {
		total += p.columns[i].logProbability(f)
	}
	return total
}
