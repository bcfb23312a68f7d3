package xls

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/cfb"
)

// tableOf returns the strings of an SST whose body is split into records.
func tableOf(t *testing.T, pieces ...[]byte) ([]string, error) {
	t.Helper()
	var text []byte
	for i, piece := range pieces {
		id := uint16(recContinue)
		if i == 0 {
			id = recSST
		}
		text = append(text, rec(id, piece)...)
	}
	text = append(text, eof...)
	from := &recordReader{from: cfb.WholeFile(bytes.NewReader(text), int64(len(text)))}
	first, err := from.next()
	if err != nil {
		t.Fatal(err)
	}
	table, err := readSharedStrings(from, first, 1<<20)
	var list []string
	for i := range table.count {
		text, _ := table.lookup(uint32(i))
		list = append(list, string(text))
	}
	return list, err
}

var counts = make([]byte, 8)

// TestSplits checks that a shared string table can be split at any byte. After a split
// between characters, the new record starts with the flag for its characters.
func TestSplits(t *testing.T) {
	rich := body(uint16(4), byte(flagRich|flagUTF16), uint16(2), utf16le("a𝄞ß"), uint32(1), uint32(2))
	phonetic := body(uint16(2), byte(flagPhonetic|flagRich), uint16(1), uint32(5), "ok", uint32(9), "spoken"[:5])
	whole := body(counts, narrow("first"), rich, narrow(""), phonetic, wide("zażółć"))
	want := []string{"first", "a𝄞ß", "", "ok", "zażółć"}
	flags := flagsAt(whole)
	for cut := 8; cut <= len(whole); cut++ {
		tail := whole[cut:]
		if flag, inside := flags[cut]; inside {
			tail = body(flag, tail)
		}
		got, err := tableOf(t, whole[:cut], tail)
		if err != nil {
			t.Fatalf("split at %d: %v", cut, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("split at %d (-want +got):\n%s", cut, diff)
		}
	}
}

// flagsAt returns the offsets in the table of TestSplits that are before a character or within a
// 16-bit character. It maps each of these offsets to the flag with which a record that starts
// there must begin.
func flagsAt(whole []byte) map[int]byte {
	flags := map[int]byte{}
	mark := func(text []byte, flag byte) {
		at := strings.Index(string(whole), string(text))
		for i := range text {
			flags[at+i] = flag
		}
	}
	mark([]byte("first"), 0)
	mark(utf16le("a𝄞ß"), 1)
	mark([]byte("ok"), 0)
	mark(utf16le("zażółć"), 1)
	return flags
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces [][]byte
		want   []string
	}{
		{"empty", [][]byte{nil}, nil},
		{"one byte too many", [][]byte{body(counts, narrow("a"), byte(7))}, []string{"a"}},
		{"the width changes", [][]byte{body(counts, uint16(4), byte(0), "ab"), body(byte(1), utf16le("łó"))}, []string{"abłó"}},
		{"and changes back", [][]byte{body(counts, uint16(4), byte(1), utf16le("łó")), body(byte(0), "ab")}, []string{"łóab"}},
		{"empty records between", [][]byte{body(counts, uint16(2), byte(0), "a"), nil, nil, body(byte(0), "b")}, []string{"ab"}},
		{"a split surrogate pair", [][]byte{body(counts, uint16(2), byte(1), utf16le("𝄞")[:2]), body(byte(1), utf16le("𝄞")[2:])}, []string{"𝄞"}},
		{"half a surrogate pair", [][]byte{body(counts, uint16(2), byte(1), utf16le("𝄞")[:2], utf16le("x"))}, []string{"\uFFFDx"}},
		{"a wrong length", [][]byte{body(counts, narrow("a"), uint16(60000), byte(0), "b")}, []string{"a"}},
		{"a wrong number of runs", [][]byte{body(counts, narrow("a"), uint16(1), byte(flagRich), uint16(60000), "b")}, []string{"a"}},
		{"a wrong phonetic size", [][]byte{body(counts, narrow("a"), uint16(1), byte(flagPhonetic), uint32(0xFFFFFFFF), "b")}, []string{"a"}},
	} {
		got, err := tableOf(t, c.pieces...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestLongTable checks that a shared string table can be longer than one record.
func TestLongTable(t *testing.T) {
	var want []string
	pieces := [][]byte{counts}
	for i := range 3000 {
		text := fmt.Sprintf("string number %d", i)
		want = append(want, text)
		last := len(pieces) - 1
		if len(pieces[last]) > 8000 {
			pieces, last = append(pieces, nil), last+1
		}
		pieces[last] = body(pieces[last], narrow(text))
	}
	got, err := tableOf(t, pieces...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
