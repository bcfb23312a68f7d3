package output

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// footer gathers what the end of a Parquet file says of its row groups. Each is
// encoded when it is written: its few bytes are all that is kept of it.
type footer struct {
	groups []byte
	count  int
}

// placed is a row group and where it lies.
type placed struct{ format.RowGroup }

func (f *footer) group(rows int, at int64) *placed {
	return &placed{format.RowGroup{NumRows: int64(rows), FileOffset: at, Ordinal: int16(f.count)}}
}

// add adds a column that begins at this place of the file, and gives where it
// ends.
func (g *placed) add(l *leaf, dictionary, at int64) (end int64) {
	c := &l.chunk
	end = at + dictionary + int64(c.length)
	meta := format.ColumnMetaData{
		Type: l.physical(), PathInSchema: l.path(), Codec: format.Zstd, NumValues: c.entries,
		TotalUncompressedSize: c.plainSize, TotalCompressedSize: end - at, DataPageOffset: at + dictionary,
		Statistics: format.Statistics{NullCount: c.nulls}, Encoding: []format.Encoding{format.RLE},
	}
	if c.straight > 0 || c.coded > 0 {
		meta.Encoding = append(meta.Encoding, format.Plain) // the dictionary, too
	}
	if c.coded > 0 {
		meta.Encoding = append(meta.Encoding, format.RLEDictionary)
		meta.DictionaryPageOffset = at
	}
	g.Columns = append(g.Columns, format.ColumnChunk{MetaData: meta})
	g.TotalByteSize += c.plainSize
	g.TotalCompressedSize += end - at
	return end
}

func (f *footer) add(g *placed) error {
	if f.count++; f.count > math.MaxInt16 {
		return fmt.Errorf("a Parquet file has at most %d row groups: take another format", math.MaxInt16)
	}
	text, err := thrift.Marshal(new(thrift.CompactProtocol), &g.RowGroup)
	if err != nil {
		return fmt.Errorf("describe a row group: %w", err)
	}
	f.groups = append(f.groups, text...)
	if len(f.groups) > math.MaxInt32-1<<28 {
		return fmt.Errorf("the description of the row groups is over 1.8 GiB: take another format")
	}
	return nil
}

// Kinds of fields in the compact protocol of Thrift, and how its structs end.
const (
	thriftInt32, thriftInt64, thriftBinary, thriftList, thriftStruct = 5, 6, 8, 9, 12

	thriftStop = 0
)

// encode gives FileMetaData (parquet.thrift). It is put together by hand, because
// its row groups are encoded already.
func (f *footer) encode(leaves []*leaf, rows int64) ([]byte, error) {
	elements := []format.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(len(leaves)))}}
	for _, l := range leaves {
		elements = append(elements, l.elements()...)
	}
	b := binary.AppendVarint([]byte{1<<4 | thriftInt32}, 1) // version
	b = appendList(append(b, 1<<4|thriftList), len(elements))
	for i := range elements {
		text, err := thrift.Marshal(new(thrift.CompactProtocol), &elements[i])
		if err != nil {
			return nil, fmt.Errorf("describe the columns: %w", err)
		}
		b = append(b, text...)
	}
	b = binary.AppendVarint(append(b, 1<<4|thriftInt64), rows)
	b = appendList(append(b, 1<<4|thriftList), f.count)
	b = append(b, f.groups...)
	b = append(b, 2<<4|thriftBinary, byte(len(parquetMaker)))
	return append(append(b, parquetMaker...), thriftStop), nil
}

// appendList begins a list of structs.
func appendList(b []byte, n int) []byte {
	if n < 15 {
		return append(b, byte(n)<<4|thriftStruct)
	}
	return binary.AppendUvarint(append(b, 15<<4|thriftStruct), uint64(n))
}

// path is the way to the values.
func (l *leaf) path() []string {
	if l.kind == lists {
		return []string{l.name, "list", "element"}
	}
	return []string{l.name}
}

func (l *leaf) physical() format.Type {
	switch l.kind {
	case doubles:
		return format.Double
	case decimals, moments, clocks:
		return format.Int64
	case days:
		return format.Int32
	case truths:
		return format.Boolean
	}
	return format.ByteArray
}

// elements describe the column. Those of a list are the three that the
// specification wants (LogicalTypes.md).
func (l *leaf) elements() []format.SchemaElement {
	value := format.SchemaElement{Name: l.name, Type: thrift.New(l.physical()), RepetitionType: thrift.New(format.Optional)}
	l.mean(&value)
	if l.kind != lists {
		return []format.SchemaElement{value}
	}
	value.Name = "element"
	return []format.SchemaElement{
		{
			Name: l.name, RepetitionType: thrift.New(format.Optional), NumChildren: thrift.New(int32(1)),
			ConvertedType: thrift.New(deprecated.List), LogicalType: format.LogicalType{Value: &format.ListType{}},
		},
		{Name: "list", RepetitionType: thrift.New(format.Repeated), NumChildren: thrift.New(int32(1))},
		value,
	}
}

// mean says what the values mean. Times and moments have no zone: only the newer
// of the two ways to say it can tell that.
func (l *leaf) mean(e *format.SchemaElement) {
	switch l.kind {
	case texts, lists:
		e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.UTF8), &format.StringType{}
	case days:
		e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.Date), &format.DateType{}
	case moments:
		e.LogicalType.Value = &format.TimestampType{Unit: micros()}
	case clocks:
		e.LogicalType.Value = &format.TimeType{Unit: micros()}
	case decimals:
		if l.places == 0 {
			return
		}
		e.ConvertedType = thrift.New(deprecated.Decimal)
		e.Scale, e.Precision = thrift.New(int32(l.places)), thrift.New(int32(wholeDigits))
		e.LogicalType.Value = &format.DecimalType{Scale: int32(l.places), Precision: wholeDigits}
	}
}

func micros() format.TimeUnit { return format.TimeUnit{Value: &format.MicroSeconds{}} }
