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

// bounds are those of a Parquet file under way, and so of the memory that it takes.
// A page is a run of rows of every column, a row group a run of pages. Whichever of
// rows and bytes is reached first ends them; a row is never divided.
type bounds struct {
	pageRows, pageBytes int
	// groupBytes is of encoded and compressed pages.
	groupRows, groupBytes int
}

var usualBounds = bounds{pageRows: 20_000, pageBytes: 4 << 20, groupRows: 240_000, groupBytes: 16 << 20}

const (
	parquetMagic = "PAR1"
	parquetMaker = "intray"
	// textKey names the column for what typed columns cannot hold.
	textKey = "$text"
)

// parquetForm writes rows as those of a Parquet file.
type parquetForm struct {
	bounds
	fields []field
	// leaves are the columns: one for each field, then the passed ones, then text
	// where there is one.
	leaves []*leaf
	passed int
	text   *leaf
	// beside is what the text column says of the row under way: fields of a JSON
	// object.
	beside []byte

	// rows and bytes are those of the page that is being filled, grouped are the rows
	// of the row group before it.
	rows, bytes, grouped int

	press *press
	// emit writes out what was gathered and gives an empty run of bytes.
	emit func([]byte) ([]byte, error)
	// at is how long the file is so far.
	at     int64
	footer footer
}

func newParquet(schema *intray.Schema, fields []field) (*parquetForm, error) {
	f := &parquetForm{bounds: usualBounds, fields: fields}
	if len(fields) == 0 && !schema.Settings.PassThroughUnmappedColumns {
		return nil, fmt.Errorf("a Parquet file has at least one column, and the schema has no field: take another format")
	}
	asReceived := schema.Settings.InvalidDataBehavior == intray.IncludeInvalidValues
	taken := names{}
	needed := false
	for i, of := range schema.Fields {
		l := leafOf(of, &fields[i])
		l.name = taken.take(of.Key)
		f.leaves = append(f.leaves, l)
		needed = needed || l.mayLack(asReceived && !fields[i].many)
	}
	if needed {
		f.text = &leaf{kind: texts}
	}
	var err error
	f.press, err = newPress()
	return f, err
}

// names are those of columns so far.
type names map[string]bool

// take gives a name that no column has: the one asked for, or that with a number.
func (n names) take(name string) string {
	free := name
	for i := 2; n[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = true
	return free
}

func (f *parquetForm) begin(b []byte, columns []int) []byte {
	taken := names{}
	for _, l := range f.leaves {
		taken[l.name] = true
	}
	f.passed = len(columns)
	for _, c := range columns {
		f.leaves = append(f.leaves, &leaf{kind: texts, name: taken.take(unmappedKey + "." + strconv.Itoa(c))})
	}
	if f.text != nil {
		f.text.name = taken.take(textKey)
		f.leaves = append(f.leaves, f.text)
	}
	f.at = int64(len(parquetMagic))
	return append(b, parquetMagic...)
}

func (f *parquetForm) lead() string { return "" }

func (f *parquetForm) row(b []byte, r *row, _ bool) ([]byte, error) {
	f.beside = f.beside[:0]
	for i := range f.fields {
		v, kind, err := r.shown(i, &f.fields[i])
		if err != nil {
			return b, err
		}
		if err := f.cell(f.leaves[i], &f.fields[i], v, kind); err != nil {
			return b, err
		}
	}
	for i := range f.passed {
		v := r.batch.Unmapped[i].Cells.At(r.index)
		f.leaves[len(f.fields)+i].filling.text(v)
		f.bytes += len(v) + lengthCost + levelCost
	}
	f.besides()
	f.rows++
	if f.rows >= f.pageRows || f.bytes >= f.pageBytes {
		return f.endPage(b)
	}
	return b, nil
}

// lengthCost is what the length of a text takes, and levelCost what each cell does,
// null or not.
const lengthCost, levelCost = 4, 1

// cell adds the cell of a field. What its column cannot hold is told beside it.
func (f *parquetForm) cell(l *leaf, of *field, v []byte, kind content) error {
	f.bytes += levelCost
	if kind == null {
		l.null()
		return nil
	}
	f.bytes += len(v) + lengthCost
	if l.kind == lists { // each element has levels and a length of its own
		f.bytes += 3 * len(v)
	}
	switch {
	case l.kind == texts:
		l.filling.text(v)
		return nil
	case kind == received:
		l.null()
		f.tell(l.name, v)
		return nil
	case of.shape != text && !of.shape.literal(v):
		return malformed(of)
	case l.add(v):
		return nil
	case l.kind != doubles && l.kind != decimals:
		return malformed(of)
	}
	l.null()
	f.tell(l.name, v)
	return nil
}

func malformed(of *field) error {
	return fmt.Errorf("the value of field %q does not have the form of its type", of.key)
}

// tell keeps the text of a cell for the text column.
func (f *parquetForm) tell(name string, v []byte) {
	b := append(f.beside, ',')
	b = append(appendString(b, []byte(name)), ':')
	f.beside = appendString(b, v)
}

// besides ends a row in the text column.
func (f *parquetForm) besides() {
	switch {
	case f.text == nil:
	case len(f.beside) == 0:
		f.text.null()
	default:
		f.beside[0] = '{'
		f.beside = append(f.beside, '}')
		f.text.filling.text(f.beside)
		f.bytes += len(f.beside) + lengthCost
	}
}

// endPage gives the rows gathered to the press. What it was given before is done
// by then, and the row group is written where that filled it.
func (f *parquetForm) endPage(b []byte) ([]byte, error) {
	size, err := f.press.wait()
	if err == nil && (f.grouped >= f.groupRows || size >= f.groupBytes) {
		b, err = f.endGroup(b)
	}
	if err != nil {
		return b, err
	}
	f.press.start(f.leaves)
	f.grouped += f.rows
	f.rows, f.bytes = 0, 0
	return b, nil
}

// endGroup writes the row group: column by column, and each a piece at a time.
func (f *parquetForm) endGroup(b []byte) ([]byte, error) {
	if f.grouped == 0 {
		return b, nil
	}
	g := f.footer.group(f.grouped, f.at)
	for _, l := range f.leaves {
		dictionary, err := f.press.dictionary(l)
		if err != nil {
			return b, err
		}
		f.at = g.add(l, int64(len(dictionary)), f.at)
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
	f.press.size, f.grouped = 0, 0
	return b, f.footer.add(g)
}

// write adds bytes, a piece at a time, so that not all of them are there twice.
func (f *parquetForm) write(b, part []byte) (_ []byte, err error) {
	for len(part) > 0 {
		n := min(len(part), flushAt)
		b = append(b, part[:n]...)
		if part = part[n:]; len(b) >= flushAt {
			if b, err = f.emit(b); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

func (f *parquetForm) end(b []byte, rows int64) ([]byte, error) {
	b, err := f.endPage(b)
	if err == nil {
		_, err = f.press.wait()
	}
	if err == nil {
		b, err = f.endGroup(b)
	}
	if err != nil {
		return b, err
	}
	footer, err := f.footer.encode(f.leaves, rows)
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
