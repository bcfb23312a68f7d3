package intray_test

import (
	"testing"

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
