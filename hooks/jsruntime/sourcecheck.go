package jsruntime

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// jsLexer reads the words of JavaScript source that are not part of a string, a comment or a
// regular expression. It does not parse the source. It sets ambiguous if it finds an HTML-like
// comment, or a slash that could be either a division or the start of a regular expression.
// After that, its results may be wrong.
type jsLexer struct {
	source string
	at     int
	// previous is the last token: a word, or the last byte of another token.
	previous string
	// openBrackets is the stack of open brackets.
	openBrackets []bracket
	ambiguous    bool
	// ended reports whether there was a semicolon outside of all brackets. stray is the
	// offset of the first token that cannot be part of a single expression, or -1.
	ended bool
	stray int
	// arrowCount is the number of arrows. bodyCount is the number of blocks after
	// parentheses, such as the bodies of functions and methods.
	arrowCount, bodyCount int
}

// bracket is an open bracket.
type bracket struct {
	sign byte
	// before is the token before the bracket.
	before string
	// inTemplate reports whether a template literal continues after the bracket is closed.
	inTemplate bool
}

func newJSLexer(source string) *jsLexer { return &jsLexer{source: source, stray: -1} }

// recordToken records a token and its offset.
func (w *jsLexer) recordToken(text string, at int) {
	w.previous = text
	if w.ended {
		w.recordStray(at)
	}
}

func (w *jsLexer) recordStray(at int) {
	if w.stray < 0 && !w.ambiguous {
		w.stray = at
	}
}

// regexpKeywords are the words after which a slash starts a regular expression.
var regexpKeywords = []string{"return", "typeof", "instanceof", "in", "new", "delete", "void", "throw", "case", "do", "else"}

// ambiguousKeywords are the words that can be operators or names.
var ambiguousKeywords = []string{"of", "yield", "await", "async", "let", "static", "get", "set"}

// next returns the next word, its offset, and the token before it. At the end, the word is "".
func (w *jsLexer) next() (word string, at int, before string) {
	for w.at < len(w.source) {
		before = w.previous
		b := w.source[w.at]
		switch {
		case b >= utf8.RuneSelf && w.spaceLength() > 0:
			w.at += w.spaceLength()
		case isWordByte(b):
			at = w.at
			for w.at < len(w.source) && isWordByte(w.source[w.at]) && w.spaceLength() == 0 {
				w.at++
			}
			word = w.source[at:w.at]
			if w.recordToken(word, at); before == "." {
				w.previous = "name" // a property with any name
			}
			return word, at, before
		case b == '"' || b == '\'':
			w.recordToken("0", w.at)
			w.skipString(b)
		case b == '`':
			w.recordToken("0", w.at)
			w.at++
			w.skipTemplate()
		case b == '/':
			rest := w.source[w.at:]
			switch {
			case strings.HasPrefix(rest, "//"):
				w.advance(strings.IndexAny(rest, lineEnds), 0)
			case strings.HasPrefix(rest, "/*"):
				w.advance(strings.Index(rest[2:], "*/"), 4)
			case w.isDivision():
				w.recordToken("/", w.at)
				w.at++
			default:
				w.recordToken("/", w.at)
				w.skipRegexp()
			}
		default:
			w.scanSign(b)
		}
	}
	return "", len(w.source), w.previous
}

// spaceLength returns the length in bytes of the next character if it is non-ASCII white
// space. Otherwise, it returns 0.
func (w *jsLexer) spaceLength() int {
	r, size := utf8.DecodeRuneInString(w.source[w.at:])
	if r < utf8.RuneSelf || r != '\uFEFF' && !unicode.IsSpace(r) {
		return 0
	}
	return size
}

// isWordByte reports whether a byte is part of a word. Every byte of a non-ASCII letter is.
func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b == '\\' || b == '#' || b >= utf8.RuneSelf ||
		b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

func (w *jsLexer) scanSign(b byte) {
	rest, at := w.source[w.at:], w.at
	w.at++
	switch {
	case b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\v' || b == '\f':
		return
	case strings.HasPrefix(rest, "<!--") || strings.HasPrefix(rest, "-->"):
		w.ambiguous = true
	case strings.HasPrefix(rest, "..."):
		w.recordToken(rest[:2], at)
		w.at += 2
		return
	case strings.HasPrefix(rest, "++"), strings.HasPrefix(rest, "--"):
		w.recordToken(rest[:2], at)
		w.at++
		return
	case strings.HasPrefix(rest, "=>"):
		w.arrowCount++
	}
	if w.trackBracket(b, at) {
		return
	}
	w.recordToken(rest[:1], at)
}

