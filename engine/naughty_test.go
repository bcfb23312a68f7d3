package engine_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/blob/mem"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestNaughtyStringsComeBack sends texts that break programs through a whole
// import, in each of three forms, and wants every byte back.
func TestNaughtyStringsComeBack(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourcetest.Corpus(t, "naughty-strings"), "blns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var naughty []string
	if err := json.Unmarshal(text, &naughty); err != nil {
		t.Fatal(err)
	}
	if len(naughty) < 500 {
		t.Fatalf("only %d texts", len(naughty))
	}
	for name, write := range map[string]func(*testing.T, []string) []byte{"rows.csv": asCSV, "rows.json": asJSON, "rows.ndjson": asLines} {
		t.Run(name, func(t *testing.T) {
			back := throughImport(t, name, write(t, naughty))
			if len(back) != len(naughty) {
				t.Fatalf("%d rows of %d came back", len(back), len(naughty))
			}
			for i, want := range naughty {
				if back[i] != want {
					t.Errorf("text %d: %q came back as %q", i, want, back[i])
				}
			}
		})
	}
}

func asCSV(t *testing.T, texts []string) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	rows := [][]string{{"Id", "Text"}}
	for i, text := range texts {
		rows = append(rows, []string{strconv.Itoa(i + 1), text})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func records(texts []string) []map[string]string {
	rows := make([]map[string]string, len(texts))
	for i, text := range texts {
		rows[i] = map[string]string{"Id": strconv.Itoa(i + 1), "Text": text}
	}
	return rows
}

func asJSON(t *testing.T, texts []string) []byte {
	text, err := json.Marshal(records(texts))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func asLines(t *testing.T, texts []string) []byte {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	for _, row := range records(texts) {
		if err := lines.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// throughImport gives the texts of the result, row by row.
func throughImport(t *testing.T, name string, file []byte) []string {
	t.Helper()
	plain := intray.FieldType{Name: intray.TypeString}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "id", Label: "Id", Type: plain}, {Key: "text", Label: "Text", Type: plain},
	}}
	s := stageOpener{ctx: t.Context(), blobs: mem.New()}
	out, err := engine.New(engine.Config{Formats: formats.Formats("")}).Run(t.Context(), engine.Import{
		Input:  source.Input{Name: name, ReaderAt: bytes.NewReader(file), Size: int64(len(file))},
		Schema: schema,
	}, s.open)
	if err != nil || s.writer == nil {
		t.Fatalf("no row moved: %v, %+v", err, out)
	}
	defer s.writer.Abort()
	if _, err := s.writer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	staged, err := staging.Open(t.Context(), s.blobs, "stage")
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Close()
	var result bytes.Buffer
	if _, err := output.Write(t.Context(), &result, output.JSON, schema, staged.Batches(t.Context())); err != nil {
		t.Fatal(err)
	}
	var rows []struct{ ID, Text string }
	if err := json.Unmarshal(result.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	back := make([]string, len(rows))
	for i, row := range rows {
		back[i] = row.Text
	}
	return back
}
