package formats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// readAll reads the first sheet of a file to its end and returns the number of records.
func readAll(ctx context.Context, name string, file []byte) (rows int, err error) {
	book, err := source.Open(ctx, sourcetest.NewInput(name, file), Formats(""), source.Options{})
	if err != nil {
		return 0, err
	}
	defer book.Close()
	reader, err := book.Open(ctx, 0)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	batch := &intray.Records{}
	for {
		err := reader.Next(ctx, batch)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows += batch.Len()
	}
}

// zipped returns an archive with the given parts, which are pairs of a name and text.
func zipped(t *testing.T, parts ...string) []byte {
	t.Helper()
	var entries []sourcetest.Entry
	for i := 0; i < len(parts); i += 2 {
		entries = append(entries, sourcetest.File(parts[i], parts[i+1]))
	}
	return sourcetest.Zip(t, entries...)
}

func workbook(t *testing.T, rows string) []byte {
	const kinds = "http://schemas.openxmlformats.org/"
	relation := func(kind, target string) string {
		return `<Relationships xmlns="` + kinds + `package/2006/relationships"><Relationship Id="r1" Type="` + kinds + `officeDocument/2006/relationships/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	main := kinds + "spreadsheetml/2006/main"
	return zipped(t,
		"[Content_Types].xml", `<Types xmlns="`+kinds+`package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/sheet.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
		"_rels/.rels", relation("officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", `<workbook xmlns="`+main+`" xmlns:r="`+kinds+`officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relation("worksheet", "sheet.xml"),
		"xl/sheet.xml", `<worksheet xmlns="`+main+`"><sheetData>`+rows+`</sheetData></worksheet>`)
}

func openDocument(t *testing.T, rows string) []byte {
	const urn = "urn:oasis:names:tc:opendocument:xmlns:"
	return zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet",
		"content.xml", `<office:document-content xmlns:office="`+urn+`office:1.0" xmlns:table="`+urn+`table:1.0" xmlns:text="`+urn+`text:1.0"><office:body><office:spreadsheet><table:table table:name="t">`+
			rows+`</table:table></office:spreadsheet></office:body></office:document-content>`)
}

func spreadsheetML(rows string) []byte {
	const ns = "urn:schemas-microsoft-com:office:spreadsheet"
	return []byte(`<?xml version="1.0"?><Workbook xmlns="` + ns + `" xmlns:ss="` + ns + `"><Worksheet ss:Name="a"><Table>` + rows + `</Table></Worksheet></Workbook>`)
}

// wideFiles returns tables with the same text in each cell, in every format that can
// represent them. Cells of equal text make header detection slowest, because nothing
// distinguishes the header from the rows below.
func wideFiles(t *testing.T, rows, columns int) map[string][]byte {
	t.Helper()
	repeat := func(open, cell, shut string) string {
		return strings.Repeat(open+strings.Repeat(cell, columns)+shut, rows)
	}
	line := strings.TrimSuffix(strings.Repeat("abc,", columns), ",") + "\n"
	cells := make([][]string, rows)
	for i := range cells {
		cells[i] = strings.Split(strings.TrimSpace(line), ",")
	}
	array, err := json.Marshal(cells)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"wide.csv":  []byte(strings.Repeat(line, rows)),
		"wide.tsv":  []byte(strings.ReplaceAll(strings.Repeat(line, rows), ",", "\t")),
		"wide.json": array,
		"wide.html": []byte("<table>" + repeat("<tr>", "<td>abc</td>", "</tr>") + "</table>"),
		"wide.xml":  spreadsheetML(repeat("<Row>", `<Cell><Data ss:Type="String">abc</Data></Cell>`, "</Row>")),
		"wide.xlsx": workbook(t, rowsOfWords(rows, columns)),
		"wide.xlsb": binaryBytes(t, binaryRowsOfWords(rows, columns)),
		"wide.ods": openDocument(t, fmt.Sprintf(`<table:table-row table:number-rows-repeated="%d"><table:table-cell table:number-columns-repeated="%d"><text:p>abc</text:p></table:table-cell></table:table-row>`,
			rows, columns)),
	}
}

// rowsOfWords returns the rows of a worksheet with a word in each cell. The words vary
// so that the archive stays below the maximum compression ratio.
func rowsOfWords(rows, columns int) string {
	var text strings.Builder
	words := rand.New(rand.NewPCG(1, 1))
	for range rows {
		text.WriteString("<row>")
		for range columns {
			fmt.Fprintf(&text, `<c t="str"><v>w%x</v></c>`, words.Uint32())
		}
		text.WriteString("</row>")
	}
	return text.String()
}

// TestFindingS1WideTables checks that tables for which header detection once took
// minutes are read within a minute. Even a slow machine needs far less.
func TestFindingS1WideTables(t *testing.T) {
	columns := wideColumns
	if testing.Short() {
		columns = min(columns, 1000)
	}
	for name, file := range wideFiles(t, 300, columns) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if rows, err := readAll(ctx, name, file); err != nil || rows < 299 {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
		cancel()
	}
}

// countdown is a context that is canceled by the call to Err that reduces left to 0.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (c *countdown) Err() error {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestFindingS1StopsAtOnce reads wide tables, once for each check of the context, including
// those in header detection, and cancels the context at that check. Reading must stop at that
// check. With the race detector or in short mode, it cancels at only some checks.
func TestFindingS1StopsAtOnce(t *testing.T) {
	step := lookStep
	if testing.Short() {
		step = 7
	}
	for name, file := range wideFiles(t, 40, 150) {
		for asks := 1; ; asks += step {
			under, cancel := context.WithCancel(t.Context())
			ctx := &countdown{Context: under, cancel: cancel, left: asks}
			_, err := readAll(ctx, name, file)
			cancel()
			if ctx.left > 0 { // reading ended before this check
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if asks < 40 {
					t.Errorf("%s: the context was checked only %d times", name, asks)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: canceled at check %d: %v", name, asks, err)
				break
			}
		}
	}
}

// allocated returns the number of bytes that work allocates.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestFindingS2OneRowOfCells checks that rows with millions of cells return an error
// after allocating at most 48 MiB. Such rows once used hundreds of bytes per cell
// before any limit was checked.
func TestFindingS2OneRowOfCells(t *testing.T) {
	const cells = 1 << 21
	many := func(text string) string { return strings.Repeat(text, cells/len(text)) }
	for name, file := range map[string][]byte{
		"commas.csv":     []byte("name\n" + many(",") + "\n"),
		"semicolons.csv": []byte("name;n\n1;2\n" + many(";") + "\n"),
		"tabs.csv":       []byte("name\tn\n1\t2\n" + many("\t") + "1\n"),
		"bars.csv":       []byte("name|n\n1|2\n" + many("|") + "\n"),
		"quoted.csv":     []byte("name\n" + many(`"",`) + "\n"),
		"header.csv":     []byte(many(",") + "\n1,2\n"),
		"late.csv":       []byte(strings.Repeat("a,b,c\n", 50_000) + many(",") + "\n"),
		"spaces.txt":     []byte("a b\n1 2\n" + many("x ") + "\n"),
		"array.json":     []byte(`[["a"],[` + many("1,") + `1]]`),
		"array.ndjson":   []byte("[\"a\"]\n[" + many("1,") + "1]\n"),
		"row.html":       []byte("<table><tr><th>a</th></tr><tr>" + many("<td>x") + "</tr></table>"),
		"row.xml":        spreadsheetML("<Row>" + many(`<Cell><Data ss:Type="String">a</Data></Cell>`) + "</Row>"),
		"row.xlsx":       workbook(t, "<row>"+many("<c><v>1</v></c>")+"</row>"),
		"same.xlsx":      workbook(t, `<row r="2">`+many(`<c r="A2"><v>1</v></c>`)+"</row>"),
		"row.xlsb":       binaryBytes(t, binaryRowHeader(1)+strings.Repeat(biff12(13, 0, 6), cells)),
		"same.xlsb":      binaryBytes(t, binaryRowHeader(2)+strings.Repeat(biff12(binaryRK, 0, 0, 6), cells)),
		"row.ods":        openDocument(t, "<table:table-row>"+many("<table:table-cell><text:p>a</text:p></table:table-cell>")+"</table:table-row>"),
	} {
		var err error
		used := allocated(func() { _, err = readAll(t.Context(), name, file) })
		if !sourcetest.IsTyped(err) {
			t.Errorf("%s: %v", name, err)
		}
		if used > 48<<20 {
			t.Errorf("%s: a file of %d bytes takes %d MiB", name, len(file), used>>20)
		}
	}
}

// TestManyOpenQuotes checks that a line with many quotes that are never closed is read within a
// minute. Each quote could be text, and each attempt to find its end reads the whole line.
func TestManyOpenQuotes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := readAll(ctx, "a.csv", []byte("a,b\n1,2\n"+strings.Repeat(`"x,`, 700_000)+"\n3,4\n"))
	var limit *source.LimitError
	if err != nil && !errors.As(err, &limit) {
		t.Error(err)
	}
}
