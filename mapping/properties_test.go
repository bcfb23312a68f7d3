package mapping_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// names draws from a few similar names, so that fields and columns match in every way.
var names = rapid.SampledFrom([]string{
	"email", "Email", "E-Mail", "e mail", "EMAIL", "mail", "Mail", "name", "Name", "NAME", "n", "", "-", "Amount", "Amount %", "É", "é",
})

func someField(t *rapid.T) intray.Field {
	f := field(names.Draw(t, "key"), names.Draw(t, "label"), rapid.SliceOfN(names, 0, 2).Draw(t, "alternates")...)
	f.Hidden = rapid.IntRange(0, 9).Draw(t, "hidden") == 0
	f.RequireMapping = rapid.IntRange(0, 4).Draw(t, "must") == 0
	return f
}

// draw draws headers, and fields with different keys.
func draw(t *rapid.T) ([]intray.Field, []string) {
	fields := rapid.SliceOfNDistinct(rapid.Custom(someField), 1, 5, func(f intray.Field) string { return f.Key }).Draw(t, "fields")
	return fields, rapid.SliceOfN(names, 0, 6).Draw(t, "headers")
}

// fits rates how well a header fits a field. 0 is an exact name, 1 an exact alternate name,
// 2 and 3 are the same in a different spelling, and 4 is no match.
func fits(f intray.Field, header string) int {
	same := func(name string) bool {
		n := mapping.Normalize(header)
		return n != "" && n == mapping.Normalize(name)
	}
	switch {
	case f.Hidden || header == "":
		return 4
	case header == f.Key || header == f.Label:
		return 0
	case slices.Contains(f.AlternateMatches, header):
		return 1
	case same(f.Key) || same(f.Label):
		return 2
	case slices.ContainsFunc(f.AlternateMatches, same):
		return 3
	}
	return 4
}

func TestMappingIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, headers := draw(t)
		m, questions := suggest(t, fields, headers...)
		used := map[int]string{}
		for i, match := range m.Fields {
			if match.Column == none {
				continue
			}
			if other, taken := used[match.Column]; taken {
				t.Fatalf("column %d feeds %s and %s", match.Column, other, fields[i].Key)
			}
			used[match.Column] = fields[i].Key
			inferred := match.Score < 1 && match.Score > mapping.Accept-0.001 && len(match.Reasons) > 0
			if fits(fields[i], headers[match.Column]) == 4 && !inferred {
				t.Fatalf("the header %q does not fit %+v: %+v", headers[match.Column], fields[i], match)
			}
		}
		for c := range headers {
			_, taken := used[c]
			if taken == slices.Contains(m.Unmapped, c) {
				t.Fatalf("column %d: used %v, and unmapped are %v", c, taken, m.Unmapped)
			}
		}
		if !slices.IsSorted(m.Unmapped) {
			t.Fatalf("unmapped columns %v are not ascending", m.Unmapped)
		}
		for i, f := range fields {
			needs := f.RequireMapping && !f.Hidden && m.Fields[i].Column == none
			if needs && len(questions) == 0 {
				t.Fatalf("field %s must have a column, has none, and nothing is asked", f.Key)
			}
		}
		if len(used) == 0 && len(questions) == 0 && slices.ContainsFunc(fields, func(f intray.Field) bool { return !f.Hidden }) {
			t.Fatal("nothing is mapped and nothing is asked")
		}
	})
}

// TestCloserIsTaken checks that no unused column fits a field better than its own column
// does, unless the field is in question.
func TestCloserIsTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, headers := draw(t)
		m, questions := suggest(t, fields, headers...)
		for i, f := range fields {
			if inQuestion(f, questions) {
				continue
			}
			got := 4
			if c := m.Fields[i].Column; c != none {
				got = fits(f, headers[c])
			}
			for _, c := range m.Unmapped {
				if fits(f, headers[c]) < got {
					t.Fatalf("field %+v got %v; column %d, %q, fits better and is free", f, m.Fields[i], c, headers[c])
				}
			}
		}
	})
}

func inQuestion(f intray.Field, questions []mapping.Question) bool {
	return slices.ContainsFunc(questions, func(q mapping.Question) bool {
		return slices.ContainsFunc(q.Columns, func(c intray.Column) bool { return fits(f, c.Header) < 4 })
	})
}

func TestMappingIsTheSameEachTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, headers := draw(t)
		m, questions := suggest(t, fields, headers...)
		for range 3 {
			again, asked := suggest(t, fields, headers...)
			if diff := cmp.Diff(m, again) + cmp.Diff(questions, asked); diff != "" {
				t.Fatalf("another mapping (-first +then):\n%s", diff)
			}
		}
	})
}

// TestOrderOfColumnsDoesNotMatter checks that each field keeps its column if the columns
// are shuffled.
func TestOrderOfColumnsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, headers := draw(t)
		places := make([]int, len(headers))
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(t, "places")
		shuffled := make([]string, len(headers))
		for from, to := range places {
			shuffled[to] = headers[from]
		}
		m, questions := suggest(t, fields, headers...)
		moved, asked := suggest(t, fields, shuffled...)
		want := assigned(m)
		for i, c := range want {
			if c != none {
				want[i] = places[c]
			}
		}
		if diff := cmp.Diff(want, assigned(moved)); diff != "" {
			t.Fatalf("columns %q, then %q (-want +got):\n%s", headers, shuffled, diff)
		}
		if len(questions) != len(asked) {
			t.Fatalf("%d questions, then %d", len(questions), len(asked))
		}
	})
}
