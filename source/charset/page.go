package charset

import (
	"sync"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// page is an encoding of one byte per character, made ready to be judged.
type page struct {
	encoding Encoding
	rare     float64 // what choosing it costs
	signs    [256]sign
	tongues  []*tongue
	letters  [][256]uint8 // by tongue and byte: the letter's number
}

// sign is what a byte stands for.
type sign struct {
	r      rune
	letter bool
	upper  bool
	lower  bool
	kind   symbol
}

// The languages that are written in a family of encodings.
const (
	western  = "de fr es it pt nl sv da no fi is et ca sq en"
	central  = "pl cs sk hu ro hr sl sq de"
	cyrillic = "ru uk bg sr be mk"
	baltic   = "lt lv et pl"
)

// candidates are the encodings of one byte that can be recognized, with what
// each costs, in nats: the older and the rarer ones need more evidence.
var candidates = []struct {
	name  string
	rare  float64
	codes string
}{
	{"windows-1252", 0, western},
	{"ISO-8859-1", 2, western},
	{"ISO-8859-15", 2, western},
	{"macintosh", 2.5, western},
	{"IBM850", 2.5, western},
	{"IBM437", 3, western},
	{"windows-1250", 0.5, central},
	{"ISO-8859-2", 1.5, central},
	{"IBM852", 2.5, central},
	{"windows-1251", 0.5, cyrillic},
	{"KOI8-R", 1.5, "ru bg"},
	{"KOI8-U", 2, "uk ru be"},
	{"IBM866", 2, "ru bg uk be"},
	{"ISO-8859-5", 2, cyrillic},
	{"x-mac-cyrillic", 3, cyrillic},
	{"windows-1253", 1, "el"},
	{"ISO-8859-7", 1.5, "el"},
	{"windows-1254", 1, "tr"},
	{"ISO-8859-9", 2, "tr"},
	{"windows-1255", 1, "he"},
	{"ISO-8859-8", 2, "he"},
	{"windows-1256", 1, "ar fa"},
	{"windows-1257", 1, baltic},
	{"ISO-8859-13", 2, baltic},
	{"windows-1258", 1.5, "vi"},
	{"windows-874", 1.5, "th"},
}

// pages makes all candidates ready, once, when they are first needed.
var pages = sync.OnceValue(func() []*page {
	var list []*page
	for _, c := range candidates {
		e := named(c.name)
		p := &page{encoding: e, rare: c.rare, signs: signsOf(e.spec.page), tongues: listed(c.codes)}
		for _, t := range p.tongues {
			p.letters = append(p.letters, p.lettersIn(t))
		}
		list = append(list, p)
	}
	return list
})

func signsOf(table *charmap.Charmap) (signs [256]sign) {
	for b := range 256 {
		r := table.DecodeByte(byte(b))
		s := sign{r: r, letter: isLetter(r), upper: unicode.IsUpper(r), lower: unicode.IsLower(r)}
		if !s.letter {
			s.kind = kindOf(r)
		}
		signs[b] = s
	}
	return signs
}

func (p *page) lettersIn(t *tongue) (letters [256]uint8) {
	for b, s := range p.signs {
		letters[b] = uint8(t.letter(s.r))
	}
	return letters
}

// detour is what it costs when a word is of another language than most.
const detour = 3

// judge says what a list of segments costs when read in this encoding: the
// lower, the more it reads as text. best is the language most of it is in.
func (p *page) judge(list []segment) (cost float64, best *tongue) {
	words := make([]float64, len(p.tongues)*len(list))
	totals := make([]float64, len(p.tongues))
	for i, s := range list {
		cost += p.shape(s)
		row := words[i*len(p.tongues):]
		for j, t := range p.tongues {
			row[j] = t.spell(s.bytes, &p.letters[j])
		}
		least := leastOf(row[:len(p.tongues)])
		for j := range p.tongues {
			row[j] = min(row[j], least+detour)
			totals[j] += row[j]
		}
	}
	least := 0
	for j := range totals {
		if totals[j] < totals[least] {
			least = j
		}
	}
	return cost + totals[least] + p.rare, p.tongues[least]
}

func leastOf(costs []float64) float64 {
	least := costs[0]
	for _, c := range costs[1:] {
		least = min(least, c)
	}
	return least
}

// spell says what the letters of a segment cost in a language.
func (t *tongue) spell(text []byte, letters *[256]uint8) float64 {
	cost, prev := float32(0), 0
	for _, b := range text {
		next := int(letters[b])
		if next != edge || prev != edge {
			cost += t.costs[prev*t.size+next]
		}
		prev = next
	}
	if prev != edge {
		cost += t.costs[prev*t.size+edge]
	}
	return float64(cost)
}

// spellText says what a text costs in a language.
func (t *tongue) spellText(text string) float64 {
	cost, prev := 0.0, edge
	for _, r := range text + " " {
		next := t.letter(r)
		if next != edge || prev != edge {
			cost += float64(t.costs[prev*t.size+next])
		}
		if next == edge && r >= 0x80 {
			cost += symbolCosts[kindOf(r)].odd
		}
		prev = next
	}
	return cost
}
