package validate

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
)

const (
	// MaxSteps is the maximum number of steps of the rules in an import. A step takes about a
	// nanosecond: a rule takes a few steps for each cell, and a regular expression takes one step
	// for each byte of the text.
	MaxSteps = 1 << 35
	// MaxMatchTime is the maximum total time of matches in an import by those regular expressions
	// whose steps cannot be counted, because they are too large for a table or need backtracking.
	MaxMatchTime = time.Minute
)

// ErrTooMuchWork reports that the rules of an import need more steps or more time than the
// budget allows.
var ErrTooMuchWork = errors.New("the rules take too much work for the rows of the import")

// ErrTooManyProblems reports that the rules found more problems in a row than the budget allows.
var ErrTooManyProblems = errors.New("a row has too many problems")

// Budget limits the work of the rules in one import. It is safe for concurrent use.
type Budget struct {
	steps  atomic.Int64
	time   atomic.Int64
	limits workLimits
	// rowProblems is the maximum number of problems of a row, or 0 if there is no limit.
	rowProblems int
}

// workLimits are the limits of a budget and the clock that measures matches.
type workLimits struct {
	steps, rowSteps int64
	time, rowTime   time.Duration
	now             func() time.Time
}

// NewBudget returns a budget of [MaxSteps] steps.
func NewBudget() *Budget {
	return &Budget{limits: workLimits{MaxSteps, maxRowSteps, MaxMatchTime, maxRowTime, time.Now}}
}

// NewRunBudget returns the budget of an import with the given maximum number of steps. It also
// limits the number of problems of a row.
func NewRunBudget(steps int64, rowProblems int) *Budget {
	b := NewBudget()
	b.limits.steps, b.rowProblems = steps, rowProblems
	return b
}

// checkProblems returns ErrTooManyProblems if the rows of a batch have more problems than the
// budget allows. The limit is exact for a batch of one row.
func (b *Budget) checkProblems(batch *intray.Batch) error {
	if b.rowProblems > 0 && len(batch.Problems) > b.rowProblems*batch.Rows() {
		return ErrTooManyProblems
	}
	return nil
}

// Stop exhausts the budget, so that all work with it soon ends with [ErrTooMuchWork]. A run that
// is canceled calls it, because a batch can take half a minute.
func (b *Budget) Stop() { b.steps.Store(b.limits.steps + 1) }

// check returns ErrTooMuchWork if the budget is exhausted.
func (b *Budget) check() error { return b.spend(&work{}) }

// spend adds the work to that of the import and clears it.
func (b *Budget) spend(w *work) error {
	steps, took := b.steps.Add(w.steps), b.time.Add(int64(w.time))
	w.steps, w.time = 0, 0
	if steps > b.limits.steps || took > int64(b.limits.time) {
		return ErrTooMuchWork
	}
	return nil
}

// work counts the work for a batch.
type work struct {
	limits workLimits
	budget *Budget
	// isOver is set if the budget was exhausted in the middle of a batch.
	isOver bool
	// steps and time are the work that the budget does not contain yet.
	steps int64
	time  time.Duration
	// rows holds the work of the regular expressions in each row.
	rows []rowWork
	// empty holds the rows with an empty cell for each column that a rule has examined. found is a
	// buffer for the rows that a rule finds.
	empty []rowSet
	found rowSet
	// codes is a buffer for a property of the distinct strings of a column, and matches one for whether
	// they match an expression.
	codes   []bool
	matches []uint8
}

type rowWork struct {
	steps int64
	time  time.Duration
}

// maxUnspentSteps and maxUnspentTime are the maximum work of regular expressions and conditions
// that the budget does not contain yet. The steps take about 20 ms.
const maxUnspentSteps, maxUnspentTime = 16 << 20, 100 * time.Millisecond

// canContinue spends the work if there is much of it. It reports whether the budget allows more.
func (w *work) canContinue() bool {
	if w.steps > maxUnspentSteps || w.time > maxUnspentTime {
		w.isOver = w.isOver || w.budget.spend(w) != nil
	}
	return !w.isOver
}

func (w *work) reset(rows int, budget *Budget) {
	w.limits, w.budget, w.isOver, w.steps, w.time = budget.limits, budget, false, 0, 0
	w.rows = append(w.rows[:0], make([]rowWork, rows)...)
	for i := range w.empty {
		w.empty[i] = w.empty[i][:0]
	}
}
