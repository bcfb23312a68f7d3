package output

import (
	"fmt"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// parquetBounds limit the size of the pages and row groups of a Parquet file, and therefore
// the memory needed to write it. A page consists of consecutive rows of every column. A row
// group consists of consecutive pages. Each ends when it reaches its limit of rows or
// bytes, whichever is first. A row is never split.
type parquetBounds struct {
	pageRows, pageBytes int
	// groupBytes applies to the encoded and compressed pages.
	groupRows, groupBytes int
	// pieceBytes is the number of bytes that are written at a time.
	pieceBytes int
}

var defaultBounds = parquetBounds{pageRows: 20_000, pageBytes: 4 << 20, groupRows: 240_000, groupBytes: 16 << 20, pieceBytes: flushBytes}

const (
	// parquetVersion is the version of the format that defines the data pages of the files.
	parquetVersion = 1
	// textKey is the name of the column for values that typed columns cannot hold.
	textKey = "$text"
)

// parquetWriter writes rows to a Parquet file.
type parquetWriter struct {
	parquetBounds
	fields []field
	// columns has one column for each field, followed by the unmapped columns and the text
	// column, if any.
	columns []*columnWriter
	passed  int
	text    *columnWriter
	batchCursor

	// rows and bytes are the numbers of rows and bytes in the page that is being filled.
	// grouped is the number of rows in earlier pages of the row group.
	rows, bytes, grouped int

	pool *encoderPool
	// emit writes b and returns an empty buffer.
	emit func(b []byte) ([]byte, error)
	// offset is the size of the file so far, in bytes.
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
	w.replacements = make([][]replacement, len(fields))
	return w, err
}

// nameSet is a set of column names.
type nameSet map[string]bool

// reserve adds a name to the set and returns it, with a number appended if the set already
// contains the name.
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
		c.filling.reset()
		w.footer.Columns = append(w.footer.Columns, c.elements())
	}
	w.offset = int64(len(parquetio.Magic))
	return append(b, parquetio.Magic...)
}

// endPage waits until the previous page is encoded, writes the row group if it is full, and
// starts to encode the current page.
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

// endGroup waits until all pages of the row group are encoded and writes the row group
// column by column.
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
		if b, err = w.write(b, c.chunk.pages); err != nil {
			return b, err
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

// write appends part to b and emits b piece by piece, so that the buffer stays small.
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
