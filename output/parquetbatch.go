package output

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// batchCursor is the state of a batch whose rows are appended to pages, part by part.
type batchCursor struct {
	row *rowCursor
	// next is the index of the first row that is not yet appended.
	next int
	// longest holds the length of the longest text of each field.
	longest []int
	// runs are the rows of the current part that are written.
	runs []rowRange
	// replacements holds the cells with an error in the current part, by field.
	replacements [][]replacement
	// untyped are the cells of the current part that belong in the text column.
	untyped []untypedCell
	// end is the end of the current part. After a failure, it is the row that could not be written.
	end     int
	failure error

	// object is a cell of the text column.
	object         []byte
	codes, entryOf []int32
}

// rowRange is a range of rows that excludes to.
type rowRange struct{ from, to int }

// replacement is a cell with an error, as it is written.
type replacement struct {
	row  int
	text []byte
	kind content
}

// untypedCell is a cell whose column cannot hold its text.
type untypedCell struct {
	row, column int
	text        []byte
}

const (
	// levelCost is the size of the level of a cell, and replacementCost is the size of a replacement in
	// memory, both in bytes.
	levelCost, replacementCost = 1, 100
	// formattedRows is the maximum number of rows in a part if fields have an output format, because the
	// size of the formatted values is not known in advance.
	formattedRows = 1024
)

func (w *parquetWriter) appendBatch(b []byte, batch *intray.Batch, keep policy) (_ []byte, rows int64, err error) {
	w.begin(batch, keep)
	for w.next < batch.Rows() {
		from := w.next
		if w.end = w.partEnd(from); w.end == from {
			if b, err = w.endPage(b); err != nil {
				return b, rows, err
			}
			continue
		}
		rows += int64(w.appendPart(from))
		if w.failure != nil {
			return b, rows, w.failure
		}
		if w.next = w.end; w.rows >= w.pageRows || w.bytes >= w.pageBytes {
			if b, err = w.endPage(b); err != nil {
				return b, rows, err
			}
		}
	}
	return b, rows, w.row.checkEnd()
}

// begin moves to the start of a batch.
func (w *parquetWriter) begin(batch *intray.Batch, keep policy) {
	w.row, w.next, w.failure = newRowCursor(batch, len(w.fields), nil), 0, nil
	w.row.keep = keep
	w.longest = slices.Grow(w.longest[:0], len(w.fields))[:len(w.fields)]
	for i := range w.fields {
		w.longest[i] = 0
		if values := &batch.Fields[i].Values; w.columns[i].kind.byteWidth() == 0 && len(values.Codes) > 0 {
			start := uint32(0)
			for _, end := range values.Texts.Ends {
				w.longest[i] = max(w.longest[i], int(end-start))
				start = end
			}
		}
	}
}

// partEnd returns the end of a part that begins at the given row. The part fits into the current page, or it
// is a single row. If a row does not fit into the rest of the page, partEnd returns the given row.
func (w *parquetWriter) partEnd(from int) int {
	end := min(w.row.batch.Rows(), from+w.pageRows-w.rows)
	if slices.ContainsFunc(w.fields, func(f field) bool { return f.write != nil }) {
		end = min(end, from+formattedRows)
	}
	problem := w.row.problem
	if w.maxBytes(from, end)+w.receivedBytes(&problem, end) <= w.pageBytes-w.bytes {
		return end
	}
	if w.rows > 0 {
		return from
	}
	problem = w.row.problem
	size := 0
	for row := from; row < end; row++ {
		if size += w.rowBytes(row) + w.receivedBytes(&problem, row+1); size >= w.pageBytes {
			return row + 1
		}
	}
	return end
}

