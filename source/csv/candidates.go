package csv

import (
	"bytes"
	"slices"
)

// delimiters are those that are looked for, the likelier first. "@" is none, or
// every list of addresses would be a table.
func delimiters() []string {
	return []string{",", ";", "\t", "|", "||", "::", "^", "~", ":", ", ", " ", gap}
}

// gap is two spaces or more, as between columns that are aligned with spaces.
const gap = "  "

// quotes are the pairs that are looked for.
func quotes() [][2]string {
	return [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}}
}

// candidates are the dialects that the characters of a sample allow.
func candidates(sample []byte, delims []string) []dialect {
	var list []dialect
	pairs := quotes()[:1:1]
	for _, q := range quotes()[1:] {
		if bytes.Contains(sample, []byte(q[0])) {
			pairs = append(pairs, q)
		}
	}
	for _, delim := range delims {
		if !bytes.Contains(sample, []byte(delim)) || halfOf(delim, sample) || delim == ":" && clocks(sample) {
			continue
		}
		for _, q := range pairs {
			list = append(list, dialect{delim: delim, open: q[0], shut: q[1]})
			if bytes.Contains(sample, []byte(`\`+q[1])) {
				list = append(list, dialect{delim: delim, open: q[0], shut: q[1], backslash: true})
			}
		}
	}
	if len(list) == 0 { // one column
		list = append(list, dialect{delim: delims[0], open: pairs[0][0], shut: pairs[0][1]})
	}
	return list
}

// halfOf says whether a delimiter is a part of a longer one wherever it stands.
func halfOf(delim string, sample []byte) bool {
	n := bytes.Count(sample, []byte(delim))
	switch delim {
	case "|", ":":
		return 2*bytes.Count(sample, []byte(delim+delim)) == n
	case ",":
		return bytes.Count(sample, []byte(", ")) == n
	}
	return false
}

// clocks says whether most colons of a sample stand inside times of day, or in
// front of the slashes of an address.
func clocks(sample []byte) bool {
	digit := func(at int) bool { return at >= 0 && at < len(sample) && sample[at] >= '0' && sample[at] <= '9' }
	colons, inside := 0, 0
	for at := 0; ; at++ {
		i := bytes.IndexByte(sample[at:], ':')
		if i < 0 {
			break
		}
		at += i
		colons++
		if digit(at-1) && digit(at+1) && digit(at+2) && !digit(at+3) || hasPrefixAt(sample, at, "://") {
			inside++
		}
	}
	return 2*inside > colons
}

// quotesAreText says whether more rows have a quote that closes no cell than one
// that does. Commas and semicolons stand in too many cells to go without quotes;
// where tabs and bars separate, many programs write none.
func (d dialect) quotesAreText(sample []byte) bool {
	if d.delim == "," || d.delim == ";" || d.delim == ", " || d.delim == " " || d.delim == noDelimiter {
		return false
	}
	broken, clean := 0, 0
	r := record{most: sniffWidth}
	for at, rows := 0, 0; at < len(sample) && rows < sniffRecords; rows++ {
		d.cut(sample[at:], none, &r)
		quoted := slices.ContainsFunc(r.cells, func(c cell) bool { return c.quoted })
		switch {
		case r.unclosed:
			broken++
			r.next = physicalLine(sample[at:])
		case r.loose:
			broken++
		case quoted:
			clean++
		}
		at += r.next
	}
	return broken > clean
}
