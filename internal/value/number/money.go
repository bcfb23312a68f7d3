package number

import "github.com/intraydata/intray"

// markSet is a set of currencies, as bits.
type markSet [8]uint64

func (m *markSet) add(mark Currency) {
	if mark != 0 && int(mark) < 64*len(m) {
		m[mark/64] |= 1 << (mark % 64)
	}
}

func (m *markSet) has(mark Currency) bool { return m[mark/64]>>(mark%64)&1 == 1 }

// all gives the marks of the set.
func (m *markSet) all() (list []Currency) {
	for mark := range Currency(64 * len(m)) {
		if m.has(mark) {
			list = append(list, mark)
		}
	}
	return list
}

// usual is the sign that usually stands before the fraction of amounts in the
// currency; Undecided where its countries differ, as those of the euro do.
func (c Currency) usual() Sign {
	if codes := c.Codes(); len(codes) > 0 && (codes[0] == "USD" || codes[0] == "GBP") {
		return Point
	}
	return Undecided
}

// otherMoney says whether the decimal sign that some cells tell may not be that of
// others, which have a currency of their own and fit both signs.
func (d *decider) otherMoney(decimal Sign) bool {
	telling := &d.survey.tellMarks[index(decimal)]
	for _, open := range d.survey.openMarks.all() {
		if telling.has(open) || open.usual() == decimal {
			continue
		}
		other := open.usual() != Undecided
		for _, mark := range telling.all() {
			other = other || !mark.Fits(open)
		}
		if other {
			d.money = intray.NewMessage("number.other_currency_open", intray.Params{"currency": open.String(), "sign": signs[decimal].one})
			return true
		}
	}
	return false
}
