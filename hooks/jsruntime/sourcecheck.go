package jsruntime

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// jsLexer reads the words of JavaScript source that are code, and not part of a
// text, a comment or a regular expression. It does not parse: where a slash can
// begin a regular expression or divide, and where a sign can begin one of the old
// comments of web pages, it is in doubt, and what follows may be misread.
type jsLexer struct {
	source string
	at     int
	// previous is the last token: a word, or the last byte of something else.
	previous string
	// openBrackets are the brackets that are open.
	openBrackets []bracket
	ambiguous    bool
	// ended says that a semicolon stood outside of all brackets, and stray is
	// where something stands that cannot belong to one expression, or -1.
	ended bool
	stray int
	// arrowCount counts the signs of arrow functions, bodies the blocks that stand
	// behind round brackets as those of functions and methods do.
	arrowCount, bodyCount int
}

// bracket is one that is open.
type bracket struct {
	sign byte
	// before is what stood before it.
	before string
	// inTemplate says that a template goes on behind it.
	inTemplate bool
}

func newJSLexer(source string) *jsLexer { return &jsLexer{source: source, stray: -1} }

// recordToken notes what is part of the code, and where it stands.
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

// regexpKeywords are words behind which a slash begins a regular expression.
var regexpKeywords = []string{"return", "typeof", "instanceof", "in", "new", "delete", "void", "throw", "case", "do", "else"}

// ambiguousKeywords are words that are operators in some places and names in others.
var ambiguousKeywords = []string{"of", "yield", "await", "async", "let", "static", "get", "set"}

// next gives the next word, where it stands and what stood before it, or "" at
// the end.
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
				w.previous = "name" // a property, whatever it is called
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
			w.scanSlash()
		default:
			w.scanSign(b)
		}
	}
	return "", len(w.source), w.previous
}

// spaceLength gives the length of the white space outside ASCII that stands here, or 0.
func (w *jsLexer) spaceLength() int {
	r, size := utf8.DecodeRuneInString(w.source[w.at:])
	if r < utf8.RuneSelf || r != '\uFEFF' && !unicode.IsSpace(r) {
		return 0
	}
	return size
}

// isWordByte says whether a byte is part of a word. A byte of a letter outside ASCII
// is.
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

// trackBracket follows how deep the source is, and says whether the sign needs no
// more.
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

// openingBrackets are the brackets that open, by those that close.
var openingBrackets = map[byte]byte{'}': '{', ')': '(', ']': '['}

// statementKeywords are words behind whose brackets a statement begins.
var statementKeywords = []string{"if", "while", "for", "with"}

func (w *jsLexer) closeBracket(b byte, at int) {
	w.recordToken(string(b), at)
	last := len(w.openBrackets) - 1
	if last < 0 {
		w.recordStray(at)
		return
	}
	if w.openBrackets[last].sign != openingBrackets[b] {
		w.ambiguous = true // no engine takes it, and engines tell better why
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
		w.previous = "of" // for await has a statement behind it, and await alone has not
	}
}

// skipString passes over a text.
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

// skipTemplate passes over the text of a template, up to its end or to a value.
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

// lineEnds are what ends a line for JavaScript.
const lineEnds = "\n\r\u2028\u2029"

func (w *jsLexer) scanSlash() {
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
}

func (w *jsLexer) advance(length, more int) {
	if length < 0 {
		w.at = len(w.source)
		return
	}
	w.at += length + more
}

// isDivision says whether a slash stands behind a value.
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

// skipRegexp passes over a regular expression.
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

// anyImport finds what may be a call of import, wherever it stands.
var anyImport = regexp.MustCompile(`\bimport(?:[\s\v\p{Z}\x{feff}]|//[^\n]*|/\*(?s:.*?)\*/)*[(.]`)

// findImport finds a call of import in code, or gives -1.
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

// findStray finds what cannot belong to one expression, or gives -1: a bracket that
// closes what it did not open, and what stands behind a semicolon or a comma
// outside of all brackets. Where it is in doubt, it leaves that to [LoadCall], which
// finds it too.
func findStray(source string) int {
	w := newJSLexer(source)
	for {
		if word, _, _ := w.next(); word == "" {
			return w.stray
		}
	}
}

// CheckSources finds what no runtime lets hooks do, before they are loaded: import(),
// with which a hook could reach out of its context in Node, and sources that are
// more than one function expression, some of which close the brackets that they
// are put into. Hooks with such a fault must not be loaded. It is no check of
// syntax; [LoadCall] is.
func CheckSources(hooks []Hook) []Fault {
	var faults []Fault
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

// MentionedNames tells which of the names stand in the code of a hook, as words of their
// own and not as properties, in the order of names. It serves for warnings: a
// name may stand for something that the hook made itself.
func MentionedNames(source string, names ...string) []string {
	seen := map[string]bool{}
	w := newJSLexer(source)
	for {
		word, _, before := w.next()
		if word == "" {
			break
		}
		if before != "." {
			seen[word] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !seen[name] })
}

// Many hooks look at nothing but the values of single cells. Such a hook can keep
// nothing of the record that it is given, and all rows can be shown in the same one.
// What follows finds them, and is content to miss some.

// arrowHead is the head of an arrow function with one or two plain parameters.
var arrowHead = regexp.MustCompile(`^\s*(?:\(\s*([A-Za-z_$][\w$]*)\s*(?:,\s*[A-Za-z_$][\w$]*\s*)?\)|([A-Za-z_$][\w$]*))\s*=>`)

// readOfIndex and readOfCell are what may follow the name of the record, and allowedNext is
// what may come next. A value that is called would be given its cell, so no bracket or
// template may come there; nor a comment, which could hide one, nor an assignment.
var (
	readOfIndex = regexp.MustCompile(`^[ \t\r\n]*\.[ \t\r\n]*index`)
	readOfCell  = regexp.MustCompile(`^[ \t\r\n]*\.[ \t\r\n]*row[ \t\r\n]*\.[ \t\r\n]*([A-Za-z_$][\w$]*)[ \t\r\n]*\.[ \t\r\n]*(?:value|resultValue)`)
	allowedNext = regexp.MustCompile(`^[ \t\r\n)]*(?:$|[\][.,;:}+*%<>&|A-Za-z-]|[!=]=|/[^/*]|\?[ ?]|\?\.[A-Za-z_$[])`)
)

// escapingWords are words with which a hook may hold its record in ways that are not
// followed here.
var escapingWords = []string{"async", "await", "yield", "function", "class", "arguments", "caller", "callee", "eval", "with", "super", "delete"}

// readsOnlyCells says whether a row hook is an arrow function without another function in
// it, that uses its record for nothing but record.index and the value and resultValue
// of fields of the schema, by their names.
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

// isCellRead looks at what follows the name of the record.
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
