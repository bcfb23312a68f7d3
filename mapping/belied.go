package mapping

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// belied says whether the values of a column speak against a field of which the
// header is only the key, written otherwise: a key is made for machines and may
// mean less than the label.
func (s *suggestion) belied(g grade, f intray.Field, n name, o *offer) bool {
	if g.score == 1 || n.kind != keyName || normalize(f.Label) == n.spelled || len(o.columns) != 1 {
		return false
	}
	p := survey(s.columns[o.columns[0]])
	return p.vetoes(kindOf(f.Type.Name)) || p.vetoes(labelKind(f))
}

func (p profile) vetoes(kind string) bool {
	verdict, _ := p.judge(kind)
	return verdict == fitVeto
}

// labelKind is the kind of values that the label of a field tells of, or "".
func labelKind(f intray.Field) string {
	l, err := lexicon.Standard()
	if err != nil {
		return ""
	}
	if readings := l.Read(f.Label); len(readings) > 0 && readings[0].Cost < knownCost {
		return l.Concept(readings[0].Named).Values
	}
	return ""
}

// enoughToWarn is how many samples say that a column by that name holds
// something else.
const enoughToWarn = 5

// warned adds to the reasons of a match by name that the values look otherwise.
func (s *suggestion) warned(field int, column intray.Column, reasons []intray.Message) []intray.Message {
	p := survey(column)
	if p.total < enoughToWarn {
		return reasons
	}
	if verdict, why := p.judge(kindOf(s.fields[field].Type.Name)); verdict == fitVeto {
		return append(reasons, intray.NewMessage("mapping.contradicted_by_values", intray.Params{"reason": why(Shorten(column.Header))}))
	}
	return reasons
}
