package archive

import (
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// FuzzArchive checks that reading arbitrary bytes returns records or an error of package source.
func FuzzArchive(f *testing.F) {
	box := cabinetMark + "=Jan\n1\n"
	f.Add([]byte(gzipped(f, "a.csv", people) + gzipped(f, "", people) + "\x00"))
	f.Add([]byte(zstded(f, people)))
	f.Add([]byte("\x50\x2A\x4D\x18\x00\x00\x00\x00" + zstded(f, box, zstd.WithEncoderCRC(false))))
	f.Add([]byte(zipped(f, file("a.csv", people), file("box", box), file("b/", ""), file(".c", people))))
	f.Add([]byte(zipped(f, packed("a.csv", 0, people), packed("b.csv", zipZstd, people))))
	f.Add([]byte(zipped(f, file("a.zip", zipped(f, file("a.csv", people))))))
	tight := Format{Temp: f.TempDir(), Inner: []source.Format{cabinet{}, anyText{}}, Limits: Limits{InflatedBytes: 8 << 10, Members: 20, Sheets: 20}}
	f.Fuzz(func(t *testing.T, text []byte) {
		in := sourcetest.NewInput("a", text)
		if score, reason := tight.Detect(in, text); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
			t.Fatalf("score %v, reason %q", score, reason)
		}
		if _, err := sourcetest.ReadAll(t.Context(), tight, in, source.Options{}); err != nil && !sourcetest.IsTyped(err) {
			t.Fatalf("an error without a type: %v", err)
		}
	})
}

// anyText accepts every file as a cabinet.
type anyText struct{ cabinet }

func (anyText) Detect(source.Input, []byte) (float64, intray.Message) {
	return 0.1, intray.Literal("it has bytes")
}
