package draft

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textedit"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// failer is the part of testing.TB that *rapid.T also implements.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// texts are the raw values that cells in random tests can have.
var texts = []string{"", "a", "A", "b", " b", "bad", "odd", "x  y", "Käse", "ſ", "Kk", "a.a"}

// drawTexts draws the raw values of a row.
func drawTexts(t *rapid.T) []string {
	out := make([]string, fieldCount)
	for f := range out {
		out[f] = rapid.SampledFrom(texts).Draw(t, "text")
	}
	out[fMany] = manyRaw([]string{out[fMany], rapid.SampledFrom(texts).Draw(t, "text")})
	return out
}

// stageModel stages the rows of a model in batches with the given number of rows.
func stageModel(t failer, store blob.Store, m *model, size int64) *staging.Stage {
	t.Helper()
	layout := staging.Layout{Unmapped: []int{9}}
	for _, f := range testFields() {
		layout.Fields = append(layout.Fields, f.Key)
	}
	w := staging.NewWriter(context.Background(), store, "import/stage", layout, staging.Config{SegmentRows: 3 * size})
	for first := int64(0); first < m.next; first += size {
		b := testRevalidator{}.BlankRows(first, 0)
		for n := first; n < min(m.next, first+size); n++ {
			r := m.rows[n]
			b.Lines = append(b.Lines, r.line)
			b.Unmapped[0].Cells.AppendString(fmt.Sprint("unmapped ", n))
			if r.count {
				b.Problems = append(b.Problems, intray.Problem{Row: int(n - first), Field: intray.NoField, Code: "cell_count", Text: intray.Literal("too few cells")})
			}
			appendParsedRow(b, int(n-first), r.texts)
		}
		commit, err := w.StageBatch(b)
		if err == nil {
			err = commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, rows := range m.duplicateRows() {
		marked := roaring.New()
		for _, n := range rows {
			marked.Add(uint32(n))
		}
		if err := w.AddProblem(tableRules()[i].problem, marked); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, err := staging.Open(context.Background(), store, "import/stage")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// recorder is a store that records the keys of the blobs created in it.
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

// existingKeys returns the recorded keys whose blobs still exist.
func (r *recorder) existingKeys(t failer) (existing []string) {
	t.Helper()
	r.mu.Lock()
	keys := slices.Compact(slices.Sorted(slices.Values(r.keys)))
	r.mu.Unlock()
	for _, key := range keys {
		switch b, err := r.Open(context.Background(), key); {
		case err == nil:
			_ = b.Close()
			existing = append(existing, key)
		case !errors.Is(err, blob.ErrNotFound):
			t.Fatal(err)
		}
	}
	return existing
}

// testDraft is a draft with its stored revisions, and the model that it must match.
type testDraft struct {
	*model
	store  *recorder
	cfg    Config
	draft  *Draft
	stored []StoredRevision
	undone int
	// largePrefix is the blob prefix of one large revision.
	largePrefix string
}

// newTestDraft stages rows and opens a draft of them.
func newTestDraft(t failer, temp string, rows [][]string, size int64, l limits) *testDraft {
	t.Helper()
	u := &testDraft{model: &model{rows: map[int64]modelRow{}}, store: &recorder{Store: blobtest.NewMemory()}}
	for i, cells := range rows {
		u.rows[int64(i)] = modelRow{texts: cells, line: int64(i) + 2, count: i%4 == 3}
	}
	u.next = int64(len(rows))
	l.free = max(l.free, 1)
	u.cfg = Config{
		Stage: stageModel(t, u.store, u.model, size), Blobs: u.store, Prefix: "import/draft",
		Fields: testFields(), Parts: testParts(), Revalidator: testRevalidator{}, Temp: temp, limits: l, Names: testNames(),
	}
	u.open(t)
	return u
}

func (u *testDraft) open(t failer) {
	t.Helper()
	u.cfg.Revisions, u.cfg.Undone = slices.Clone(u.stored), u.undone
	d, err := Open(context.Background(), u.cfg)
	if err != nil {
		t.Fatal(err)
	}
	u.draft = d
}

func (u *testDraft) close(t failer) {
	t.Helper()
	if err := u.draft.Close(); err != nil {
		t.Fatal(err)
	}
}

// saveOptions returns options whose Save appends revisions to u.stored.
func (u *testDraft) saveOptions() ChangeOptions {
	return ChangeOptions{Save: func(_ context.Context, k StoredRevision, v ChangeResult) error {
		if v.Seq != k.Seq {
			return fmt.Errorf("change %d is stored as %d", v.Seq, k.Seq)
		}
		u.stored = append(u.stored[:len(u.stored)-u.undone:len(u.stored)-u.undone], StoredRevision{k.Seq, slices.Clone(k.Body)})
		u.undone = 0
		return nil
	}}
}

// change previews and performs an operation, and checks that both results are equal.
func (u *testDraft) change(t failer, o Operation) ChangeResult {
	t.Helper()
	before := u.draft.now.Load().id
	want, err := u.draft.Preview(context.Background(), o, nil)
	if err != nil {
		t.Fatalf("preview %+v: %v", o, err)
	}
	if u.draft.now.Load().id != before {
		t.Fatalf("the preview of %+v changed rows", o)
	}
	got, err := u.draft.Change(context.Background(), o, u.saveOptions())
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	seq := got.Seq
	got.Seq = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("preview (-) and change (+) of %+v:\n%s", o, diff)
	}
	got.Seq = seq
	return got
}

// formatRows formats rows of a draft for comparison with the result of formatModel.
func formatRows(rows []Row) (out []string) {
	for _, r := range rows {
		line := fmt.Sprintf("%d v%d line %d:", r.Number, r.Version, r.Line)
		list := slices.Clone(r.Problems)
		for _, c := range r.Cells {
			line += fmt.Sprintf(" %q/%q/%v", c.Raw, c.Value, !c.Null)
			list = append(list, c.Problems...)
		}
		out = append(out, line+fmt.Sprint(withoutTexts(list)))
	}
	return out
}

func withoutTexts(list []intray.Problem) []intray.Problem {
	list = slices.Clone(list)
	for i := range list {
		list[i].Text, list[i].Row = intray.Literal(""), 0
	}
	sortProblems(list)
	return list
}

// drawFilter draws a random filter.
func drawFilter(t *rapid.T) Filter {
	f := Filter{Show: rapid.SampledFrom([]Show{All, All, Problems, Errors, Warnings, Infos, Valid}).Draw(t, "show")}
	if rapid.Bool().Draw(t, "by field") {
		field := rapid.IntRange(-1, fieldCount-1).Draw(t, "field")
		f.Field = &field
	}
	f.Code = rapid.SampledFrom([]string{"", "", "", "unique", "unique_with", "required", "format"}).Draw(t, "code")
	f.Search = rapid.SampledFrom([]string{"", "", "a", "bad", "KÄ", "s", "k", " ", "\"", "absent"}).Draw(t, "search")
	if rapid.Bool().Draw(t, "in one field") {
		in := rapid.IntRange(0, fieldCount-1).Draw(t, "in")
		f.In = &in
	}
	return f
}

// checkSame fails the test if the draft differs from the model.
func (u *testDraft) checkSame(t *rapid.T) {
	t.Helper()
	ctx := context.Background()
	problems := u.problems()
	for _, f := range []Filter{{}, {Show: Errors}, drawFilter(t)} {
		numbers := u.filtered(f, problems)
		w, err := u.draft.Window(ctx, Query{Filter: f}, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if w.View.Rows != int64(len(numbers)) {
			t.Fatalf("%+v: got %d rows, want %d", f.key(), w.View.Rows, len(numbers))
		}
		if diff := cmp.Diff(u.formatModel(numbers, problems), formatRows(w.Rows), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%+v: want (-) and got (+):\n%s", f.key(), diff)
		}
		first := rapid.IntRange(0, len(numbers)).Draw(t, "first")
		some, err := u.draft.Window(ctx, Query{Token: w.View.Token}, int64(first), 3)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(w.Rows[first:min(first+3, len(numbers))], some.Rows, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("3 rows from %d on: %s", first, diff)
		}
		u.checkDistinct(t, f, numbers)
		u.checkNext(t, f, numbers, problems)
	}
	u.checkCounts(t, problems)
	u.checkBatches(t, problems)
}

func (u *testDraft) checkDistinct(t *rapid.T, f Filter, numbers []int64) {
	t.Helper()
	field := rapid.IntRange(0, fieldCount-1).Draw(t, "counted field")
	most := rapid.IntRange(0, 4).Draw(t, "most")
	values := map[string]*Value{}
	for _, n := range numbers {
		for _, text := range modelCells(u.rows[n].texts, field) {
			if values[text] == nil {
				values[text] = &Value{Text: text, Row: n}
			}
			values[text].Cells++
		}
	}
	got, err := u.draft.Distinct(context.Background(), field, Query{Filter: f}, most)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Values) != min(most, len(values)) || got.More != int64(len(values)-len(got.Values)) {
		t.Fatalf("field %d: %d values and %d more, want %d", field, len(got.Values), got.More, len(values))
	}
	least := int64(1 << 40)
	for _, v := range got.Values {
		if values[v.Text] == nil || *values[v.Text] != v || v.Cells > least {
			t.Fatalf("field %d: %+v, of %+v", field, v, values[v.Text])
		}
		least = v.Cells
		delete(values, v.Text)
	}
	for _, v := range values {
		if most > 0 && v.Cells > least {
			t.Fatalf("field %d: %+v is missing", field, v)
		}
	}
}

func (u *testDraft) checkNext(t *rapid.T, f Filter, numbers []int64, problems map[int64][]intray.Problem) {
	t.Helper()
	row := rapid.Int64Range(-1, u.next).Draw(t, "row")
	back := rapid.Bool().Draw(t, "back")
	want, there := RowPosition{}, false
	for place, n := range numbers {
		if len(problems[n]) == 0 || back && n >= row || !back && (n <= row || there) {
			continue
		}
		want, there = RowPosition{n, int64(place)}, true
	}
	got, has, err := u.draft.Next(context.Background(), Query{Filter: f}, Filter{}, row, back)
	if err != nil || has != there || got != want {
		t.Fatalf("next to %d, back %v: %+v, %v, %v, want %+v", row, back, got, has, err, want)
	}
}

func (u *testDraft) checkCounts(t *rapid.T, problems map[int64][]intray.Problem) {
	t.Helper()
	want := map[Kind]int64{}
	totals := Totals{Rows: int64(len(u.rows))}
	var errorRows []int64
	for _, n := range u.numbers() {
		kinds, levels := map[Kind]bool{}, [3]int64{}
		for _, p := range problems[n] {
			kinds[kindOf(&p)] = true
			levels[p.Level] = 1
		}
		for k := range kinds {
			want[k]++
		}
		totals.Errors, totals.Warnings, totals.Infos = totals.Errors+levels[0], totals.Warnings+levels[1], totals.Infos+levels[2]
		if levels[0] > 0 {
			errorRows = append(errorRows, n)
		}
	}
	counts, err := u.draft.Counts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[Kind]int64{}
	for _, c := range counts {
		got[c.Kind] = c.Rows
		if c.Text.IsZero() {
			t.Fatalf("%+v has no message", c.Kind)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("counts: want (-) and got (+):\n%s", diff)
	}
	if diff := cmp.Diff(totals, u.draft.Totals()); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(errorRows[:min(5, len(errorRows))], u.draft.ErrorRows(5), cmpopts.EquateEmpty()); diff != "" {
		t.Fatal(diff)
	}
}

func (u *testDraft) checkBatches(t *rapid.T, problems map[int64][]intray.Problem) {
	t.Helper()
	var got []string
	numbers := u.numbers()
	for b, err := range u.draft.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows() {
			line := ""
			for f := range b.Fields {
				v, there := b.Fields[f].Value(row)
				line += fmt.Sprintf(" %q/%q/%v", b.Fields[f].Raw(row), v, there)
			}
			n := numbers[len(got)]
			if unmapped := string(b.Unmapped[0].Cells.At(row)); unmapped != "" && unmapped != fmt.Sprint("unmapped ", n) {
				t.Fatalf("row %d has %q", n, unmapped)
			}
			got = append(got, fmt.Sprintf("%d v%d line %d:%s%v", n, u.rows[n].version, b.Lines[row], line, withoutTexts(problemsOf(b.Problems, row))))
		}
	}
	if diff := cmp.Diff(u.formatModel(numbers, problems), got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("batches: want (-) and got (+):\n%s", diff)
	}
}

// drawLimits draws limits that are so small that small tables exceed them.
func drawLimits(t *rapid.T) limits {
	of := func(name string) int { return rapid.SampledFrom([]int{0, 1, 3}).Draw(t, name) }
	return limits{rows: of("rows"), bytes: of("bytes"), body: of("body"), held: of("held"), moves: of("moves"), moved: of("moved"), counted: of("counted"), touched: of("touched")}
}

// TestDraft applies random operations to a draft and a model. It checks that they
// are equal after each operation and after the draft is reopened.
func TestDraft(t *testing.T) {
	temp := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var rows [][]string
		for range rapid.IntRange(1, 30).Draw(t, "rows") {
			rows = append(rows, drawTexts(t))
		}
		u := newTestDraft(t, temp, rows, rapid.Int64Range(1, 9).Draw(t, "size"), drawLimits(t))
		defer func() { u.close(t) }()
		u.checkSame(t)
		steps := u.steps()
		names := slices.Sorted(maps.Keys(steps))
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			steps[rapid.SampledFrom(names).Draw(t, "step")](t)
			u.checkSame(t)
		}
	})
}