// maxBytes returns an upper bound for the size of the values in a range of rows, without raw text.
func (w *parquetWriter) maxBytes(from, to int) int {
	size := 0
	for i := range w.fields {
		c := w.columns[i]
		values := &w.row.batch.Fields[i].Values
		switch {
		case c.kind.byteWidth() > 0:
			size += (to - from) * (c.kind.byteWidth() + levelCost)
		case len(values.Codes) > 0:
			size += (to - from) * c.textBytes(w.longest[i])
		default:
			size += c.textBytes(rangeBytes(&values.Texts, from, to)) + (to-from)*(parquetio.PlainLength+levelCost)
		}
	}
	for i := range w.passed {
		size += rangeBytes(&w.row.batch.Unmapped[i].Cells, from, to) + (to-from)*(parquetio.PlainLength+levelCost)
	}
	return size
}

// textBytes returns the size of a value with the given length. Each element of a list has a length and levels.
func (l *columnWriter) textBytes(length int) int {
	if l.kind == listColumn {
		length *= 4
	}
	return length + parquetio.PlainLength + levelCost
}

// rangeBytes returns the size of the texts [from, to).
func rangeBytes(t *intray.Texts, from, to int) int {
	if from == to {
		return 0
	}
	size := t.Ends[to-1]
	if from > 0 {
		size -= t.Ends[from-1]
	}
	return int(size)
}

// rowBytes returns the size of the values in a row, without raw text.
func (w *parquetWriter) rowBytes(row int) int {
	size := 0
	for i := range w.fields {
		if c := w.columns[i]; c.kind.byteWidth() > 0 {
			size += c.kind.byteWidth() + levelCost
		} else {
			size += c.textBytes(len(w.row.batch.Fields[i].Values.At(row)))
		}
	}
	for i := range w.passed {
		size += len(w.row.batch.Unmapped[i].Cells.At(row)) + parquetio.PlainLength + levelCost
	}
	return size
}

// receivedBytes returns the size of the raw text of cells with an error in rows before end. It begins at the
// given problem and moves to the first problem of a later row.
func (w *parquetWriter) receivedBytes(problem *int, end int) int {
	size := 0
	problems := w.row.batch.Problems
	for ; *problem < len(problems) && problems[*problem].Row < end; *problem++ {
		p := &problems[*problem]
		if p.Level == intray.LevelError && p.Field >= 0 && p.Field < len(w.fields) && p.Row >= 0 {
			size += len(w.row.batch.Fields[p.Field].Raw(p.Row)) + replacementCost
		}
	}
	return size
}

// appendPart appends the rows from the given row to the end of the part, and returns their number.
func (w *parquetWriter) appendPart(from int) (rows int) {
	w.replaceCells(from)
	for i := range w.fields {
		c := w.columns[i]
		before := c.filling.mark()
		for _, run := range w.runs {
			w.appendField(i, run.from, min(run.to, w.end))
		}
		w.bytes += c.bytesSince(before)
	}
	if w.failure == nil {
		w.appendUnmapped()
		w.appendUntyped()
	}
	for _, run := range w.runs {
		rows += max(min(run.to, w.end)-run.from, 0)
	}
	w.rows += rows
	return rows
}

// fail ends the part before a row that cannot be written.
func (w *parquetWriter) fail(row int, err error) {
	w.end, w.failure = row, fmt.Errorf("row %d: %w", w.row.batch.First+int64(row), err)
}

// replaceCells finds the rows of the part that are written, and their cells with an error.
func (w *parquetWriter) replaceCells(from int) {
	r := w.row
	w.runs, w.untyped = w.runs[:0], w.untyped[:0]
	for i := range w.replacements {
		w.replacements[i] = w.replacements[i][:0]
	}
	start, next := from, from
	for r.problem < len(r.batch.Problems) && r.batch.Problems[r.problem].Row < w.end && w.failure == nil {
		if r.index = r.batch.Problems[r.problem].Row; r.index < next {
			if next == w.end {
				break // the next part reports it
			}
			r.index = next
		}
		next = r.index + 1
		kept, err := r.advance(r.keep)
		switch {
		case err != nil:
			w.fail(r.index, err)
		case !kept:
			w.runs = append(w.runs, rowRange{start, r.index})
			start = next
		default:
			w.replaceInvalid()
		}
	}
	w.runs = append(w.runs, rowRange{start, w.end})
	for _, i := range r.invalid {
		r.cells[i].invalid = false
	}
	r.invalid = r.invalid[:0]
}

