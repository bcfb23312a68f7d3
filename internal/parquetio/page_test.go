package parquetio

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// TestHeadersLikeTheLibrary compares written page headers with page headers that parquet-go
// writes.
func TestHeadersLikeTheLibrary(t *testing.T) {
	stats := format.Statistics{NullCount: 70_000}
	for name, test := range map[string]struct {
		header PageHeader
		want   format.PageHeader
	}{
		"dictionary": {
			PageHeader{Kind: format.DictionaryPage, UncompressedSize: 500, CompressedSize: 300, Count: 7, Encoding: format.Plain},
			format.PageHeader{
				Type: format.DictionaryPage, UncompressedPageSize: 500, CompressedPageSize: 300,
				DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 7, Encoding: format.Plain}),
			},
		},
		"version 1": {
			PageHeader{Kind: format.DataPage, UncompressedSize: 1 << 30, CompressedSize: 1, Count: 90_000, Nulls: 70_000, Encoding: format.RLEDictionary},
			format.PageHeader{
				Type: format.DataPage, UncompressedPageSize: 1 << 30, CompressedPageSize: 1,
				DataPageHeader: thrift.New(format.DataPageHeader{
					NumValues: 90_000, Encoding: format.RLEDictionary, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE, Statistics: stats,
				}),
			},
		},
		"version 2": {
			PageHeader{
				Kind: format.DataPageV2, V2: true, UncompressedSize: 20, CompressedSize: 20, Count: 90_000, Rows: 80_000, Nulls: 70_000,
				Encoding: format.DeltaLengthByteArray, DefBytes: 5, RepBytes: 6,
			},
			format.PageHeader{
				Type: format.DataPageV2, UncompressedPageSize: 20, CompressedPageSize: 20,
				DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
					NumValues: 90_000, NumNulls: 70_000, NumRows: 80_000, Encoding: format.DeltaLengthByteArray,
					DefinitionLevelsByteLength: 5, RepetitionLevelsByteLength: 6, IsCompressed: thrift.New(false), Statistics: stats,
				}),
			},
		},
	} {
		want, err := thrift.Marshal(new(thrift.CompactProtocol), &test.want)
		if err != nil {
			t.Fatal(err)
		}
		got := test.header.append(nil)
		if !bytes.Equal(want, got) {
			t.Errorf("%s: the header is %x, not %x", name, got, want)
		}
		if len(got) > maxWrittenHeader {
			t.Errorf("%s: the header has %d bytes", name, len(got))
		}
		var read PageHeader
		r := thriftReader{text: got}
		if read.read(&r); r.err != nil || r.pos != len(got) {
			t.Errorf("%s: %v at byte %d of %d", name, r.err, r.pos, len(got))
		}
		read.Compressed, read.repEncoding, read.defEncoding = test.header.Compressed, 0, 0
		if test.header.Kind == format.DataPage {
			read.Nulls = test.header.Nulls // stored only in the statistics
		}
		if diff := cmp.Diff(test.header, read, cmp.AllowUnexported(PageHeader{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
