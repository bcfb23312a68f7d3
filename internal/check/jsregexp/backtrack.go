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
	// maxStack bounds the memory of a match, in words.
	maxStack = 1 << 20
	// maxSpelled bounds the text of an expression for regexp2, in bytes.
	maxSpelled = 1 << 20
)

// backtracker runs an expression in regexp2.
type backtracker struct {
	re    *regexp2.Regexp
	units bool
	// texts are slices of runes, used again from match to match.
	texts sync.Pool
}

func newBacktracker(root *node, f Flags) (*backtracker, error) {
	s, err := spell(root, f)
	if err != nil {
		return nil, err
	}
	options := regexp2.ECMAScript
	if f.IgnoreCase && len(s.numbers) > 0 {
		options |= regexp2.IgnoreCase
	}
	if f.Unicode {
		options |= regexp2.Unicode
	}
	re, err := regexp2.Compile(s.out.String(), options, regexp2.OptionMaxBacktrackingStackSize(maxStack))
	if err != nil {
		return nil, fmt.Errorf("preparing the regular expression: %w", err)
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
		// The library's text would quote all of the text.
		return false, ErrTimeout
	}
	return found, nil
}

// spell writes an expression for regexp2, which takes all that is written so;
// only one that is too large is refused.
func spell(root *node, f Flags) (*speller, error) {
	s := &speller{flags: f, numbers: referred(root)}
	s.node(root)
	if s.out.Len() > maxSpelled {
		return nil, fmt.Errorf("preparing the regular expression: %w", errTooLarge)
	}
	return s, nil
}

// referred numbers the groups that a reference names. Only these are written
// as groups, for each that is kept costs time.
func referred(root *node) map[int]int {
	numbers := map[int]int{}
	root.any(func(n *node) bool {
		if n.kind == isBack {
			numbers[n.group] = 0
		}
		return false
	})
	next := 0
	root.any(func(n *node) bool {
		if _, ok := numbers[n.group]; ok && n.kind == isGroup {
			next++
			numbers[n.group] = next
		}
		return false
	})
	return numbers
}

// speller writes an expression in the syntax of regexp2's ECMAScript mode.
type speller struct {
	flags Flags
	out   strings.Builder
	// numbers are those of the groups that are kept, by their number in the
	// source.
	numbers map[int]int
}

func (s *speller) node(n *node) {
	if s.out.Len() > maxSpelled {
		return
	}
	switch n.kind {
	case isChar:
		s.char(n.set)
	case isSeq:
		for _, k := range n.kids {
			s.node(k)
		}
	case isAlt:
		s.within("(?:", n.kids)
	case isGroup:
		open := "(?:"
		if s.numbers[n.group] > 0 {
			open = "("
		}
		s.within(open, n.kids)
	case isRepeat:
		s.repeat(n)
	case isBack:
		fmt.Fprintf(&s.out, `(?:\%d)`, s.numbers[n.group])
	case isLook:
		s.look(n)
	default:
		s.assertion(n)
	}
}

func (s *speller) within(open string, kids []*node) {
	s.out.WriteString(open)
	for i, k := range kids {
		if i > 0 {
			s.out.WriteByte('|')
		}
		s.node(k)
	}
	s.out.WriteByte(')')
}

func (s *speller) repeat(n *node) {
	s.within("(?:", n.kids)
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

func (s *speller) look(n *node) {
	open := "(?"
	if n.behind {
		open += "<"
	}
	if n.negated {
		s.within(open+"!", n.kids)
		return
	}
	s.within(open+"=", n.kids)
}

func (s *speller) assertion(n *node) {
	words := folding{on: s.flags.IgnoreCase, unicode: s.flags.Unicode}.words()
	switch n.kind {
	case isStart:
		s.out.WriteByte('^')
	case isEnd:
		s.side("(?!", set{{0, highest}})
	case isLineStart:
		s.side("(?<!", lineEnds().without(highest))
	case isLineEnd:
		s.side("(?!", lineEnds().without(highest))
	case isWordEdge:
		s.edge(words, n.negated)
	}
}

// side writes a condition on the character before or behind.
func (s *speller) side(open string, of set) {
	s.out.WriteString(open)
	s.char(of)
	s.out.WriteByte(')')
}

// edge writes \b or \B by what stands on both sides.
func (s *speller) edge(words set, negated bool) {
	behind, ahead := [2]string{"(?<=", "(?<!"}, [2]string{"(?!", "(?="}
	if negated {
		ahead = [2]string{"(?=", "(?!"}
	}
	s.out.WriteString("(?:")
	s.side(behind[0], words)
	s.side(ahead[0], words)
	s.out.WriteByte('|')
	s.side(behind[1], words)
	s.side(ahead[1], words)
	s.out.WriteByte(')')
}

func (s *speller) char(of set) {
	of = of.carried(!s.flags.Unicode)
	if r, ok := of.single(); ok {
		s.rune(r)
		return
	}
	if len(of) == 0 {
		s.out.WriteString("(?!)")
		return
	}
	s.out.WriteByte('[')
	for _, p := range of {
		s.rune(p.lo)
		if p.hi > p.lo {
			s.out.WriteByte('-')
			s.rune(p.hi)
		}
	}
	s.out.WriteByte(']')
}

func (s *speller) rune(r rune) {
	if r < utf8.RuneSelf && !isLetter(r) && !isDigit(r) {
		s.out.WriteString(`\x` + strconv.FormatInt(int64(r)+0x100, 16)[1:])
		return
	}
	s.out.WriteRune(r)
}
