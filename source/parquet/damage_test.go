package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func unreadable(line int64, reason string) error {
	return &source.UnreadableError{Line: line, Reason: intray.Literal(reason)}
}

func limited(line int64, reason string) error {
	return &source.LimitError{Line: line, Reason: intray.Literal(reason)}
}

// ints returns numbers in PLAIN encoding.
func ints(numbers ...uint32) (b []byte) {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func TestDamagedEnds(t *testing.T) {
	file := string(columnFile(t, parquet.String(), parquet.ValueOf("a")))
	footer := func(b []byte) string { return string(endFile([]byte(parquetio.Magic), b)) }
	for _, test := range []struct {
		name, text string
		want       error
	}{
		{"empty", "", source.ErrEmpty},
		{"short", "PAR1", unreadable(0, "too short")},
		{"another", strings.Repeat("x", 20), unreadable(0, "does not start with PAR1")},
		{"cut", file[:len(file)-1], unreadable(0, "is incomplete")},
		{"encrypted", "PARE" + file[4:len(file)-4] + "PARE", unreadable(0, "encrypted")},
		{"encrypted at the end", file[:len(file)-4] + "PARE", unreadable(0, "encrypted")},
		{"a long footer", "PAR1" + "\xFF\xFF\xFF\x7F" + "PAR1", unreadable(0, "exceeds the file")},
		{"no footer", "PAR1" + "\x00\x00\x00\x00" + "PAR1", unreadable(0, "the footer is damaged")},
		{"an empty footer", footer([]byte{0}), unreadable(0, "no schema")},
		{"a footer of a long list", footer([]byte{0x29, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07}), unreadable(0, "the footer is damaged")},
		{"a footer of lists in lists", footer(bytes.Repeat([]byte{0x19, 0x19}, 1000)), unreadable(0, "the footer is damaged")},
		{"a footer of maps", footer([]byte{0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x11, 0}), unreadable(0, "the footer is damaged")},
	} {
		t.Run(test.name, func(t *testing.T) { sourcetest.RequireError(t, Format{}, test.text, source.Options{}, test.want) })
	}
}

func TestDamagedFooters(t *testing.T) {
	file := fileOf(t, []struct {
		A int64  `parquet:"a"`
		B string `parquet:"b,optional"`
	}{{1, "x"}, {2, ""}})
	chunk := func(meta *format.FileMetaData) *format.ColumnChunk { return &meta.RowGroups[0].Columns[0] }
	for _, test := range []struct {
		name   string
		change func(meta *format.FileMetaData)
		want   error
	}{
		{"no schema", func(m *format.FileMetaData) { m.Schema = nil }, unreadable(0, "no schema")},
		{"a schema that ends", func(m *format.FileMetaData) { m.Schema = m.Schema[:2] }, unreadable(0, "more members")},
		{"a schema that goes on", func(m *format.FileMetaData) { m.Schema = append(m.Schema, m.Schema[1]) }, unreadable(0, "outside its root")},
		{"members without number", func(m *format.FileMetaData) { m.Schema[0].NumChildren = thrift.New[int32](-1) }, unreadable(0, "more members")},
		{"an unknown type", func(m *format.FileMetaData) { m.Schema[1].Type = thrift.New(format.Type(9)) }, unreadable(0, "unknown type")},
		{"values of no length", func(m *format.FileMetaData) {
			m.Schema[1].Type, m.Schema[1].TypeLength = thrift.New(format.FixedLenByteArray), thrift.New[int32](0)
		}, unreadable(0, "of zero length")},
		{"a decimal that cannot be", func(m *format.FileMetaData) {
			m.Schema[1].LogicalType.Value = &format.DecimalType{Scale: math.MaxInt32, Precision: math.MaxInt32}
		}, unreadable(0, "impossible decimals")},
		{"no repetition", func(m *format.FileMetaData) { m.Schema[1].RepetitionType = thrift.New(format.FieldRepetitionType(7)) }, unreadable(0, "does not define the repetition")},
		{"name that is not text", func(m *format.FileMetaData) { m.Schema[1].Name = "\xFF" }, unreadable(0, "not valid UTF-8")},
		{"another type", func(m *format.FileMetaData) { chunk(m).MetaData.Type = format.Int32 }, unreadable(0, "does not have the type")},
		{"another file", func(m *format.FileMetaData) { chunk(m).FilePath = "/etc/passwd" }, unreadable(0, "another file")},
		{"an encrypted column", func(m *format.FileMetaData) {
			chunk(m).CryptoMetadata = format.ColumnCryptoMetaData{Value: &format.EncryptionWithFooterKey{}}
		}, unreadable(0, "encrypted")},
		{"an unknown codec", func(m *format.FileMetaData) { chunk(m).MetaData.Codec = format.LZO }, unreadable(0, "unsupported compression LZO")},
		{"a chunk outside", func(m *format.FileMetaData) { chunk(m).MetaData.DataPageOffset = 1 << 40 }, unreadable(0, "outside")},
		{"a chunk before", func(m *format.FileMetaData) { chunk(m).MetaData.DataPageOffset = -1 }, unreadable(0, "outside")},
		{"more rows than groups", func(m *format.FileMetaData) { m.NumRows = 3 }, unreadable(0, "declared in the file is 3")},
		{"rows below zero", func(m *format.FileMetaData) { m.RowGroups[0].NumRows = -1 }, unreadable(0, "impossible")},
		{"fewer values than rows", func(m *format.FileMetaData) { m.RowGroups[0].NumRows, m.NumRows = 3, 3 }, unreadable(0, "does not match the number of rows (3)")},
		{"fewer chunks", func(m *format.FileMetaData) { m.RowGroups[0].Columns = m.RowGroups[0].Columns[:1] }, unreadable(0, "has 1 column")},
		{"more rows than values", func(m *format.FileMetaData) {
			m.RowGroups[0].NumRows, m.NumRows = 9, 9
			for i := range m.RowGroups[0].Columns {
				m.RowGroups[0].Columns[i].MetaData.NumValues = 9
			}
		}, unreadable(3, `column "a"`)},
		{"too many rows for the size", func(m *format.FileMetaData) { m.RowGroups[0].NumRows, m.NumRows = 1<<30, 1<<30 }, limited(0, "1,073,741,824 rows in only")},
		{"too many rows", func(m *format.FileMetaData) { m.RowGroups[0].NumRows, m.NumRows = 1<<40, 1<<40 }, limited(0, "cells in total")},
		{"rows beyond counting", func(m *format.FileMetaData) {
			m.RowGroups = append(m.RowGroups, m.RowGroups[0])
			m.RowGroups[0].NumRows, m.RowGroups[1].NumRows = math.MaxInt64, math.MaxInt64
		}, unreadable(0, "")},
		{"a page for a chunk", func(m *format.FileMetaData) { chunk(m).MetaData.DataPageOffset++ }, unreadable(1, `column "a"`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			sourcetest.RequireError(t, Format{}, string(editFooter(t, file, test.change)), source.Options{}, test.want)
		})
	}
}

// TestFindingWideNulls checks that a file with several columns needs some bytes for its rows.
func TestFindingWideNulls(t *testing.T) {
	file := fileOf(t, []struct{ A, B, C, D, E, F, G, H int64 }{{A: 1}})
	declare := func(rows int64) string {
		return string(editFooter(t, file, func(m *format.FileMetaData) { m.RowGroups[0].NumRows, m.NumRows = rows, rows }))
	}
	sourcetest.RequireError(t, Format{}, declare(minRatioCells/8+1), source.Options{}, limited(0, "8,388,609 rows with 8 columns"))
	sourcetest.RequireError(t, Format{}, declare(minRatioCells/8), source.Options{}, unreadable(0, "does not match the number of rows"))
}

func TestDamagedPages(t *testing.T) {
	count, text := requiredLeaf(format.Int32), requiredLeaf(format.ByteArray)
	text.ConvertedType = thrift.New(deprecated.UTF8)
	header := func(packed, plain int32) []byte {
		return encodePage(t, format.PageHeader{Type: format.DataPage, UncompressedPageSize: plain, CompressedPageSize: packed,
			DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1})}, make([]byte, 40))
	}
	summed := encodePage(t, format.PageHeader{Type: format.DataPage, UncompressedPageSize: 4, CompressedPageSize: 4, CRC: 7,
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1})}, ints(1))
	for _, test := range []struct {
		name  string
		e     format.SchemaElement
		codec format.CompressionCodec
		pages [][]byte
		want  error
	}{
		{"a page longer than the file", count, format.Snappy, [][]byte{header(1<<30, 1<<30)}, unreadable(1, "past the end of the file")},
		{"a page of no size", count, format.Snappy, [][]byte{header(-1, 5)}, unreadable(1, "impossible size")},
		{"a page beyond the limit", count, format.Zstd, [][]byte{header(40, 128<<20+1)}, limited(1, `in column "v", a page is larger than`)},
		{"a page of one size", count, format.Uncompressed, [][]byte{header(4, 5)}, unreadable(1, "two sizes")},
		{"a page too dense", count, format.Snappy, [][]byte{header(10, 1<<20)}, unreadable(1, "more content than its bytes can hold")},
		{"invalid Snappy", count, format.Snappy, [][]byte{header(40, 100)}, unreadable(1, "decompressed")},
		{"invalid gzip", count, format.Gzip, [][]byte{header(40, 100)}, unreadable(1, "decompressed")},
		{"invalid Brotli", count, format.Brotli, [][]byte{header(40, 100)}, unreadable(1, "decompressed")},
		{"invalid Zstd", count, format.Zstd, [][]byte{header(40, 100)}, unreadable(1, "decompressed")},
		{"what is no lz4", count, format.Lz4Raw, [][]byte{header(40, 100)}, unreadable(1, "decompressed")},
		{"another checksum", count, format.Uncompressed, [][]byte{summed}, unreadable(1, "checksum")},
		{"no page", count, format.Uncompressed, [][]byte{{0xFF, 0xFF}}, unreadable(1, "page header")},
		{"too few values", count, format.Uncompressed, [][]byte{valuesPage(t, format.Plain, 1, nil)}, unreadable(1, "in the middle of a value")},
		{"too many values", count, format.Uncompressed, [][]byte{valuesPage(t, format.Plain, 2, ints(1, 2))}, unreadable(1, "more values")},
		{"a text beyond its page", text, format.Uncompressed, [][]byte{valuesPage(t, format.Plain, 1, ints(math.MaxUint32))}, unreadable(1, "in the middle of a value")},
		{"what is not text", text, format.Uncompressed, [][]byte{valuesPage(t, format.Plain, 1, append(ints(1), 0xFF))}, unreadable(1, "not valid UTF-8")},
		{"NUL", text, format.Uncompressed, [][]byte{valuesPage(t, format.Plain, 1, append(ints(1), 0))}, unreadable(1, "NUL")},
		{"no dictionary", count, format.Uncompressed, [][]byte{valuesPage(t, format.RLEDictionary, 1, []byte{1, 2, 0})}, unreadable(1, "outside the dictionary")},
		{"an index too large", count, format.Uncompressed, [][]byte{dictionaryPage(t, 1, ints(1)), valuesPage(t, format.RLEDictionary, 1, []byte{8, 2, 9})}, unreadable(1, "outside the dictionary")},
		{"an index too wide", count, format.Uncompressed, [][]byte{dictionaryPage(t, 1, ints(1)), valuesPage(t, format.RLEDictionary, 1, []byte{33, 2, 9})}, unreadable(1, "")},
		{"a dictionary too short", count, format.Uncompressed, [][]byte{dictionaryPage(t, 2, ints(1))}, unreadable(1, "entries")},
		{"two dictionaries", count, format.Uncompressed, [][]byte{dictionaryPage(t, 1, ints(1)), dictionaryPage(t, 1, ints(1))}, unreadable(1, "dictionary")},
		{"differences of texts", text, format.Uncompressed, [][]byte{valuesPage(t, format.DeltaBinaryPacked, 1, ints(1))}, unreadable(1, "unsupported encoding")},
		{"differences without parts", count, format.Uncompressed, [][]byte{valuesPage(t, format.DeltaBinaryPacked, 1, []byte{128, 1, 0, 1, 2})}, unreadable(1, "a delta-encoded page")},
		{"levels of an unknown kind", format.SchemaElement{Type: count.Type, RepetitionType: thrift.New(format.Optional)}, format.Uncompressed, [][]byte{encodePage(t, format.PageHeader{Type: format.DataPage,
			DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1, DefinitionLevelEncoding: format.DeltaByteArray})}, nil)}, unreadable(1, "levels")},
	} {
		t.Run(test.name, func(t *testing.T) {
			sourcetest.RequireError(t, Format{}, string(buildFile(t, test.e, test.codec, 1, test.pages...)), source.Options{}, test.want)
		})
	}
}

