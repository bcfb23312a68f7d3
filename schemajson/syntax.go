package schemajson

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/quickjs"
)

// parserMemory is the most memory that reading one hook may take: 64 MiB.
const parserMemory = 16 << 20

// hookProblem says why a hook's source is no function, or "". The source is
// compiled by the engine that runs hooks and never run. That engine refuses
// deep nesting and too much memory by itself; other parsers written in Go
// overflow their stack on such a text and take the whole process with them.
func hookProblem(source string) string {
	switch {
	case len(source) > MaxHookBytes:
		return fmt.Sprintf("must be at most %d bytes long, not %d", MaxHookBytes, len(source))
	case strings.TrimSpace(source) == "":
		return "must be a function, not an empty text"
	case nameCount(source) > maxNames:
		return fmt.Sprintf("uses more than %d different names; keep large tables as strings in quotes", maxNames)
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		return "could not be checked for its syntax: " + err.Error()
	}
	defer vm.Close()
	vm.SetMemoryLimit(parserMemory)
	c := compiler{vm}
	if err := c.compile("(", source, ")"); err != nil {
		if s, ok := strings.CutSuffix(strings.TrimSpace(source), ";"); ok && c.reads("(", s, ")") {
			return "must be an expression; take the semicolon at its end away"
		}
		return syntaxProblem(source, err)
	}
	if !c.isClosed(source) || !c.isFunction(source, 0) {
		return "must be one function, such as (record, mode) => ({row: {}}) or function (record, mode) { … }, with nothing after it"
	}
	return ""
}

// syntaxProblem puts the engine's words in a sentence. Its columns count the
// parenthesis in front of the first line.
func syntaxProblem(source string, err error) string {
	var e *quickjs.Error
	switch {
	case strings.Contains(err.Error(), "stack overflow"):
		return "is nested too deeply to be read"
	case strings.Contains(err.Error(), "out of memory"):
		return "needs too much memory to be read"
	case !errors.As(err, &e) || e.LineNumber == 0:
		return "has a syntax error: " + err.Error()
	case e.LineNumber > strings.Count(source, "\n")+1:
		return fmt.Sprintf("has a syntax error: it ends too early, in line %d", e.LineNumber-1)
	}
	column := e.ColumnNumber
	if e.LineNumber == 1 {
		column--
	}
	return fmt.Sprintf("has a syntax error in line %d, column %d: %s", e.LineNumber, column, e.Message)
}

type compiler struct{ vm *quickjs.VM }

// compile reads a source between two texts. A line break keeps a comment at
// the source's end from hiding what follows.
func (c compiler) compile(before, source, after string) error {
	_, err := c.vm.Compile(before+source+"\n"+after, 0)
	return err
}

func (c compiler) reads(before, source, after string) bool {
	return c.compile(before, source, after) == nil
}

// isClosed says whether a source that reads well in parentheses is one
// expression there. A source that closes the parenthesis in front of it and
// opens another reads well there too, but not between brackets.
func (c compiler) isClosed(source string) bool {
	return c.reads("[1?", source, ":1]")
}

// maxWraps is how many parentheses may stand around a function.
const maxWraps = 3

// isFunction says whether an expression is a function and not, for example, a
// call of one.
func (c compiler) isFunction(source string, wraps int) bool {
	s := skipBlank(source)
	if rest, ok := keyword(s, "function"); ok {
		return c.endsWithBody(rest, "if(1)function f", "else;")
	}
	if rest, ok := keyword(s, "async"); ok {
		if rest, ok := keyword(skipBlank(rest), "function"); ok {
			return c.endsWithBody(rest, "({async f", "})")
		}
	}
	if c.isArrow(s) {
		return true
	}
	inner, wrapped := unwrap(s)
	return wrapped && wraps < maxWraps && c.reads("(", inner, ")") && c.isClosed(inner) && c.isFunction(inner, wraps+1)
}

// endsWithBody takes what follows the keyword function. It is put, under a
// name, where a function's body must be the last thing.
func (c compiler) endsWithBody(rest, before, after string) bool {
	rest = skipBlank(rest)
	if at := strings.IndexByte(rest, '('); at > 0 && !strings.HasPrefix(rest, "*") {
		rest = rest[at:]
	}
	return strings.HasPrefix(rest, "(") && c.reads(before, rest, after)
}

// isArrow knows arrow functions by where they may not stand: as an operand,
// where every other expression may but an assignment; and behind a call's
// beginning, where an assignment may.
func (c compiler) isArrow(s string) bool {
	before := "q."
	if strings.HasPrefix(s, "(") {
		before = "q"
	}
	return strings.Contains(s, "=>") && !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") &&
		!c.reads("(1||", s, ")") && !c.reads("("+before, s, ")")
}

func unwrap(s string) (inner string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return "", false
	}
	return s[1 : len(s)-1], true
}

// keyword cuts a word off the front of a source.
func keyword(s, word string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(s, word)
	return rest, ok && (rest == "" || !isNameByte(rest[0]))
}

// skipBlank cuts white space and comments off the front.
func skipBlank(s string) string {
	for {
		s = strings.TrimSpace(s)
		var found bool
		switch {
		case strings.HasPrefix(s, "//"):
			_, s, found = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			_, s, found = strings.Cut(s[2:], "*/")
		}
		if !found {
			return s
		}
	}
}
