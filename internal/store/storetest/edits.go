package storetest

import (
	"strings"

	"github.com/intraydata/intray/internal/service"
)

// aMemory is remembered later, the greater n is.
func aMemory(n int, org, identifier string) service.Remembered {
	return service.Remembered{
		Org: org, ImportIdentifier: identifier, Kind: service.ValueMemory,
		Field: "country", Text: id("text", n), Value: "DE", On: after(n),
	}
}

func (f *fixture) put(all ...service.Remembered) {
	f.Helper()
	f.update(func(tx service.Tx) error {
		for _, r := range all {
			if err := tx.Memory.Put(f.ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// wantMemory checks what an import identifier has, newest first.
func (f *fixture) wantMemory(org, identifier string, want ...service.Remembered) {
	f.Helper()
	f.view(func(tx service.Tx) error {
		list, total, err := tx.Memory.List(f.ctx, org, identifier, 0, 1<<40)
		f.same(list, want)
		f.same(total, int64(len(want)))
		return err
	})
}

func testMemory(f *fixture) {
	odd := strings.Repeat("ü\x00\"<\\", 200)
	column := service.Remembered{Org: "org-a", ImportIdentifier: "crm", Kind: service.ColumnMemory, Field: "country", Text: odd, On: after(9)}
	value := aMemory(5, "org-a", "crm")
	value.Text, value.Value = odd, odd
	other, foreign := aMemory(1, "org-a", strings.Repeat("x", 1024)), aMemory(1, "org-b", "crm")
	f.put(aMemory(1, "org-a", "crm"), value, column, other, foreign)
	f.wantMemory("org-a", "crm", column, value, aMemory(1, "org-a", "crm"))
	f.wantMemory("org-a", other.ImportIdentifier, other)
	f.wantMemory("org-a", "unknown")

	value.Value, value.On = "", after(20)
	f.put(value)
	f.wantMemory("org-a", "crm", value, column, aMemory(1, "org-a", "crm"))
	f.view(func(tx service.Tx) error {
		list, total, err := tx.Memory.List(f.ctx, "org-a", "crm", 1, 1)
		f.same(list, []service.Remembered{column})
		f.same(total, int64(3))
		return err
	})

	f.update(func(tx service.Tx) error {
		return firstError(tx.Memory.Remove(f.ctx, column), tx.Memory.Remove(f.ctx, column))
	})
	f.wantMemory("org-a", "crm", value, aMemory(1, "org-a", "crm"))
	f.update(func(tx service.Tx) error {
		return firstError(tx.Memory.Forget(f.ctx, "org-a", "crm"), tx.Memory.Forget(f.ctx, "org-a", "crm"))
	})
	f.wantMemory("org-a", "crm")
	f.wantMemory("org-a", other.ImportIdentifier, other)
	f.wantMemory("org-b", "crm", foreign)
	f.refused(service.NotFound, func(tx service.Tx) error { return tx.Memory.Put(f.ctx, aMemory(1, "org-c", "crm")) })
}

func testMemoryTrimmed(f *fixture) {
	var all []service.Remembered // newest first
	for n := range 6 {
		all = append([]service.Remembered{aMemory(n, "org-a", "crm")}, all...)
	}
	others := []service.Remembered{aMemory(0, "org-a", "erp"), aMemory(0, "org-b", "crm")}
	f.put(append(all, others...)...)
	size := int64(len("country") + len(all[0].Text) + len("DE"))
	for _, c := range []struct {
		most int
		size int64
		left int
	}{{6, 6 * size, 6}, {5, 6 * size, 5}, {5, 5*size - 1, 4}, {3, 1 << 40, 3}, {3, size, 1}, {1, size - 1, 0}, {1, 1, 0}} {
		f.update(func(tx service.Tx) error { return tx.Memory.Trim(f.ctx, "org-a", "crm", c.most, c.size) })
		f.wantMemory("org-a", "crm", append([]service.Remembered(nil), all[:c.left]...)...)
	}
	f.wantMemory("org-a", "erp", others[0])
	f.wantMemory("org-b", "crm", others[1])
}
