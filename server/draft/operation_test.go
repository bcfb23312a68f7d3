package draft

import (
	"errors"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textedit"
)

// TestViewRange checks that a change that is limited to a range of a view changes exactly the
// rows in that range.
func TestViewRange(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(20), 6, limits{})
	defer u.close(t)
	view, err := u.draft.OpenView(t.Context(), Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to int64
		want     int64
	}{{3, 6, 3}, {0, 1, 1}, {19, 25, 1}, {18, 0, 2}, {20, 30, 0}, {5, 5, 0}, {-1, 4, 0}} {
		v, err := u.draft.Preview(t.Context(), Fill{Where: Selector{Token: view.Token, From: c.from, To: c.to}, Texts: map[int]string{fName: "new", fCode: "other"}}, nil)
		if err != nil || v.Rows != c.want || v.Cells != 2*c.want {
			t.Errorf("positions %d to %d: %d cells in %d rows, %v; want %d rows", c.from, c.to, v.Cells, v.Rows, err, c.want)
		}
	}
	u.change(t, Fill{Where: Selector{Token: view.Token, From: 4, To: 6}, Texts: map[int]string{fName: "new", fCode: "other"}})
	w, err := u.draft.Window(t.Context(), Query{Token: view.Token}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range w.Rows {
		if changed := r.Cells[fName].Raw == "new" && r.Cells[fCode].Raw == "other"; changed != (i == 1 || i == 2) {
			t.Errorf("position %d holds %q and %q", 3+i, r.Cells[fName].Raw, r.Cells[fCode].Raw)
		}
	}
}

// TestStaleViewPositions checks that positions in a view are refused if the view now contains
// different rows, even if it has the same number of rows as before.
func TestStaleViewPositions(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(9), 4, limits{})
	defer u.close(t)
	fill := func(token string, total int64) error {
		_, err := u.draft.Preview(t.Context(), Fill{Where: Selector{Token: token, From: 2, To: 4, Total: &total}, Texts: map[int]string{fName: "new"}}, nil)
		return err
	}
	window := func(token string) View {
		t.Helper()
		w, err := u.draft.Window(t.Context(), Query{Token: token}, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		return w.View
	}
	checkStale := func(err error) {
		t.Helper()
		if refusal := (*RefusedError)(nil); !errors.As(err, &refusal) || !refusal.Stale {
			t.Errorf("got %v, want a stale refusal", err)
		}
	}
	undo := func() {
		t.Helper()
		if _, err := u.draft.Undo(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		u.undone++
	}
	first := window("")
	u.change(t, Delete{Selector{Numbers: []int64{0}}})
	checkStale(fill(first.Token, 8)) // the view was never listed with 8 rows
	if seen := window(first.Token); seen != (View{first.Token, 8}) || fill(first.Token, 8) != nil {
		t.Fatalf("window: %+v, %v", seen, fill(first.Token, 8))
	}
	undo()
	if err := fill(first.Token, 9); err != nil {
		t.Errorf("after undo: %v", err)
	}
	u.change(t, Delete{Selector{Numbers: []int64{5}}})
	checkStale(fill(first.Token, 8))
	// Total cannot distinguish the two lists of 8 rows, so the view expires.
	again := window(first.Token)
	if again.Token == first.Token || again.Rows != 8 {
		t.Errorf("window after other deletion: %+v", again)
	}
	checkStale(fill(first.Token, 8))
	if err := fill(again.Token, 8); err != nil {
		t.Errorf("the new view: %v", err)
	}
	u.change(t, Add{Rows: [][]Typed{{}}})
	if err := fill(again.Token, 8); err != nil || window(again.Token) != again {
		t.Errorf("after adding a row outside the view: %v", err)
	}
}

// TestTextOperations checks the effect of each text operation on one cell.
func TestTextOperations(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    func(w Selector) Operation
		want string
	}{
		"any case":   {"Foo foo FOO", func(w Selector) Operation { return Replace{Where: w, Find: "foo", With: "x"} }, "x x x"},
		"exact case": {"Foo foo FOO", func(w Selector) Operation { return Replace{Where: w, Find: "foo", With: "x", MatchCase: true} }, "Foo x FOO"},
		"literal":    {"a.b$c", func(w Selector) Operation { return Replace{Where: w, Find: ".B$", With: "$1"} }, "a$1c"},
		"whole":      {"ab", func(w Selector) Operation { return Replace{Where: w, Find: "AB", With: "x", Whole: true} }, "x"},
		"not whole":  {"abc", func(w Selector) Operation { return Replace{Where: w, Find: "AB", With: "x", Whole: true} }, "abc"},
		"whole, exact case": {"ab", func(w Selector) Operation {
			return Replace{Where: w, Find: "ab", With: "x", Whole: true, MatchCase: true}
		}, "x"},
		"whole, other case": {"ab", func(w Selector) Operation {
			return Replace{Where: w, Find: "AB", With: "x", Whole: true, MatchCase: true}
		}, "ab"},
		"expression": {"12-34", func(w Selector) Operation {
			return Replace{Where: w, Find: `(\d+)-(\d+)`, With: "$2/${1}", Expression: true}
		}, "34/12"},
		"whole expression": {"12-34", func(w Selector) Operation {
			return Replace{Where: w, Find: `\d+|-`, With: "x", Expression: true, Whole: true}
		}, "12-34"},
		"expression case": {"Ab", func(w Selector) Operation { return Replace{Where: w, Find: `AB`, With: "x", Expression: true} }, "x"},
		"expression, exact": {"Ab", func(w Selector) Operation {
			return Replace{Where: w, Find: `AB`, With: "x", Expression: true, MatchCase: true}
		}, "Ab"},
		"anchors":       {"a\na", func(w Selector) Operation { return Replace{Where: w, Find: `^a`, With: "x", Expression: true} }, "x\na"},
		"sharp letters": {"STRASSE K", func(w Selector) Operation { return Replace{Where: w, Find: "K", With: "k"} }, "STRASSE k"},
		"fill":          {"a", func(w Selector) Operation { return Fill{Where: w, Text: "b"} }, "b"},
		"clear":         {"a", func(w Selector) Operation { return Clear{w} }, ""},
		"trim":          {" \u00a0a  b\t\n", func(w Selector) Operation { return Trim{Where: w} }, "a  b"},
		"trim inside":   {" \u00a0a \u2003 b\t\n", func(w Selector) Operation { return Trim{w, true} }, "a b"},
		"upper":         {"straße ä", func(w Selector) Operation { return Case{w, textedit.Upper} }, "STRASSE Ä"},
		"lower":         {"ÄB", func(w Selector) Operation { return Case{w, textedit.Lower} }, "äb"},
		"title":         {"anna-MARIA o'neil ÉLODIE", func(w Selector) Operation { return Case{w, textedit.Title} }, "Anna-Maria O'neil Élodie"},
		"map":           {"a", func(Selector) Operation { return MapValue{Field: fName, Raw: "a", Text: "b"} }, "b"},
		"map another":   {"A", func(Selector) Operation { return MapValue{Field: fName, Raw: "a", Text: "b"} }, "A"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := similarRows(1)
			rows[0][fName] = c.text
			u := newTestDraft(t, t.TempDir(), rows, 10, limits{})
			defer u.close(t)
			v := u.change(t, c.o(Selector{Fields: []int{fName}}))
			row, _, err := u.draft.Row(t.Context(), 0)
			if err != nil || row.Cells[fName].Raw != c.want || (v.Cells == 1) != (c.want != c.text) {
				t.Errorf("%q became %q (%+v, %v), want %q", c.text, row.Cells[fName].Raw, v, err, c.want)
			}
		})
	}
}

