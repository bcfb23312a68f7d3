package date

import (
	"math/bits"

	"github.com/intraydata/intray"
)

// monthNameStats counts which languages know the month names of a column.
type monthNameStats struct {
	cells     int64
	languages [64]int64
	ambiguous []ambiguousName // at most 16
}

// ambiguousName is a name that means different months in two languages.
type ambiguousName struct {
	id      wordID
	cells   int64
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
	if len(senses) > 1 {
		n.observeAmbiguous(p.name, raw)
	}
}

func (n *monthNameStats) observeAmbiguous(id wordID, raw []byte) {
	for i := range n.ambiguous {
		if n.ambiguous[i].id == id {
			n.ambiguous[i].cells++
			return
		}
	}
	if len(n.ambiguous) < 16 {
		n.ambiguous = append(n.ambiguous, ambiguousName{id: id, cells: 1, example: string(raw)})
	}
}

// bestLanguages is the set of languages that know the most names.
func (n *monthNameStats) bestLanguages() (set Languages, cells int64) {
	for i, count := range n.languages {
		switch {
		case count == 0 || count < cells:
		case count > cells:
			set, cells = 1<<i, count
		default:
			set |= 1 << i
		}
	}
	return set, cells
}

// decideNames finds the languages of the month names, or asks.
func (d *decider) decideNames() {
	n := &d.sniffer.names
	if n.cells == 0 {
		return
	}
	set, cells := n.bestLanguages()
	groups := n.splitGroups(set)
	if len(groups) > 1 {
		groups = d.narrowByLocale(groups)
	}
	if len(groups) > 1 {
		d.askLanguage(groups)
		return
	}
	d.Style.Languages = groups[0]
	if len(n.ambiguous) > 0 || cells < n.cells {
		d.report(intray.NewMessage("date.month_names", intray.Params{"count": cells, "n": n.cells, "languages": languageNames(groups[0])}))
	}
}

// splitGroups splits languages by what they mean with the doubtful names.
func (n *monthNameStats) splitGroups(set Languages) []Languages {
	groups := []Languages{set}
	for _, name := range n.ambiguous {
		var finer []Languages
		for _, group := range groups {
			finer = append(finer, splitBySense(group, name.id.entry().months)...)
		}
		groups = finer
	}
	return groups
}

// splitBySense splits a set of languages by the month that a name is in them.
// Those that do not know the name go with none.
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

// narrowByLocale keeps the group of the field's own language, where it names one.
func (d *decider) narrowByLocale(groups []Languages) []Languages {
	l, ok := FindLocale(d.hints.Locale)
	if !ok {
		return groups
	}
	for _, group := range groups {
		if group>>l.language&1 == 1 {
			d.report(intray.NewMessage("date.month_names_by_locale", intray.Params{"languages": languageNames(group)}))
			return []Languages{group}
		}
	}
	return groups
}

func (d *decider) askLanguage(groups []Languages) {
	tie := Ambiguity{Pattern: Named, Text: intray.NewMessage("date.ambiguous_month_names", nil)}
	for _, group := range groups {
		choice := Choice{Languages: group, Label: languageNames(group)}
		style := choice.Apply(d.Style)
		for _, name := range d.sniffer.names.ambiguous {
			choice.Readings = append(choice.Readings, d.reading(&style, name.example))
		}
		tie.Choices = append(tie.Choices, choice)
	}
	d.Ambiguities = append(d.Ambiguities, tie)
}

// namedLanguages is how many languages of a set are named.
const namedLanguages = 4

// languageNames lists the first languages of a set.
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

// languageCodes are the codes of the names of all languages.
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
