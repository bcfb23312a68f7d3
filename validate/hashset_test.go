package validate

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/validate/jsregexp"
)

// spilledBatch returns a batch of one field with so many distinct values that
// every partition of a set spills.
func spilledBatch() *intray.Batch {
	const rows = 300_000
	b := &intray.Batch{Fields: make([]intray.Cells, 1), Lines: make([]int64, rows)}
	var text [8]byte
	for i := range rows {
		binary.LittleEndian.PutUint64(text[:], uint64(i)+1<<40)
		b.Fields[0].AppendValue(text[:])
	}
	return b
}

func uniqueRules(t *testing.T) *Rules {
	t.Helper()
	rules, err := Compile([]intray.Field{{Key: "f", Validators: []intray.Validator{{Rule: "unique"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// spilledReader is a data structure that uses a spill file. file is the file to which it
// spilled, and read reads that file.
type spilledReader struct {
	file *spillFile
	read func() error
	done func() error
}

// spilledReaders fills every kind of data structure that uses a spill file.
func spilledReaders(t *testing.T) map[string]spilledReader {
	t.Helper()
	b, rules := spilledBatch(), uniqueRules(t)

	checker := rules.UniqueChecker(t.TempDir(), NewBudget())
	if err := checker.AddBatch(b); err != nil {
		t.Fatal(err)
	}

	index := func() (*Index, *Hasher) {
		x, h := NewIndex(t.TempDir()), rules.UniqueKeys()[0].Hasher()
		for row := range b.Rows() {
			h.QueueRow(b, row, uint32(row))
		}
		if err := h.Flush(x); err != nil {
			t.Fatal(err)
		}
		return x, h
	}
	unsorted, _ := index()
	runs, _ := index()
	sorted, hasher := index()
	if _, err := sorted.Finish(); err != nil {
		t.Fatal(err)
	}
	last, _ := hasher.Hash(b, b.Rows()-1)

	counts := NewValueCounts(t.TempDir())
	c := counts.Counter()
	for row := range b.Rows() {
		c.QueueText(b.Fields[0].Values.At(row), uint32(row))
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}

	return map[string]spilledReader{
		"unique":       {&checker.file, func() error { _, err := checker.Finish(); return err }, checker.Close},
		"index":        {&unsorted.unsorted, func() error { _, err := unsorted.Finish(); return err }, unsorted.Close},
		"sorted runs":  {&runs.unsorted, runs.buildRuns, runs.Close},
		"index lookup": {&sorted.sorted, func() error { return sorted.Rows(last, func(uint32) bool { return true }) }, sorted.Close},
		"counts":       {&counts.file, func() error { _, _, err := counts.MostFrequent(3); return err }, counts.Close},
	}
}

// TestUnreadableSpillFile checks that an unreadable spill file causes an error,
// not a result computed from an earlier block.
func TestUnreadableSpillFile(t *testing.T) {
	for name, s := range spilledReaders(t) {
		if err := s.read(); err != nil {
			t.Errorf("%s: %v before the file is damaged", name, err)
		}
		if err := s.done(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, s := range spilledReaders(t) {
		whole := s.file.file
		unreadable, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.file.file = &filesys.TempFile{File: unreadable}
		if err := s.read(); err == nil {
			t.Errorf("%s: no error from a file that cannot be read", name)
		}
		s.file.file = whole
		unreadable.Close()
		if err := s.done(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTruncatedSpillFile checks that a spill file without its last byte causes an error.
func TestTruncatedSpillFile(t *testing.T) {
	for name, s := range spilledReaders(t) {
		info, err := s.file.file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		// A lookup reads only the entries around one hash, so the file is
		// truncated to zero bytes.
		size := info.Size() - 1
		if name == "index lookup" {
			size = 0
		}
		if err := s.file.file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := s.read(); err == nil {
			t.Errorf("%s: no error from a truncated file", name)
		}
		if err := s.done(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLookupFailsAfterSearch checks that an error is reported if it occurs
// after the search, while the rows with the hash are read.
func TestLookupFailsAfterSearch(t *testing.T) {
	b, rules := spilledBatch(), uniqueRules(t)
	x, h := NewIndex(t.TempDir()), rules.UniqueKeys()[0].Hasher()
	defer x.Close()
	for row := range 100 {
		h.QueueRow(b, 0, uint32(row))
	}
	if err := h.Flush(x); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Finish(); err != nil {
		t.Fatal(err)
	}
	// Rows are read 64 at a time, so the search and the first block succeed.
	if err := x.sorted.file.Truncate(80 * entryBytes); err != nil {
		t.Fatal(err)
	}
	hash, _ := h.Hash(b, 0)
	var got []uint32
	err := x.Rows(hash, func(row uint32) bool { got = append(got, row); return true })
	if err == nil || len(got) != 64 {
		t.Errorf("%d rows, error %v; want 64 rows and an error", len(got), err)
	}
	got = nil
	if err := x.Rows(hash, func(row uint32) bool { got = append(got, row); return len(got) < 64 }); err != nil || len(got) != 64 {
		t.Errorf("%d rows, error %v; want to stop after 64 rows", len(got), err)
	}
}

// TestUnwritableSpillFile checks that each function that writes to a spill file reports that it
// cannot be written.
func TestUnwritableSpillFile(t *testing.T) {
	readOnly := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(readOnly, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	replace := func(f *spillFile) { f.createOnce.Do(func() {}); f.file = &filesys.TempFile{File: file} }
	b, rules := spilledBatch(), uniqueRules(t)

	checker := rules.UniqueChecker("", NewBudget())
	replace(&checker.file)
	if err := checker.AddBatch(b); err == nil {
		t.Error("a checker ignores that it cannot write")
	}
	x, h := NewIndex(t.TempDir()), rules.UniqueKeys()[0].Hasher()
	replace(&x.unsorted)
	for row := range b.Rows() {
		h.QueueRow(b, row, uint32(row))
	}
	if err := h.Flush(x); err == nil {
		t.Error("an index ignores that it cannot write")
	}
	x = NewIndex(t.TempDir())
	replace(&x.sorted)
	h.QueueRow(b, 0, 0)
	if err := h.Flush(x); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Finish(); err == nil {
		t.Error("an index ignores that it cannot write its runs")
	}
	counts := NewValueCounts("")
	replace(&counts.file)
	c := counts.Counter()
	for row := range b.Rows() {
		c.QueueText(b.Fields[0].Values.At(row), uint32(row))
	}
	if err := c.Flush(); err == nil {
		t.Error("counts ignore that they cannot write")
	}
}

// TestSpillFileReportsClose checks that close returns an error if the file was already closed.
func TestSpillFileReportsClose(t *testing.T) {
	f := spillFile{dir: t.TempDir()}
	if err := f.close(); err != nil {
		t.Errorf("a file that was never needed: %v", err)
	}
	if _, err := f.write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := f.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.close(); err == nil || !strings.Contains(err.Error(), "close the file of spilled values") {
		t.Errorf("error %v", err)
	}
}

// TestSpillBlocks checks that write returns the offset of each block and that the file
// contains the blocks in order.
func TestSpillBlocks(t *testing.T) {
	f := spillFile{dir: t.TempDir()}
	defer f.close()
	for i, want := range []int64{0, 3, 5} {
		if at, err := f.write([]byte("abcde")[:3-i%2]); err != nil || at != want {
			t.Errorf("block %d is at %d, %v; want %d", i, at, err, want)
		}
	}
	text, err := io.ReadAll(io.NewSectionReader(f.file, 0, 100))
	if err != nil || string(text) != "abcababc" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// TestSetSizes checks that the buffers of all sets together stay within their
// limit, except if all have the smallest size.
func TestSetSizes(t *testing.T) {
	for _, sets := range []int{1, 8, 9, maxLargeSets, maxLargeSets + 1, 1000, 10_000} {
		s := newHashSet(&spillFile{}, sets)
		buffered := sets * len(s.partitions) * s.blockBytes
		if buffered > maxBufferedBytes && s.blockBytes > minBlock*entryBytes || s.blockBytes > maxBlock*entryBytes || s.blockBytes%entryBytes != 0 {
			t.Errorf("%d sets of %d partitions with blocks of %d bytes: %d bytes", sets, len(s.partitions), s.blockBytes, buffered)
		}
		if want := 256; (len(s.partitions) == want) != (sets <= maxLargeSets) || 1<<(64-s.shift) != len(s.partitions) {
			t.Errorf("%d sets have %d partitions", sets, len(s.partitions))
		}
	}
}

// TestHashes checks that each half of a hash depends on the whole value, independently of the
// other half. Among n values, no more than about n²/2³³ pairs may agree in the upper 32 bits of
// a half, or in the lower ones, and values that collide in one half must not collide in the
// other.
func TestHashes(t *testing.T) {
	seed, other := newHashSeed(), newHashSeed()
	n := 1 << 17
	if testing.Short() {
		n = 1 << 15
	}
	values := map[string]func(i int) string{
		"numbers":      func(i int) string { return fmt.Sprint(i) },
		"with a tail":  func(i int) string { return fmt.Sprintf("%020d@example.org", i) },
		"long":         func(i int) string { return strings.Repeat("x", 100) + fmt.Sprint(i) + strings.Repeat("y", 200) },
		"binary words": func(i int) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(i)<<32)) },
	}
	for name, value := range values {
		var halves [2][]uint64
		all := map[Hash]bool{}
		for i := range n {
			text := []byte(value(i))
			h := seed.hash(text)
			if h == other.hash(text) || h.Hi == h.Lo {
				t.Fatalf("%s: the seeds of the hash %x do not differ", name, h)
			}
			all[h] = true
			halves[0], halves[1] = append(halves[0], h.Hi), append(halves[1], h.Lo)
		}
		if len(all) != n {
			t.Errorf("%s: %d values have %d hashes", name, n, len(all))
		}
		for i, half := range halves {
			for _, shift := range []int{0, 32} {
				bits := make([]uint32, n)
				for j, h := range half {
					bits[j] = uint32(h >> shift)
				}
				slices.Sort(bits)
				// The expected number is at most 2. The probability of more than 16 is 10^-10.
				if equal := n - len(slices.Compact(bits)); equal > 16 {
					t.Errorf("%s: half %d, shift %d: %d of %d are equal", name, i, shift, equal, n)
				}
			}
		}
	}
}

func TestEntryEncoding(t *testing.T) {
	e := entry{Hash{1<<63 + 2, 3<<32 + 4}, 1<<31 + 5}
	var encoded [entryBytes]byte
	putEntry(encoded[:], &e)
	if diff := cmp.Diff(e, readEntry(encoded[:]), cmp.AllowUnexported(entry{})); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		a, b Hash
		want int
	}{{Hash{1, 9}, Hash{2, 0}, -1}, {Hash{2, 0}, Hash{2, 1}, -1}, {Hash{2, 1}, Hash{2, 1}, 0}, {Hash{1 << 63, 0}, Hash{1, 0}, 1}} {
		if got := tt.a.compare(tt.b); got != tt.want {
			t.Errorf("%v to %v: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestRegexCache checks that an expression is compiled once per set of flags,
// and that an invalid expression is not stored.
func TestRegexCache(t *testing.T) {
	cache := newRegexCache()
	first, err := cache.compile("a+", jsregexp.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := cache.compile("a+", jsregexp.Flags{}); again != first || err != nil {
		t.Errorf("got another expression, %v", err)
	}
	if other, err := cache.compile("a+", jsregexp.Flags{IgnoreCase: true}); other == first || err != nil {
		t.Errorf("flags make no difference, %v", err)
	}
	if _, err := cache.compile("(", jsregexp.Flags{}); err == nil || len(cache.compiled) != 2 {
		t.Errorf("after an invalid expression, the cache has %d: %v", len(cache.compiled), err)
	}
}
