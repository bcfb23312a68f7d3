package jsregexp

import "github.com/intraydata/intray"

// SyntaxError tells why a source is no regular expression.
type SyntaxError struct {
	// Character is the place in the source, counted from 1 in characters.
	Character int
	// Reason is a sentence without its end.
	Reason intray.Message
}

// Describe returns the message of the error.
func (e *SyntaxError) Describe() intray.Message {
	return intray.NewMessage("regexp.invalid", intray.Params{"character": e.Character, "problem": e.Reason})
}

// Error renders the message in English.
func (e *SyntaxError) Error() string { return e.Describe().String() }

// trailingBackslash is the reason where nothing follows a backslash.
var trailingBackslash = intray.NewMessage("regexp.trailing_backslash", intray.Params{"escaped": `\\`})

// fail stops the reading at a place of the source, counted from 0 in units.
// The panic is caught in parse.
func (p *parser) fail(at int, reason intray.Message) {
	panic(&SyntaxError{Character: character(p.src, p.unicode, at), Reason: reason})
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
