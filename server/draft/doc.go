// Package draft holds the staged rows of an import together with the edits made
// during review.
//
// A [Draft] is a sealed stage with revisions on top. A revision is the effect of one
// change: the complete current content of the rows it touched, the rows it deleted
// or added, and the rows that gained or lost each kind of problem. Added rows are
// numbered after those of the stage, and their numbers are never reused. The latest
// revision takes precedence. Undo removes the last revision, and redo restores it.
//
// An [Operation] describes a change, and a [Filter] selects rows. A [View] is the result of a
// filter at a point in time. Its rows stay in the view even if they no longer match. A
// [ChangeResult] summarizes the effect of a change.
//
// Operations work on the raw values of cells. Search, replace and count use raw
// values, and the [Revalidator] parses a new value exactly as the run parsed the
// file. If a cell displays a name instead of its value, such as Germany for DE,
// search and replace also consider the name. A many-to-one field has one cell per
// column. In lists, search looks at the elements, not at the JSON encoding.
//
// Changes run one at a time. A reader sees the rows as they were when it started,
// and never waits for a change.
//
// # Storage
//
// A [StoredRevision] holds a small revision inline. A larger revision is written to
// blobs that the StoredRevision references. Opening a draft with the same stage and
// stored revisions restores it. Everything has checksums, so a damaged revision
// causes an error, never a wrong row.
//
// This package does not parse or validate cells. It does not depend on a database, a
// clock or users.
package draft
