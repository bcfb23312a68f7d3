package output

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// parquetBounds are those of a Parquet file under way, and so of the memory that it takes.
// A page is a run of rows of every column, a row group a run of pages. Whichever of
// rows and bytes is reached first ends them; a row is never divided.
type parquetBounds struct {
	pageRows, pageBytes int
	// groupBytes is of encoded and compressed pages.
	groupRows, groupBytes int
}

var defaultBounds = parquetBounds{pageRows: 20_000, pageBytes: 4 << 20, groupRows: 240_000, groupBytes: 16 << 20}

const (
	parquetMagic = "PAR1"
	parquetMaker = "intray"
	// textKey names the column for what typed columns cannot hold.
	textKey = "$text"
)

// parquetWriter writes rows as those of a Parquet file.
type parquetWriter struct {
	parquetBounds
	fields []field
	// columns are the columns: one for each field, then the passed ones, then text
	// where there is one.
	columns []*columnWriter
	passed  int
	text    *columnWriter
	// untypedText is what the text column says of the row under way: fields of a JSON
	// object.
	untypedText []byte

	// rows and bytes are those of the page that is being filled, grouped are the rows
	// of the row group before it.
	rows, bytes, grouped int

	pool *encoderPool
	// emit writes out what was gathered and gives an empty run of bytes.
	emit func([]byte) ([]byte, error)
	// offset is how long the file is so far.
	offset int64
	footer footer
}

func newParquetWriter(schema *intray.Schema, fields []field) (*parquetWriter, error) {
	f := &parquetWriter{parquetBounds: defaultBounds, fields: fields}
	if len(fields) == 0 && !schema.Settings.PassThroughUnmappedColumns {
		return nil, fmt.Errorf("a Parquet file has at least one column, and the schema has no field: take another format")
	}
	asReceived := schema.Settings.InvalidDataBehavior == intray.IncludeInvalidValues
	taken := nameSet{}
	needed := false
	for i, schemaField := range schema.Fields {
		l := newColumnWriter(schemaField, &fields[i])
		l.name = taken.reserve(schemaField.Key)
		f.columns = append(f.columns, l)
		needed = needed || l.mayRejectValues(asReceived && !fields[i].manyColumns)
	}
	if needed {
		f.text = &columnWriter{kind: textColumn}
	}
	var err error
	f.pool, err = newEncoderPool()
	return f, err
}

// nameSet are those of columns so far.
type nameSet map[string]bool

