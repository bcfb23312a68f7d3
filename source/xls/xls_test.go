package xls

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name      string
		text      []byte
		low, high float64
	}{
		{"a workbook", xls(one(nil)), 0.9, 1},
		{"an older one", pack(file{"Book", workbookStream(5, nil)}), 0.9, 1},
		{"one of BIFF2", body(bofOf(2, partSheet), eof), 0.9, 1},
		{"one of BIFF4", body(bofOf(4, partSheet), eof), 0.9, 1},
		{"a document of another program", pack(file{"WordDocument", make([]byte, 100)}), 0.1, 0.5},
		{"a truncated container", xls(one(nil))[:100], 0.1, 0.5},
		{"an encrypted package", pack(file{"EncryptedPackage", nil}), 0.1, 0.5},
		{"a web page", []byte("<html><body><table><tr><td>1</td></tr></table></body></html>"), 0, 0},
		{"XML", []byte(`<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>`), 0, 0},
		{"CSV", []byte("a,b\n1,2\n"), 0, 0},
		{"tabs", []byte("\t\x00\t\x00a\tb\n"), 0, 0},
		{"a zip", []byte("PK\x03\x04aaaaaaaaaaaaaaaaaaaaaa"), 0, 0},
		{"empty", nil, 0, 0},
	} {
		score, reason := Format{}.Detect(sourcetest.NewInput("file.xls", c.text), c.text[:min(len(c.text), source.HeadBytes)])
		if score < c.low || score > c.high || (score > 0) == reason.IsZero() {
			t.Errorf("%s: score %v, reason %q", c.name, score, reason)
		}
	}
}

