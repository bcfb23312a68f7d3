package engine_test

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

func previewed(t *testing.T, name string, content []byte, answers intray.Answers, sheet, limit int) engine.Preview {
	t.Helper()
	e := engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1})
	in := source.Input{Name: name, ReaderAt: bytes.NewReader(content), Size: int64(len(content))}
	preview, err := e.Preview(t.Context(), engine.Import{Input: in, Schema: &intray.Schema{}, Answers: answers}, sheet, limit)
	if err != nil {
		t.Fatal(err)
	}
	return preview
}

// TestPreview checks that the numbers of the rows are those of answers about the header, in text
// with blank lines and quoted line breaks, and in workbooks with blank rows.
func TestPreview(t *testing.T) {
	for _, name := range []string{"crm.csv", "bank.csv", "members.csv", "products.csv", "stores.xlsx"} {
		content, err := os.ReadFile("../examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1})
		in := source.Input{Name: name, ReaderAt: bytes.NewReader(content), Size: int64(len(content))}
		imp := engine.Import{Input: in, Schema: &intray.Schema{Fields: []intray.Field{{Key: "x", Label: "x", Type: intray.FieldType{Name: intray.TypeString}}}}, Answers: intray.Answers{}}
		if name == "stores.xlsx" {
			imp.Answers[intray.AnswerSheet] = previewed(t, name, content, nil, -1, 1).Sheets[0].Answer
		}
		out, err := e.Run(t.Context(), imp, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(out.Evidence, func(e intray.Evidence) bool { return e.Choice == "header row" })
		if at < 0 {
			t.Fatalf("%s: no evidence for the header: %v", name, out.Evidence)
		}
		row, err := strconv.Atoi(strings.SplitN(out.Evidence[at].Value, "-", 2)[0])
		if err != nil {
			t.Fatalf("%s: the header is %q", name, out.Evidence[at].Value)
		}
		p := previewed(t, name, content, imp.Answers, -1, 40)
		if len(p.Rows) != 40 || !p.More || row > len(p.Rows) || !slices.Contains(p.Rows[row-1], out.Headers[0]) {
			t.Errorf("%s: row %d of %d is %q, want the headers %q", name, row, len(p.Rows), p.Rows[min(row, len(p.Rows))-1], out.Headers)
		}
	}
}

func TestPreviewLimits(t *testing.T) {
	p := previewed(t, "a.csv", []byte("Title\n\na,b\n1,2\n"), nil, 5, 10)
	want := engine.Preview{Sheets: []engine.PreviewSheet{{Answer: "#1"}}, Rows: [][]string{{"Title"}, {""}, {"a", "b"}, {"1", "2"}}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	if p := previewed(t, "a.csv", []byte("a;b\n1;2\n"), intray.Answers{intray.AnswerDelimiter: ","}, -1, 1); !p.More || p.Rows[0][0] != "a;b" {
		t.Errorf("with another delimiter: %+v", p)
	}
}
