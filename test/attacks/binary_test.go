package attacks

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	pq "github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/source/sourcetest"
)

var little = binary.LittleEndian

// record returns a record of an XLS workbook. Its parts are integers of fixed size, strings and
// bytes.
func record(id uint16, fields ...any) []byte {
	var body []byte
	for _, field := range fields {
		if text, ok := field.(string); ok {
			body = append(body, text...)
			continue
		}
		var err error
		if body, err = binary.Append(body, little, field); err != nil {
			panic(err)
		}
	}
	head := little.AppendUint16(nil, id)
	return append(little.AppendUint16(head, uint16(len(body))), body...)
}

// label returns a cell with text.
func label(row, column int, text string) []byte {
	return record(0x0204, uint16(row), uint16(column), uint16(0), uint16(len(text)), byte(0), text)
}

// xlsFile returns an XLS workbook (BIFF8) with global records and n sheets that share the same
// records.
func xlsFile(globals []byte, n int, records ...[]byte) []byte {
	begin := func(kind uint16) []byte { return record(0x0809, uint16(0x0600), kind, make([]byte, 12)) }
	end := record(0x000A)
	listed := func(at int) []byte {
		return record(0x0085, uint32(at), byte(0), byte(0), byte(1), byte(0), "S")
	}
	head := append(begin(5), globals...)
	at := len(head) + n*len(listed(0)) + len(end)
	for range n {
		head = append(head, listed(at)...)
	}
	stream := slices.Concat(head, end, begin(0x10), slices.Concat(records...), end)
	if len(stream) < 4096 {
		stream = append(stream, make([]byte, 4096-len(stream))...)
	}
	return sourcetest.CompoundFile(sourcetest.Stream{Name: "Workbook", Text: stream})
}

// manyRecords joins what write returns for the numbers from 0 to n-1.
func manyRecords(n int, write func(i int) []byte) []byte {
	var out bytes.Buffer
	for i := range n {
		out.Write(write(i))
	}
	return out.Bytes()
}

// sharedStrings returns the record of shared strings, with continuations of up to size bytes.
func sharedStrings(count uint32, text []byte, size int) []byte {
	head := little.AppendUint32(little.AppendUint32(nil, count), count)
	first := min(len(text), size)
	out := record(0x00FC, head, text[:first])
	for text = text[first:]; len(text) > 0; {
		n := min(len(text), size)
		out = append(out, record(0x003C, text[:n])...)
		text = text[n:]
	}
	return out
}

