package sqlstore_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/sqlstore"
)

// TestFindingScale3Targets checks that SQLite finds the targets with due deliveries by stepping
// through an index from target to target, and never scans the table.
func TestFindingScale3Targets(t *testing.T) {
	t.Parallel()
	s := open(t, sqlstore.Config{Path: filepath.Join(t.TempDir(), "intray.db"), Queue: queue.Config{Node: "n"}})
	steps, err := sqlstore.TargetsPlan(model.AcrossOrgs(t.Context()), s)
	must(t, err)
	next := 0
	for _, step := range steps {
		onDeliveries := strings.HasPrefix(step, "SCAN d ") || strings.HasPrefix(step, "SEARCH d ")
		if onDeliveries && !strings.Contains(step, "INDEX deliveries_targets") || step == "SCAN d" {
			t.Errorf("the step %q does not use the index", step)
		}
		if strings.Contains(step, "deliveries_targets (target>?)") {
			next++
		}
	}
	if next != 1 {
		t.Errorf("%d steps go from target to target, want 1:\n%s", next, strings.Join(steps, "\n"))
	}
}

// TestMakeDueUsesIndex checks that making deliveries due reads only deliveries that are not due
// yet. Without the index, each batch would read all deliveries that wait for the receiver.
func TestMakeDueUsesIndex(t *testing.T) {
	onEach(t, func(t *testing.T, cfg sqlstore.Config) {
		s := open(t, cfg)
		plan, err := sqlstore.MakeDuePlan(model.AcrossOrgs(t.Context()), s)
		must(t, err)
		if !strings.Contains(plan, "INDEX deliveries_due (target=? AND due>?)") && !strings.Contains(plan, " using deliveries_due ") {
			t.Errorf("the plan does not use deliveries_due:\n%s", plan)
		}
	})
}

// BenchmarkTargets looks for targets while 100,000 deliveries to one target are due.
func BenchmarkTargets(b *testing.B) {
	s := open(b, sqlstore.Config{Path: filepath.Join(b.TempDir(), "intray.db"), Queue: queue.Config{Node: "n"}})
	now := time.Unix(1_000_000, 0)
	err := s.Update(b.Context(), func(tx model.Tx) error {
		if err := tx.Accounts.InsertOrg(b.Context(), model.Org{ID: "o", Name: "o"}); err != nil {
			return err
		}
		for i := range 100_000 {
			d := model.Delivery{ID: fmt.Sprint("msg_", i), Org: "o", Target: "one", ImportID: fmt.Sprint(i), URL: "http://x", Status: model.Waiting, Due: now, Created: now, Body: []byte("{}")}
			if err := tx.Deliveries.Insert(b.Context(), d); err != nil {
				return err
			}
		}
		return nil
	})
	must(b, err)
	for b.Loop() {
		err := s.View(b.Context(), func(tx model.Tx) error {
			list, err := tx.Outbox.Targets(b.Context(), now, 10, 10)
			if err == nil && len(list) != 1 {
				b.Errorf("%d targets, want 1", len(list))
			}
			return err
		})
		must(b, err)
	}
}
