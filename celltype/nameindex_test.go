package celltype

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// selectField returns a select field with one option per label.
func selectField(labels []string) intray.Field {
	f := intray.Field{Key: "choice", Type: intray.FieldType{Name: intray.TypeSelect}}
	for i, label := range labels {
		f.SelectOptions = append(f.SelectOptions, intray.SelectOption{Label: label, Value: fmt.Sprintf("value %d", i)})
	}
	return f
}

// closestByComparingAll returns the option that closestOption must return. It compares the text
// with all names.
func closestByComparingAll(p *optionMatcher, text []rune) *choice {
	most := min(maxEdits, len(text)/editShare)
	if most == 0 {
		return nil
	}
	best, second := most+minLead, most+minLead
	var found *choice
	for _, c := range p.names {
		d := editDistance(text, c.name, most+minLead)
		switch {
		case d < best:
			if c.option != found {
				second = best
			}
			best, found = d, c.option
		case c.option != found && d < second:
			second = d
		}
	}
	if best > most || second < best+minLead {
		return nil
	}
	var near []nearName
	for _, c := range p.names {
		if d := editDistance(text, c.name, maxEdits+1); c.option == found && d <= maxEdits {
			near = append(near, nearName{&c, d})
		}
	}
	if !hasSameSignificantRunes(near, text) {
		return nil
	}
	return found
}

// TestFindingS5SameOptionAsExhaustiveSearch checks that the search with the index finds the same
// option as the comparison with all names, whether it uses the index of deletions or not.
func TestFindingS5SameOptionAsExhaustiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := []rune(rapid.SampledFrom([]string{"ab", "abcdef", "abé12- ", "abcdefghijklmnopqrstuvwxyz"}).Draw(t, "letters"))
		word := rapid.StringOfN(rapid.SampledFrom(letters), 1, 14, -1)
		prefix := rapid.SampledFrom([]string{"", "", "department of ", "un", "a"}).Draw(t, "prefix")
		words := rapid.SliceOfNDistinct(word, 1, 30, rapid.ID[string]).Draw(t, "words")
		for i := range words {
			words[i] = prefix + words[i]
		}
		f := selectField(words)
		for i := range f.SelectOptions {
			f.SelectOptions[i].AlternateMatches = rapid.SliceOfN(word, 0, 2).Draw(t, "alternate matches")
		}
		p := newOptionMatcher(f, nil, NewSearchBudget(MaxSearchSteps))
		text := []rune(normalizeName(rapid.SampledFrom(words).Draw(t, "word")))
		for range rapid.IntRange(0, 5).Draw(t, "edits") {
			text = edited(t, text, letters)
		}
		if p.loose[string(text)] != nil {
			return // matchText does not search
		}
		want := closestByComparingAll(p, text)
		if got := p.closestOption(text); got != want {
			t.Fatalf("%q: got %+v, want %+v", string(text), got, want)
		}
		filler := p.names[0]
		for len(p.names) < minIndexed {
			p.names = append(p.names, filler)
		}
		large := newNameIndex(p.names)
		large.searches.Store(minSearches)
		p.index = func() *nameIndex { return large }
		if got := p.closestOption(text); got != want {
			t.Fatalf("%q with the index of deletions: got %+v, want %+v", string(text), got, want)
		}
	})
}

// edited returns text after one edit.
func edited(t *rapid.T, text, letters []rune) []rune {
	text = slices.Clone(text)
	at := rapid.IntRange(0, len(text)).Draw(t, "position")
	one := rapid.SampledFrom(letters).Draw(t, "letter")
	switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
	case kind == 0 || at == len(text):
		return slices.Insert(text, at, one)
	case kind == 1:
		return slices.Delete(text, at, at+1)
	case kind == 2 && at > 0:
		text[at-1], text[at] = text[at], text[at-1]
	default:
		text[at] = one
	}
	return text
}

// words returns n distinct random words.
func words(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 21))
	seen := map[string]bool{}
	for len(seen) < n {
		word := make([]byte, 12)
		for i := range word {
			word[i] = byte('a' + r.IntN(26))
		}
		seen[string(word)] = true
	}
	list := make([]string, 0, n)
	for word := range seen {
		list = append(list, word)
	}
	slices.Sort(list)
	return list
}

