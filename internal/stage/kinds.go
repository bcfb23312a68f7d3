package stage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// maxKinds bounds the bitmaps that are kept in memory, whatever names the
// codes of a hostile hook have.
const maxKinds = 65536

// kinds count the problems, and remember their rows.
type kinds struct {
	errors   *roaring.Bitmap
	of       map[kindKey]*tally
	problems int64
}

type kindKey struct {
	field int
	code  string
	level intray.Level
}

type tally struct {
	problems int64
	rows     *roaring.Bitmap
}

func newKinds() kinds {
	return kinds{errors: roaring.New(), of: map[kindKey]*tally{}}
}

// add adds the problems of a batch whose rows begin with first. It makes the
// rows of p, kind by kind, count from the stage's first.
func (k *kinds) add(first int64, p *packed) error {
	for i := range p.byKind {
		p.byKind[i] += uint32(first)
	}
	for i := range p.kinds {
		t, err := k.tally(&p.kinds[i])
		if err != nil {
			return err
		}
		rows := p.rowsOf(i)
		t.problems += int64(len(rows))
		t.rows.AddMany(rows)
		if p.kinds[i].Level == intray.LevelError {
			k.errors.AddMany(rows)
		}
	}
	k.problems += int64(len(p.rows))
	return nil
}

// tally gives that of a problem's kind.
func (k *kinds) tally(p *intray.Problem) (*tally, error) {
	key := kindKey{p.Field, p.Code, p.Level}
	t := k.of[key]
	if t == nil {
		if len(k.of) == maxKinds {
			return nil, fmt.Errorf("there are more than %d kinds of problems", maxKinds)
		}
		t = &tally{rows: roaring.New()}
		k.of[key] = t
	}
	return t, nil
}

// encode lays the bitmaps end to end and enters them in the manifest.
func (k *kinds) encode(m *Manifest) ([]byte, error) {
	m.Problems, m.ErrorRows = k.problems, int64(k.errors.GetCardinality())
	if k.problems == 0 {
		return nil, nil
	}
	body, at, err := appendBitmap(nil, k.errors)
	if err != nil {
		return nil, err
	}
	m.Errors = at
	for _, key := range k.sorted() {
		t := k.of[key]
		if body, at, err = appendBitmap(body, t.rows); err != nil {
			return nil, err
		}
		m.Kinds = append(m.Kinds, Kind{
			Field: key.field, Code: key.code, Level: key.level.String(),
			Problems: t.problems, Rows: int64(t.rows.GetCardinality()), Bitmap: at,
		})
	}
	return body, nil
}

func (k *kinds) sorted() []kindKey {
	keys := make([]kindKey, 0, len(k.of))
	for key := range k.of {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b kindKey) int {
		return cmp.Or(cmp.Compare(a.field, b.field), strings.Compare(a.code, b.code), cmp.Compare(a.level, b.level))
	})
	return keys
}

func appendBitmap(body []byte, rows *roaring.Bitmap) ([]byte, Piece, error) {
	rows.RunOptimize()
	text, err := rows.ToBytes()
	if err != nil {
		return nil, Piece{}, fmt.Errorf("encode a bitmap: %w", err)
	}
	return append(body, text...), Piece{int64(len(body)), int64(len(text)), checksum(text)}, nil
}

// window gives up to n rows of a bitmap, after the first skip of them.
func window(rows *roaring.Bitmap, skip int64, n int) []int64 {
	total := int64(rows.GetCardinality())
	if skip >= total || n <= 0 {
		return nil
	}
	first, err := rows.Select(uint32(skip))
	if err != nil {
		return nil
	}
	list := make([]int64, 0, min(int64(n), total-skip))
	it := rows.Iterator()
	it.AdvanceIfNeeded(first)
	for it.HasNext() && len(list) < n {
		list = append(list, int64(it.Next()))
	}
	return list
}
