package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// WriteNDJSON writes one object a line with the same rows as Write, about 240
// bytes each: id and amount are numbers, all else is text.
func WriteNDJSON(to io.Writer, rows int, seed uint64) error {
	w := bufio.NewWriterSize(to, 1<<20)
	made := newRows(seed)
	var line []byte
	for range rows {
		var err error
		if line, err = appendObject(line[:0], made.next()); err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

func appendObject(line []byte, row *[10]string) ([]byte, error) {
	for i, cell := range row {
		between := byte(',')
		if i == 0 {
			between = '{'
		}
		line = append(append(line, between, '"'), Header[i]...)
		line = append(line, `":`...)
		if i == columnID || i == columnAmount {
			line = append(line, cell...)
			continue
		}
		text, err := json.Marshal(cell)
		if err != nil {
			return nil, fmt.Errorf("write %q as JSON: %w", cell, err)
		}
		line = append(line, text...)
	}
	return append(line, "}\n"...), nil
}
