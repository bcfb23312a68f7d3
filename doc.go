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
//   - A [Mapping] connects columns to fields and records the reasons. It is frozen
//     before the first row is parsed.
//   - A [Batch] is a sequence of parsed rows, stored field by field. [Cells] hold each value
//     next to the raw text that it was parsed from.
//   - Hooks are functions of the organization. They receive [HookRows] and return
//     [Change]s. A hook that fails yields a [HookError].
//   - A [Question] is something that only a person can decide. [Answers] are decisions
//     about this import. [LearnedMappings] are decisions from earlier imports.
//   - A [Trace] shows where one cell came from and what each step did to it.
//   - A [Problem] is one fault in a cell, row or table. Invalid data is reported as a
//     Problem, and a failed import as an error.
//
// The package does not depend on a database, HTTP, a clock or a file format. It imports
// only the standard library.
package intray
