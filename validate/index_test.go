package validate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/validate"
)

// indexed adds the rows of batches to an index. It returns the rows that have
// the same key as another row.
func indexed(t interface{ Fatal(...any) }, k validate.Key, x *validate.Index, rows [][]string) []uint32 {
	for _, b := range table(rows, 7) {
		h := k.Hasher()
		for i := range b.Rows() {
			h.QueueRow(b, i, uint32(b.First)+uint32(i))
		}
		if err := h.Flush(x); err != nil {
			t.Fatal(err)
		}
	}
	repeated, err := x.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return repeated.ToArray()
}

// TestIndex compares the rows of each key with the result of a scan of all rows.
func TestIndex(t *testing.T) {
	temp := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SampledFrom([]string{"", "null", "a", "A", "b", "c", "ß", "SS"})
		rows := rapid.SliceOfN(rapid.SliceOfN(texts, 2, 2), 1, 40).Draw(t, "rows")
		with := map[string]any{"uniqueKey": "k"}
		fields := rapid.SampledFrom([][]string{{"unique", "unique_case_insensitive"}, {"unique_with", "unique_with"}}).Draw(t, "rules")
		rules, err := validate.Compile([]intray.Field{unique(fields[0], with), unique(fields[1], with)})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range rules.UniqueKeys() {
			x := validate.NewIndex(temp)
			repeated := indexed(t, k, x, rows)
			h := k.Hasher()
			all := table(rows, len(rows))[0]
			var wantRepeated []uint32
			for i := range rows {
				hash, has := h.Hash(all, i)
				if !has {
					continue
				}
				var want, got []uint32
				for j := range rows {
					if other, has := h.Hash(all, j); has && other == hash {
						want = append(want, uint32(j))
					}
				}
				if len(want) > 1 {
					wantRepeated = append(wantRepeated, uint32(i))
				}
				if err := x.Rows(hash, func(row uint32) bool { got = append(got, row); return true }); err != nil {
					t.Fatal(err)
				}
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Fatalf("row %d: %v, want %v", i, got, want)
				}
			}
			if diff := cmp.Diff(wantRepeated, repeated, cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestLargeIndex checks that an index finds all rows if there are more rows than are buffered
// in memory and most of them have the same value.
func TestLargeIndex(t *testing.T) {
	rules := compiled(t, unique("unique", nil))
	k := rules.UniqueKeys()[0]
	if len(k.Problems()) != 1 || k.Problems()[0].Code != "unique" || !slices.Equal(k.Fields(), []int{0}) {
		t.Fatalf("the key is %+v", k)
	}
	rows := make([][]string, 300_000)
	for i := range rows {
		rows[i] = []string{"same"}
	}
	rows[77], rows[299_999] = []string{"once"}, []string{"null"}
	x := validate.NewIndex(t.TempDir())
	if repeated := indexed(t, k, x, rows); len(repeated) != 299_998 {
		t.Fatalf("%d rows are repeated", len(repeated))
	}
	count := func(text string, most int) (n int) {
		hash, _ := k.Hasher().Hash(table([][]string{{text}}, 1)[0], 0)
		if err := x.Rows(hash, func(uint32) bool { n++; return n < most }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if count("same", 1<<30) != 299_998 || count("same", 3) != 3 || count("once", 9) != 1 || count("never", 9) != 0 {
		t.Error("rows are missing from the index")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
