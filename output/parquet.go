package output

import (
	"fmt"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// parquetBounds limit the pages and row groups of a Parquet file, and so the memory of
// writing it. A page is a run of rows of every column, and a row group a run of pages.
// Rows or bytes end them, whichever limit is reached first. A row is never split.
type parquetBounds struct {
	pageRows, pageBytes int
	// groupBytes counts encoded and compressed pages.
	groupRows, groupBytes int
	// pieceBytes is how much is written at a time.
	pieceBytes int
}

var defaultBounds = parquetBounds{pageRows: 20_000, pageBytes: 4 << 20, groupRows: 240_000, groupBytes: 16 << 20, pieceBytes: flushBytes}

const (
	// parquetVersion is the version of Parquet that has the pages of the files.
	parquetVersion = 1
	// textKey names the column for values that typed columns cannot hold.
	textKey = "$text"
)

// parquetWriter writes rows to a Parquet file.
type parquetWriter struct {
	parquetBounds
	fields []field
	// columns has one column for each field, then the unmapped columns, then text if
	// there is one.
	columns []*columnWriter
	passed  int
	text    *columnWriter
	// untypedText is the value of the text column in the current row: the fields of a
	// JSON object.
	untypedText []byte

	// rows and bytes are those of the page that is being filled. grouped is the number
	// of rows in the row group before it.
	rows, bytes, grouped int

	pool *encoderPool
	// emit writes b and returns an empty buffer.
	emit func(b []byte) ([]byte, error)
	// offset is the size of the file so far.
	offset int64
	footer parquetio.FooterWriter
	chunks []parquetio.Chunk
}

func newParquetWriter(schema *intray.Schema, fields []field) (*parquetWriter, error) {
	w := &parquetWriter{parquetBounds: defaultBounds, fields: fields}
	if len(fields) == 0 && !schema.Settings.PassThroughUnmappedColumns {
		return nil, fmt.Errorf("a Parquet file has at least one column, and the schema has no field: use another format")
	}
	asReceived := schema.Settings.InvalidDataBehavior == intray.IncludeInvalidValues
	names := nameSet{}
	needed := false
	for i, schemaField := range schema.Fields {
		c := newColumnWriter(schemaField, &fields[i])
		c.name = names.reserve(schemaField.Key)
		w.columns = append(w.columns, c)
		needed = needed || c.mayRejectValues(asReceived && !fields[i].manyColumns)
	}
	if needed {
		w.text = &columnWriter{kind: textColumn}
	}
	var err error
	w.pool, err = newEncoderPool()
	return w, err
}

// nameSet is a set of column names.
type nameSet map[string]bool

// reserve adds a name to the set and returns it, with a number if it is taken.
func (n nameSet) reserve(name string) string {
	free := name
	for i := 2; n[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = true
	return free
}

func (w *parquetWriter) appendStart(b []byte, columns []int) []byte {
	names := nameSet{}
	for _, c := range w.columns {
		names[c.name] = true
	}
	w.passed = len(columns)
	for _, index := range columns {
		w.columns = append(w.columns, &columnWriter{kind: textColumn, name: names.reserve(unmappedKey + "." + strconv.Itoa(index))})
	}
	if w.text != nil {
		w.text.name = names.reserve(textKey)
		w.columns = append(w.columns, w.text)
	}
	for _, c := range w.columns {
		w.footer.Columns = append(w.footer.Columns, c.elements())
	}
	w.offset = int64(len(parquetio.Magic))
	return append(b, parquetio.Magic...)
}

func (w *parquetWriter) rowSeparator() string { return "" }

func (w *parquetWriter) appendRow(b []byte, r *rowCursor, _ bool) ([]byte, error) {
	w.untypedText = w.untypedText[:0]
	for i := range w.fields {
		v, kind, err := r.outputValue(i, &w.fields[i])
		if err != nil {
			return b, err
		}
		if err := w.appendCell(w.columns[i], &w.fields[i], v, kind); err != nil {
			return b, err
		}
	}
	for i := range w.passed {
		v := r.batch.Unmapped[i].Cells.At(r.index)
		w.columns[len(w.fields)+i].filling.appendText(v)
		w.bytes += len(v) + lengthCost + levelCost
	}
	w.endTextCell()
	w.rows++
	if w.rows >= w.pageRows || w.bytes >= w.pageBytes {
		return w.endPage(b)
	}
	return b, nil
}

// lengthCost is the size of the length of a text, and levelCost that of the level of a
// cell.
const lengthCost, levelCost = 4, 1

// appendCell appends the cell of a field. A value that its column cannot hold goes to
// the text column.
func (w *parquetWriter) appendCell(c *columnWriter, f *field, v []byte, kind content) error {
	w.bytes += levelCost
	if kind == null {
		c.appendNull()
		return nil
	}
	w.bytes += len(v) + lengthCost
	if c.kind == listColumn { // each element has levels and a length
		w.bytes += 3 * len(v)
	}
	switch {
	case c.kind == textColumn:
		c.filling.appendText(v)
		return nil
	case kind == received:
		c.appendNull()
		w.addUntypedText(c.name, v)
		return nil
	case f.shape != textShape && !f.shape.isLiteral(v):
		return malformedValueError(f)
	case c.appendValue(v):
		return nil
	case c.kind != doubleColumn && c.kind != decimalColumn:
		return malformedValueError(f)
	}
	c.appendNull()
	w.addUntypedText(c.name, v)
	return nil
}

func malformedValueError(f *field) error {
	return fmt.Errorf("the value of field %q does not have the format of its type", f.key)
}

// addUntypedText adds the text of a cell to the text column.
func (w *parquetWriter) addUntypedText(name string, v []byte) {
	b := append(w.untypedText, ',')
	b = append(appendString(b, []byte(name)), ':')
	w.untypedText = appendString(b, v)
}

// endTextCell ends the cell of the text column.
func (w *parquetWriter) endTextCell() {
	switch {
	case w.text == nil:
	case len(w.untypedText) == 0:
		w.text.appendNull()
	default:
		w.untypedText[0] = '{'
		w.untypedText = append(w.untypedText, '}')
		w.text.filling.appendText(w.untypedText)
		w.bytes += len(w.untypedText) + lengthCost
	}
}

// endPage waits for the previous page to be encoded, writes the row group if that
// filled it, and starts to encode the filled page.
func (w *parquetWriter) endPage(b []byte) ([]byte, error) {
	size, err := w.pool.wait()
	if err != nil {
		return b, err
	}
	if w.grouped >= w.groupRows || size >= w.groupBytes {
		if b, err = w.endGroup(b); err != nil {
			return b, err
		}
	}
	w.pool.start(w.columns)
	w.grouped += w.rows
	w.rows, w.bytes = 0, 0
	return b, nil
}

// endGroup writes the row group, column by column, once all its pages are encoded.
func (w *parquetWriter) endGroup(b []byte) ([]byte, error) {
	if _, err := w.pool.wait(); err != nil || w.grouped == 0 {
		return b, err
	}
	start := w.offset
	w.chunks = w.chunks[:0]
	for _, c := range w.columns {
		var err error
		if b, err = w.write(b, w.pool.endChunk(&c.chunk)); err != nil {
			return b, err
		}
		for _, page := range c.chunk.pages {
			if b, err = w.write(b, page); err != nil {
				return b, err
			}
		}
		w.chunks = append(w.chunks, c.chunk.Chunk)
		w.offset += c.chunk.Bytes
		c.chunk.reset()
	}
	if err := w.footer.AppendGroup(int64(w.grouped), start, w.chunks); err != nil {
		return b, fmt.Errorf("%w: use another format", err)
	}
	w.pool.size, w.grouped = 0, 0
	return b, nil
}

// write appends bytes to b and emits it piece by piece, so that it stays small.
func (w *parquetWriter) write(b, part []byte) (_ []byte, err error) {
	for len(part) > 0 {
		n := min(len(part), w.pieceBytes)
		b = append(b, part[:n]...)
		if part = part[n:]; len(b) >= w.pieceBytes {
			if b, err = w.emit(b); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

func (w *parquetWriter) appendEnd(b []byte, _ int64) ([]byte, error) {
	b, err := w.endPage(b)
	if err != nil {
		return b, err
	}
	if b, err = w.endGroup(b); err != nil {
		return b, err
	}
	return w.write(b, w.footer.Encode(parquetVersion))
}
