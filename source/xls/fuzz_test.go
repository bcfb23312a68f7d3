package xls

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// known reports whether err is of a type that readers may return.
func known(err error) bool {
	return err == nil || errors.Is(err, io.EOF) || sourcetest.IsTyped(err)
}

// fuzzLimits keep fuzzing fast.
var fuzzLimits = Limits{StringBytes: 1 << 20, CellBytes: 1 << 18, RowBytes: 1 << 20, SheetBytes: 8 << 20, Cells: 1 << 16}

// checkRead reads an arbitrary file twice. Each pass must return cells or a typed
// error, and both must return the same.
func checkRead(t *testing.T, text []byte) {
	if score, reason := (Format{}).Detect(sourcetest.NewInput("", text), text[:min(len(text), source.HeadBytes)]); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
		t.Fatalf("score %v, reason %q", score, reason)
	}
	first, err := read(t, text, fuzzLimits)
	if !known(err) {
		t.Fatal(err)
	}
	if !utf8.ValidString(first) {
		t.Fatalf("%q is not UTF-8", first)
	}
	if second, _ := read(t, text, fuzzLimits); first != second {
		t.Fatalf("%q, then %q", first, second)
	}
}

func sampleSheet() []byte {
	return body(rec(recRK, at(1, 0, 0), rkWhole(1)), rec(recMulRK, uint16(0), uint16(1), uint16(0), rkWhole(1), uint16(1), rkWhole(2), uint16(3)),
		rec(recLabelSST, at(1, 1, 1), uint32(0)), rec(0x0204, at(1, 2, 0), wide("ł")), formula(2, 0, result(0, 0)), rec(0x0207, narrow("text")),
		rec(0x0205, at(2, 1, 0), byte(1), byte(0)), rec(0x0203, at(2, 2, 1), 1.5))
}

// FuzzContainer runs checkRead on a file that is truncated and in which one number is replaced.
func FuzzContainer(f *testing.F) {
	text := xls(one(rec(recSST, counts, narrow("text")), sampleSheet()))
	f.Add(text, uint(48), uint32(1), uint(len(text)))
	f.Add(text, uint(68), uint32(0), uint(1000))
	f.Add(pack(file{"Book", workbookStream(5, nil, part{name: "One", body: bytes.Repeat(sampleSheet(), 40)})}, file{"Other", nil}), uint(116), uint32(3), uint(9000))
	f.Fuzz(func(t *testing.T, text []byte, at uint, number uint32, size uint) {
		text = bytes.Clone(text[:min(uint(len(text)), size)])
		if len(text) > 4 {
			little.PutUint32(text[at%uint(len(text)-4):], number)
		}
		checkRead(t, text)
	})
}

func FuzzRecords(f *testing.F) {
	for version := 2; version < 5; version++ {
		f.Add(body(bofOf(version, partSheet), sampleSheet(), eof))
	}
	styles := body(xf(0), xf(14), rec(recSST, counts, narrow("text")))
	f.Add(workbookStream(5, rec(recCodePage, uint16(932)), part{name: "One", body: sampleSheet()}))
	f.Add(one(styles, sampleSheet()))
	f.Add(one(rec(recFilePass, uint16(0), xorObfuscationKey(defaultPassword), xorVerifier(defaultPassword)), sampleSheet()))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkRead(t, text) // without a container
		checkRead(t, xls(text))
	})
}

func FuzzStrings(f *testing.F) {
	f.Add(body(counts, narrow("a"), wide("ł")), body(byte(1), utf16le("x")), 5)
	f.Add(body(counts, uint16(9), byte(flagRich|flagPhonetic|flagUTF16)), []byte("abcdefghijklmnop"), 2)
	f.Fuzz(func(t *testing.T, first, second []byte, split int) {
		first, second = first[:min(len(first), 8000)], second[:min(len(second), 8000)]
		split = min(max(split, 0), len(second))
		list, err := tableOf(t, first, second[:split], second[split:])
		if !known(err) {
			t.Fatal(err)
		}
		for _, text := range list {
			if !utf8.ValidString(text) {
				t.Fatalf("%q is not UTF-8", text)
			}
		}
	})
}

func FuzzFormats(f *testing.F) {
	f.Add("0.00;[Red]-0.00;;@", 1234.5, uint16(164))
	f.Add("dd/mm/yyyy hh:mm", 36526.5, uint16(14))
	f.Add("[>=100]#,##0;\"low \"0", -5.0, uint16(0xFFFF))
	f.Fuzz(func(t *testing.T, code string, number float64, id uint16) {
		code = code[:min(len(code), 4000)]
		text := one(body(rec(0x041E, id, wide(code)), xf(int(id)), rec(recSST, counts, narrow("text"))),
			rec(0x0203, at(0, 0, 0), number), rec(recLabelSST, at(0, 1, 0), uint32(0)))
		got, err := read(t, xls(text), Limits{})
		if err != nil || !utf8.ValidString(got) {
			t.Fatalf("%q, error %v", got, err)
		}
	})
}
