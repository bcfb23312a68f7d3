package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestHeavyColumns checks that no cells are lost if large columns end a run of rows early and
// the other columns have already read more cells.
func TestHeavyColumns(t *testing.T) {
	type heavy struct {
		A int64  `parquet:"a"`
		B string `parquet:"b"`
		C int64  `parquet:"c"`
		D string `parquet:"d"`
	}
	const rows = 40
	var written []heavy
	for i := range int64(rows) {
		h := heavy{A: i, C: -i, D: fmt.Sprint("d", i)}
		if i%3 == 0 {
			h.B = strings.Repeat(fmt.Sprint(i%10), 2<<10)
		}
		written = append(written, h)
	}
	file := fileOf(t, written, parquet.Compression(&parquet.Zstd))
	b, err := openBook(sourcetest.NewInput("", file), source.Options{Limits: source.Limits{}.WithDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	reader := newReader(b)
	reader.maxBuffered = 10 << 10
	row := int64(0)
	for batch := new(intray.Records); ; {
		err := reader.Next(t.Context(), batch)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Len() {
			want := written[row]
			row++
			if string(batch.Cell(i, 0)) != fmt.Sprint(want.A) || string(batch.Cell(i, 1)) != want.B ||
				string(batch.Cell(i, 2)) != fmt.Sprint(want.C) || string(batch.Cell(i, 3)) != want.D || batch.Lines[i] != row {
				t.Fatalf("row %d is %.200q %.20q", row, batch.Cell(i, 0), batch.Cell(i, 3))
			}
		}
	}
	if row != rows {
		t.Errorf("%d rows", row)
	}
}

// TestUneven checks the error for groups whose members have inconsistent levels or counts.
func TestUneven(t *testing.T) {
	type pair struct {
		X int64   `parquet:"x"`
		Y []int64 `parquet:"y"`
	}
	file := fileOf(t, []struct {
		P []pair `parquet:"p"`
		Q []pair `parquet:"q"`
	}{{[]pair{{1, []int64{2}}, {3, []int64{4}}}, []pair{{5, nil}}}, {nil, []pair{{6, nil}}}})
	swapped := editFooter(t, file, func(meta *format.FileMetaData) {
		columns := meta.RowGroups[0].Columns
		columns[1], columns[3] = columns[3], columns[1]
	})
	sourcetest.RequireError(t, Format{}, string(file), source.Options{}, nil)
	sourcetest.RequireError(t, Format{}, string(swapped), source.Options{}, unreadable(1, "different numbers of members"))
}

func TestMapWithoutKey(t *testing.T) {
	num := parquet.Optional(parquet.Leaf(parquet.Int64Type))
	root := parquet.Group{"v": parquet.Group{"key_value": parquet.Repeated(parquet.Group{"key": num, "value": num})}}
	rows := []parquet.Row{{parquet.Int64Value(1).Level(0, 2, 0), parquet.Int64Value(1).Level(0, 2, 1)}, {parquet.NullValue().Level(0, 1, 0), parquet.Int64Value(1).Level(0, 2, 1)}}
	file := editFooter(t, encodeFile(t, root, rows), func(meta *format.FileMetaData) { asMap(meta.Schema) })
	sourcetest.RequireError(t, Format{}, string(file), source.Options{}, unreadable(2, "without a key"))
}

// TestOpenStops checks the errors if the context is canceled before Open reads columns of bytes,
// and if a closed reader is used.
func TestOpenStops(t *testing.T) {
	file := columnFile(t, parquet.Leaf(parquet.ByteArrayType), parquet.ByteArrayValue([]byte("a")))
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", file), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := book.Open(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(reader.Close(), reader.Close()); err != nil {
		t.Error(err)
	}
	if err := reader.Next(t.Context(), new(intray.Records)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed reader: %v", err)
	}
}

// TestPanics checks that recoverPanic converts a panic to an error about the file.
func TestPanics(t *testing.T) {
	var list []int
	err := locateError(recoverPanic(func() error { list[1] = 1; return nil }), 7, "v")
	var unreadable *source.UnreadableError
	if !errors.As(err, &unreadable) || unreadable.Line != 7 || !strings.Contains(unreadable.Reason.String(), "damaged") {
		t.Errorf("got %v", err)
	}
}

// TestDeepGroups checks that groups nested too deeply are rejected.
func TestDeepGroups(t *testing.T) {
	node := parquet.Leaf(parquet.Int64Type)
	for range maxDepth + 1 {
		node = parquet.Group{"g": node}
	}
	file := encodeFile(t, parquet.Group{"g": node}, []parquet.Row{{parquet.Int64Value(1).Level(0, 0, 0)}})
	sourcetest.RequireError(t, Format{}, string(file), source.Options{}, unreadable(0, "nested more than"))
}

// TestTypeNames checks the names of types in messages.
func TestTypeNames(t *testing.T) {
	root := parquet.Group{
		"a": parquet.Decimal(2, 9, parquet.Int32Type), "b": parquet.Time(parquet.Millisecond), "c": parquet.TimestampAdjusted(parquet.Nanosecond, false),
		"d": parquet.Uint(16), "e": parquet.Int(8), "f": parquet.List(parquet.String()), "g": parquet.Map(parquet.String(), parquet.UUID()),
		"h": parquet.Repeated(parquet.Date()), "i": parquet.Leaf(parquet.FixedLenByteArrayType(4)), "j": parquet.Leaf(parquet.Int96Type),
		"k": parquet.List(parquet.List(parquet.String())), "l": parquet.Repeated(parquet.Group{"x": parquet.JSON()}),
	}
	_, evidence := sourcetest.Open(t, Format{}, string(encodeFile(t, root, nil)), source.Options{})
	want := "a: decimal(9,2), b: time(ms, UTC), c: timestamp(ns), d: uint16, e: int8, f: list of string, g: map, h: repeated date, " +
		"i: bytes(4), j: timestamp(int96), k: list, l: repeated object"
	if evidence["types"] != want {
		t.Errorf("the types are %s, not %s", evidence["types"], want)
	}
}
