// Package number reads and writes exact numbers as text.
//
// A number is a decimal text in one canonical form: that of JSON, without
// leading zeros, without trailing zeros of a fraction, without an exponent
// unless it saves more than 40 zeros, and zero without a sign. Texts of the
// same value have the same bytes, so that rules such as unique compare them
// directly. Values keep all digits. That a cell
// held 1.50 rather than 1.5 is only in its raw text.
//
// A [Style] describes how a column writes its numbers if a cell alone is
// ambiguous: the decimal sign and the sign between thousands. A [Sniffer]
// observes the cells of a column and decides the style with evidence, or
// returns an [Ambiguity], which is a question for a person. A [Layout] is a set
// of Numbro's format options. It writes numbers for people. [Options] are the
// options of a field.
//
// Out of scope are fields, rows and problems. The package reads no units,
// fractions such as 1/2, number words, or binary and hexadecimal digits. It
// reports currencies but does not convert them.
package number
