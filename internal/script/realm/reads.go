package realm

import (
	"regexp"
	"slices"
	"strings"
)

// Many hooks look at nothing but the values of single cells. Such a hook can keep
// nothing of the record that it is given, and all rows can be shown in the same one.
// What follows finds them, and is content to miss some.

// arrowHead is the head of an arrow function with one or two plain parameters.
var arrowHead = regexp.MustCompile(`^\s*(?:\(\s*([A-Za-z_$][\w$]*)\s*(?:,\s*[A-Za-z_$][\w$]*\s*)?\)|([A-Za-z_$][\w$]*))\s*=>`)

// readOfIndex and readOfCell are what may follow the name of the record, and goesOn is
// what may come next. A value that is called would be given its cell, so no bracket or
// template may come there; nor a comment, which could hide one, nor an assignment.
var (
	readOfIndex = regexp.MustCompile(`^[ \t\r\n]*\.[ \t\r\n]*index`)
	readOfCell  = regexp.MustCompile(`^[ \t\r\n]*\.[ \t\r\n]*row[ \t\r\n]*\.[ \t\r\n]*([A-Za-z_$][\w$]*)[ \t\r\n]*\.[ \t\r\n]*(?:value|resultValue)`)
	goesOn      = regexp.MustCompile(`^[ \t\r\n)]*(?:$|[\][.,;:}+*%<>&|A-Za-z-]|[!=]=|/[^/*]|\?[ ?]|\?\.[A-Za-z_$[])`)
)

// holders are words with which a hook may hold its record in ways that are not
// followed here.
var holders = []string{"async", "await", "yield", "function", "class", "arguments", "caller", "callee", "eval", "with", "super", "delete"}

// onlyReads says whether a row hook is an arrow function without another function in
// it, that uses its record for nothing but record.index and the value and resultValue
// of fields of the schema, by their names.
func onlyReads(source string, fields []Field) bool {
	head := arrowHead.FindStringSubmatchIndex(source)
	if head == nil {
		return false
	}
	name := submatch(source, head, 1) + submatch(source, head, 2)
	w := wordsOf(source)
	for seen := 0; ; {
		word, at, before := w.next()
		switch {
		case word == "":
			return !w.doubt && w.stray < 0 && w.bodies == 0 && w.arrows == 1
		case strings.Contains(word, `\`) || slices.Contains(holders, word):
			return false
		case word != name || before == ".":
			continue
		}
		if seen++; seen > 1 && !readsCell(source[at+len(name):], fields) {
			return false
		}
	}
}

func submatch(source string, found []int, n int) string {
	if found[2*n] < 0 {
		return ""
	}
	return source[found[2*n]:found[2*n+1]]
}

// readsCell looks at what follows the name of the record.
func readsCell(rest string, fields []Field) bool {
	found := readOfIndex.FindStringIndex(rest)
	if found == nil {
		cell := readOfCell.FindStringSubmatchIndex(rest)
		if cell == nil || !slices.ContainsFunc(fields, func(f Field) bool { return f.Key == submatch(rest, cell, 1) }) {
			return false
		}
		found = cell
	}
	rest = rest[found[1]:]
	return (rest == "" || !isWord(rest[0])) && goesOn.MatchString(rest)
}