// xlsAttacks returns attacks with XLS workbooks.
func xlsAttacks() []attack {
	book := func(name, target string, write func() []byte) attack {
		return attack{name: name, target: target, file: func(testing.TB) []byte { return write() }}
	}
	header := label(0, 0, "name")
	rowOfNumbers := func(row int) []byte {
		return record(0x00BD, uint16(row), uint16(0), bytes.Repeat([]byte{0, 0, 6, 0, 0, 0}, 256), uint16(255))
	}
	return []attack{
		book("all-cells.xls", "cells of a sheet", func() []byte {
			return xlsFile(nil, 1, header, manyRecords(30_000, func(i int) []byte { return rowOfNumbers(i%65_535 + 1) }))
		}),
		book("last-cell.xls", "empty rows and columns", func() []byte { return xlsFile(nil, 1, header, label(65_535, 255, "x")) }),
		book("last-cells-of-rows.xls", "empty columns", func() []byte {
			return xlsFile(nil, 1, header, manyRecords(65_535, func(i int) []byte { return label(i+1, 255, "x") }))
		}),
		book("same-row.xls", "cells of a row", func() []byte {
			return xlsFile(nil, 1, header, manyRecords(100_000, func(int) []byte { return rowOfNumbers(1) }))
		}),
		book("descending-rows.xls", "order of rows", func() []byte {
			return xlsFile(nil, 1, header, manyRecords(65_000, func(i int) []byte { return label(65_001-i, 0, "x") }))
		}),
		book("unknown-records.xls", "records", func() []byte {
			return xlsFile(nil, 1, header, manyRecords(4_000_000, func(int) []byte { return record(0x7777) }))
		}),
		book("many-shared-strings.xls", "shared strings", func() []byte {
			return xlsFile(sharedStrings(5_000_000, bytes.Repeat([]byte{1, 0, 0, 'x'}, 5_000_000), 8_000), 1, header, record(0x00FD, uint16(1), uint16(0), uint16(0), uint32(4_999_999)))
		}),
		book("empty-shared-strings.xls", "shared strings", func() []byte {
			return xlsFile(sharedStrings(10_000_000, bytes.Repeat([]byte{0, 0, 0}, 10_000_000), 8_001), 1, header)
		}),
		book("short-continuations.xls", "continuations", func() []byte {
			return xlsFile(sharedStrings(1_000_000, bytes.Repeat([]byte{1, 0, 0, 'x'}, 1_000_000), 4), 1, header)
		}),
		book("declared-shared-strings.xls", "declared sizes", func() []byte { return xlsFile(sharedStrings(0xFFFFFFFF, []byte("\xFF\xFF\x00x"), 100), 1, header) }),
		book("rich-shared-strings.xls", "shared strings", func() []byte {
			one := slices.Concat([]byte{1, 0, 8 | 4, 0xFF, 0x0F, 0xFF, 0x0F, 0, 0, 'x'}, make([]byte, 4*0x0FFF+0x0FFF))
			return xlsFile(sharedStrings(1_000, bytes.Repeat(one, 1_000), 8_224), 1, header)
		}),
		book("many-formats.xls", "number formats", func() []byte {
			return xlsFile(manyRecords(60_000, func(i int) []byte {
				return record(0x041E, uint16(164+i%60_000), uint16(200), byte(0), strings.Repeat("0", 200))
			}), 1, header)
		}),
		book("many-styles.xls", "styles", func() []byte {
			return xlsFile(manyRecords(2_000_000, func(int) []byte { return record(0x00E0, make([]byte, 20)) }), 1, header)
		}),
		book("merged-ranges.xls", "merged ranges", func() []byte {
			return xlsFile(nil, 1, header, manyRecords(2_000, func(int) []byte {
				return record(0x00E5, uint16(1_026), bytes.Repeat([]byte{0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0}, 1_026))
			}))
		}),
		book("many-sheets.xls", "sheets", func() []byte { return xlsFile(nil, 200_000, header) }),
		book("shared-sheet.xls", "choice of the sheet", func() []byte {
			return xlsFile(nil, 9_000, header, manyRecords(300, rowOfNumbers))
		}),
		book("nested-substreams.xls", "nesting", func() []byte {
			return xlsFile(nil, 1, header, manyRecords(500_000, func(int) []byte { return record(0x0809, uint16(0x0600), uint16(0x20), make([]byte, 12)) }))
		}),
		book("circular-container.xls", "chains of sectors", func() []byte {
			file := xlsFile(nil, 1, header, manyRecords(100_000, func(i int) []byte { return label(i%65_535, 1, "x") }))
			at := 512 + 512*int(little.Uint32(file[76:])) // the first sector of the allocation table
			for i := range 127 {
				little.PutUint32(file[at+4*i:], uint32((i+1)%127))
			}
			return file
		}),
	}
}

// parquetFile returns a Parquet file with rows of Go values.
func parquetFile[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rawParquet returns a Parquet file whose columns share the pages.
func rawParquet(t testing.TB, pages []byte, columns int, change func(meta *pq.FileMetaData)) []byte {
	const magic = "PAR1"
	meta := pq.FileMetaData{Version: 1, NumRows: 1, Schema: []pq.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(columns))}}}
	group := pq.RowGroup{NumRows: 1}
	for i := range columns {
		name := "name" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + string(rune('a'+i/17_576%26))
		if i == 0 {
			name = "name"
		}
		meta.Schema = append(meta.Schema, pq.SchemaElement{Name: name, Type: thrift.New(pq.ByteArray), RepetitionType: thrift.New(pq.Optional)})
		group.Columns = append(group.Columns, pq.ColumnChunk{MetaData: pq.ColumnMetaData{
			Type: pq.ByteArray, NumValues: 1, PathInSchema: []string{name}, DataPageOffset: int64(len(magic)),
			TotalCompressedSize: int64(len(pages)), TotalUncompressedSize: int64(len(pages)),
		}})
	}
	meta.RowGroups = []pq.RowGroup{group}
	change(&meta)
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	out := slices.Concat([]byte(magic), pages, footer)
	return append(little.AppendUint32(out, uint32(len(footer))), magic...)
}