// TestFindingS5ManyOptions checks that the search for values among 20,000 options takes far fewer
// steps than their number suggests, and that it happens once for each distinct value.
func TestFindingS5ManyOptions(t *testing.T) {
	const rows, distinct, options = 50_000, 5_000, 20_000
	budget := NewSearchBudget(MaxSearchSteps)
	parser, err := CompileWithBudget(selectField(words(options, 1)), budget)
	if err != nil {
		t.Fatal(err)
	}
	unknown := words(distinct, 2)
	steps := func(rows int) int64 {
		before := budget.left.Load()
		for i := range rows {
			if r := parser.Parse(Cell{Raw: []byte(unknown[i%distinct])}, nil); r.State != Invalid {
				t.Fatalf("%q is read as %q", unknown[i%distinct], r.Value)
			}
		}
		return before - budget.left.Load()
	}
	const names, edits = 2 * options, 12 * (2*maxEdits + 1)
	if got, most := steps(distinct), int64(distinct*names*edits/100); got > most {
		t.Errorf("%d steps for %d values, more than %d", got, distinct, most)
	}
	if got := steps(rows); got != 0 {
		t.Errorf("%d steps for values that were searched before", got)
	}
}

// TestFindingS5SearchBudget checks that values are invalid, with the reason, after the budget is
// exhausted, and that exact matches need no budget.
func TestFindingS5SearchBudget(t *testing.T) {
	for _, kind := range []intray.TypeName{intray.TypeSelect, intray.TypeMultiSelect} {
		f := selectField([]string{"Berlin", "Hamburg"})
		f.Type.Name = kind
		parser, err := CompileWithBudget(f, NewSearchBudget(1))
		if err != nil {
			t.Fatal(err)
		}
		if r := parser.Parse(Cell{Raw: []byte("Hambrug")}, nil); r.State != Parsed {
			t.Errorf("%s: the first value is read as %+v", kind, r)
		}
		if r := parser.Parse(Cell{Raw: []byte("nowhere")}, nil); r.State != Invalid || r.Problem.Code != "select.not_compared" {
			t.Errorf("%s: a value without a budget is read as %+v", kind, r)
		}
		if r := parser.Parse(Cell{Raw: []byte("BERLIN")}, nil); r.State != Parsed {
			t.Errorf("%s: an exact match is read as %+v", kind, r)
		}
	}
	stopped := NewSearchBudget(MaxSearchSteps)
	stopped.Stop()
	parser, err := CompileWithBudget(selectField(append(words(minRemembered, 1), "Hamburg")), stopped)
	if err != nil {
		t.Fatal(err)
	}
	if r := parser.Parse(Cell{Raw: []byte("Hambrug")}, nil); r.State != Invalid || r.Problem.Code != "select.not_compared" {
		t.Errorf("a value after the searches were stopped is read as %+v", r)
	}
}

// TestFindingS5ManyValuesInOneCell checks that a cell with many values needs no comparison of
// each value with all others.
func TestFindingS5ManyValuesInOneCell(t *testing.T) {
	var state cellState
	var values []string
	for i := range 3 * valuesBufferSize {
		value := fmt.Sprint(i)
		if state.isRepeated(values, value) {
			t.Fatalf("%s is repeated before it is added", value)
		}
		if values = append(values, value); !state.isRepeated(values, value) {
			t.Fatalf("%s is not repeated after it is added", value)
		}
	}
	if len(state.seen) != len(values) {
		t.Errorf("%d values, %d of them in the set", len(values), len(state.seen))
	}
}

