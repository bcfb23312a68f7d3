package engine

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

const (
	// minSentinelCells is the minimum number of cells with the same sentinel, and minSentinelShare
	// their minimum share of the sample.
	minSentinelCells, minSentinelShare = 2, 0.01
	// minOtherCells is the minimum number of cells without a sentinel.
	minOtherCells = 5
	// minSentinelYears is the minimum number of years between a date and the other dates of the
	// column.
	minSentinelYears = 5
)

// sentinel is a number or date that programs often store instead of a missing value.
type sentinel struct {
	// raw and canonical are the texts of the first cell and of its value. value is the position of the
	// value on the number line.
	raw, canonical string
	value          float64
	cells          int
}

// sentinelDates are the dates that programs store instead of a missing value: the first and last
// dates of databases, spreadsheet programs and Unix, and dates that people type to fill a field.
var sentinelDates = []string{
	"0001-01-01", "1111-11-11", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01", "1970-01-01",
	"2099-12-31", "2999-12-31", "9999-01-01", "9999-09-09", "9999-12-31",
}

// isSentinelNumber reports whether a canonical number is -1, -9, consists of at least two nines, or
// is -999.25, which marks missing values in well logs.
func isSentinelNumber(canonical string) bool {
	digits, negative := strings.CutPrefix(canonical, "-")
	switch {
	case negative && (digits == "1" || digits == "9" || digits == "999.25"):
		return true
	case len(strings.Replace(digits, ".", "", 1)) < 2 || strings.HasPrefix(digits, "."):
		return false
	}
	return strings.Trim(strings.Replace(digits, ".", "", 1), "9") == ""
}

// sentinelFinder finds sentinels among the cells of a field.
type sentinelFinder struct {
	dates     bool
	sentinels map[string]*sentinel
	// cells is the number of valid cells. low and high are the limits of the values that are not
	// sentinels, and others is their number.
	cells, others int
	low, high     float64
	// lowText and highText are the canonical texts of low and high.
	lowText, highText string
}

// observe observes the canonical text of a valid cell.
func (s *sentinelFinder) observe(raw, canonical string) {
	value, known := s.position(canonical)
	if !known {
		return
	}
	s.cells++
	if s.dates && slices.Contains(sentinelDates, canonical[:len(time.DateOnly)]) || !s.dates && isSentinelNumber(canonical) {
		one := s.sentinels[canonical]
		if one == nil {
			one = &sentinel{raw: raw, canonical: canonical, value: value}
			s.sentinels[canonical] = one
		}
		one.cells++
		return
	}
	if s.others == 0 || value < s.low {
		s.low, s.lowText = value, canonical
	}
	if s.others == 0 || value > s.high {
		s.high, s.highText = value, canonical
	}
	s.others++
}

// position returns the place of a canonical number or date on the number line. The unit of dates
// is a year.
func (s *sentinelFinder) position(canonical string) (float64, bool) {
	if !s.dates {
		n, err := strconv.ParseFloat(canonical, 64)
		return n, err == nil
	}
	if len(canonical) < len(time.DateOnly) {
		return 0, false
	}
	day, err := time.Parse(time.DateOnly, canonical[:len(time.DateOnly)])
	return float64(day.Unix()) / (365.2425 * 24 * 60 * 60), err == nil
}

// found returns the sentinels that are frequent and far from all other values, most frequent first.
func (s *sentinelFinder) found() (list []*sentinel) {
	if s.others < minOtherCells {
		return nil
	}
	for _, one := range s.sentinels {
		if one.cells >= minSentinelCells && float64(one.cells) >= minSentinelShare*float64(s.cells) && s.isOutlier(one.value) {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b *sentinel) int {
		return cmp.Or(cmp.Compare(b.cells, a.cells), strings.Compare(a.raw, b.raw))
	})
	return list
}

// isOutlier reports whether a value is at least as far from the other values as these are from each
// other. In addition, a number must be the only negative one, or at least twice as large as the
// others.
func (s *sentinelFinder) isOutlier(value float64) bool {
	gap, spread := max(s.low-value, value-s.high), s.high-s.low
	switch {
	case s.dates:
		return gap >= max(spread, minSentinelYears)
	case value < 0:
		return s.low >= 0 || gap >= spread && value <= -2*math.Abs(s.low)
	}
	return gap >= spread && value >= 2*s.high
}

// identifierWords are words in the names of fields whose values are labels rather than amounts.
var identifierWords = []string{"id", "ids", "identifier", "no", "nr", "num", "number", "nummer", "numero", "número", "code", "key", "ref", "reference", "account", "zip", "postcode", "phone", "unit", "sku"}

// canHaveSentinels reports whether a number or date of a field can mean a missing value: numbers and
// dates, except those that identify something.
func canHaveSentinels(f intray.Field, header string) bool {
	switch f.Type.Name {
	case intray.TypeNumber, intray.TypeDate, intray.TypeDatetime:
	default:
		return false
	}
	for _, v := range f.Validators {
		if strings.HasPrefix(v.Rule, "unique") {
			return false
		}
	}
	for _, name := range []string{f.Key, f.Label, header} {
		words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(identifierWords, w) }) {
			return false
		}
	}
	return true
}

// askSentinels asks about each sentinel in the sample of a field, unless a person decided it
// before.
func (o *Outcome) askSentinels(plan *rowplan.Plan, imp Import, field int, finder *sentinelFinder) {
	f := imp.Schema.Fields[field]
	for _, one := range finder.found() {
		if plan.IsDecided(field, one.raw, imp.Answers, imp.Memory.Values) {
			continue
		}
		marker := mapping.Shorten(one.raw)
		o.addQuestion(intray.Question{
			ID: intray.AnswerValue + f.Key + ":" + one.raw, Notice: intray.AmbiguousColumn, Field: f.Key, Header: plan.Fields[field].Headers[0],
			Text: intray.NewMessage("question.missing_value", intray.Params{
				"field": mapping.Shorten(f.Label), "marker": marker, "n": one.cells, "total": finder.cells, "low": finder.lowText, "high": finder.highText,
			}),
			Choices: []intray.Choice{
				{Value: "", Label: intray.NewMessage("missing.choice_empty", nil)},
				{Value: one.canonical, Label: intray.NewMessage("missing.choice_value", intray.Params{"marker": marker})},
			},
		})
	}
}
