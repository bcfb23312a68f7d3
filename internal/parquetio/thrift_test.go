package parquetio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestThriftNeverPanics checks that skipping arbitrary bytes does not panic.
func TestThriftNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &thriftReader{text: rapid.SliceOf(rapid.Byte()).Draw(t, "text")}
		r.skip(rapid.ByteMax(15).Draw(t, "wire"))
		if r.pos > len(r.text) {
			t.Fatalf("the reader is at byte %d of %d", r.pos, len(r.text))
		}
	})
}

func TestThriftSkips(t *testing.T) {
	varint := binary.AppendUvarint(nil, 300)
	for _, test := range []struct {
		wire byte
		text []byte
		err  error
	}{
		{wireTrue, nil, nil},
		{wireByte, []byte{1}, nil},
		{wireInt16, varint, nil},
		{wireInt64, varint, nil},
		{wireDouble, make([]byte, 8), nil},
		{wireBinary, []byte("\x03abc"), nil},
		{wireList, []byte{0x21, 1, 2}, nil}, // booleans
		{wireSet, []byte{0x15, 7}, nil},
		{wireMap, []byte{1, 0x58, 7, 1, 'x'}, nil},
		{wireMap, []byte{0}, nil},
		{wireStruct, []byte{0x15, 2, 0x05, 40, 2, 0}, nil},
		{wireUUID, make([]byte, 16), nil},
		{wireDouble, make([]byte, 7), errTruncated},
		{wireBinary, []byte("\x04abc"), errTruncated},
		{wireList, []byte{0x35, 1}, errTruncated},
		{14, nil, errThrift},
		{wireInt64, bytes.Repeat([]byte{0xFF}, 11), errThrift},
	} {
		t.Run(fmt.Sprintf("%d %x", test.wire, test.text), func(t *testing.T) {
			r := &thriftReader{text: test.text}
			r.skip(test.wire)
			if !errors.Is(r.err, test.err) || r.pos != len(test.text) {
				t.Errorf("got %v at byte %d", r.err, r.pos)
			}
		})
	}
}