// replaceInvalid adds the replacements of the current row.
func (w *parquetWriter) replaceInvalid() {
	r := w.row
	for _, i := range r.invalid {
		list := w.replacements[i]
		if n := len(list); n > 0 && list[n-1].row == r.index {
			continue
		}
		v, kind, err := r.outputValue(i, &w.fields[i])
		if err != nil {
			w.fail(r.index, err)
			return
		}
		if len(v) > 0 && len(r.text) > 0 && &v[0] == &r.text[0] {
			v = slices.Clone(v)
		}
		w.replacements[i] = append(list, replacement{r.index, v, kind})
	}
}

// appendField appends the cells of a field in a range of rows that are written.
func (w *parquetWriter) appendField(i, from, to int) {
	list := w.replacements[i]
	at, _ := slices.BinarySearchFunc(list, from, func(r replacement, row int) int { return cmp.Compare(r.row, row) })
	for ; at < len(list) && list[at].row < to; at++ {
		w.appendValid(i, from, list[at].row)
		if from = list[at].row; from < w.end {
			w.appendCell(i, from, list[at].text, list[at].kind)
			from++
		}
	}
	w.appendValid(i, from, min(to, w.end))
}

// appendValid appends the cells of a field in a range of rows in which none has an error.
func (w *parquetWriter) appendValid(i, from, to int) {
	if from >= to {
		return
	}
	c, f, cells := w.columns[i], &w.fields[i], &w.row.batch.Fields[i]
	switch {
	case f.manyColumns && f.write != nil:
		for row := from; row < to && row < w.end; row++ {
			w.row.index = row
			v, kind, err := w.row.arrayValue(i, f)
			if err != nil {
				w.fail(row, err)
				return
			}
			w.appendCell(i, row, v, kind)
		}
	case len(cells.Values.Codes) > 0 && c.kind != listColumn:
		w.appendCoded(i, from, to)
	case c.kind.byteWidth() > 0:
		w.appendNumbers(i, from, to)
	case c.kind == textColumn && f.write == nil:
		c.filling.appendCells(cells, from, to, f.stringField)
	default:
		w.appendTexts(i, from, to)
	}
}

// appendTexts appends the cells of a field that holds lists or has an output format, in a range of rows.
func (w *parquetWriter) appendTexts(i, from, to int) {
	c, f, cells := w.columns[i], &w.fields[i], &w.row.batch.Fields[i]
	null, _ := slices.BinarySearch(cells.Nulls, uint32(from))
	for row := from; row < to && row < w.end; row++ {
		v := cells.Values.At(row)
		isNull := len(v) == 0 && !f.stringField
		if null < len(cells.Nulls) && cells.Nulls[null] == uint32(row) {
			null++
			isNull = true
		}
		if isNull {
			c.filling.appendNull(c.kind)
			continue
		}
		if f.write != nil {
			w.row.text = f.write(w.row.text[:0], v)
			v = w.row.text
		}
		w.appendCell(i, row, v, canonical)
	}
}

// appendNumbers appends the cells of a field whose values have a fixed width, in a range of rows without codes.
func (w *parquetWriter) appendNumbers(i, from, to int) {
	c, f, texts := w.columns[i], &w.fields[i], &w.row.batch.Fields[i].Values.Texts
	p, width := &c.filling, c.kind.byteWidth()
	added := 0 // the number of new entries that are not yet values
	flush := func() {
		p.useNewEntries(added)
		p.appendLevels(added)
		added = 0
	}
	for row := from; row < to; row++ {
		v := texts.At(row)
		var n uint64
		if len(v) > 0 { // other cells are null
			var ok bool
			var err error
			if n, ok, err = c.number(f, v); err != nil {
				w.fail(row, err)
				break
			}
			if ok {
				p.addNumber(n, width)
				added++
				continue
			}
			w.untyped = append(w.untyped, untypedCell{row, i, v})
		}
		flush()
		p.appendNull(c.kind)
	}
	flush()
}

