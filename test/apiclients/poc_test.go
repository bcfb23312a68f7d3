package apiclients_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

// The types that browsers give the files that the demo application accepts. A browser on Windows
// gives CSV files the second one if Excel is installed, and an unknown file has no type.
const (
	csvType  = "text/csv"
	xlsType  = "application/vnd.ms-excel"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// poc replays dromoio/embeddable-headless-poc, at the commits 33b4773f and cc354908. Its server sends
// these requests with fetch, in src/app/api/headless.
//
// At commit 161e5b9b, the application reads the result at /headless/imports/{id}/data instead of url/.
// That is not replayed, because the API reference has no such operation.
type poc struct {
	program
	schema string
}

func newPOC(p program) poc {
	p.t.Helper()
	schema, _ := p.saveSchema()
	return poc{p, schema}
}

func pocUser() object {
	return object{"id": "1", "name": "Anonymous", "email": "anonymous@example.com", "companyId": "Unknown", "companyName": "Unknown"}
}

// run creates an import, uploads a file and polls until the import ends or needs a review.
func (p poc) run(filename, fileType, file string) pocImport {
	p.t.Helper()
	made := decode[struct{ ID, Upload string }](p.t, p.send("POST", p.api+"/headless/imports/", encode(p.t, object{
		"schema_id": p.schema, "original_filename": filename, "import_metadata": object{"user": pocUser()},
	}), "Content-Type", jsonType, keyHeader, p.key))
	if made.ID == "" || made.Upload == "" {
		p.t.Fatalf("the created import is %+v", made)
	}
	var headers []string
	if fileType != "" {
		headers = []string{"Content-Type", fileType}
	}
	p.send("PUT", made.Upload, strings.NewReader(file), headers...)
	return p.poll(made.ID)
}

// pocImport is an import as the demo application polls it. It only logs the metadata.
type pocImport struct {
	ID, Status string
	ReviewURL  string                 `json:"review_url"`
	Metadata   *struct{ User object } `json:"result_metadata"`
}

// poll polls without a trailing slash. The application gives up if it does not know the status.
func (p poc) poll(id string) (i pocImport) {
	p.t.Helper()
	apitest.Eventually(p.t, "import "+id+" ends", func() bool {
		i = decode[pocImport](p.t, p.send("GET", p.api+"/headless/imports/"+id, nil, keyHeader, p.key))
		switch i.Status {
		case "AWAITING_UPLOAD", "PENDING", "RUNNING":
			return false
		case "SUCCESSFUL", "NEEDS_REVIEW", "FAILED":
			return true
		}
		p.t.Fatalf("the status is %q", i.Status)
		return false
	})
	return i
}

// result downloads the rows of an import.
func (p poc) result(id string) []object {
	p.t.Helper()
	found := decode[struct {
		URL string `json:"presigned_url"`
	}](p.t, p.send("GET", p.api+"/headless/imports/"+id+"/url/", nil, keyHeader, p.key))
	return decode[[]object](p.t, p.send("GET", found.URL, nil))
}

// list returns a page of the table of imports: the status of each import by ID, and the number of
// imports on all pages.
func (p poc) list(offset, limit int) (statuses map[string]string, count int) {
	p.t.Helper()
	address := fmt.Sprintf("%s/headless/imports/?offset=%d&limit=%d", p.api, offset, limit)
	page := decode[struct {
		Count   int
		Results []struct {
			ID, Status string
			Filename   string `json:"original_filename"`
		}
	}](p.t, p.send("GET", address, nil, "Content-Type", jsonType, keyHeader, p.key))
	statuses = map[string]string{}
	for _, one := range page.Results {
		if one.Filename == "" {
			p.t.Errorf("import %s has no name", one.ID)
		}
		statuses[one.ID] = one.Status
	}
	return statuses, page.Count
}

// TestHeadlessPOC imports files that need no review, and one that has no rows.
func TestHeadlessPOC(t *testing.T) {
	each(t, func(p program) {
		app := newPOC(p)
		for _, file := range []struct{ name, fileType, content string }{
			{"people.csv", csvType, validFile},
			{"people.csv", xlsType, validFile},
			{"people", "application/octet-stream", validFile},
			{"people.csv", "", validFile}, // commit 161e5b9b sends no type
			{"people.xlsx", xlsxType, workbook(p.t, sheet{"People", validFile})},
		} {
			done := app.run(file.name, file.fileType, file.content)
			if done.Status != "SUCCESSFUL" {
				p.t.Errorf("%s as %q: %s", file.name, file.fileType, done.Status)
				continue
			}
			if diff := cmp.Diff(validRows(), app.result(done.ID)); diff != "" {
				p.t.Errorf("the rows of %s as %q: %s", file.name, file.fileType, diff)
			}
			if diff := cmp.Diff(pocUser(), done.Metadata.User); diff != "" {
				p.t.Error(diff)
			}
		}
		if empty := app.run("empty.csv", csvType, ""); empty.Status != "FAILED" {
			p.t.Errorf("an empty file: %s", empty.Status)
		}
	})
}

// TestHeadlessPOCReview continues imports that need a review in the embedded importer: one with an
// invalid row, and one with two sheets, which is the other example in the README of the application.
func TestHeadlessPOCReview(t *testing.T) {
	each(t, func(p program) {
		app := newPOC(p)
		rows := app.run("people.csv", csvType, invalidFile)
		sheets := app.run("people.xlsx", xlsxType, workbook(p.t, sheet{"Staff", invalidFile}, sheet{"Towns", "Town,Country\nUlm,DE\n"}))
		statuses, count := app.list(0, 20)
		want := map[string]string{rows.ID: "NEEDS_REVIEW", sheets.ID: "NEEDS_REVIEW"}
		if diff := cmp.Diff(want, statuses); diff != "" || count != 2 {
			p.t.Fatalf("%d imports: %s", count, diff)
		}
		for _, one := range []pocImport{rows, sheets} {
			app.send("GET", one.ReviewURL, nil) // the page links to it
			open := app.openImporter(app.rehydrate(one.ID))
			if one.ID == sheets.ID {
				open.chooseSheet("Staff")
			}
			open.fix("ben@example.org")
			if diff := cmp.Diff(validRows(), open.submit()); diff != "" {
				p.t.Errorf("the rows in the browser: %s", diff)
			}
			if done := app.poll(one.ID); done.Status != "SUCCESSFUL" {
				p.t.Fatalf("after the review, the import is %s", done.Status)
			}
			if diff := cmp.Diff(validRows(), app.result(one.ID)); diff != "" {
				p.t.Errorf("the result: %s", diff)
			}
			want[one.ID] = "SUCCESSFUL"
			if statuses, _ := app.list(0, 20); !cmp.Equal(want, statuses) {
				p.t.Errorf("the list: %s", cmp.Diff(want, statuses))
			}
		}
		if next, count := app.list(20, 20); len(next) != 0 || count != 2 {
			p.t.Errorf("the second page of %d imports is %v", count, next)
		}
	})
}

// sheet is a sheet of a workbook. Its rows are those of a CSV file without quotes.
type sheet struct{ name, rows string }

// workbook returns an XLSX file.
func workbook(t testing.TB, sheets ...sheet) string {
	t.Helper()
	const (
		head          = `<?xml version="1.0" encoding="UTF-8"?>`
		main          = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
		office        = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		relationships = "http://schemas.openxmlformats.org/package/2006/relationships"
	)
	parts := map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels": `<Relationships xmlns="` + relationships + `"><Relationship Id="r1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
	}
	var list, links strings.Builder
	for i, s := range sheets {
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="r%d"/>`, s.name, i+1, i+1)
		fmt.Fprintf(&links, `<Relationship Id="r%d" Type="%s/worksheet" Target="sheet%d.xml"/>`, i+1, office, i+1)
		var rows bytes.Buffer
		for line := range strings.Lines(s.rows) {
			rows.WriteString("<row>")
			for _, cell := range strings.Split(strings.TrimSpace(line), ",") {
				rows.WriteString(`<c t="inlineStr"><is><t>`)
				_ = xml.EscapeText(&rows, []byte(cell)) // a buffer does not fail
				rows.WriteString("</t></is></c>")
			}
			rows.WriteString("</row>")
		}
		parts[fmt.Sprintf("xl/sheet%d.xml", i+1)] = `<worksheet xmlns="` + main + `"><sheetData>` + rows.String() + `</sheetData></worksheet>`
	}
	parts["xl/workbook.xml"] = `<workbook xmlns="` + main + `" xmlns:r="` + office + `"><sheets>` + list.String() + `</sheets></workbook>`
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships xmlns="` + relationships + `">` + links.String() + `</Relationships>`
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, text := range parts {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(head + text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
