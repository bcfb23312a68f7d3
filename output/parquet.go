package output

import (
	"encoding/binary"
	"fmt"
	"strconv"

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