// appendCells appends rows with the texts of cells without codes. Null cells are null and, unless they belong to
// a string field, so are empty texts.
func (p *page) appendCells(cells *intray.Cells, from, to int, stringField bool) {
	texts := &cells.Values.Texts
	if stringField {
		null, _ := slices.BinarySearch(cells.Nulls, uint32(from))
		for ; null < len(cells.Nulls) && int(cells.Nulls[null]) < to; null++ {
			row := int(cells.Nulls[null])
			p.appendTexts(texts, from, row)
			p.appendNull(textColumn)
			from = row + 1
		}
		p.appendTexts(texts, from, to)
		return
	}
	before := uint32(0)
	if from > 0 {
		before = texts.Ends[from-1]
	}
	for row := from; row < to; row++ {
		if texts.Ends[row] == before { // null cells are empty, too
			p.appendTexts(texts, from, row)
			p.appendNull(textColumn)
			from = row + 1
		}
		before = texts.Ends[row]
	}
	p.appendTexts(texts, from, to)
}

// These are the entries of codes that have none.
const (
	unknownEntry = -1 - iota
	nullEntry
	untypedEntry
)

// appendCoded appends the cells of a field in a range of rows. It parses each distinct text once.
func (w *parquetWriter) appendCoded(i, from, to int) {
	p, kind, cells := &w.columns[i].filling, w.columns[i].kind, &w.row.batch.Fields[i]
	texts := &cells.Values.Texts
	w.codes = append(w.codes[:0], cells.Values.Codes[from:to]...)
	null, _ := slices.BinarySearch(cells.Nulls, uint32(from))
	for ; null < len(cells.Nulls) && int(cells.Nulls[null]) < to; null++ {
		w.codes[int(cells.Nulls[null])-from] = int32(texts.Len())
	}
	w.entryOf = slices.Grow(w.entryOf[:0], texts.Len()+1)[:texts.Len()+1]
	for code := range w.entryOf {
		w.entryOf[code] = unknownEntry
	}
	w.entryOf[texts.Len()] = nullEntry
	p.beginIndexes()
	done := len(p.indexes)
	indexes, n := slices.Grow(p.indexes, to-from)[:done+to-from], done
	entryOf := w.entryOf
	for at, code := range w.codes {
		entry := entryOf[code]
		if entry == unknownEntry {
			var err error
			if entry, err = w.addEntry(i, texts.At(int(code))); err != nil {
				w.fail(from+at, err)
				break
			}
			entryOf[code] = entry
		}
		if entry >= 0 {
			indexes[n] = entry
			n++
			continue
		}
		p.appendLevels(n - done)
		done = n
		p.appendNull(kind)
		if entry == untypedEntry {
			w.untyped = append(w.untyped, untypedCell{from + at, i, texts.At(int(code))})
		}
	}
	p.indexes = indexes[:n]
	p.appendLevels(n - done)
}

// addEntry adds the entry of a text to the page of a field and returns its index.
func (w *parquetWriter) addEntry(i int, v []byte) (int32, error) {
	c, f := w.columns[i], &w.fields[i]
	switch {
	case len(v) == 0 && !f.stringField:
		return nullEntry, nil
	case c.kind == textColumn && f.write != nil:
		w.row.text = f.write(w.row.text[:0], v)
		c.filling.addText(w.row.text)
	case c.kind == textColumn:
		c.filling.addText(v)
	default:
		n, ok, err := c.number(f, v)
		if err != nil {
			return 0, err
		}
		if !ok {
			return untypedEntry, nil
		}
		c.filling.addNumber(n, c.kind.byteWidth())
	}
	return int32(c.filling.count - 1), nil
}

