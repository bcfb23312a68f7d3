//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package jsruntime

import (
	"errors"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
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

// changeTotals are the counters that the prelude shares with this file, in the same order.
type changeTotals struct{ count, size, limit, after float64 }

// registerChangeReader defines the function that binds readers. It obtains the context that
// all calls into QuickJS need, because the quickjs package does not export it.
func registerChangeReader(vm *quickjs.VM) error {
	field := reflect.ValueOf(vm).Elem().FieldByName("cContext")
	if !field.IsValid() || field.Kind() != reflect.Uintptr || field.Uint() == 0 {
		return errors.New("this version of modernc.org/quickjs has no field cContext")
	}
	ctx := uintptr(field.Uint())
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString("intrayChangeReader")
	if err != nil {
		return err
	}
	defer libc.Xfree(tls, name)
	global := lib.XJS_GetGlobalObject(tls, ctx)
	defer lib.XFreeValue(tls, ctx, global)
	function := lib.XJS_NewCFunction2(tls, ctx, pointerTo(bindChangeReader), name, argCount, lib.EJS_CFUNC_generic, 0)
	if lib.XJS_DefinePropertyValueStr(tls, ctx, global, name, function, lib.MJS_PROP_CONFIGURABLE) < 0 {
		return errors.New("the engine cannot define a function")
	}
	return nil
}

// pointerTo converts a Go function to the pointer that the engine stores for functions.
func pointerTo(function any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&function))[1] }

