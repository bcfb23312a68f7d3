package date

import (
	"math/bits"
	"strings"
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
		d.tell(CodeNames, "In %d of %d cells the month is named in %s.", cells, n.cells, languageText(groups[0]))
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
			d.tell(CodeLocale, "Names of months are read in the field's own language, %s.", languageText(group))
			return []Languages{group}
		}
	}
	return groups
}

func (d *decider) askNames(groups []Languages) {
	tie := Tie{Form: Named, Text: "A name of a month means different months in different languages."}
	for _, group := range groups {
		choice := Choice{Languages: group, Label: languageText(group)}
		style := choice.Apply(d.Style)
		for _, name := range d.column.names.doubtful {
			choice.Examples = append(choice.Examples, d.example(&style, name.example))
		}
		tie.Choices = append(tie.Choices, choice)
	}
	d.Ties = append(d.Ties, tie)
}

// languageText lists the first languages of a set by name.
func languageText(set Languages) string {
	var names []string
	for _, code := range set.Codes() {
		names = append(names, locales().byCode[strings.ToLower(code)].entry("name"))
	}
	if len(names) > 4 {
		return strings.Join(names[:4], ", ") + " or another language that agrees"
	}
	return strings.Join(names, ", ")
}
