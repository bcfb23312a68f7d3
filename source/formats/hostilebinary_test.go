package formats

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/source/sourcetest"
)

// biff returns a BIFF record with the given identifier. Parts are integers and text.
func biff(id uint16, parts ...any) string {
	var body []byte
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			body = append(body, v...)
		default:
			var err error
			if body, err = binary.Append(body, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	head := binary.LittleEndian.AppendUint16(nil, id)
	return string(binary.LittleEndian.AppendUint16(head, uint16(len(body)))) + string(body)
}

// biffText returns a string of one-byte characters in BIFF8, preceded by its length.
func biffText(text string) string {
	return string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + "\x00" + text
}

// oldWorkbook returns an .xls file with one sheet.
func oldWorkbook(globals, sheet string) content {
	begin := func(kind uint16) string { return biff(0x0809, uint16(0x0600), kind, strings.Repeat("\x00", 12)) }
	end := biff(0x000A)
	const name = "\x01\x00S"
	list := func(at int) string { return biff(0x0085, uint32(at), uint16(0), name) }
	head := begin(0x0005) + globals
	at := len(head) + len(list(0)) + len(end)
	stream := head + list(at) + end + begin(0x0010) + sheet + end
	return text(string(sourcetest.CompoundFile(sourcetest.Stream{Name: "Workbook", Text: []byte(stream)})))
}

// sharedStringTable returns an SST record with about size bytes of strings, and its continuations.
func sharedStringTable(size int, strings string) string {
	var out bytes.Buffer
	perRecord := 8000 / len(strings) * len(strings)
	out.WriteString(biff(0x00FC, uint32(0), uint32(0), times(strings, perRecord)))
	for out.Len() < size {
		out.WriteString(biff(0x003C, times(strings, perRecord)))
	}
	return out.String()
}

// longStrings returns an SST record with strings of 32,000 characters, each in four continuations.
func longStrings(n int) string {
	var out bytes.Buffer
	out.WriteString(biff(0x00FC, uint32(n), uint32(n), biffText("a")))
	for range n {
		out.WriteString(biff(0x003C, uint16(32_000), "\x00"+strings.Repeat("x", 8000)))
		for range 3 {
			out.WriteString(biff(0x003C, "\x00"+strings.Repeat("x", 8000)))
		}
	}
	return out.String()
}

func hostileXLS() []hostileFile {
	number := func(row, column int) string {
		return biff(0x0203, uint16(row), uint16(column), uint16(0), float64(1))
	}
	label := func(row, column int, text string) string {
		return biff(0x0204, uint16(row), uint16(column), uint16(0), biffText(text))
	}
	cells := func(n int, cell func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(cell(i))
		}
		return b.String()
	}
	long := strings.Repeat("x", 8000)
	return []hostileFile{
		{"strings_empty.xls", func() content { return oldWorkbook(sharedStringTable(120*mib, biffText("")), number(0, 0)) }, true},
		{"strings_empty_below.xls", func() content { return oldWorkbook(sharedStringTable(80*mib, biffText("")), number(0, 0)) }, false},
		{"strings_long.xls", func() content { return oldWorkbook(longStrings(6500), number(0, 0)) }, true},
		{"strings_long_below.xls", func() content {
			return oldWorkbook(longStrings(3500), cells(2000, func(i int) string {
				return biff(0x00FD, uint16(1+i/2), uint16(i%2), uint16(0), uint32(i))
			}))
		}, true},
		{"strings_short.xls", func() content { return oldWorkbook(sharedStringTable(60*mib, biffText("abcd")), number(0, 0)) }, false},
		{"continuations.xls", func() content {
			return oldWorkbook(biff(0x00FC, uint32(1), uint32(1))+times(biff(0x003C), 60*mib), number(0, 0))
		}, false},
		{"formats.xls", func() content {
			return oldWorkbook(cells(1_000_000, func(i int) string {
				return biff(0x041E, uint16(i), biffText(fmt.Sprintf("0.0%d", i)))
			}), number(0, 0))
		}, true},
		{"formats_long.xls", func() content {
			return oldWorkbook(cells(12_000, func(i int) string { return biff(0x041E, uint16(i), biffText(strings.Repeat("0", 8000))) }), number(0, 0))
		}, true},
		{"styles.xls", func() content {
			return oldWorkbook(cells(3_000_000, func(i int) string { return biff(0x00E0, uint16(0), uint16(14), strings.Repeat("\x00", 16)) }), number(0, 0))
		}, false},
		{"sheets.xls", func() content {
			return oldWorkbook(cells(500_000, func(i int) string { return biff(0x0085, uint32(0), uint16(0), "\x01\x00S") }), number(0, 0))
		}, true},
		{"records.xls", func() content { return oldWorkbook(times(biff(0x0099), 60*mib), number(0, 0)) }, false},
		{"cells_same.xls", func() content { return oldWorkbook("", times(number(0, 0), 60*mib)) }, false},
		{"cells_long.xls", func() content {
			return oldWorkbook("", cells(20_000, func(i int) string { return label(i/256, i%256, long) }))
		}, false},
		{"cells_long_same_row.xls", func() content {
			return oldWorkbook("", cells(20_000, func(i int) string { return label(1, i%256, long) }))
		}, true},
		{"cells_backwards.xls", func() content {
			return oldWorkbook("", cells(1_000_000, func(i int) string { return number(65_535-i%65_536, 0) }))
		}, false},
		{"blanks.xls", func() content {
			return oldWorkbook("", times(biff(0x00BE, uint16(0), uint16(0), strings.Repeat("\x00\x00", 256), uint16(255)), 60*mib))
		}, false},
		{"shared_long.xls", func() content {
			return oldWorkbook(longStrings(10), cells(256*300, func(i int) string {
				return biff(0x00FD, uint16(i/256), uint16(i%256), uint16(0), uint32(1))
			}))
		}, true},
		{"merges.xls", func() content {
			return oldWorkbook("", number(0, 0)+times(biff(0x00E5, uint16(1000), strings.Repeat("\x00\x00\x01\x00\x00\x00\x01\x00", 1000)), 60*mib))
		}, true},
	}
}

