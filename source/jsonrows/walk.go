package jsonrows

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
)

// elementWalker walks through one element and passes each leaf to visit. The element must be
// valid JSON.
type elementWalker struct {
	text  []byte
	names *nameTree
	visit func(n *nameNode, cell []byte) error
	// cellBytes is the maximum length of a cell in bytes.
	cellBytes int
	// columns is the maximum number of cells in an element that is an array.
	columns int
	// outerDepth is the nesting depth around an element, such as 1 for elements of a top-level
	// array.
	outerDepth int
	// scratch holds the cells that differ from their JSON text. It only grows while an element
	// is being walked, so that its cells stay valid.
	scratch []byte
	// isNumber reports whether the current cell is a number.
	isNumber bool
	// cells holds the cells of an element that is an array, and numbers reports which of them
	// are numbers.
	cells   [][]byte
	numbers []bool
	// readOnly reports whether the tree of names must not change.
	readOnly bool
}

// These are errors about the current element. The caller adds the number of the element.
var (
	errDeep = beyond(intray.NewMessage("json_file.too_deep", intray.Params{"limit": MaxDepth}))
	errNUL  = &fault{problem: intray.NewMessage("json.null_character", nil)}
)

// walkElement walks through one object.
func (w *elementWalker) walkElement(text []byte) error {
	w.text, w.scratch = text, w.scratch[:0]
	_, err := w.walkObject(0, w.names.root, 1+w.outerDepth)
	return err
}

// walkObject walks through the object at text[at] and returns the offset after it.
func (w *elementWalker) walkObject(at int, in *nameNode, depth int) (int, error) {
	if depth > MaxDepth {
		return 0, errDeep
	}
	at = skipSpace(w.text, at+1)
	if w.text[at] == '}' {
		return at + 1, w.visitLeaf(in, nil)
	}
	for last := (*nameNode)(nil); ; at++ {
		at = skipSpace(w.text, at)
		end, escaped := stringEnd(w.text, at)
		key, err := w.unquote(w.text[at:end], escaped)
		if err != nil {
			return 0, err
		}
		child, err := w.names.findOrAddChild(in, last, key, w.readOnly)
		if err != nil {
			return 0, err
		}
		colon := skipSpace(w.text, end)
		if at, err = w.walkValue(skipSpace(w.text, colon+1), child, depth); err != nil {
			return 0, err
		}
		if at = skipSpace(w.text, at); w.text[at] == '}' {
			return at + 1, nil
		}
		last = child
	}
}

// walkValue walks through the value at text[at] if it is an object. Otherwise it visits the
// value. It returns the offset after the value.
func (w *elementWalker) walkValue(at int, n *nameNode, depth int) (end int, err error) {
	if w.text[at] == '{' {
		return w.walkObject(at, n, depth+1)
	}
	cell, end, err := w.cellAt(at, depth)
	if err != nil {
		return 0, err
	}
	return end, w.visitLeaf(n, cell)
}

// cellAt returns the cell for the value at text[at], and the offset after the value. The cell
// of an array or object is its JSON without white space.
func (w *elementWalker) cellAt(at, depth int) (cell []byte, end int, err error) {
	c := w.text[at]
	w.isNumber = c == '-' || c-'0' <= 9
	switch c {
	case '{', '[':
		cell, end, err = w.compactValue(at, depth)
	case '"':
		var escaped bool
		end, escaped = stringEnd(w.text, at)
		cell, err = w.unquote(w.text[at:end], escaped)
	default:
		end = literalEnd(w.text, at)
		if w.text[at] != 'n' {
			cell = w.text[at:end]
		}
	}
	if err == nil && len(cell) > w.cellBytes {
		err = beyond(intray.NewMessage("json_file.value_too_long", intray.Params{"limit": w.cellBytes}))
	}
	return cell, end, err
}

// visitLeaf passes a cell to visit, unless n is the element itself, which is not a leaf even
// if it is an empty object.
func (w *elementWalker) visitLeaf(n *nameNode, cell []byte) error {
	if n == w.names.root {
		return nil
	}
	w.isNumber = w.isNumber && cell != nil
	return w.visit(n, cell)
}

// compactValue returns the array or object at text[at] without white space.
func (w *elementWalker) compactValue(at, depth int) (cell []byte, end int, err error) {
	from, outer := len(w.scratch), depth
	for {
		at = skipSpace(w.text, at)
		end = at + 1
		switch w.text[at] {
		case '[', '{':
			if depth++; depth > MaxDepth {
				return nil, 0, errDeep
			}
		case ']', '}':
			depth--
		case '"':
			var escaped bool
			end, escaped = stringEnd(w.text, at)
			if err := w.refuseNUL(w.text[at:end], escaped); err != nil {
				return nil, 0, err
			}
		}
		w.scratch = append(w.scratch, w.text[at:end]...)
		if depth == outer {
			return w.scratch[from:], end, nil
		}
		at = end
	}
}

// unquote returns the value of a JSON string.
func (w *elementWalker) unquote(quoted []byte, escaped bool) ([]byte, error) {
	if !escaped {
		return quoted[1 : len(quoted)-1], nil
	}
	from := len(w.scratch)
	text, err := jsontext.AppendUnquote(w.scratch, quoted)
	if err != nil {
		return nil, fmt.Errorf("unquote a string: %w", err)
	}
	w.scratch = text
	if bytes.IndexByte(text[from:], 0) >= 0 {
		return nil, errNUL
	}
	return text[from:], nil
}

// refuseNUL returns an error if a string contains NUL. It is used for strings whose value is
// not needed.
func (w *elementWalker) refuseNUL(quoted []byte, escaped bool) error {
	from := len(w.scratch)
	_, err := w.unquote(quoted, escaped)
	w.scratch = w.scratch[:from]
	return err
}
