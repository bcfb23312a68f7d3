package workbooktest

import (
	"encoding/binary"
	"fmt"

	"github.com/intraydata/intray/source/sourcetest"
)

// Record returns a record of a binary workbook (.xlsb) with the given fields. A string is stored
// in UTF-16LE after its length, an int in four bytes, and all other fields in their own size.
func Record(id int, fields ...any) string {
	var body []byte
	for _, field := range fields {
		switch f := field.(type) {
		case string:
			text := sourcetest.UTF16LE(f)
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(text)/2)), text...)
		case int:
			body = binary.LittleEndian.AppendUint32(body, uint32(f))
		default:
			var err error
			if body, err = binary.Append(body, binary.LittleEndian, f); err != nil {
				panic(fmt.Sprintf("a field of type %T: %v", f, err))
			}
		}
	}
	return RecordHeader(id, len(body)) + string(body)
}

// RecordHeader returns the header of a record of a binary workbook with the given size.
func RecordHeader(id, size int) string {
	text := []byte{byte(id)}
	if id >= 0x80 {
		text = []byte{byte(id) | 0x80, byte(id >> 7)}
	}
	for ; size >= 0x80; size >>= 7 {
		text = append(text, byte(size)|0x80)
	}
	return string(append(text, byte(size)))
}
