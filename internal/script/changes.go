package script

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

// harvest gathers changes, as the engine told them, in the words of the rest of
// the program.
type harvest struct {
	changes []intray.Change
	// ahead is how many rows stand before those that the engine counts.
	ahead int
	// values are what changes point to. Where they are full, others follow.
	values []string
}

// add takes a change over.
func (h *harvest) add(c *realm.Change) {
	h.changes = append(h.changes, intray.Change{Row: h.ahead + c.Row, Field: c.Field, Part: c.Part, HasValue: c.HasValue, HasInfos: c.HasInfos})
	one := &h.changes[len(h.changes)-1]
	if c.HasValue && c.Value.Kind != realm.ValueNull {
		one.Value, one.IsNumber = h.keep(c.Value.Text), c.Value.Kind == realm.ValueNumber
	}
	for _, info := range c.Infos {
		one.Infos = append(one.Infos, intray.Info{Level: info.Level, Text: info.Message})
	}
	if c.HasOptions {
		one.Options = append([]intray.SelectOption{}, c.Options...)
	}
}

func (h *harvest) keep(text string) *string {
	if len(h.values) == cap(h.values) {
		h.values = make([]string, 0, batchRows)
	}
	h.values = append(h.values, text)
	return &h.values[len(h.values)-1]
}

// leave is for calls of which no change is taken over.
func leave(*realm.Change) {}
