package draft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
)

// sameRows makes rows that are all alike, but for their mail.
func sameRows(n int) (rows [][]string) {
	for i := range n {
		rows = append(rows, []string{"Ann", fmt.Sprintf("m%d", i), fmt.Sprintf("c%d", i), fmt.Sprintf("l%d", i), fmt.Sprintf("r%d", i), "locked", "hidden", `["1","2"]`})
	}
	return rows
}

// TestTexts changes the text of one cell in many ways.
func TestTexts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    func(w Selector) Operation
		want string
	}{
		"any case":      {"Foo foo FOO", func(w Selector) Operation { return Replace{Where: w, Find: "foo", With: "x"} }, "x x x"},
		"one case":      {"Foo foo FOO", func(w Selector) Operation { return Replace{Where: w, Find: "foo", With: "x", MatchCase: true} }, "Foo x FOO"},
		"no expression": {"a.b$c", func(w Selector) Operation { return Replace{Where: w, Find: ".B$", With: "$1"} }, "a$1c"},
		"whole":         {"ab", func(w Selector) Operation { return Replace{Where: w, Find: "AB", With: "x", Whole: true} }, "x"},
		"not whole":     {"abc", func(w Selector) Operation { return Replace{Where: w, Find: "AB", With: "x", Whole: true} }, "abc"},
		"whole, one case": {"ab", func(w Selector) Operation {
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
		"upper":         {"straße ä", func(w Selector) Operation { return Case{w, Upper} }, "STRASSE Ä"},
		"lower":         {"ÄB", func(w Selector) Operation { return Case{w, Lower} }, "äb"},
		"title":         {"anna-MARIA o'neil ÉLODIE", func(w Selector) Operation { return Case{w, Title} }, "Anna-Maria O'neil Élodie"},
		"map":           {"a", func(Selector) Operation { return MapValue{Field: fName, Raw: "a", Text: "b"} }, "b"},
		"map another":   {"A", func(Selector) Operation { return MapValue{Field: fName, Raw: "a", Text: "b"} }, "A"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := sameRows(1)
			rows[0][fName] = c.text
			u := newUnder(t, t.TempDir(), rows, 10, limits{})
			defer u.close(t)
			v := u.change(t, c.o(Selector{Fields: []int{fName}}))
			row, _, err := u.draft.Row(t.Context(), 0)
			if err != nil || row.Cells[fName].Raw != c.want || (v.Cells == 1) != (c.want != c.text) {
				t.Errorf("%q became %q (%+v, %v), want %q", c.text, row.Cells[fName].Raw, v, err, c.want)
			}
		})
	}
}

// TestFolding wants letters that an expression takes for one to be one to a search.
func TestFolding(t *testing.T) {
	for r := range unicode.MaxRune {
		other := unicode.SimpleFold(r)
		if a, b := foldCase([]byte(string(r)), nil), foldCase([]byte(string(other)), nil); string(a) != string(b) {
			t.Errorf("%q and %q are %q and %q", r, other, a, b)
		}
	}
}

