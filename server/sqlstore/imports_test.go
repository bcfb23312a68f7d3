package sqlstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/model"
)

// TestOutcomes decodes long texts once and gives each reader an outcome of his own.
func TestOutcomes(t *testing.T) {
	kept := newOutcomeCache()
	scan := func(text string) *model.Outcome {
		t.Helper()
		var o *model.Outcome
		if err := (outcomeCell{&o, kept}).Scan(text); err != nil {
			t.Fatal(err)
		}
		return o
	}
	long := func(n int) string {
		return fmt.Sprintf(`{"DataRows":%d,"Headers":["%s"]}`, n, strings.Repeat("x", minOutcome))
	}
	first := scan(long(1))
	first.DataRows = 77
	if again := scan(long(1)); again.DataRows != 1 || again == first {
		t.Errorf("it has %d rows", again.DataRows)
	}
	for n := range 3 * maxOutcomes {
		if got := scan(long(n)); got.DataRows != int64(n) {
			t.Errorf("it has %d rows, want %d", got.DataRows, n)
		}
	}
	if len(kept.byText) != maxOutcomes || len(kept.order) != maxOutcomes {
		t.Errorf("%d are kept", len(kept.byText))
	}
	if got := scan("null"); got != nil {
		t.Errorf("none is %v", got)
	}
	if err := (outcomeCell{&first, kept}).Scan(7); err == nil {
		t.Error("a number was taken")
	}
}