// trackBracket tracks brackets, and semicolons and commas outside of all brackets. done reports
// whether the caller need not record the token.
func (w *jsLexer) trackBracket(b byte, at int) (done bool) {
	switch {
	case b == '{' || b == '(' || b == '[':
		if b == '{' && w.previous == ")" {
			w.bodyCount++
		}
		w.openBrackets = append(w.openBrackets, bracket{sign: b, before: w.previous})
	case b == '}' || b == ')' || b == ']':
		w.closeBracket(b, at)
		return true
	case b == ';' && len(w.openBrackets) == 0:
		w.ended, w.previous = true, ";"
		return true
	case b == ',' && len(w.openBrackets) == 0:
		w.recordStray(at)
	}
	return false
}

// openingBrackets maps each closing bracket to its opening bracket.
var openingBrackets = map[byte]byte{'}': '{', ')': '(', ']': '['}

// statementKeywords are the words whose parentheses are followed by a statement.
var statementKeywords = []string{"if", "while", "for", "with"}

func (w *jsLexer) closeBracket(b byte, at int) {
	w.recordToken(string(b), at)
	last := len(w.openBrackets) - 1
	if last < 0 {
		w.recordStray(at)
		return
	}
	if w.openBrackets[last].sign != openingBrackets[b] {
		w.ambiguous = true // always invalid, and the engine's error explains it better
		return
	}
	one := w.openBrackets[last]
	w.openBrackets = w.openBrackets[:last]
	switch {
	case one.inTemplate:
		w.skipTemplate()
	case b == ')' && slices.Contains(statementKeywords, one.before):
		w.previous = ";"
	case b == ')' && one.before == "await":
		w.previous = "of" // a statement follows "for await (…)" but not "await (…)"
	}
}

// skipString skips a string.
func (w *jsLexer) skipString(quote byte) {
	for w.at++; w.at < len(w.source); w.at++ {
		switch b := w.source[w.at]; b {
		case '\\':
			w.at++
			if strings.HasPrefix(w.source[min(w.at, len(w.source)):], "\r\n") {
				w.at++
			}
		case quote, '\n', '\r':
			w.at++
			w.previous = "0"
			return
		}
	}
}

// skipTemplate skips the text of a template literal, up to its end or up to an embedded
// expression.
func (w *jsLexer) skipTemplate() {
	for ; w.at < len(w.source); w.at++ {
		switch {
		case w.source[w.at] == '\\':
			w.at++
		case w.source[w.at] == '`':
			w.at++
			w.previous = "0"
			return
		case strings.HasPrefix(w.source[w.at:], "${"):
			w.at += 2
			w.openBrackets = append(w.openBrackets, bracket{sign: '{', inTemplate: true})
			w.previous = "{"
			return
		}
	}
}

// lineEnds contains JavaScript's line terminators.
const lineEnds = "\n\r\u2028\u2029"

func (w *jsLexer) advance(length, more int) {
	if length < 0 {
		w.at = len(w.source)
		return
	}
	w.at += length + more
}

// isDivision reports whether the slash follows a value and so is a division.
func (w *jsLexer) isDivision() bool {
	switch {
	case w.previous == "":
		return false
	case slices.Contains(ambiguousKeywords, w.previous) || slices.Contains([]string{"}", "++", "--"}, w.previous):
		w.ambiguous = true
		return true
	case isWordByte(w.previous[0]):
		return !slices.Contains(regexpKeywords, w.previous)
	default:
		return w.previous == "]" || w.previous == ")"
	}
}

// skipRegexp skips a regular expression.
func (w *jsLexer) skipRegexp() {
	class := false
	for w.at++; w.at < len(w.source); w.at++ {
		switch b := w.source[w.at]; {
		case b == '\\':
			w.at++
		case b == '[':
			class = true
		case b == ']':
			class = false
		case b == '/' && !class:
			w.at++
			w.previous = "0"
			return
		case b == '\n' || b == '\r':
			w.ambiguous = true
			return
		}
	}
}

// anyImport matches anything that may be a call to import.
var anyImport = regexp.MustCompile(`\bimport(?:[\s\v\p{Z}\x{feff}]|//[^\n]*|/\*(?s:.*?)\*/)*[(.]`)

// findImport returns the offset of a call to import, or -1 if there is none.
func findImport(source string) int {
	w := newJSLexer(source)
	for {
		word, at, before := w.next()
		if word == "" {
			break
		}
		if word != "import" || before == "." {
			continue
		}
		if found := anyImport.FindStringIndex(source[at:]); found != nil && found[0] == 0 {
			return at
		}
	}
	if found := anyImport.FindStringIndex(source); w.ambiguous && found != nil {
		return found[0]
	}
	return -1
}

