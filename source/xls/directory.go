package xls

import (
	"strings"
	"unicode/utf16"

	"github.com/intraydata/intray"
)

const entryBytes = 128

// entry names a stream or a folder of the container.
type entry struct {
	name string
	kind byte
	// left and right lead to entries of the same folder, child to one inside.
	left, right, child uint32
	start              uint32
	size               int64
}

// The kinds of entries that are looked for.
const (
	kindStream = 2
	kindRoot   = 5
)

// entry reads one of the directory by its number.
func (c *container) entry(number uint32) (entry, error) {
	raw := make([]byte, entryBytes)
	off := int64(number) * entryBytes
	if off+entryBytes > c.directory.size {
		return entry{}, unreadable(intray.NewMessage("xls.no_directory_entry", intray.Params{"entry": number}))
	}
	if err := c.directory.readAt(raw, off); err != nil {
		return entry{}, err
	}
	e := entry{
		kind: raw[66], left: little.Uint32(raw[68:]), right: little.Uint32(raw[72:]), child: little.Uint32(raw[76:]),
		start: little.Uint32(raw[116:]), size: int64(little.Uint32(raw[120:])),
	}
	if high := little.Uint32(raw[124:]); c.version >= 4 && high != 0 {
		e.size = c.in.Size + 1 // more than there can be
	}
	units := make([]uint16, 0, 32)
	for i := 0; i+2 < min(int(little.Uint16(raw[64:])), 64); i += 2 {
		units = append(units, little.Uint16(raw[i:]))
	}
	e.name = string(utf16.Decode(units))
	return e, nil
}

// top lists the streams outside of all folders, whose names are among those
// asked for. Workbooks inside folders belong to embedded objects.
func (c *container) top(names ...string) (map[string]entry, error) {
	root, err := c.entry(0)
	if err != nil {
		return nil, err
	}
	found := map[string]entry{}
	seen := newMarks(c.directory.size / entryBytes)
	for todo := []uint32{root.child}; len(todo) > 0; {
		number := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if int64(number) >= c.directory.size/entryBytes || !seen.set(number) {
			continue // damaged links lead nowhere: what can be found is found
		}
		e, err := c.entry(number)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if e.kind == kindStream && strings.EqualFold(name, e.name) {
				found[name] = e
			}
		}
		todo = append(todo, e.left, e.right)
	}
	return found, nil
}

// open gives the bytes of an entry.
func (c *container) open(e entry) (*stream, error) {
	if e.size < miniCutoff {
		return c.miniChain(e.start, e.size)
	}
	return c.chain(e.start, e.size)
}
