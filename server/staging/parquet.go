package staging

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/server/blob"
)

const magic = "PAR1"

// maxChunks bounds what a file under way remembers for its footer, and so the
// memory of writing tables with very many columns.
const maxChunks = 16384

// parquetFile is a Parquet file under way.
type parquetFile struct {
	blob    blob.Writer
	columns []column
	codec   Codec
	size    int64
	rows    int64
	groups  []placedGroup
}

// placedGroup is a row group in its file.
type placedGroup struct {
	offset int64
	rows   int64
	chunks []chunk
}

// fileRange is where a piece of a file lies.
type fileRange struct{ offset, length int64 }

func newFile(w blob.Writer, columns []column, codec Codec) (*parquetFile, error) {
	f := &parquetFile{blob: w, columns: columns, codec: codec}
	return f, f.write([]byte(magic))
}

func (f *parquetFile) write(b []byte) error {
	n, err := f.blob.Write(b)
	f.size += int64(n)
	return err
}

// appendGroup adds a row group in one write.
func (f *parquetFile) appendGroup(g *encodedGroup) (fileRange, error) {
	if len(g.chunks) != len(f.columns) {
		return fileRange{}, errors.New("a row group lacks columns")
	}
	at := fileRange{f.size, int64(len(g.body))}
	if err := f.write(g.body); err != nil {
		return fileRange{}, err
	}
	f.groups = append(f.groups, placedGroup{at.offset, int64(g.rows), append([]chunk(nil), g.chunks...)})
	f.rows += int64(g.rows)
	return at, nil
}

// isFull says that the footer can take no further group.
func (f *parquetFile) isFull() bool {
	return (len(f.groups)+1)*len(f.columns) > maxChunks && len(f.groups) > 0 || len(f.groups) >= math.MaxInt16
}

// close writes the footer and makes the file visible.
func (f *parquetFile) close() error {
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), f.footer())
	if err != nil {
		return fmt.Errorf("make the footer: %w", err)
	}
	if len(footer) > math.MaxInt32 {
		return errors.New("the footer is over 2 GiB")
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	if err := f.write(append(footer, magic...)); err != nil {
		return err
	}
	return f.blob.Commit()
}

func (f *parquetFile) footer() *format.FileMetaData {
	meta := &format.FileMetaData{
		Version: 2, NumRows: f.rows, CreatedBy: "intray",
		Schema: []format.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(len(f.columns)))}},
	}
	for _, c := range f.columns {
		meta.Schema = append(meta.Schema, c.element())
	}
	for i, g := range f.groups {
		meta.RowGroups = append(meta.RowGroups, f.rowGroup(i, g))
	}
	return meta
}

func (c column) element() format.SchemaElement {
	e := format.SchemaElement{
		Name: c.name, Type: thrift.New(c.physical()), RepetitionType: thrift.New(format.Required),
	}
	if c.optional {
		e.RepetitionType = thrift.New(format.Optional)
	}
	if c.text {
		e.ConvertedType = thrift.New(deprecated.UTF8)
		e.LogicalType = format.LogicalType{Value: &format.StringType{}}
	}
	return e
}

func (c column) physical() format.Type {
	if c.text {
		return format.ByteArray
	}
	return format.Int64
}

// pageCodec is how the pages of the column may be compressed; numbers are short as
// they are.
func (c column) pageCodec(codec Codec) format.CompressionCodec {
	if c.text {
		return codec.parquetCodec()
	}
	return format.Uncompressed
}

func (f *parquetFile) rowGroup(ordinal int, g placedGroup) format.RowGroup {
	row := format.RowGroup{
		NumRows: g.rows, FileOffset: g.offset, Ordinal: int16(ordinal),
		Columns: make([]format.ColumnChunk, 0, len(g.chunks)),
	}
	offset := g.offset
	for i, c := range g.chunks {
		row.Columns = append(row.Columns, f.columns[i].columnChunk(c, f.codec, g.rows, offset))
		row.TotalByteSize += c.plain
		row.TotalCompressedSize += c.length
		offset += c.length
	}
	return row
}

func (c column) columnChunk(k chunk, codec Codec, rows, offset int64) format.ColumnChunk {
	meta := format.ColumnMetaData{
		Type: c.physical(), PathInSchema: []string{c.name}, Codec: c.pageCodec(codec), NumValues: rows,
		TotalUncompressedSize: k.plain, TotalCompressedSize: k.length,
		DataPageOffset: offset + k.dict,
		Statistics:     format.Statistics{NullCount: k.nulls},
		Encoding:       []format.Encoding{k.encoding, format.RLE},
	}
	if k.dict > 0 {
		meta.DictionaryPageOffset = offset
		meta.Encoding = append(meta.Encoding, format.Plain)
	}
	return format.ColumnChunk{MetaData: meta}
}
