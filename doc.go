// Package intray holds the words of the data importer: what a schema asks for,
// what a file brings, and what is wrong between the two.
//
// The nouns, in the order in which a file meets them:
//
//   - A [Schema] says what an organization wants: its [Field]s, its [Settings]
//     and its [Hooks].
//   - A source file has [Column]s and yields [Records]: raw text, row by row,
//     each with the line it came from.
//   - A [Mapping] joins columns to fields and says why. It is frozen before the
//     first row moves.
//   - A [Batch] is a run of rows, kept field by field: beside each [Cells]
//     value stands the raw text it was read from.
//   - Hooks are functions of the organization: they are given [HookRows] and
//     give back [Change]s; what one does wrong is a [HookError].
//   - A [Question] is what only a person can settle; [Answers] are what persons
//     said of this import, [LearnedMappings] what they said of earlier ones.
//   - A [Trace] tells of one cell where it came from and what each step made of
//     it.
//   - A [Problem] is one thing wrong with one cell, row or table. Bad data is a
//     Problem, which is a value; a broken import is an error. They never mix.
//
// The package knows no database, no HTTP, no clock and no format. It imports
// the standard library only.
package intray
