package parquet

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// maxDrained is the maximum number of records read from a broken file, because a small file
// can declare billions of records.
const maxDrained = 50_000

// drained reads a file and returns the number of rows read.
func drained(tb testing.TB, file []byte) (rows int, err error) {
	tb.Helper()
	b, err := Format{}.Open(tb.Context(), sourcetest.NewInput("", file), source.Options{})
	if err != nil {
		return 0, err
	}
	r, err := b.Open(tb.Context(), 0)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	batch := new(intray.Records)
	for err == nil {
		if err = r.Next(tb.Context(), batch); err == nil && batch.Len() == 0 {
			tb.Fatal("an empty batch without an error")
		}
		rows += batch.Len()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return rows, err
}

// seeds returns valid files with all types, encodings and nesting structures.
func seeds(tb testing.TB) (files [][]byte) {
	for _, test := range typed {
		files = append(files, columnFile(tb, test.node, test.value))
	}
	for _, d := range draws() {
		chance := rand.New(rand.NewPCG(1, 1))
		for _, enc := range d.encodings {
			var rows []parquet.Row
			for i := range 200 {
				v, _ := d.draw(chance, i)
				rows = append(rows, parquet.Row{v.Level(0, 1, 0)})
			}
			files = append(files, encodeFile(tb, parquet.Group{"v": parquet.Optional(parquet.Encoded(d.node, enc))}, rows))
		}
	}
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Brotli), parquet.Compression(&parquet.Lz4Raw)} {
		files = append(files, people(tb, 60, codec))
	}
	return append(files, nests(tb), nests(tb), people(tb, 100, parquet.MaxRowsPerRowGroup(30), parquet.DataPageVersion(1)))
}

// mutated returns a broken copy of a file, in which bits are flipped and parts are deleted,
// duplicated or copied from a second file.
func mutated(chance *rand.Rand, file, other []byte) []byte {
	file = slices.Clone(file)
	for range 1 + chance.IntN(4) {
		if len(file) < 2 {
			break
		}
		at := chance.IntN(len(file))
		if chance.IntN(3) == 0 { // the footer is a small part of most files
			at = len(file) - 1 - chance.IntN(min(len(file), 400))
		}
		end := min(len(file), at+1+chance.IntN(16))
		switch chance.IntN(6) {
		case 0, 1:
			file[at] ^= 1 << chance.IntN(8)
		case 2:
			file[at] = []byte{0, 0xFF, 0x7F, 0x80, 1}[chance.IntN(5)]
		case 3:
			file = slices.Delete(file, at, end)
		case 4:
			file = slices.Insert(file, at, file[at:end]...)
		case 5:
			from := chance.IntN(len(other))
			copy(file[at:end], other[from:])
		}
	}
	return file
}

// TestMutations checks that reading a broken file soon returns records or an error about the
// file, and does not use much memory.
func TestMutations(t *testing.T) {
	files := seeds(t)
	chance := rand.New(rand.NewPCG(7, 7))
	ends := time.Now().Add(30 * time.Second)
	read := 0
	for i := range 2000 {
		file := mutated(chance, files[i%len(files)], files[chance.IntN(len(files))])
		var rows int
		var err error
		cost := allocated(func() { rows, err = drained(t, file) })
		if err != nil && !isSourceError(err) || rows > maxDrained {
			t.Fatalf("mutation %d: %d rows, %v", i, rows, err)
		}
		if cost > 16<<20 {
			t.Errorf("mutation %d of %d bytes took %d bytes", i, len(file), cost)
		}
		if err == nil {
			read++
		}
		if time.Now().After(ends) {
			t.Fatalf("%d mutations took 30 seconds", i)
		}
	}
	t.Logf("%d of 2000 broken files could be read", read)
}

func FuzzParquet(f *testing.F) {
	for _, file := range seeds(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if score, reason := (Format{}).Detect(sourcetest.NewInput("", file), file[:min(len(file), source.HeadBytes)]); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
			t.Fatalf("score %v, reason %q", score, reason)
		}
		b, err := Format{}.Open(t.Context(), sourcetest.NewInput("", file), source.Options{Limits: source.Limits{Cells: maxDrained}})
		if err != nil {
			if !isSourceError(err) {
				t.Fatal(err)
			}
			return
		}
		r, err := b.Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for batch := new(intray.Records); err == nil; {
			if err = r.Next(t.Context(), batch); err == nil && batch.Len() == 0 {
				t.Fatal("an empty batch without an error")
			}
		}
		if !errors.Is(err, io.EOF) && !isSourceError(err) {
			t.Fatal(err)
		}
	})
}
