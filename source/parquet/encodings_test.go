package parquet

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// drawn generates random values of one physical type, with the expected cells.
type drawn struct {
	name      string
	node      parquet.Node
	draw      func(r *rand.Rand, i int) (parquet.Value, string)
	encodings []encoding.Encoding
}

func drawInt32(r *rand.Rand, i int) (parquet.Value, string) {
	n := int32(r.Uint32()) >> (i % 32)
	return parquet.Int32Value(n), strconv.Itoa(int(n))
}

func drawInt64(r *rand.Rand, i int) (parquet.Value, string) {
	n := int64(r.Uint64()) >> (i % 64)
	return parquet.Int64Value(n), strconv.FormatInt(n, 10)
}

func drawText(r *rand.Rand, _ int) (parquet.Value, string) {
	s := strings.Repeat("shared ", r.IntN(4)) + strconv.Itoa(r.IntN(50))
	return parquet.ByteArrayValue([]byte(s)), s
}

func drawChunk(r *rand.Rand, _ int) (parquet.Value, string) {
	s := fmt.Sprintf("%05d", r.IntN(300))
	return parquet.FixedLenByteArrayValue([]byte(s)), s
}

func drawDouble(r *rand.Rand, _ int) (parquet.Value, string) {
	n := float64(r.IntN(1000)) / 16
	return parquet.DoubleValue(n), fmt.Sprint(n)
}

func drawFloat(r *rand.Rand, _ int) (parquet.Value, string) {
	n := float32(r.IntN(1000)) / 16
	return parquet.FloatValue(n), fmt.Sprint(n)
}

func drawTruth(r *rand.Rand, i int) (parquet.Value, string) {
	b := r.IntN(1+i/40) == 0
	return parquet.BooleanValue(b), strconv.FormatBool(b)
}

func draws() []drawn {
	return []drawn{
		{"truth", parquet.Leaf(parquet.BooleanType), drawTruth, []encoding.Encoding{&parquet.Plain, &parquet.RLE}},
		{"int32", parquet.Leaf(parquet.Int32Type), drawInt32, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked, &parquet.ByteStreamSplit}},
		{"int64", parquet.Leaf(parquet.Int64Type), drawInt64, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked, &parquet.ByteStreamSplit}},
		{"float", parquet.Leaf(parquet.FloatType), drawFloat, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.ByteStreamSplit}},
		{"double", parquet.Leaf(parquet.DoubleType), drawDouble, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.ByteStreamSplit}},
		{"text", parquet.String(), drawText, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray}},
		{"chunk", parquet.Leaf(parquet.FixedLenByteArrayType(5)), drawChunk, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaByteArray}},
	}
}

// TestEncodings checks that values and nulls in each encoding of parquet-go are read
// correctly, for counts near the block sizes.
func TestEncodings(t *testing.T) {
	for _, d := range draws() {
		for _, enc := range d.encodings {
			t.Run(d.name+" "+enc.String(), func(t *testing.T) {
				for _, count := range []int{1, 7, 8, 31, 32, 33, 127, 128, 129, 130, 257, 1000} {
					for version := 1; version <= 2; version++ {
						compareDrawn(t, d, parquet.Encoded(d.node, enc), count, parquet.DataPageVersion(version))
					}
				}
			})
		}
	}
}

func TestCodecs(t *testing.T) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw} {
		t.Run(codec.String(), func(t *testing.T) {
			for _, d := range draws() {
				for version := 1; version <= 2; version++ {
					compareDrawn(t, d, parquet.Encoded(d.node, &parquet.Plain), 700, parquet.Compression(codec), parquet.DataPageVersion(version))
				}
			}
		})
	}
}

func compareDrawn(t *testing.T, d drawn, node parquet.Node, count int, options ...parquet.WriterOption) {
	t.Helper()
	chance := rand.New(rand.NewPCG(uint64(count), 1))
	var rows []parquet.Row
	var want []string
	for i := range count {
		v, text := d.draw(chance, i)
		if chance.IntN(9) == 0 {
			rows, want = append(rows, parquet.Row{parquet.NullValue().Level(0, 0, 0)}), append(want, "")
			continue
		}
		rows, want = append(rows, parquet.Row{v.Level(0, 1, 0)}), append(want, text)
	}
	file := encodeFile(t, parquet.Group{"v": parquet.Optional(node)}, rows, append(options, parquet.PageBufferSize(1500))...)
	sheet, err := sourcetest.Read(t, Format{}, string(file), source.Options{})
	if err != nil {
		t.Fatalf("%d values: %v", count, err)
	}
	for i, w := range want {
		if len(sheet.Records) != count || sheet.Records[i][0] != w {
			t.Fatalf("%d values: value %d of %d is not %q", count, i, len(sheet.Records), w)
		}
	}
}

// TestOldLevels checks that levels in the deprecated BIT_PACKED encoding are read correctly.
func TestOldLevels(t *testing.T) {
	body := []byte{0b10100000, 0b01000000, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}
	page := encodePage(t, format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 10, Encoding: format.Plain, DefinitionLevelEncoding: format.BitPacked}),
	}, body)
	optional := format.SchemaElement{Type: thrift.New(format.Int32), RepetitionType: thrift.New(format.Optional)}
	var got string
	for _, c := range cellsOf(t, buildFile(t, optional, format.Uncompressed, 10, page), source.Options{}) {
		got += c.shown + ","
	}
	if got != "1,,2,,,,,,,3," {
		t.Errorf("the cells are %s", got)
	}
}