// TestRefusals asks for what cannot be done.
func TestRefusals(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(3), 10, limits{})
	defer u.close(t)
	field := func(f int) Selector { return Selector{Fields: []int{f}} }
	eleven := 11
	for name, c := range map[string]struct {
		o    Operation
		text string
	}{
		"read only":        {Fill{Where: field(fLocked), Text: "x"}, `The field "Locked" is read-only.`},
		"hidden":           {Clear{field(fHidden)}, `The field "hidden" is hidden and cannot be changed.`},
		"set read only":    {Set{[]Typed{{Field: fLocked}}}, `The field "Locked" is read-only.`},
		"add hidden":       {Add{[][]Typed{{{Field: fHidden}}}}, `The field "hidden" is hidden and cannot be changed.`},
		"no field":         {Fill{Where: field(eleven), Text: "x"}, "There is no field 11."},
		"no part":          {Set{[]Typed{{Field: fMany, Part: 2}}}, `The field "Many" has no column 2.`},
		"no row":           {Set{[]Typed{{Row: 3, Field: fName}}}, "There is no row 3."},
		"far row":          {Set{[]Typed{{Row: 1 << 40, Field: fName}}}, "There is no row 1,099,511,627,776."},
		"bad expression":   {Replace{Find: "(", Expression: true}, "Invalid expression: missing closing parenthesis: `(?i)(`."},
		"nothing to find":  {Replace{}, "Enter text to search for."},
		"no casing":        {Case{To: "camel"}, `Unknown case "camel". Use uppercase, lowercase or title case.`},
		"no filter field":  {Delete{Selector{Filter: Filter{Field: &eleven}}}, "There is no field 11."},
		"no search field":  {Delete{Selector{Filter: Filter{In: &eleven}}}, "There is no field 11."},
		"no field also":    {Delete{Selector{Filter: Filter{Search: "x", Also: map[int][]string{eleven: {"x"}}}}}, "There is no field 11."},
		"unknown filter":   {Delete{Selector{Filter: Filter{Show: 77}}}, "Unknown filter."},
		"a long search":    {Delete{Selector{Filter: Filter{Search: strings.Repeat("x", 5000)}}}, "The search text must be at most 4,096 bytes long."},
		"too many rows":    {Add{make([][]Typed, 10_001)}, "You can add at most 10,000 rows at once."},
		"a forgotten view": {Clear{Selector{Token: "x"}}, "You loaded these rows too long ago. Check them again before you change them."},
		"map of read only": {MapValue{Field: fLocked}, `The field "Locked" is read-only.`},
	} {
		for kind, do := range map[string]func() error{
			"preview": func() error { _, err := u.draft.Preview(t.Context(), c.o, nil); return err },
			"change":  func() error { _, err := u.draft.Change(t.Context(), c.o, u.call()); return err },
		} {
			var refusal *Refusal
			if err := do(); !errors.As(err, &refusal) || refusal.Text.String() != c.text {
				t.Errorf("%s, %s: %v, want %s", name, kind, err, c.text)
			} else if refusal.Stale != (name == "a forgotten view") {
				t.Errorf("%s, %s: stale is %v", name, kind, refusal.Stale)
			}
		}
	}
	if h, err := u.draft.History(t.Context()); err != nil || len(h.Done)+len(u.kept) > 0 {
		t.Errorf("%+v, %v, %d kept", h, err, len(u.kept))
	}
}

// TestCellConflict has two persons type into the same cells.
func TestCellConflict(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(9), 4, limits{})
	defer u.close(t)
	typed := func(row int64, field int, text, seen string) Typed {
		return Typed{Row: row, Field: field, Text: text, Seen: seen}
	}
	u.change(t, Set{[]Typed{typed(1, fName, "Ben", "Ann"), typed(6, fName, "Bea", "Ann")}})
	u.change(t, Delete{Selector{Numbers: []int64{7}}})
	late := Set{[]Typed{typed(0, fName, "Cy", "Ann"), typed(1, fName, "Cy", "Ann"), typed(6, fName, "Cy", "Ann"), typed(7, fName, "Cy", "Ann")}}
	for kind, do := range map[string]func() error{
		"preview": func() error { _, err := u.draft.Preview(t.Context(), late, nil); return err },
		"change":  func() error { _, err := u.draft.Change(t.Context(), late, u.call()); return err },
	} {
		var conflict *Conflict
		if err := do(); !errors.As(err, &conflict) {
			t.Fatalf("%s: %v", kind, err)
		}
		want := []CellConflict{
			{Row: 1, Field: fName, Version: 1, Seen: "Ann", Now: "Ben"}, {Row: 6, Field: fName, Version: 1, Seen: "Ann", Now: "Bea"},
			{Row: 7, Field: fName, Gone: true, Seen: "Ann"},
		}
		if diff := cmp.Diff(want, conflict.Cells, cmpopts.SortSlices(func(a, b CellConflict) bool { return a.Row < b.Row })); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
		if !strings.Contains(conflict.Error(), "3 of these cells") || !strings.Contains((&Conflict{make([]CellConflict, 1)}).Error(), "1 of these cells") {
			t.Error(conflict)
		}
	}
	if r, _, err := u.draft.Row(t.Context(), 0); err != nil || r.Cells[fName].Raw != "Ann" {
		t.Errorf("the change was made in part: %+v, %v", r, err)
	}
	// Another cell of the row, and the cell as it is by now, are no clash.
	v := u.change(t, Set{[]Typed{typed(1, fMail, "new", "m1"), {Row: 6, Field: fName, Text: "Cy", Seen: "Ann", Version: 1}}})
	if v.Rows != 2 || v.Seq != 3 {
		t.Errorf("%+v", v)
	}
	if _, there, err := u.draft.Row(t.Context(), 7); there || err != nil {
		t.Errorf("the deleted row is there: %v", err)
	}
}

