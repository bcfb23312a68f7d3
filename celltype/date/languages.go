package date

import (
	"math/bits"
	"slices"

	"github.com/intraydata/intray"
)

// monthNameStats counts, for each language, the cells whose month name exists in that language.
type monthNameStats struct {
	cells     int64
	languages [64]int64
	ambiguous []ambiguousName // at most 16
}

// ambiguousName is a name that means different months in two languages.
type ambiguousName struct {
	id      wordID
	example string
}

func (n *monthNameStats) observe(p *parts, raw []byte) {
	if p.name == 0 {
		return
	}
	n.cells++
	senses := p.name.entry().months
	var all Languages
	for _, s := range senses {
		all |= s.languages
	}
	for ; all != 0; all &= all - 1 {
		n.languages[bits.TrailingZeros64(uint64(all))]++
	}
	known := func(a ambiguousName) bool { return a.id == p.name }
	if len(senses) > 1 && len(n.ambiguous) < 16 && !slices.ContainsFunc(n.ambiguous, known) {
		n.ambiguous = append(n.ambiguous, ambiguousName{p.name, string(raw)})
	}
}

// decideNames decides on the languages of the month names, or asks the user.
func (d *decider) decideNames() {
	n := &d.sniffer.names
	if n.cells == 0 {
		return
	}
	// set holds the languages that contain the month names of the most cells.
	var set Languages
	cells := slices.Max(n.languages[:])
	for i, count := range n.languages {
		if count == cells {
			set |= 1 << i
		}
	}
	// groups divides these languages by what the ambiguous names mean in them.
	groups := []Languages{set}
	for _, name := range n.ambiguous {
		var finer []Languages
		for _, group := range groups {
			finer = append(finer, splitBySense(group, name.id.entry().months)...)
		}
		groups = finer
	}
	if l, ok := FindLocale(d.hints.Locale); ok && len(groups) > 1 {
		if at := slices.IndexFunc(groups, func(g Languages) bool { return g>>l.language&1 == 1 }); at >= 0 {
			groups = groups[at : at+1]
			d.report(intray.NewMessage("date.month_names_by_locale", intray.Params{"languages": languageNames(groups[0])}))
		}
	}
	if len(groups) > 1 {
		question := Ambiguity{Pattern: Named, Text: intray.NewMessage("date.ambiguous_month_names", nil)}
		for _, group := range groups {
			choice := Choice{Languages: group, Label: languageNames(group)}
			style := choice.Apply(d.Style)
			for _, name := range n.ambiguous {
				choice.Readings = append(choice.Readings, reading(&style, name.example))
			}
			question.Choices = append(question.Choices, choice)
		}
		d.Ambiguities = append(d.Ambiguities, question)
		return
	}
	d.Style.Languages = groups[0]
	if len(n.ambiguous) > 0 || cells < n.cells {
		d.report(intray.NewMessage("date.month_names", intray.Params{"count": cells, "n": n.cells, "languages": languageNames(groups[0])}))
	}
}

// splitBySense divides a set of languages by the month that a name means in
// them. It drops languages that do not have the name, unless none has it.
func splitBySense(group Languages, senses []sense) (finer []Languages) {
	for _, s := range senses {
		if part := group & s.languages; part != 0 {
			finer = append(finer, part)
		}
	}
	if len(finer) == 0 {
		return []Languages{group}
	}
	return finer
}

// namedLanguages is the maximum number of languages that a message lists.
const namedLanguages = 4

// languageNames returns a message with the first languages of a set.
func languageNames(set Languages) intray.Message {
	codes := set.Tags()
	names := make([]intray.Message, 0, namedLanguages)
	for _, code := range codes[:min(len(codes), namedLanguages)] {
		names = append(names, intray.NewMessage(languageCodes[code], nil))
	}
	switch {
	case len(names) == 1:
		return names[0]
	case len(codes) > namedLanguages:
		return intray.NewMessage("language.list_or_another", intray.Params{"languages": names})
	}
	return intray.NewMessage("language.list", intray.Params{"languages": names})
}

// languageCodes maps each language tag to the message code of the language's name.
var languageCodes = map[string]string{
	"en": "language.en", "af": "language.af", "ar": "language.ar", "bg": "language.bg", "bs": "language.bs", "ca": "language.ca",
	"cs": "language.cs", "da": "language.da", "de": "language.de", "el": "language.el", "es": "language.es", "et": "language.et",
	"eu": "language.eu", "fa": "language.fa", "fi": "language.fi", "fil": "language.fil", "fr": "language.fr", "gl": "language.gl",
	"he": "language.he", "hi": "language.hi", "hr": "language.hr", "hu": "language.hu", "id": "language.id", "is": "language.is",
	"it": "language.it", "ja": "language.ja", "ko": "language.ko", "lt": "language.lt", "lv": "language.lv", "mk": "language.mk",
	"ms": "language.ms", "nb": "language.nb", "nl": "language.nl", "pl": "language.pl", "pt": "language.pt", "ro": "language.ro",
	"ru": "language.ru", "sk": "language.sk", "sl": "language.sl", "sq": "language.sq", "sr": "language.sr",
	"sr-Latn": "language.sr_latn", "sv": "language.sv", "th": "language.th", "tr": "language.tr", "uk": "language.uk",
	"vi": "language.vi", "zh": "language.zh", "zh-Hant": "language.zh_hant",
}
