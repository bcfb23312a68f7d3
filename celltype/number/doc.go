// Package number parses and formats exact decimal numbers.
//
// A number is text in a canonical form: the JSON format without leading zeros,
// without trailing zeros in the fraction, without an exponent unless it
// replaces more than 40 zeros, and without a sign for zero. Equal numbers have
// equal bytes, so that rules such as unique can compare them directly. Values
// keep all their digits. Whether a cell contained 1.50 or 1.5 is recorded only
// in its raw text.
//
// A [Style] describes how to read ambiguous cells of a column: its decimal sign
// and its thousands separator. A [Sniffer] observes the cells of a column. It
// decides on a style, with the evidence for it, or returns an [Ambiguity],
// which is a question for the user. A [Layout] is a set of Numbro format
// options. It formats numbers for display. [Options] are the options of a
// field.
//
// Fields, rows and problems are out of scope. The package does not read units,
// fractions such as 1/2, number words, or binary and hexadecimal numbers. It
// reports currencies but does not convert them.
package number
