package charset

import (
	"bytes"
	"io"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F, add func(raw []byte)) {
	for _, s := range []string{
		"", "a;b\n", "\xef\xbb\xbfa", "\xff\xfe", "\x00\x00\xfe\xff", "M\xfcller;K\xf6ln", "\x82\xa0\x82\xa2,\x8e",
		"\x1b$B$\"\x1b(B", "\x81\x30\x81\x30", "a\x00b\x00", "\xf0\x9f\x98", "\xd0\x98\xd0", "\x84\x31\xa4\x37",
	} {
		add([]byte(s))
	}
}

// FuzzDetect checks that Detect returns a complete guess for any bytes, and the same guess in
// a second call.
func FuzzDetect(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(raw, true); f.Add(raw, false) })
	f.Fuzz(func(t *testing.T, raw []byte, whole bool) {
		g := Detect(raw, whole)
		if g.Confidence < 0 || g.Confidence > 1 || g.Reason.IsZero() || g.BOM > len(raw) || g.Invalid < 0 || !utf8.ValidString(g.Preview) {
			t.Fatalf("%q: %+v", raw, g)
		}
		if g.Second != nil && (g.Second.Encoding == g.Encoding || g.Second.Confidence > g.Confidence) {
			t.Fatalf("%q: second %+v of %+v", raw, g.Second, g)
		}
		if again := Detect(raw, whole); again.Encoding != g.Encoding || again.Confidence != g.Confidence || again.Reason != g.Reason {
			t.Fatalf("%q: %+v, then %+v", raw, g, again)
		}
		if utf8.Valid(raw) && g.BOM == 0 && bytes.IndexByte(raw, 0) < 0 && bytes.IndexByte(raw, 0x1b) < 0 && g.Encoding != UTF8 {
			t.Fatalf("%q is valid UTF-8 and was detected as %s", raw, g.Encoding)
		}
	})
}

// FuzzReader checks that any bytes decode to valid UTF-8, and that invalid characters do not
// remove the separators of cells and lines.
func FuzzReader(f *testing.F) {
	seeds(f, func(raw []byte) {
		for i := range Names() {
			f.Add(raw, uint8(i))
		}
	})
	names := Names()
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		e, _ := Lookup(names[int(which)%len(names)])
		r := NewReader(bytes.NewReader(raw), e)
		out, err := io.ReadAll(r)
		if err != nil || !utf8.Valid(out) || len(out) > maxGrowth*len(raw)+minRoom {
			t.Fatalf("%s: %q gives %q, %v", e, raw, out, err)
		}
		if r.Invalid() < 0 || r.Invalid() > int64(len(raw)) {
			t.Fatalf("%s: %q has %d invalid", e, raw, r.Invalid())
		}
		if e.spec != nil && (e.spec.wide.unit > 0 || e.Name() == "ISO-2022-JP") {
			return
		}
		for _, c := range []byte("\n,;\"\t") {
			if bytes.Count(raw, []byte{c}) != bytes.Count(out, []byte{c}) {
				t.Fatalf("%s: %q gives %q: a %q is lost", e, raw, out, c)
			}
		}
	})
}

// FuzzChecker compares the results of a Checker with those of package utf8.
func FuzzChecker(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(raw, 3) })
	f.Fuzz(func(t *testing.T, raw []byte, size int) {
		size = max(1, size%100)
		var check Checker
		for p := raw; len(p) > 0; p = p[min(size, len(p)):] {
			check.Write(p[:min(size, len(p))])
		}
		if good := check.Invalid() == 0 && !check.Unfinished(); good != utf8.Valid(raw) {
			t.Fatalf("%q in parts of %d: %d invalid, unfinished %v", raw, size, check.Invalid(), check.Unfinished())
		}
	})
}
