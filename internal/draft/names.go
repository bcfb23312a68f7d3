package draft

import (
	"bytes"
	"maps"
	"slices"

	"github.com/intraydata/intray"
)

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
