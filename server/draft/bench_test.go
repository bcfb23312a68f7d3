package draft

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/validate"
)

// benchRows returns the number of rows: 200,000 by default, or ten million if the
// environment variable INTRAY_BENCH is "full".
func benchRows() int64 {
	if os.Getenv("INTRAY_BENCH") == "full" {
		return 10_000_000
	}
	return 200_000
}

const (
	bCountry = 3
	bMail    = 4
	bPhone   = 5
	bNotes   = 8
)

func benchFields() []intray.Field {
	var fields []intray.Field
	for _, key := range []string{"id", "first", "last", "country", "mail", "phone", "date", "amount", "notes", "url"} {
		fields = append(fields, intray.Field{Key: key, Label: key})
	}
	fields[bMail].Validators = []intray.Validator{{Rule: "unique"}}
	fields[bNotes].Validators = []intray.Validator{{Rule: "length", Options: map[string]any{"max": 200}}}
	return fields
}

// benchRevalidator uses each raw value as the value and applies the validators.
type benchRevalidator struct{ rules *validate.Rules }

func (d benchRevalidator) BlankRows(first int64, rows int) *intray.Batch {
	b := &intray.Batch{First: first, Lines: make([]int64, rows), Fields: make([]intray.Cells, len(benchFields()))}
	for i := range b.Fields {
		for range rows {
			b.Fields[i].AppendNull(nil)
		}
	}
	return b
}

func (d benchRevalidator) Change(_ context.Context, b *intray.Batch, edits []Edit) error {
	byField := map[int]map[int]string{}
	for _, e := range edits {
		if byField[e.Field] == nil {
			byField[e.Field] = map[int]string{}
		}
		byField[e.Field][e.Row] = e.Text
	}
	b.Problems = slices.DeleteFunc(b.Problems, func(p intray.Problem) bool { rule, _ := validate.IsRule(p.Code); return rule })
	for f, texts := range byField {
		old := b.Fields[f]
		b.Fields[f] = intray.Cells{}
		for row := range b.Rows() {
			if text, typed := texts[row]; typed {
				b.Fields[f].AppendValue([]byte(text))
			} else if v, there := old.Value(row); there {
				b.Fields[f].AppendParsed(v, old.Raw(row))
			} else {
				b.Fields[f].AppendNull(old.Raw(row))
			}
		}
	}
	return d.rules.Apply(b, validate.NewBudget())
}

var benchNames = []string{"Anna", "Björn", "Çelik", "Dmitri", "Élodie", "Frank", "Grace", "Hiro"}

// benchBatch returns rows of contacts. One phone number in 50 and one date in 2,000 are invalid.
// One note in nine contains an email address.
func benchBatch(first, rows int64) *intray.Batch {
	b := &intray.Batch{First: first, Fields: make([]intray.Cells, len(benchFields()))}
	var text []byte
	appendText := func(field int, format string, args ...any) {
		text = fmt.Appendf(text[:0], format, args...)
		b.Fields[field].AppendValue(text)
	}
	problem := func(field int, code string) {
		b.Problems = append(b.Problems, intray.Problem{Row: len(b.Lines) - 1, Field: field, Code: code, Text: intray.Literal("Invalid value.")})
	}
	for n := first; n < first+rows; n++ {
		mixed := uint32(n) * 2654435761
		b.Lines = append(b.Lines, n+2)
		appendText(0, "%d", n)
		appendText(1, "%s", benchNames[mixed%8])
		appendText(2, "%s-%x", benchNames[(mixed>>3)%8], mixed%5000)
		appendText(3, "%d", mixed%200)
		appendText(bMail, "person.%x@example-%d.com", mixed, n%997)
		if n%50 == 7 {
			b.Fields[bPhone].AppendNull([]byte("n/a"))
			problem(bPhone, "phone")
		} else {
			b.Fields[bPhone].AppendParsed(fmt.Appendf(nil, "+4179%07d", mixed%10000000), fmt.Appendf(nil, "079 %07d", mixed%10000000))
		}
		if n%2000 == 99 {
			b.Fields[6].AppendNull([]byte("soon"))
			problem(6, "date")
		} else {
			appendText(6, "20%02d-%02d-%02d", mixed%24, mixed%12+1, mixed%28+1)
		}
		appendText(7, "%d.%02d", mixed%100000, n%100)
		if n%9 == 0 {
			appendText(bNotes, "customer %x asked by email about order %d", mixed%77777, n)
		} else {
			appendText(bNotes, "customer %x came in and bought %d pieces", mixed%77777, mixed%90)
		}
		appendText(9, "https://example-%d.com/p/%x", n%997, mixed)
	}
	return b
}