// TestRefusals checks the errors for invalid operations.
func TestRefusals(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(3), 10, limits{})
	defer u.close(t)
	field := func(f int) Selector { return Selector{Fields: []int{f}} }
	eleven := 11
	for name, c := range map[string]struct {
		o    Operation
		text string
	}{
		"read only":             {Fill{Where: field(fLocked), Text: "x"}, `The field "Locked" is read-only.`},
		"hidden":                {Clear{field(fHidden)}, `The field "hidden" is hidden and cannot be changed.`},
		"set read only":         {Set{[]Typed{{Field: fLocked}}}, `The field "Locked" is read-only.`},
		"add hidden":            {Add{[][]Typed{{{Field: fHidden}}}}, `The field "hidden" is hidden and cannot be changed.`},
		"no field":              {Fill{Where: field(eleven), Text: "x"}, "There is no field 11."},
		"no part":               {Set{[]Typed{{Field: fMany, Part: 2}}}, `The field "Many" has no column 2.`},
		"no row":                {Set{[]Typed{{Row: 3, Field: fName}}}, "There is no row 3."},
		"large row":             {Set{[]Typed{{Row: 1 << 40, Field: fName}}}, "There is no row 1,099,511,627,776."},
		"bad expression":        {Replace{Find: "(", Expression: true}, "Invalid expression: missing closing parenthesis (`(?i)(`)."},
		"nothing to find":       {Replace{}, "Enter text to search for."},
		"unknown case":          {Case{To: "camel"}, `Unknown case "camel". Use uppercase, lowercase or title case.`},
		"no filter field":       {Delete{Selector{Filter: Filter{Field: &eleven}}}, "There is no field 11."},
		"no search field":       {Delete{Selector{Filter: Filter{In: &eleven}}}, "There is no field 11."},
		"unknown field in Also": {Delete{Selector{Filter: Filter{Search: "x", Also: map[int][]string{eleven: {"x"}}}}}, "There is no field 11."},
		"unknown filter":        {Delete{Selector{Filter: Filter{Show: 77}}}, "Unknown filter."},
		"long search":           {Delete{Selector{Filter: Filter{Search: strings.Repeat("x", 5000)}}}, "The search text must be at most 4,096 bytes long."},
		"too many rows":         {Add{make([][]Typed, 10_001)}, "You can add at most 10,000 rows at once."},
		"expired view":          {Clear{Selector{Token: "x"}}, "You loaded these rows too long ago. Check them again before you change them."},
		"map of read only":      {MapValue{Field: fLocked}, `The field "Locked" is read-only.`},
	} {
		for kind, do := range map[string]func() error{
			"preview": func() error { _, err := u.draft.Preview(t.Context(), c.o, nil); return err },
			"change":  func() error { _, err := u.draft.Change(t.Context(), c.o, u.saveOptions()); return err },
		} {
			var refusal *RefusedError
			if err := do(); !errors.As(err, &refusal) || refusal.Text.String() != c.text {
				t.Errorf("%s, %s: %v, want %s", name, kind, err, c.text)
			} else if refusal.Stale != (name == "expired view") {
				t.Errorf("%s, %s: got stale %v", name, kind, refusal.Stale)
			}
		}
	}
	if h, err := u.draft.History(t.Context()); err != nil || len(h.Done)+len(u.stored) > 0 {
		t.Errorf("history %+v, %v, %d stored", h, err, len(u.stored))
	}
}

