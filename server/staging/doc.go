// Package staging keeps the staged result of one run: every row, value beside
// raw text, and every problem, in sealed files that any Parquet reader opens.
//
// A [Writer] takes batches and seals a stage; a [StageBatch] reads it back, whole,
// by window, by the rows that have problems, or by any list of rows. A stage
// lives under a prefix of a blob store that belongs to it alone, and never
// changes. The package knows no schema beyond the [Layout], checks no cell and
// holds no edits.
//
// # Files
//
//   - manifest.json says what the stage holds and where. It is written last:
//     a stage without it was never finished. Its form is {"crc": C,
//     "manifest": M}, where C is the checksum of the bytes of M, and M is a
//     [Manifest].
//   - seg-0000.parquet, seg-0001.parquet and so on are the segments. A batch
//     is one row group, with one page (version 2) a column, so that a window
//     of rows is one ranged read. Texts are compressed with the [Codec] that
//     the manifest names, numbers are not.
//   - problems.parquet lists the problems in the order of the rows: row,
//     field (its place in the layout, or -1 for the row as a whole), part (which
//     of the columns that feed the field, from 0), code, level (error, warning or
//     info) and text. It is there if there are any.
//   - problems.roar holds bitmaps of rows, in the portable roaring form, laid
//     end to end: first that of the rows with an error, then one for each
//     [ProblemKind]. The manifest says where each begins and ends. It is there if
//     there are problems.
//
// All checksums are CRC-32C. A reader verifies that of each piece before it
// looks inside, so that a damaged file is an error and never a wrong row.
//
// # Columns of a segment
//
// Each field has a column for the value, named by its key, and one for the raw
// text, named key__raw, which is null where the raw text is the value. Values
// are canonical texts. Columns that feed no field and are passed through come
// next, named $unmapped_INDEX, and last _row and _line, both INT64: the index
// of the row among all, from 0, and the line where its record begins, from 1.
//
// Names are told apart without regard to case, as SQL engines do. A field
// whose names are taken, by those above or by a field before it, has _2, _3
// and so on put behind its key; the manifest says which columns are whose.
package staging
