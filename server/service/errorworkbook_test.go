package service_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// replaceInZip returns a copy of a zip archive in which text is replaced in one file.
func replaceInZip(t *testing.T, archive []byte, name, old, text string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	must(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	replaced := 0
	for _, file := range z.File {
		r, err := file.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		if file.Name == name {
			replaced = bytes.Count(content, []byte(old))
			content = bytes.ReplaceAll(content, []byte(old), []byte(text))
		}
		to, err := w.Create(file.Name)
		must(t, err)
		_, err = to.Write(content)
		must(t, err)
	}
	must(t, w.Close())
	if replaced != 1 {
		t.Fatalf("%s contains %q %d times", name, old, replaced)
	}
	return out.String()
}

// TestFindingErrorWorkbook checks that the workbook of rows with errors has comments, drop-down
// lists and widths, and that it can still be merged. One option has the name of the column that
// identifies rows.
func TestFindingErrorWorkbook(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const fields = `[{"key":"email","label":"E-Mail","type":"email"},{"key":"name","label":"Name"},` +
		`{"key":"plan","label":"Plan","type":"select","selectOptions":[{"label":"Row","value":"r"},{"label":"Yes, please","value":"y"}]},` +
		`{"key":"size","label":"Size","type":"select","selectOptions":[{"label":"Small","value":"s"},{"label":"Large","value":"l"}]}]`
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(t, fields, blocking)})
	must(t, err)
	must(t, f.upload(imp, "E-Mail,Name,Plan,Size\nada@example.org,Ada,Row,Small\nnobody,Bob,\"Yes, please\",Huge\n"))
	f.runAll()
	imp = f.wantStatus(f.reload(imp), model.NeedsReview)
	var file bytes.Buffer
	must(t, f.ExportRows(f.ctx, imp, draft.Query{}, &file))

	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	must(t, err)
	parts := map[string]string{}
	for _, name := range []string{"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "xl/comments1.xml"} {
		r, err := z.Open(name)
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		parts[name] = string(content)
	}
	for name, wants := range map[string][]string{
		"xl/worksheets/sheet1.xml": {`<col min="2" max="2" width="17" customWidth="1"/>`, `<col min="3" max="3" width="8" customWidth="1"/>`, `sqref="D2:D3"><formula1>Options!$A$2:$A$3<`, `sqref="E2:E3"><formula1>"Small,Large"<`},
		"xl/worksheets/sheet2.xml": {"Yes, please"},
		"xl/comments1.xml":         {`<comment ref="B3"`, `<comment ref="E3"`},
	} {
		for _, want := range wants {
			if !strings.Contains(parts[name], want) {
				t.Errorf("%s does not contain %s:\n%s", name, want, parts[name])
			}
		}
	}
	b := f.mergeFile(imp, file.String(), false)
	f.wantMerge(imp, b, "cells 0 conflicts 0[] unverified 0 unknown 0", "ada@example.org Ada", "nobody Bob")
	b = f.mergeFile(imp, replaceInZip(t, file.Bytes(), "xl/worksheets/sheet1.xml", ">nobody<", ">bob@example.org<"), false)
	f.wantMerge(imp, b, "cells 1 conflicts 0[] unverified 0 unknown 0", "ada@example.org Ada", "bob@example.org Bob")
	if len(b.Ignored) > 0 {
		t.Errorf("ignored columns: %q", b.Ignored)
	}
}
