package engine_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// pages is a format of several sheets: each is CSV, and a line of dashes stands
// between two.
type pages struct{ csv.Format }

func (pages) Open(_ context.Context, in source.Input, opt source.Options) (source.Book, error) {
	text := make([]byte, in.Size)
	if _, err := in.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return &pagesBook{strings.Split(string(text), "---\n"), opt}, nil
}

type pagesBook struct {
	texts []string
	opt   source.Options
}

func (*pagesBook) Evidence() []intray.Evidence { return nil }
func (*pagesBook) Close() error                { return nil }

func (b *pagesBook) Sheets() (list []source.Sheet) {
	for i := range b.texts {
		list = append(list, source.Sheet{Name: string(rune('A' + i)), Hidden: strings.HasPrefix(b.texts[i], "hidden")})
	}
	return list
}

func (b *pagesBook) Open(ctx context.Context, i int) (source.Reader, error) {
	in := source.Input{ReaderAt: strings.NewReader(b.texts[i]), Size: int64(len(b.texts[i]))}
	book, err := csv.Format{}.Open(ctx, in, b.opt)
	if err != nil {
		return nil, err
	}
	return book.Open(ctx, 0)
}

// TestSheets runs files of several sheets: one table is read and said which, of
// several a person chooses.
func TestSheets(t *testing.T) {
	schema := &intray.Schema{Fields: []intray.Field{{Key: "a", Label: "A", Type: intray.FieldType{Name: intray.TypeString}}}, Settings: intray.DefaultSettings()}
	for _, c := range []struct{ text, answer, want string }{
		{"a\n1\n", "", "done, sheet A: the file has only one sheet"},
		{"\"\"\n---\na\n1\n---\n\"\"\n", "", "done, sheet B: it is the only one of 3 sheets that contains a table"},
		{"a\n1\n---\nb\n2\n---\n\"\"\n", "", "open: The file contains 2 tables: \"A\", \"B\". Choose the one to import. A (a) B (b)"},
		{"a\n1\n---\na\n2\n---\n\"\"\n", "B", "done, sheet B: it was requested"},
		{"hidden\nx\n---\na\n1\n---\nhidden\ny\n", "", "done, sheet B: it is the only visible sheet of 3 that contains a table; hidden sheets contain tables, too"},
		{"hidden\nx\n---\na\n1\n---\nb\n2\n", "", "open: The file contains 3 tables: \"A\", \"B\", \"C\". Choose the one to import. A (hidden) B (a) C (b)"},
		{"a\n1\n", "B", "broken: We can't read this file: the requested sheet \"B\" does not exist."},
		{strings.Repeat("a\n1\n---\n", 6) + "a\n", "", "open: The file contains 7 tables: \"A\", \"B\", \"C\", \"D\", \"E\" and 2 more. " +
			"Choose the one to import. A (a) B (a) C (a) D (a) E (a) F (a) G (a)"},
	} {
		e := engine.New(engine.Config{Formats: []source.Format{pages{}}})
		in := source.Input{Name: "x.csv", ReaderAt: strings.NewReader(c.text), Size: int64(len(c.text))}
		answers := intray.Answers{}
		if c.answer != "" {
			answers[intray.AnswerSheet] = c.answer
		}
		out, err := e.Run(t.Context(), engine.Import{Input: in, Schema: schema, Answers: answers}, func([]string, []int) (engine.Sink, error) { return &largest{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := sheetResult(out); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.text, c.answer, got, c.want)
		}
	}
}

func sheetResult(out *engine.Outcome) string {
	got := "done"
	switch out.Verdict {
	case engine.Open:
		got = "open: " + out.Notices[0].Text.String()
	case engine.Broken:
		got = "broken: " + out.Notices[0].Text.String()
	}
	for _, e := range out.Evidence {
		if e.Choice == "sheet" {
			got += ", sheet " + e.Value + ": " + e.Reason.String()
		}
	}
	for _, q := range out.Questions {
		for _, c := range q.Choices {
			got += " " + c.Value + " (" + strings.Join(c.Examples, " ") + ")"
		}
	}
	return got
}
