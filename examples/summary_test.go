package examples_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// shownRows is the maximum number of result rows that a summary shows.
const shownRows = 3

// run imports a file in the same way as the run command. It returns the summary and the outcome.
func run(t *testing.T, file string, schema *intray.Schema) (string, *engine.Outcome) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, blobs := t.Context(), blobtest.NewMemory()
	var writer *staging.Writer
	open := func(fields []string, unmapped []int) (engine.Sink, error) {
		writer = staging.NewWriter(ctx, blobs, "stage", staging.Layout{Fields: fields, Unmapped: unmapped}, staging.Config{})
		return writer, nil
	}
	in := source.Input{Name: file, ReaderAt: bytes.NewReader(text), Size: int64(len(text))}
	out, err := engine.New(engine.Config{Formats: formats.Formats(t.TempDir())}).Run(ctx, engine.Import{Input: in, Schema: schema}, open)
	if err != nil {
		t.Fatal(err)
	}
	if writer != nil {
		defer writer.Abort()
	}
	if out.Verdict != engine.Done {
		return summary(schema, out), out
	}
	if _, err := writer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	staged, err := staging.Open(ctx, blobs, "stage")
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Close()
	if err := out.FillValues(ctx, schema.Fields, staged.Window); err != nil {
		t.Fatal(err)
	}
	var rows bytes.Buffer
	n, err := output.Write(ctx, &rows, output.NDJSON, schema, staged.Batches(ctx))
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Collect(strings.Lines(rows.String()))
	shown := strings.Join(first[:min(shownRows, len(first))], "")
	return summary(schema, out) + fmt.Sprintf("\n%d rows of the result, the first:\n", n) + shown, out
}

var verdicts = map[engine.Verdict]string{engine.Done: "done", engine.Open: "open", engine.Broken: "broken"}

// summary returns the outcome of an example as text.
func summary(schema *intray.Schema, out *engine.Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d rows, %d with an error\n\nread:\n", verdicts[out.Verdict], out.DataRows, out.ErrorRows)
	for _, e := range out.Evidence {
		fmt.Fprintf(&b, "%s: %q\n", e.Choice, e.Value)
	}
	b.WriteString("\nmapping:\n")
	for i, match := range out.Mapping.Fields {
		if match.Column == intray.NoColumn {
			fmt.Fprintf(&b, "%s: no column\n", schema.Fields[i].Key)
			continue
		}
		fmt.Fprintf(&b, "%s: column %d, %s\n", schema.Fields[i].Key, match.Column+1, match.Header)
	}
	for _, column := range out.Mapping.Unmapped {
		fmt.Fprintf(&b, "not used: column %d, %s\n", column+1, out.Headers[column])
	}
	b.WriteString("\nnotices:\n")
	for _, n := range out.AllNotices() {
		b.WriteString(notice(n))
	}
	for _, q := range out.Questions {
		fmt.Fprintf(&b, "asked: %s\n", q.ID)
	}
	return b.String()
}

func notice(n intray.Notice) string {
	where := string(n.Type)
	if n.Row != nil {
		where = fmt.Sprintf("row %d", *n.Row+1)
	}
	if n.Field != "" {
		where += ", " + n.Field
	}
	value := ""
	if n.Value != nil {
		value = fmt.Sprintf("%q: ", *n.Value)
	}
	return fmt.Sprintf("%s %s: %s%s\n", n.Level, where, value, n.Text)
}