// noise returns text of n characters that does not compress well.
func noise(n int) string {
	text := make([]byte, n)
	state := uint64(1)
	for i := range text {
		state = state*6364136223846793005 + 1442695040888963407
		text[i] = 'a' + byte(state>>59)%26
	}
	return string(text)
}

// parquetPage is a page of a column with its header.
func parquetPage(t *testing.T, header format.PageHeader, body []byte) []byte {
	t.Helper()
	header.CompressedPageSize = int32(len(body))
	raw, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		t.Fatal(err)
	}
	return append(raw, body...)
}

func zstdOf(t *testing.T, text []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return enc.EncodeAll(text, nil)
}

// dataPage returns a page with count values. Its body is plain if codec is Uncompressed.
func dataPage(t *testing.T, codec format.CompressionCodec, encoding format.Encoding, count int, body []byte) []byte {
	t.Helper()
	size := int32(len(body))
	if codec == format.Zstd {
		body = zstdOf(t, body)
	}
	return parquetPage(t, format.PageHeader{Type: format.DataPage, UncompressedPageSize: size,
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(count), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})}, body)
}

func dictionaryPage(t *testing.T, codec format.CompressionCodec, count int, body []byte) []byte {
	t.Helper()
	size := int32(len(body))
	if codec == format.Zstd {
		body = zstdOf(t, body)
	}
	return parquetPage(t, format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: size,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(count), Encoding: format.Plain})}, body)
}