// steps returns the random operations of TestDraft.
func (u *testDraft) steps() map[string]func(t *rapid.T) {
	return map[string]func(t *rapid.T){
		"set": u.setCells, "set again": u.setCells, "texts": u.changeTexts, "texts again": u.changeTexts, "map": u.mapValue,
		"delete": u.deleteRows, "add": u.addRows, "accept": u.acceptRows,
		"undo": u.undoChange, "undo again": u.undoChange, "redo": u.redoChange, "open": func(t *rapid.T) {
			u.close(t)
			u.cfg.Whole = rapid.Bool().Draw(t, "whole")
			u.open(t)
		},
		"prepare": func(t *rapid.T) {
			if err := u.draft.Prepare(context.Background()); err != nil || u.draft.keyIndexes[0].index == nil {
				t.Fatal(err)
			}
		},
		"background": func(*rapid.T) { u.draft.background.Wait() },
	}
}

var editableFields = []int{fName, fMail, fCode, fLeft, fRight, fMany}

func (u *testDraft) setCells(t *rapid.T) {
	numbers := u.numbers()
	if len(numbers) == 0 {
		return
	}
	var cells []Typed
	after := u.clone()
	changed := map[int64]bool{}
	for range rapid.IntRange(1, 6).Draw(t, "cells") {
		c := Typed{
			Row: rapid.SampledFrom(numbers).Draw(t, "row"), Field: rapid.SampledFrom(editableFields).Draw(t, "field"),
			Text: rapid.SampledFrom(texts).Draw(t, "text"),
		}
		if c.Field == fMany {
			c.Part = rapid.IntRange(0, 1).Draw(t, "part")
		}
		c.Version, c.Seen = u.rows[c.Row].version, modelCells(u.rows[c.Row].texts, c.Field)[c.Part]
		cells = append(cells, c)
		setRaw(after[c.Row].texts, c.Field, c.Part, c.Text)
	}
	for n, r := range after {
		if !slices.Equal(r.texts, u.rows[n].texts) {
			changed[n] = true
			r.version = u.seq + 1
			after[n] = r
		}
	}
	v := u.change(t, Set{cells})
	if v.Rows != int64(len(changed)) {
		t.Fatalf("changed %d rows, want %d", v.Rows, len(changed))
	}
	if len(changed) > 0 {
		u.recordChange()
		u.rows = after
	}
}

