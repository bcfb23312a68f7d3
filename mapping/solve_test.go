package mapping

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping/lexicon"
)

// heaviest returns the highest total weight of any assignment. It tries all assignments.
func heaviest(all []candidate, field, fields int, taken map[int]bool) float64 {
	if field == fields {
		return 0
	}
	best := heaviest(all, field+1, fields, taken)
	for _, c := range all {
		if c.field != field || taken[c.entry] {
			continue
		}
		taken[c.entry] = true
		best = max(best, weight(c.rankScore())+heaviest(all, field+1, fields, taken))
		taken[c.entry] = false
	}
	return best
}

func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const fields, entries = 5, 6
		var all []candidate
		for f := range fields {
			for e := range entries {
				if rapid.IntRange(0, 2).Draw(t, "fits") == 0 {
					all = append(all, candidate{field: f, entry: e, score: float64(rapid.IntRange(60, 99).Draw(t, "score")) / 100})
				}
			}
		}
		sum, owners, columns := 0.0, map[int]bool{}, map[int]bool{}
		chosen, err := solveAssignment(context.Background(), all)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chosen {
			if owners[c.field] || columns[c.entry] {
				t.Fatalf("field %d or column %d is there twice", c.field, c.entry)
			}
			owners[c.field], columns[c.entry] = true, true
			sum += weight(c.rankScore())
		}
		if want := heaviest(all, 0, fields, map[int]bool{}); math.Abs(sum-want) > 1e-6 {
			t.Fatalf("the assignment weighs %f, the best one %f: %+v", sum, want, all)
		}
	})
}

// TestSolveMany checks that each field of a group with more than maxExact fields is assigned
// its best column.
func TestSolveMany(t *testing.T) {
	var all []candidate
	for f := range maxExact + 10 {
		all = append(all, candidate{field: f, entry: f, score: 0.95}, candidate{field: f, entry: f + 1, score: 0.91})
	}
	chosen, err := solveAssignment(t.Context(), all)
	if err != nil || len(chosen) == 0 {
		t.Fatalf("%d fields got a column, error %v", len(chosen), err)
	}
	for _, c := range chosen {
		if c.entry != c.field {
			t.Fatalf("field %d got column %d", c.field, c.entry)
		}
	}
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b      string
		from, top float64
	}{
		{"gizmo", "gizmo", 1, 1}, {"gizmo level", "gizmolevel", 0.97, 0.99}, {"gizmo level", "level gizmo", 0.95, 0.95},
		{"gizmo level", "gizmo levl", 0.85, 0.95}, {"gizmo index", "gizmo indxe", 0.85, 0.95}, {"gizmo 1", "gizmo 2", 0, 0},
		{"customer nbr", "cust nbr", 0.85, 0.9}, {"department", "dptmnt", 0.85, 0.9}, {"gizmo", "plugh", 0, 0.3}, {"", "", 1, 1}, {"", "x", 0, 0},
	} {
		if got := similarity(c.a, c.b); got < c.from || got > c.top {
			t.Errorf("%q and %q: %.2f, want %.2f to %.2f", c.a, c.b, got, c.from, c.top)
		}
		if similarity(c.a, c.b) != similarity(c.b, c.a) {
			t.Errorf("%q and %q are not alike both ways", c.a, c.b)
		}
	}
}

func TestShapes(t *testing.T) {
	for want, cells := range map[shape][]string{
		shapeEmail:    {"ann@birch.example", "a.b+c@x.co.uk"},
		shapeURL:      {"https://birch.example/a", "www.birch.example", "HTTP://X.YZ"},
		shapeDomain:   {"birch.example", "x.yz/a"},
		shapeDate:     {"2026-03-04", "04.03.2026", "3/4/26", "2026-03-04T10:00:00Z", "04.03.2026 10:00", "4 Mar 2026", "03/Mar/26", "20260304", "2026年3月4日", "04. 03. 2026", "2026.03.04."},
		shapeTime:     {"10:00", "9:30:15 PM"},
		shapeNumber:   {"12", "-12.50", "1.234,56 €", "$12", "(12.00)", "12 %", "EUR 12", "1 234,5", "−3"},
		shapeInteger:  {"12", "0017"},
		shapePhone:    {"+44 20 7946 0001", "089/123456", "(020) 7946-0001", "06 12 34 56 78"},
		shapeIBAN:     {"DE02120300000000202051", "GB29 NWBK 6016 1331 9268 19"},
		shapeUUID:     {"123e4567-e89b-12d3-a456-426614174000"},
		shapeFlag:     {"yes", "FALSE", "ja", "是"},
		shapeCurrency: {"EUR", "€", "円"},
		shapeProse:    {"this is what we should know"},
	} {
		for _, cell := range cells {
			if shapeOf(cell)&want == 0 {
				t.Errorf("%q has not the shape %d", cell, want)
			}
		}
	}
	for not, cells := range map[shape][]string{
		shapeEmail:  {"@ann", "ann@birch", "ann lee@birch.example"},
		shapeDate:   {"12", "06 12 34 56 78", "1.234.567", "10.0.0.1", "+44 20 7946 0001", "A-12/13/14", "12.50", "3 rooms"},
		shapeNumber: {"2026-03-04", "12-34", "A", "12 Elm Road", "1..2", "+"},
		shapePhone:  {"12345", "ann", "1234567890123456", "https://x.yz/123456"},
		shapeIBAN:   {"DE0212", "0212030000000020", "DEAA120300000000202051"},
		shapeDomain: {"birch", "a b.example", "1.5", "x.1y"},
	} {
		for _, cell := range cells {
			if shapeOf(cell)&not != 0 {
				t.Errorf("%q has the shape %d", cell, not)
			}
		}
	}
}

