package importlinks_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/importlinks"
)

func expected(t *testing.T) []importlinks.ExpectedField {
	t.Helper()
	options := []any{map[string]any{"label": "Active", "value": "a"}, map[string]any{"label": "=Paused()", "value": "p"}}
	doc := schema.Doc{
		Fields: []any{
			map[string]any{"key": "name", "label": "Name", "validators": []any{map[string]any{"validate": "required"}, map[string]any{"validate": "unique"}}},
			map[string]any{"key": "again", "label": "Name", "type": "email"},
			map[string]any{"key": "formula", "label": "=cmd()", "type": "date"},
			map[string]any{"key": "status", "label": "Status", "type": "select", "selectOptions": options},
			map[string]any{"key": "secret", "label": "Secret", "hidden": true},
			map[string]any{"key": "code", "label": "Code", "type": "email", "validators": []any{map[string]any{"validate": "regex_match", "regex": "x"}}},
		},
		Extensions: map[string]any{"fields": map[string]any{"name": map[string]any{"labels": map[string]any{"de": "Firma", "pt-BR": "Empresa"}, "descriptions": map[string]any{"de": "Wie im Register"}}}},
	}
	return importlinks.ExpectedFields(schema.ParseUnchecked(doc), doc)
}

func TestExpectedFields(t *testing.T) {
	fields := expected(t)
	if len(fields) != 5 {
		t.Fatalf("%d fields, want the 5 that are not hidden", len(fields))
	}
	if f := fields[0]; !f.Required || !f.Unique || f.Labels["de"] != "Firma" || f.Descriptions["de"] != "Wie im Register" {
		t.Errorf("the first field is %+v", f)
	}
	for i, want := range []string{"", "anna@example.com", "2026-03-31", "Active", ""} {
		if fields[i].Example != want {
			t.Errorf("%s has the example %q, want %q", fields[i].Key, fields[i].Example, want)
		}
	}
}

// TestWriteTemplate reads a template as a spreadsheet application would: it has only a header, with
// a drop-down list that offers no formula.
func TestWriteTemplate(t *testing.T) {
	var out bytes.Buffer
	german := func(f importlinks.ExpectedField) string { return importlinks.InLanguage(f.Labels, "de-AT", f.Label) }
	if err := importlinks.WriteTemplate(t.Context(), &out, expected(t), german); err != nil {
		t.Fatal(err)
	}
	text := part(t, out.Bytes(), "xl/worksheets/sheet1.xml")
	for _, want := range []string{">Firma<", ">Name<", `sqref="D2:D1001"`, `"Active"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the sheet lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "<f>") || strings.Contains(text, "Paused") || strings.Contains(text, "Secret") {
		t.Errorf("the sheet contains a formula or a hidden field:\n%s", text)
	}
}

// part returns a part of a workbook.
func part(t *testing.T, workbook []byte, name string) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestInLanguage(t *testing.T) {
	texts := map[string]string{"de": "Firma", "pt-BR": "Empresa"}
	for tag, want := range map[string]string{"de": "Firma", "de-AT": "Firma", "pt-BR": "Empresa", "pt": "Name", "en": "Name", "": "Name", "-": "Name"} {
		if got := importlinks.InLanguage(texts, tag, "Name"); got != want {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
}