func TestLimits(t *testing.T) {
	file := string(fileOf(t, []struct {
		A    string   `parquet:"a"`
		List []string `parquet:"list,list"`
	}{{"short", nil}, {strings.Repeat("x", 60), nil}, {"", []string{strings.Repeat("y", 60)}}}))
	for _, test := range []struct {
		name   string
		limits source.Limits
		want   error
	}{
		{"columns", source.Limits{Columns: 1}, limited(0, "more than 1 columns")},
		{"cells", source.Limits{Cells: 5}, limited(0, "more than 5 cells")},
		{"a cell", source.Limits{CellBytes: 50}, limited(2, "a cell is longer than 50 bytes")},
		{"a list", source.Limits{CellBytes: 61}, limited(3, "a cell is longer than 61 bytes")},
		{"a record", source.Limits{RecordBytes: 50}, limited(2, "the row is longer than 50 bytes")},
		{"a header", source.Limits{HeaderBytes: 3}, limited(0, "the header of column 2")},
		{"headers", source.Limits{HeadersBytes: 4}, limited(0, "the headers up to column 2")},
	} {
		t.Run(test.name, func(t *testing.T) {
			sourcetest.RequireError(t, Format{}, file, source.Options{Limits: test.limits}, test.want)
		})
	}
}

// TestSideBySide checks the limit on the total size of the pages of a list, with a small file
// in which every leaf of the list has a large page.
func TestSideBySide(t *testing.T) {
	body := make([]byte, 1<<20)
	copy(body, "\x02\x00\x00\x00\x02\x00"+"\x02\x00\x00\x00\x02\x01") // one entry with a value
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := packer.EncodeAll(body, nil)
	page := encodePage(t, format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}),
	}, packed)
	meta := &format.FileMetaData{Version: 1, NumRows: 1, RowGroups: []format.RowGroup{{NumRows: 1}}, Schema: []format.SchemaElement{
		{Name: "rows", NumChildren: thrift.New[int32](1)}, {Name: "v", NumChildren: thrift.New[int32](6), RepetitionType: thrift.New(format.Repeated)},
	}}
	for range 6 {
		meta.Schema = append(meta.Schema, requiredLeaf(format.Int32))
		meta.RowGroups[0].Columns = append(meta.RowGroups[0].Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: format.Int32, Codec: format.Zstd, NumValues: 1, DataPageOffset: int64(len(parquetio.Magic)),
		}})
	}
	b, err := openBook(sourcetest.NewInput("", appendFooter(t, append([]byte(parquetio.Magic), page...), meta)), source.Options{Limits: source.Limits{}.WithDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int]string{3 << 20: "together", 6 << 20: ""} {
		r := newReader(b)
		r.pages.Limit = limit
		batch := new(intray.Records)
		err := r.Next(t.Context(), batch)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("within %d bytes: %v, want %q", limit, err, want)
		}
	}
}

