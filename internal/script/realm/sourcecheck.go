package realm

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words reads the words of JavaScript source that are code, and not part of a
// text, a comment or a regular expression. It does not parse: where a slash can
// begin a regular expression or divide, and where a sign can begin one of the old
// comments of web pages, it is in doubt, and what follows may be misread.
type words struct {
	source string
	at     int
	// before is the last token: a word, or the last byte of something else.
	before string
	// open are the brackets that are open.
	open  []bracket
	doubt bool
	// ended says that a semicolon stood outside of all brackets, and stray is
	// where something stands that cannot belong to one expression, or -1.
	ended bool
	stray int
	// arrows counts the signs of arrow functions, bodies the blocks that stand
	// behind round brackets as those of functions and methods do.
	arrows, bodies int
}

// bracket is one that is open.
type bracket struct {
	sign byte
	// before is what stood before it.
	before string
	// back says that a template goes on behind it.
	back bool
}

func wordsOf(source string) *words { return &words{source: source, stray: -1} }

// token notes what is part of the code, and where it stands.
func (w *words) token(text string, at int) {
	w.before = text
	if w.ended {
		w.astray(at)
	}
}

func (w *words) astray(at int) {
	if w.stray < 0 && !w.doubt {
		w.stray = at
	}
}

// operators are words behind which a slash begins a regular expression.
var operators = []string{"return", "typeof", "instanceof", "in", "new", "delete", "void", "throw", "case", "do", "else"}

// unsure are words that are operators in some places and names in others.
var unsure = []string{"of", "yield", "await", "async", "let", "static", "get", "set"}

// next gives the next word, where it stands and what stood before it, or "" at
// the end.
func (w *words) next() (word string, at int, before string) {
	for w.at < len(w.source) {
		before = w.before
		b := w.source[w.at]
		switch {
		case b >= utf8.RuneSelf && w.blank() > 0:
			w.at += w.blank()
		case isWord(b):
			at = w.at
			for w.at < len(w.source) && isWord(w.source[w.at]) && w.blank() == 0 {
				w.at++
			}
			word = w.source[at:w.at]
			if w.token(word, at); before == "." {
				w.before = "name" // a property, whatever it is called
			}
			return word, at, before
		case b == '"' || b == '\'':
			w.token("0", w.at)
			w.quoted(b)
		case b == '`':
			w.token("0", w.at)
			w.at++
			w.template()
		case b == '/':
			w.slash()
		default:
			w.sign(b)
		}
	}
	return "", len(w.source), w.before
}

// blank gives the length of the white space outside ASCII that stands here, or 0.
func (w *words) blank() int {
	r, size := utf8.DecodeRuneInString(w.source[w.at:])
	if r < utf8.RuneSelf || r != '\uFEFF' && !unicode.IsSpace(r) {
		return 0
	}
	return size
}

