//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package jsruntime

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// This file reads the return values of row hooks through direct calls into QuickJS. The
// same code in JavaScript takes longer than most hooks. The JavaScript version, changeRow
// in the prelude, is used for Node, on machines with a different memory layout, and for
// changes other than a plain string.
//
// The prelude binds the reader to its variables once per request:
//
//	reader = intrayChangeReader(fieldOf, targets, results, changes, tally, slow, count)
//	names = reader(row, i)
//
// fieldOf maps keys to field indexes. targets contains the values of each column, an object for
// a column that was not sent, or undefined if the slow path must be used. results contains the
// result values of the columns that store them separately. slow(i, name, cell) reads a cell in
// JavaScript. count is the number of fields. The reader returns the number of names in the row.
const (
	argFields = iota
	argTargets
	argResults
	argChanges
	argTotals
	argSlowPath
	argFieldCount
	// atomInfo, atomOptions and atomManyToOne are the indexes of the engine's atoms for property
	// names.
	atomInfo
	atomOptions
	atomManyToOne
	dataCount

	argCount = atomInfo
)

// changeTotals is the tally of the prelude, which shares it with this file.
type changeTotals struct {
	count, size, limit, expected, row, lastField float64
	distances                                    [predictedFields]float64
}

func bindChangeReader(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr) lib.TJSValue {
	if argc != argCount {
		return undefinedValue
	}
	return newBoundFunction(tls, ctx, readRowChanges, 2, readerData(tls, ctx, argv))
}

// readerData returns the arguments of a binding, followed by the atoms.
func readerData(tls *libc.TLS, ctx, argv uintptr) []lib.TJSValue {
	return append(valuesAt(argv, argCount), atomNumber(tls, ctx, "info"), atomNumber(tls, ctx, "selectOptions"), atomNumber(tls, ctx, "manyToOne"))
}

// rowReader reads the rows that hooks return.
type rowReader struct {
	tls       *libc.TLS
	ctx, data uintptr
	totals    *changeTotals
	// scratch has room for two words.
	scratch uintptr
	// readOnce reports whether each cell is read only once, so that changes need not be stored in
	// the columns.
	readOnce bool
	// row is the current row, and i is its index.
	row lib.TJSValue
	i   int32
	// known are the targets of the last fields by their position in a row.
	known [maxKnown]knownTarget
}

// knownTarget is an element of the targets. field is the index, and name the key of its field.
type knownTarget struct {
	name   lib.TJSAtom
	field  int32
	target lib.TJSValue
}

const maxKnown = 8

// newRowReader returns a reader with the data of a binding, or nil if the engine threw an
// exception. The caller must free it.
func newRowReader(tls *libc.TLS, ctx, data uintptr) *rowReader {
	t := &rowReader{tls: tls, ctx: ctx, data: data, scratch: tls.Alloc(16)}
	numbers := lib.XJS_GetArrayBuffer(tls, ctx, t.scratch, valueAt(data, argTotals))
	if numbers == 0 {
		t.free()
		return nil
	}
	t.totals = deref[changeTotals](numbers)
	return t
}

func (t *rowReader) free() {
	for i := range t.known {
		if known := &t.known[i]; known.name != 0 {
			t.freeValue(known.target)
		}
	}
	t.tls.Free(16)
}

func readRowChanges(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr, _ int32, data uintptr) lib.TJSValue {
	if argc != 2 {
		return undefinedValue
	}
	t := newRowReader(tls, ctx, data)
	if t == nil {
		return exceptionValue
	}
	defer t.free()
	t.row, t.i = valueAt(argv, 0), int32(asNumber(valueAt(argv, 1)))
	count, ok := t.readRow()
	if !ok {
		return exceptionValue
	}
	return lib.XNewInt32(tls, ctx, int32(count))
}

// readRow reads the current row and returns the number of its names. ok is false if the engine
// threw an exception.
func (t *rowReader) readRow() (count uint32, ok bool) {
	if lib.XJS_GetOwnPropertyNames(t.tls, t.ctx, t.scratch, t.scratch+8, t.row, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_ENUM_ONLY) < 0 {
		return 0, false
	}
	names, count := *deref[uintptr](t.scratch), *deref[uint32](t.scratch + 8)
	ok = true
	for n := 0; ok && n < int(count); n++ {
		ok = t.readCell(n, deref[lib.TJSPropertyEnum](names+uintptr(n)*unsafe.Sizeof(lib.TJSPropertyEnum{})).Fatom)
	}
	lib.XJS_FreePropertyEnum(t.tls, t.ctx, names, count)
	return count, ok
}

func (t *rowReader) getProperty(of lib.TJSValue, atom lib.TJSAtom) lib.TJSValue {
	return lib.XJS_GetPropertyInternal(t.tls, t.ctx, of, atom, of, 0)
}

func (t *rowReader) freeValue(v lib.TJSValue) { lib.XFreeValue(t.tls, t.ctx, v) }

// readCell reads the cell with the given name, the name number n of the row. It returns false if
// the engine threw an exception.
func (t *rowReader) readCell(n int, name lib.TJSAtom) bool {
	known := t.findTarget(n, name)
	if known == nil {
		return t.callSlowPath(name, undefinedValue)
	}
	cell := t.getProperty(t.row, name)
	if cell.Ftag == lib.EJS_TAG_EXCEPTION {
		return false
	}
	defer t.freeValue(cell)
	switch {
	case cell.Ftag != lib.EJS_TAG_OBJECT || known.target.Ftag != lib.EJS_TAG_OBJECT:
		return t.callSlowPath(name, cell)
	case cell == known.target:
		return true // the hook did not change the cell
	}
	return t.readTextCell(name, known.field, cell, known.target)
}

