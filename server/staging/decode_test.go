package staging

import (
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// TestDecoderRejectsOtherPages checks that the decoder rejects pages that the writer never
// writes. For example, their headers contradict their content or the number of rows in the row
// group, which is two.
func TestDecoderRejectsOtherPages(t *testing.T) {
	levels, err := parquetio.EncodeLevels(nil, []byte{1, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	threeLevels, err := parquetio.EncodeLevels(nil, []byte{1, 1, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := new(delta.LengthByteArrayEncoding).EncodeByteArray(nil, []byte("abc"), []uint32{0, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	valid := parquetio.PageHeader{V2: true, Count: 2, Rows: 2, Encoding: format.DeltaLengthByteArray}
	header := func(change func(h *parquetio.PageHeader)) parquetio.PageHeader {
		h := valid
		change(&h)
		return h
	}
	damage := parquetio.DamageError{}
	for name, test := range map[string]struct {
		header   parquetio.PageHeader
		levels   []byte
		required bool
		dict     []byte
		want     error
	}{
		"valid":                       {valid, levels, false, nil, nil},
		"valid, required":             {valid, nil, true, nil, nil},
		"other rows":                  {header(func(h *parquetio.PageHeader) { h.Rows = 3 }), levels, false, nil, errPage},
		"version 1":                   {header(func(h *parquetio.PageHeader) { h.V2 = false }), nil, true, nil, errPage},
		"nulls below zero":            {header(func(h *parquetio.PageHeader) { h.Nulls = -1 }), levels, false, nil, errPage},
		"a null that is not there":    {header(func(h *parquetio.PageHeader) { h.Nulls = 1 }), levels, false, nil, errCount},
		"a null in a required column": {header(func(h *parquetio.PageHeader) { h.Nulls = 1 }), nil, true, nil, errCount},
		"more levels than rows":       {valid, threeLevels, false, nil, errCount},
		"an unknown encoding":         {header(func(h *parquetio.PageHeader) { h.Encoding = format.Plain }), levels, false, nil, errPage},
		"no dictionary":               {header(func(h *parquetio.PageHeader) { h.Encoding = format.RLEDictionary }), levels, false, nil, damage},
		"a damaged dictionary":        {valid, levels, false, []byte{9, 0, 0, 0}, damage},
	} {
		t.Run(name, func(t *testing.T) {
			e := newTestEncoder(t)
			var body []byte
			if test.dict != nil {
				body = e.pages.AppendDictionaryPage(body, &parquetio.Chunk{}, test.dict, 1)
			}
			values := texts
			if test.header.Encoding == format.RLEDictionary {
				values = []byte{1, 2 << 1, 0} // index 0 twice, encoded in one bit each
			}
			body, err := e.pages.AppendDataPage(body, &parquetio.Chunk{Codec: format.Zstd}, test.header, test.levels, values)
			if err != nil {
				t.Fatal(err)
			}
			d := decoder{codec: format.Zstd}
			d.beginGroup(body, 2)
			var got intray.TextColumn
			if test.required {
				err = d.readRequired(&got.Texts)
			} else {
				_, err = d.readValues(&got, nil, nil)
			}
			if want := (parquetio.DamageError{}); errors.Is(test.want, damage) && errors.As(err, &want) {
				return
			}
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}
