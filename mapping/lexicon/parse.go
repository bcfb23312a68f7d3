package lexicon

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse parses all files in a folder whose names end in .txt. Their order does not matter.
// Nearly all errors name the file and the line.
func Parse(folder fs.FS) (*Lexicon, error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, fmt.Errorf("list lexicon files: %w", err)
	}
	p := &parser{lexicon: &Lexicon{
		concepts: map[string]*Concept{}, qualifiers: map[string]*Qualifier{},
		names: make(map[string][]sense, usualNames), noise: map[string]bool{}, sides: map[string][]side{}, typoIndex: map[typoKey][]string{},
		longNames: map[longKey][]int32{}, specialCases: map[string]string{},
	}, added: make([]longName, 0, usualNames)}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("read lexicon file %s: %w", name, err)
		}
		if err := p.parseFile(name, string(text)); err != nil {
			return nil, err
		}
	}
	if err := p.resolve(); err != nil {
		return nil, err
	}
	return p.lexicon, nil
}

// usualNames is the approximate number of names in Intray's lexicon.
const usualNames = 28000

type parser struct {
	lexicon *Lexicon
	// at is the file and line that the parser has reached.
	at position
	// block is the block to which the current indented lines belong.
	block block
	// links are checked after all files have been parsed.
	links []link
	// added holds the names in the order in which they were added.
	added []longName
}

type position struct {
	file string
	line int
}

type block struct {
	concept   *Concept
	qualifier *Qualifier
	noise     bool
	// opposites is the number of the block among the blocks of opposites, counted from 1, or 0
	// for any other block.
	opposites int
}

// link is a word in one block that refers to a different block.
type link struct {
	at   position
	what string
	name string
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.at.file, p.at.line, fmt.Sprintf(format, args...))
}

