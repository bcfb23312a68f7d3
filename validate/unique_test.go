package validate_test

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/validate"
)

func unique(rule string, options map[string]any) intray.Field {
	return intray.Field{Key: "f", Label: "F", Validators: []intray.Validator{{Rule: rule, Options: options}}}
}

// table returns the rows of a table as batches, each with at most size rows. The cell "null" is
// null.
func table(rows [][]string, size int) (batches []*intray.Batch) {
	for first := 0; first < len(rows); first += size {
		some := rows[first:min(len(rows), first+size)]
		b := batch(len(rows[0]), len(some))
		b.First = int64(first)
		for _, row := range some {
			for f, text := range row {
				if text == "null" {
					b.Fields[f].AppendNull([]byte("bad"))
				} else {
					b.Fields[f].AppendValue([]byte(text))
				}
			}
		}
		batches = append(batches, b)
	}
	return batches
}

// repeated returns the rows that violate each rule.
func repeated(t testing.TB, rules *validate.Rules, batches []*intray.Batch) map[string][]uint32 {
	t.Helper()
	u := rules.UniqueChecker(t.TempDir(), validate.NewBudget())
	defer func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}()
	var group sync.WaitGroup
	for _, b := range batches {
		group.Go(func() {
			if err := u.AddBatch(b); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	found, err := u.Finish()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]uint32{}
	for _, d := range found {
		rows[fmt.Sprintf("%d %s", d.Problem.Field, d.Problem.Code)] = d.Rows.ToArray()
	}
	return rows
}

func TestUnique(t *testing.T) {
	with := map[string]any{"uniqueKey": "k"}
	other := map[string]any{"uniqueKey": "l"}
	for name, c := range map[string]struct {
		fields []intray.Field
		rows   string
		want   map[string][]uint32
	}{
		"none twice":       {[]intray.Field{unique("unique", nil)}, "a|b|c", map[string][]uint32{}},
		"every row of all": {[]intray.Field{unique("unique", nil)}, "a|b|a|c|b|a", map[string][]uint32{"0 unique": {0, 1, 2, 4, 5}}},
		"empty and unread": {[]intray.Field{unique("unique", nil)}, "|| |null|null|x", map[string][]uint32{}},
		"case counts":      {[]intray.Field{unique("unique", nil)}, "a|A|ä|Ä", map[string][]uint32{}},
		"case does not":    {[]intray.Field{unique("unique_case_insensitive", nil)}, "a|A|ä|Ä|ß|b", map[string][]uint32{"0 unique_case_insensitive": {0, 1, 2, 3}}},
		"sigma":            {[]intray.Field{unique("unique_case_insensitive", nil)}, "ΟΔΟΣ|οδος|οδοσ", map[string][]uint32{"0 unique_case_insensitive": {0, 1, 2}}},
		"two together":     {[]intray.Field{unique("unique_with", with), unique("unique_with", with)}, "a,b|a,c|b,a|a,b|ab,", map[string][]uint32{"0 unique_with": {0, 3}, "1 unique_with": {0, 3}}},
		"no mixing up":     {[]intray.Field{unique("unique_with", with), unique("unique_with", with)}, "ab,c|a,bc|,|,|a,|a,", map[string][]uint32{"0 unique_with": {4, 5}, "1 unique_with": {4, 5}}},
		"apart":            {[]intray.Field{unique("unique_with", with), unique("unique_with", other)}, "a,b|a,c", map[string][]uint32{"0 unique_with": {0, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			var rows [][]string
			for _, row := range strings.Split(c.rows, "|") {
				rows = append(rows, strings.Split(row, ","))
			}
			for _, size := range []int{1, 2, 100} {
				if diff := cmp.Diff(c.want, repeated(t, compiled(t, c.fields...), table(rows, size))); diff != "" {
					t.Errorf("in batches of %d: %s", size, diff)
				}
			}
		})
	}
}

// TestUniqueAgainstMap compares the duplicates that a UniqueChecker finds in random tables
// with those that a map finds. Some tables have so many rows that values are spilled.
func TestUniqueAgainstMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, kinds := rapid.IntRange(1, 60_000).Draw(rt, "rows"), rapid.IntRange(1, 100_000).Draw(rt, "values")
		rows := make([][]string, n)
		seen := map[string][]uint32{}
		random := rapid.Uint64().Draw(rt, "seed")
		for i := range rows {
			random = random*6364136223846793005 + 1442695040888963407
			v := fmt.Sprint((random >> 33) % uint64(kinds))
			rows[i] = []string{v}
			seen[v] = append(seen[v], uint32(i))
		}
		want := map[string][]uint32{}
		for _, at := range seen {
			if len(at) > 1 {
				want["0 unique"] = append(want["0 unique"], at...)
			}
		}
		for _, at := range want {
			sort.Slice(at, func(i, j int) bool { return at[i] < at[j] })
		}
		fields := []intray.Field{unique("unique", nil)}
		if diff := cmp.Diff(want, repeated(t, compiled(t, fields...), table(rows, 7000))); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// TestManyUniques checks that unique rules on many fields find their duplicates in a table
// with enough rows to spill.
func TestManyUniques(t *testing.T) {
	const fields, rows = 100, 3000
	list, cells := make([]intray.Field, fields), make([][]string, rows)
	for f := range list {
		list[f] = unique("unique", nil)
	}
	for i := range cells {
		for f := range fields {
			cells[i] = append(cells[i], fmt.Sprint(f, i%(rows-1)))
		}
	}
	for rule, at := range repeated(t, compiled(t, list...), table(cells, 1000)) {
		if diff := cmp.Diff([]uint32{0, rows - 1}, at); diff != "" {
			t.Errorf("%s: %s", rule, diff)
		}
	}
}

func TestUniqueCheckerLeavesNoFile(t *testing.T) {
	folder := t.TempDir()
	u := compiled(t, unique("unique", nil)).UniqueChecker(folder, validate.NewBudget())
	rows := make([][]string, 300_000)
	for i := range rows {
		rows[i] = []string{fmt.Sprint(i)}
	}
	for _, b := range table(rows, 10_000) {
		if err := u.AddBatch(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if compiled(t, required(intray.LevelError, "")).UniqueChecker(folder, validate.NewBudget()) != nil {
		t.Error("a schema without such a rule compares values")
	}
}

func TestUniqueCheckerReportsFailure(t *testing.T) {
	u := compiled(t, unique("unique", nil)).UniqueChecker("/there/is/no/such/folder", validate.NewBudget())
	rows := make([][]string, 300_000)
	for i := range rows {
		rows[i] = []string{fmt.Sprint(i)}
	}
	if err := u.AddBatch(table(rows, len(rows))[0]); err == nil || !strings.Contains(err.Error(), "spill values") {
		t.Errorf("error %v", err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}

// BenchmarkUnique measures checking a million distinct values.
func BenchmarkUnique(b *testing.B) {
	rows := make([][]string, 1_000_000)
	for i := range rows {
		rows[i] = []string{fmt.Sprintf("person%d@example.org", i)}
	}
	batches := table(rows, 10_000)
	rules := compiled(b, unique("unique", nil))
	b.ReportAllocs()
	for b.Loop() {
		if found := repeated(b, rules, batches); len(found) > 0 {
			b.Fatal(found)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(rows))/b.Elapsed().Seconds(), "values/s")
}