// findTarget returns the target of the field with the given name, or nil if there is no such
// field.
func (t *rowReader) findTarget(n int, name lib.TJSAtom) *knownTarget {
	known := &t.known[n%maxKnown]
	if known.name == name {
		return known
	}
	field := t.getProperty(valueAt(t.data, argFields), name)
	if field.Ftag != lib.EJS_TAG_INT {
		return nil
	}
	t.freeValue(known.target)
	known.name, known.field = name, int32(payloadBits(field))
	known.target = t.element(argTargets, int(known.field))
	return known
}

// element returns an element of a list of the data. The caller must free it.
func (t *rowReader) element(list, n int) lib.TJSValue {
	return lib.XJS_GetPropertyUint32(t.tls, t.ctx, valueAt(t.data, list), uint32(n))
}

// readTextCell reads a cell for which the hook returned only a short string value. It passes any
// other cell to callSlowPath.
func (t *rowReader) readTextCell(name lib.TJSAtom, field int32, cell, target lib.TJSValue) bool {
	value := t.getProperty(cell, lib.EJS_ATOM_value)
	if value.Ftag == lib.EJS_TAG_EXCEPTION {
		return false
	}
	if value.Ftag != lib.EJS_TAG_STRING && value.Ftag != lib.EJS_TAG_STRING_ROPE {
		t.freeValue(value)
		return t.callSlowPath(name, cell)
	}
	for _, other := range [...]int{atomInfo, atomOptions, atomManyToOne} {
		more := t.getProperty(cell, lib.TJSAtom(payloadBits(valueAt(t.data, other))))
		if more.Ftag == lib.EJS_TAG_UNDEFINED {
			continue
		}
		t.freeValue(more)
		t.freeValue(value)
		return more.Ftag != lib.EJS_TAG_EXCEPTION && t.callSlowPath(name, cell)
	}
	length := float64(payloadBits(t.getProperty(value, lib.EJS_ATOM_length)))
	if length > maxFastText || t.totals.size+length+16 > t.totals.limit {
		t.freeValue(value)
		return t.callSlowPath(name, cell)
	}
	if lib.XJS_GetClassID(t.tls, target) == lib.EJS_CLASS_ARRAY {
		if same, ok := t.updateColumn(field, target, value); same || !ok {
			t.freeValue(value)
			return ok
		}
	}
	t.totals.size += length + 16
	fields := float64(payloadBits(valueAt(t.data, argFieldCount)))
	at := float64(t.i)*fields + float64(field)
	if at != t.totals.expected && !t.appendPosition(at) {
		t.freeValue(value)
		return false
	}
	t.expectAfter(at, field, fields)
	return t.appendChange(value)
}

// appendPosition does the same as pushPosition in the prelude, for a change that has only a value.
func (t *rowReader) appendPosition(cell float64) bool {
	if last := t.totals.lastField; last >= 0 && last < predictedFields {
		t.totals.distances[int(last)] += cell - t.totals.expected
	}
	return t.appendChange(newNumber(cell*flagsEnd + flagValue))
}

// expectAfter does the same as expectAfter in the prelude. fields is the number of fields.
func (t *rowReader) expectAfter(cell float64, field int32, fields float64) {
	distance := fields
	if field < predictedFields {
		distance = t.totals.distances[field]
	}
	t.totals.lastField, t.totals.expected = float64(field), cell+distance
}

// maxFastText equals maxValue in the prelude.
const maxFastText = 1 << 20

// updateColumn stores a value in its column and in the result values. same reports whether
// the column already had this value.
func (t *rowReader) updateColumn(field int32, values, value lib.TJSValue) (same, ok bool) {
	before := lib.XJS_GetPropertyUint32(t.tls, t.ctx, values, uint32(t.i))
	same = lib.XJS_StrictEq(t.tls, t.ctx, before, value) != 0
	t.freeValue(before)
	if same || t.readOnce {
		return same, true
	}
	if !t.setElement(values, uint32(t.i), lib.XDupValue(t.tls, t.ctx, value)) {
		return false, false
	}
	parsed := t.element(argResults, int(field))
	defer t.freeValue(parsed)
	return false, parsed.Ftag != lib.EJS_TAG_OBJECT || t.setElement(parsed, uint32(t.i), lib.XDupValue(t.tls, t.ctx, value))
}

// setElement stores a value in an array. It takes ownership of the value, even if it fails.
func (t *rowReader) setElement(list lib.TJSValue, i uint32, value lib.TJSValue) bool {
	return lib.XJS_SetPropertyUint32(t.tls, t.ctx, list, i, value) >= 0
}

// appendChange appends a value to the changes. It takes ownership of the value.
func (t *rowReader) appendChange(value lib.TJSValue) bool {
	at := uint32(t.totals.count)
	t.totals.count++
	return t.setElement(valueAt(t.data, argChanges), at, value)
}

// callSlowPath reads a cell in JavaScript.
func (t *rowReader) callSlowPath(name lib.TJSAtom, cell lib.TJSValue) bool {
	text := lib.XJS_AtomToString(t.tls, t.ctx, name)
	if text.Ftag == lib.EJS_TAG_EXCEPTION {
		return false
	}
	const size = 3 * unsafe.Sizeof(lib.TJSValue{})
	args := t.tls.Alloc(int(size))
	defer t.tls.Free(int(size))
	*deref[[3]lib.TJSValue](args) = [3]lib.TJSValue{newNumber(float64(t.i)), text, cell}
	out := lib.XJS_Call(t.tls, t.ctx, valueAt(t.data, argSlowPath), undefinedValue, 3, args)
	t.freeValue(text)
	t.freeValue(out)
	return out.Ftag != lib.EJS_TAG_EXCEPTION
}