// findStray returns the offset of a token that cannot be part of a single expression: a
// closing bracket without an opening one, or a token after a semicolon or comma outside of
// all brackets. It returns -1 if there is none. It does not check ambiguous sources,
// because [LoadCall] finds the error too.
func findStray(source string) int {
	w := newJSLexer(source)
	for {
		if word, _, _ := w.next(); word == "" {
			return w.stray
		}
	}
}

// CheckSources returns a fault for each hook that must not be loaded. The source of such a
// hook calls import(), which could escape the context of a hook in Node, or it consists of
// more than one function expression, which could close the brackets that the runtime puts
// around it. CheckSources does not check the syntax; [LoadCall] does.
func CheckSources(hooks []Hook) []Fault {
	var faults []Fault //nolint:prealloc // Hooks rarely have faults.
	for _, hook := range hooks {
		fault, at := Fault{Kind: FaultModule, Hook: hook.Name, Message: "hooks cannot load modules: import() is not there"}, findImport(hook.Source)
		if at < 0 {
			fault.Kind, fault.Message, at = FaultNotFunction, "the hook is more than one function expression", findStray(hook.Source)
		}
		if at < 0 {
			continue
		}
		fault.Line, fault.Column = lineAndColumn(hook.Source, at)
		faults = append(faults, fault)
	}
	return faults
}

func lineAndColumn(source string, at int) (line, column int) {
	before := source[:at]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// Many hooks only read the values of individual cells. Such a hook cannot keep the record,
// so all rows can use the same record object. The functions below find most of these hooks.

// arrowHead matches the head of an arrow function with one or two plain parameters.
var arrowHead = regexp.MustCompile(`^\s*(?:\(\s*([A-Za-z_$][\w$]*)\s*(?:,\s*[A-Za-z_$][\w$]*\s*)?\)|([A-Za-z_$][\w$]*))\s*=>`)

// readOfIndex and readOfCell match the text that may follow the name of the record.
// allowedNext matches the text that may come after that. Calling a value as a function would
// pass its cell as this. Therefore, parentheses, templates, comments that could hide them, and
// assignments are not allowed.
var (
	readOfIndex = regexp.MustCompile(`^[ \t\r\n]*\.[ \t\r\n]*index`)
	readOfCell  = regexp.MustCompile(`^[ \t\r\n]*\.[ \t\r\n]*row[ \t\r\n]*\.[ \t\r\n]*([A-Za-z_$][\w$]*)[ \t\r\n]*\.[ \t\r\n]*(?:value|resultValue)`)
	allowedNext = regexp.MustCompile(`^[ \t\r\n)]*(?:$|[\][.,;:}+*%<>&|A-Za-z-]|[!=]=|/[^/*]|\?[ ?]|\?\.[A-Za-z_$[])`)
)

// escapingWords are the words with which a hook could keep its record in other ways.
var escapingWords = []string{"async", "await", "yield", "function", "class", "arguments", "caller", "callee", "eval", "with", "super", "delete"}

// readsOnlyCells reports whether a row hook is an arrow function that has no inner functions and
// uses its record only to read record.index, or value and resultValue of fields in the schema.
func readsOnlyCells(source string, fields []Field) bool {
	head := arrowHead.FindStringSubmatchIndex(source)
	if head == nil {
		return false
	}
	name := submatchText(source, head, 1) + submatchText(source, head, 2)
	w := newJSLexer(source)
	for seen := 0; ; {
		word, at, before := w.next()
		switch {
		case word == "":
			return !w.ambiguous && w.stray < 0 && w.bodyCount == 0 && w.arrowCount == 1
		case strings.Contains(word, `\`) || slices.Contains(escapingWords, word):
			return false
		case word != name || before == ".":
			continue
		}
		if seen++; seen > 1 && !isCellRead(source[at+len(name):], fields) {
			return false
		}
	}
}

func submatchText(source string, found []int, n int) string {
	if found[2*n] < 0 {
		return ""
	}
	return source[found[2*n]:found[2*n+1]]
}

// isCellRead reports whether rest, the text after the name of the record, reads a cell or
// the index.
func isCellRead(rest string, fields []Field) bool {
	found := readOfIndex.FindStringIndex(rest)
	if found == nil {
		cell := readOfCell.FindStringSubmatchIndex(rest)
		if cell == nil || !slices.ContainsFunc(fields, func(f Field) bool { return f.Key == submatchText(rest, cell, 1) }) {
			return false
		}
		found = cell
	}
	rest = rest[found[1]:]
	return (rest == "" || !isWordByte(rest[0])) && allowedNext.MatchString(rest)
}
