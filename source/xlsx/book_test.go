package xlsx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

func open(t *testing.T, p parts, limits Limits) workbook.Workbook {
	t.Helper()
	book, err := Open(t.Context(), input(p.zip(t)), limits)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseAfter(t, book)
	return book
}

// mixed returns a workbook with sheets of all kinds.
func mixed() parts {
	one := func(n int) string {
		return fmt.Sprintf(`<worksheet><cols><col min="2" max="4" hidden="1"/><col min="7" max="7" hidden="true"/><col min="9" max="9"/></cols><sheetData><row r="1" hidden="1"><c><v>%d</v></c></row></sheetData></worksheet>`, n)
	}
	p := simple("").
		with("xl/_rels/workbook.xml.rels", rels([3]string{"a", "worksheet", "a.xml"}, [3]string{"b", "chartsheet", "b.xml"}, [3]string{"c", "worksheet", "c.xml"},
			[3]string{"d", "xlMacrosheet", "d.xml"}, [3]string{"e", "dialogsheet", "e.xml"}, [3]string{"f", "vbaProject", "vba.bin"}, [3]string{"g", "externalLink", "l.xml"})).
		with("xl/workbook.xml", `<workbook><workbookPr date1904="1"/><sheets><sheet name="Plain &amp; simple" id="a"/><sheet name="Chart" id="b"/><sheet name="Hidden" state="veryHidden" id="c"/><sheet name="Macro" id="d"/><sheet name="Dialog" id="e"/></sheets></workbook>`)
	return p.with("xl/a.xml", one(1)).with("xl/c.xml", one(2))
}

func TestBook(t *testing.T) {
	book := open(t, mixed(), Limits{})
	want := []workbook.Sheet{{Name: "Plain & simple"}, {Name: "Hidden", Hidden: true}}
	if diff := cmp.Diff(want, book.Sheets()); diff != "" {
		t.Errorf("sheets (-want +got):\n%s", diff)
	}
	evidence := []intray.Evidence{
		{Choice: "date system", Value: "1904", Reason: intray.NewMessage("workbook.date_system_1904", nil)},
		{Choice: "hidden sheets", Value: "Hidden", Reason: intray.NewMessage("workbook.hidden_read", nil)},
		{Choice: "sheets left out", Value: "Chart, Macro, Dialog", Reason: intray.NewMessage("workbook.other_sheets", nil)},
		{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)},
		{Choice: "external links", Value: "ignored", Reason: intray.NewMessage("workbook.external_links", intray.Params{"n": 1})},
	}
	if diff := cmp.Diff(evidence, book.Evidence()); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	for i, want := range []string{"A1 number 1 hidden", "A1 number 2 hidden"} {
		got, err := workbooktest.ReadSheet(t.Context(), book, i)
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("sheet %d: %v, error %v", i, got, err)
		}
	}
}

func TestHidden(t *testing.T) {
	rows, err := open(t, mixed(), Limits{}).Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	hidden := ""
	for c := range maxColumns + 2 {
		if rows.(workbook.ColumnHider).ColumnHidden(c) {
			hidden += workbook.ColumnName(c)
		}
	}
	if hidden != "BCDG" {
		t.Errorf("hidden columns: %s, want BCDG", hidden)
	}
	if row, err := rows.Next(t.Context()); err != nil || !row.Hidden {
		t.Errorf("row %+v, error %v", row, err)
	}
}

func TestUTF16(t *testing.T) {
	text := sheetOf(`<row><c t="str"><v>` + strings.Repeat("Ü\U0001F600", 9000) + `</v></c></row>`)
	want := "A1 text " + strings.Repeat("Ü\U0001F600", 9000)
	for name, order := range map[string]binary.ByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		for _, mark := range []string{"\uFEFF", ""} {
			var file []byte
			for _, unit := range utf16.Encode([]rune(mark + text)) {
				file = append(file, 0, 0)
				order.PutUint16(file[len(file)-2:], unit)
			}
			got, err := readBytes(t.Context(), simple("").with("xl/worksheets/sheet1.xml", string(file)).zip(t), Limits{})
			if err != nil || len(got) != 1 || got[0] != want {
				t.Errorf("%s endian, mark %q: %.80v, error %v", name, mark, got, err)
			}
		}
	}
}