func (p *parser) parseFile(name, text string) error {
	p.at, p.block = position{file: name}, block{}
	if !utf8.ValidString(text) {
		return p.errorf("the file is no UTF-8")
	}
	for line := range strings.Lines(text) {
		p.at.line++
		line = strings.TrimRight(line, " \t\r\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		var err error
		if line[0] == ' ' || line[0] == '\t' {
			err = p.parseBlockLine(strings.TrimSpace(line))
		} else {
			err = p.parseBlockStart(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseBlockStart parses the first line of a block: concept NAME: VALUES, qualifier NAME:
// FACET, apart or noise.
func (p *parser) parseBlockStart(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	name, of, _ := strings.Cut(rest, ":")
	name, of = strings.TrimSpace(name), strings.TrimSpace(of)
	if kind == "noise" && rest == "" {
		p.block = block{noise: true}
		return nil
	}
	if kind == "apart" && rest == "" {
		p.lexicon.pairs++
		p.block = block{opposites: p.lexicon.pairs}
		return nil
	}
	if kind != "concept" && kind != "qualifier" || name == "" || of == "" {
		return p.errorf("%q begins no block: write concept NAME: VALUES, qualifier NAME: FACET, apart or noise", line)
	}
	if kind == "concept" && p.lexicon.concepts[name] != nil || kind == "qualifier" && p.lexicon.qualifiers[name] != nil {
		return p.errorf("the %s %s is there already", kind, name)
	}
	if kind == "concept" {
		c := &Concept{Name: name, Values: of, Unsaid: defaultPartCost, Extra: defaultPartCost, head: name, substituteCosts: map[string]float64{}}
		if !slices.Contains(ValueKinds, of) {
			return p.errorf("%q is not a kind of values: use %s", of, strings.Join(ValueKinds, ", "))
		}
		p.block = block{concept: c}
		p.lexicon.concepts[name] = c
		return nil
	}
	q := &Qualifier{Name: name, Facet: of, Unsaid: Never, Extra: Never, substituteCosts: map[string]float64{}}
	p.block = block{qualifier: q}
	p.lexicon.qualifiers[name] = q
	return nil
}

// ValueKinds lists the kinds of values that concepts can have.
var ValueKinds = []string{
	"any", "text", "name", "prose", "date", "time", "amount", "number", "email", "phone", "url", "domain", "id",
	"iban", "flag", "currency", "country", "postal", "uuid", "percent",
}

// parseBlockLine parses an indented line of a block: a keyword and its content.
func (p *parser) parseBlockLine(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	_, isCue := cueKinds[word]
	switch {
	case p.block == (block{}):
		return p.errorf("the line belongs to no block")
	case rest == "":
		return p.errorf("%q says nothing", line)
	case p.block.opposites > 0:
		return p.parseOpposites(word, rest)
	case word == "near":
		return p.parseNear(rest)
	case word == "few":
		if p.block.concept == nil {
			return p.errorf("%q belongs to a concept", "few")
		}
		p.block.concept.Few = rest
		return nil
	case word == "unsaid", word == "extra":
		return p.parsePartCost(word, rest)
	case word == "alone", word == "values":
		return p.parseQualifierLine(word, rest)
	case word == "is", word == "not", word == "bare", isCue:
		return p.parseConceptLine(word, rest)
	case len(word) == 2:
		return p.parseNames(word, rest)
	}
	return p.errorf("%q is neither a language of two letters nor one of is, bare, with, claims, after, next, not, near, few, unsaid, extra, values, alone", word)
}

func (p *parser) addLink(what, name string) { p.links = append(p.links, link{p.at, what, name}) }

func (p *parser) parseConceptLine(word, rest string) error {
	c := p.block.concept
	if c == nil {
		return p.errorf("%q belongs to a concept", word)
	}
	if word == "bare" {
		cost, err := p.parseCost(rest)
		c.Bare = cost
		return err
	}
	parts := strings.Fields(rest)
	if word == "not" {
		c.Not = append(c.Not, parts...)
		for _, name := range parts {
			p.addLink("concept", name)
		}
		return nil
	}
	if kind, ok := cueKinds[word]; ok {
		return p.parseCues(kind, word, parts)
	}
	c.head, c.qualifiers = parts[0], parts[1:]
	p.addLink("concept", c.head)
	for _, name := range c.qualifiers {
		p.addLink("qualifier", name)
	}
	return nil
}

// cueKinds maps the first word of a line to the kind of its cues.
var cueKinds = map[string]CueKind{"with": CueWith, "claims": CueClaims, "after": CueAfter, "next": CueNextTo}

func (p *parser) parseCues(kind CueKind, word string, names []string) error {
	if len(names) != 2 {
		return p.errorf("%q: write %s and two concepts", strings.Join(names, " "), word)
	}
	for _, name := range names {
		p.addLink("concept", name)
	}
	p.block.concept.Cues = append(p.block.concept.Cues, Cue{kind, names[0], names[1]})
	return nil
}

// defaultPartCost is the default cost of a concept that is part of a second concept.
const defaultPartCost = 0.35

func (p *parser) parseQualifierLine(word, rest string) error {
	q := p.block.qualifier
	switch {
	case q == nil:
		return p.errorf("%q belongs to a qualifier", word)
	case word == "alone":
		q.Alone = rest
		p.addLink("concept", rest)
	case rest == "same":
		q.Same = true
	case rest == "differ":
		q.Differ = true
	default:
		return p.errorf("%q: write values same or values differ", rest)
	}
	return nil
}

// parsePartCost parses the cost Unsaid or Extra of the block's concept or qualifier.
func (p *parser) parsePartCost(word, rest string) error {
	cost, err := p.parseCost(rest)
	if err != nil {
		return err
	}
	c, q := p.block.concept, p.block.qualifier
	switch {
	case c != nil && word == "unsaid":
		c.Unsaid = cost
	case c != nil:
		c.Extra = cost
	case q != nil && word == "unsaid":
		q.Unsaid = cost
	case q != nil:
		q.Extra = cost
	default:
		return p.errorf("noise costs nothing")
	}
	return nil
}

// parseCost parses a cost: a whole number of hundredths from 0 to 99, or the word never.
func (p *parser) parseCost(text string) (float64, error) {
	if text == "never" {
		return Never, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= 100 {
		return 0, p.errorf("%q is not a cost: write hundredths from 0 to 99, or never", text)
	}
	return float64(n) / 100, nil
}

func (p *parser) parseNear(rest string) error {
	name, text, _ := strings.Cut(rest, " ")
	cost, err := p.parseCost(strings.TrimSpace(text))
	if err != nil {
		return err
	}
	switch {
	case p.block.concept != nil:
		p.block.concept.substituteCosts[name] = cost
		p.addLink("concept", name)
	case p.block.qualifier != nil:
		p.block.qualifier.substituteCosts[name] = cost
		p.addLink("qualifier", name)
	default:
		return p.errorf("noise is near nothing")
	}
	return nil
}

// parseNames parses names separated by commas. A name that ends in ? also has a different
// meaning.
func (p *parser) parseNames(language, rest string) error {
	set, err := p.languageBit(language)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(rest, ",") {
		name = strings.TrimSpace(name)
		plain := strings.TrimSuffix(name, "?")
		for _, spelled := range spellings(plain) {
			words := SplitWords(spelled)
			key := strings.Join(words, "")
			if key == "" {
				return p.errorf("the name %q has no letters", name)
			}
			if p.block.noise {
				p.lexicon.noise[key] = true
				continue
			}
			if p.lexicon.names[key] == nil {
				p.added = append(p.added, longName{key, partsOf(key, words)})
			}
			if err := p.addSense(key, sense{p.block.concept, p.block.qualifier, plain != name, set}); err != nil {
				return err
			}
		}
	}
	if c := p.block.concept; c != nil {
		c.langs |= set
	}
	if q := p.block.qualifier; q != nil {
		q.langs |= set
	}
	return nil
}

// partsOf returns words, which together are key, as parts of key. This saves the memory of the words.
func partsOf(key string, words []string) []string {
	at := 0
	for i, w := range words {
		words[i] = key[at : at+len(w)]
		at += len(w)
	}
	return words
}

func (p *parser) languageBit(code string) (uint64, error) {
	l := p.lexicon
	i := slices.Index(l.languages, code)
	if i < 0 {
		i = len(l.languages)
		l.languages = append(l.languages, code)
	}
	if i >= 64 {
		return 0, p.errorf("%s is one language too many: there is room for 64", code)
	}
	return 1 << i, nil
}

// addSense adds a sense of a name. Several concepts may share a name only if at most one of them
// declares it without a final question mark.
func (p *parser) addSense(key string, s sense) error {
	l := p.lexicon
	for i, other := range l.names[key] {
		if other.sameTarget(s) {
			l.names[key][i].langs |= s.langs
			l.names[key][i].doubtful = other.doubtful && s.doubtful
			return nil
		}
		if s.concept != nil && other.concept != nil && !s.doubtful && !other.doubtful {
			return p.errorf("%q is a name of %s and of %s: mark it with ? where it is the lesser one", key, s.concept.Name, other.concept.Name)
		}
	}
	l.names[key] = append(l.names[key], s)
	n := utf8.RuneCountInString(key)
	if first, _ := utf8.DecodeRuneInString(key); len(l.names[key]) == 1 && n >= shortestTypo {
		l.typoIndex[typoKey{first, n}] = append(l.typoIndex[typoKey{first, n}], key)
	}
	return nil
}

// resolve checks the references between blocks.
func (p *parser) resolve() error {
	l := p.lexicon
	for _, one := range p.links {
		p.at = one.at
		if one.what == "concept" && l.concepts[one.name] == nil || one.what == "qualifier" && l.qualifiers[one.name] == nil {
			return p.errorf("there is no %s %s", one.what, one.name)
		}
	}
	slices.SortFunc(p.added, func(a, b longName) int { return strings.Compare(a.key, b.key) })
	l.long = p.added[:0] // a name is never stored before it is read
	for _, name := range p.added {
		l.addLongName(name.key, name.words)
	}
	for _, name := range slices.Sorted(maps.Keys(l.concepts)) {
		c := l.concepts[name]
		if len(c.Cues) > 0 {
			l.cued = append(l.cued, name)
		}
		if len(c.qualifiers) > 0 {
			l.specialCases[caseKey(c.head, slices.Sorted(slices.Values(c.qualifiers)))] = name
		}
	}
	for _, c := range l.concepts {
		if head := l.concepts[c.head]; head.head != head.Name {
			return fmt.Errorf("the concept %s is a case of %s, which is itself a case of %s", c.Name, c.head, head.head)
		}
	}
	return nil
}
