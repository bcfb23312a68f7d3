package lint

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

func boolOption(f intray.Field, name string) bool {
	on, _ := f.Type.Options[name].(bool)
	return on
}

// optionWord is one name of an option: the index of the option, the property and the text.
type optionWord struct {
	option int
	what   string
	text   string
	folded string
}

// optionWords returns the names of the options of a field.
func (l *linter) optionWords(f intray.Field) []optionWord {
	size := 2 * len(f.SelectOptions)
	for _, o := range f.SelectOptions {
		size += len(o.AlternateMatches)
	}
	all := make([]optionWord, 0, size)
	var alternates []string // the properties of alternate names
	for i, o := range f.SelectOptions {
		all = append(all, optionWord{option: i, what: "label", text: o.Label})
		if o.Value != o.Label {
			all = append(all, optionWord{option: i, what: "value", text: o.Value})
		}
		for n, text := range o.AlternateMatches {
			if n == len(alternates) {
				alternates = append(alternates, indexed("alternateMatches", n))
			}
			all = append(all, optionWord{option: i, what: alternates[n], text: text})
		}
	}
	skipped := false
	for i := range all {
		// Most text takes little time to normalize, but some becomes many times longer.
		if size := unusualBytes(all[i].text); size > l.budget.unusualBytes {
			skipped = true
		} else {
			l.budget.unusualBytes -= size
			all[i].folded = optionName(all[i].text)
		}
	}
	if skipped {
		l.budget.optionsLeft++
	}
	return all
}

// unusualBytes returns the length of text, in bytes, if it is not ASCII, and 0 otherwise.
func unusualBytes(text string) int {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return 0
	}
	return len(text)
}

// checkOptions checks the options of a select.
func (l *linter) checkOptions(i int, f intray.Field) {
	if f.Type.Name != intray.TypeSelect && f.Type.Name != intray.TypeMultiSelect {
		if len(f.SelectOptions) > 0 {
			l.warn(l.fieldAt(i, "selectOptions"), "options_ignored", intray.NewMessage("lint.options_ignored", intray.Params{"type": string(f.Type.Name)}))
		}
		return
	}
	words := l.optionWords(f)
	l.checkEmptyOptions(i, words)
	l.checkDelimiter(i, f, words)
	if f.Type.Name == intray.TypeSelect && boolOption(f, "allowCustom") && boolOption(f, "exactMatchOnly") {
		l.info(l.fieldAt(i, "type"), "custom_beside_exact", intray.NewMessage("lint.custom_beside_exact", nil))
	}
	reported := l.checkAlikeOptions(i, f, words)
	if f.Type.Name == intray.TypeSelect && (boolOption(f, "exactMatchOnly") || boolOption(f, "allowCustom")) {
		return // only exact matches count
	}
	l.checkCloseOptions(i, words, reported)
}

func (l *linter) checkEmptyOptions(i int, words []optionWord) {
	for _, w := range words {
		if strings.TrimSpace(w.text) == "" && w.what != "" {
			l.warn(l.optionAt(i, w.option, w.what), "empty_option", intray.NewMessage("lint.empty_option", intray.Params{"kind": kindOfName(w.what)}))
		}
	}
}

// checkDelimiter reports names that the delimiter of a multi-select splits.
func (l *linter) checkDelimiter(i int, f intray.Field, words []optionWord) {
	delimiter, written := f.Type.Options["delimiter"].(string)
	if delimiter == "" {
		delimiter = ","
		if written {
			l.info(l.fieldAt(i, "type"), "delimiter_empty", intray.NewMessage("lint.delimiter_empty", nil))
		}
	}
	last := -1
	for _, w := range words {
		if f.Type.Name != intray.TypeMultiSelect || w.option == last || !strings.Contains(w.text, delimiter) {
			continue
		}
		last = w.option
		l.warn(l.optionAt(i, w.option, w.what), "option_has_delimiter",
			intray.NewMessage("lint.option_has_delimiter", intray.Params{"kind": kindOfName(w.what), "name": shorten(w.text), "delimiter": shorten(delimiter)}))
	}
}

