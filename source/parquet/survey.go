package parquet

import (
	"context"

	"github.com/intraydata/intray"
)

// askEvery is the number of values between two looks at the context.
const askEvery = 4096

// survey finds out once which columns of bytes are text.
func (b *book) survey(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.surveyed {
		return nil
	}
	for _, l := range b.tree.leaves {
		if !l.unexplained {
			continue
		}
		err := guarded(func() error { return b.surveyLeaf(ctx, l) })
		if err = told(err, 0, l.path); err != nil && !isTyped(err) {
			return err
		}
	}
	b.surveyed = true
	return nil
}

// surveyLeaf reads all values of a leaf, or up to the first that is no text.
// What is wrong with the file is met again by the reader, and told there.
func (b *book) surveyLeaf(ctx context.Context, l *leaf) error {
	l.why = intray.NewMessage("parquet.untyped_text", nil)
	c := &cursor{shelf: newShelf(b), leaf: l}
	row := int64(0)
	for _, g := range b.footer.groups {
		chunks, err := b.footer.chunks(g, len(b.tree.leaves), nil)
		if err != nil {
			return err
		}
		c.begin(chunks[l.index])
		if row, err = c.findBytes(ctx, row); err != nil {
			return err
		}
		if row < 0 {
			l.hex = true
			l.why = intray.NewMessage("parquet.untyped_bytes", intray.Params{"row": -row})
			return nil
		}
	}
	return nil
}

// findBytes goes through a chunk behind so many rows, and gives the number of
// rows behind it, or of the row, negative, that has bytes that are no text.
func (c *cursor) findBytes(ctx context.Context, row int64) (int64, error) {
	for met := 0; ; met++ {
		if met%askEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err := c.peek(ctx); err != nil || c.done {
			return row, err
		}
		if c.rep == 0 {
			row++
		}
		if c.def < c.leaf.def {
			c.drop()
			continue
		}
		v, err := c.take()
		if err != nil {
			return 0, err
		}
		if !isText(v.bytes) {
			return -row, nil
		}
	}
}

// leafEvidence tells how values are written whose type is not all told by the
// schema.
func (b *book) leafEvidence() (told []intray.Evidence) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.tree.leaves {
		if len(told) >= maxListed {
			break
		}
		if l.misfit {
			told = append(told, intray.Evidence{Choice: "type of " + l.path, Value: l.kind, Reason: intray.NewMessage("parquet.type_mismatch", nil)})
		}
		if !l.unexplained {
			continue
		}
		value := "text"
		if l.hex {
			value = "hexadecimal"
		}
		told = append(told, intray.Evidence{Choice: "bytes of " + l.path, Value: value, Reason: l.why})
	}
	return told
}
