// Package draft holds the staged rows of an import as persons have changed them
// so far.
//
// A [Draft] is a sealed stage with layers above it. A layer is what one change
// made: the rows that it touched, whole, as they are now; the rows that it
// deleted; the rows that it added, whose numbers follow those of the stage and
// are never used twice; and which rows began and ceased to have each kind of
// problem. The latest layer wins. Undo takes the last one off, redo puts it on
// again.
//
// An [Operation] says what to change, a [Filter] which rows are meant or shown. A
// [OpenView] is the rows of a filter at one moment, which go on being shown when they
// no longer fit it. A [ChangeResult] says what a change does, or would do.
//
// The text of a cell is its raw text: what is searched for, replaced and counted
// is what stands there, and what is put there is read by the [Revalidator], as the run
// read the file. Where a person sees a name in place of a text, such as Germany for
// DE, that is searched for and replaced as well. A field that several columns feed has
// one cell for each of them. Of a list, its texts are searched, not how it is written.
//
// Changes are made one at a time. What reads sees the rows as they were when it
// began, and never waits for a change.
//
// # What is kept
//
// A layer of few rows is some bytes, a larger one a folder of blobs of which the
// bytes tell. A [StoredRevision] has them; a draft that is opened with the same stage and
// the layers that were kept is the one that made them. All of it has checksums, so
// that a damaged layer is an error and never a wrong row.
//
// The package reads and checks no cell itself, and knows no database, no clock and
// no person.
package draft
