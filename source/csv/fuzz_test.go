package csv

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// FuzzCSV reads any bytes: they give records of valid text, or a typed error.
func FuzzCSV(f *testing.F) {
	for _, s := range samples {
		f.Add(s.Text, false)
	}
	f.Add(contacts(12, map[int]string{5: `5,"Ada,2021-02-03,35.50,"a note, no. 5"`}), false)
	f.Add("sep=;\na;b\n'1';2\n“x”||y\n", true)
	f.Fuzz(func(t *testing.T, text string, asIs bool) {
		if score, reason := (Format{}).Detect(sourcetest.Input("", nil), []byte(text)); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
			t.Fatalf("%q: score %v, reason %q", text, score, reason)
		}
		book, err := Format{}.Open(t.Context(), sourcetest.Input("", []byte(text)), source.Options{AsIs: asIs})
		if err != nil {
			typed(t, text, err)
			return
		}
		reader, err := book.Open(t.Context(), 0)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		defer func() { _ = reader.Close() }()
		drain(t, text, reader)
	})
}

func typed(t *testing.T, text string, err error) {
	t.Helper()
	if !errors.As(err, new(*source.UnreadableError)) && !errors.As(err, new(*source.LimitError)) {
		t.Fatalf("%q: %v", text, err)
	}
}

func drain(t *testing.T, text string, reader source.Reader) {
	t.Helper()
	var batch intray.Records
	line := int64(0)
	for {
		err := reader.Next(t.Context(), &batch)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			typed(t, text, err)
			return
		}
		for i := range batch.Len() {
			if batch.Lines[i] <= line {
				t.Fatalf("%q: line %d comes behind line %d", text, batch.Lines[i], line)
			}
			line = batch.Lines[i]
			for c := range batch.NumCells(i) {
				if !utf8.Valid(batch.Cell(i, c)) {
					t.Fatalf("%q: cell %q is no text", text, batch.Cell(i, c))
				}
			}
		}
	}
}

// FuzzCut compares the fast reading of a run of records with the tolerant one:
// what the fast one takes for plain, both cut alike.
func FuzzCut(f *testing.F) {
	f.Add("a,b\n\"c,\"\"\",d\r\n\"e\nf\",g\n")
	f.Add("a,\"b\"x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		d := dialect{delim: ",", open: `"`, shut: `"`}
		var batch intray.Records
		quick := newFast(&sheet{dialect: d, width: 2})
		if _, plain := quick.read([]byte(text), intray.BatchRows, &batch); !plain {
			return
		}
		var want, got [][]string
		var r record
		for at := 0; at < len(text); at += r.next {
			d.cut([]byte(text[at:]), none, &r)
			var cells []string
			for _, c := range r.cells {
				cells = append(cells, string(d.append(nil, []byte(text[at:]), c)))
			}
			want = append(want, cells)
		}
		for i := range batch.Len() {
			got = append(got, []string{string(batch.Cell(i, 0)), string(batch.Cell(i, 1))})
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q (-tolerant +fast):\n%s", text, diff)
		}
	})
}
