package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// testColumns returns one column of each kind that FooterWriter supports.
func testColumns() [][]Element {
	leaf := func(name string, physical format.Type, logical LogicalType) []Element {
		return []Element{{Name: []byte(name), Type: physical, Repetition: format.Optional, Logical: logical}}
	}
	return [][]Element{
		leaf("plain", format.Double, LogicalType{}),
		leaf("text", format.ByteArray, LogicalType{Kind: LogicalString}),
		leaf("day", format.Int32, LogicalType{Kind: LogicalDate}),
		leaf("clock", format.Int64, LogicalType{Kind: LogicalTime, Digits: Nanos}),
		leaf("moment", format.Int64, LogicalType{Kind: LogicalTimestamp, Digits: Millis, UTC: true}),
		leaf("price", format.Int64, LogicalType{Kind: LogicalDecimal, Scale: 2, Precision: 18}),
		{
			{Name: []byte("tags"), Type: NoType, Repetition: format.Optional, Children: 1, Logical: LogicalType{Kind: LogicalList}},
			{Name: []byte("list"), Type: NoType, Repetition: format.Repeated, Children: 1},
			{Name: []byte("element"), Type: format.ByteArray, Repetition: format.Optional, Logical: LogicalType{Kind: LogicalString}},
		},
	}
}

// writtenFile returns a file with two row groups whose chunks have no pages.
func writtenFile(t testing.TB) (*FooterWriter, []byte) {
	t.Helper()
	f := &FooterWriter{Columns: testColumns()}
	for group := range 2 {
		chunks := make([]Chunk, len(f.Columns))
		for i := range chunks {
			chunks[i] = Chunk{Codec: format.Zstd, Encodings: []format.Encoding{format.Plain, format.RLE}, Entries: 100, Nulls: int64(i), Bytes: 10, PlainBytes: 20}
		}
		chunks[1].DictionaryBytes = 4
		if err := f.AppendGroup(100, int64(len(Magic)+group*10*len(chunks)), chunks); err != nil {
			t.Fatal(err)
		}
	}
	pages := make([]byte, 2*10*len(f.Columns))
	return f, append(append([]byte(Magic), pages...), f.Encode(2)...)
}

// TestFooterLikeTheLibrary checks that parquet-go reads the expected data from a written footer.
func TestFooterLikeTheLibrary(t *testing.T) {
	_, file := writtenFile(t)
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipPageIndex(true))
	if err != nil {
		t.Fatal(err)
	}
	const want = `message rows {
	optional double plain;
	optional binary text (STRING);
	optional int32 day (DATE);
	optional int64 clock (TIME(isAdjustedToUTC=false,unit=NANOS));
	optional int64 moment (TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS));
	optional int64 price (DECIMAL(18,2));
	optional group tags (LIST) {
		repeated group list {
			optional binary element (STRING);
		}
	}
}`
	if diff := cmp.Diff(want, f.Schema().String()); diff != "" {
		t.Error(diff)
	}
	meta := f.Metadata()
	if meta.Version != 2 || meta.NumRows != 200 || len(meta.RowGroups) != 2 || meta.CreatedBy != "intray" {
		t.Fatalf("version %d, %d rows in %d groups by %q", meta.Version, meta.NumRows, len(meta.RowGroups), meta.CreatedBy)
	}
	second := meta.RowGroups[1]
	if second.Ordinal != 1 || second.FileOffset != 74 || second.NumRows != 100 || second.TotalByteSize != 140 || second.TotalCompressedSize != 70 {
		t.Errorf("the second group is %+v", second)
	}
	got := second.Columns[1].MetaData
	if got.DictionaryPageOffset != 84 || got.DataPageOffset != 88 || got.Statistics.NullCount != 1 || got.NumValues != 100 || got.Codec != format.Zstd {
		t.Errorf("the second column is %+v", got)
	}
	for i, column := range testColumns() {
		var path []string
		for _, e := range column {
			path = append(path, string(e.Name))
		}
		if diff := cmp.Diff(path, []string(second.Columns[i].MetaData.PathInSchema)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestFooterReadsBack checks that ReadFooter returns the data of a written footer.
func TestFooterReadsBack(t *testing.T) {
	_, file := writtenFile(t)
	f, err := ReadFooter(bytes.NewReader(file), int64(len(file)), 100)
	if err != nil {
		t.Fatal(err)
	}
	want := []Element{{Name: []byte("rows"), Type: NoType, Repetition: NoRepetition, Children: 7}}
	for _, column := range testColumns() {
		want = append(want, column...)
	}
	if diff := cmp.Diff(want, f.Elements); diff != "" {
		t.Error(diff)
	}
	if f.Rows != 200 || len(f.RowGroups) != 2 || string(f.CreatedBy) != "intray" {
		t.Errorf("%d rows in %d groups by %q", f.Rows, len(f.RowGroups), f.CreatedBy)
	}
	chunks, err := f.ReadChunks(f.RowGroups[1], len(testColumns()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ColumnChunk{Type: format.ByteArray, Codec: format.Zstd, Entries: 100, Offset: 84}, chunks[1]); diff != "" {
		t.Error(diff)
	}
	var damage DamageError
	if _, err := f.ReadChunks(f.RowGroups[0], len(testColumns())-1, nil); !errors.As(err, &damage) {
		t.Errorf("a group with too many columns: %v", err)
	}
	var limit LimitError
	if _, err := ReadFooter(bytes.NewReader(file), int64(len(file)), 9); !errors.As(err, &limit) {
		t.Errorf("a schema of more than 9 elements: %v", err)
	}
}

// TestFooterCutOff checks that ReadFooter returns an error for a file truncated at any offset.
func TestFooterCutOff(t *testing.T) {
	_, file := writtenFile(t)
	for size := range file {
		var damage DamageError
		if _, err := ReadFooter(bytes.NewReader(file[:size]), int64(size), 100); !errors.As(err, &damage) {
			t.Errorf("%d of %d bytes: %v", size, len(file), err)
		}
		if _, err := ReadFooter(bytes.NewReader(file[:size]), int64(len(file)), 100); !errors.As(err, &damage) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes that are there: %v", size, len(file), err)
		}
	}
}

// TestTooManyRowGroups checks that AppendGroup rejects more row groups than the format can
// number.
func TestTooManyRowGroups(t *testing.T) {
	f := &FooterWriter{Columns: testColumns()[:1]}
	chunks := []Chunk{{Encodings: []format.Encoding{format.Plain}}}
	for i := range math.MaxInt16 {
		if err := f.AppendGroup(1, 4, chunks); err != nil {
			t.Fatal(fmt.Sprint(i, err))
		}
	}
	if err := f.AppendGroup(1, 4, chunks); err == nil || f.Groups != math.MaxInt16 {
		t.Errorf("%d row groups: %v", f.Groups, err)
	}
}