// checkAlikeOptions reports options that differ only in case, spaces or accents, once for
// each option. It returns these options.
func (l *linter) checkAlikeOptions(i int, f intray.Field, words []optionWord) map[int]bool {
	taken := make(map[string]optionWord, len(words))
	reported := map[int]bool{}
	for _, w := range words {
		first, known := taken[w.folded]
		switch {
		case w.folded == "":
		case !known:
			taken[w.folded] = w
		case first.option != w.option && !reported[w.option]:
			reported[w.option] = true
			level := intray.LevelWarning
			if boolOption(f, "exactMatchOnly") {
				level = intray.LevelInfo
			}
			l.addFinding(l.optionAt(i, w.option, w.what), level, "options_alike",
				intray.NewMessage("lint.options_alike", intray.Params{"name": shorten(w.text), "kind": kindOfName(first.what), "path": indexed("selectOptions", first.option), "other": shorten(first.text)}))
		}
	}
	return reported
}

// mayOfferOptions reports whether a hook may offer options that the fields do not have.
// Hooks that receive rows can set the options of a cell.
func mayOfferOptions(h intray.Hooks) bool {
	return slices.ContainsFunc(slices.Concat(h.Row, h.BulkRow), func(source string) bool {
		return strings.Contains(source, "selectOptions")
	})
}

// possibleValues returns all values that the cells of a field can have. It returns nil
// unless the schema or the type lists them.
func (l *linter) possibleValues(f intray.Field) []string {
	switch {
	case f.Type.Name == intray.TypeCheckbox:
		return []string{"true", "false"}
	case f.Type.Name == intray.TypeSelect && !boolOption(f, "allowCustom") && !l.hooksMayOffer && len(f.SelectOptions) > 0:
		values := make([]string, len(f.SelectOptions))
		for i, o := range f.SelectOptions {
			values[i] = o.Value
		}
		return values
	}
	return nil
}

// checkValues checks a validator against all possible values of a field. It returns true if
// no value satisfies the validator.
func (l *linter) checkValues(i, rule int, values []string, keeps func(string) bool) bool {
	if !l.takeTried(values) {
		return false
	}
	broken, named := 0, []intray.Message{}
	for _, v := range values {
		if keeps(v) {
			continue
		}
		if broken++; broken <= maxNamed {
			named = append(named, quoted(v))
		}
	}
	switch {
	case broken == len(values):
		l.warn(l.ruleAt(i, rule, ""), "rule_never_kept", intray.NewMessage("lint.no_value_keeps_rule", intray.Params{"n": broken}))
		return true
	case broken > 0:
		l.warn(l.ruleAt(i, rule, ""), "option_breaks_rule", intray.NewMessage("lint.options_break_rule", intray.Params{"values": listed(named, broken)}))
	}
	return false
}

// takeTried reports whether the budget allows trying a validator on these values.
func (l *linter) takeTried(values []string) bool {
	size, known := l.valueSizes[&values[0]]
	if !known {
		for _, v := range values {
			size += len(v) + 1
		}
		l.valueSizes[&values[0]] = size
	}
	if size > l.budget.valueBytes {
		l.budget.optionsLeft++
		return false
	}
	l.budget.valueBytes -= size
	return true
}

// codePoints returns the number of characters in text as the length validator counts them.
func codePoints(text string) int { return utf8.RuneCountInString(text) }

const (
	// shortWord is the minimum length, in letters, of a word in which a single different
	// letter counts as a typo. Shorter words with a different letter are different words.
	shortWord = 5
	// longName is the maximum length, in bytes, of a name that is compared.
	longName = 64
	// neighbors is the maximum number of other names that a name is compared with, among the
	// names that share a spelling with it.
	neighbors = 8
)

// spelling is a name, complete or with one letter removed: the upper bits of its hash, and the index of the
// name in the lower wordBits bits. Spellings with equal hashes are probably equal.
type spelling uint64

// wordBits is the number of bits for the index of a name. The budget for spellings allows fewer names.
const wordBits = 24

func newSpelling(hash uint64, word int) spelling {
	return spelling(hash>>wordBits<<wordBits | uint64(word))
}

func (s spelling) hash() uint64 { return uint64(s >> wordBits) }

func (s spelling) word() int { return int(s & (1<<wordBits - 1)) }

// checkCloseOptions reports options that differ in one letter, once for each option. Names that
// are one edit apart become equal when at most one letter is removed from each (the deletion
// neighborhood of FastSS), so checkCloseOptions compares only names with a common spelling.
func (l *linter) checkCloseOptions(i int, words []optionWord, reported map[int]bool) {
	words = dedupeNames(words)
	size := 0
	for _, w := range words {
		size += len(w.folded) + 1
	}
	if size > l.budget.variants {
		l.budget.optionsLeft++
		return
	}
	l.budget.variants -= size
	partner := map[int]int{}
	all := spellings(words, size)
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].hash() == all[from].hash() {
			to++
		}
		pairSpellings(words, all[from:to], partner)
		from = to
	}
	for at, w := range words {
		other, is := partner[at]
		if !is || reported[w.option] {
			continue
		}
		reported[w.option] = true
		l.info(l.optionAt(i, w.option, w.what), "options_one_letter_apart",
			intray.NewMessage("lint.options_one_letter_apart", intray.Params{"name": shorten(w.text), "other": shorten(words[other].text), "path": indexed("selectOptions", words[other].option)}))
	}
}