// TestSpill checks that shared strings are read correctly if most of them are in a
// temporary file, and that the file is removed.
func TestSpill(t *testing.T) {
	var rows, items strings.Builder
	var want []string
	for i := range 5000 {
		size := 1 + i*7919%50
		if i%500 == 0 {
			size = 100_000 // its group becomes too large for the cache
		}
		text := fmt.Sprintf("%d %s", i, strings.Repeat("x", size))
		fmt.Fprintf(&items, `<si><t>%s</t></si>`, text)
		fmt.Fprintf(&rows, `<row><c t="s"><v>%d</v></c><c t="s"><v>%d</v></c></row>`, i, 4999-i)
		want = append(want, fmt.Sprintf("A%d text %s", i+1, text), "")
	}
	for i := range 5000 {
		_, text, _ := strings.Cut(want[2*(4999-i)], " ")
		want[2*i+1] = fmt.Sprintf("B%d %s", i+1, text)
	}
	book := simple(rows.String()).withStrings(items.String()).zip(t)
	for _, limit := range []int{1, 20_000, 300_000} {
		folder := t.TempDir()
		got, err := readBytes(t.Context(), book, Limits{StringBytes: limit, TempDir: folder})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d bytes in memory (-want +got):\n%.2000s", limit, diff)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("remaining files: %v, error %v", left, err)
		}
	}
	if _, err := readBytes(t.Context(), book, Limits{StringBytes: 1, TempDir: t.TempDir() + "/none"}); err == nil || sourcetest.IsTyped(err) {
		t.Errorf("missing folder: error %v", err)
	}
}

// TestConcurrentRows checks that four goroutines can read a sheet at the same time while most
// shared strings are in a temporary file.
func TestConcurrentRows(t *testing.T) {
	var rows, items strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&items, `<si><t>%d</t></si>`, i)
		fmt.Fprintf(&rows, `<row><c s="%d" t="s"><v>%d</v></c><c s="1"><v>%d.5</v></c></row>`, i%3, i, i)
	}
	book := open(t, simple(rows.String()).withStrings(items.String()).withStyles("@", "0.00", "General"), Limits{StringBytes: 100, TempDir: t.TempDir()})
	var all sync.WaitGroup
	outcomes := make([][]string, 4)
	errs := make([]error, 4)
	for i := range outcomes {
		all.Go(func() { outcomes[i], errs[i] = workbooktest.ReadSheet(t.Context(), book, 0) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, got := range outcomes[1:] {
		if diff := cmp.Diff(outcomes[0], got); diff != "" || len(got) != 4000 {
			t.Errorf("%d cells (-first +other):\n%.1000s", len(got), diff)
		}
	}
}

// TestRereadPartCountsOnce checks that a sheet can be read more often than
// InflatedBytes would allow if every read counted.
func TestRereadPartCountsOnce(t *testing.T) {
	book := open(t, simple(strings.Repeat(`<row><c><v>1</v></c></row>`, 1000)), Limits{InflatedBytes: 40_000})
	for range 3 {
		if _, err := workbooktest.ReadSheet(t.Context(), book, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDetect(t *testing.T) {
	good := simple(`<row/>`).zip(t)
	for name, tc := range map[string]struct {
		file []byte
		want float64
	}{
		"workbook":         {good, 1},
		"cut":              {good[:len(good)/2], 0.9},
		"binary workbook":  {parts{"_rels/.rels": rels([3]string{"a", "officeDocument", "xl/workbook.bin"})}.zip(t), 0},
		"text document":    {parts{"_rels/.rels": rels([3]string{"a", "officeDocument", "word/document.xml"}), "word/document.xml": "<document/>"}.zip(t), 0},
		"archive":          {parts{"table.csv": "a,b"}.zip(t), 0},
		"text":             {[]byte("a,b\n"), 0},
		"nothing":          {nil, 0},
		"encrypted":        {containerWith("EncryptedPackage"), 1},
		"old workbook":     {containerWith("Workbook"), 0},
		"a container, cut": {[]byte(cfb.Magic), 0},
	} {
		t.Run(name, func(t *testing.T) {
			score, reason := Format{}.Detect(input(tc.file), tc.file[:min(len(tc.file), source.HeadBytes)])
			if score != tc.want || (score > 0) == reason.IsZero() {
				t.Errorf("score %v, reason %q", score, reason)
			}
		})
	}
}
