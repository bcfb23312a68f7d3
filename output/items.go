package output

import (
	"bytes"
	"encoding/json"
)

// list adds the elements of a JSON array, which must be one, as texts: those of
// strings as they are, and all others as they stand in JSON. A null is a null.
func (p *page) list(v []byte) (ok bool) {
	const nothing, nullHere, textHere = 1, 2, 3
	repeat := byte(0)
	for rest := trimJSON(v[1:]); rest[0] != ']'; {
		end := elementEnd(rest)
		element := bytes.TrimRight(rest[:end], " \t\r\n")
		p.repeats = append(p.repeats, repeat)
		repeat = 1
		if string(element) == "null" {
			p.levels = append(p.levels, nullHere)
		} else {
			p.levels = append(p.levels, textHere)
			p.string(unquoted(element))
		}
		if rest = rest[end:]; rest[0] == ',' {
			rest = trimJSON(rest[1:])
		}
	}
	if repeat == 0 {
		p.levels, p.repeats = append(p.levels, nothing), append(p.repeats, 0)
	}
	return true
}

func trimJSON(v []byte) []byte { return bytes.TrimLeft(v, " \t\r\n") }

// elementEnd is where the first element of what is left of an array ends: at a
// comma or at the end of the array.
func elementEnd(v []byte) int {
	depth, quoted := 0, false
	for i := 0; ; i++ {
		switch c := v[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case (c == ',' || c == ']') && depth == 0:
			return i
		case c == ']' || c == '}':
			depth--
		}
	}
}

// unquoted is the text of a JSON string, and any other JSON as it is.
func unquoted(element []byte) []byte {
	if element[0] != '"' {
		return element
	}
	if inside := element[1 : len(element)-1]; bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	var s string
	if json.Unmarshal(element, &s) != nil {
		return element
	}
	return []byte(s)
}
