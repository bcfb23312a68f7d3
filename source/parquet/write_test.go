package parquet

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/source/sourcetest"
)

// encodeFile returns a file with the given rows, written by parquet-go.
func encodeFile(tb testing.TB, root parquet.Node, rows []parquet.Row, options ...parquet.WriterOption) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := parquet.NewWriter(&out, append([]parquet.WriterOption{parquet.NewSchema("rows", root)}, options...)...)
	if _, err := w.WriteRows(rows); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// columnFile returns a file with one optional column that holds the values and then a null.
func columnFile(tb testing.TB, node parquet.Node, values ...parquet.Value) []byte {
	tb.Helper()
	var rows []parquet.Row
	for _, v := range values {
		rows = append(rows, parquet.Row{v.Level(0, 1, 0)})
	}
	rows = append(rows, parquet.Row{parquet.NullValue().Level(0, 0, 0)})
	return encodeFile(tb, parquet.Group{"v": parquet.Optional(node)}, rows)
}

// fileOf returns a file with the given Go values as rows.
func fileOf[T any](tb testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, options...)
	if _, err := w.Write(rows); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// footerTail is the size of the end of a file in bytes: the length of the footer and the magic
// number.
const footerTail = 8

// editFooter returns a file whose footer was modified by change.
func editFooter(tb testing.TB, file []byte, change func(meta *format.FileMetaData)) []byte {
	tb.Helper()
	at := len(file) - footerTail - int(binary.LittleEndian.Uint32(file[len(file)-footerTail:]))
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), file[at:len(file)-footerTail], &meta); err != nil {
		tb.Fatal(err)
	}
	change(&meta)
	return appendFooter(tb, file[:at], &meta)
}

// appendFooter appends a footer to pages.
func appendFooter(tb testing.TB, pages []byte, meta *format.FileMetaData) []byte {
	tb.Helper()
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		tb.Fatal(err)
	}
	return endFile(pages, footer)
}

// endFile appends an encoded footer, its length and the magic number.
func endFile(pages, footer []byte) []byte {
	out := append(slices.Clone(pages), footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, parquetio.Magic...)
}

// buildFile returns a file with one column in one row group that consists of the given pages.
func buildFile(tb testing.TB, e format.SchemaElement, codec format.CompressionCodec, rows int64, pages ...[]byte) []byte {
	tb.Helper()
	e.Name = "v"
	body := append([]byte(parquetio.Magic), slices.Concat(pages...)...)
	return appendFooter(tb, body, &format.FileMetaData{
		Version: 1, NumRows: rows,
		Schema: []format.SchemaElement{{Name: "rows", NumChildren: thrift.New[int32](1)}, e},
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: e.Type.V, Codec: codec, NumValues: rows, PathInSchema: []string{"v"}, DataPageOffset: int64(len(parquetio.Magic)), TotalCompressedSize: int64(len(body)),
		}}}}},
	})
}

// requiredLeaf returns a required leaf, whose entries have no levels.
func requiredLeaf(physical format.Type) format.SchemaElement {
	return format.SchemaElement{Type: thrift.New(physical), RepetitionType: thrift.New(format.Required)}
}

// encodePage returns a page with a header and a body.
func encodePage(tb testing.TB, header format.PageHeader, body []byte) []byte {
	tb.Helper()
	text, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		tb.Fatal(err)
	}
	return append(text, body...)
}

// valuesPage returns a data page with uncompressed values.
func valuesPage(tb testing.TB, encoding format.Encoding, count int, body []byte) []byte {
	tb.Helper()
	return encodePage(tb, format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(count), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}),
	}, body)
}

func dictionaryPage(tb testing.TB, count int, body []byte) []byte {
	tb.Helper()
	return encodePage(tb, format.PageHeader{
		Type: format.DictionaryPage, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body)),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(count), Encoding: format.Plain}),
	}, body)
}

// encodeTable returns a sample with a table as a Parquet file. Empty cells become null. The
// writer orders the columns by name.
func encodeTable(tb testing.TB, table sourcetest.Table) sourcetest.Sample {
	tb.Helper()
	root := parquet.Group{}
	for _, name := range table.Headers {
		root[name] = parquet.Optional(parquet.String())
	}
	order := make([]int, len(table.Headers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare([]byte(table.Headers[a]), []byte(table.Headers[b])) })
	sample := table.Sample()
	sheet := &sample.Sheets[0]
	sheet.Headers, sheet.Records, sheet.Lines = nil, nil, nil
	var rows []parquet.Row
	for _, record := range table.Records {
		var row parquet.Row
		var cells []string
		for at, i := range order {
			cells = append(cells, record[i])
			v := parquet.NullValue().Level(0, 0, at)
			if record[i] != "" {
				v = parquet.ValueOf(record[i]).Level(0, 1, at)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
		sheet.Records = append(sheet.Records, cells)
		sheet.Lines = append(sheet.Lines, int64(len(rows)))
	}
	for _, i := range order {
		sheet.Headers = append(sheet.Headers, table.Headers[i])
	}
	sample.Text = encodeFile(tb, root, rows)
	return sample
}
