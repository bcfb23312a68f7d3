// Package staging stores the validated rows of one run: every row, with raw text next to
// the value, and every problem, in Parquet files that any reader opens.
//
// A [Writer] stages batches and seals a stage. A [Stage] reads it: as a whole, by window,
// by the rows with problems, or by any list of rows. A stage has a prefix of a blob store
// to itself and never changes after it is sealed. The package knows no schema beyond the
// [Layout]. It does not validate cells, and it stores no edits.
//
// # Files
//
//   - manifest.json lists what the stage has and where. It is written last: a stage
//     without it is unfinished. It has the form {"crc": C, "manifest": M}, where C is the
//     checksum of the bytes of M, and M is a [Manifest].
//   - seg-0000.parquet, seg-0001.parquet and so on are the segments. A batch is one row
//     group with one page (version 2) per column, so that a window of rows is one ranged
//     read. Texts are compressed with the [Codec] of the manifest, numbers are not.
//   - problems.parquet lists the problems in the order of the rows: row, field (its index
//     in the layout, or -1 for the row as a whole), part (which column of a many-to-one
//     field, from 0), code, level (error, warning or info) and text. It exists if there
//     are problems.
//   - problems.roar has bitmaps of rows in the portable format of Roaring, one after the
//     other: first that of the rows with an error, then one for each [ProblemKind]. The
//     manifest has their offsets. It exists if there are problems.
//
// All checksums are CRC-32C. A reader verifies that of each piece before it decodes the
// piece, so that a damaged file is an error and never a wrong row.
//
// # Columns of a segment
//
// Each field has a column for the value, with its key as the name, and one for the raw
// text, named key__raw, which is null if the raw text is the value. Values are canonical
// texts. Unmapped columns come next, named $unmapped_INDEX. The last columns are _row and
// _line, both INT64: the index of the row in the stage, from 0, and the line where its
// record begins, from 1.
//
// Names differ without regard to case, as SQL engines require. A field whose names are
// taken by those above or by an earlier field gets _2, _3 and so on after its key. The
// manifest states the columns of each field.
package staging
