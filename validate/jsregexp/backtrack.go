package jsregexp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

const (
	// maxStack is the maximum size of the stacks of a match, in words.
	maxStack = 1 << 20
	// maxRegexp2Bytes is the maximum length of an expression for regexp2, in bytes.
	maxRegexp2Bytes = 1 << 20
)

// backtracker runs an expression in regexp2.
type backtracker struct {
	re    *regexp2.Regexp
	units bool
	// texts is a pool of buffers for decoded text.
	texts sync.Pool
}

func newBacktracker(root *node, f Flags) (*backtracker, error) {
	s, err := writeRegexp2(root, f)
	if err != nil {
		return nil, err
	}
	options := regexp2.ECMAScript
	if f.IgnoreCase && len(s.groupNumbers) > 0 {
		options |= regexp2.IgnoreCase
	}
	if f.Unicode {
		options |= regexp2.Unicode
	}
	re, err := regexp2.Compile(s.out.String(), options, regexp2.OptionMaxBacktrackingStackSize(maxStack))
	if err != nil {
		return nil, fmt.Errorf("compile regular expression: %w", err)
	}
	re.MatchTimeout = MatchLimit
	return &backtracker{re: re, units: !f.Unicode, texts: sync.Pool{New: func() any { return new([]rune) }}}, nil
}

func (b *backtracker) match(text []byte) (bool, error) {
	runes := b.texts.Get().(*[]rune)
	defer b.texts.Put(runes)
	*runes = (*runes)[:0]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if hi, lo := utf16.EncodeRune(r); b.units && hi != utf8.RuneError {
			*runes = append(*runes, hi+surrogateShift, lo+surrogateShift)
			continue
		}
		*runes = append(*runes, r)
	}
	found, err := b.re.MatchRunes(*runes)
	if errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
		return false, fmt.Errorf("%w: it needs too much memory", ErrTimeout)
	}
	if err != nil {
		// The error from the library would include the whole text.
		return false, ErrTimeout
	}
	return found, nil
}

// writeRegexp2 writes an expression in a syntax that regexp2 always accepts. It
// returns an error only if the result is too large.
func writeRegexp2(root *node, f Flags) (*regexp2Writer, error) {
	s := &regexp2Writer{flags: f, groupNumbers: referencedGroups(root)}
	s.writeNode(root)
	if s.out.Len() > maxRegexp2Bytes {
		return nil, fmt.Errorf("compile regular expression: %w", errTooLarge)
	}
	return s, nil
}

// referencedGroups assigns a number to each group that has a backreference.
// Only these groups are captured, because capturing takes time.
func referencedGroups(root *node) map[int]int {
	numbers := map[int]int{}
	root.contains(func(n *node) bool {
		if n.kind == kindBackReference {
			numbers[n.group] = 0
		}
		return false
	})
	next := 0
	root.contains(func(n *node) bool {
		if _, ok := numbers[n.group]; ok && n.kind == kindGroup {
			next++
			numbers[n.group] = next
		}
		return false
	})
	return numbers
}

// regexp2Writer writes an expression in the syntax that regexp2 accepts in ECMAScript mode.
type regexp2Writer struct {
	flags Flags
	out   strings.Builder
	// groupNumbers maps the number of a group in the source to its number in the output.
	groupNumbers map[int]int
}

func (s *regexp2Writer) writeNode(n *node) {
	if s.out.Len() > maxRegexp2Bytes {
		return
	}
	switch n.kind {
	case kindChar:
		s.writeSet(n.set)
	case kindSequence:
		for _, k := range n.children {
			s.writeNode(k)
		}
	case kindAlternation:
		s.writeGroup("(?:", n.children)
	case kindGroup:
		open := "(?:"
		if s.groupNumbers[n.group] > 0 {
			open = "("
		}
		s.writeGroup(open, n.children)
	case kindRepeat:
		s.writeRepeat(n)
	case kindBackReference:
		fmt.Fprintf(&s.out, `(?:\%d)`, s.groupNumbers[n.group])
	case kindLookaround:
		s.writeLookaround(n)
	default:
		s.writeAssertion(n)
	}
}

func (s *regexp2Writer) writeGroup(open string, kids []*node) {
	s.out.WriteString(open)
	for i, k := range kids {
		if i > 0 {
			s.out.WriteByte('|')
		}
		s.writeNode(k)
	}
	s.out.WriteByte(')')
}

func (s *regexp2Writer) writeRepeat(n *node) {
	s.writeGroup("(?:", n.children)
	switch {
	case n.max == unbounded && n.min == 0:
		s.out.WriteByte('*')
	case n.max == unbounded:
		fmt.Fprintf(&s.out, "{%d,}", n.min)
	default:
		fmt.Fprintf(&s.out, "{%d,%d}", n.min, n.max)
	}
	if n.lazy {
		s.out.WriteByte('?')
	}
}

func (s *regexp2Writer) writeLookaround(n *node) {
	open := "(?"
	if n.lookbehind {
		open += "<"
	}
	if n.negated {
		s.writeGroup(open+"!", n.children)
		return
	}
	s.writeGroup(open+"=", n.children)
}

func (s *regexp2Writer) writeAssertion(n *node) {
	words := folding{on: s.flags.IgnoreCase, unicode: s.flags.Unicode}.wordChars()
	switch n.kind {
	case kindStart:
		s.out.WriteByte('^')
	case kindEnd:
		s.writeCondition("(?!", set{{0, maxCodePoint}})
	case kindLineStart:
		s.writeCondition("(?<!", lineTerminators().complement(maxCodePoint))
	case kindLineEnd:
		s.writeCondition("(?!", lineTerminators().complement(maxCodePoint))
	case kindWordEdge:
		s.writeWordEdge(words, n.negated)
	}
}

// writeCondition writes a lookaround for the next or the previous character.
func (s *regexp2Writer) writeCondition(open string, of set) {
	s.out.WriteString(open)
	s.writeSet(of)
	s.out.WriteByte(')')
}

// writeWordEdge writes \b or \B as lookarounds for the characters on both sides.
func (s *regexp2Writer) writeWordEdge(words set, negated bool) {
	behind, ahead := [2]string{"(?<=", "(?<!"}, [2]string{"(?!", "(?="}
	if negated {
		ahead = [2]string{"(?=", "(?!"}
	}
	s.out.WriteString("(?:")
	s.writeCondition(behind[0], words)
	s.writeCondition(ahead[0], words)
	s.out.WriteByte('|')
	s.writeCondition(behind[1], words)
	s.writeCondition(ahead[1], words)
	s.out.WriteByte(')')
}

func (s *regexp2Writer) writeSet(of set) {
	of = of.encodeSurrogates(!s.flags.Unicode)
	if r, ok := of.single(); ok {
		s.writeRune(r)
		return
	}
	if len(of) == 0 {
		s.out.WriteString("(?!)")
		return
	}
	s.out.WriteByte('[')
	for _, p := range of {
		s.writeRune(p.lo)
		if p.hi > p.lo {
			s.out.WriteByte('-')
			s.writeRune(p.hi)
		}
	}
	s.out.WriteByte(']')
}

func (s *regexp2Writer) writeRune(r rune) {
	if r < utf8.RuneSelf && !isLetter(r) && !isDigit(r) {
		s.out.WriteString(`\x` + strconv.FormatInt(int64(r)+0x100, 16)[1:])
		return
	}
	s.out.WriteRune(r)
}
