// Package parquetio reads and writes the parts of Parquet files: pages, levels,
// dictionaries, compression and footers.
//
// A [Footer] holds the schema of a file and its row groups. A column chunk holds
// the entries of one [Leaf] of the schema in one row group, cut into pages. An
// entry is a value or a null; its levels state how deeply it is nested.
//
// # Reading
//
// All input is hostile. Sizes and counts are checked before memory is allocated
// for them, and a [Cursor] decodes one value at a time: a few bytes of a page can
// declare billions of values. Damage is reported as a [DamageError], and an
// exceeded limit as a [LimitError].
//
// # Writing
//
// A [PageEncoder] encodes pages, a [DictionaryBuilder] numbers the distinct values
// of a column, and a [FooterWriter] gathers the footer. The caller decides where
// pages and row groups end.
//
// The package does not assemble rows. It does not decrypt, it ignores statistics
// and indexes, and it reads no chunks in other files.
package parquetio

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// Magic is at both ends of a file. MagicEncrypted replaces it in encrypted files:
// at both ends if the footer is encrypted, or only at the end.
const (
	Magic          = "PAR1"
	MagicEncrypted = "PARE"
)

// DamageError reports a file that does not follow the format.
type DamageError struct{ Problem intray.Message }

// LimitError reports a file that exceeds a limit.
type LimitError struct{ Problem intray.Message }

func (e DamageError) Error() string { return e.Problem.String() }
func (e LimitError) Error() string  { return e.Problem.String() }

// Damaged returns a [DamageError].
func Damaged(problem intray.Message) error { return DamageError{problem} }

// Limited returns a [LimitError].
func Limited(problem intray.Message) error { return LimitError{problem} }

// readAt fills b from the file.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	if offset < 0 {
		return Damaged(intray.NewMessage("parquet.too_short", nil))
	}
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
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
	// Length is the number of bytes of a FIXED_LEN_BYTE_ARRAY.
	Length int
	// MaxRep and MaxDef are the highest levels. An entry with the definition
	// level MaxDef has a value.
	MaxRep, MaxDef int
}

// Int96Bytes is the number of bytes of an INT96.
const Int96Bytes = 12

// Width returns the number of bytes of a value. It is 0 for booleans and byte
// arrays.
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

// TypeName returns the name of the type for people.
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
