// Package parquetio reads and writes the parts of Parquet files: pages, levels,
// dictionaries, compression and footers.
//
// A [Footer] holds the schema of a file and its row groups. A column chunk holds the entries
// of one [Leaf] of the schema in one row group, split into pages. An entry is a value or a
// null. Its levels encode its position in nested data.
//
// # Reading
//
// All input is untrusted. The package checks sizes and counts before it allocates memory for
// them. A [Cursor] decodes one value at a time, because a few bytes of a page can declare
// billions of values. Damaged files cause a [DamageError], and exceeded limits a [LimitError].
//
// # Writing
//
// A [PageEncoder] encodes pages, and a [FooterWriter] builds the footer. The caller decides where
// pages and row groups end, and which values a dictionary holds.
//
// The package does not assemble rows, decrypt files, use statistics or indexes, or read chunks
// that are stored in other files.
package parquetio

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// Magic is the magic number at both ends of a file. Files with an encrypted footer have
// MagicEncrypted at both ends instead.
const (
	Magic          = "PAR1"
	MagicEncrypted = "PARE"
)

// DamageError reports that a file violates the Parquet format.
type DamageError struct{ Problem intray.Message }

// LimitError reports that a file exceeds a limit.
type LimitError struct{ Problem intray.Message }

func (e DamageError) Error() string { return e.Problem.String() }
func (e LimitError) Error() string  { return e.Problem.String() }

// Damaged returns a [DamageError] with the given problem.
func Damaged(problem intray.Message) error { return DamageError{problem} }

// Limited returns a [LimitError] with the given problem.
func Limited(problem intray.Message) error { return LimitError{problem} }

// readAt fills b with the bytes of the file that start at offset.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	if offset < 0 {
		return Damaged(intray.NewMessage("parquet.too_short", nil))
	}
	n, err := r.ReadAt(b, offset)
	if n == len(b) && (err == nil || errors.Is(err, io.EOF)) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", offset, err)
}

// Leaf describes the entries of one leaf of the schema.
type Leaf struct {
	Type format.Type
	// Length is the number of bytes per value of a FIXED_LEN_BYTE_ARRAY.
	Length int
	// MaxRep and MaxDef are the maximum repetition and definition levels. An entry has a value
	// if its definition level is MaxDef.
	MaxRep, MaxDef int
}

// Int96Bytes is the size of an INT96 value in bytes.
const Int96Bytes = 12

// Width returns the size of a value in bytes. It returns 0 for booleans and byte arrays.
func (l *Leaf) Width() int {
	switch l.Type {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return Int96Bytes
	case format.FixedLenByteArray:
		return l.Length
	}
	return 0
}

// TypeName returns the name of the type for messages.
func (l *Leaf) TypeName() string {
	switch l.Type {
	case format.Boolean:
		return "boolean"
	case format.Int32:
		return "int32"
	case format.Int64:
		return "int64"
	case format.Int96:
		return "timestamp(int96)"
	case format.Float:
		return "float"
	case format.Double:
		return "double"
	case format.ByteArray:
		return "bytes"
	}
	return "bytes(" + strconv.Itoa(l.Length) + ")"
}