// drawSelector draws a selector. It returns the selector, and the rows and fields
// that it selects.
func (u *testDraft) drawSelector(t *rapid.T) (Selector, []int64, []int) {
	s := Selector{Filter: drawFilter(t)}
	numbers := u.filtered(s.Filter, u.problems())
	if rapid.Bool().Draw(t, "explicit rows") {
		s.Filter, s.Numbers = Filter{}, rapid.SliceOfN(rapid.Int64Range(-1, u.next), 0, 5).Draw(t, "numbers")
		numbers = slices.DeleteFunc(u.numbers(), func(n int64) bool { return !slices.Contains(s.Numbers, n) })
		if s.Numbers == nil {
			s.Numbers = []int64{}
		}
	}
	fields := editableFields
	if rapid.Bool().Draw(t, "one field") {
		s.Fields = []int{rapid.SampledFrom(editableFields).Draw(t, "only field")}
		fields = s.Fields
	}
	return s, numbers, fields
}

func (u *testDraft) changeTexts(t *rapid.T) {
	where, numbers, fields := u.drawSelector(t)
	text := rapid.SampledFrom(texts).Draw(t, "with")
	all := map[string]struct {
		o  Operation
		do func(string) string
	}{
		"fill":    {Fill{Where: where, Text: text}, func(string) string { return text }},
		"clear":   {Clear{where}, func(string) string { return "" }},
		"trim":    {Trim{Where: where}, strings.TrimSpace},
		"inner":   {Trim{where, true}, func(s string) string { return strings.Join(strings.Fields(s), " ") }},
		"upper":   {Case{where, textedit.Upper}, strings.ToUpper},
		"lower":   {Case{where, textedit.Lower}, strings.ToLower},
		"replace": {Replace{Where: where, Find: "a", With: text, MatchCase: true}, func(s string) string { return strings.ReplaceAll(s, "a", text) }},
		"whole": {Replace{Where: where, Find: "A", With: text, Whole: true}, func(s string) string {
			if strings.EqualFold(s, "a") {
				return text
			}
			return s
		}},
	}
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(t, "operation")
	before := len(u.past)
	v := u.change(t, all[name].o)
	if cells := u.eachText(numbers, fields, all[name].do); v.Cells != cells || (v.Seq > 0) != (len(u.past) > before) {
		t.Fatalf("%s: %+v, want %d cells", name, v, cells)
	}
}

