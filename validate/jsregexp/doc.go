// Package jsregexp matches texts against the regular expressions of JavaScript.
//
// An expression is a source without slashes and four [Flags]. Its grammar is
// the pattern grammar of ECMAScript 2024 with annex B, which [Compile] reads
// itself, so that a wrong one is refused with the place and the reason. A
// match is what RegExp.prototype.test answers: whether the expression is found
// anywhere in the text. Without the u flag JavaScript counts UTF-16 code
// units, and so does the package: a character beyond U+FFFF is two.
//
// Three engines stand behind an [Expr]. An expression without references and
// lookarounds is translated: into a table of states, one step for each
// character, or where that grows too large, into Go's own regexp. All others
// run in regexp2, which tries one way after the other and may take very long;
// there a match has a time limit. All of them get the same sets of characters:
// escapes, flags and case are resolved beforehand.
//
// The package does not replace, split or tell what a group took, and does not
// know the v flag, nor what came after ECMAScript 2024.
package jsregexp
