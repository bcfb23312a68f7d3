package parquet

import (
	"errors"
	"io"
	"math"
	"math/big"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// cell is a cell of a record with its kind and its typed value.
type cell struct {
	shown string
	kind  intray.CellKind
	typed string
}

func text(s string) cell   { return cell{shown: s} }
func digits(s string) cell { return cell{s, intray.CellNumber, s} }

// textCell returns a cell whose typed value is its text.
func textCell(kind intray.CellKind, s string) cell { return cell{s, kind, s} }

// cellsOf returns the cells in the first column of a file.
func cellsOf(t *testing.T, file []byte, opt source.Options) (cells []cell) {
	t.Helper()
	reader, _ := sourcetest.Open(t, Format{}, string(file), opt)
	for batch := new(intray.Records); ; {
		err := reader.Next(t.Context(), batch)
		if errors.Is(err, io.EOF) {
			return cells
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Len() {
			kind, typed := batch.TypedCell(i, 0)
			cells = append(cells, cell{string(batch.Cell(i, 0)), kind, string(typed)})
		}
	}
}

// twosComplement returns a number in two's complement with the given size in bytes, most
// significant byte first.
func twosComplement(size int, digits string) parquet.Value {
	n, _ := new(big.Int).SetString(digits, 10)
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return parquet.FixedLenByteArrayValue(n.FillBytes(make([]byte, size)))
}

// typed holds values of all types that the writer supports, with the expected cells.
var typed = []struct {
	name  string
	node  parquet.Node
	value parquet.Value
	want  cell
}{
	{"boolean", parquet.Leaf(parquet.BooleanType), parquet.ValueOf(true), textCell(intray.CellBool, "true")},
	{"int32", parquet.Leaf(parquet.Int32Type), parquet.Int32Value(-5), digits("-5")},
	{"int64", parquet.Leaf(parquet.Int64Type), parquet.Int64Value(math.MinInt64), digits("-9223372036854775808")},
	{"int8", parquet.Int(8), parquet.Int32Value(-128), digits("-128")},
	{"int16", parquet.Int(16), parquet.Int32Value(-32768), digits("-32768")},
	{"uint8", parquet.Uint(8), parquet.Int32Value(255), digits("255")},
	{"uint32", parquet.Uint(32), parquet.Int32Value(-1), digits("4294967295")},
	{"uint64", parquet.Uint(64), parquet.Int64Value(-1), digits("18446744073709551615")},
	{"float", parquet.Leaf(parquet.FloatType), parquet.FloatValue(0.1), digits("0.1")},
	{"double", parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(1.0 / 3), digits("0.3333333333333333")},
	{"double, large", parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(1.5e300), digits("1.5e300")},
	{"double, small", parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(-2.5e-9), digits("-2.5e-9")},
	{"double, whole", parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(1e20), digits("100000000000000000000")},
	{"double, zero", parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.Copysign(0, -1)), digits("-0")},
	{"no number", parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.NaN()), text("NaN")},
	{"infinity", parquet.Leaf(parquet.FloatType), parquet.FloatValue(float32(math.Inf(1))), text("Infinity")},
	{"infinity below", parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.Inf(-1)), text("-Infinity")},
	{"decimal in 32 bits", parquet.Decimal(2, 9, parquet.Int32Type), parquet.Int32Value(-5), digits("-0.05")},
	{"decimal in 64 bits", parquet.Decimal(4, 18, parquet.Int64Type), parquet.Int64Value(123450000), digits("12345.0000")},
	{"decimal without places", parquet.Decimal(0, 18, parquet.Int64Type), parquet.Int64Value(-7), digits("-7")},
	{"decimal in 5 bytes", parquet.Decimal(3, 10, parquet.FixedLenByteArrayType(5)), twosComplement(5, "-1234567"), digits("-1234.567")},
	{"decimal in 9 bytes", parquet.Decimal(1, 20, parquet.FixedLenByteArrayType(9)), twosComplement(9, "-123456789012345678901"), digits("-12345678901234567890.1")},
	{"decimal in 16 bytes", parquet.Decimal(6, 38, parquet.FixedLenByteArrayType(16)), twosComplement(16, "99999999999999999999999999999999999999"), digits("99999999999999999999999999999999.999999")},
	{"least of 16 bytes", parquet.Decimal(0, 38, parquet.FixedLenByteArrayType(16)), twosComplement(16, "-170141183460469231731687303715884105728"), digits("-170141183460469231731687303715884105728")},
	{"decimal of zeros", parquet.Decimal(10, 38, parquet.FixedLenByteArrayType(16)), twosComplement(16, "10000000000000000000"), digits("1000000000.0000000000")},
	{"decimal in 30 bytes", parquet.Decimal(2, 70, parquet.FixedLenByteArrayType(30)), twosComplement(30, "-1234567890123456789012345678901234567890123456789012345678901234567890"), digits("-12345678901234567890123456789012345678901234567890123456789012345678.90")},
	{"decimal in bytes", parquet.Decimal(2, 30, parquet.ByteArrayType), parquet.ByteArrayValue([]byte{0xFF, 0x38}), digits("-2.00")},
	{"date", parquet.Date(), parquet.Int32Value(19782), textCell(intray.CellDate, "2024-02-29")},
	{"date before 1970", parquet.Date(), parquet.Int32Value(-719162), textCell(intray.CellDate, "0001-01-01")},
	{"date far away", parquet.Date(), parquet.Int32Value(2932897), text("+10000-01-01")},
	{"date before our era", parquet.Date(), parquet.Int32Value(-719529), text("-0001-12-31")},
	{"time in ms", parquet.Time(parquet.Millisecond), parquet.Int32Value(3_723_040), textCell(intray.CellTime, "01:02:03.04")},
	{"time in us", parquet.Time(parquet.Microsecond), parquet.Int64Value(3_723_000_001), textCell(intray.CellTime, "01:02:03.000001")},
	{"time in ns", parquet.TimeAdjusted(parquet.Nanosecond, false), parquet.Int64Value(86_399_999_999_999), textCell(intray.CellTime, "23:59:59.999999999")},
	{"time below zero", parquet.Time(parquet.Millisecond), parquet.Int32Value(-3_600_000), textCell(intray.CellTime, "-01:00:00")},
	{"timestamp in ms, UTC", parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(1_582_934_400_120), cell{"2020-02-29T00:00:00.12Z", intray.CellDateTime, "2020-02-29T00:00:00.12"}},
	{"timestamp in us, UTC", parquet.Timestamp(parquet.Microsecond), parquet.Int64Value(1_582_934_400_123_456), cell{"2020-02-29T00:00:00.123456Z", intray.CellDateTime, "2020-02-29T00:00:00.123"}},
	{"timestamp in us", parquet.TimestampAdjusted(parquet.Microsecond, false), parquet.Int64Value(-1), cell{"1969-12-31T23:59:59.999999", intray.CellDateTime, "1969-12-31T23:59:59.999"}},
	{"timestamp in ns", parquet.TimestampAdjusted(parquet.Nanosecond, false), parquet.Int64Value(1_582_934_400_000_000_000), textCell(intray.CellDateTime, "2020-02-29T00:00:00")},
	{"timestamp far away", parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(math.MaxInt64), text("+292278994-08-17T07:12:55.807Z")},
	{"timestamp long ago", parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(math.MinInt64), text("-292275055-05-16T16:47:04.192Z")},
	{"int96", parquet.Leaf(parquet.Int96Type), parquet.ValueOf(deprecated.Int96{1, 0, 2440589}), cell{"1970-01-02T00:00:00.000000001", intray.CellDateTime, "1970-01-02T00:00:00.000"}},
	{"uuid", parquet.UUID(), parquet.FixedLenByteArrayValue([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff")), text("00010203-0405-0607-0809-0a0b0c0d0eff")},
	{"string", parquet.String(), parquet.ValueOf("é\n\""), text("é\n\"")},
	{"empty string", parquet.String(), parquet.ValueOf(""), text("")},
	{"enum", parquet.Enum(), parquet.ByteArrayValue([]byte("RED")), text("RED")},
	{"json", parquet.JSON(), parquet.ByteArrayValue([]byte(`{"a": 1}`)), text(`{"a": 1}`)},
	{"bson", parquet.BSON(), parquet.ByteArrayValue([]byte("ab\x01")), text("616201")},
	{"bytes that are text", parquet.Leaf(parquet.ByteArrayType), parquet.ByteArrayValue([]byte("Zürich")), text("Zürich")},
	{"bytes", parquet.Leaf(parquet.ByteArrayType), parquet.ByteArrayValue([]byte("Z\xFC")), text("5afc")},
	{"bytes with NUL", parquet.Leaf(parquet.FixedLenByteArrayType(3)), parquet.FixedLenByteArrayValue([]byte("ab\x00")), text("616200")},
	{"interval", parquet.IntervalNode(), parquet.FixedLenByteArrayValue([]byte("\x01\x00\x00\x00\x02\x00\x00\x00\xDC\x05\x00\x00")), text("P1M2DT1.5S")},
	{"no interval", parquet.IntervalNode(), parquet.FixedLenByteArrayValue(make([]byte, 12)), text("PT0S")},
}

func TestTypes(t *testing.T) {
	for _, test := range typed {
		t.Run(test.name, func(t *testing.T) {
			want := []cell{test.want, text("")}
			got := cellsOf(t, columnFile(t, test.node, test.value), source.Options{})
			if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestAnnotations checks values with logical types that the writer does not support or that do
// not fit the physical type.
func TestAnnotations(t *testing.T) {
	bytes2 := parquet.Leaf(parquet.FixedLenByteArrayType(2))
	tests := []struct {
		name   string
		node   parquet.Node
		value  parquet.Value
		change func(e *format.SchemaElement)
		want   cell
	}{
		{"half", bytes2, parquet.FixedLenByteArrayValue([]byte{0x00, 0xBE}), logical(&format.Float16Type{}), digits("-1.5")},
		{"least half", bytes2, parquet.FixedLenByteArrayValue([]byte{0x01, 0x00}), logical(&format.Float16Type{}), digits("5.9604645e-8")},
		{"infinite half", bytes2, parquet.FixedLenByteArrayValue([]byte{0x00, 0x7C}), logical(&format.Float16Type{}), text("Infinity")},
		{"no half", bytes2, parquet.FixedLenByteArrayValue([]byte{0x01, 0x7C}), logical(&format.Float16Type{}), text("NaN")},
		{"a date in 64 bits", parquet.Leaf(parquet.Int64Type), parquet.Int64Value(1), logical(&format.DateType{}), digits("1")},
		{"text in 32 bits", parquet.Leaf(parquet.Int32Type), parquet.Int32Value(1), logical(&format.StringType{}), digits("1")},
		{"an older timestamp", parquet.Leaf(parquet.Int64Type), parquet.Int64Value(1000), older(deprecated.TimestampMillis), cell{"1970-01-01T00:00:01Z", intray.CellDateTime, "1970-01-01T00:00:01"}},
		{"an older unsigned", parquet.Leaf(parquet.Int32Type), parquet.Int32Value(-1), older(deprecated.Uint16), digits("65535")},
		{"an older signed", parquet.Leaf(parquet.Int32Type), parquet.Int32Value(-1), older(deprecated.Int8), digits("-1")},
		{"an older text", parquet.Leaf(parquet.ByteArrayType), parquet.ByteArrayValue([]byte("a")), older(deprecated.UTF8), text("a")},
		{"an older decimal", parquet.Leaf(parquet.Int32Type), parquet.Int32Value(1234), func(e *format.SchemaElement) {
			older(deprecated.Decimal)(e)
			e.Scale, e.Precision = thrift.New[int32](3), thrift.New[int32](6)
		}, digits("1.234")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := editFooter(t, columnFile(t, test.node, test.value), func(meta *format.FileMetaData) { test.change(&meta.Schema[1]) })
			if got := cellsOf(t, file, source.Options{}); got[0] != test.want {
				t.Errorf("got %q, want %q", got[0], test.want)
			}
		})
	}
}

func logical(value format.LogicalTypeValue) func(e *format.SchemaElement) {
	return func(e *format.SchemaElement) { e.LogicalType = format.LogicalType{Value: value} }
}

func older(kind deprecated.ConvertedType) func(e *format.SchemaElement) {
	return func(e *format.SchemaElement) {
		e.LogicalType, e.ConvertedType = format.LogicalType{}, thrift.New(kind)
	}
}

// TestTypedOption checks that the typed value of a timestamp has no time zone and at most three
// digits after the decimal point.
func TestTypedOption(t *testing.T) {
	file := columnFile(t, parquet.Timestamp(parquet.Microsecond), parquet.Int64Value(1_582_934_400_123_456))
	want := cell{"2020-02-29T00:00:00.123456", intray.CellDateTime, "2020-02-29T00:00:00.123"}
	if got := cellsOf(t, file, source.Options{Typed: true}); got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
}