func (u *testDraft) mapValue(t *rapid.T) {
	where, numbers, _ := u.drawSelector(t)
	o := MapValue{
		Where: where, Field: rapid.SampledFrom(editableFields).Draw(t, "field"),
		Raw: rapid.SampledFrom(texts).Draw(t, "raw"), Text: rapid.SampledFrom(texts).Draw(t, "to"),
	}
	v := u.change(t, o)
	cells := u.eachText(numbers, []int{o.Field}, func(text string) string {
		if text == o.Raw {
			return o.Text
		}
		return text
	})
	if v.Cells != cells {
		t.Fatalf("changed %d cells, want %d", v.Cells, cells)
	}
}

func (u *testDraft) deleteRows(t *rapid.T) {
	where, numbers, _ := u.drawSelector(t)
	v := u.change(t, Delete{where})
	if v.Deleted != int64(len(numbers)) {
		t.Fatalf("deleted %d rows, want %d", v.Deleted, len(numbers))
	}
	if len(numbers) == 0 {
		return
	}
	u.recordChange()
	for _, n := range numbers {
		delete(u.rows, n)
	}
}

func (u *testDraft) addRows(t *rapid.T) {
	var o Add
	for range rapid.IntRange(1, 4).Draw(t, "added") {
		var cells []Typed
		for range rapid.IntRange(0, 3).Draw(t, "cells") {
			cells = append(cells, Typed{Field: rapid.SampledFrom(editableFields).Draw(t, "field"), Text: rapid.SampledFrom(texts).Draw(t, "text")})
		}
		o.Rows = append(o.Rows, cells)
	}
	if v := u.change(t, o); v.Added != int64(len(o.Rows)) {
		t.Fatalf("added %d rows, want %d", v.Added, len(o.Rows))
	}
	seq := u.recordChange()
	for _, cells := range o.Rows {
		r := modelRow{texts: make([]string, fieldCount), version: seq}
		for _, c := range cells {
			setRaw(r.texts, c.Field, c.Part, c.Text)
		}
		u.rows[u.next] = r
		u.next++
	}
}

