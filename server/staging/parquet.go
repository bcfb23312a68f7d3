package staging

import (
	"errors"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
)

const (
	// formatVersion is the first Parquet version with data pages of version 2, which these files
	// use. It is part of each footer, see Stage.Verify.
	formatVersion = 2
	// maxChunks is the maximum number of column chunks in a file. It limits the memory
	// for the footer of an unfinished file if a table has very many columns.
	maxChunks = 16384
)

func textColumn(name string, repetition format.FieldRepetitionType) []parquetio.Element {
	return []parquetio.Element{{
		Name: []byte(name), Type: format.ByteArray, Repetition: repetition, Logical: parquetio.LogicalType{Kind: parquetio.LogicalString},
	}}
}

func intColumn(name string) []parquetio.Element {
	return []parquetio.Element{{Name: []byte(name), Type: format.Int64, Repetition: format.Required}}
}

// parquetFile is an unfinished Parquet file.
type parquetFile struct {
	blob   blob.Writer
	footer parquetio.FooterWriter
	size   int64
}

func newFile(w blob.Writer, columns [][]parquetio.Element) (*parquetFile, error) {
	f := &parquetFile{blob: w, footer: parquetio.FooterWriter{Columns: columns}}
	return f, f.write([]byte(parquetio.Magic))
}

func (f *parquetFile) write(b []byte) error {
	n, err := writeAll(f.blob, b)
	f.size += int64(n)
	return err
}

// appendGroup appends a row group with a single write and returns its location.
func (f *parquetFile) appendGroup(g *encodedGroup) (Piece, error) {
	if len(g.chunks) != len(f.footer.Columns) {
		return Piece{}, errors.New("a row group lacks columns")
	}
	at := Piece{f.size, int64(len(g.body)), g.crc}
	if err := f.write(g.body); err != nil {
		return Piece{}, err
	}
	return at, f.footer.AppendGroup(int64(g.rows), at.Offset, g.chunks)
}

// isFull reports whether the footer cannot hold another row group.
func (f *parquetFile) isFull() bool {
	groups := f.footer.Groups
	return groups > 0 && (groups+1)*len(f.footer.Columns) > maxChunks || groups >= math.MaxInt16
}

// close writes the footer and commits the file.
func (f *parquetFile) close() error {
	if err := f.write(f.footer.Encode(formatVersion)); err != nil {
		return err
	}
	return f.blob.Commit()
}

// Codec is the compression of the pages of a stage. The zero value is Zstd.
type Codec string

// The available codecs.
const (
	// Zstd creates small files.
	Zstd Codec = "zstd"
	// Snappy takes a quarter of the time to write and is faster to read, but its files are 1.5
	// times as large. Use it for stages that are deleted soon.
	Snappy Codec = "snappy"
)

// resolve returns the name of the codec and its number in the Parquet format.
func (c Codec) resolve() (Codec, format.CompressionCodec, error) {
	switch c {
	case "", Zstd:
		return Zstd, format.Zstd, nil
	case Snappy:
		return Snappy, format.Snappy, nil
	}
	return c, 0, fmt.Errorf("the codec %q is not supported", string(c))
}
