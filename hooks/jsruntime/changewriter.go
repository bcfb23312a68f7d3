//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package jsruntime

import (
	"bytes"
	"strconv"
	"sync"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// This file writes the list of changes as JSON. JSON.stringify of QuickJS writes strings one
// character at a time, and its result would have to be copied several times.

// runtimes maps the contexts of engines to their runtimes.
var runtimes sync.Map

// writeChanges writes a list of changes to the answer of the runtime. It returns false if there
// may be a lone surrogate, and true otherwise.
func writeChanges(tls *libc.TLS, ctx uintptr, _ lib.TJSValue, argc int32, argv uintptr) lib.TJSValue {
	found, _ := runtimes.Load(ctx)
	r, known := found.(*Runtime)
	if argc != 1 || !known {
		return undefinedValue
	}
	w := changeWriter{rowReader: rowReader{tls: tls, ctx: ctx, scratch: tls.Alloc(16)}, out: append(r.changes[:0], '[')}
	defer w.free()
	list := valueAt(argv, 0)
	count := uint32(payloadBits(w.getProperty(list, lib.EJS_ATOM_length)))
	for n := uint32(0); n < count && len(w.out) <= r.cfg.MaxAnswer; n++ {
		if n > 0 {
			w.out = append(w.out, ',')
		}
		one := lib.XJS_GetPropertyUint32(tls, ctx, list, n)
		ok := w.write(one)
		w.freeValue(one)
		if !ok {
			return exceptionValue
		}
	}
	r.changes = append(w.out, ']')
	return newBool(!w.halves)
}

type changeWriter struct {
	rowReader
	out []byte
	// halves reports whether there may be a lone surrogate. JSON.stringify writes one as an escape.
	halves bool
}

// write writes an element of the list. It returns false if the engine threw an exception.
func (w *changeWriter) write(one lib.TJSValue) bool {
	switch one.Ftag {
	case lib.EJS_TAG_INT:
		w.out = strconv.AppendInt(w.out, int64(int32(payloadBits(one))), 10)
		return true
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		return w.useText(one, func(text []byte) {
			w.halves = w.halves || !isASCII(text) && !utf8.Valid(text)
			w.out = appendText(w.out, text)
		})
	}
	text := lib.XJS_JSONStringify(w.tls, w.ctx, one, undefinedValue, undefinedValue)
	defer w.freeValue(text)
	return text.Ftag != lib.EJS_TAG_EXCEPTION && w.useText(text, func(text []byte) {
		w.halves = w.halves || bytes.Contains(text, []byte(`\ud`))
		w.out = append(w.out, text...)
	})
}

// useText passes a string in UTF-8 to the function use.
func (w *changeWriter) useText(text lib.TJSValue, use func(text []byte)) bool {
	start := lib.XJS_ToCStringLen2(w.tls, w.ctx, w.scratch, text, 0)
	if start == 0 {
		return false
	}
	use(unsafe.Slice(deref[byte](start), *deref[uint64](w.scratch)))
	lib.XJS_FreeCString(w.tls, w.ctx, start)
	return true
}
