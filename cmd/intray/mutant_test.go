package main

import (
	"archive/zip"
	"bytes"
	"io"
	"math/rand/v2"
)

// mutate changes a file a little: bits, bytes, order, length. A workbook that is
// a zip file is, every second time, changed in one of its parts and packed anew,
// so that the damage gets past the checksums.
func mutate(random *rand.Rand, file, other []byte) []byte {
	if bytes.HasPrefix(file, []byte("PK\x03\x04")) && random.IntN(2) == 0 {
		if packed := mutatePart(random, file, other); packed != nil {
			return packed
		}
	}
	return mutateBytes(random, file, other)
}

func mutateBytes(random *rand.Rand, file, other []byte) []byte {
	out := bytes.Clone(file)
	for range 1 + random.IntN(4) {
		if len(out) == 0 {
			return out
		}
		out = change(random, out, other)
	}
	return out
}

// change does one thing to a file that is not empty.
func change(random *rand.Rand, out, other []byte) []byte {
	at := random.IntN(len(out))
	to := at + random.IntN(min(len(out)-at, 4096)+1)
	switch random.IntN(8) {
	case 0: // bits
		for range 1 + random.IntN(16) {
			out[random.IntN(len(out))] ^= 1 << random.IntN(8)
		}
	case 1: // a byte that means something
		out[at] = "\x00\xff\"',;\t\n\r<>&{}[]\\=\x1b"[random.IntN(19)]
	case 2: // the end is missing
		return out[:at]
	case 3: // the beginning is missing
		return out[at:]
	case 4: // something in the middle is missing
		return append(out[:at:at], out[to:]...)
	case 5: // something is there twice
		return bytes.Join([][]byte{out[:to], out[at:]}, nil)
	case 6: // something of another file
		if len(other) > 0 {
			from := random.IntN(len(other))
			until := from + random.IntN(min(len(other)-from, 4096)+1)
			return bytes.Join([][]byte{out[:at], other[from:until], out[at:]}, nil)
		}
	case 7: // a large number, or a long run
		copy(out[at:], bytes.Repeat([]byte{"\xff9\x7f0"[random.IntN(4)]}, 1+random.IntN(12)))
	}
	return out
}

// mutatePart gives nil where the file is no whole zip file.
func mutatePart(random *rand.Rand, file, other []byte) []byte {
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(r.File) == 0 {
		return nil
	}
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	victim := random.IntN(len(r.File))
	for i, f := range r.File {
		from, err := f.Open()
		if err != nil {
			return nil
		}
		text, err := io.ReadAll(from)
		if err != nil {
			return nil
		}
		if i == victim {
			text = mutateBytes(random, text, other)
		}
		to, err := w.Create(f.Name)
		if err == nil {
			_, err = to.Write(text)
		}
		if err != nil {
			return nil
		}
	}
	if w.Close() != nil {
		return nil
	}
	return packed.Bytes()
}
