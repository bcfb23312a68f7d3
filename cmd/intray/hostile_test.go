package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// packed returns a zip file. members alternates between the
// names and the contents of the members.
func packed(t *testing.T, members ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err == nil {
			_, err = io.WriteString(w, members[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// zeros returns a gzip file of n zero bytes. Compressing them one after another takes seconds.
// Therefore, zeros repeats one member, which the format allows.
func zeros(t *testing.T, n int) string {
	t.Helper()
	const size = 16 << 20
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(make([]byte, size))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Repeat(out.String(), n/size)
}

func noise(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return string(text)
}

const (
	workbookHead = `<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`
	packageRels  = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	workbookRels = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`
)

// workbook returns an XLSX file with one sheet.
func workbook(t *testing.T, sheet string, more ...string) string {
	return packed(t, append([]string{"_rels/.rels", packageRels, "xl/workbook.xml", workbookHead, "xl/_rels/workbook.xml.rels", workbookRels, "xl/worksheets/sheet1.xml", sheet}, more...)...)
}

const maxHostileMemory = 512 << 20

// TestHostileFiles converts hostile files. Each must be converted or refused with a
// clear message, quickly and with little memory.
func TestHostileFiles(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + noise(5000)
	for _, c := range []struct {
		name, file, text string
		status           int
		// want is part of the output or of the error.
		want string
	}{
		{"empty", "a.csv", "", exitDone, ""},
		{"one cell", "a.csv", "x", exitDone, "x"},
		{"only a header", "a.csv", "id,name\n", exitDone, "id,name\n"},
		{"blank lines", "a.csv", "\n\n\r\n", exitDone, ""},
		{"an image named .csv", "a.csv", png, exitFailed, "this type of file isn't supported"},
		{"an image named .xlsx", "a.xlsx", png, exitFailed, "this type of file isn't supported"},
		{"a JPEG", "a.csv", "\xff\xd8\xff\xe0\x00\x10JFIF\x00" + noise(5000), exitFailed, "this type of file isn't supported"},
		{"a PDF", "a.csv", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\n" + noise(5000), exitFailed, "this type of file isn't supported"},
		{"noise named .csv", "a.csv", noise(100_000), exitFailed, "this type of file isn't supported"},
		{"noise named .xls", "a.xls", noise(100_000), exitFailed, "this type of file isn't supported"},
		{"noise named .json", "a.json", noise(100_000), exitFailed, "this type of file isn't supported"},
		{"a program", "a.csv", "\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00", 100) + noise(5000), exitFailed, "this type of file isn't supported"},
		{"HTML named .xls", "a.xls", "<html><body><table><tr><th>id<th>name<tr><td>1<td>Ada &amp; Co</table></body></html>", exitDone, "id,name\n1,Ada & Co\n"},
		{"a web page without a table", "a.xls", "<!DOCTYPE html><html><head><title>Sign in</title></head><body><form><input></form></body></html>", exitFailed, "Sign in"},
		{"a gzip bomb", "a.csv.gz", zeros(t, 6<<30), exitFailed, "more than"},
		{"a zip bomb", "a.zip", packed(t, "a.csv", strings.Repeat("a,b\n", 8<<20)), exitFailed, "more than"},
		{"a workbook that is one", "a.xlsx", workbook(t, "<worksheet><sheetData>"+strings.Repeat(" ", 64<<20)+"</sheetData></worksheet>"), exitFailed, "more than"},
		{"one cell in the last row", "a.xlsx", workbook(t, `<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>7</v></c></row></sheetData></worksheet>`), exitDone, "7"},
		{"a declaration with entities", "a.xlsx", workbook(t, `<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData><row r="1"><c t="str"><v>&a;</v></c></row></sheetData></worksheet>`), exitFailed, "DOCTYPE"},
		{"a member named to climb", "a.zip", packed(t, "../../etc/passwd", "a,b\n1,2\n"), exitFailed, ".."},
		{"a member named twice", "a.zip", packed(t, "a.csv", "a,b\n1,2\n", "a.csv", "c,d\n3,4\n"), exitFailed, "twice"},
		{"deep JSON", "a.json", strings.Repeat("[", 1<<20), exitFailed, "a.json"},
		{"deep XML", "a.xml", `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">` + strings.Repeat("<a>", 1<<20), exitFailed, "a.xml"},
		{"a line without end", "a.csv", "id,name\n1," + strings.Repeat("x", 40<<20), exitFailed, "longer than"},
		{"a quote without end", "a.csv", "id,name\n1,\"" + strings.Repeat("x\n", 1<<20), exitDone, "id,name"},
		{"too many columns", "a.csv", strings.Repeat("a,", 1<<20), exitFailed, "columns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			// Each file takes at most about a second. An algorithm with quadratic
			// cost would take hours.
			late := time.AfterFunc(time.Minute, func() { panic(c.name + " takes over a minute") })
			defer late.Stop()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var out, stderr bytes.Buffer
			status := run(t.Context(), []string{"convert", name, "-"}, streams{strings.NewReader(""), &out, &stderr})
			runtime.ReadMemStats(&after)
			if status != c.status || !strings.Contains(out.String()+stderr.String(), c.want) {
				t.Errorf("status %d, want %d with %q; stderr: %.300s; output: %.100q", status, c.status, c.want, stderr.String(), out.String())
			}
			if grown := int64(after.Sys) - int64(before.Sys); grown > maxHostileMemory {
				t.Errorf("%d MB of memory", grown>>20)
			}
		})
	}
}
