//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package realm

import (
	"errors"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// What row hooks give back is taken over in the engine's own terms here. In
// JavaScript, each step of which the engine interprets, that takes longer than many
// a hook. The prelude has the same in changeRow: for Node, for machines whose values
// have another layout, and for whatever is more than a plain text.
//
// The prelude binds what it works on, once for each request:
//
//	taker = intrayTaker(fieldOf, targets, results, changes, tally, slow, count)
//	names = taker(row, i)
//
// fieldOf gives the place of a field. At that place, targets has the values of its
// column, or what stands for its cells where the column was not sent, or undefined
// where slow must look itself; and results has the parsed values, where these are a
// list of their own. slow(i, name, cell) takes over a cell in the prelude's way, and
// count is how many fields there are. The taker gives the number of names in the row.
const (
	takerFields = iota
	takerTargets
	takerResults
	takerChanges
	takerTally
	takerSlow
	takerCount
	// takerInfo, takerOptions and takerMany are the engine's numbers of names.
	takerInfo
	takerOptions
	takerMany
	takerData

	takerArgs = takerInfo
)

// tally are the numbers that the prelude keeps with the changes, in its order.
type tally struct{ count, size, limit, after float64 }

// addTaker gives the prelude the function that binds takers. The package of the
// engine keeps the context, which all calls into it need, to itself.
func addTaker(vm *quickjs.VM) error {
	field := reflect.ValueOf(vm).Elem().FieldByName("cContext")
	if !field.IsValid() || field.Kind() != reflect.Uintptr || field.Uint() == 0 {
		return errors.New("this version of modernc.org/quickjs keeps its context elsewhere")
	}
	ctx := uintptr(field.Uint())
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString("intrayTaker")
	if err != nil {
		return err
	}
	defer libc.Xfree(tls, name)
	global := lib.XJS_GetGlobalObject(tls, ctx)
	defer lib.XFreeValue(tls, ctx, global)
	function := lib.XJS_NewCFunction2(tls, ctx, pointerTo(bindTaker), name, takerArgs, lib.EJS_CFUNC_generic, 0)
	if lib.XJS_DefinePropertyValueStr(tls, ctx, global, name, function, lib.MJS_PROP_CONFIGURABLE) < 0 {
		return errors.New("the engine takes no function")
	}
	return nil
}

// pointerTo is a function as the engine holds it.
func pointerTo(function any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&function))[1] }

