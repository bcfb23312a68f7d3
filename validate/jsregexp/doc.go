// Package jsregexp matches text against JavaScript regular expressions.
//
// An expression is a source without slashes, and four [Flags]. Its grammar is
// the pattern grammar of ECMAScript 2024 with annex B. [Compile] parses the
// source and reports an error with its position and the reason. Text matches if
// RegExp.prototype.test returns true, that is, if the expression matches
// anywhere in the text. Like JavaScript, the package counts UTF-16 code units
// unless the u flag is set: a character above U+FFFF counts as two.
//
// An [Expr] runs in one of three engines. An expression without backreferences
// and lookarounds is translated into a table of states, which takes one step
// per character, or into an expression for Go's regexp if the table would be
// too large. Any other expression runs in regexp2, which backtracks. A match in
// regexp2 has a time limit, because it can take very long. All engines receive
// the same character sets: escapes, flags and case folding are resolved
// beforehand.
//
// Out of scope are replacing, splitting, captures, the v flag, and features
// added after ECMAScript 2024.
package jsregexp
