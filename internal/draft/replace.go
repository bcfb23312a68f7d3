package draft

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/re2"
)

// maxText is the longest text that a replacement makes of one cell, in bytes.
const maxText = 1 << 20

// changer gives what replaces in one text.
func (o Replace) changer() (func(text []byte) (string, bool), error) {
	if o.Find == "" {
		return nil, &Refusal{Text: intray.NewMessage("review.nothing_to_find", nil)}
	}
	find, with := o.Find, o.With
	if !o.Expression {
		if o.MatchCase {
			return o.plain(), nil
		}
		find, with = regexp.QuoteMeta(find), strings.ReplaceAll(with, "$", "$$")
	}
	if o.Whole {
		find = `\A(?:` + find + `)\z`
	}
	if !o.MatchCase {
		find = `(?i)` + find
	}
	e, err := regexp.Compile(find)
	if err != nil {
		return nil, &Refusal{Text: intray.NewMessage("review.invalid_expression", intray.Params{"problem": re2.Describe(err)})}
	}
	simple := !o.Expression && !o.Whole && isASCII([]byte(o.Find))
	low, put := folded([]byte(o.Find), nil), []byte(o.With)
	return func(text []byte) (string, bool) {
		if simple && isASCII(text) {
			return anyCase(text, low, put)
		}
		return changed(text, e.ReplaceAllString(string(text), with))
	}, nil
}

// anyCase replaces a text in lower case, whatever its case, where all letters are
// ASCII.
func anyCase(text, low, with []byte) (string, bool) {
	lowerText := lowered(make([]byte, 0, len(text)), text)
	at := bytes.Index(lowerText, low)
	if at < 0 {
		return "", false
	}
	var to []byte
	rest := 0
	for at >= 0 {
		to = append(append(to, text[rest:rest+at]...), with...)
		rest += at + len(low)
		at = bytes.Index(lowerText[rest:], low)
	}
	return changed(text, string(append(to, text[rest:]...)))
}

// needle is what a text must hold to be changed, whatever the case; nil where that
// is not known.
func (o Replace) needle() *needle {
	if o.Expression || o.Find == "" {
		return nil
	}
	return newNeedle(o.Find)
}

// plain replaces as the bytes stand.
func (o Replace) plain() func(text []byte) (string, bool) {
	find, with := []byte(o.Find), []byte(o.With)
	return func(text []byte) (string, bool) {
		if o.Whole {
			return o.With, string(text) == o.Find && o.With != o.Find
		}
		if !bytes.Contains(text, find) {
			return "", false
		}
		return changed(text, string(bytes.ReplaceAll(text, find, with)))
	}
}

// changed says whether a new text is another one. One that became too long is
// left as it was.
func changed(text []byte, to string) (string, bool) {
	return to, to != string(text) && (len(to) <= maxText || len(to) <= len(text))
}

func (o Trim) trimmed(text []byte) (string, bool) {
	to := strings.TrimFunc(string(text), blank)
	if o.Inner {
		to = strings.Join(strings.FieldsFunc(to, blank), " ")
	}
	return changed(text, to)
}

// blank says that a character shows nothing at the end of a text.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' }

func (c Casing) changer() (func(text []byte) (string, bool), error) {
	var caser func(language.Tag, ...cases.Option) cases.Caser
	switch c {
	case Upper:
		caser = cases.Upper
	case Lower:
		caser = cases.Lower
	case Title:
		caser = cases.Title
	default:
		return nil, &Refusal{Text: intray.NewMessage("review.unknown_case", intray.Params{"value": string(c)})}
	}
	return func(text []byte) (string, bool) {
		if !utf8.Valid(text) {
			return "", false
		}
		// A caser has a state, and this is called from several goroutines.
		return changed(text, caser(language.Und).String(string(text)))
	}, nil
}

// names are what the cells of a field show in place of some texts, or of the texts of
// their lists; nil where they show what they hold.
func (d *Draft) names(field int) map[string]string {
	if field >= len(d.cfg.Names) {
		return nil
	}
	return d.cfg.Names[field]
}

// alike are texts of fields that count as found whatever is in them.
type alike map[int]map[string]bool

func (a alike) add(field int, text string) {
	if a[field] == nil {
		a[field] = map[string]bool{}
	}
	a[field][text] = true
}

// alike gives, for each of some fields, the texts in whose place something is shown
// that holds the needle, where they do not hold it themselves.
func (n *needle) alike(fields []int, names func(field int) map[string]string) alike {
	all := alike{}
	for _, f := range fields {
		for text, name := range names(f) {
			if n.in(name) && !n.in(text) {
				all.add(f, text)
			}
		}
	}
	return all
}

func (n *needle) in(text string) bool { return bytes.Contains(folded([]byte(text), nil), n.text) }

// alikes marks the rows that hold one of the texts.
func (f *finder) alikes(c *intray.Cells, rows int, texts map[string]bool, lists bool) {
	eachOf(c, rows, func(row int, v, raw []byte) {
		f.has[row] = f.has[row] || texts[string(raw)] || lists && (anyOf(v, texts) || anyOf(raw, texts))
	})
}

// anyOf says whether a list holds one of the texts.
func anyOf(list []byte, texts map[string]bool) bool {
	found, _ := anyText(list, func(text []byte) bool { return texts[string(text)] })
	return found
}

// named lets a replacement see the cells of a field as they are shown: where what is
// shown becomes the name of another text, that is put there. What would be neither such
// a name nor all that was asked for is left as it is: a part of a name is no text.
func (o Replace) named(names map[string]string, change func(text []byte) (string, bool)) func(text []byte) (string, bool) {
	texts := map[string]string{}
	for _, text := range slices.Sorted(maps.Keys(names)) {
		if _, twice := texts[names[text]]; !twice {
			texts[names[text]] = text
		}
	}
	return func(text []byte) (string, bool) {
		name, named := names[string(text)]
		if !named || name == string(text) {
			return change(text)
		}
		for _, from := range [][]byte{[]byte(name), text} {
			to, changes := change(from)
			if !changes {
				continue
			}
			if of, is := texts[to]; is {
				to = of
			} else if _, is := names[to]; !is && !o.Whole && to != o.With {
				continue
			}
			return to, to != string(text)
		}
		return "", false
	}
}