// parquetOf returns a file with required columns of byte arrays in one row group. Each column has
// the given pages.
func parquetOf(codec format.CompressionCodec, rows int64, columns int, pages func(t *testing.T) []byte) content {
	return func(t *testing.T, w io.Writer) {
		body := pages(t)
		meta := &format.FileMetaData{Version: 1, NumRows: rows, Schema: []format.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(columns))}}}
		group := format.RowGroup{NumRows: rows}
		write(t, w, "PAR1")
		for i := range columns {
			name := fmt.Sprintf("c%d", i)
			write(t, w, string(body))
			meta.Schema = append(meta.Schema, format.SchemaElement{Name: name, Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Required)})
			group.Columns = append(group.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{Type: format.ByteArray, Codec: codec, NumValues: rows,
				PathInSchema: []string{name}, DataPageOffset: 4 + int64(i)*int64(len(body)), TotalCompressedSize: int64(len(body))}})
		}
		meta.RowGroups = []format.RowGroup{group}
		footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, string(footer)+string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))+"PAR1")
	}
}

// plainValues returns n copies of a value in the encoding PLAIN.
func plainValues(n int, value string) []byte {
	one := append(binary.LittleEndian.AppendUint32(nil, uint32(len(value))), value...)
	return bytes.Repeat(one, n)
}

func hostileParquet() []hostileFile {
	plain := func(codec format.CompressionCodec, n int, value string) func(t *testing.T) []byte {
		return func(t *testing.T) []byte { return dataPage(t, codec, format.Plain, n, plainValues(n, value)) }
	}
	random := noise(1020)
	dictionary := func(codec format.CompressionCodec, entries int, value string) func(t *testing.T) []byte {
		return func(t *testing.T) []byte {
			d := dictionaryPage(t, codec, entries, plainValues(entries, value))
			return append(d, dataPage(t, codec, format.RLEDictionary, 1000, []byte{1, 0xD0, 0x0F, 0})...)
		}
	}
	return []hostileFile{
		{"page.parquet", func() content {
			return parquetOf(format.Uncompressed, 95*1024, 1, plain(format.Uncompressed, 95*1024, random))
		}, false},
		{"page_huge.parquet", func() content {
			return parquetOf(format.Uncompressed, 140*1024, 1, plain(format.Uncompressed, 140*1024, random))
		}, true},
		{"page_zstd.parquet", func() content { return parquetOf(format.Zstd, 127*1024, 1, plain(format.Zstd, 127*1024, random)) }, false},
		{"page_of_empty_values.parquet", func() content { return parquetOf(format.Zstd, 20*mib, 1, plain(format.Zstd, 20*mib, "")) }, false},
		{"pages_of_columns.parquet", func() content { return parquetOf(format.Zstd, 60*1024, 4, plain(format.Zstd, 60*1024, random)) }, false},
		{"values.parquet", func() content {
			return parquetOf(format.Zstd, 8, 2, plain(format.Zstd, 8, strings.Repeat(random, 15*1024)))
		}, false},
		{"value.parquet", func() content {
			return parquetOf(format.Zstd, 1, 1, plain(format.Zstd, 1, strings.Repeat(random, 100*1024)))
		}, true},
		{"dictionary.parquet", func() content { return parquetOf(format.Zstd, 1000, 1, dictionary(format.Zstd, 100*1024, random)) }, false},
		{"dictionary_of_empty_values.parquet", func() content { return parquetOf(format.Zstd, 1000, 1, dictionary(format.Zstd, 30*mib, "")) }, true},
		{"dictionaries.parquet", func() content { return parquetOf(format.Zstd, 1000, 20, dictionary(format.Zstd, 60*1024, random)) }, false},
	}
}

