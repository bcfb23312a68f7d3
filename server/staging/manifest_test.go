package staging_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

func noContext() context.Context { return context.Background() }

func manifestOf(t failer, layout staging.Layout) staging.Manifest {
	t.Helper()
	m, err := staging.NewWriter(noContext(), blobtest.NewMemory(), prefix, layout, staging.Config{}).Close(noContext())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestColumnNames(t *testing.T) {
	cases := map[string]struct {
		keys []string
		want []string
	}{
		"plain":            {[]string{"email", "first name"}, []string{"email", "first name"}},
		"case":             {[]string{"Name", "name", "NAME"}, []string{"Name", "name_2", "NAME_3"}},
		"raw before":       {[]string{"a", "a__raw"}, []string{"a", "a__raw_2"}},
		"raw after":        {[]string{"a__raw", "a"}, []string{"a__raw", "a_2"}},
		"own names":        {[]string{"_row", "_line", "$unmapped_3"}, []string{"_row_2", "_line_2", "$unmapped_3_2"}},
		"twice":            {[]string{"a", "a", "a_2"}, []string{"a", "a_2", "a_2_2"}},
		"empty and broken": {[]string{"", "", "a\x00b", "a\xffb"}, []string{"field", "field_2", "a_b", "a_b_2"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for i, f := range manifestOf(t, staging.Layout{Fields: c.keys, Unmapped: []int{3}}).Fields {
				if f.Raw != f.Value+"__raw" || f.Key != c.keys[i] && name != "empty and broken" {
					t.Errorf("field %q has the columns %q and %q", f.Key, f.Value, f.Raw)
				}
				got = append(got, f.Value)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestColumnNamesAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringOfN(rapid.SampledFrom([]rune("aA_2rowlin$unmaped")), 0, 8, -1)
		layout := staging.Layout{Fields: rapid.SliceOfN(key, 1, 30).Draw(t, "keys"), Unmapped: []int{0, 2}}
		m := manifestOf(t, layout)
		seen := map[string]bool{"_row": true, "_line": true}
		all := []string{m.Unmapped[0].Name, m.Unmapped[1].Name}
		for _, f := range m.Fields {
			all = append(all, f.Value, f.Raw)
		}
		for _, name := range all {
			if name = strings.ToLower(name); seen[name] {
				t.Fatalf("two columns are named %q", name)
			}
			seen[name] = true
		}
	})
}

// TestManyColumns checks that a new segment is started when the footer is full.
func TestManyColumns(t *testing.T) {
	const fields, batches = 4000, 3
	layout := staging.Layout{}
	for f := range fields {
		layout.Fields = append(layout.Fields, fmt.Sprint(f))
	}
	var list []*intray.Batch
	for i := range batches {
		b := &intray.Batch{First: int64(i), Lines: []int64{int64(i) + 1}, Fields: make([]intray.Cells, fields)}
		for f := range b.Fields {
			b.Fields[f].AppendValue([]byte{byte('a' + i)})
		}
		list = append(list, b)
	}
	s := writeStage(t, blobtest.NewMemory(), layout, staging.Config{}, list...)
	defer s.Close()
	if n := len(s.Manifest().Segments); n != 2 {
		t.Errorf("%d segments, want 2", n)
	}
	rows := readAll(t, s)
	if len(rows) != batches || rows[2].Cells[fields-1].Value != "c" {
		t.Errorf("%d rows were read, want %d", len(rows), batches)
	}
}