// TestVerdict previews a change of many rows, among them some that it repairs and
// some that it breaks.
func TestVerdict(t *testing.T) {
	rows := sameRows(60)
	for i := range rows {
		if i%2 == 0 {
			rows[i][fName] = "bad"
		}
	}
	u := newUnder(t, t.TempDir(), rows, 7, limits{})
	defer u.close(t)
	got, err := u.draft.Preview(t.Context(), Replace{Where: Selector{Fields: []int{fName}}, Find: "bad", With: "good"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got.Samples {
		if s.Row != int64(2*i) || s.Before.Raw != "bad" || !s.Before.Null || len(s.Before.Problems) != 1 || s.After.Value != "good" || len(s.After.Problems) > 0 {
			t.Errorf("sample %d is %+v", i, s)
		}
	}
	if len(got.Samples) != 20 {
		t.Errorf("%d samples", len(got.Samples))
	}
	if diff := cmp.Diff(ChangeResult{Cells: 30, Rows: 30, Valid: 30}, got, cmpopts.IgnoreFields(ChangeResult{}, "Samples")); diff != "" {
		t.Error(diff)
	}
	// All mails become one: every row breaks the rule, and 15 had an error before.
	got, err = u.draft.Preview(t.Context(), Fill{Where: Selector{Fields: []int{fMail}}, Text: "one"}, nil)
	if err != nil || got.Invalid != 15 || got.Valid != 0 || got.Rows != 60 {
		t.Errorf("%+v, %v", got, err)
	}
}

// recorder remembers the keys of the blobs that were begun.
type recorder struct {
	blob.Store
	mu   sync.Mutex
	keys []string
}

func (r *recorder) Create(ctx context.Context, key string) (blob.Writer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = append(r.keys, key)
	return r.Store.Create(ctx, key)
}

// TestCallThatFails wants nothing to have changed, and nothing to be left, after a
// change that was not kept or did not come to its end.
func TestCallThatFails(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(40), 4, limits{rows: 3, moves: 3})
	defer func() { u.close(t) }()
	made := &recorder{Store: u.store}
	u.close(t)
	u.cfg.Blobs = made
	u.open(t)
	before := u.draft.now.Load()
	full := errors.New("the log is full")
	all := Fill{Where: Selector{Fields: []int{fMail}}, Text: "x"}
	stopped, stop := context.WithCancel(t.Context())
	for name, do := range []func() error{
		func() error {
			_, err := u.draft.Change(stopped, all, ChangeOptions{Progress: func(done, _ int64) {
				if done > 10 {
					stop()
				}
			}})
			return err
		},
		func() (err error) {
			for range 20 { // whoever does not come in leaves the door open
				_, err = u.draft.Preview(stopped, all, nil)
			}
			return err
		},
	} {
		err := do()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", name, err)
		}
		if u.draft.now.Load() != before {
			t.Errorf("%d: rows changed", name)
		}
		for _, key := range made.keys {
			if r, err := u.store.Open(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%d: %s is left: %v, %v", name, key, r, err)
			}
		}
	}
	// What was perhaps kept can be opened all the same.
	if _, err := u.draft.Change(t.Context(), all, ChangeOptions{Save: func(ctx context.Context, k StoredRevision, v ChangeResult) error {
		return errors.Join(full, u.call().Save(ctx, k, v))
	}}); !errors.Is(err, full) || u.draft.now.Load() != before {
		t.Errorf("not kept: %v", err)
	}
	u.close(t)
	if n, err := u.readAll(); n != 40 || err != nil {
		t.Errorf("perhaps kept: %d rows, %v", n, err)
	}
	u.kept = nil
	u.open(t)
	if len(made.keys) < 2 {
		t.Errorf("only %v were ever made", made.keys)
	}
	if v, err := u.draft.Change(t.Context(), all, u.call()); err != nil || v.Seq != 1 || v.Rows != 40 {
		t.Errorf("afterwards: %+v, %v", v, err)
	}
	if _, err := u.draft.Undo(t.Context(), func(context.Context, int64) error { return full }); !errors.Is(err, full) || u.draft.now.Load().live == nil || len(u.draft.now.Load().revisions) != 1 {
		t.Errorf("undo: %v", err)
	}
}