// number parses a value. It reports false if the column cannot hold the number.
func (l *columnWriter) number(f *field, v []byte) (n uint64, ok bool, err error) {
	n, ok = l.parse(v)
	isNumeric := l.kind == doubleColumn || l.kind == decimalColumn
	if !ok && (!isNumeric || !isNumber(v)) {
		return 0, false, malformedValueError(f)
	}
	return n, ok, nil
}

func malformedValueError(f *field) error {
	return fmt.Errorf("the value of field %q does not have the format of its type", f.key)
}

// appendCell appends the cell of a field. If the column cannot hold the text, appendCell adds the text to the
// untyped cells.
func (w *parquetWriter) appendCell(i, row int, v []byte, kind content) {
	c, f := w.columns[i], &w.fields[i]
	p := &c.filling
	switch {
	case kind == null:
		p.appendNull(c.kind)
	case c.kind == textColumn:
		p.appendText(v)
	case kind == received:
		p.appendNull(c.kind)
		w.untyped = append(w.untyped, untypedCell{row, i, v})
	case c.kind == listColumn:
		if !f.shape.isLiteral(v) {
			w.fail(row, malformedValueError(f))
			return
		}
		p.appendJSONArray(v)
	default:
		n, ok, err := c.number(f, v)
		switch {
		case err != nil:
			w.fail(row, err)
		case ok:
			p.addNumber(n, c.kind.byteWidth())
			p.useNewEntries(1)
			p.appendLevels(1)
		default:
			p.appendNull(c.kind)
			w.untyped = append(w.untyped, untypedCell{row, i, v})
		}
	}
}

func (w *parquetWriter) appendUnmapped() {
	for i := range w.passed {
		c := w.columns[len(w.fields)+i]
		before := c.filling.mark()
		for _, run := range w.runs {
			c.filling.appendTexts(&w.row.batch.Unmapped[i].Cells, run.from, run.to)
		}
		w.bytes += c.bytesSince(before)
	}
}

// appendUntyped appends the cells of the text column: JSON objects with the untyped cells of each row.
func (w *parquetWriter) appendUntyped() {
	if w.text == nil {
		return
	}
	slices.SortStableFunc(w.untyped, func(a, b untypedCell) int { return cmp.Compare(a.row, b.row) })
	before := w.text.filling.mark()
	at := 0
	for _, run := range w.runs {
		for row := run.from; row < run.to; row++ {
			if at == len(w.untyped) || w.untyped[at].row > row {
				w.text.filling.appendNull(textColumn)
				continue
			}
			object := w.object[:0]
			for ; at < len(w.untyped) && w.untyped[at].row == row; at++ {
				object = append(object, ',')
				object = append(appendString(object, []byte(w.columns[w.untyped[at].column].name)), ':')
				object = appendString(object, w.untyped[at].text)
			}
			object[0] = '{'
			w.object = append(object, '}')
			w.text.filling.appendText(w.object)
		}
	}
	w.bytes += w.text.bytesSince(before)
}

// pageMark is a position in a page.
type pageMark struct{ rows, size, indexes int }

func (p *page) mark() pageMark {
	return pageMark{p.rows, len(p.plain), len(p.indexes)}
}

// bytesSince returns the size of the values that were appended since the mark.
func (l *columnWriter) bytesSince(m pageMark) int {
	p := &l.filling
	size := (p.rows - m.rows) * levelCost
	switch {
	case l.kind.byteWidth() > 0:
		return size + (p.rows-m.rows)*l.kind.byteWidth()
	case len(p.indexes) == m.indexes:
		return size + len(p.plain) - m.size
	}
	for _, i := range p.indexes[m.indexes:] {
		size += len(p.plainEntry(int(i), 0))
	}
	return size
}
