package cfb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

var errNotFound = errors.New("the stream is not there")

// stream opens the stream with the given name.
func stream(in source.Input, name string) (*Stream, error) {
	f, err := Open(in, in.Size)
	if err != nil {
		return nil, err
	}
	found, err := f.Find(name)
	if err != nil {
		return nil, err
	}
	e, ok := found[name]
	if !ok {
		return nil, errNotFound
	}
	return f.OpenStream(e)
}

// content returns the bytes of the stream with the given name.
func content(in source.Input, name string) ([]byte, error) {
	s, err := stream(in, name)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, s.Size())
	_, err = s.ReadAt(raw, 0)
	return raw, err
}

func inputOf(raw []byte) source.Input { return sourcetest.NewInput("", raw) }

var (
	short = bytes.Repeat([]byte("short"), 50)
	long  = bytes.Repeat([]byte("long stream "), 20_000)
)

func streams() []byte {
	return sourcetest.CompoundFile(sourcetest.Stream{Name: "Small", Text: short}, sourcetest.Stream{Name: "Large", Text: long},
		sourcetest.Stream{Name: "Other", Text: short[:70]}, sourcetest.Stream{Name: "Empty"}, sourcetest.Stream{Name: "Cutoff", Text: long[:4096]})
}

func TestStreams(t *testing.T) {
	in := inputOf(streams())
	for name, want := range map[string][]byte{"Small": short, "Large": long, "Other": short[:70], "Empty": {}, "Cutoff": long[:4096]} {
		got, err := content(in, name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, error %v", name, len(got), len(want), err)
		}
	}
	for _, name := range []string{"Missing", "Root Entry", ""} {
		if _, err := stream(in, name); err == nil {
			t.Errorf("%q was found", name)
		}
	}
}

func TestFind(t *testing.T) {
	f, err := Open(inputOf(streams()), int64(len(streams())))
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.Find("SMALL", "large", "none")
	if err != nil || len(found) != 2 || found["SMALL"].size != int64(len(short)) || found["large"].size != int64(len(long)) {
		t.Errorf("%v, error %v", found, err)
	}
}

// TestManyTables checks that a stream can be read if the FAT has more sectors than the
// header can list and the DIFAT has several sectors.
func TestManyTables(t *testing.T) {
	for _, size := range []int{8 << 20, 16 << 20} {
		want := make([]byte, size)
		for i := 0; i < len(want); i += 500 {
			binary.LittleEndian.PutUint32(want[i:], uint32(i))
		}
		got, err := content(inputOf(sourcetest.CompoundFile(sourcetest.Stream{Name: "Large", Text: want}, sourcetest.Stream{Name: "Small", Text: []byte("s")})), "Large")
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d, error %v", len(got), len(want), err)
		}
	}
}

// put returns a copy of a file in which the given numbers are written at the given offset.
func put(raw []byte, at int, numbers ...uint32) []byte {
	raw = bytes.Clone(raw)
	for i, n := range numbers {
		binary.LittleEndian.PutUint32(raw[at+4*i:], n)
	}
	return raw
}

// entryOf returns the offset of the directory entry of a stream.
func entryOf(raw []byte, name string) int { return bytes.Index(raw, sourcetest.UTF16LE(name)) }

// TestStorages checks that streams in storages are not found.
func TestStorages(t *testing.T) {
	raw := sourcetest.CompoundFile(sourcetest.Stream{Name: "Storage"}, sourcetest.Stream{Name: "Inside", Text: short})
	entry := entryOf(raw, "Storage")
	raw = put(raw, entry+72, 0xFFFFFFFF, 2) // no siblings, and the stream as the child
	raw[entry+66] = 1
	for _, name := range []string{"Inside", "Storage"} {
		if _, err := stream(inputOf(raw), name); err == nil {
			t.Errorf("%s was found", name)
		}
	}
}