// TestFindingB20CaseAlone checks that a value that differs only in case is not reported as a
// different value.
func TestFindingB20CaseAlone(t *testing.T) {
	f := intray.Field{Key: "status", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: []intray.SelectOption{
		{Label: "Open", Value: "o", AlternateMatches: []string{"Nouveau client"}}, {Label: "Élevé", Value: "high"}, {Label: "Closed", Value: "c"},
	}}
	for _, c := range []struct {
		text, option string
		mapped       bool
	}{
		{"open", "o", false}, {"OPEN", "o", false}, {"oPEn", "o", false}, {"O", "o", false}, {"nouveau CLIENT", "o", false},
		{"élevé", "high", false}, {"ÉLEVÉ", "high", false}, {"éLEVé", "high", false}, {"HIGH", "high", false},
		{"eleve", "high", true}, {"opne", "o", true}, {"nouveau-client", "o", true}, {"ÉLÉVÉ", "high", true},
	} {
		for _, kind := range []intray.TypeName{intray.TypeSelect, intray.TypeMultiSelect} {
			f.Type.Name = kind
			parser, err := Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			want := c.option
			if kind == intray.TypeMultiSelect {
				want = fmt.Sprintf("[%q]", c.option)
			}
			r := parser.Parse(Cell{Raw: []byte(c.text)}, nil)
			if string(r.Value) != want || (r.Note != nil) != c.mapped {
				t.Errorf("%s %q: got %q, note %v; want %q, note %v", kind, c.text, r.Value, r.Note, want, c.mapped)
			}
		}
	}
}

// bigramIndex is an alternative to the index of deletions: it finds the names that have enough
// pairs of adjacent characters in common with a text.
type bigramIndex struct {
	names  []optionName
	byPair map[[2]rune][]int32
}

func newBigramIndex(names []optionName) *bigramIndex {
	x := &bigramIndex{names: names, byPair: map[[2]rune][]int32{}}
	for i, n := range names {
		for k := 1; k < len(n.name); k++ {
			pair := [2]rune(n.name[k-1 : k+1])
			x.byPair[pair] = append(x.byPair[pair], int32(i))
		}
	}
	return x
}

// within returns the number of names that are at most maxEdits edits from the text. An edit
// changes at most three pairs.
func (x *bigramIndex) within(text []rune, common map[int32]int) (found int) {
	clear(common)
	for k := 1; k < len(text); k++ {
		for _, i := range x.byPair[[2]rune(text[k-1:k+1])] {
			common[i]++
		}
	}
	for i, n := range common {
		if n >= len(text)-1-3*maxEdits && editDistance(text, x.names[i].name, maxEdits+1) <= maxEdits {
			found++
		}
	}
	return found
}

// BenchmarkClosest compares ways to find the names that are close to a text that is no option.
func BenchmarkClosest(b *testing.B) {
	for _, n := range []int{50, 1000, 20_000} {
		lists := map[string][]string{"words": words(n, 1), "common prefix": nil}
		for _, word := range lists["words"] {
			lists["common prefix"] = append(lists["common prefix"], "department of "+word)
		}
		for _, kind := range []string{"words", "common prefix"} {
			p := newOptionMatcher(selectField(lists[kind]), nil, NewSearchBudget(1<<62))
			var texts [][]rune
			for _, word := range words(1000, 2) {
				texts = append(texts, []rune(lists[kind][0][:len(lists[kind][0])-12]+word))
			}
			each := func(name string, search func(text []rune)) {
				b.Run(fmt.Sprintf("%s/%d/%s", kind, n, name), func(b *testing.B) {
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						search(texts[i%len(texts)])
					}
				})
			}
			each("all", func(text []rune) { closestByComparingAll(p, text) })
			signatures, deletions := newNameIndex(p.names), newNameIndex(p.names)
			deletions.searches.Store(minSearches)
			accept := func(nearName) bool { return true }
			each("signatures", func(text []rune) { signatures.newSearch(text).scan(maxEdits, accept) })
			each("deletions", func(text []rune) { deletions.newSearch(text).within(accept) })
			bigrams, common := newBigramIndex(p.names), map[int32]int{}
			each("bigrams", func(text []rune) { bigrams.within(text, common) })
		}
	}
}

func BenchmarkNameIndex(b *testing.B) {
	p := newOptionMatcher(selectField(words(20_000, 1)), nil, NewSearchBudget(MaxSearchSteps))
	b.Run("signatures", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newNameIndex(p.names)
		}
	})
	b.Run("deletions", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newDeletionIndex(p.names)
		}
	})
	b.Run("bigrams", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newBigramIndex(p.names)
		}
	})
}
