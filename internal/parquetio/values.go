package parquetio

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// legacyDictionary is the deprecated encoding PLAIN_DICTIONARY, which older files use for
// dictionary pages and for dictionary indexes.
const legacyDictionary = format.Encoding(2)

// valueDecoder decodes the values of a page. Each call to next returns one value: a number in
// little-endian order, or a boolean as one byte. The value is valid until the next call.
type valueDecoder interface {
	next() ([]byte, error)
}

func newValueDecoder(l *Leaf, encoding format.Encoding, body []byte, dict *Dictionary) (valueDecoder, error) {
	switch {
	case l.Type == format.Boolean && (encoding == format.Plain || encoding == format.RLE):
		return newBooleanDecoder(encoding, body)
	case encoding == format.Plain:
		return &plainDecoder{body, l.Width()}, nil
	case encoding == legacyDictionary || encoding == format.RLEDictionary:
		if len(body) == 0 || body[0] > 32 {
			return nil, errPageTruncated
		}
		return &indexDecoder{rleDecoder{text: body[1:], width: uint(body[0])}, dict}, nil
	case encoding == format.DeltaBinaryPacked && (l.Type == format.Int32 || l.Type == format.Int64):
		d := &deltaIntDecoder{width: l.Width()}
		return d, d.numbers.init(body)
	case encoding == format.DeltaLengthByteArray && l.Type == format.ByteArray:
		d := &deltaLengthDecoder{}
		return d, d.init(body)
	case encoding == format.DeltaByteArray && (l.Type == format.ByteArray || l.Type == format.FixedLenByteArray):
		d := &deltaByteArrayDecoder{}
		return d, d.init(body)
	case encoding == format.ByteStreamSplit && l.Width() > 0 && l.Type != format.Int96:
		return &byteStreamSplitDecoder{text: body, count: len(body) / l.Width(), value: make([]byte, l.Width())}, nil
	}
	return nil, Damaged(intray.NewMessage("parquet.unknown_encoding", intray.Params{"encoding": encoding.String(), "type": l.TypeName()}))
}

// newBooleanDecoder returns a decoder for booleans, stored as packed bits or as runs preceded
// by their length.
func newBooleanDecoder(encoding format.Encoding, body []byte) (valueDecoder, error) {
	if encoding == format.Plain {
		return &booleanDecoder{runs: rleDecoder{text: body, pos: len(body), width: 1, packed: true, left: uint64(len(body)) * 8}}, nil
	}
	if len(body) < 4 {
		return nil, errPageTruncated
	}
	return &booleanDecoder{runs: rleDecoder{text: body[4:], width: 1}}, nil
}

// plainDecoder decodes consecutive values of width bytes. If width is 0, each value is
// preceded by its length.
type plainDecoder struct {
	text  []byte
	width int
}

func (d *plainDecoder) next() ([]byte, error) {
	from, end := 0, uint64(d.width)
	if d.width == 0 {
		if len(d.text) < 4 {
			return nil, errPageTruncated
		}
		from, end = 4, 4+uint64(binary.LittleEndian.Uint32(d.text))
	}
	if end > uint64(len(d.text)) {
		return nil, errPageTruncated
	}
	v := d.text[from:end]
	d.text = d.text[end:]
	return v, nil
}

type booleanDecoder struct {
	runs  rleDecoder
	value [1]byte
}

func (d *booleanDecoder) next() ([]byte, error) {
	n, err := d.runs.next()
	d.value[0] = byte(n)
	return d.value[:], err
}

// byteStreamSplitDecoder decodes the BYTE_STREAM_SPLIT encoding, which stores the first bytes
// of all values, then their second bytes, and so on.
type byteStreamSplitDecoder struct {
	text       []byte
	count, pos int
	value      []byte
}

func (d *byteStreamSplitDecoder) next() ([]byte, error) {
	if d.pos >= d.count {
		return nil, errPageTruncated
	}
	for i := range d.value {
		d.value[i] = d.text[i*d.count+d.pos]
	}
	d.pos++
	return d.value, nil
}

// indexDecoder decodes indexes into a dictionary.
type indexDecoder struct {
	indexes rleDecoder
	dict    *Dictionary
}

func (d *indexDecoder) next() ([]byte, error) {
	i, err := d.indexes.next()
	if err != nil {
		return nil, err
	}
	return d.dict.Lookup(i)
}

type deltaIntDecoder struct {
	numbers deltaDecoder
	width   int
	value   [8]byte
}

func (d *deltaIntDecoder) next() ([]byte, error) {
	n, err := d.numbers.next()
	binary.LittleEndian.PutUint64(d.value[:], n)
	return d.value[:d.width], err
}

// deltaLengthDecoder decodes the DELTA_LENGTH_BYTE_ARRAY encoding, which stores the lengths of
// all byte arrays before their bytes.
type deltaLengthDecoder struct {
	lengths deltaDecoder
	text    []byte
}

func (d *deltaLengthDecoder) init(text []byte) (err error) {
	if err = d.lengths.init(text); err == nil {
		d.text, err = d.lengths.rest()
	}
	return err
}

func (d *deltaLengthDecoder) next() ([]byte, error) {
	length, err := d.lengths.next()
	if err != nil {
		return nil, err
	}
	if length = uint64(uint32(length)); length > uint64(len(d.text)) {
		return nil, errPageTruncated
	}
	v := d.text[:length]
	d.text = d.text[length:]
	return v, nil
}

// deltaByteArrayDecoder decodes the DELTA_BYTE_ARRAY encoding, in which each byte array shares
// a prefix with the previous one.
type deltaByteArrayDecoder struct {
	shared   deltaDecoder
	suffixes deltaLengthDecoder
	value    []byte
}

func (d *deltaByteArrayDecoder) init(body []byte) error {
	if err := d.shared.init(body); err != nil {
		return err
	}
	rest, err := d.shared.rest()
	if err != nil {
		return err
	}
	return d.suffixes.init(rest)
}

func (d *deltaByteArrayDecoder) next() ([]byte, error) {
	shared, err := d.shared.next()
	if err != nil {
		return nil, err
	}
	suffix, err := d.suffixes.next()
	if err != nil {
		return nil, err
	}
	if shared = uint64(uint32(shared)); shared > uint64(len(d.value)) {
		return nil, errDelta
	}
	d.value = append(d.value[:shared], suffix...)
	return d.value, nil
}
