package xlsb

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
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

func rk(column, style, n int) string { return cell(recCellRK, column, style, n<<2|2) }

func columns(first, last int, flags uint16) string {
	return rec(recColumns, first, last, 2560, 0, flags)
}

// mixed returns a workbook with sheets of all kinds.
func mixed() parts {
	one := func(n int) string {
		return sheetWith(columns(1, 3, 1)+columns(6, 6, 3)+columns(8, 8, 2)+columns(maxColumns-1, 1<<20, 1), hiddenRow(1, rk(0, 0, n)), "")
	}
	module := rec(recSheet, 2, 6, 0xFFFFFFFF, "Module")
	p := simple().
		with("xl/_rels/workbook.bin.rels", rels([3]string{"a", "worksheet", "a.bin"}, [3]string{"b", "chartsheet", "b.bin"}, [3]string{"c", "worksheet", "c.bin"},
			[3]string{"d", "xlMacrosheet", "d.bin"}, [3]string{"e", "dialogsheet", "e.bin"}, [3]string{"f", "vbaProject", "vba.bin"}, [3]string{"g", "externalLink", "l.bin"})).
		with("xl/workbook.bin", bookOf(1, sheetEntry("Plain & simple", "a", 0), sheetEntry("Chart", "b", 0), sheetEntry("Hidden", "c", 2), sheetEntry("Macro", "d", 1), sheetEntry("Dialog", "e", 0), module))
	return p.with("xl/a.bin", one(1)).with("xl/c.bin", one(2))
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
		{Choice: "sheets left out", Value: "Chart, Macro, Dialog, Module", Reason: intray.NewMessage("workbook.other_sheets", nil)},
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

// TestTwoNumbers reads entries of the list of sheets as the first versions of the format store
// them.
func TestTwoNumbers(t *testing.T) {
	entry := rec(recSheet, 1, 0, 7, "rId1", "Old")
	book := open(t, simple(row(1, rk(0, 0, 5))).with("xl/workbook.bin", bookOf(0, entry)), Limits{})
	if diff := cmp.Diff([]workbook.Sheet{{Name: "Old", Hidden: true}}, book.Sheets()); diff != "" {
		t.Errorf("sheets (-want +got):\n%s", diff)
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
			hidden += workbook.ColumnName(c) + " "
		}
	}
	if hidden != "B C D G XFD " {
		t.Errorf("hidden columns: %s", hidden)
	}
	if row, err := rows.Next(t.Context()); err != nil || !row.Hidden {
		t.Errorf("row %+v, error %v", row, err)
	}
}

// TestSpill checks that shared strings are read correctly if most of them are in a temporary
// file, and that the file is removed.
func TestSpill(t *testing.T) {
	var rows, texts, want []string
	for i := range 2000 {
		text := fmt.Sprintf("%d %s", i, strings.Repeat("ä", 1+i*7919%50))
		texts = append(texts, text)
		rows = append(rows, row(i+1, cell(recCellString, 0, 0, i), cell(recCellString, 1, 0, 1999-i)))
	}
	for i := range texts {
		want = append(want, fmt.Sprintf("A%d text %s", i+1, texts[i]), fmt.Sprintf("B%d text %s", i+1, texts[1999-i]))
	}
	book := simple(rows...).withStrings(texts...).zip(t)
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
	var rows, texts []string
	for i := range 2000 {
		texts = append(texts, fmt.Sprint(i))
		rows = append(rows, row(i+1, cell(recCellString, 0, i%3, i), cell(recCellReal, 1, 1, float64(i)+0.5)))
	}
	book := open(t, simple(rows...).withStrings(texts...).withStyles("@", "0.00", "General"), Limits{StringBytes: 100, TempDir: t.TempDir()})
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

// TestRereadPartCountsOnce checks that a sheet can be read more often than InflatedBytes would
// allow if every read counted.
func TestRereadPartCountsOnce(t *testing.T) {
	var rows []string
	for i := range 1000 {
		rows = append(rows, row(i+1, rk(0, 0, i)))
	}
	book := open(t, simple(rows...), Limits{InflatedBytes: 50_000})
	for range 3 {
		if _, err := workbooktest.ReadSheet(t.Context(), book, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEncrypted(t *testing.T) {
	plain := simple(row(1, rk(0, 0, 5))).zip(t)
	for name, file := range map[string][]byte{
		"standard": workbooktest.EncryptStandard(plain, workbooktest.DefaultPassword, 16),
		"agile":    workbooktest.EncryptAgile(plain, workbooktest.DefaultPassword, 1000),
	} {
		if got, err := readBytes(t.Context(), file, Limits{}); err != nil || len(got) != 1 || got[0] != "A1 number 5" {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
	if _, err := readBytes(t.Context(), workbooktest.EncryptAgile(plain, "secret", 1000), Limits{}); err == nil || !strings.Contains(err.Error(), "password-protected") {
		t.Errorf("another password: error %v", err)
	}
}

func TestDetect(t *testing.T) {
	good := simple().zip(t)
	odd := simple().with("_rels/.rels", rels([3]string{"a", "officeDocument", "a/b"})).with("a/b", bookOf(0))
	for name, tc := range map[string]struct {
		file []byte
		want float64
	}{
		"workbook":             {good, 1},
		"workbook, other name": {odd.zip(t), 1},
		"cut":                  {good[:len(good)/2], 0.9},
		"lost workbook":        {parts{"_rels/.rels": rels([3]string{"a", "officeDocument", "xl/workbook.bin"})}.zip(t), 1},
		"XML workbook":         {parts{"_rels/.rels": rels([3]string{"a", "officeDocument", "xl/workbook.xml"}), "xl/workbook.xml": "<workbook/>"}.zip(t), 0},
		"archive":              {parts{"table.csv": "a,b"}.zip(t), 0},
		"text":                 {[]byte("a,b\n"), 0},
		"nothing":              {nil, 0},
		"encrypted":            {workbooktest.EncryptAgile(good, workbooktest.DefaultPassword, 1000), 1},
		"other password":       {workbooktest.EncryptAgile(good, "secret", 1000), 0},
	} {
		t.Run(name, func(t *testing.T) {
			score, reason := Format{}.Detect(input(tc.file), tc.file[:min(len(tc.file), source.HeadBytes)])
			if score != tc.want || (score > 0) == reason.IsZero() {
				t.Errorf("score %v, reason %q", score, reason)
			}
		})
	}
}
