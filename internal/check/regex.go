package check

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check/jsregexp"
	"github.com/intraydata/intray/internal/value"
)

// maxSlow is how many cells of a batch an expression may be too slow for; the
// rest of the batch is not tried any more.
const maxSlow = 3

// expressions are the regular expressions of a schema, each made ready once.
type expressions map[string]*jsregexp.Expr

func (e expressions) compile(source string, f jsregexp.Flags) (*jsregexp.Expr, error) {
	key := f.String() + "/" + source
	if made := e[key]; made != nil {
		return made, nil
	}
	made, err := jsregexp.Compile(source, f)
	if err == nil {
		e[key] = made
	}
	return made, err
}

// regex makes the rules regex_match and regex_exclude: the expression must be
// found in the cell, or must not. Empty cells are looked at like all others;
// cells whose text could not be read have a problem of their own.
func (e expressions) regex(field int, v intray.Validator) (rule, error) {
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
	problem := problemOf(field, v, text)
	slow := problem
	slow.Level, slow.Text = intray.LevelError, intray.NewMessage("regex.too_slow", nil)
	return func(b *intray.Batch) {
		cells := &b.Fields[field]
		late := 0
		for row := range b.Rows() {
			text := cells.Values.At(row)
			if len(text) == 0 && !value.Blank(cells.Raw(row)) {
				continue // it could not be read
			}
			found := problem
			switch matched, err := tryUnlessLate(expr, text, &late); {
			case err != nil:
				found = slow
			case matched == want:
				continue
			}
			found.Row = row
			b.Problems = append(b.Problems, found)
		}
	}, nil
}

// tryUnlessLate matches a text, until the expression was too slow too often.
func tryUnlessLate(expr *jsregexp.Expr, text []byte, late *int) (bool, error) {
	if *late >= maxSlow {
		return false, jsregexp.ErrTimeout
	}
	matched, err := expr.Match(text)
	if err != nil {
		*late++
	}
	return matched, err
}