func (u *testDraft) acceptRows(t *rapid.T) {
	where, numbers, _ := u.drawSelector(t)
	numbers = slices.DeleteFunc(numbers, func(n int64) bool { return !u.rows[n].count })
	v := u.change(t, Accept{where})
	if v.Rows != int64(len(numbers)) {
		t.Fatalf("accepted %d rows, want %d", v.Rows, len(numbers))
	}
	if len(numbers) == 0 {
		return
	}
	seq := u.recordChange()
	for _, n := range numbers {
		r := u.rows[n]
		r.count, r.version = false, seq
		u.rows[n] = r
	}
}

func (u *testDraft) undoChange(t *rapid.T) {
	_, err := u.draft.Undo(context.Background(), func(context.Context, int64) error { u.undone++; return nil })
	if len(u.past) == 0 {
		if !errors.Is(err, ErrNothing) {
			t.Fatalf("undo: got %v, want ErrNothing", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	u.future = append(u.future, u.rows)
	u.rows, u.past = u.past[len(u.past)-1], u.past[:len(u.past)-1]
}

func (u *testDraft) redoChange(t *rapid.T) {
	_, err := u.draft.Redo(context.Background(), func(context.Context, int64) error { u.undone--; return nil })
	if len(u.future) == 0 {
		if !errors.Is(err, ErrNothing) {
			t.Fatalf("redo: got %v, want ErrNothing", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	u.past = append(u.past, u.rows)
	u.rows, u.future = u.future[len(u.future)-1], u.future[:len(u.future)-1]
}
