package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/bench/benchdata"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/revalidate"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source/formats"
)

// The goals of the review grid. Their times are what a reviewer waits for, so that they are wall times.
const (
	gridWindowGoal = 5 * time.Millisecond
	// searchGoal is the goal for the first window of hits and their number, which arrive together.
	searchGoal      = 1500 * time.Millisecond
	replaceGoal     = 8 * time.Second
	gridRows        = 10_000_000
	gridRepeats     = 5
	outcomeFileName = "outcome.json"
)

// lateText occurs only in the last tenth of the rows, in one row of 1,000.
const lateText = "escalated to the second level"

// grid is the form of the files of customers with two more columns.
const grid = "grid.csv"

// gridSchema returns the schema of customers with two more fields.
func gridSchema() map[string]any {
	s := benchdata.CustomerSchema()
	for _, key := range []string{"plan", "comment"} {
		s["fields"] = append(s["fields"].([]any), map[string]any{"key": key, "label": key, "type": "string"})
	}
	return s
}

// widener appends two columns to each record of a CSV file.
type widener struct {
	to      *bufio.Writer
	rows, n int
	quoted  bool
}

func (w *widener) Write(b []byte) (int, error) {
	for _, c := range b {
		if c == '"' {
			w.quoted = !w.quoted
		}
		if c == '\n' && !w.quoted {
			w.to.WriteString(w.cells())
			w.n++
		}
		w.to.WriteByte(c)
	}
	return len(b), nil
}

// cells returns the cells of the current record. Record 0 is the header.
func (w *widener) cells() string {
	plans := []string{"Free", "Starter", "Team", "Business", "Enterprise"}
	mixed := uint32(w.n) * 2654435761
	comment := "Ordered " + strconv.Itoa(int(mixed%900)) + " items; ticket " + strconv.Itoa(int(mixed>>7))
	switch {
	case w.n == 0:
		return ",plan,comment"
	case w.n > w.rows/10*9 && w.n%1000 == 0:
		comment += "; " + lateText
	}
	return "," + plans[mixed>>16%5] + "," + comment
}

func writeGrid(to io.Writer, rows int, seed uint64) error {
	w := &widener{to: bufio.NewWriterSize(to, 1<<20), rows: rows}
	if err := benchdata.WriteCustomers(w, rows, seed); err != nil {
		return err
	}
	return w.to.Flush()
}

// wait is the time that a reviewer waits for something.
type wait struct {
	Name                 string
	Goal                 time.Duration
	P50, P95, Most, CPU  time.Duration
	Rows, Cells, Reports int64
}

