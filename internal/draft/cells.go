package draft

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/intraydata/intray"
)

// Part gives the raw text of one of the columns of a field with several; "" where
// there is none.
func (c Cell) Part(part int) string {
	var raws []string
	if json.Unmarshal([]byte(c.Raw), &raws) != nil || part >= len(raws) {
		return ""
	}
	return raws[part]
}

// eachCell gives the text of each cell that a field has in a row of a batch.
func (d *Draft) eachCell(b *intray.Batch, field, row int, do func(part int, text []byte)) error {
	c := &b.Fields[field]
	if !d.cfg.Fields[field].ManyToOne {
		do(0, c.Raw(row))
		return nil
	}
	parts := d.parts(field)
	raw := c.Raw(row)
	if len(bytes.TrimSpace(raw)) == 0 {
		for part := range parts {
			do(part, nil)
		}
		return nil
	}
	var texts []string
	if err := json.Unmarshal(raw, &texts); err != nil || len(texts) != parts {
		return fmt.Errorf("the raw text of field %q is not one for each of its %d columns", d.cfg.Fields[field].Key, parts)
	}
	for part, text := range texts {
		do(part, []byte(text))
	}
	return nil
}

// cellText gives the text of one cell.
func (d *Draft) cellText(b *intray.Batch, field, part, row int) (text string, err error) {
	err = d.eachCell(b, field, row, func(p int, t []byte) {
		if p == part {
			text = string(t)
		}
	})
	return text, err
}