// refusalOf returns the message code of err, which must be a RefusedError.
func refusalOf(t *testing.T, err error) string {
	t.Helper()
	var refusal *RefusedError
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v, want a RefusedError", err)
	}
	return refusal.Text.Code
}

// TestOperationLimits checks that operations at the maximum sizes are accepted, and that
// larger ones are refused.
func TestOperationLimits(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(2), 6, limits{})
	defer u.close(t)
	plan := func(o Operation) error { _, err := o.plan(u.draft); return err }
	if err := plan(Add{make([][]Typed, maxAdded)}); err != nil {
		t.Errorf("%d new rows: %v", maxAdded, err)
	}
	if code := refusalOf(t, plan(Add{make([][]Typed, maxAdded+1)})); code != "review.too_many_new_rows" {
		t.Errorf("%d new rows: %s", maxAdded+1, code)
	}
	cells := make([]Typed, maxTyped+1)
	cells[0].Field = -1 // makes plan fail after it has checked the size
	if code := refusalOf(t, plan(Set{cells[:maxTyped]})); code != "review.unknown_field" {
		t.Errorf("%d cells: %s", maxTyped, code)
	}
	if code := refusalOf(t, plan(Set{cells})); code != "review.too_many_cells" {
		t.Errorf("%d cells: %s", maxTyped+1, code)
	}
	for _, row := range []int64{-1, 1 << 32} {
		if code := refusalOf(t, plan(Set{[]Typed{{Row: row}}})); code != "review.unknown_row" {
			t.Errorf("row %d: %s", row, code)
		}
	}
	if err := plan(Set{[]Typed{{Row: 1<<32 - 1}}}); err != nil {
		t.Errorf("the last row number: %v", err)
	}
	for n, want := range map[int]string{maxSearch: "", maxSearch + 1: "review.search_too_long"} {
		err := u.draft.checkFilter(Filter{Search: strings.Repeat("x", n)})
		if (err != nil) != (want != "") || err != nil && refusalOf(t, err) != want {
			t.Errorf("search for %d bytes: %v", n, err)
		}
	}
}

// TestFieldLimits checks filters and counts by the first and the last field, and by field
// indexes that are out of range.
func TestFieldLimits(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(2), 6, limits{})
	defer u.close(t)
	last, first := fieldCount-1, 0
	noField, below, none := fieldCount, -2, intray.NoField
	for f, valid := range map[*int]bool{&last: true, &first: true, &none: true, &noField: false, &below: false} {
		if err := u.draft.checkFilter(Filter{Field: f}); (err == nil) != valid {
			t.Errorf("filter by field %d: %v", *f, err)
		}
		if err := u.draft.checkFilter(Filter{In: f}); (err == nil) != (valid && f != &none) {
			t.Errorf("search in field %d: %v", *f, err)
		}
		if err := u.draft.checkFilter(Filter{Also: map[int][]string{*f: nil}}); (err == nil) != (valid && f != &none) {
			t.Errorf("search with texts of field %d: %v", *f, err)
		}
		if _, err := u.draft.Distinct(t.Context(), *f, Query{}, 1); (err == nil) != (valid && f != &none) {
			t.Errorf("distinct texts of field %d: %v", *f, err)
		}
	}
	if err := u.draft.checkFilter(Filter{Show: Valid}); err != nil {
		t.Error(err)
	}
	if err := u.draft.checkFilter(Filter{Show: Valid + 1}); err == nil {
		t.Error("accepted an unknown Show")
	}
}
