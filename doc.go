// Package intray defines the domain model that all packages of the importer
// share: schemas, records, mappings, batches of rows, problems and messages. To
// import a file, start with package importer.
//
// An import uses the main types in this order:
//
//   - A [Schema] lists the [Field]s of a clean row, with the [Settings] and
//     [Hooks] of the organization.
//   - A source file has [Column]s and yields [Records]: raw text, row by row,
//     with line numbers.
//   - A [Mapping] connects columns to fields and gives reasons. It is frozen
//     before the first row is parsed.
//   - A [Batch] is a run of rows, stored field by field. [Cells] hold each value
//     next to the raw text that it was parsed from.
//   - Hooks are functions of the organization. They receive [HookRows] and return
//     [Change]s. A hook that fails yields a [HookError].
//   - A [Question] is something that only a person can decide. [Answers] are
//     decisions about this import, [LearnedMappings] those from earlier imports.
//   - A [Trace] shows where one cell came from and what each step did to it.
//   - A [Problem] is one thing wrong with a cell, row or table. Bad data is a
//     Problem, which is a value. A broken import is an error.
//
// The package depends on no database, HTTP, clock or file format, and imports only
// the standard library.
package intray
