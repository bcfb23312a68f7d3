package storetest

import (
	"github.com/intraydata/intray/internal/service"
)

func testTrash(f *fixture) {
	add := func(prefix string, minute int) {
		f.update(func(tx service.Tx) error {
			return tx.Trash.Add(f.ctx, service.Trash{Prefix: prefix, Due: after(minute)})
		})
	}
	due := func(minute, limit int) []service.Trash {
		return read(f, func(tx service.Tx) ([]service.Trash, error) { return tx.Trash.Due(f.ctx, after(minute), limit) })
	}
	add("b", 3)
	add("a", 1)
	add("b", 5)
	add("b", 4)
	a, b := service.Trash{Prefix: "a", Due: after(1)}, service.Trash{Prefix: "b", Due: after(5)}
	f.same(due(0, 9), []service.Trash(nil))
	f.same(due(4, 9), []service.Trash{a})
	f.same(due(5, 9), []service.Trash{a, b})
	f.same(due(5, 1), []service.Trash{a})
	for range 2 {
		f.update(func(tx service.Tx) error { return tx.Trash.Remove(f.ctx, "a") })
	}
	f.same(due(9, 9), []service.Trash{b})
}