// isWord says whether a byte is part of a word. A byte of a letter outside ASCII
// is.
func isWord(b byte) bool {
	return b == '_' || b == '$' || b == '\\' || b == '#' || b >= utf8.RuneSelf ||
		b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

func (w *words) sign(b byte) {
	rest, at := w.source[w.at:], w.at
	w.at++
	switch {
	case b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\v' || b == '\f':
		return
	case strings.HasPrefix(rest, "<!--") || strings.HasPrefix(rest, "-->"):
		w.doubt = true
	case strings.HasPrefix(rest, "..."):
		w.token(rest[:2], at)
		w.at += 2
		return
	case strings.HasPrefix(rest, "++"), strings.HasPrefix(rest, "--"):
		w.token(rest[:2], at)
		w.at++
		return
	case strings.HasPrefix(rest, "=>"):
		w.arrows++
	}
	if w.brackets(b, at) {
		return
	}
	w.token(rest[:1], at)
}

// brackets follows how deep the source is, and says whether the sign needs no
// more.
func (w *words) brackets(b byte, at int) (done bool) {
	switch {
	case b == '{' || b == '(' || b == '[':
		if b == '{' && w.before == ")" {
			w.bodies++
		}
		w.open = append(w.open, bracket{sign: b, before: w.before})
	case b == '}' || b == ')' || b == ']':
		w.closing(b, at)
		return true
	case b == ';' && len(w.open) == 0:
		w.ended, w.before = true, ";"
		return true
	case b == ',' && len(w.open) == 0:
		w.astray(at)
	}
	return false
}

// pairs are the brackets that open, by those that close.
var pairs = map[byte]byte{'}': '{', ')': '(', ']': '['}

// heads are words behind whose brackets a statement begins.
var heads = []string{"if", "while", "for", "with"}

func (w *words) closing(b byte, at int) {
	w.token(string(b), at)
	last := len(w.open) - 1
	if last < 0 {
		w.astray(at)
		return
	}
	if w.open[last].sign != pairs[b] {
		w.doubt = true // no engine takes it, and engines tell better why
		return
	}
	one := w.open[last]
	w.open = w.open[:last]
	switch {
	case one.back:
		w.template()
	case b == ')' && slices.Contains(heads, one.before):
		w.before = ";"
	case b == ')' && one.before == "await":
		w.before = "of" // for await has a statement behind it, and await alone has not
	}
}

// quoted passes over a text.
func (w *words) quoted(quote byte) {
	for w.at++; w.at < len(w.source); w.at++ {
		switch b := w.source[w.at]; b {
		case '\\':
			w.at++
			if strings.HasPrefix(w.source[min(w.at, len(w.source)):], "\r\n") {
				w.at++
			}
		case quote, '\n', '\r':
			w.at++
			w.before = "0"
			return
		}
	}
}

// template passes over the text of a template, up to its end or to a value.
func (w *words) template() {
	for ; w.at < len(w.source); w.at++ {
		switch {
		case w.source[w.at] == '\\':
			w.at++
		case w.source[w.at] == '`':
			w.at++
			w.before = "0"
			return
		case strings.HasPrefix(w.source[w.at:], "${"):
			w.at += 2
			w.open = append(w.open, bracket{sign: '{', back: true})
			w.before = "{"
			return
		}
	}
}

// lineEnds are what ends a line for JavaScript.
const lineEnds = "\n\r\u2028\u2029"

func (w *words) slash() {
	rest := w.source[w.at:]
	switch {
	case strings.HasPrefix(rest, "//"):
		w.skip(strings.IndexAny(rest, lineEnds), 0)
	case strings.HasPrefix(rest, "/*"):
		w.skip(strings.Index(rest[2:], "*/"), 4)
	case w.divides():
		w.token("/", w.at)
		w.at++
	default:
		w.token("/", w.at)
		w.expression()
	}
}

func (w *words) skip(length, more int) {
	if length < 0 {
		w.at = len(w.source)
		return
	}
	w.at += length + more
}

// divides says whether a slash stands behind a value.
func (w *words) divides() bool {
	switch {
	case w.before == "":
		return false
	case slices.Contains(unsure, w.before) || slices.Contains([]string{"}", "++", "--"}, w.before):
		w.doubt = true
		return true
	case isWord(w.before[0]):
		return !slices.Contains(operators, w.before)
	default:
		return w.before == "]" || w.before == ")"
	}
}

// expression passes over a regular expression.
func (w *words) expression() {
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
			w.before = "0"
			return
		case b == '\n' || b == '\r':
			w.doubt = true
			return
		}
	}
}

// anyImport finds what may be a call of import, wherever it stands.
var anyImport = regexp.MustCompile(`\bimport(?:[\s\v\p{Z}\x{feff}]|//[^\n]*|/\*(?s:.*?)\*/)*[(.]`)

// importIn finds a call of import in code, or gives -1.
func importIn(source string) int {
	w := wordsOf(source)
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
	if found := anyImport.FindStringIndex(source); w.doubt && found != nil {
		return found[0]
	}
	return -1
}

// strayIn finds what cannot belong to one expression, or gives -1: a bracket that
// closes what it did not open, and what stands behind a semicolon or a comma
// outside of all brackets. Where it is in doubt, it leaves that to [Load], which
// finds it too.
func strayIn(source string) int {
	w := wordsOf(source)
	for {
		if word, _, _ := w.next(); word == "" {
			return w.stray
		}
	}
}

// Check finds what no runtime lets hooks do, before they are loaded: import(),
// with which a hook could reach out of its context in Node, and sources that are
// more than one function expression, some of which close the brackets that they
// are put into. Hooks with such a fault must not be loaded. It is no check of
// syntax; [Load] is.
func Check(hooks []Hook) []Fault {
	var faults []Fault
	for _, hook := range hooks {
		at, message := importIn(hook.Source), "hooks cannot load modules: import() is not there"
		if at < 0 {
			at, message = strayIn(hook.Source), "the hook is more than one function expression"
		}
		if at < 0 {
			continue
		}
		line, column := placeOf(hook.Source, at)
		faults = append(faults, Fault{Hook: hook.Name, Message: message, Line: line, Column: column})
	}
	return faults
}

func placeOf(source string, at int) (line, column int) {
	before := source[:at]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// Names tells which of the names stand in the code of a hook, as words of their
// own and not as properties, in the order of names. It serves for warnings: a
// name may stand for something that the hook made itself.
func Names(source string, names ...string) []string {
	seen := map[string]bool{}
	w := wordsOf(source)
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