// TestManyAtOnce reads while changes are made, undone and dropped. What is read is
// of one moment.
func TestManyAtOnce(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(60), 7, limits{rows: 5, moves: 4})
	defer u.close(t)
	var group sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				w, err := u.draft.Window(context.Background(), Query{Filter: Filter{Search: "step"}}, 0, 100)
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range w.Rows {
					if r.Cells[fName].Raw != w.Rows[0].Cells[fName].Raw {
						t.Errorf("rows of two moments: %q and %q", r.Cells[fName].Raw, w.Rows[0].Cells[fName].Raw)
						return
					}
				}
				if _, err := u.draft.Distinct(context.Background(), fName, Query{}, 3); err != nil {
					t.Error(err)
				}
				for _, err := range u.draft.Batches(context.Background()) {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for i := range 25 {
		if _, err := u.draft.Change(t.Context(), Fill{Where: Selector{Fields: []int{fName}}, Text: fmt.Sprint("step ", i)}, u.call()); err != nil {
			t.Error(err)
		}
		if i%3 == 0 {
			if _, err := u.draft.Undo(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
	}
	close(done)
	group.Wait()
}

// TestCountsCoverLiveRows wants the example of a problem to be that of a row which
// has it.
func TestCountsCoverLiveRows(t *testing.T) {
	rows := sameRows(6)
	rows[1][fName], rows[4][fName] = "odd A", "odd B"
	u := newUnder(t, t.TempDir(), rows, 4, limits{})
	defer u.close(t)
	for i, want := range []string{"odd A is odd", "odd B is odd", "odd C is odd"} {
		counts, err := u.draft.Counts(t.Context())
		if err != nil || len(counts) == 0 || counts[slices.IndexFunc(counts, func(c Count) bool { return c.Code == "odd" })].Text.String() != want {
			t.Fatalf("%+v, %v; want %q", counts, err, want)
		}
		u.change(t, []Operation{
			Fill{Where: Selector{Numbers: []int64{1}, Fields: []int{fName}}, Text: "fine"},
			Fill{Where: Selector{Numbers: []int64{4}, Fields: []int{fName}}, Text: "odd C"}, Delete{},
		}[i])
	}
}

// countingRevalidator counts the rows of each call.
type countingRevalidator struct {
	testRevalidator
	mu    *sync.Mutex
	calls *[]int
}

func (d countingRevalidator) Change(ctx context.Context, b *intray.Batch, edits []Edit) error {
	d.mu.Lock()
	*d.calls = append(*d.calls, b.Rows())
	d.mu.Unlock()
	return d.testRevalidator.Change(ctx, b, edits)
}

// TestWholeChange lets the desk see all rows of a change at once, also where they are
// many.
func TestWholeChange(t *testing.T) {
	const many = stagedAtOnce + 1000
	u := newUnder(t, t.TempDir(), sameRows(many), 5000, limits{})
	defer func() { u.close(t) }()
	u.close(t)
	var calls []int
	u.cfg.Revalidator, u.cfg.Whole = countingRevalidator{mu: &sync.Mutex{}, calls: &calls}, true
	u.open(t)
	fill := Fill{Where: Selector{Fields: []int{fName}}, Text: "new"}
	v, err := u.draft.Change(t.Context(), fill, u.call())
	if err != nil || v.Rows != many || v.Cells != many || !slices.Equal(calls, []int{many}) {
		t.Fatalf("%d rows in calls %v: %v", v.Rows, calls, err)
	}
	u.close(t)
	u.open(t)
	if row, there, err := u.draft.Row(t.Context(), many-1); err != nil || !there || row.Cells[fName].Raw != "new" {
		t.Errorf("the last row is %+v, %v", row, err)
	}
	if v, err = u.draft.Preview(t.Context(), fill, nil); err != nil || v.Rows != 0 || len(calls) != 1 {
		t.Errorf("where nothing changes: %+v, calls %v, %v", v, calls, err)
	}
}
