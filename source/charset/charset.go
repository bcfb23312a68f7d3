// Package charset detects character encodings and decodes text to UTF-8.
//
// [Detect] examines a sample of a file and returns a [Guess]: an [Encoding], its
// confidence, the reason and a preview of the text. [NewReader] decodes a stream to UTF-8
// and counts invalid sequences. A [Checker] checks whether a stream is strict UTF-8.
//
// The package does not parse tables or encode text, and it leaves it to the caller whether to
// accept a guess.
package charset

import (
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Encoding is a character encoding. Encodings are comparable with ==. The zero value is UTF-8.
type Encoding struct{ spec *encodingSpec }

// UTF8 is the encoding of all decoded text. It includes ASCII.
var UTF8 = Encoding{}

// Name returns the name of the encoding, such as "UTF-8", "windows-1252" or "Shift_JIS".
func (e Encoding) Name() string {
	if e.spec == nil {
		return "UTF-8"
	}
	return e.spec.name
}

// String returns the name of the encoding.
func (e Encoding) String() string { return e.Name() }

// encodingSpec describes an encoding. Exactly one of page, wide and multi is set.
type encodingSpec struct {
	name   string
	labels string
	page   *charmap.Charmap
	wide   wideEncoding
	multi  encoding.Encoding
}

// Lookup returns the encoding with a label, such as "utf8", "Latin-1", "cp1252" or "sjis". It
// ignores case, spaces and punctuation, and returns false if the label is unknown.
func Lookup(label string) (Encoding, bool) {
	e, known := byLabel()[plainLabel(label)]
	return e, known
}

// Names returns the names of all encodings that Lookup supports, starting with UTF-8.
func Names() []string {
	list := []string{UTF8.Name()}
	for i := range specs {
		list = append(list, specs[i].name)
	}
	return list
}

// plainLabel returns the letters and digits of a label, in lower case.
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

// encodingByName returns the encoding with the exact name.
func encodingByName(name string) Encoding {
	for i := range specs {
		if specs[i].name == name {
			return Encoding{&specs[i]}
		}
	}
	return UTF8
}

func fields(list string) []string { return strings.Fields(list) }

// specs lists all encodings except UTF-8. The labels are written as plainLabel returns them,
// separated by spaces.
var specs = []encodingSpec{
	{name: "UTF-16LE", labels: "utf16 utf16le ucs2 ucs2le unicode 1200 cp1200", wide: wideEncoding{unit: 2}},
	{name: "UTF-16BE", labels: "ucs2be unicodefffe 1201 cp1201", wide: wideEncoding{unit: 2, bigEndian: true}},
	{name: "UTF-32LE", labels: "utf32 ucs4 ucs4le 12000", wide: wideEncoding{unit: 4}},
	{name: "UTF-32BE", labels: "ucs4be 12001", wide: wideEncoding{unit: 4, bigEndian: true}},

	{name: "windows-1252", labels: "cp1252 1252 win1252 ansi ms1252 xcp1252 westerneurope", page: charmap.Windows1252},
	{name: "ISO-8859-1", labels: "latin1 l1 iso88591 28591 cp819 ibm819 iso885911987", page: charmap.ISO8859_1},
	{name: "ISO-8859-15", labels: "latin9 latin0 l9 28605", page: charmap.ISO8859_15},
	{name: "macintosh", labels: "macroman mac xmacroman 10000 cp10000", page: charmap.Macintosh},
	{name: "IBM437", labels: "cp437 437 dos437 oem437 dosus", page: charmap.CodePage437},
	{name: "IBM850", labels: "cp850 850 dos850 oem850 doslatin1", page: charmap.CodePage850},
	{name: "IBM00858", labels: "cp858 858 ibm858 ccsid00858", page: charmap.CodePage858},
	{name: "IBM860", labels: "cp860 860", page: charmap.CodePage860},
	{name: "IBM863", labels: "cp863 863", page: charmap.CodePage863},
	{name: "IBM865", labels: "cp865 865", page: charmap.CodePage865},

	{name: "windows-1250", labels: "cp1250 1250 win1250 ms1250 xcp1250", page: charmap.Windows1250},
	{name: "ISO-8859-2", labels: "latin2 l2 28592 iso885921987", page: charmap.ISO8859_2},
	{name: "ISO-8859-3", labels: "latin3 l3 28593", page: charmap.ISO8859_3},
	{name: "ISO-8859-4", labels: "latin4 l4 28594", page: charmap.ISO8859_4},
	{name: "ISO-8859-10", labels: "latin6 l6", page: charmap.ISO8859_10},
	{name: "ISO-8859-14", labels: "latin8 l8", page: charmap.ISO8859_14},
	{name: "ISO-8859-16", labels: "latin10 l10", page: charmap.ISO8859_16},
	{name: "IBM852", labels: "cp852 852 dos852 oem852 doslatin2", page: charmap.CodePage852},

	{name: "windows-1251", labels: "cp1251 1251 win1251 ms1251 xcp1251", page: charmap.Windows1251},
	{name: "ISO-8859-5", labels: "cyrillic 28595 iso885951988", page: charmap.ISO8859_5},
	{name: "KOI8-R", labels: "koi8 koi koi8r cp20866 20866", page: charmap.KOI8R},
	{name: "KOI8-U", labels: "koi8ru cp21866 21866", page: charmap.KOI8U},
	{name: "x-mac-cyrillic", labels: "maccyrillic macukrainian xmacukrainian 10007 cp10007", page: charmap.MacintoshCyrillic},
	{name: "IBM866", labels: "cp866 866 dos866 oem866", page: charmap.CodePage866},
	{name: "IBM855", labels: "cp855 855", page: charmap.CodePage855},

	{name: "windows-1253", labels: "cp1253 1253 win1253 ms1253", page: charmap.Windows1253},
	{name: "ISO-8859-7", labels: "greek greek8 28597 elot928 iso885971987", page: charmap.ISO8859_7},
	{name: "windows-1254", labels: "cp1254 1254 win1254 ms1254", page: charmap.Windows1254},
	{name: "ISO-8859-9", labels: "latin5 l5 28599 turkish iso885991989", page: charmap.ISO8859_9},
	{name: "windows-1255", labels: "cp1255 1255 win1255 ms1255", page: charmap.Windows1255},
	{name: "ISO-8859-8", labels: "hebrew 28598 visual logical iso88598i iso885981988", page: charmap.ISO8859_8},
	{name: "IBM862", labels: "cp862 862", page: charmap.CodePage862},
	{name: "windows-1256", labels: "cp1256 1256 win1256 ms1256", page: charmap.Windows1256},
	{name: "ISO-8859-6", labels: "arabic 28596 asmo708 ecma114", page: charmap.ISO8859_6},
	{name: "windows-1257", labels: "cp1257 1257 win1257 ms1257", page: charmap.Windows1257},
	{name: "ISO-8859-13", labels: "latin7 l7 28603", page: charmap.ISO8859_13},
	{name: "windows-1258", labels: "cp1258 1258 win1258 ms1258", page: charmap.Windows1258},
	{name: "windows-874", labels: "cp874 874 tis620 iso885911 dos874 thai", page: charmap.Windows874},

	{name: "Shift_JIS", labels: "sjis shiftjis cp932 932 mskanji windows31j cp943 xsjis ms932", multi: japanese.ShiftJIS},
	{name: "EUC-JP", labels: "eucjp xeucjp ujis cp51932 51932", multi: japanese.EUCJP},
	{name: "ISO-2022-JP", labels: "jis csiso2022jp cp50220 50220", multi: japanese.ISO2022JP},
	{name: "EUC-KR", labels: "euckr cp949 949 uhc ksc5601 ksc56011987 korean ks5601 windows949 51949", multi: korean.EUCKR},
	{name: "GBK", labels: "gb2312 cp936 936 euccn gb chinese windows936 ms936 xgbk", multi: simplifiedchinese.GBK},
	{name: "GB18030", labels: "gb180302000 gb180302005 gb180302022 54936 cp54936", multi: simplifiedchinese.GB18030},
	{name: "Big5", labels: "big5hkscs cp950 950 big5eten bigfive xxbig5 cnbig5 ms950", multi: traditionalchinese.Big5},
}