// reserve gives a name that no column has: the one asked for, or that with a number.
func (n nameSet) reserve(name string) string {
	free := name
	for i := 2; n[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = true
	return free
}

func (f *parquetWriter) appendStart(b []byte, columns []int) []byte {
	taken := nameSet{}
	for _, l := range f.columns {
		taken[l.name] = true
	}
	f.passed = len(columns)
	for _, c := range columns {
		f.columns = append(f.columns, &columnWriter{kind: textColumn, name: taken.reserve(unmappedKey + "." + strconv.Itoa(c))})
	}
	if f.text != nil {
		f.text.name = taken.reserve(textKey)
		f.columns = append(f.columns, f.text)
	}
	f.offset = int64(len(parquetMagic))
	return append(b, parquetMagic...)
}

func (f *parquetWriter) rowSeparator() string { return "" }

func (f *parquetWriter) appendRow(b []byte, r *rowCursor, _ bool) ([]byte, error) {
	f.untypedText = f.untypedText[:0]
	for i := range f.fields {
		v, kind, err := r.outputValue(i, &f.fields[i])
		if err != nil {
			return b, err
		}
		if err := f.appendCell(f.columns[i], &f.fields[i], v, kind); err != nil {
			return b, err
		}
	}
	for i := range f.passed {
		v := r.batch.Unmapped[i].Cells.At(r.index)
		f.columns[len(f.fields)+i].filling.appendText(v)
		f.bytes += len(v) + lengthCost + levelCost
	}
	f.endTextCell()
	f.rows++
	if f.rows >= f.pageRows || f.bytes >= f.pageBytes {
		return f.endPage(b)
	}
	return b, nil
}

// lengthCost is what the length of a text takes, and levelCost what each cell does,
// null or not.
const lengthCost, levelCost = 4, 1

// appendCell adds the cell of a field. What its column cannot hold is told beside it.
func (f *parquetWriter) appendCell(l *columnWriter, fieldInfo *field, v []byte, kind content) error {
	f.bytes += levelCost
	if kind == null {
		l.appendNull()
		return nil
	}
	f.bytes += len(v) + lengthCost
	if l.kind == listColumn { // each element has levels and a length of its own
		f.bytes += 3 * len(v)
	}
	switch {
	case l.kind == textColumn:
		l.filling.appendText(v)
		return nil
	case kind == received:
		l.appendNull()
		f.addUntypedText(l.name, v)
		return nil
	case fieldInfo.shape != textShape && !fieldInfo.shape.isLiteral(v):
		return malformedValueError(fieldInfo)
	case l.appendValue(v):
		return nil
	case l.kind != doubleColumn && l.kind != decimalColumn:
		return malformedValueError(fieldInfo)
	}
	l.appendNull()
	f.addUntypedText(l.name, v)
	return nil
}

func malformedValueError(fieldInfo *field) error {
	return fmt.Errorf("the value of field %q does not have the form of its type", fieldInfo.key)
}

// addUntypedText keeps the text of a cell for the text column.
func (f *parquetWriter) addUntypedText(name string, v []byte) {
	b := append(f.untypedText, ',')
	b = append(appendString(b, []byte(name)), ':')
	f.untypedText = appendString(b, v)
}

// endTextCell ends a row in the text column.
func (f *parquetWriter) endTextCell() {
	switch {
	case f.text == nil:
	case len(f.untypedText) == 0:
		f.text.appendNull()
	default:
		f.untypedText[0] = '{'
		f.untypedText = append(f.untypedText, '}')
		f.text.filling.appendText(f.untypedText)
		f.bytes += len(f.untypedText) + lengthCost
	}
}

// endPage gives the rows gathered to the press. What it was given before is done
// by then, and the row group is written where that filled it.
func (f *parquetWriter) endPage(b []byte) ([]byte, error) {
	size, err := f.pool.wait()
	if err == nil && (f.grouped >= f.groupRows || size >= f.groupBytes) {
		b, err = f.endGroup(b)
	}
	if err != nil {
		return b, err
	}
	f.pool.start(f.columns)
	f.grouped += f.rows
	f.rows, f.bytes = 0, 0
	return b, nil
}

// endGroup writes the row group: column by column, and each a piece at a time.
func (f *parquetWriter) endGroup(b []byte) ([]byte, error) {
	if f.grouped == 0 {
		return b, nil
	}
	g := f.footer.newRowGroup(f.grouped, f.offset)
	for _, l := range f.columns {
		dictionary, err := f.pool.dictionaryPage(l)
		if err != nil {
			return b, err
		}
		f.offset = g.addColumn(l, int64(len(dictionary)), f.offset)
		if b, err = f.write(b, dictionary); err != nil {
			return b, err
		}
		for _, page := range l.chunk.pages {
			if b, err = f.write(b, page); err != nil {
				return b, err
			}
		}
		l.chunk.reset()
	}
	f.pool.size, f.grouped = 0, 0
	return b, f.footer.addRowGroup(g)
}

// write adds bytes, a piece at a time, so that not all of them are there twice.
func (f *parquetWriter) write(b, part []byte) (_ []byte, err error) {
	for len(part) > 0 {
		n := min(len(part), flushBytes)
		b = append(b, part[:n]...)
		if part = part[n:]; len(b) >= flushBytes {
			if b, err = f.emit(b); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

func (f *parquetWriter) appendEnd(b []byte, rows int64) ([]byte, error) {
	b, err := f.endPage(b)
	if err == nil {
		_, err = f.pool.wait()
	}
	if err == nil {
		b, err = f.endGroup(b)
	}
	if err != nil {
		return b, err
	}
	footer, err := f.footer.encode(f.columns, rows)
	if err != nil {
		return b, err
	}
	if b, err = f.write(b, footer); err != nil {
		return b, err
	}
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), parquetMagic...), nil
}

// footer gathers what the end of a Parquet file says of its row groups. Each is
// encoded when it is written: its few bytes are all that is kept of it.
type footer struct {
	groups []byte
	count  int
}

// rowGroup is a row group and where it lies.
type rowGroup struct{ format.RowGroup }

func (f *footer) newRowGroup(rows int, at int64) *rowGroup {
	return &rowGroup{format.RowGroup{NumRows: int64(rows), FileOffset: at, Ordinal: int16(f.count)}}
}

// addColumn adds a column that begins at this place of the file, and gives where it
// ends.
func (g *rowGroup) addColumn(l *columnWriter, dictionary, at int64) (end int64) {
	c := &l.chunk
	end = at + dictionary + int64(c.length)
	meta := format.ColumnMetaData{
		Type: l.physicalType(), PathInSchema: l.schemaPath(), Codec: format.Zstd, NumValues: c.entries,
		TotalUncompressedSize: c.plainSize, TotalCompressedSize: end - at, DataPageOffset: at + dictionary,
		Statistics: format.Statistics{NullCount: c.nulls}, Encoding: []format.Encoding{format.RLE},
	}
	if c.plainPages > 0 || c.dictionaryPages > 0 {
		meta.Encoding = append(meta.Encoding, format.Plain) // the dictionary, too
	}
	if c.dictionaryPages > 0 {
		meta.Encoding = append(meta.Encoding, format.RLEDictionary)
		meta.DictionaryPageOffset = at
	}
	g.Columns = append(g.Columns, format.ColumnChunk{MetaData: meta})
	g.TotalByteSize += c.plainSize
	g.TotalCompressedSize += end - at
	return end
}

func (f *footer) addRowGroup(g *rowGroup) error {
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
func (f *footer) encode(leaves []*columnWriter, rows int64) ([]byte, error) {
	elements := []format.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(len(leaves)))}}
	for _, l := range leaves {
		elements = append(elements, l.schemaElements()...)
	}
	b := binary.AppendVarint([]byte{1<<4 | thriftInt32}, 1) // version
	b = appendThriftList(append(b, 1<<4|thriftList), len(elements))
	for i := range elements {
		text, err := thrift.Marshal(new(thrift.CompactProtocol), &elements[i])
		if err != nil {
			return nil, fmt.Errorf("describe the columns: %w", err)
		}
		b = append(b, text...)
	}
	b = binary.AppendVarint(append(b, 1<<4|thriftInt64), rows)
	b = appendThriftList(append(b, 1<<4|thriftList), f.count)
	b = append(b, f.groups...)
	b = append(b, 2<<4|thriftBinary, byte(len(parquetMaker)))
	return append(append(b, parquetMaker...), thriftStop), nil
}

