//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package jsruntime

import (
	"errors"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// This file defines functions for the prelude that call into QuickJS directly. The quickjs
// package neither exports the context that such calls need nor passes objects to Go.

// nativeFunction is the signature of functions that QuickJS calls.
type nativeFunction = func(tls *libc.TLS, ctx uintptr, this lib.TJSValue, argc int32, argv uintptr) lib.TJSValue

// registerNatives defines the functions of this package that are not written in JavaScript.
func (r *Runtime) registerNatives() error {
	field := reflect.ValueOf(r.vm).Elem().FieldByName("cContext")
	if !field.IsValid() || field.Kind() != reflect.Uintptr || field.Uint() == 0 {
		return errors.New("this version of modernc.org/quickjs has no field cContext")
	}
	ctx := uintptr(field.Uint())
	tls := libc.NewTLS()
	defer tls.Close()
	runtimes.Store(ctx, r)
	r.forget = func() { runtimes.Delete(ctx) }
	return errors.Join(
		defineFunction(tls, ctx, "intrayChangeReader", argCount, bindChangeReader),
		defineFunction(tls, ctx, "intrayRowLoop", loopArgCount, bindRowLoop),
		defineFunction(tls, ctx, "intrayWriteChanges", 1, writeChanges),
	)
}

func defineFunction(tls *libc.TLS, ctx uintptr, name string, args int32, function nativeFunction) error {
	text, err := libc.CString(name)
	if err != nil {
		return err
	}
	defer libc.Xfree(tls, text)
	global := lib.XJS_GetGlobalObject(tls, ctx)
	defer lib.XFreeValue(tls, ctx, global)
	value := lib.XJS_NewCFunction2(tls, ctx, pointerTo(function), text, args, lib.EJS_CFUNC_generic, 0)
	if lib.XJS_DefinePropertyValueStr(tls, ctx, global, text, value, lib.MJS_PROP_CONFIGURABLE) < 0 {
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

// valuesAt returns a copy of a list of values.
func valuesAt(list uintptr, count int) []lib.TJSValue {
	values := make([]lib.TJSValue, count)
	for n := range values {
		values[n] = valueAt(list, n)
	}
	return values
}

// boundFunction is the signature of functions that QuickJS calls with the data of their binding.
type boundFunction = func(tls *libc.TLS, ctx uintptr, this lib.TJSValue, argc int32, argv uintptr, magic int32, data uintptr) lib.TJSValue

// newBoundFunction returns a function of the engine with a number of arguments, and binds data to
// it.
func newBoundFunction(tls *libc.TLS, ctx uintptr, function boundFunction, args int32, data []lib.TJSValue) lib.TJSValue {
	size := len(data) * int(unsafe.Sizeof(lib.TJSValue{}))
	list := tls.Alloc(size)
	defer tls.Free(size)
	copy(unsafe.Slice(deref[lib.TJSValue](list), len(data)), data)
	return lib.XJS_NewCFunctionData(tls, ctx, pointerTo(function), args, 0, int32(len(data)), list)
}

func payloadBits(v lib.TJSValue) uint64 { return *(*uint64)(unsafe.Pointer(&v.Fu)) }

var (
	exceptionValue = lib.TJSValue{Ftag: lib.EJS_TAG_EXCEPTION}
	undefinedValue = lib.TJSValue{Ftag: lib.EJS_TAG_UNDEFINED}
)

// asNumber returns the number in a value.
func asNumber(v lib.TJSValue) float64 {
	if v.Ftag == lib.EJS_TAG_INT {
		return float64(int32(payloadBits(v)))
	}
	return *(*float64)(unsafe.Pointer(&v.Fu))
}

func newBool(b bool) (v lib.TJSValue) {
	if b {
		*(*uint64)(unsafe.Pointer(&v.Fu)) = 1
	}
	v.Ftag = lib.EJS_TAG_BOOL
	return v
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
