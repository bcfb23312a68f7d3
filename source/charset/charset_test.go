package charset

import (
	"slices"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	for label, want := range map[string]string{
		"utf8": "UTF-8", "UTF-8": "UTF-8", " utf_8 ": "UTF-8", "ascii": "UTF-8", "65001": "UTF-8",
		"latin1": "ISO-8859-1", "Latin-1": "ISO-8859-1", "ISO8859-15": "ISO-8859-15", "latin9": "ISO-8859-15",
		"cp1252": "windows-1252", "Windows 1252": "windows-1252", "ANSI": "windows-1252", "1250": "windows-1250",
		"sjis": "Shift_JIS", "cp932": "Shift_JIS", "shift-jis": "Shift_JIS", "euc_jp": "EUC-JP", "cp949": "EUC-KR",
		"gb2312": "GBK", "cp936": "GBK", "gb18030": "GB18030", "big5-hkscs": "Big5", "cp950": "Big5",
		"MacRoman": "macintosh", "mac cyrillic": "x-mac-cyrillic", "cp437": "IBM437", "dos850": "IBM850",
		"koi8r": "KOI8-R", "koi8u": "KOI8-U", "utf16": "UTF-16LE", "utf-16be": "UTF-16BE", "utf-32": "UTF-32LE",
		"tis-620": "windows-874", "iso-2022-jp": "ISO-2022-JP",
	} {
		if e, known := Lookup(label); !known || e.Name() != want {
			t.Errorf("%q: %v %v, want %s", label, e, known, want)
		}
	}
	for _, label := range []string{"", "utf", "klingon", "cp12520", "é"} {
		if e, known := Lookup(label); known {
			t.Errorf("label %q is %s", label, e)
		}
	}
}

func TestNames(t *testing.T) {
	names := Names()
	if names[0] != "UTF-8" || len(names) < 45 {
		t.Errorf("%d names, the first is %s", len(names), names[0])
	}
	for _, name := range names {
		if e, known := Lookup(strings.ToLower(name)); !known || e.Name() != name {
			t.Errorf("%s is not found by its own name: %v", name, e)
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(Names()) {
		t.Error("a name occurs twice")
	}
}

// TestLabelsAreUnique checks that no label belongs to more than one encoding.
func TestLabelsAreUnique(t *testing.T) {
	seen := map[string]string{}
	for _, s := range specs {
		for _, label := range append(fields(s.labels), plainLabel(s.name)) {
			if other, taken := seen[label]; taken && other != s.name {
				t.Errorf("label %s belongs to %s and %s", label, other, s.name)
			}
			if label != plainLabel(label) {
				t.Errorf("%s of %s cannot be looked up", label, s.name)
			}
			seen[label] = s.name
		}
	}
}

func TestZeroEncodingIsUTF8(t *testing.T) {
	if e, _ := Lookup("utf-8"); e != (Encoding{}) || e.String() != "UTF-8" || e != UTF8 {
		t.Errorf("UTF-8 is %v", e)
	}
}
