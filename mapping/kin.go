package mapping

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// special says whether two columns are each of another kind of what the field
// means: the order date and the ship date for a date. Neither is nearer to it. A
// kind that the schema speaks of is nearer than others.
func (d *decision) special(a, b candidate) bool {
	if a.entry == b.entry || a.near || len(a.extra) > 0 && len(d.foreign(a)) == 0 {
		return false
	}
	return d.kinds(a, b) || d.kindsByName(a, b)
}

// foreign are the qualifiers of a header that neither the field has nor the rest
// of the schema.
func (d *decision) foreign(c candidate) []string {
	return slices.DeleteFunc(slices.Clone(c.extra), func(mark string) bool { return d.index.home[mark] })
}

// kinds says whether the headers name different qualifiers that the field has
// not.
func (d *decision) kinds(a, b candidate) bool {
	x, y := d.foreign(a), b.extra
	return !b.near && len(extras(x, y)) > 0 && len(extras(y, x)) > 0 && !d.first(a)
}

// first says whether the header is that of the first of several.
func (d *decision) first(c candidate) bool {
	return len(facet(d.index.lexicon, c.extra, "rank")) == len(c.extra) && slices.Contains(c.extra, "primary")
}

// kindsByName says whether the headers have the words of the field's name and
// differ in what they say beyond. The second of several is no kind of its own.
func (d *decision) kindsByName(a, b candidate) bool {
	if len(facet(d.index.lexicon, b.extra, "rank")) > len(facet(d.index.lexicon, a.extra, "rank")) {
		return false
	}
	e, f := d.columns[d.column(a)].Header, d.columns[d.column(b)].Header
	return slices.ContainsFunc(d.namesOf(a), func(name []string) bool {
		x, y := d.beyond(e, name), d.beyond(f, name)
		return len(extras(x, y)) > 0 && len(extras(y, x)) > 0
	})
}

// namesOf are the words of the name of the field that a candidate rests on, or of
// its label and key.
func (d *decision) namesOf(c candidate) [][]string {
	if c.meaning.Head != "" {
		return [][]string{lexicon.Words(c.meaning.name.text)}
	}
	f := d.fields[c.field]
	return [][]string{lexicon.Words(f.Label), lexicon.Words(f.Key)}
}

// beyond are the words of a header that a name does not have, without figures, words
// that change nothing, and what stands in brackets, such as a unit; none where the header does not have all words of the
// name. A word may stand at the end of another, as in a compound, and may be
// abbreviated.
func (d *decision) beyond(header string, name []string) []string {
	words := lexicon.Words(lexicon.WithoutAside(header))
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
		return d.index.lexicon.Noise(w) || strings.IndexFunc(w, unicode.IsLetter) < 0
	})
}

// minCompound is how many letters a word has at least that is looked for at the
// end of others.
const minCompound = 4

// kin are the columns that have what a field means in their names, and something
// else besides, so that the lexicon keeps them from the field. Beside a column
// that is a kind of its own they are as likely.
func (d *decision) kin(c candidate) []candidate {
	seen := map[int]bool{c.entry: true}
	var list []candidate
	offer := func(e int, extra []string) {
		other := candidate{field: c.field, entry: e, meaning: c.meaning, extra: extra}
		if _, known := d.orders[[2]int{c.field, e}]; !known && !seen[e] && d.kindsByName(c, other) && d.plain(other) {
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
			offer(e, extras(sig.reading.Marks, c.meaning.Marks))
		}
	}
	for _, name := range d.namesOf(c) {
		if len(name) == 0 {
			continue
		}
		for _, e := range d.index.byWord[name[len(name)-1]] {
			offer(e, nil)
		}
	}
	return list
}

// isKind says whether a header says more than the name of the field.
func (d *decision) isKind(c candidate) bool {
	return slices.ContainsFunc(d.namesOf(c), func(name []string) bool {
		return len(d.beyond(d.columns[d.column(c)].Header, name)) > 0
	})
}

// plain says whether a header is the name of the field with a word or two before
// it or behind it.
func (d *decision) plain(c candidate) bool {
	words := lexicon.Words(lexicon.WithoutAside(d.columns[d.column(c)].Header))
	return slices.ContainsFunc(d.namesOf(c), func(name []string) bool {
		n := len(name)
		if n == 0 || len(words) <= n || len(words) > n+maxBeyond {
			return false
		}
		return len(d.beyond(strings.Join(words[:n], " ")+" x", name)) == 1 || len(d.beyond(strings.Join(words[len(words)-n:], " ")+" x", name)) == 1
	})
}

// maxBeyond is the most words that tell a kind.
const maxBeyond = 2

// fits says whether the values of a column may be those of the field, and tells
// why it is in question.
func (d *decision) fits(c *candidate) bool {
	column := d.columns[d.column(*c)]
	p := survey(column)
	c.reasons = []reason{func(header string) intray.Message {
		return intray.NewMessage("mapping.header_contains_name", intray.Params{"header": header})
	}}
	return !p.vetoes(kindOf(d.fields[c.field].Type.Name))
}
