package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/staging"
)

const (
	// windowRows is the number of rows in a window.
	windowRows = 100
	// windowTries is the number of reads of each window.
	windowTries = 200
	// windowGoal is the target for the 95th percentile of the times to read a window.
	windowGoal = 10 * time.Millisecond
)

// look contains the times of one kind of window.
type look struct {
	Name             string
	P50, P95, Most   time.Duration
	First            time.Duration
	Rows, WithErrors int
}

// stagedRows contains the figures of a stage of customers, and the times of its windows.
type stagedRows struct {
	Counts stagedCounts
	Looks  []look
}

// TestWindows stages a file, reads windows of it, and compares its figures with DuckDB's.
func TestWindows(t *testing.T) {
	rows := share(10_000_000)
	file, _ := made(t, customers, rows)
	folder := t.TempDir()
	var s stagedRows
	ask(t, &s, childCommand("windows", customerSchema(t), folder, file)...)
	if s.Counts.Rows != int64(rows) {
		t.Fatalf("%d of %d rows are staged", s.Counts.Rows, rows)
	}
	for _, l := range s.Looks {
		reached := verdict(l.P95 <= windowGoal)
		t.Logf("%s, %d rows: p50 %s, p95 %s, max %s; the first one after opening %s; p95 at most %s: %s",
			l.Name, rows, l.P50.Round(time.Microsecond), l.P95.Round(time.Microsecond), l.Most.Round(time.Microsecond),
			l.First.Round(time.Microsecond), windowGoal, reached)
		if l.Rows != windowRows {
			t.Errorf("%s: %d rows, want %d", l.Name, l.Rows, windowRows)
		}
	}
	if bad := s.Looks[1]; bad.WithErrors != windowRows {
		t.Errorf("%s: %d rows have an error", bad.Name, bad.WithErrors)
	}
	python, version := duckDB(t)
	if python == "" {
		skipWithoutDuckDB(t)
		return
	}
	var theirs stagedCounts
	ask(t, &theirs, python, "stage_duckdb.py", folder)
	if diff := cmp.Diff(s.Counts, theirs, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s computes other figures for the staged files (-Intray +DuckDB):\n%s", version, diff)
	}
}

// windows is the task of the child process that stages a file in a folder and reads windows
// of it.
func windows(args []string) (any, error) {
	ctx := context.Background()
	blobs, err := stageInFolder(ctx, args)
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	var got stagedRows
	for _, kind := range []func(context.Context, *staging.Stage) (look, error){lookAtRows, lookAtBadRows, lookAround} {
		l, err := opened(ctx, blobs, kind)
		if err != nil {
			return nil, err
		}
		got.Looks = append(got.Looks, l)
	}
	s, err := staging.Open(ctx, blobs, stagePrefix)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	got.Counts, err = countStaged(ctx, s)
	return got, err
}

// opened opens the stage again, so that no data of earlier windows is in memory.
func opened(ctx context.Context, blobs *disk.Store, kind func(context.Context, *staging.Stage) (look, error)) (look, error) {
	s, err := staging.Open(ctx, blobs, stagePrefix)
	if err != nil {
		return look{}, err
	}
	defer s.Close()
	return kind(ctx, s)
}

// lookAtRows measures a window in the middle of the stage.
func lookAtRows(ctx context.Context, s *staging.Stage) (look, error) {
	first := s.Manifest().Rows / 2
	return timed(ctx, s, fmt.Sprintf("%d rows at row %d", windowRows, first), func() (*intray.Batch, error) {
		return s.Window(ctx, first, windowRows)
	})
}

// lookAtBadRows measures the thousandth window of rows with an error, or the last full
// window if there are fewer.
func lookAtBadRows(ctx context.Context, s *staging.Stage) (look, error) {
	window := min(1000, s.Manifest().ErrorRows/windowRows)
	return timed(ctx, s, fmt.Sprintf("%d rows with an error, window %d", windowRows, window), func() (*intray.Batch, error) {
		rows, err := s.ErrorRows(ctx, (window-1)*windowRows, windowRows)
		if err != nil {
			return nil, err
		}
		return s.Rows(ctx, rows)
	})
}

// lookAround measures random windows.
func lookAround(ctx context.Context, s *staging.Stage) (look, error) {
	random := rand.New(rand.NewPCG(1, 1))
	return timed(ctx, s, fmt.Sprintf("%d rows anywhere", windowRows), func() (*intray.Batch, error) {
		return s.Window(ctx, random.Int64N(s.Manifest().Rows-windowRows), windowRows)
	})
}

// timed reads a window many times. Before each read, it reads a different window, so that
// the rows are not cached.
func timed(ctx context.Context, s *staging.Stage, name string, read func() (*intray.Batch, error)) (look, error) {
	l := look{Name: name}
	random := rand.New(rand.NewPCG(2, 2))
	var took []time.Duration
	for try := range windowTries + 1 {
		began := time.Now()
		b, err := read()
		if try == 0 {
			l.First = time.Since(began)
		} else {
			took = append(took, time.Since(began))
		}
		if err != nil {
			return l, err
		}
		l.Rows, l.WithErrors = b.Rows(), rowsWithError(b)
		if _, err := s.Window(ctx, random.Int64N(s.Manifest().Rows-windowRows), windowRows); err != nil {
			return l, err
		}
	}
	slices.Sort(took)
	l.P50, l.P95, l.Most = took[windowTries/2], took[windowTries*95/100], took[windowTries-1]
	return l, nil
}

func rowsWithError(b *intray.Batch) int {
	with := map[int]bool{}
	for _, p := range b.Problems {
		if p.Level == intray.LevelError {
			with[p.Row] = true
		}
	}
	return len(with)
}
