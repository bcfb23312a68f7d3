package script_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/internal/script"
)

// quickRows are so many that calls come to be about more than a thousand.
const quickRows = 40_000

// TestQuickHooks: hooks that take next to no time get many rows at once, and where
// that goes wrong it counts for nothing: what is told is what comes of a thousand.
func TestQuickHooks(t *testing.T) {
	const budget = time.Second
	quick := `({row, index}) => { %s; return {row: {out: {value: row.n.value + "!"}}}; }`
	everywhereWith(t, script.Config{Batch: budget}, func(t *testing.T, s *script.Script) {
		for _, test := range []struct{ name, body, fails string }{
			{"nothing wrong", ``, ""},
			{"throws", `if (index === 31234) throw new Error("no")`, "no"},
			{"hangs", `if (index === 31234) for (;;);`, "takes longer"},
			// 2,000 rows of these take longer than a call may, 1,000 do not.
			{"grows slow", `if (index >= 30000 && index < 32000 && index % 100 === 0) { const until = Date.now() + 70; while (Date.now() < until); }`, ""},
			// As much as a call may give back, for 1,500 rows.
			{"gives back much", `if (index >= 30000) row.n.value += "x".repeat(11000)`, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				session := open(t, s, rowHooks("// intray: live-clock\n"+fmt.Sprintf(quick, test.body)))
				began := time.Now()
				changes, err := session.Rows(t.Context(), 0, rowsOf(countFields, count(0, quickRows)))
				if test.fails != "" {
					failed := hookError(t, err)
					if failed.Row == nil || *failed.Row != 31234 || !strings.Contains(failed.Text.String(), test.fails) {
						t.Errorf("got %v", failed)
					}
					if took := time.Since(began); took > 2*budget+1500*time.Millisecond {
						t.Errorf("it took %v", took)
					}
					return
				}
				if err != nil || len(changes) != quickRows {
					t.Fatalf("%d changes, %v", len(changes), err)
				}
				for i, c := range changes {
					if text := strings.ReplaceAll(*c.Value, "x", ""); c.Row != i || text != fmt.Sprintf("%d!", i) {
						t.Fatalf("change %d is %q in row %d", i, text, c.Row)
					}
				}
			})
		}
	})
}
