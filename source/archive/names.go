package archive

import (
	"archive/zip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// entryName is an entry's name for people. Old archivers write code page 437,
// and those that write UTF-8 do not always say so.
func entryName(f *zip.File) string {
	name := f.Name
	if !utf8.ValidString(name) {
		name, _ = charmap.CodePage437.NewDecoder().String(name) // it knows every byte
	}
	return visible(name)
}

// visible replaces control characters, which would write to a terminal.
func visible(name string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return unicode.ReplacementChar
		}
		return char
	}, name)
}
