package check

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/zeebo/xxh3"

	"github.com/intraydata/intray"
)

// Key is what must be unique among all rows of a table: the value of a field, or
// those of several together.
type Key struct {
	key uniqueKey
	// seed is that of all hashes of the key, so that they can be compared.
	seed uint64
}

// Keys are what the rules about all rows compare, in a fixed order. Those of two
// calls have hashes of their own.
func (r *Rules) Keys() []Key {
	keys := make([]Key, 0, len(r.unique))
	for _, k := range r.unique {
		keys = append(keys, Key{k, rand.Uint64()})
	}
	return keys
}

// Fields are the places of the fields that are compared.
func (k Key) Fields() []int { return slices.Clone(k.key.fields) }

// Problems are those of a row whose key another row has too, one for each rule
// that says so; their Row is 0.
func (k Key) Problems() []intray.Problem { return slices.Clone(k.key.problems) }

// Hash stands for a key: two are taken for one where it is the same, as [Uniques]
// tells.
type Hash = xxh3.Uint128

// Index finds the rows of a table by the hashes of one key. It holds 20 bytes for each row,
// beyond some megabytes in temporary files.
//
// Add takes rows, also from several goroutines; then Seal, once; then Rows.
type Index struct {
	set *hashSet
	// gathering holds what is added, sorted what Seal makes of it.
	gathering, sorted spill
	runs              [][]run
}

// NewIndex makes an index without rows. Temporary files are made in the folder
// temp, by default os.TempDir.
func NewIndex(temp string) *Index {
	x := &Index{gathering: spill{temp: temp}, sorted: spill{temp: temp}}
	x.set = newHashSet(&x.gathering, 1)
	return x
}

// Hasher puts the keys of rows into the form in which they are compared. It
// serves one goroutine at a time.
type Hasher struct {
	key Key
	g   gathered
}

// Hasher makes one. All of a key give the same hashes.
func (k Key) Hasher() *Hasher { return &Hasher{key: k} }

// Hash gives the hash of the key of a row of a batch, and false where all of its
// cells are empty, so that it is compared to none.
func (h *Hasher) Hash(b *intray.Batch, row int) (Hash, bool) {
	text, has := h.key.key.text(b, row, &h.g.text)
	if !has {
		return Hash{}, false
	}
	return xxh3.Hash128Seed(text, h.key.seed), true
}

// Put makes row i of a batch ready to be added as this row of the table.
func (h *Hasher) Put(b *intray.Batch, i int, row uint32) {
	if hash, has := h.Hash(b, i); has {
		h.g.entries = append(h.g.entries, entry{hash, row})
	}
}

// Flush adds the rows that were made ready to an index.
func (h *Hasher) Flush(to *Index) error {
	if len(h.g.entries) == 0 {
		return nil
	}
	err := to.set.add(&h.g)
	h.g.entries = h.g.entries[:0]
	if err != nil {
		return fmt.Errorf("keep the values of rows: %w", err)
	}
	return nil
}

// Seal ends adding, and gives the rows whose key another row has too.
func (x *Index) Seal() (*roaring.Bitmap, error) {
	rows, err := x.set.repeated()
	if err == nil {
		err = x.sort()
	}
	if err == nil {
		err = x.gathering.close()
		x.gathering, x.set.parts = spill{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("compare the values of all rows: %w", err)
	}
	return rows, nil
}

// Close removes the temporary files.
func (x *Index) Close() error { return errors.Join(x.gathering.close(), x.sorted.close()) }
