package staging

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

func pages() map[string][]byte {
	noise := make([]byte, 200_000)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return map[string][]byte{"empty": {}, "one": {7}, "text": bytes.Repeat([]byte("text "), 99), "zeros": make([]byte, 3<<20), "noise": noise}
}

func TestPagesComeBack(t *testing.T) {
	for _, codec := range []Codec{"", Zstd, Snappy} {
		p, err := newCompressor(codec)
		if err != nil {
			t.Fatal(err)
		}
		u, err := newDecompressor(codec)
		if err != nil {
			t.Fatal(err)
		}
		defer u.close()
		var packed, plain []byte
		for name, page := range pages() {
			packed = p.compress(packed, page)
			if plain, err = u.decompress(plain, packed, len(page)); err != nil || !bytes.Equal(plain, page) {
				t.Errorf("%s %s: %d bytes come back as %d, error %v", codec, name, len(page), len(plain), err)
			}
		}
	}
}

// TestLyingPages wants no memory for what cannot be there.
func TestLyingPages(t *testing.T) {
	u, err := newDecompressor(Snappy)
	if err != nil {
		t.Fatal(err)
	}
	long := []byte{0xff, 0xff, 0xff, 0xff, 0x07, 0}
	for name, c := range map[string]struct {
		packed []byte
		size   int
	}{
		"long":    {long, 1<<31 - 1},
		"other":   {[]byte{3, 8, 'a', 'b', 'c'}, 4},
		"nothing": {nil, 3},
		"cut off": {[]byte{3, 8, 'a', 'b'}, 3},
	} {
		if got, err := u.decompress(nil, c.packed, c.size); err == nil || cap(got) > 1000 {
			t.Errorf("%s: %d bytes, error %v", name, len(got), err)
		}
	}
	if _, err := u.decompress(nil, long, 1<<31-1); !errors.Is(err, errSnappy) {
		t.Errorf("got %v, want errSnappy", err)
	}
}

func TestUnknownCodec(t *testing.T) {
	if _, err := newCompressor("lz4"); err == nil {
		t.Error("a packer was made")
	}
	if _, err := newDecompressor("lz4"); err == nil {
		t.Error("an unpacker was made")
	}
}