// TestMatchKindBounds checks the shares of cells at which the shapes of cells confirm or rule
// out a kind of value.
func TestMatchKindBounds(t *testing.T) {
	for what, c := range map[string]struct {
		kind   string
		counts map[shape]int
		total  int
		want   fit
	}{
		"no cells":                        {"email", nil, 0, fitOpen},
		"an unknown kind":                 {"unknown", nil, 10, fitOpen},
		"most are email addresses":        {"email", map[shape]int{shapeEmail: 80}, 100, fitSure},
		"many are email addresses":        {"email", map[shape]int{shapeEmail: 79}, 100, fitOpen},
		"a quarter are email addresses":   {"email", map[shape]int{shapeEmail: 25}, 100, fitOpen},
		"few are email addresses":         {"email", map[shape]int{shapeEmail: 24}, 100, fitVeto},
		"most are dates":                  {"date", map[shape]int{shapeDate: 80}, 100, fitSure},
		"many are dates, most are digits": {"date", map[shape]int{shapeDate: 79, shapeInteger: 80}, 100, fitOpen},
		"many are dates":                  {"date", map[shape]int{shapeDate: 79}, 100, fitOpen},
		"most are IBANs":                  {"iban", map[shape]int{shapeIBAN: 80}, 100, fitSure},
		"many are IBANs":                  {"iban", map[shape]int{shapeIBAN: 79, shapeLetter: 100}, 100, fitOpen},
		"most are of another kind":        {"number", map[shape]int{shapeNumber: 100, shapeDate: 80}, 100, fitVeto},
		"many are of another kind":        {"number", map[shape]int{shapeNumber: 100, shapeDate: 79}, 100, fitOpen},
		"one cell of another kind":        {"number", map[shape]int{shapeNumber: 1, shapeDate: 1}, 1, fitVeto},
		"one cell of prose":               {"flag", map[shape]int{shapeProse: 1}, 1, fitOpen},
		"two cells of prose":              {"flag", map[shape]int{shapeProse: 2}, 2, fitVeto},
	} {
		if got, _ := (profile{counts: c.counts, total: c.total}).matchKind(c.kind); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}

func TestDateParts(t *testing.T) {
	for text, want := range map[string]bool{
		"2026 1 1": true, "2026 12 31": true, "2026 0 1": false, "2026 1 0": false, "2026 13 1": false, "2026 12 32": false,
		"1 1 2026": true, "31 12 2026": true, "12 31 2026": true, "0 1 2026": false, "1 0 2026": false, "32 1 2026": false, "1 32 2026": false,
		"13 13 2026": false, "12 12 2026": true, "13 12 2026": true, "12 13 2026": true, "001 1 2026": false,
	} {
		if got := isDateParts(strings.Fields(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// TestAsGood checks that a column is as good as another one if its score is lower by the margin,
// but not if it is lower by more.
func TestAsGood(t *testing.T) {
	best := candidate{field: 0, entry: 0, score: 0.95}
	for _, c := range []struct {
		score float64
		want  bool
	}{
		{0.96, true},
		{best.rankScore() - margin, true},
		{math.Nextafter(best.rankScore()-margin, 0), false},
		{0.9, false},
	} {
		d := &decision{suggestion: &suggestion{fields: []intray.Field{{}}, columns: []intray.Column{{}, {}}}, index: &index{lexicon: &lexicon.Lexicon{}, entries: []entry{{}, {column: 1}}}}
		if got := d.asGood(best, candidate{field: 0, entry: 1, score: c.score}); got != c.want {
			t.Errorf("a score of %v: %t, want %t", c.score, got, c.want)
		}
	}
}
