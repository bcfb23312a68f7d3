//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package jsruntime

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// This file calls a row hook for many rows. The same loop in JavaScript, RowJob.runOne in the
// prelude, takes longer than most hooks.
//
// The prelude binds the loop to its variables once per request:
//
//	loop = intrayRowLoop(fieldOf, targets, results, changes, tally, slow, count, call, mode, record, cells, shown, resultValues)
//	out = loop(from, to, first)
//
// The first seven arguments are those of the change reader. record is the object that the hook
// receives for each row. cells lists the cells in it that have values, and shown and resultValues
// the columns with their values. The loop calls the hook for the rows [from, to); first is the
// index of row 0. It stores the current row in tally. It returns undefined when it is done, or
// a result that the change reader cannot read, such as a promise.
const (
	loopCall = dataCount + iota
	loopMode
	loopRecord
	loopCellList
	loopShown
	loopResultValues
	atomRow
	atomResultValue

	loopArgCount = argCount + atomRow - dataCount
)

func bindRowLoop(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr) lib.TJSValue {
	if argc != loopArgCount {
		return undefinedValue
	}
	data := append(readerData(tls, ctx, argv), valuesAt(argv, loopArgCount)[argCount:]...)
	data = append(data, atomNumber(tls, ctx, "row"), atomNumber(tls, ctx, "resultValue"))
	return newBoundFunction(tls, ctx, runRowLoop, 3, data)
}

func runRowLoop(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr, _ int32, data uintptr) lib.TJSValue {
	if argc != 3 {
		return undefinedValue
	}
	t := newRowReader(tls, ctx, data)
	if t == nil {
		return exceptionValue
	}
	defer t.free()
	t.readOnce = true
	cells := t.loopCells()
	defer t.freeCells(cells)
	const size = 2 * unsafe.Sizeof(lib.TJSValue{})
	args := tls.Alloc(int(size))
	defer tls.Free(int(size))
	*deref[[2]lib.TJSValue](args) = [2]lib.TJSValue{valueAt(data, loopRecord), valueAt(data, loopMode)}
	from, to, first := asNumber(valueAt(argv, 0)), asNumber(valueAt(argv, 1)), asNumber(valueAt(argv, 2))
	for row := from; row < to; row++ {
		t.i, t.totals.row = int32(row), row
		if !t.setProperty(valueAt(data, loopRecord), lib.EJS_ATOM_index, newNumber(first+row)) {
			return exceptionValue
		}
		for n := range cells {
			if !t.fillCell(&cells[n]) {
				return exceptionValue
			}
		}
		out := lib.XJS_Call(tls, ctx, valueAt(data, loopCall), undefinedValue, 2, args)
		switch done, ok := t.readResult(out); {
		case !ok:
			t.freeValue(out)
			return exceptionValue
		case !done:
			return out
		}
		t.freeValue(out)
	}
	return undefinedValue
}

// loopCell is a cell of the record, and the columns with its values.
type loopCell struct{ cell, shown, resultValues lib.TJSValue }

// loopCells returns the cells of the record that have values. The caller must free them.
func (t *rowReader) loopCells() []loopCell {
	cells := make([]loopCell, payloadBits(t.getProperty(valueAt(t.data, loopCellList), lib.EJS_ATOM_length)))
	for n := range cells {
		cells[n] = loopCell{t.element(loopCellList, n), t.element(loopShown, n), t.element(loopResultValues, n)}
	}
	return cells
}

func (t *rowReader) freeCells(cells []loopCell) {
	for _, c := range cells {
		t.freeValue(c.cell)
		t.freeValue(c.shown)
		t.freeValue(c.resultValues)
	}
}

// fillCell sets the values of a cell to those of the current row.
func (t *rowReader) fillCell(c *loopCell) bool {
	return t.copyValue(c.cell, lib.EJS_ATOM_value, c.shown) && t.copyValue(c.cell, t.atom(atomResultValue), c.resultValues)
}

func (t *rowReader) copyValue(cell lib.TJSValue, atom lib.TJSAtom, column lib.TJSValue) bool {
	return t.setProperty(cell, atom, lib.XJS_GetPropertyUint32(t.tls, t.ctx, column, uint32(t.i)))
}

// readResult reads the result of the hook for the current row. done reports whether it could. ok
// is false if the engine threw an exception.
func (t *rowReader) readResult(out lib.TJSValue) (done, ok bool) {
	switch out.Ftag {
	case lib.EJS_TAG_EXCEPTION:
		return false, false
	case lib.EJS_TAG_UNDEFINED, lib.EJS_TAG_NULL:
		return true, true
	case lib.EJS_TAG_OBJECT:
	default:
		return false, true
	}
	then := t.getProperty(out, lib.EJS_ATOM_then)
	isPromise := lib.XJS_IsFunction(t.tls, t.ctx, then) != 0
	t.freeValue(then)
	if isPromise || then.Ftag == lib.EJS_TAG_EXCEPTION {
		return false, isPromise
	}
	t.row = t.getProperty(out, t.atom(atomRow))
	defer t.freeValue(t.row)
	switch {
	case t.row.Ftag == lib.EJS_TAG_EXCEPTION:
		return false, false
	case t.row.Ftag != lib.EJS_TAG_OBJECT || lib.XJS_IsFunction(t.tls, t.ctx, t.row) != 0:
		return false, true
	}
	count, ok := t.readRow()
	// The prelude explains why a list is not a row.
	return count > 0 || lib.XJS_IsArray(t.tls, t.ctx, t.row) == 0, ok
}

// atom returns an atom of the data.
func (t *rowReader) atom(n int) lib.TJSAtom { return lib.TJSAtom(payloadBits(valueAt(t.data, n))) }

// setProperty sets a property of an object. It takes ownership of the value, even if it fails.
func (t *rowReader) setProperty(of lib.TJSValue, atom lib.TJSAtom, value lib.TJSValue) bool {
	return lib.XJS_SetPropertyInternal(t.tls, t.ctx, of, atom, value, of, 0) >= 0
}
