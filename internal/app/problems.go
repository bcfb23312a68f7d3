package app

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// problemList is a CSV file of problems under way, with one line for each.
type problemList struct {
	schema *intray.Schema
	w      *csv.Writer
	// texts are what messages say, of which there are few.
	texts map[intray.Message]string
}

// maxTexts bounds the texts that are kept.
const maxTexts = 10_000

// text renders a message.
func (l *problemList) text(m intray.Message) string {
	text, known := l.texts[m]
	if !known {
		text = m.String()
		if len(l.texts) < maxTexts {
			l.texts[m] = text
		}
	}
	return text
}

// writeProblems writes the file of problems: those of all batches that write
// lets come along.
func (c *RunConfig) writeProblems(write func(*problemList) error) error {
	return WriteFile(c.Problems, c.Stdout, func(to io.Writer) error {
		l := &problemList{c.Schema, csv.NewWriter(to), map[intray.Message]string{}}
		if err := l.w.Write([]string{"line", "row", "field", "level", "code", "message", "value"}); err != nil {
			return err
		}
		if err := write(l); err != nil {
			return err
		}
		l.w.Flush()
		return l.w.Error()
	})
}

// along gives the batches on, the problems of each having been written.
func (l *problemList) along(batches iter.Seq2[*intray.Batch, error]) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		for b, err := range batches {
			if err == nil {
				err = l.add(b)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// add writes the problems of a batch. Rows count from 1 here, as in a
// spreadsheet below its header.
func (l *problemList) add(b *intray.Batch) error {
	for _, p := range b.Problems {
		key, value := "", ""
		if p.Field != intray.NoField {
			f := &l.schema.Fields[p.Field]
			key, value = f.Key, rawOf(f, b.Fields[p.Field].Raw(p.Row), p.Part)
		}
		err := l.w.Write([]string{
			strconv.FormatInt(b.Lines[p.Row], 10), strconv.FormatInt(b.First+int64(p.Row)+1, 10),
			output.NoFormula(key), p.Level.String(), p.Code, l.text(p.Text), output.NoFormula(value),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rawOf is the text that the file holds; of a field that several columns feed,
// that of the column concerned. Where all of them are empty, there is no list.
func rawOf(f *intray.Field, text []byte, part int) string {
	var all []string
	switch {
	case !f.ManyToOne:
		return string(text)
	case json.Unmarshal(text, &all) == nil && part < len(all):
		return all[part]
	}
	return ""
}