// gzipped returns a function that compresses what another function writes.
func gzipped(level int, body content) content {
	return func(t *testing.T, w io.Writer) {
		out, err := gzip.NewWriterLevel(w, level)
		if err != nil {
			t.Fatal(err)
		}
		body(t, out)
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func zstdCompressed(window int, body content) content {
	return func(t *testing.T, w io.Writer) {
		out, err := zstd.NewWriter(w, zstd.WithWindowSize(window), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		body(t, out)
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// bytesOf returns what a function writes.
func bytesOf(t *testing.T, body content) []byte {
	t.Helper()
	var out bytes.Buffer
	body(t, &out)
	return out.Bytes()
}

func hostileArchives() []hostileFile {
	lines := func(t *testing.T, w io.Writer) {
		write(t, w, "name,n\n")
		for range 300 {
			write(t, w, noise(mib)+",1\n")
		}
	}
	members := func(n int, name string, member content) content {
		return func(t *testing.T, w io.Writer) {
			var parts []part
			body := text(string(bytesOf(t, member)))
			for i := range n {
				parts = append(parts, part{fmt.Sprintf("%d%s", i, name), body})
			}
			archiveOf(parts...)(t, w)
		}
	}
	book := func(t *testing.T, w io.Writer) {
		for _, f := range hostileXLSX() {
			if f.name == "sheets_below.xlsx" {
				f.content()(t, w)
			}
		}
	}
	small := text("name,n\n1,2\n")
	return []hostileFile{
		{"bomb.csv.gz", func() content { return gzipped(gzip.BestCompression, text("name,n\n", times(",", 100*mib))) }, true},
		{"bomb_below.csv.gz", func() content { return gzipped(gzip.BestSpeed, text("name,n\n", times("1,2\n", 200*mib))) }, false},
		{"lines.csv.zst", func() content { return zstdCompressed(8*mib, lines) }, false},
		{"window.csv.zst", func() content { return zstdCompressed(128*mib, lines) }, false},
		{"window_huge.csv.zst", func() content { return zstdCompressed(512*mib, lines) }, true},
		{"bomb.csv.zst", func() content { return zstdCompressed(8*mib, text("name,n\n", times("1", 200*mib))) }, true},
		{"gzip_in_zip.zip", func() content {
			return archiveOf(part{"a.csv.gz", gzipped(gzip.BestSpeed, gzipped(gzip.BestSpeed, text("name,n\n", times("1,2\n", 100*mib))))})
		}, true},
		{"members.zip", func() content { return members(900, ".csv", small) }, false},
		{"members_many.zip", func() content { return members(5000, ".csv", small) }, true},
		{"workbooks.zip", func() content { return members(3, ".xlsx", book) }, false},
		{"pages.zip", func() content { return members(100, ".html", text(times("<table><tr><td>a<tr><td>1</table>", mib/4))) }, true},
		{"json_tables.zip", func() content {
			return members(200, ".json", func(t *testing.T, w io.Writer) {
				sequence("{", 1000, func(i int) string { return fmt.Sprintf(`"%s%d":[{"a":1}],`, strings.Repeat("x", 3000), i) }, `"z":1}`)(t, w)
			})
		}, true},
		{"stream_name.csv.gz", func() content {
			return func(t *testing.T, w io.Writer) {
				out := gzip.NewWriter(w)
				out.Name = strings.Repeat("x", 60*mib)
				small(t, out)
				if err := out.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}, true},
		{"streams.csv.gz", func() content {
			return func(t *testing.T, w io.Writer) {
				one := string(bytesOf(t, gzipped(gzip.BestSpeed, text("1,2\n"))))
				write(t, w, times(one, 30*mib))
			}
		}, false},
		{"overlapping.zip", func() content {
			return func(t *testing.T, w io.Writer) {
				raw := bytesOf(t, archiveOf(part{"a.csv", lines}))
				// Repeat the only entry of the directory.
				end := bytes.LastIndex(raw, []byte("PK\x05\x06"))
				begin := bytes.LastIndex(raw[:end], []byte("PK\x01\x02"))
				entry := string(raw[begin:end])
				write(t, w, string(raw[:begin])+strings.Repeat(entry, 1000))
				tail := bytes.Clone(raw[end:])
				binary.LittleEndian.PutUint16(tail[8:], 1000)
				binary.LittleEndian.PutUint16(tail[10:], 1000)
				binary.LittleEndian.PutUint32(tail[12:], uint32(1000*len(entry)))
				write(t, w, string(tail))
			}
		}, true},
		{"directory.zip", func() content {
			return func(t *testing.T, w io.Writer) {
				out := zip.NewWriter(w)
				for i := range 900 {
					if _, err := out.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%d.csv", i), Comment: strings.Repeat("x", 65_000)}); err != nil {
						t.Fatal(err)
					}
				}
				if err := out.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}, true},
	}
}
