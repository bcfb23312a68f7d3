package sqlstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/model"
)

// TestOutcomes checks that a long outcome is decoded once and that each reader gets a copy.
func TestOutcomes(t *testing.T) {
	cached := newOutcomeCache()
	scan := func(text string) *model.Outcome {
		t.Helper()
		var o *model.Outcome
		if err := (outcomeCell{&o, cached}).Scan(text); err != nil {
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
		t.Errorf("the copy has %d rows", again.DataRows)
	}
	for n := range 3 * maxOutcomes {
		if got := scan(long(n)); got.DataRows != int64(n) {
			t.Errorf("%d rows, want %d", got.DataRows, n)
		}
	}
	if len(cached.byText) != maxOutcomes || len(cached.order) != maxOutcomes {
		t.Errorf("%d outcomes are cached", len(cached.byText))
	}
	if got := scan("null"); got != nil {
		t.Errorf("null is %v", got)
	}
	if err := (outcomeCell{&first, cached}).Scan(7); err == nil {
		t.Error("a number was decoded")
	}
}