// TestLoopOfEntries checks that streams are found in a directory whose links form a loop.
func TestLoopOfEntries(t *testing.T) {
	raw := sourcetest.CompoundFile(sourcetest.Stream{Name: "Other", Text: []byte("x")}, sourcetest.Stream{Name: "Wanted", Text: short})
	got, err := content(inputOf(put(raw, entryOf(raw, "Wanted")+68, 1, 2)), "Wanted")
	if diff := cmp.Diff(short, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// TestLargeSectors checks that files of version 4, which have sectors of 4,096 bytes,
// can be read.
func TestLargeSectors(t *testing.T) {
	small := sourcetest.CompoundFile(sourcetest.Stream{Name: "Small", Text: short})
	raw := append(bytes.Clone(small[:512]), make([]byte, 4096-512)...)
	for sectors := small[512:]; len(sectors) > 0; sectors = sectors[512:] {
		fill := byte(0)
		if len(sectors) == 512 {
			fill = 0xFF // the FAT
		}
		raw = append(append(raw, sectors[:512]...), bytes.Repeat([]byte{fill}, 4096-512)...)
	}
	binary.LittleEndian.PutUint16(raw[26:], 4)
	binary.LittleEndian.PutUint16(raw[30:], 12)
	got, err := content(inputOf(raw), "Small")
	if diff := cmp.Diff(short, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	// Only version 4 uses the upper half of a size.
	high := put(raw, entryOf(raw, "Small")+124, 1)
	if s, err := stream(inputOf(high), "Small"); err != nil || !s.Truncated() {
		t.Errorf("a stream of 4 GiB: error %v", err)
	}
	if got, err := content(inputOf(put(small, entryOf(small, "Small")+124, 1)), "Small"); err != nil || !bytes.Equal(got, short) {
		t.Errorf("version 3: %d bytes, error %v", len(got), err)
	}
}

func TestDamage(t *testing.T) {
	raw := sourcetest.CompoundFile(sourcetest.Stream{Name: "Large", Text: long[:20_000]})
	fat := len(raw) - 512
	small := sourcetest.CompoundFile(sourcetest.Stream{Name: "Large", Text: short})
	miniFAT := int(binary.LittleEndian.Uint32(small[60:])+1) * 512
	size := bytes.Clone(raw)
	size[30] = 30
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"empty":                        {nil, "xls.too_short(size: 0)"},
		"a truncated header":           {raw[:511], "xls.too_short(size: 511)"},
		"a header alone":               {raw[:512], "xls.no_directory_entry(entry: 0)"},
		"sectors of another size":      {size, "xls.container_damaged(problem: xls.sector_size(exponent: 30))"},
		"a sector after itself":        {put(raw, fat, 0), "xls.container_damaged(problem: xls.circular_sectors())"},
		"a longer circle":              {put(raw, fat+12, 1), "xls.container_damaged(problem: xls.circular_sectors())"},
		"a circle of small sectors":    {put(put(small, miniFAT, 0), entryOf(small, "Large")+120, 4000), "xls.container_damaged(problem: xls.circular_sectors())"},
		"a circle of tables":           {put(put(raw, 68, 3, 9, 0xFFFFFFFF), 4*512+508, 3), "xls.container_damaged(problem: xls.circular_tables())"},
		"a directory after the end":    {put(raw, 48, 0x00FFFFFF), "xls.no_directory_entry(entry: 0)"},
		"a directory without a sector": {put(raw, 48, 0xFFFFFFFE), "xls.no_directory_entry(entry: 0)"},
	} {
		if name == "a circle of tables" {
			for i := 4 * 512; i < 4*512+508; i++ {
				test.raw[i] = 0xFF
			}
		}
		_, err := stream(inputOf(test.raw), "Large")
		var damage *DamageError
		if !errors.As(err, &damage) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := sourcetest.Outline(&source.UnreadableError{Reason: damage.Reason})
		if got != test.want || damage.Error() != damage.Reason.String() {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestTruncated checks streams whose end is missing. They must report that they are
// truncated, and must never be read past the end of the file.
func TestTruncated(t *testing.T) {
	raw := sourcetest.CompoundFile(sourcetest.Stream{Name: "Large", Text: long[:20_000]})
	fat := len(raw) - 512
	last := uint32(len(raw)/512 - 2) // the last sector, which is the FAT
	odd := append(bytes.Clone(raw), 0)
	lost := sourcetest.CompoundFile(sourcetest.Stream{Name: "Large", Text: long[:100_000]}) // with two FAT sectors
	for name, test := range map[string]struct {
		raw  []byte
		size int64
	}{
		"a link after the end":                   {put(raw, fat+8, 0x00FFFFFF), 3 * 512},
		"a link to the sector after the last":    {put(raw, fat+8, last+1), 3 * 512},
		"a link to the end of the chain":         {put(raw, fat+8, 0xFFFFFFFE), 3 * 512},
		"a link to a free sector":                {put(raw, fat+8, 0xFFFFFFFF), 3 * 512},
		"no table":                               {put(raw, 76, 0xFFFFFFFF), 512},
		"a table after the end":                  {put(raw, 76, 0x00FFFFFF), 512},
		"a table right after the end":            {put(raw, 76, last+1), 512},
		"a table in a truncated sector":          {put(odd, 76, last+2), 512},
		"a table list after the end":             {put(put(raw, 76, 0xFFFFFFFF), 68, last+1), 512},
		"the second table after the end":         {put(lost, 80, uint32(len(lost))), 129 * 512},
		"the second table right after the end":   {put(lost, 80, uint32(len(lost)/512-1)), 129 * 512},
		"a list of tables in a truncated sector": {put(put(odd, 76, 0xFFFFFFFF), 68, last+2), 512},
		"a link to a missing sector":             {put(odd, fat+8, last+2), 3 * 512},
		"a truncated sector in the middle":       {put(put(odd, fat+8, last+1), fat+4*int(last+1), 3), 3*512 + 1},
		"a stream with a larger declared size":   {put(raw, entryOf(raw, "Large")+120, 30_000), 40 * 512},
	} {
		s, err := stream(inputOf(test.raw), "Large")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !s.Truncated() || s.Size() != test.size {
			t.Errorf("%s: truncated %v, %d bytes, want %d", name, s.Truncated(), s.Size(), test.size)
		}
		if n, err := s.ReadAt(make([]byte, s.Size()+1), 0); int64(n) != s.Size() || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %d bytes were read, error %v", name, n, err)
		}
	}
}

// TestLastSector checks that a chain can go through the last sector of the file.
func TestLastSector(t *testing.T) {
	raw := sourcetest.CompoundFile(sourcetest.Stream{Name: "Large", Text: long[:20_000]})
	fat, last := len(raw)-512, uint32(len(raw)/512-2)
	s, err := stream(inputOf(put(put(raw, fat+8, last), fat+4*int(last), 3)), "Large")
	if err != nil || s.Truncated() || s.Size() != 20_000 {
		t.Errorf("%+v, error %v", s, err)
	}
}

// TestTruncatedMiniStream checks that short streams whose small sectors are missing are
// reported as truncated.
func TestTruncatedMiniStream(t *testing.T) {
	raw := sourcetest.CompoundFile(sourcetest.Stream{Name: "Small", Text: short})
	miniFAT := int(binary.LittleEndian.Uint32(raw[60:])+1) * 512
	for name, test := range map[string]struct {
		raw  []byte
		size int64
	}{
		"no mini stream":               {put(raw, entryOf(raw, "Root Entry")+120, 0), 0},
		"a truncated mini stream":      {put(raw, entryOf(raw, "Root Entry")+120, 100), 100},
		"a link right after the end":   {put(raw, miniFAT, 4, 0xFFFFFFFE, 0xFFFFFFFE, 0xFFFFFFFE, 1), 64},
		"a link far after the end":     {put(raw, miniFAT, 0x00FFFFFF), 64},
		"a link to the end of a chain": {put(raw, miniFAT+4, 0xFFFFFFFE), 128},
	} {
		s, err := stream(inputOf(test.raw), "Small")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := make([]byte, s.Size())
		if _, err := s.ReadAt(got, 0); err != nil || !s.Truncated() || s.Size() != test.size || !bytes.Equal(got, short[:len(got)]) {
			t.Errorf("%s: truncated %v, %d bytes, error %v", name, s.Truncated(), s.Size(), err)
		}
	}
}

// TestEveryTruncation truncates a file at every byte. Each stream must be either
// complete, truncated or missing.
func TestEveryTruncation(t *testing.T) {
	raw := sourcetest.CompoundFile(sourcetest.Stream{Name: "Large", Text: long[:5000]}, sourcetest.Stream{Name: "Small", Text: short})
	for n := range len(raw) {
		for name, want := range map[string][]byte{"Large": long[:5000], "Small": short} {
			s, err := stream(inputOf(raw[:n]), name)
			var damage *DamageError
			if errors.As(err, &damage) || errors.Is(err, errNotFound) {
				continue
			}
			if err != nil {
				t.Fatalf("truncated to %d bytes: %v", n, err)
			}
			got := make([]byte, s.Size())
			if _, err := s.ReadAt(got, 0); err != nil || !s.Truncated() && !bytes.Equal(got, want) || s.Truncated() && len(got) >= len(want) {
				t.Fatalf("truncated to %d bytes: %d bytes of %s, truncated %v, error %v", n, len(got), name, s.Truncated(), err)
			}
		}
	}
}

func TestReadAt(t *testing.T) {
	s, err := stream(inputOf(streams()), "Large")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		off  int64
		size int
		n    int
		err  error
	}{
		{0, 5, 5, nil}, {511, 2, 2, nil}, {100, 5000, 5000, nil}, {s.Size() - 1, 1, 1, nil}, {s.Size() - 1, 2, 1, io.EOF},
		{s.Size(), 1, 0, io.EOF}, {s.Size() + 9, 1, 0, io.EOF}, {0, 0, 0, nil},
	} {
		p := make([]byte, test.size)
		n, err := s.ReadAt(p, test.off)
		if n != test.n || !errors.Is(err, test.err) || !bytes.Equal(p[:n], long[min(test.off, s.Size()):][:n]) {
			t.Errorf("%d bytes at %d: %d, error %v", test.size, test.off, n, err)
		}
	}
	if _, err := s.ReadAt(make([]byte, 1), -1); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("before the beginning: %v", err)
	}
}

func TestWholeFile(t *testing.T) {
	for _, text := range []string{"text", ""} {
		s := WholeFile(strings.NewReader(text), int64(len(text)))
		p := make([]byte, 9)
		if n, err := s.ReadAt(p, 0); n != len(text) || !errors.Is(err, io.EOF) || s.Truncated() || s.Size() != int64(len(text)) {
			t.Errorf("%q: %d bytes, error %v", text, n, err)
		}
	}
	s := WholeFile(strings.NewReader("text"), 5)
	if _, err := s.ReadAt(make([]byte, 5), 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends too early: %v", err)
	}
}

// TestStoreFails checks that an error in any read of the store is returned.
func TestStoreFails(t *testing.T) {
	for name, raw := range map[string][]byte{
		"Large": streams(), "Small": streams(),
		"Many": sourcetest.CompoundFile(sourcetest.Stream{Name: "Many", Text: make([]byte, 8<<20)}),
	} {
		sourcetest.FailEachRead(t, inputOf(raw), func(in source.Input) error {
			_, err := content(in, name)
			var damage *DamageError
			if errors.As(err, &damage) {
				t.Errorf("%s: a failure of the store is reported as damage: %v", name, err)
			}
			return err
		})
	}
}

// FuzzFile reads a file that is truncated and in which one number is replaced. Streams
// must not be longer than the file, and must be readable in full.
func FuzzFile(f *testing.F) {
	raw := streams()[:6000]
	f.Add(streams(), uint(48), uint32(1), uint(1<<20))
	f.Add(raw, uint(68), uint32(0), uint(1000))
	f.Add(sourcetest.CompoundFile(sourcetest.Stream{Name: "Small", Text: short}), uint(76), uint32(3), uint(2000))
	f.Fuzz(func(t *testing.T, raw []byte, at uint, number uint32, size uint) {
		raw = bytes.Clone(raw[:min(uint(len(raw)), size)])
		if len(raw) > 4 {
			binary.LittleEndian.PutUint32(raw[at%uint(len(raw)-4):], number)
		}
		in := inputOf(raw)
		file, err := Open(in, in.Size)
		var damage *DamageError
		if err != nil {
			if !errors.As(err, &damage) {
				t.Fatal(err)
			}
			return
		}
		found, err := file.Find("Small", "Large", "Empty")
		if err != nil && !errors.As(err, &damage) {
			t.Fatal(err)
		}
		for name, e := range found {
			s, err := file.OpenStream(e)
			if err != nil {
				if !errors.As(err, &damage) {
					t.Fatal(err)
				}
				continue
			}
			if s.Size() > in.Size {
				t.Fatalf("%s has %d bytes, the file %d", name, s.Size(), in.Size)
			}
			if n, err := s.ReadAt(make([]byte, s.Size()), 0); err != nil {
				t.Fatalf("%s: %d bytes of %d, error %v", name, n, s.Size(), err)
			}
		}
	})
}