// TestGrid stages a file once, and measures the windows, searches and replacements of its review.
func TestGrid(t *testing.T) {
	rows := share(gridRows)
	file, _ := made(t, grid, rows)
	folder := t.TempDir()
	text, err := json.Marshal(gridSchema())
	if err != nil {
		t.Fatal(err)
	}
	schemaFile := filepath.Join(t.TempDir(), "grid.schema.json")
	if err := os.WriteFile(schemaFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var staged int64
	ask(t, &staged, childCommand("stage grid", schemaFile, folder, file)...)
	if staged != int64(rows) {
		t.Fatalf("%d of %d rows are staged", staged, rows)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	var waits []wait
	ask(t, &waits, childCommand("grid", schemaFile, folder)...)
	var lines [][]string
	for _, w := range waits {
		goal := ""
		if w.Goal > 0 {
			goal = fmt.Sprintf("%s: %s", w.Goal, verdict(w.P95 <= w.Goal))
		}
		round := func(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }
		lines = append(lines, []string{w.Name, round(w.P50), round(w.P95), round(w.Most), round(w.CPU), fmt.Sprint(w.Rows), fmt.Sprint(w.Cells), goal})
		if w.Rows == 0 && w.Goal == gridWindowGoal {
			t.Errorf("%s: no rows", w.Name)
		}
	}
	titles := []string{"wait", "p50", "p95", "max", "CPU of one", "rows", "cells", "p95 goal"}
	t.Logf("%s, %d rows\n%s%s", machine(), rows, extent(), tabulated(titles, lines))
	section{Name: "4-review", Title: "Reviewing rows", Versions: fmt.Sprintf("%d rows of 12 columns", rows), Titles: titles, Lines: lines,
		Explanation: "How long a person waits for a window of 100 rows, for the result of a search, and for a replacement."}.publish(t)
}

// stageGrid is the task of the child process that stages a file for a review. It writes the outcome of the
// import next to the stage.
func stageGrid(args []string) (any, error) {
	ctx := context.Background()
	if len(args) != 3 {
		return nil, errors.New("want a schema, a folder and a file")
	}
	blobs, err := disk.Open(args[1], disk.Config{})
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	out, err := stageFile(ctx, blobs, args[0], args[2])
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return out.DataRows, os.WriteFile(filepath.Join(args[1], outcomeFileName), text, 0o600)
}

// gridReview is an open review.
type gridReview struct {
	*draft.Draft
	fields []intray.Field
	rows   int64
	waits  []wait
}

// reviewGrid is the task of the child process that measures a review.
func reviewGrid(args []string) (any, error) {
	ctx := context.Background()
	if len(args) < 2 {
		return nil, errors.New("want a schema and a folder")
	}
	var g gridReview
	for _, measure := range []func(*gridReview, context.Context) error{(*gridReview).windows, (*gridReview).searches, (*gridReview).replacements} {
		closeAll, err := g.open(ctx, args[0], args[1])
		if err != nil {
			return nil, err
		}
		if err := errors.Join(measure(&g, ctx), closeAll()); err != nil {
			return nil, err
		}
	}
	return g.waits, nil
}

// open opens the review of a staged file.
func (g *gridReview) open(ctx context.Context, schemaFile, folder string) (closeAll func() error, err error) {
	text, err := os.Open(schemaFile)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	s, err := schema.Read(text)
	if err != nil {
		return nil, err
	}
	g.fields = s.Fields
	encoded, err := os.ReadFile(filepath.Join(folder, outcomeFileName))
	if err != nil {
		return nil, err
	}
	var out engine.Outcome
	if err := json.Unmarshal(encoded, &out); err != nil {
		return nil, err
	}
	blobs, err := disk.Open(folder, disk.Config{})
	if err != nil {
		return nil, err
	}
	stage, err := staging.Open(ctx, blobs, stagePrefix)
	if err != nil {
		return nil, err
	}
	g.rows = stage.Manifest().Rows
	r, err := revalidate.Open(engine.New(engine.Config{Formats: formats.Formats("")}), engine.Import{Schema: s}, &out)
	if err != nil {
		return nil, err
	}
	g.Draft, err = draft.Open(ctx, draft.Config{Stage: stage, Blobs: blobs, Prefix: "edits", Fields: s.Fields, Parts: make([]int, len(s.Fields)), Revalidator: r})
	if err != nil {
		return nil, err
	}
	return func() error { return errors.Join(g.Close(), stage.Close(), r.Close(), blobs.Close()) }, nil
}

// field returns the index of a field.
func (g *gridReview) field(key string) int {
	return slices.IndexFunc(g.fields, func(f intray.Field) bool { return f.Key == key })
}

// add adds the times of a wait.
func (g *gridReview) add(w wait, took []time.Duration, cpu time.Duration) {
	slices.Sort(took)
	n := len(took)
	w.P50, w.P95, w.Most, w.CPU = took[n/2], took[n*95/100], took[n-1], cpu/time.Duration(n)
	g.waits = append(g.waits, w)
}

// timeEach measures the wait for each of several calls.
func timeEach(times int, do func() error) (took []time.Duration, cpu time.Duration, err error) {
	before := ownCPU()
	for range times {
		began := time.Now()
		if err := do(); err != nil {
			return nil, 0, err
		}
		took = append(took, time.Since(began))
	}
	return took, ownCPU() - before, nil
}

// ownCPU returns the time of all cores that this process has used.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// windows measures windows in the last tenth of several views.
func (g *gridReview) windows(ctx context.Context) error {
	random := rand.New(rand.NewPCG(3, 3))
	email, reference := g.field("email"), g.field("reference")
	for _, v := range []struct {
		name string
		q    draft.Query
	}{
		{"all rows", draft.Query{}},
		{"rows with an error", draft.Query{Filter: draft.Filter{Show: draft.Errors}}},
		{"first name", draft.Query{Filter: draft.Filter{Search: "Fatima"}}},
		{"rare text", draft.Query{Filter: draft.Filter{Search: lateText}}},
		{"rows with an error, by email", draft.Query{Filter: draft.Filter{Show: draft.Errors}, Sort: &draft.Sort{Field: email}}},
		{"first name, by reference", draft.Query{Filter: draft.Filter{Search: "Fatima"}, Sort: &draft.Sort{Field: reference}}},
	} {
		var view draft.View
		took, cpu, err := timeEach(1, func() error {
			w, err := g.Window(ctx, v.q, 0, windowRows)
			view = w.View
			return err
		})
		if err != nil {
			return err
		}
		g.add(wait{Name: "first window, " + v.name, Rows: view.Rows}, took, cpu)
		time.Sleep(2 * time.Second) // a reviewer reads the first window
		query := draft.Query{Token: view.Token}
		var seen int64
		took, cpu, err = timeEach(windowTries, func() error {
			last := max(1, view.Rows-windowRows)
			w, err := g.Window(ctx, query, last/10*9+random.Int64N(last-last/10*9), windowRows)
			seen = int64(len(w.Rows))
			return err
		})
		if err != nil {
			return err
		}
		g.add(wait{Name: "window, " + v.name, Goal: gridWindowGoal, Rows: seen}, took, cpu)
	}
	return nil
}

// searches measures searches until the first hits and their number are known.
func (g *gridReview) searches(ctx context.Context) error {
	late := g.rows/10*9 + g.rows/20 + 1
	for _, s := range []struct{ name, text string }{
		{"text only in the last tenth", lateText},
		{"email address of one late row", fmt.Sprintf("user%d@mail", late)},
		{"number of one late row", fmt.Sprintf("customers/%d", late)},
		{"first name", "Fatima"},
		{"text in no row", "Rumpelstilzchen"},
		{"two letters in most rows", "an"},
	} {
		if err := g.search(ctx, s.name, s.text); err != nil {
			return err
		}
	}
	return nil
}

func (g *gridReview) search(ctx context.Context, name, text string) error {
	var took []time.Duration
	var rows int64
	before := ownCPU()
	for i := range repeats(gridRepeats) {
		// The cache considers a different case a different search. It finds the same rows.
		query := draft.Query{Filter: draft.Filter{Search: variant(text, i)}}
		began := time.Now()
		w, err := g.Window(ctx, query, 0, windowRows)
		if err != nil {
			return err
		}
		took = append(took, time.Since(began))
		rows = w.View.Rows
	}
	g.add(wait{Name: "search, " + name, Goal: searchGoal, Rows: rows}, took, ownCPU()-before)
	return nil
}

// variant returns text with letters in upper case where the bits of n are set.
func variant(text string, n int) string {
	out := []byte(text)
	for i, c := range out {
		if 'a' <= c && c <= 'z' {
			if n&1 == 1 {
				out[i] -= 'a' - 'A'
			}
			n >>= 1
		}
	}
	return string(out)
}

// replacements measures replacements in one column.
func (g *gridReview) replacements(ctx context.Context) error {
	for _, r := range []struct{ name, field, find, with string }{
		{"few cells change", "comment", lateText, "solved"},
		{"one cell in 20 changes", "country", "NL", "BE"},
		{"every cell changes", "url", "https://shop.", "https://www."},
	} {
		if err := g.replace(ctx, r.name, r.field, r.find, r.with); err != nil {
			return err
		}
	}
	return nil
}

func (g *gridReview) replace(ctx context.Context, name, field, find, with string) error {
	w := wait{Name: "replace in one column, " + name, Goal: replaceGoal}
	o := draft.Replace{Where: draft.Selector{Fields: []int{g.field(field)}}, Find: find, With: with, MatchCase: true}
	var took []time.Duration
	var cpu time.Duration
	for range repeats(gridRepeats) {
		w.Reports = 0
		before, began := ownCPU(), time.Now()
		v, err := g.Change(ctx, o, draft.ChangeOptions{Progress: func(int64, int64) { w.Reports++ }})
		if err != nil {
			return err
		}
		took, cpu = append(took, time.Since(began)), cpu+ownCPU()-before
		w.Rows, w.Cells = v.Rows, v.Cells
		if _, err := g.Undo(ctx, nil); err != nil {
			return err
		}
	}
	g.add(w, took, cpu)
	return nil
}
