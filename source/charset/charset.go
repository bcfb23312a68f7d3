// Package charset finds out how the text of a file is written as bytes, and
// streams it as UTF-8.
//
// An [Encoding] is a way to write text as bytes. [Detect] looks at a sample of
// a file and makes a [Guess]: an encoding, how sure that is, why, and what the
// text looks like in it. [NewReader] turns the bytes of an encoding into UTF-8
// and counts what is broken. A [Checker] says whether a stream is strict UTF-8.
//
// The package knows nothing of cells, delimiters or rows, it writes no other
// encoding than UTF-8, and it does not decide whether a guess is good enough.
package charset

import (
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// Encoding is a way to write text as bytes. Encodings can be compared with ==.
// The zero value is UTF-8.
type Encoding struct{ spec *spec }

// UTF8 is what everything is turned into. ASCII is a part of it.
var UTF8 = Encoding{}

// Name is the encoding's name, such as "UTF-8", "windows-1252" or "Shift_JIS".
func (e Encoding) Name() string {
	if e.spec == nil {
		return "UTF-8"
	}
	return e.spec.name
}

// String is the name.
func (e Encoding) String() string { return e.Name() }

// spec describes an encoding. One of page, wide and multi is set.
type spec struct {
	name   string
	labels string
	page   *charmap.Charmap
	wide   wide
	multi  encoding.Encoding
}

// Lookup gives the encoding that goes by a label, in any of its usual
// spellings: "utf8", "Latin-1", "cp1252", "sjis". Case, spaces and punctuation
// do not count.
func Lookup(label string) (Encoding, bool) {
	e, known := byLabel()[plainLabel(label)]
	return e, known
}

// Names lists the names of all encodings that Lookup knows, UTF-8 first.
func Names() []string {
	list := []string{UTF8.Name()}
	for i := range specs {
		list = append(list, specs[i].name)
	}
	return list
}

// plainLabel keeps small letters and digits.
func plainLabel(label string) string {
	plain := make([]byte, 0, len(label))
	for i := range len(label) {
		c := label[i]
		switch {
		case 'A' <= c && c <= 'Z':
			plain = append(plain, c+'a'-'A')
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			plain = append(plain, c)
		}
	}
	return string(plain)
}

var byLabel = sync.OnceValue(func() map[string]Encoding {
	known := map[string]Encoding{}
	for _, label := range []string{"utf8", "utf8sig", "unicode11utf8", "ascii", "usascii", "65001", "cp65001"} {
		known[label] = UTF8
	}
	for i := range specs {
		e := Encoding{&specs[i]}
		known[plainLabel(specs[i].name)] = e
		for _, label := range fields(specs[i].labels) {
			known[label] = e
		}
	}
	return known
})

// named gives an encoding by its exact name.
func named(name string) Encoding {
	for i := range specs {
		if specs[i].name == name {
			return Encoding{&specs[i]}
		}
	}
	return UTF8
}