// in is what stands at an address of the engine's memory.
func in[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func valueIn(list uintptr, n int) lib.TJSValue {
	return *in[lib.TJSValue](list + uintptr(n)*unsafe.Sizeof(lib.TJSValue{}))
}

func payload(v lib.TJSValue) uint64 { return *(*uint64)(unsafe.Pointer(&v.Fu)) }

func isText(v lib.TJSValue) bool {
	return v.Ftag == lib.EJS_TAG_STRING || v.Ftag == lib.EJS_TAG_STRING_ROPE
}

var (
	thrownValue    = lib.TJSValue{Ftag: lib.EJS_TAG_EXCEPTION}
	undefinedValue = lib.TJSValue{Ftag: lib.EJS_TAG_UNDEFINED}
)

func bindTaker(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr) lib.TJSValue {
	if argc != takerArgs {
		return undefinedValue
	}
	const size = takerData * unsafe.Sizeof(lib.TJSValue{})
	data := tls.Alloc(int(size))
	defer tls.Free(int(size))
	list := in[[takerData]lib.TJSValue](data)
	for n := range int(takerArgs) {
		list[n] = valueIn(argv, n)
	}
	list[takerInfo] = atomNumber(tls, ctx, "info")
	list[takerOptions] = atomNumber(tls, ctx, "selectOptions")
	list[takerMany] = atomNumber(tls, ctx, "manyToOne")
	return lib.XJS_NewCFunctionData(tls, ctx, pointerTo(takeRow), 2, 0, takerData, data)
}

// atomNumber is the engine's number of a name that the prelude's own code holds.
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

// taking is one call of a taker.
type taking struct {
	tls       *libc.TLS
	ctx, data uintptr
	row       lib.TJSValue
	i         int32
	tally     *tally
}

func takeRow(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr, _ int32, data uintptr) lib.TJSValue {
	if argc != 2 {
		return undefinedValue
	}
	t := taking{tls: tls, ctx: ctx, data: data, row: valueIn(argv, 0), i: int32(payload(valueIn(argv, 1)))}
	out := tls.Alloc(16)
	defer tls.Free(16)
	numbers := lib.XJS_GetArrayBuffer(tls, ctx, out, valueIn(data, takerTally))
	if numbers == 0 {
		return thrownValue
	}
	t.tally = in[tally](numbers)
	if lib.XJS_GetOwnPropertyNames(tls, ctx, out, out+8, t.row, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_ENUM_ONLY) < 0 {
		return thrownValue
	}
	names, count := *in[uintptr](out), *in[uint32](out + 8)
	taken := true
	for n := uintptr(0); taken && n < uintptr(count); n++ {
		taken = t.cell(in[lib.TJSPropertyEnum](names + n*unsafe.Sizeof(lib.TJSPropertyEnum{})).Fatom)
	}
	lib.XJS_FreePropertyEnum(tls, ctx, names, count)
	if !taken {
		return thrownValue
	}
	return lib.XNewInt32(tls, ctx, int32(count))
}

func (t *taking) property(of lib.TJSValue, atom lib.TJSAtom) lib.TJSValue {
	return lib.XJS_GetPropertyInternal(t.tls, t.ctx, of, atom, of, 0)
}

func (t *taking) free(v lib.TJSValue) { lib.XFreeValue(t.tls, t.ctx, v) }

// cell takes over the one with a name. Where it gives false, something was thrown.
func (t *taking) cell(name lib.TJSAtom) bool {
	field := t.property(valueIn(t.data, takerFields), name)
	if field.Ftag != lib.EJS_TAG_INT {
		return t.slow(name, undefinedValue)
	}
	cell := t.property(t.row, name)
	if cell.Ftag == lib.EJS_TAG_EXCEPTION {
		return false
	}
	defer t.free(cell)
	if cell.Ftag != lib.EJS_TAG_OBJECT {
		return t.slow(name, cell)
	}
	target := lib.XJS_GetPropertyUint32(t.tls, t.ctx, valueIn(t.data, takerTargets), uint32(payload(field)))
	defer t.free(target)
	switch {
	case target.Ftag != lib.EJS_TAG_OBJECT:
		return t.slow(name, cell)
	case cell == target:
		return true // nobody touched it
	}
	return t.quick(name, int32(payload(field)), cell, target)
}

// quick takes over a cell of which nothing but a text was given.
func (t *taking) quick(name lib.TJSAtom, field int32, cell, target lib.TJSValue) bool {
	value := t.property(cell, lib.EJS_ATOM_value)
	if value.Ftag == lib.EJS_TAG_EXCEPTION {
		return false
	}
	if !isText(value) {
		t.free(value)
		return t.slow(name, cell)
	}
	for _, other := range [...]int{takerInfo, takerOptions, takerMany} {
		more := t.property(cell, lib.TJSAtom(payload(valueIn(t.data, other))))
		if more.Ftag == lib.EJS_TAG_UNDEFINED {
			continue
		}
		t.free(more)
		t.free(value)
		return more.Ftag != lib.EJS_TAG_EXCEPTION && t.slow(name, cell)
	}
	length := float64(payload(t.property(value, lib.EJS_ATOM_length)))
	if length > mostTaken || t.tally.size+length+16 > t.tally.limit {
		t.free(value)
		return t.slow(name, cell)
	}
	if lib.XJS_GetClassID(t.tls, target) == lib.EJS_CLASS_ARRAY {
		if same, ok := t.overwrite(field, target, value); same || !ok {
			t.free(value)
			return ok
		}
	}
	t.tally.size += length + 16
	fields := float64(payload(valueIn(t.data, takerCount)))
	place := (float64(t.i)*fields+float64(field))*16 + takerHasValue
	if place != t.tally.after && !t.push(number(place)) {
		t.free(value)
		return false
	}
	t.tally.after = place + fields*16
	return t.push(value)
}

// These are maxValue and hasValue of the prelude.
const (
	mostTaken     = 1 << 20
	takerHasValue = 1
)

// overwrite puts a value into its column, and into the parsed ones; same says that
// it stands there already.
func (t *taking) overwrite(field int32, values, value lib.TJSValue) (same, ok bool) {
	before := lib.XJS_GetPropertyUint32(t.tls, t.ctx, values, uint32(t.i))
	same = lib.XJS_StrictEq(t.tls, t.ctx, before, value) != 0
	t.free(before)
	if same {
		return true, true
	}
	if !t.put(values, uint32(t.i), lib.XDupValue(t.tls, t.ctx, value)) {
		return false, false
	}
	parsed := lib.XJS_GetPropertyUint32(t.tls, t.ctx, valueIn(t.data, takerResults), uint32(field))
	defer t.free(parsed)
	return false, parsed.Ftag != lib.EJS_TAG_OBJECT || t.put(parsed, uint32(t.i), lib.XDupValue(t.tls, t.ctx, value))
}

// put takes the value over, whatever comes of it.
func (t *taking) put(list lib.TJSValue, i uint32, value lib.TJSValue) bool {
	return lib.XJS_SetPropertyUint32(t.tls, t.ctx, list, i, value) >= 0
}

// push takes the value over, too.
func (t *taking) push(value lib.TJSValue) bool {
	at := uint32(t.tally.count)
	t.tally.count++
	return t.put(valueIn(t.data, takerChanges), at, value)
}

func number(n float64) (v lib.TJSValue) {
	if whole := int32(n); float64(whole) == n {
		*(*uint64)(unsafe.Pointer(&v.Fu)) = uint64(uint32(whole))
		v.Ftag = lib.EJS_TAG_INT
		return v
	}
	*(*float64)(unsafe.Pointer(&v.Fu)) = n
	v.Ftag = lib.EJS_TAG_FLOAT64
	return v
}

// slow calls the prelude's own way.
func (t *taking) slow(name lib.TJSAtom, cell lib.TJSValue) bool {
	text := lib.XJS_AtomToString(t.tls, t.ctx, name)
	if text.Ftag == lib.EJS_TAG_EXCEPTION {
		return false
	}
	const size = 3 * unsafe.Sizeof(lib.TJSValue{})
	args := t.tls.Alloc(int(size))
	defer t.tls.Free(int(size))
	*in[[3]lib.TJSValue](args) = [3]lib.TJSValue{number(float64(t.i)), text, cell}
	out := lib.XJS_Call(t.tls, t.ctx, valueIn(t.data, takerSlow), undefinedValue, 3, args)
	t.free(text)
	t.free(out)
	return out.Ftag != lib.EJS_TAG_EXCEPTION
}
