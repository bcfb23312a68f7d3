package review_test

import (
	"testing"

	"github.com/intraydata/intray/server/review"
)

func TestPreviewText(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aü€x", 3, "aü…"}, {"€€", 2, "…"}} {
		if got := review.PreviewText(c.text, c.limit); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
