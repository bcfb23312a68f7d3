package headerdetect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExampleCells(t *testing.T) {
	exact, long := strings.Repeat("é", maxExampleChars), strings.Repeat("é", maxExampleChars+1)
	got := exampleCells([]string{"", " a ", exact, long, "b", "c", "d"})
	if diff := cmp.Diff([]string{"a", exact, long[:2*(maxExampleChars-3)] + "...", "b", "c"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
