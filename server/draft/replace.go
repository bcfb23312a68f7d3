package draft

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/re2"
	"github.com/intraydata/intray/internal/textedit"
)

// maxText is the maximum length of a raw value after a replacement, in bytes.
const maxText = 1 << 20

// newReplacer returns a function that applies the replacement to one raw value.
func (o Replace) newReplacer() (func(text []byte) (string, bool), error) {
	if o.Find == "" {
		return nil, &RefusedError{Text: intray.NewMessage("review.nothing_to_find", nil)}
	}
	find, with := o.Find, o.With
	if !o.Expression {
		if o.MatchCase {
			return o.exactReplacer(), nil
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
		return nil, &RefusedError{Text: intray.NewMessage("review.invalid_expression", intray.Params{"problem": re2.Describe(err)})}
	}
	simple := !o.Expression && !o.Whole && isASCII([]byte(o.Find))
	low, put := foldCase([]byte(o.Find), nil), []byte(o.With)
	return func(text []byte) (string, bool) {
		if simple && isASCII(text) {
			return replaceFold(text, low, put)
		}
		return changedText(text, e.ReplaceAllString(string(text), with))
	}, nil
}

// replaceFold returns text with every occurrence of low replaced, ignoring case. text must be
// ASCII, and low must be ASCII in lower case.
func replaceFold(text, low, with []byte) (string, bool) {
	lowerText := appendLower(make([]byte, 0, len(text)), text)
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
	return changedText(text, string(append(to, text[rest:]...)))
}

// needle returns text that a cell must contain to change, ignoring case. It returns
// nil if there is no such text.
func (o Replace) needle() *needle {
	if o.Expression || o.Find == "" {
		return nil
	}
	return newNeedle(o.Find)
}

// exactReplacer returns a function that replaces o.Find, case-sensitively.
func (o Replace) exactReplacer() func(text []byte) (string, bool) {
	find, with := []byte(o.Find), []byte(o.With)
	return func(text []byte) (string, bool) {
		if o.Whole {
			return o.With, string(text) == o.Find && o.With != o.Find
		}
		n := bytes.Count(text, find)
		if n == 0 {
			return "", false
		}
		var to strings.Builder
		to.Grow(len(text) + n*(len(with)-len(find)))
		rest := text
		for range n {
			at := bytes.Index(rest, find)
			to.Write(rest[:at])
			to.Write(with)
			rest = rest[at+len(find):]
		}
		to.Write(rest)
		return changedText(text, to.String())
	}
}

// changedText returns the new raw value and reports whether it differs. It also
// returns false if the value would grow beyond maxText bytes.
func changedText(text []byte, to string) (string, bool) {
	return to, to != string(text) && (len(to) <= maxText || len(to) <= len(text))
}

func (o Trim) trimText(text []byte) (string, bool) {
	return changedText(text, textedit.Trim(string(text), o.Inner))
}

func (o Case) newCaser() (func(text []byte) (string, bool), error) {
	if !o.To.IsValid() {
		return nil, &RefusedError{Text: intray.NewMessage("review.unknown_case", intray.Params{"value": string(o.To)})}
	}
	return func(text []byte) (string, bool) { return changedText(text, o.To.Apply(string(text))) }, nil
}

// displayNames maps raw values of a field, or elements of its lists, to the names
// displayed instead. It returns nil if cells display their values.
func (d *Draft) displayNames(field int) map[string]string {
	if field >= len(d.cfg.Names) {
		return nil
	}
	return d.cfg.Names[field]
}

// textMatches are raw values, by field, that match a search although they do not
// contain its text.
type textMatches map[int]map[string]bool

func (a textMatches) add(field int, text string) {
	if a[field] == nil {
		a[field] = map[string]bool{}
	}
	a[field][text] = true
}

// matchNames returns the raw values of the given fields that do not contain the
// needle but whose displayed name does.
func (n *needle) matchNames(fields []int, names func(field int) map[string]string) textMatches {
	all := textMatches{}
	for _, f := range fields {
		for text, name := range names(f) {
			if n.isIn(name) && !n.isIn(text) {
				all.add(f, text)
			}
		}
	}
	return all
}

func (n *needle) isIn(text string) bool { return bytes.Contains(foldCase([]byte(text), nil), n.text) }

// matchNames marks the rows whose raw value is in texts. For lists, it also marks the rows whose
// value or raw value has an element in texts.
func (f *finder) matchNames(c *intray.Cells, rows int, texts map[string]bool, lists bool) {
	eachOf(c, rows, func(row int, v, raw []byte) {
		if texts[string(raw)] || lists && (listHasAny(v, texts) || listHasAny(raw, texts)) {
			f.mark(row)
		}
	})
}

// listHasAny reports whether one of the elements of a list is in texts.
func listHasAny(list []byte, texts map[string]bool) bool {
	found, _ := anyText(list, func(text []byte) bool { return texts[string(text)] })
	return found
}

// replaceShown wraps a replacement for a field that displays names. If the
// replacement turns a displayed name into a different name, the cell is set to the
// raw value for that name. If the result is neither a name nor exactly With, the
// cell does not change, because part of a name is not a valid value.
func (o Replace) replaceShown(names map[string]string, change func(text []byte) (string, bool)) func(text []byte) (string, bool) {
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
