package csv

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func TestKeepBestTwo(t *testing.T) {
	for _, c := range []struct{ added, want []float64 }{
		{[]float64{1}, []float64{1}},
		{[]float64{1, 2}, []float64{2, 1}},
		{[]float64{2, 1}, []float64{2, 1}},
		{[]float64{1, 1}, []float64{1, 1}},
		{[]float64{1, 2, 3}, []float64{3, 2}},
		{[]float64{3, 1, 2}, []float64{3, 2}},
		{[]float64{3, 2, 1}, []float64{3, 2}},
	} {
		var ways []partialJoin
		for _, score := range c.added {
			ways = keepBestTwo(ways, partialJoin{score: score})
		}
		var got []float64
		for _, w := range ways {
			got = append(got, w.score)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.added, diff)
		}
	}
}

// TestManyRepairs checks that all rows of a file are repaired even if there are more repairs
// than the maximum number of notices.
func TestManyRepairs(t *testing.T) {
	rows := 15_000
	if testing.Short() {
		rows = 4_000
	}
	odd := map[int]string{}
	for n := 5; n <= rows; n += 3 {
		odd[n] = strings.Replace(contact(n), ",20", ",,20", 1)
	}
	got, notices := readRows(t, contacts(rows, odd))
	for n, row := range got {
		if len(row) != 5 {
			t.Fatalf("row %d is %q", n, row)
		}
	}
	if len(got) != rows || len(notices) != maxNoticesPerKind {
		t.Errorf("%d rows, %d notices", len(got), len(notices))
	}
}

// TestRepairWorkIsLimited checks that repairs end at maxRepairWork, with one notice.
func TestRepairWorkIsLimited(t *testing.T) {
	odd := map[int]string{}
	for n := 20; n < 40; n++ {
		odd[n] = strings.Replace(contact(n), ",20", ",,20", 1)
	}
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(contacts(60, odd))), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	r := opened.(*reader)
	r.repair.work = maxRepairWork + 1
	rows, notices := drainReader(t, r)
	if len(rows) != 60 || len(rows[19]) != 6 || len(notices) != 1 || !strings.Contains(notices[0].Text.String(), "From line 21 on") {
		t.Errorf("%d rows, notices %+v", len(rows), notices)
	}
}

// TestRowWork checks that the repair of a row ends soon after it reaches the limit on the work
// for one row.
func TestRowWork(t *testing.T) {
	s, err := analyzeSample(t.Context(), []byte(contacts(60, nil)), true, source.Options{Limits: source.Limits{}.WithDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	line := []byte("20,Ada Lovelace,2021-09-21140.50," + strings.Repeat("y x", 5000) + "\n")
	r := newRepairer(s.dialect, s.width, s.profile())
	var found record
	s.dialect.parseRecord(line, notFound, &found)
	if _, ok := r.repair(line, &found, nil); ok || r.work < maxRowWork || r.work > maxRowWork+1<<20 {
		t.Errorf("repaired %v with work %d", ok, r.work)
	}
}

// TestRepairOfWideRows checks the work and the memory for rows with many cells. Tables of 4,000
// columns have rows with too many cells, in which each pair of adjacent cells could be joined.
func TestRepairOfWideRows(t *testing.T) {
	const width = 4000
	wide := strings.Repeat("1,", width-1) + "1\n"
	for name, c := range map[string]struct {
		table, row string
		most       int64
	}{
		"far more cells than columns": {contacts(60, nil), strings.Repeat(`a,"b",`, 2_700) + "\n", 4 << 20},
		"one empty cell too many":     {strings.Repeat(wide, 60), "1," + strings.Repeat(",", width-1) + "1\n", maxRowWork + 16<<20},
		"20 cells too many":           {strings.Repeat(wide, 60), strings.Repeat("1,", 20) + wide, maxRowWork + 16<<20},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := analyzeSample(t.Context(), []byte(c.table), true, source.Options{Limits: source.Limits{}.WithDefaults()})
			if err != nil {
				t.Fatal(err)
			}
			r := newRepairer(s.dialect, s.width, s.profile())
			var found record
			s.dialect.parseRecord([]byte(c.row), notFound, &found)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, ok := r.repair([]byte(c.row), &found, nil)
			runtime.ReadMemStats(&after)
			if ok || r.work > c.most {
				t.Errorf("repaired %v with work %d, want at most %d", ok, r.work, c.most)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 128<<20 {
				t.Errorf("allocated %d MiB", n>>20)
			}
		})
	}
}
