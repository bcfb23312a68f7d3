package date

import (
	"math/bits"

	"github.com/intraydata/intray"
)

// nameTally counts which languages know the month names of a column.
type nameTally struct {
	cells     int64
	languages [64]int64
	doubtful  []doubtfulName // at most 16
}

// doubtfulName is a name that means different months in two languages.
type doubtfulName struct {
	id      wordID
	cells   int64
	example string
}

func (n *nameTally) add(p *parts, raw []byte) {
	if p.name == 0 {
		return
	}
	n.cells++
	senses := p.name.word().months
	var all Languages
	for _, s := range senses {
		all |= s.languages
	}
	for ; all != 0; all &= all - 1 {
		n.languages[bits.TrailingZeros64(uint64(all))]++
	}
	if len(senses) > 1 {
		n.doubt(p.name, raw)
	}
}

func (n *nameTally) doubt(id wordID, raw []byte) {
	for i := range n.doubtful {
		if n.doubtful[i].id == id {
			n.doubtful[i].cells++
			return
		}
	}
	if len(n.doubtful) < 16 {
		n.doubtful = append(n.doubtful, doubtfulName{id: id, cells: 1, example: string(raw)})
	}
}

// best is the set of languages that know the most names.
func (n *nameTally) best() (set Languages, cells int64) {
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
	n := &d.column.names
	if n.cells == 0 {
		return
	}
	set, cells := n.best()
	groups := n.groups(set)
	if len(groups) > 1 {
		groups = d.byLocale(groups)
	}
	if len(groups) > 1 {
		d.askNames(groups)
		return
	}
	d.Style.Languages = groups[0]
	if len(n.doubtful) > 0 || cells < n.cells {
		d.tell(intray.NewMessage("date.month_names", intray.Params{"count": cells, "n": n.cells, "languages": languageNames(groups[0])}))
	}
}

// groups splits languages by what they mean with the doubtful names.
func (n *nameTally) groups(set Languages) []Languages {
	groups := []Languages{set}
	for _, name := range n.doubtful {
		var finer []Languages
		for _, group := range groups {
			finer = append(finer, splitBySense(group, name.id.word().months)...)
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

// byLocale keeps the group of the field's own language, where it names one.
func (d *decider) byLocale(groups []Languages) []Languages {
	l, ok := FindLocale(d.hints.Locale)
	if !ok {
		return groups
	}
	for _, group := range groups {
		if group>>l.language&1 == 1 {
			d.tell(intray.NewMessage("date.month_names_by_locale", intray.Params{"languages": languageNames(group)}))
			return []Languages{group}
		}
	}
	return groups
}

func (d *decider) askNames(groups []Languages) {
	tie := Tie{Form: Named, Text: intray.NewMessage("date.ambiguous_month_names", nil)}
	for _, group := range groups {
		choice := Choice{Languages: group, Label: languageNames(group)}
		style := choice.Apply(d.Style)
		for _, name := range d.column.names.doubtful {
			choice.Examples = append(choice.Examples, d.example(&style, name.example))
		}
		tie.Choices = append(tie.Choices, choice)
	}
	d.Ties = append(d.Ties, tie)
}

// namedLanguages is how many languages of a set are named.
const namedLanguages = 4

// languageNames lists the first languages of a set.
func languageNames(set Languages) intray.Message {
	codes := set.Codes()
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
