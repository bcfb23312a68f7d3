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

// textChange appends the new raw value of a cell to dst and returns the extended slice. It reports whether the
// new value differs from the old one; if it does not, what it appends is meaningless.
type textChange func(dst, text []byte) ([]byte, bool)

// newReplacer returns a function that applies the replacement to one raw value.
func (o Replace) newReplacer() (textChange, error) {
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
	return func(dst, text []byte) ([]byte, bool) {
		if simple && isASCII(text) {
			return replaceFold(dst, text, low, put)
		}
		return appendText(dst, text, e.ReplaceAllString(string(text), with))
	}, nil
}

// replaceFold appends text with every occurrence of low replaced, ignoring case. text must be
// ASCII, and low must be ASCII in lower case.
func replaceFold(dst, text, low, with []byte) ([]byte, bool) {
	lowerText := appendLower(make([]byte, 0, len(text)), text)
	return appendReplaced(dst, text, lowerText, low, with)
}

// appendReplaced appends text with every occurrence of find in shown replaced. shown is text, or text in lower
// case.
func appendReplaced(dst, text, shown, find, with []byte) ([]byte, bool) {
	start := len(dst)
	at := bytes.Index(shown, find)
	if at < 0 {
		return dst, false
	}
	rest := 0
	for at >= 0 {
		dst = append(append(dst, text[rest:rest+at]...), with...)
		rest += at + len(find)
		at = bytes.Index(shown[rest:], find)
	}
	dst = append(dst, text[rest:]...)
	return dst, isChanged(text, dst[start:])
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
func (o Replace) exactReplacer() textChange {
	find, with := []byte(o.Find), []byte(o.With)
	return func(dst, text []byte) ([]byte, bool) {
		if o.Whole {
			return append(dst, with...), bytes.Equal(text, find) && o.With != o.Find
		}
		return appendReplaced(dst, text, text, find, with)
	}
}

// isChanged reports whether to is a new raw value that differs from text. It returns false if the value would
// grow beyond maxText bytes.
func isChanged(text, to []byte) bool {
	return !bytes.Equal(to, text) && (len(to) <= maxText || len(to) <= len(text))
}

// appendText appends the new raw value to and reports whether it differs from text.
func appendText(dst, text []byte, to string) ([]byte, bool) {
	start := len(dst)
	dst = append(dst, to...)
	return dst, isChanged(text, dst[start:])
}

func (o Trim) trimText(dst, text []byte) ([]byte, bool) {
	return appendText(dst, text, textedit.Trim(string(text), o.Inner))
}

func (o Case) newCaser() (textChange, error) {
	if !o.To.IsValid() {
		return nil, &RefusedError{Text: intray.NewMessage("review.unknown_case", intray.Params{"value": string(o.To)})}
	}
	return func(dst, text []byte) ([]byte, bool) { return appendText(dst, text, o.To.Apply(string(text))) }, nil
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
func (o Replace) replaceShown(names map[string]string, change textChange) textChange {
	texts := map[string]string{}
	for _, text := range slices.Sorted(maps.Keys(names)) {
		if _, twice := texts[names[text]]; !twice {
			texts[names[text]] = text
		}
	}
	return func(dst, text []byte) ([]byte, bool) {
		name, named := names[string(text)]
		if !named || name == string(text) {
			return change(dst, text)
		}
		start := len(dst)
		for _, from := range [][]byte{[]byte(name), text} {
			to, changes := change(dst[:start], from)
			dst = to[:start]
			if !changes {
				continue
			}
			if of, is := texts[string(to[start:])]; is {
				to = append(dst, of...)
			} else if _, is := names[string(to[start:])]; !is && !o.Whole && string(to[start:]) != o.With {
				continue
			}
			return to, string(to[start:]) != string(text)
		}
		return dst, false
	}
}