func TestSheets(t *testing.T) {
	cell := func(v int32) []byte { return rec(recRK, at(0, 0, 0), rkWhole(v)) }
	parts := []part{
		{name: "First", body: cell(1)},
		{name: "Chart", kind: kindChart, dt: partChart, body: cell(2)},
		{name: "Hidden", hidden: 1, body: cell(3)},
		{name: "Macro", kind: kindMacro, dt: partMacro, body: cell(4)},
		{name: "Very hidden", hidden: 2, body: cell(5)},
		{name: "A chart listed as a sheet", dt: partChart, body: cell(6)},
		{name: "Empty"},
	}
	want := "[First]\n1: 0n=1\n[Hidden] hidden\n1: 0n=3\n[Very hidden] hidden\n1: 0n=5\n[Empty]\n"
	for _, shift := range []int{0, 3, -20, 1 << 20} { // if the offsets are wrong, the order of the parts applies
		for i := range parts {
			parts[i].shift = shift
		}
		got, err := read(t, xls(workbookStream(8, nil, parts...)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("shift %d (-want +got):\n%s", shift, diff)
		}
	}
	b, err := Open(t.Context(), sourcetest.NewInput("", xls(workbookStream(8, rec(recDateMode, uint16(1)), parts...))), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, e := range b.Evidence() {
		values = append(values, e.Choice+": "+e.Value)
		if e.Reason.IsZero() {
			t.Errorf("%v has no reason", e)
		}
	}
	if diff := cmp.Diff([]string{"version: BIFF8", "date system: 1904", "not read: Chart, Macro, A chart listed as a sheet"}, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := b.Rows(t.Context(), 4); err == nil {
		t.Error("no error for a missing sheet")
	}
}

func TestCodepages(t *testing.T) {
	for number, want := range map[int]string{
		1251: "windows-1251", 932: "Shift_JIS", 437: "IBM437", 367: "windows-1252", 32768: "macintosh", 10000: "macintosh",
		874: "windows-874", 1258: "windows-1258", 1259: "", 866: "IBM866", 65001: "",
	} {
		b := book{}
		b.declareCodepage(number)
		if b.codepage.name != want || b.declared != (want != "") {
			t.Errorf("%d: %q, declared %v, want %q", number, b.codepage.name, b.declared, want)
		}
		if want == "" {
			continue
		}
		if got := string(b.codepage.appendText(nil, []byte("plain"))); got != "plain" {
			t.Errorf("%d: %q", number, got)
		}
	}
}

func TestDamagedWorkbooks(t *testing.T) {
	text := rec(recSST, counts, narrow("text"))
	for _, c := range []struct {
		name, want string
		text       []byte
	}{
		{"empty", "does not start with a BOF", xls(nil)},
		{"no BOF", "does not start with a BOF", xls(rec(recSST))},
		{"no sheets", "no worksheet", xls(workbookStream(8, nil))},
		{"only a chart", "no worksheet", xls(workbookStream(8, nil, part{kind: kindChart, dt: partChart}))},
		{"sheets of Excel 4 bound together", "Excel 4", body(bofOf(4, partBundle), eof)},
		{"a record longer than the stream", "declares 65,535 bytes", xls(body(one(nil)[:20], uint16(recSST), uint16(0xFFFF)))},
		{"a missing text", "refers to shared string 1, which is missing", xls(one(text, rec(recLabelSST, at(0, 0, 0), uint32(1))))},
		{"a short text", "shorter than declared", xls(one(nil, rec(0x0204, at(0, 0, 0), uint16(500), byte(0), "abc")))},
		{"a short cell", "too short", xls(one(nil, rec(0x0203, at(0, 0, 0))))},
		{"a short entry", "entry for sheet 1", xls(one(rec(recBoundSheet, uint32(0))))},
		{"a missing sheet", "a sheet is missing", xls(workbookStream(8, rec(recBoundSheet, uint32(99999), uint16(0), "\x01\x00X"), part{}))},
		{"another document", "without a workbook", pack(file{"WordDocument", nil})},
		{"not a workbook", "not an Excel 2 to 2003 workbook", []byte("a,b,c,d\n1,2,3,4\n1,2,3,4\n")},
	} {
		_, err := read(t, c.text, Limits{})
		var unreadable *source.UnreadableError
		if !errors.As(err, &unreadable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestFindingSharedSheet checks that worksheets cannot share a part, and that the parts are
// searched if their offsets are equal.
func TestFindingSharedSheet(t *testing.T) {
	stream := func(offset int) []byte {
		return workbookStream(8, rec(recBoundSheet, uint32(offset), uint16(0), "\x01\x00a"), part{name: "b"})
	}
	_, err := read(t, xls(stream(bytes.LastIndex(stream(0), bofOf(8, partSheet)))), Limits{})
	if _, ok := errors.AsType[*source.UnreadableError](err); !ok || !strings.Contains(err.Error(), `the sheets "a" and "b" share one part of the file`) {
		t.Errorf("two sheets and one part: error %v", err)
	}
	cell := func(n int32) []byte { return rec(recRK, at(0, 0, 0), rkWhole(n)) }
	first := part{name: "a", body: cell(1)}
	size := len(bofOf(8, partSheet)) + len(first.body) + len(eof)
	want, err := read(t, xls(workbookStream(8, nil, first, part{name: "b", body: cell(2)})), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t, xls(workbookStream(8, nil, first, part{name: "b", body: cell(2), shift: -size})), Limits{})
	if err != nil || got != want {
		t.Errorf("two parts: %q, %v, want %q", got, err, want)
	}
}

func TestLimits(t *testing.T) {
	strings300 := rec(recSST, counts, narrow(strings.Repeat("x", 300)))
	shared := func(row, column int) []byte { return rec(recLabelSST, at(row, column, 0), uint32(0)) }
	for _, c := range []struct {
		name   string
		limits Limits
		text   []byte
		line   int64
	}{
		{"sheets", Limits{Sheets: 1}, workbookStream(8, nil, part{}, part{}), 0},
		{"strings", Limits{StringBytes: 100}, one(strings300), 0},
		{"columns", Limits{}, one(nil, rec(recRK, at(3, 256, 0), rkWhole(1))), 4},
		{"columns of several numbers", Limits{Columns: 2}, one(nil, rec(recMulRK, uint16(0), uint16(1), uint16(0), rkWhole(1), uint16(0), rkWhole(1), uint16(2))), 1},
		{"cells", Limits{Cells: 1}, one(strings300, shared(0, 0), shared(0, 1)), 0},
		{"a cell", Limits{CellBytes: 299}, one(strings300, shared(6, 0)), 7},
		{"a row", Limits{RowBytes: 599}, one(strings300, shared(0, 0), shared(0, 1)), 1},
		{"a repeated row", Limits{RowBytes: 599}, one(nil, bytes.Repeat(rec(0x0204, at(0, 0, 0), narrow(strings.Repeat("x", 300))), 9)), 1},
		{"a sheet", Limits{SheetBytes: 599}, one(strings300, shared(0, 0), shared(1, 0)), 2},
	} {
		_, err := read(t, xls(c.text), c.limits)
		var limit *source.LimitError
		if !errors.As(err, &limit) || limit.Line != c.line {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

func TestContext(t *testing.T) {
	done, stop := context.WithCancel(t.Context())
	in := sourcetest.NewInput("", xls(one(nil, rec(recRK, at(0, 0, 0), rkWhole(1)))))
	b, err := Open(done, in, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.Rows(done, 0)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := Open(done, in, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("open: error %v", err)
	}
	if _, err := b.Rows(done, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("rows: error %v", err)
	}
	if _, err := rows.Next(done); !errors.Is(err, context.Canceled) {
		t.Errorf("next: error %v", err)
	}
}

// TestAtOnce checks that several goroutines can read a sheet of one book at the same time.
func TestAtOnce(t *testing.T) {
	var sheet []byte
	for row := range 2000 {
		sheet = body(sheet, rec(recRK, at(row, 0, 0), rkWhole(int32(row))), rec(recLabelSST, at(row, 1, 0), uint32(0)))
	}
	b, err := Open(t.Context(), sourcetest.NewInput("", xls(one(rec(recSST, counts, narrow("text")), sheet))), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			rows, err := b.Rows(t.Context(), 0)
			if err != nil {
				t.Error(err)
				return
			}
			for number := range 2000 {
				row, err := rows.Next(t.Context())
				if err != nil || row.Number != int64(number)+1 || len(row.Cells) != 2 || row.Cells[0].Kind != intray.CellNumber {
					t.Errorf("row %d: %v, error %v", number+1, row, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestOneFarCell checks that reading a sheet whose only cell is the last possible one
// allocates little memory.
func TestOneFarCell(t *testing.T) {
	text := xls(one(nil, rec(0x0200, uint32(0), uint32(65536), uint16(0), uint16(256), uint16(0)), rec(recRK, at(65535, 255, 0), rkWhole(1))))
	const runs = 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		if got, err := read(t, text, Limits{}); err != nil || got != "[One]\n65536: 255n=1\n" {
			t.Fatal(got, err)
		}
	}
	runtime.ReadMemStats(&after)
	if cost := (after.TotalAlloc - before.TotalAlloc) / runs; cost > 64<<10 {
		t.Errorf("%d bytes", cost)
	}
}
