package xlsx

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// table holds the shared strings: the first in blocks of memory, the rest in a
// file. In both, each is its length and then its text.
type table struct {
	blocks [][]byte
	// at has the place of each string in memory: the block and, in the lower
	// blockBits, where in it.
	at     []uint32
	count  int
	used   int
	limits Limits
	spill  *spill
}

const (
	blockBits  = 20
	blockBytes = 1 << blockBits
	// mostBlocks is how many blocks a place can tell apart.
	mostBlocks = 1 << (32 - blockBits)
	// placeBytes is what the place of a string costs.
	placeBytes = 4
)

// readStrings reads the part of that name. Without a name the table is empty.
func readStrings(ctx context.Context, arc *archive, name string) (*table, error) {
	t := &table{limits: arc.limits}
	if name == "" {
		return t, nil
	}
	p, err := arc.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer p.end()
	s, err := newScanner(p, name, arc.limits)
	if err == nil {
		err = t.read(s)
	}
	if err == nil {
		err = t.seal()
	}
	if err != nil {
		return nil, errors.Join(stopped(ctx, err), t.Close())
	}
	return t, nil
}

func (t *table) read(s *scanner) error {
	if err := s.root("sst"); err != nil {
		return err
	}
	var text []byte
	for {
		more, err := s.child()
		if err != nil || !more {
			return err
		}
		if string(s.name) != "si" {
			if err := s.skip(); err != nil {
				return err
			}
			continue
		}
		if text, err = s.richText(text[:0]); err != nil {
			return err
		}
		if err := t.add(text); err != nil {
			return err
		}
	}
}

// add puts a string behind the others.
func (t *table) add(text []byte) error {
	if t.count >= t.limits.Strings {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_strings", intray.Params{"limit": t.limits.Strings})}
	}
	t.count++
	size := len(text) + binary.MaxVarintLen32
	if t.spill == nil && t.used+size+placeBytes <= t.limits.StringBytes && len(t.blocks) < mostBlocks {
		t.keep(text, size)
		return nil
	}
	if t.spill == nil {
		made, err := newSpill(t.limits.TempDir)
		if err != nil {
			return err
		}
		t.spill = made
	}
	return t.spill.add(text)
}

// keep puts a string into memory.
func (t *table) keep(text []byte, size int) {
	last := len(t.blocks) - 1
	if last < 0 || cap(t.blocks[last])-len(t.blocks[last]) < size {
		t.blocks = append(t.blocks, make([]byte, 0, max(blockBytes, size)))
		last++
	}
	block := t.blocks[last]
	t.at = append(t.at, uint32(last)<<blockBits|uint32(len(block)))
	t.blocks[last] = append(binary.AppendUvarint(block, uint64(len(text))), text...)
	t.used += len(t.blocks[last]) - len(block) + placeBytes
}

// seal ends adding.
func (t *table) seal() error {
	if t.spill == nil {
		return nil
	}
	return t.spill.seal()
}

// get gives a string of those in memory by its number.
func (t *table) get(number int) []byte {
	place := t.at[number]
	rest := t.blocks[place>>blockBits][place&(blockBytes-1):]
	length, n := uint64(rest[0]), 1
	if length >= 0x80 {
		length, n = binary.Uvarint(rest)
	}
	return rest[n : n+int(length) : n+int(length)]
}

// Close gives back the file.
func (t *table) Close() error {
	if t.spill == nil {
		return nil
	}
	return t.spill.Close()
}
