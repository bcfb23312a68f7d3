package jsregexp

import "fmt"

// SyntaxError tells why a source is no regular expression.
type SyntaxError struct {
	// Character is the place in the source, counted from 1 in characters.
	Character int
	// Reason is a sentence without its end.
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("the regular expression is not valid at character %d: %s", e.Character, e.Reason)
}

// fail stops the reading at a place of the source, counted from 0 in units.
// The panic is caught in parse.
func (p *parser) fail(at int, reason string, args ...any) {
	panic(&SyntaxError{Character: character(p.src, p.unicode, at), Reason: fmt.Sprintf(reason, args...)})
}

// character gives the number, from 1, of the character at a place in units.
func character(src []rune, points bool, at int) int {
	n := 1
	for i := 1; i <= min(at, len(src)); i++ {
		if points || i == len(src) || !isPair(src[i-1], src[i]) {
			n++
		}
	}
	return n
}