// benchDraft opens a draft of a staged file on disk.
func benchDraft(b *testing.B) *Draft {
	b.Helper()
	store, err := disk.Open(b.TempDir(), disk.Config{})
	if err != nil {
		b.Fatal(err)
	}
	layout := staging.Layout{}
	for _, f := range benchFields() {
		layout.Fields = append(layout.Fields, f.Key)
	}
	ctx := context.Background()
	w := staging.NewWriter(ctx, store, "stage", layout, staging.Config{})
	const size = 8000
	commits := make(chan chan func() error, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	go func() {
		defer close(commits)
		for first := int64(0); first < benchRows(); first += size {
			out := make(chan func() error, 1)
			commits <- out
			group.Go(func() {
				commit, err := w.StageBatch(benchBatch(first, min(size, benchRows()-first)))
				if err != nil {
					commit = func() error { return err }
				}
				out <- commit
			})
		}
	}()
	for out := range commits {
		if err := (<-out)(); err != nil {
			b.Fatal(err)
		}
	}
	group.Wait()
	if err := w.AddProblem(intray.Problem{Field: bMail, Code: "unique", Text: intray.Literal("duplicate")}, roaring.New()); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Close(ctx); err != nil {
		b.Fatal(err)
	}
	s, err := staging.Open(ctx, store, "stage")
	if err != nil {
		b.Fatal(err)
	}
	rules, err := validate.Compile(benchFields())
	if err != nil {
		b.Fatal(err)
	}
	d, err := Open(ctx, Config{Stage: s, Blobs: store, Prefix: "draft", Fields: benchFields(), Revalidator: benchRevalidator{rules}, Temp: b.TempDir(), Names: []map[string]string{bCountry: {"7": "Germany", "8": "France"}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = d.Close(); _ = s.Close() })
	return d
}

// reportPercentiles calls a function the given number of times and reports percentiles of its
// duration.
func reportPercentiles(b *testing.B, times int, do func(i int)) {
	took := make([]time.Duration, times)
	for b.Loop() {
		for i := range took {
			begin := time.Now()
			do(i)
			took[i] = time.Since(begin)
		}
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
	b.ReportMetric(ms(took[len(took)-1]), "max-ms")
}

func BenchmarkDraft(b *testing.B) {
	d := benchDraft(b)
	ctx := context.Background()
	random := rand.New(rand.NewPCG(1, 2))
	phone, date := bPhone, 6
	cacheStart := time.Now()
	d.background.Wait()
	b.Logf("filling the cache took %v more", time.Since(cacheStart))
	for name, f := range map[string]Filter{
		"all": {}, "errors": {Show: Errors}, "phone": {Field: &phone, Code: "phone"}, "date": {Field: &date, Code: "date"}, "search": {Search: "a5f0"}, "name": {Search: "germany"},
	} {
		b.Run("window/"+name, func(b *testing.B) {
			begin := time.Now()
			v, err := d.OpenView(ctx, f, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Logf("opening the view of %d rows took %v", v.Rows, time.Since(begin))
			d.background.Wait()
			reportPercentiles(b, 300, func(int) {
				if _, err := d.Window(ctx, Query{Token: v.Token}, random.Int64N(max(1, v.Rows-100)), 100); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	b.Run("edit", func(b *testing.B) {
		begin := time.Now()
		set := func(i int) {
			row := random.Int64N(benchRows())
			r, _, err := d.Row(ctx, row)
			if err != nil {
				b.Fatal(err)
			}
			c := Typed{Row: row, Field: bMail, Text: fmt.Sprintf("other.%d@example.com", i/2), Version: r.Version, Seen: r.Cells[bMail].Raw}
			if _, err := d.Change(ctx, Set{[]Typed{c}}, ChangeOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		set(0)
		b.Logf("the first edit, which builds the index, took %v", time.Since(begin))
		reportPercentiles(b, 100, set)
	})
	for name, n := range map[string]int{"country": 3, "mail": bMail} {
		b.Run("distinct/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Distinct(ctx, n, Query{}, 100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for name, n := range map[string]int{"country": 3, "mail": bMail} {
		b.Run("sort/"+name, func(b *testing.B) {
			s, done := d.beginRead()
			defer done()
			rows := s.live.Clone()
			rows.RemoveRange(maxSortedRows, 1<<32)
			for b.Loop() {
				if _, err := d.sortRows(ctx, s, rows, Sort{Field: n}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("replace", func(b *testing.B) {
		measureReplace(b, d, Replace{Where: Selector{Fields: []int{bNotes}}, Find: "by email", With: "by e-mail"})
	})
	b.Run("replace/name", func(b *testing.B) {
		measureReplace(b, d, Replace{Where: Selector{Fields: []int{bCountry}}, Find: "Germany", With: "France"})
	})
	b.Run("batches", func(b *testing.B) {
		for b.Loop() {
			for _, err := range d.Batches(ctx) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func measureReplace(b *testing.B, d *Draft, o Replace) {
	ctx := context.Background()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cells := int64(0)
	for b.Loop() {
		v, err := d.Change(ctx, o, ChangeOptions{})
		if err != nil {
			b.Fatal(err)
		}
		cells = v.Cells
		begin := time.Now()
		if _, err := d.Undo(ctx, nil); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(begin).Milliseconds()), "undo-ms")
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(cells), "cells")
	b.ReportMetric(float64(after.Sys>>20), "sys-MiB")
}

func BenchmarkNeedle(b *testing.B) {
	batch := benchBatch(0, 8000)
	f := finder{needle: newNeedle("order 7")}
	fields := sequence(len(benchFields()))
	b.SetBytes(int64(sizeOf(batch)))
	for b.Loop() {
		if !slices.Contains(f.rows(batch, fields), true) {
			b.Fatal("found nothing")
		}
	}
}

func (benchRevalidator) Deleted(context.Context, iter.Seq2[*intray.Batch, error]) error { return nil }