// page returns a page of Parquet values.
func page(t testing.TB, header pq.PageHeader, body []byte) []byte {
	head, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		t.Fatal(err)
	}
	return append(head, body...)
}

// nulls returns a page of n null values, which takes a few bytes.
func nulls(t testing.TB, n int) []byte {
	run := binary.AppendUvarint(nil, uint64(n)<<1)
	run = append(run, 0)
	body := append(little.AppendUint32(nil, uint32(len(run))), run...)
	return page(t, pq.PageHeader{
		Type: pq.DataPage, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body)),
		DataPageHeader: thrift.New(pq.DataPageHeader{NumValues: int32(n), Encoding: pq.Plain, DefinitionLevelEncoding: pq.RLE, RepetitionLevelEncoding: pq.RLE}),
	}, body)
}

// counted sets the number of rows of a file with one row group.
func counted(n int64) func(meta *pq.FileMetaData) {
	return func(meta *pq.FileMetaData) {
		meta.NumRows, meta.RowGroups[0].NumRows = n, n
		for i := range meta.RowGroups[0].Columns {
			meta.RowGroups[0].Columns[i].MetaData.NumValues = n
		}
	}
}

// parquetAttacks returns attacks with Parquet files.
func parquetAttacks() []attack {
	type row struct {
		Name string `parquet:"name,dict"`
	}
	type plain struct {
		Name string `parquet:"name"`
	}
	type list struct {
		Name string `parquet:"name"`
		List []int32
	}
	type lists struct {
		Name string      `parquet:"name"`
		List [][][]int32 `parquet:",list"`
	}
	type mapped struct {
		Name string `parquet:"name"`
		Map  map[int32]string
	}
	binaryFile := func(name, target string, write func(t testing.TB) []byte) attack {
		return attack{name: name, target: target, file: write}
	}
	same := func(meta *pq.FileMetaData) {}
	return []attack{
		binaryFile("nulls.parquet", "rows", func(t testing.TB) []byte { return rawParquet(t, nulls(t, 1<<30), 1, counted(1<<30)) }),
		binaryFile("wide-nulls.parquet", "cells of a table", func(t testing.TB) []byte { return rawParquet(t, nulls(t, 100_000), 16_384, counted(100_000)) }),
		binaryFile("many-columns.parquet", "columns", func(t testing.TB) []byte { return rawParquet(t, nulls(t, 1), 200_000, same) }),
		binaryFile("declared-rows.parquet", "declared sizes", func(t testing.TB) []byte { return rawParquet(t, nulls(t, 10), 1, counted(1<<62)) }),
		binaryFile("declared-page.parquet", "declared sizes", func(t testing.TB) []byte {
			body := page(t, pq.PageHeader{
				Type: pq.DataPage, UncompressedPageSize: 1<<31 - 1, CompressedPageSize: 1<<31 - 1,
				DataPageHeader: thrift.New(pq.DataPageHeader{NumValues: 1, Encoding: pq.Plain, DefinitionLevelEncoding: pq.RLE, RepetitionLevelEncoding: pq.RLE}),
			}, []byte("abc"))
			return rawParquet(t, body, 1, func(meta *pq.FileMetaData) { meta.RowGroups[0].Columns[0].MetaData.TotalCompressedSize = 1 << 40 })
		}),
		binaryFile("declared-dictionary.parquet", "declared sizes", func(t testing.TB) []byte {
			body := page(t, pq.PageHeader{
				Type: pq.DictionaryPage, UncompressedPageSize: 8, CompressedPageSize: 8,
				DictionaryPageHeader: thrift.New(pq.DictionaryPageHeader{NumValues: 1<<31 - 1, Encoding: pq.Plain}),
			}, []byte("\xFF\xFF\xFF\x7Fabcd"))
			return rawParquet(t, append(body, nulls(t, 1)...), 1, same)
		}),
		binaryFile("empty-pages.parquet", "pages", func(t testing.TB) []byte {
			return rawParquet(t, append(bytes.Repeat(nulls(t, 0), 1_500_000), nulls(t, 1)...), 1, same)
		}),
		binaryFile("many-row-groups.parquet", "row groups", func(t testing.TB) []byte {
			return rawParquet(t, nulls(t, 1), 1, func(meta *pq.FileMetaData) {
				meta.NumRows = 300_000
				meta.RowGroups = slices.Repeat(meta.RowGroups, 300_000)
			})
		}),
		binaryFile("wide-row-groups.parquet", "row groups", func(t testing.TB) []byte {
			return rawParquet(t, nulls(t, 1), 2_000, func(meta *pq.FileMetaData) {
				meta.NumRows = 200
				meta.RowGroups = slices.Repeat(meta.RowGroups, 200)
			})
		}),
		binaryFile("long-names.parquet", "size of names", func(t testing.TB) []byte {
			return rawParquet(t, nulls(t, 1), 1, func(meta *pq.FileMetaData) { meta.Schema[1].Name = repeat("n", 30*mib) })
		}),
		binaryFile("metadata.parquet", "footer", func(t testing.TB) []byte {
			return rawParquet(t, nulls(t, 1), 1, func(meta *pq.FileMetaData) {
				meta.KeyValueMetadata = slices.Repeat([]pq.KeyValue{{Key: "k", Value: "v"}}, 3_000_000)
			})
		}),
		binaryFile("nested-schema.parquet", "nesting", func(t testing.TB) []byte {
			return rawParquet(t, nulls(t, 1), 1, func(meta *pq.FileMetaData) {
				group := pq.SchemaElement{Name: "g", NumChildren: thrift.New(int32(1)), RepetitionType: thrift.New(pq.Optional)}
				meta.Schema = slices.Concat(meta.Schema[:1], slices.Repeat([]pq.SchemaElement{group}, 500_000), meta.Schema[1:])
			})
		}),
		binaryFile("large-dictionary-value.parquet", "cells from dictionaries", func(t testing.TB) []byte {
			return parquetFile(t, slices.Repeat([]row{{repeat("x", 4*mib)}}, 200))
		}),
		binaryFile("large-dictionary.parquet", "dictionaries", func(t testing.TB) []byte {
			all := make([]row, 600_000)
			for i := range all {
				all[i].Name = strings.Repeat("x", 60) + string(rune('a'+i%26)) + format("%d")(i)
			}
			return parquetFile(t, all, parquet.MaxRowsPerRowGroup(1<<40))
		}),
		binaryFile("long-cells.parquet", "size of a cell", func(t testing.TB) []byte {
			return parquetFile(t, []plain{{"a"}, {repeat("x", 40*mib)}}, parquet.Compression(&zstd.Codec{}))
		}),
		binaryFile("compressed-page.parquet", "compression ratio", func(t testing.TB) []byte {
			return parquetFile(t, slices.Repeat([]plain{{repeat("x", 60_000)}}, 3_000), parquet.Compression(&zstd.Codec{}), parquet.PageBufferSize(256*mib))
		}),
		binaryFile("long-list.parquet", "lists as text", func(t testing.TB) []byte {
			return parquetFile(t, []list{{"a", make([]int32, 8_000_000)}}, parquet.Compression(&zstd.Codec{}))
		}),
		binaryFile("nested-lists.parquet", "lists as text", func(t testing.TB) []byte {
			inner := slices.Repeat([][]int32{{}}, 1_000)
			return parquetFile(t, []lists{{"a", slices.Repeat([][][]int32{inner}, 2_000)}}, parquet.Compression(&zstd.Codec{}))
		}),
		binaryFile("maps.parquet", "maps as text", func(t testing.TB) []byte {
			m := map[int32]string{}
			for i := range int32(300_000) {
				m[i] = "x"
			}
			return parquetFile(t, []mapped{{"a", m}})
		}),
	}
}