// TestRecordsBeforeDamage checks that the rows of the first row group are returned before the
// error if the second row group is damaged, and that the error names the row.
func TestRecordsBeforeDamage(t *testing.T) {
	file := people(t, 300, parquet.MaxRowsPerRowGroup(200))
	var at int64
	file = editFooter(t, file, func(m *format.FileMetaData) { at = m.RowGroups[1].Columns[3].MetaData.DataPageOffset })
	file[at] = 0xFF
	rows, err := drained(t, file)
	if rows != 200 || err == nil || !strings.HasPrefix(err.Error(), "on line 201, in column ") || !strings.Contains(err.Error(), "page header") {
		t.Errorf("%d rows, and %v", rows, err)
	}
}

// allocated returns the number of bytes that a function allocates.
func allocated(try func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	try()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestBombs checks that small files that declare large content need only a limited amount of
// memory.
func TestBombs(t *testing.T) {
	run := binary.AppendUvarint(nil, 200_000<<1) // one value, repeated
	indexes := append(append([]byte{8}, run...), 0)
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := packer.EncodeAll(make([]byte, 4<<20), nil)
	dense := encodePage(t, format.PageHeader{Type: format.DataPage, UncompressedPageSize: 400, CompressedPageSize: int32(len(packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 100})}, packed)
	repeated := format.SchemaElement{Type: thrift.New(format.Int32), RepetitionType: thrift.New(format.Repeated)}
	runs := append(binary.LittleEndian.AppendUint32(nil, uint32(len(run)+1)), append(run, 1)...)
	nulls := append(binary.LittleEndian.AppendUint32(nil, uint32(len(run)+1)), append(run, 1)...)
	manyZeros := append([]byte{0xFC, 0x80, 0x80, 0x40}, make([]byte, 1<<20)...)
	for _, test := range []struct {
		name string
		file []byte
		rows int
		err  string
		most uint64
	}{
		{"many of one value", buildFile(t, requiredLeaf(format.Int32), format.Uncompressed, 200_000, dictionaryPage(t, 1, ints(7)), valuesPage(t, format.RLEDictionary, 200_000, indexes)), 200_000, "", 16 << 20},
		{"a page that holds more than it says", buildFile(t, requiredLeaf(format.Int32), format.Zstd, 100, dense), 0, "decompressed", 3 << 20},
		{"a list without end", buildFile(t, repeated, format.Uncompressed, 1, valuesPage(t, format.RLEDictionary, 200_000, append(append(runs, nulls...), indexes...))), 0, "values", 4 << 20},
		{"a schema of many elements", endFile([]byte(parquetio.Magic), append([]byte{0x29}, manyZeros...)), 0, "schema has more than 131,072 elements", 128 << 20},
		{"many row groups", endFile([]byte(parquetio.Magic), append([]byte{0x49}, manyZeros...)), 0, "row groups", 32 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows, failed := 0, error(nil)
			cost := allocated(func() { rows, failed = drained(t, test.file) })
			if rows != test.rows || (failed == nil) != (test.err == "") || failed != nil && !strings.Contains(failed.Error(), test.err) || cost > test.most {
				t.Errorf("%d bytes give %d rows and %v, at %d bytes", len(test.file), rows, failed, cost)
			}
		})
	}
}
