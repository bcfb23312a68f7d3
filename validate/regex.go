package validate

import (
	"fmt"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/validate/jsregexp"
)

const (
	// maxTimeouts is the number of cells per batch and expression that may time out. After that,
	// the expression is not matched against the other cells of the batch.
	maxTimeouts = 3
	// maxRowSteps is the maximum number of steps of all expressions in a row, and maxRowTime is
	// the maximum time of those expressions whose steps cannot be counted. After that, no
	// expression is matched against the other cells of the row.
	maxRowSteps = 64 << 20
	maxRowTime  = time.Second
	// matchSteps is the number of steps of a match, without those for the text.
	matchSteps = 16
	// maxTableSteps is the maximum number of steps for building the tables of all expressions of
	// a schema. They take about a second.
	maxTableSteps = 1 << 24
)

// regexCache holds the compiled regular expressions of a schema.
type regexCache struct {
	compiled map[string]*jsregexp.Expr
	// tableSteps is the number of steps that are left for building tables.
	tableSteps int
}

func newRegexCache() *regexCache {
	return &regexCache{compiled: map[string]*jsregexp.Expr{}, tableSteps: maxTableSteps}
}

func (e *regexCache) compile(source string, f jsregexp.Flags) (*jsregexp.Expr, error) {
	key := f.String() + "/" + source
	if made := e.compiled[key]; made != nil {
		return made, nil
	}
	made, err := jsregexp.CompileWithin(source, f, &e.tableSteps)
	if err == nil {
		e.compiled[key] = made
	}
	return made, err
}

// regexRule returns the rule regex_match or regex_exclude. regex_match requires a match of the
// expression in the cell, and regex_exclude requires that there is none. Both rules also check
// empty cells. They skip cells that could not be parsed, because these already have a problem.
func (e *regexCache) regexRule(v intray.Validator) (check, error) {
	flags, _ := v.Options["regexOptions"].(map[string]any)
	on := func(name string) bool { set, _ := flags[name].(bool); return set }
	source, _ := v.Options["regex"].(string)
	expr, err := e.compile(source, jsregexp.Flags{
		IgnoreCase: on("ignoreCase"), DotAll: on("dotAll"), Multiline: on("multiline"), Unicode: on("unicode"),
	})
	if err != nil {
		return nil, fmt.Errorf("the regular expression of %s: %w", v.Rule, err)
	}
	want := v.Rule == "regex_match"
	text := intray.NewMessage("regex.no_match", nil)
	if !want {
		text = intray.NewMessage("regex.excluded", nil)
	}
	problem := newProblem(v, text)
	slow := problem
	slow.Level, slow.Text = intray.LevelError, intray.NewMessage("regex.too_slow", nil)
	return func(b *intray.Batch, column int, w *work) {
		cells := &b.Fields[column]
		codes := cells.Values.Codes
		if len(codes) > 0 {
			w.matches = append(w.matches[:0], make([]uint8, cells.Values.Texts.Len())...)
		}
		timeouts := 0
		for row := range b.Rows() {
			if len(codes) > 0 && w.matches[codes[row]] == kept {
				continue
			}
			if !w.canContinue() {
				return // Apply returns the error
			}
			text := cells.Values.At(row)
			if len(text) == 0 && !celltype.IsBlank(cells.Raw(row)) {
				continue // could not be parsed
			}
			found := problem
			if len(codes) == 0 || w.matches[codes[row]] != violating {
				switch matched, err := w.match(expr, text, row, &timeouts); {
				case err != nil:
					found = slow
				case matched == want:
					w.remember(codes, row, kept)
					continue
				default:
					w.remember(codes, row, violating)
				}
			}
			found.Row, found.Field = row, column
			b.Problems = append(b.Problems, found)
		}
	}, nil
}

// kept and violating are the results of matching a distinct string.
const kept, violating = 1, 2

// remember stores the result of matching the string of a row, if the strings of the column repeat.
func (w *work) remember(codes []int32, row int, result uint8) {
	if len(codes) > 0 {
		w.matches[codes[row]] = result
	}
}

// match matches a cell against expr. It returns ErrTimeout without matching after maxTimeouts
// timeouts and if the expressions of the row have no steps or no time left.
func (w *work) match(expr *jsregexp.Expr, text []byte, row int, timeouts *int) (bool, error) {
	spent := &w.rows[row]
	if *timeouts >= maxTimeouts || spent.steps > w.limits.rowSteps || spent.time > w.limits.rowTime {
		return false, jsregexp.ErrTimeout
	}
	if tables := expr.Tables(); tables > 0 {
		steps := int64(tables) * int64(matchSteps+len(text))
		spent.steps += steps
		w.steps += steps
		return expr.Match(text)
	}
	start := w.limits.now()
	matched, err := expr.Match(text)
	took := w.limits.now().Sub(start)
	spent.time += took
	w.time += took
	if err != nil {
		*timeouts++
	}
	return matched, err
}