// appendThriftList begins a list of structs.
func appendThriftList(b []byte, n int) []byte {
	if n < 15 {
		return append(b, byte(n)<<4|thriftStruct)
	}
	return binary.AppendUvarint(append(b, 15<<4|thriftStruct), uint64(n))
}

// schemaPath is the way to the values.
func (l *columnWriter) schemaPath() []string {
	if l.kind == listColumn {
		return []string{l.name, "list", "element"}
	}
	return []string{l.name}
}

func (l *columnWriter) physicalType() format.Type {
	switch l.kind {
	case doubleColumn:
		return format.Double
	case decimalColumn, timestampColumn, timeColumn:
		return format.Int64
	case dateColumn:
		return format.Int32
	case booleanColumn:
		return format.Boolean
	}
	return format.ByteArray
}

// schemaElements describe the column. Those of a list are the three that the
// specification wants (LogicalTypes.md).
func (l *columnWriter) schemaElements() []format.SchemaElement {
	value := format.SchemaElement{Name: l.name, Type: thrift.New(l.physicalType()), RepetitionType: thrift.New(format.Optional)}
	l.setLogicalType(&value)
	if l.kind != listColumn {
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

// setLogicalType says what the values mean. Times and moments have no zone: only the newer
// of the two ways to say it can tell that.
func (l *columnWriter) setLogicalType(e *format.SchemaElement) {
	switch l.kind {
	case textColumn, listColumn:
		e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.UTF8), &format.StringType{}
	case dateColumn:
		e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.Date), &format.DateType{}
	case timestampColumn:
		e.LogicalType.Value = &format.TimestampType{Unit: micros()}
	case timeColumn:
		e.LogicalType.Value = &format.TimeType{Unit: micros()}
	case decimalColumn:
		if l.places == 0 {
			return
		}
		e.ConvertedType = thrift.New(deprecated.Decimal)
		e.Scale, e.Precision = thrift.New(int32(l.places)), thrift.New(int32(maxInt64Digits))
		e.LogicalType.Value = &format.DecimalType{Scale: int32(l.places), Precision: maxInt64Digits}
	}
}

func micros() format.TimeUnit { return format.TimeUnit{Value: &format.MicroSeconds{}} }
