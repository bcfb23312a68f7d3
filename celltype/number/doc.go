// Package number reads numbers from the text of cells, exactly, and writes them.
//
// A number is a decimal text in one canonical form: the form of JSON, without
// leading zeros, without zeros at the end of a fraction, without an exponent
// unless more than 40 zeros would have to stand in for it, and zero without a
// sign. Two texts of the same value so have the same bytes: rules such as unique
// compare them as they are. No digit of the value is lost, however many there
// are; that a cell had 1.50 and not 1.5 is kept by its raw text alone.
//
// A [Style] says how a column writes its numbers where a cell alone does not
// tell: which sign stands before the fraction and which between the thousands. A
// [Sniffer] takes the cells of a column and decides the style with its
// [Evidence], or finds a [Ambiguity], which is a question for a person. A [Layout] is
// a set of Numbro's format options: it writes numbers for people. [Options] are
// all that a field asks of its numbers.
//
// The package knows no fields, rows or problems, and asks nobody. It reads no
// units, fractions such as 1/2, number words, or binary and hexadecimal digits,
// and converts no currency: what stands beside the digits is only reported.
package number