// dedupeNames returns, without duplicates, the names that may differ in one letter from
// other names.
func dedupeNames(words []optionWord) []optionWord {
	seen := make(map[string]bool, len(words))
	kept := make([]optionWord, 0, len(words))
	for _, w := range words {
		if len(w.folded) < shortWord || len(w.folded) > longName || seen[w.folded] {
			continue
		}
		seen[w.folded] = true
		kept = append(kept, w)
	}
	return kept
}

// hashBase is the multiplier of the hash, an odd number without a pattern.
const hashBase = 0x9E3779B97F4A7C15

// spellings returns the spellings of all names, sorted.
func spellings(words []optionWord, size int) []spelling {
	all := make([]spelling, 0, size)
	for at, w := range words {
		before := uint64(0)
		suffix, power := uint64(0), uint64(1)
		// after[k] is the hash of the bytes after byte k. powers[k] is the weight of this hash.
		var after, powers [longName + 1]uint64
		for k := len(w.folded); k >= 0; k-- {
			after[k], powers[k] = suffix, power
			if k > 0 {
				suffix += (uint64(w.folded[k-1]) + 1) * power
				power *= hashBase
			}
		}
		all = append(all, newSpelling(suffix, at))
		for k, r := range w.folded {
			end := k + utf8.RuneLen(r)
			all = append(all, newSpelling(before*powers[end]+after[end], at))
			for _, c := range []byte(w.folded[k:end]) {
				before = before*hashBase + uint64(c) + 1
			}
		}
	}
	return sortSpellings(all)
}

// sortSpellings returns the spellings in ascending order. It first distributes a long list by the upper bits,
// because hashes are evenly distributed.
func sortSpellings(all []spelling) []spelling {
	const bucketBits = 14
	if len(all) < 1<<bucketBits {
		slices.Sort(all)
		return all
	}
	var ends [1 << bucketBits]int32
	for _, s := range all {
		ends[s>>(64-bucketBits)]++
	}
	total := int32(0)
	for i, n := range ends {
		ends[i], total = total, total+n
	}
	sorted := make([]spelling, len(all))
	for _, s := range all {
		end := &ends[s>>(64-bucketBits)]
		sorted[*end] = s
		*end++
	}
	from := int32(0)
	for _, end := range ends {
		slices.Sort(sorted[from:end])
		from = end
	}
	return sorted
}

// pairSpellings finds, for each of the names that share a spelling, an earlier name that differs
// in one letter.
func pairSpellings(words []optionWord, same []spelling, partner map[int]int) {
	for k, s := range same {
		word := s.word()
		for _, before := range same[max(0, k-neighbors):k] {
			other := before.word()
			if other == word {
				continue
			}
			if first, is := partner[word]; is && first <= other {
				continue
			}
			if words[other].option != words[word].option && oneLetterApart(words[other].folded, words[word].folded) {
				partner[word] = other
			}
		}
	}
}

// oneLetterApart reports whether two names differ only in one long word, and only by one
// letter or by two swapped adjacent letters.
func oneLetterApart(a, b string) bool {
	if strings.IndexByte(a, ' ') < 0 && strings.IndexByte(b, ' ') < 0 {
		return a != b && isOneEditApart([]rune(a), []rune(b))
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	differs := -1
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if differs >= 0 {
			return false
		}
		differs = i
	}
	return differs >= 0 && isOneEditApart([]rune(x[differs]), []rune(y[differs]))
}

func isOneEditApart(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < shortWord || len(b)-len(a) > 1 || !lettersOnly(a) || !lettersOnly(b) {
		return false
	}
	start := 0
	for start < len(a) && a[start] == b[start] {
		start++
	}
	x, y := a[start:], b[start:]
	if len(a) < len(b) {
		return slices.Equal(x, y[1:])
	}
	swapped := len(x) > 1 && x[0] == y[1] && x[1] == y[0] && slices.Equal(x[2:], y[2:])
	return swapped || slices.Equal(x[1:], y[1:])
}

// lettersOnly reports whether a word consists only of letters. In codes, a single different
// character is significant.
func lettersOnly(word []rune) bool {
	return !slices.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
}
