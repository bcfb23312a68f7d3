// Package draft holds the staged rows of an import together with the edits made
// during review.
//
// A [Draft] is a sealed stage with revisions on top. A revision is the effect of
// one change: the complete current content of the rows it touched, the rows it
// deleted, the rows it added, and the rows that gained or lost each kind of
// problem. Numbers of added rows follow those of the stage and are never reused.
// The latest revision wins. Undo removes the last revision, redo restores it.
//
// An [Operation] describes a change, and a [Filter] selects rows. A [View] is the
// result of a filter at one moment; its rows stay visible after they stop matching.
// A [ChangeResult] summarizes what a change does or would do.
//
// Operations work on the raw text of cells: searching, replacing and counting use
// it, and the [Revalidator] parses new text exactly as the run parsed the file. If
// a cell displays a name instead of its text, such as Germany for DE, search and
// replace consider the name as well. A many-to-one field has one cell per column.
// In lists, the search looks at the elements, not at the JSON encoding.
//
// Changes run one at a time. A reader sees the rows as of the moment it started and
// never waits for a change.
//
// # Storage
//
// A [StoredRevision] holds a small revision inline. Larger revisions are written to
// blobs, which the StoredRevision references. Opening a draft with the same stage
// and stored revisions restores it. Everything has checksums: a damaged revision
// causes an error, never a wrong row.
//
// The package does not parse or validate cells itself. It has no access to a
// database, a clock or users.
package draft
