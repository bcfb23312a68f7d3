package storetest

import (
	"time"

	"github.com/intraydata/intray/internal/service"
)

func testNodes(f *fixture) {
	for _, node := range []string{"n2", "n1", "n2"} {
		f.update(func(tx service.Tx) error { return tx.Nodes.Beat(f.ctx, node) })
	}
	all := func(tx service.Tx) ([]string, error) { return tx.Nodes.All(f.ctx) }
	silent := func(after time.Duration) func(service.Tx) ([]string, error) {
		return func(tx service.Tx) ([]string, error) { return tx.Nodes.Silent(f.ctx, after) }
	}
	f.same(read(f, all), []string{"n1", "n2"})
	f.same(read(f, silent(time.Hour)), []string(nil))
	// Time has passed, or stands still at the least.
	f.same(read(f, silent(0)), []string{"n1", "n2"})
	for range 2 {
		f.update(func(tx service.Tx) error { return tx.Nodes.Bury(f.ctx, "n1") })
	}
	f.same(read(f, all), []string{"n2"})
}
