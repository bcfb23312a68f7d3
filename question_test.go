package intray_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

func TestQuestionAccepts(t *testing.T) {
	q := intray.Question{Choices: []intray.Choice{{Value: "none"}, {Value: "2"}}, AnyColumn: true}
	for value, want := range map[string]bool{"none": true, "2": true, "0": true, "3": true, "4": false, "-1": false, "03": false, "+1": false, "": false} {
		if got := q.Accepts(value, 4); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	q.AnyColumn = false
	if q.Accepts("0", 4) || !q.Accepts("2", 4) {
		t.Error("another column is accepted, or the choice is not")
	}
}

func TestSheetChoice(t *testing.T) {
	names := []string{"a", "b", "b", "", "#1"}
	for i, want := range []string{"a", "#2", "#3", "#4", "#5"} {
		if got := intray.SheetChoice(names, i); got != want {
			t.Errorf("sheet %d of %q: %q, want %q", i, names, got, want)
		}
	}
}

// TestQuestionAcceptsSeveralColumns checks which lists of columns are valid answers for a
// file with four columns.
func TestQuestionAcceptsSeveralColumns(t *testing.T) {
	q := intray.Question{Choices: []intray.Choice{{Value: "none"}, {Value: "2"}}, AnyColumn: true, Many: true}
	for value, want := range map[string]bool{"0,2": true, "3,1,0": true, "2": true, "0,0": false, "0,4": false, "0,": false, ",": false, "0,none": false, "0,1,": false} {
		if got := q.Accepts(value, 4); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	q.AnyColumn = false
	if q.Accepts("0,2", 4) {
		t.Error("a column without a choice is accepted")
	}
	q.Choices = append(q.Choices, intray.Choice{Value: "0"})
	if !q.Accepts("0,2", 4) {
		t.Error("two choices are not accepted")
	}
	q.Many = false
	if q.Accepts("0,2", 4) {
		t.Error("two columns are accepted for a field that takes one")
	}
}

func TestMatchAllColumns(t *testing.T) {
	for _, c := range []struct {
		match intray.Match
		want  []int
	}{
		{intray.Match{Column: intray.NoColumn}, nil},
		{intray.Match{Column: 0}, []int{0}},
		{intray.Match{Column: 2}, []int{2}},
		{intray.Match{Column: 1, Columns: []int{1, 3}}, []int{1, 3}},
	} {
		if diff := cmp.Diff(c.want, c.match.AllColumns()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.match, diff)
		}
	}
}

func TestParseHeaderRows(t *testing.T) {
	for text, want := range map[string][2]int{"1": {1, 1}, "12": {12, 1}, "2-3": {2, 2}, "2–3": {2, 2}, "4-13": {4, 10}} {
		if first, count, ok := intray.ParseHeaderRows(text); !ok || first != want[0] || count != want[1] {
			t.Errorf("%q: row %d, %d rows, %t", text, first, count, ok)
		}
	}
	for _, text := range []string{"", "0", "-1", "none", "3-2", "1-", "-", "1-2-3", "1-11", "1.5", "1 - 2", "99999999999999999999"} {
		if first, count, ok := intray.ParseHeaderRows(text); ok {
			t.Errorf("%q: row %d, %d rows", text, first, count)
		}
	}
}

func TestParseColumnStarts(t *testing.T) {
	for text, want := range map[string][]int{"1,11,25": {0, 10, 24}, "1, 11, 25": {0, 10, 24}, "2,3": {1, 2}, " 1 , 65536 ": {0, 65535}} {
		if got, ok := intray.ParseColumnStarts(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %t", text, got, ok)
		}
	}
	question := intray.Question{ID: intray.AnswerColumnStarts, Choices: []intray.Choice{{Value: "1,9"}, {Value: intray.NoAnswer}}}
	for _, text := range []string{"", "1", "0,5", "-1,5", "5,1", "5,5", "1,", ",1", "1;5", "a,b", "1,65537", "1.5,3", "1,99999999999999999999"} {
		if got, ok := intray.ParseColumnStarts(text); ok {
			t.Errorf("%q: %v", text, got)
		}
		if question.Accepts(text, 10) {
			t.Errorf("%q is accepted", text)
		}
	}
	for _, text := range []string{"1,9", "1,9,12", intray.NoAnswer} {
		if !question.Accepts(text, 0) {
			t.Errorf("%q is refused", text)
		}
	}
}
