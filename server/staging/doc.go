// Package staging stores the validated rows of one run in Parquet files that any Parquet
// reader can open. It stores each value next to its raw value, and all problems.
//
// A [Writer] stages batches and seals a stage. A [Stage] reads all rows, a window of
// rows, the rows with problems, or any list of rows. Each stage has a blob prefix
// that nothing else uses, and never changes after it is sealed. The package knows
// only the [Layout] of a schema. It does not validate cells, and it stores no edits.
//
// # Files
//
//   - manifest.json lists the contents of the stage and their locations. It is written
//     last: a stage without it is unfinished. The file has the form
//     {"crc": C, "manifest": M}, where C is the checksum of the bytes of M, and M is a
//     [Manifest].
//   - seg-0000.parquet, seg-0001.parquet and so on are the segments. A batch is one row
//     group with one data page (version 2) per column, so that reading a window of rows
//     needs one ranged read. Strings are compressed with the [Codec] of the manifest.
//     Integers are not compressed.
//   - problems.parquet lists the problems in row order. Its columns are row, field (its
//     index in the layout, or -1 for the whole row), part (the column of a many-to-one
//     field, counted from 0), code, level (error, warning or info) and text. The file
//     exists only if there are problems.
//   - problems.roar contains concatenated bitmaps of rows in the portable Roaring format:
//     first the bitmap of the rows with an error, then one for each [ProblemKind]. The
//     manifest contains their offsets. The file exists only if there are problems.
//
// All checksums are CRC-32C. A reader verifies the checksum of each piece before it
// decodes the piece, so that a damaged file causes an error, never a wrong row.
//
// # Columns of a segment
//
// Each field has two columns. The column of values has the key of the field as its name
// and contains canonical values. The column named key__raw contains raw values, and is
// null where the raw value equals the value. Unmapped columns come next, named
// $unmapped_INDEX. The last columns are _row and _line, both INT64. _row is the index of
// the row in the stage, counted from 0. _line is the line where its record begins,
// counted from 1.
//
// Column names are unique even if case is ignored, because SQL engines require it. If
// one of the names of a field is already used, Intray appends _2, _3 and so on to the
// key. The manifest lists the columns of each field.
package staging
