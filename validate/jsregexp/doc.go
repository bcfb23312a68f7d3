// Package jsregexp matches texts against the regular expressions of JavaScript.
//
// An expression is a source without slashes and four [Flags]. Its grammar is
// the pattern grammar of ECMAScript 2024 with annex B. [Compile] parses it, so
// that an error names the position and the reason. A match means what
// RegExp.prototype.test returns: whether the expression is found anywhere in
// the text. Without the u flag JavaScript counts UTF-16 code units, and so does
// the package: a character beyond U+FFFF is two.
//
// An [Expr] runs in one of three engines. An expression without references and
// lookarounds is translated into a table of states, with one step per
// character, or into Go's regexp if the table would be too large. All others
// run in regexp2, which backtracks and may take very long, so that a match has
// a time limit. All engines get the same sets of characters: escapes, flags and
// case are resolved beforehand.
//
// Out of scope are replacing, splitting, captures, the v flag, and anything
// newer than ECMAScript 2024.
package jsregexp
