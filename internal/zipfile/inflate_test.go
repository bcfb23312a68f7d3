package zipfile

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// deflated returns data that is compressed with a level of compress/flate.
func deflated(tb testing.TB, text []byte, level int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err != nil {
		tb.Fatal(err)
	}
	half := len(text) / 2
	for _, part := range [][]byte{text[:half], text[half:]} {
		if _, err := w.Write(part); err != nil {
			tb.Fatal(err)
		}
		if err := w.Flush(); err != nil { // writes an empty stored block
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// compareInflaters inflates data with this package and with compress/flate. Both must return the same
// bytes and the same error, with the same offset or up to two bytes less.
func compareInflaters(t *testing.T, data []byte) {
	t.Helper()
	const most = 4 << 20
	want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), most))
	sources := map[string]io.Reader{"whole": bytes.NewReader(data), "data and end": iotest.DataErrReader(bytes.NewReader(data))}
	if len(data) < 4<<10 {
		sources["bytes"] = iotest.OneByteReader(bytes.NewReader(data))
	}
	for name, src := range sources {
		inflater := newInflater(src)
		from := io.Reader(inflater)
		if name == "data and end" {
			from = iotest.HalfReader(from)
		}
		got, err := io.ReadAll(io.LimitReader(from, most))
		inflater.Close()
		if _, err := inflater.Read(make([]byte, 1)); !errors.Is(err, errClosed) {
			t.Fatalf("read after Close: %v", err)
		}
		if !bytes.Equal(got, want) || !sameError(err, wantErr) {
			t.Fatalf("%s: %d bytes, %v; want %d bytes, %v, for %x", name, len(got), err, len(want), wantErr, data[:min(len(data), 500)])
		}
	}
}

// sameError reports whether an error is the one of compress/flate.
func sameError(got, want error) bool {
	var at, wantAt flate.CorruptInputError
	if errors.As(got, &at) && errors.As(want, &wantAt) {
		return at <= wantAt && wantAt-at <= 2
	}
	return errors.Is(got, want)
}

// sampleTexts returns texts of different kinds.
func sampleTexts() (list [][]byte) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	skewed := make([]byte, 150_000) // has long codes
	for i := range skewed {
		skewed[i] = byte(random.ExpFloat64() * 9)
	}
	var sheet []byte
	for i := range 8000 {
		sheet = append(sheet, []byte(`<c r="A1" t="s"><v>`)...)
		sheet = append(sheet, byte('0'+i%10), byte('0'+random.IntN(10)), byte('0'+random.IntN(10)))
		sheet = append(sheet, `</v></c>`...)
	}
	var far []byte // repeats strings at all distances
	for i := range 40 {
		far = append(append(far, noise[i:i+300]...), make([]byte, random.IntN(40_000))...)
		far = append(far, noise[i:i+300]...)
	}
	return [][]byte{nil, []byte("a"), bytes.Repeat([]byte("ab"), 90_000), bytes.Repeat([]byte("abcdefg"), 30_000), make([]byte, 150_000), noise, skewed, sheet, far}
}

func TestInflate(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, text := range sampleTexts() {
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
			data := deflated(t, text, level)
			compareInflaters(t, data)
			compareInflaters(t, append(bytes.Clone(data), "more"...))
			for range 4 {
				compareInflaters(t, data[:random.IntN(len(data))])
				compareInflaters(t, data[:max(len(data)-random.IntN(20), 0)])
				damaged := bytes.Clone(data)
				damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
				compareInflaters(t, damaged)
				damaged[random.IntN(min(len(damaged), 60))] ^= 1 << random.IntN(8)
				compareInflaters(t, damaged)
			}
		}
	}
}

// TestInflateFailure returns what precedes a failure of the store, and then that failure.
func TestInflateFailure(t *testing.T) {
	failure := errors.New("the store is away")
	data := deflated(t, bytes.Repeat([]byte("some text, "), 90_000), 6)
	for _, size := range []int{0, 1, 50, len(data) - 1} {
		got, err := io.ReadAll(newInflater(io.MultiReader(bytes.NewReader(data[:size]), iotest.ErrReader(failure))))
		want, _ := io.ReadAll(flate.NewReader(bytes.NewReader(data[:size])))
		if !errors.Is(err, failure) || !bytes.HasPrefix(got, want) {
			t.Errorf("%d bytes of %d after %d compressed ones: %v", len(got), len(want), size, err)
		}
	}
	if _, err := io.ReadAll(newInflater(stuck{})); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that returns nothing: %v", err)
	}
}

// stuck is a reader that returns neither bytes nor an error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// zeros returns the start of deflated data: blocks that inflate to n zeros.
func zeros(tb testing.TB, n int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(make([]byte, n)); err != nil {
		tb.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// TestInflateAtChunkEnd has the last bytes of the input at each position around the end of the first chunk.
func TestInflateAtChunkEnd(t *testing.T) {
	ends := [][]byte{
		{0x03, 0x00},                                    // an empty block with fixed codes
		{0x01, 0, 0, 0xFF, 0xFF},                        // an empty stored block
		{0x01, 2, 0, 0xFD, 0xFF, 'a', 'b'},              // a stored block
		{0x02, 0x04, 2, 0, 0xFD, 0xFF, 'a', 'b'},        // an empty block with fixed codes, and a stored block
		deflated(t, bytes.Repeat([]byte("ab"), 200), 9), // strings
		deflated(t, []byte("abcdefghijklm"), flate.HuffmanOnly),
		append(deflated(t, make([]byte, 20), 9), "more bytes"...),
	}
	for n := fullBytes - 20; n <= fullBytes+8; n++ {
		start := zeros(t, n)
		for _, end := range ends {
			data := append(bytes.Clone(start), end...)
			compareInflaters(t, data)
			compareInflaters(t, data[:len(data)-1])
		}
	}
}

// streams returns streams with unusual codes.
func streams(tb testing.TB) (list [][]byte) {
	tb.Helper()
	text, err := os.ReadFile("testdata/streams.txt")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if code, _, found := strings.Cut(line, " "); found && code != "#" {
			stream, err := hex.DecodeString(code)
			if err != nil {
				tb.Fatal(err)
			}
			list = append(list, stream)
		}
	}
	return list
}

func TestInflateUnusualCodes(t *testing.T) {
	for _, stream := range streams(t) {
		for n := range len(stream) + 1 {
			compareInflaters(t, stream[:n])
		}
		compareInflaters(t, append(bytes.Clone(stream), make([]byte, 20)...))
	}
}

// FuzzInflate inflates data at the start of the output, and around the end of the first chunk.
func FuzzInflate(f *testing.F) {
	for _, text := range sampleTexts() {
		text = text[:min(len(text), 2000)]
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
			f.Add(deflated(f, text, level), uint16(0))
			f.Add(deflated(f, text, level), uint16(2))
		}
	}
	for _, stream := range streams(f) {
		f.Add(stream, uint16(0))
	}
	var starts [512][]byte
	for i := range starts {
		starts[i] = zeros(f, fullBytes+8-i)
	}
	f.Fuzz(func(t *testing.T, data []byte, before uint16) {
		if before > 0 {
			data = append(bytes.Clone(starts[int(before)%len(starts)]), data...)
		}
		compareInflaters(t, data)
	})
}