// deref returns a pointer to the value at an address in the engine's memory.
func deref[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func valueAt(list uintptr, n int) lib.TJSValue {
	return *deref[lib.TJSValue](list + uintptr(n)*unsafe.Sizeof(lib.TJSValue{}))
}

func payloadBits(v lib.TJSValue) uint64 { return *(*uint64)(unsafe.Pointer(&v.Fu)) }

var (
	exceptionValue = lib.TJSValue{Ftag: lib.EJS_TAG_EXCEPTION}
	undefinedValue = lib.TJSValue{Ftag: lib.EJS_TAG_UNDEFINED}
)

func bindChangeReader(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr) lib.TJSValue {
	if argc != argCount {
		return undefinedValue
	}
	const size = dataCount * unsafe.Sizeof(lib.TJSValue{})
	data := tls.Alloc(int(size))
	defer tls.Free(int(size))
	list := deref[[dataCount]lib.TJSValue](data)
	for n := range int(argCount) {
		list[n] = valueAt(argv, n)
	}
	list[atomInfo] = atomNumber(tls, ctx, "info")
	list[atomOptions] = atomNumber(tls, ctx, "selectOptions")
	list[atomManyToOne] = atomNumber(tls, ctx, "manyToOne")
	return lib.XJS_NewCFunctionData(tls, ctx, pointerTo(readRowChanges), 2, 0, dataCount, data)
}

// atomNumber returns the atom of a property name that the prelude uses.
func atomNumber(tls *libc.TLS, ctx uintptr, name string) lib.TJSValue {
	text, err := libc.CString(name)
	if err != nil {
		return undefinedValue
	}
	defer libc.Xfree(tls, text)
	atom := lib.XJS_NewAtom(tls, ctx, text)
	defer lib.XJS_FreeAtom(tls, ctx, atom)
	return lib.XNewInt32(tls, ctx, int32(atom))
}

// rowReader is the state of one call to a reader.
type rowReader struct {
	tls       *libc.TLS
	ctx, data uintptr
	row       lib.TJSValue
	i         int32
	totals    *changeTotals
}

func readRowChanges(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr, _ int32, data uintptr) lib.TJSValue {
	if argc != 2 {
		return undefinedValue
	}
	t := rowReader{tls: tls, ctx: ctx, data: data, row: valueAt(argv, 0), i: int32(payloadBits(valueAt(argv, 1)))}
	out := tls.Alloc(16)
	defer tls.Free(16)
	numbers := lib.XJS_GetArrayBuffer(tls, ctx, out, valueAt(data, argTotals))
	if numbers == 0 {
		return exceptionValue
	}
	t.totals = deref[changeTotals](numbers)
	if lib.XJS_GetOwnPropertyNames(tls, ctx, out, out+8, t.row, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_ENUM_ONLY) < 0 {
		return exceptionValue
	}
	names, count := *deref[uintptr](out), *deref[uint32](out + 8)
	taken := true
	for n := uintptr(0); taken && n < uintptr(count); n++ {
		taken = t.readCell(deref[lib.TJSPropertyEnum](names + n*unsafe.Sizeof(lib.TJSPropertyEnum{})).Fatom)
	}
	lib.XJS_FreePropertyEnum(tls, ctx, names, count)
	if !taken {
		return exceptionValue
	}
	return lib.XNewInt32(tls, ctx, int32(count))
}

func (t *rowReader) getProperty(of lib.TJSValue, atom lib.TJSAtom) lib.TJSValue {
	return lib.XJS_GetPropertyInternal(t.tls, t.ctx, of, atom, of, 0)
}

func (t *rowReader) freeValue(v lib.TJSValue) { lib.XFreeValue(t.tls, t.ctx, v) }

// readCell reads the cell with the given name. It returns false if the engine threw an exception.
func (t *rowReader) readCell(name lib.TJSAtom) bool {
	field := t.getProperty(valueAt(t.data, argFields), name)
	if field.Ftag != lib.EJS_TAG_INT {
		return t.callSlowPath(name, undefinedValue)
	}
	cell := t.getProperty(t.row, name)
	if cell.Ftag == lib.EJS_TAG_EXCEPTION {
		return false
	}
	defer t.freeValue(cell)
	if cell.Ftag != lib.EJS_TAG_OBJECT {
		return t.callSlowPath(name, cell)
	}
	target := lib.XJS_GetPropertyUint32(t.tls, t.ctx, valueAt(t.data, argTargets), uint32(payloadBits(field)))
	defer t.freeValue(target)
	switch {
	case target.Ftag != lib.EJS_TAG_OBJECT:
		return t.callSlowPath(name, cell)
	case cell == target:
		return true // the hook did not change the cell
	}
	return t.readTextCell(name, int32(payloadBits(field)), cell, target)
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
	place := (float64(t.i)*fields+float64(field))*16 + changeHasValue
	if place != t.totals.after && !t.appendChange(newNumber(place)) {
		t.freeValue(value)
		return false
	}
	t.totals.after = place + fields*16
	return t.appendChange(value)
}

// maxFastText and changeHasValue equal maxValue and hasValue in the prelude.
const (
	maxFastText    = 1 << 20
	changeHasValue = 1
)

// updateColumn stores a value in its column and in the result values. same reports whether
// the column already had this value.
func (t *rowReader) updateColumn(field int32, values, value lib.TJSValue) (same, ok bool) {
	before := lib.XJS_GetPropertyUint32(t.tls, t.ctx, values, uint32(t.i))
	same = lib.XJS_StrictEq(t.tls, t.ctx, before, value) != 0
	t.freeValue(before)
	if same {
		return true, true
	}
	if !t.setElement(values, uint32(t.i), lib.XDupValue(t.tls, t.ctx, value)) {
		return false, false
	}
	parsed := lib.XJS_GetPropertyUint32(t.tls, t.ctx, valueAt(t.data, argResults), uint32(field))
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

func newNumber(n float64) (v lib.TJSValue) {
	if whole := int32(n); float64(whole) == n {
		*(*uint64)(unsafe.Pointer(&v.Fu)) = uint64(uint32(whole))
		v.Ftag = lib.EJS_TAG_INT
		return v
	}
	*(*float64)(unsafe.Pointer(&v.Fu)) = n
	v.Ftag = lib.EJS_TAG_FLOAT64
	return v
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
