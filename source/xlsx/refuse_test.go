package xlsx

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

func TestRefused(t *testing.T) {
	row := func(cells string) parts { return simple(`<row r="5">` + cells + `</row>`) }
	sheet := func(text string) parts { return simple("").with("xl/worksheets/sheet1.xml", text) }
	lots := strings.Repeat(`<row><c><v>1</v></c></row>`, 3)
	for name, tc := range map[string]struct {
		book   parts
		limits Limits
		want   string
	}{
		"a number":                {row(`<c r="7"><v>1</v></c>`), Limits{}, `on line 5, in the sheet "One", the cell reference "7" is invalid`},
		"a gap in numbers":        {row(`<c r="0"><v>1</v></c><c r="2"><v>1</v></c>`), Limits{}, `the cell reference "2" is invalid`},
		"rows and columns":        {row(`<c r="R1C2"><v>1</v></c>`), Limits{}, `the cell reference "R1C2" is invalid`},
		"no row number":           {simple(`<row r="x"/>`), Limits{}, `the row number "x" is invalid`},
		"no column XFE":           {row(`<c r="XFE1"><v>1</v></c>`), Limits{}, `the cell reference "XFE1" is invalid`},
		"no long name":            {row(`<c r="AAAAAAA1"><v>1</v></c>`), Limits{}, `the cell reference "AAAAAAA1" is invalid`},
		"a bad row":               {simple(`<row r="1048577"/>`), Limits{}, `the row number "1048577"`},
		"an unknown kind":         {row(`<c r="A5" t="x"><v>1</v></c>`), Limits{}, `the cell A5 has the unknown type "x"`},
		"a string after the last": {row(`<c r="A5" t="s"><v>1</v></c>`).withStrings(`<si><t>a</t></si>`), Limits{}, `the cell A5 refers to shared string "1", which is missing`},
		"no shared strings":       {row(`<c r="A5" t="s"><v>0</v></c>`), Limits{}, `refers to shared string "0", which is missing`},
		"a string -1":             {row(`<c r="A5" t="s"><v>-1</v></c>`), Limits{}, `refers to shared string "-1"`},
		"not UTF-8":               {row("<c r=\"A5\" t=\"str\"><v>\xff</v></c>"), Limits{}, `cell A5 contains text that is not valid UTF-8`},
		"DOCTYPE":                 {sheet(`<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>`), Limits{}, `contains a DOCTYPE declaration`},
		"an entity":               {row(`<c r="A5" t="str"><v>&lol;</v></c>`), Limits{}, `contains an invalid entity`},
		"a character 0xD800":      {row(`<c r="A5" t="str"><v>&#xD800;</v></c>`), Limits{}, `contains an invalid entity`},
		"an open entity":          {row(`<c r="A5" t="str"><v>a&b</v></c>`), Limits{}, `contains an invalid entity`},
		"crossed tags":            {sheet(`<worksheet><sheetData></worksheet>`), Limits{}, `closes an element that is not open`},
		"an end too early":        {sheet(`<worksheet><sheetData><row><c`), Limits{}, `is incomplete (its XML ends too early)`},
		"a comment without end":   {sheet(`<worksheet><!-- `), Limits{}, `is incomplete`},
		"another root":            {sheet(`<chartsheet/>`), Limits{}, `starts with the element "chartsheet" instead of "worksheet"`},
		"not XML":                 {sheet(`hello`), Limits{}, `contains text outside its root element`},
		"empty":                   {sheet(``), Limits{}, `is empty`},
		"another encoding":        {sheet(`<?xml version="1.0" encoding="Shift_JIS"?><worksheet/>`), Limits{}, `uses the encoding "Shift_JIS"`},
		"a bad tag":               {sheet(`<worksheet a/>`), Limits{}, `contains an invalid tag`},
		"a bad attribute":         {sheet(`<worksheet a=b/>`), Limits{}, `contains an invalid tag`},
		"no workbook":             {parts{"a.txt": "hello"}, Limits{}, `the file is an archive without a workbook`},
		"a lost workbook":         {parts{"_rels/.rels": rels([3]string{"a", "officeDocument", "xl/workbook.xml"})}, Limits{}, `its part "xl/workbook.xml" is missing`},
		"another document":        {simple("").with("xl/workbook.xml", `<document/>`), Limits{}, `starts with the element "document" instead of "workbook"`},
		"a sheet nowhere":         {simple("").with("xl/_rels/workbook.xml.rels", rels([3]string{"rId1", "worksheet", "worksheets/sheet2.xml"})), Limits{}, `lists the sheet "One" without its location`},
		"no sheets":               {simple("").with("xl/workbook.xml", `<workbook><sheets/></workbook>`), Limits{}, `the workbook has no worksheets`},

		"a sheet twice": {simple("").with("xl/workbook.xml", `<workbook><sheets><sheet name="a" id="rId1"/><sheet name="b" id="rId1"/></sheets></workbook>`), Limits{}, `the sheets "a" and "b" share one part of the file`},

		"entries":     {simple(""), Limits{Entries: 3}, `archive has more than 3 entries`},
		"sheets":      {simple("").with("xl/workbook.xml", `<workbook><sheets><sheet name="a" id="rId1"/><sheet name="b" id="rId1"/></sheets></workbook>`), Limits{Sheets: 1}, `more than 1 sheets`},
		"rows":        {simple(lots), Limits{Rows: 2}, `on line 3, in the sheet "One", there are more than 2 rows`},
		"columns":     {row(`<c r="C5"><v>1</v></c>`), Limits{Columns: 2}, `there are more than 2 columns`},
		"cell":        {row(`<c r="A5" t="str"><v>` + strings.Repeat("x", 101) + `</v></c>`), Limits{CellBytes: 100}, `contains a piece of text longer than 100 bytes`},
		"long cell":   {row(`<c r="A5" t="str"><v>` + strings.Repeat("x", 100_000) + `</v></c>`), Limits{CellBytes: 100}, `contains a piece of text longer than 100 bytes`},
		"runs":        {simple("").withStrings(`<si>` + strings.Repeat(`<r><t>xxxxxxxxxx</t></r>`, 11) + `</si>`), Limits{CellBytes: 100}, `contains a piece of text longer than 100 bytes`},
		"row":         {row(strings.Repeat(`<c t="s"><v>0</v></c>`, 11)).withStrings(`<si><t>xxxxxxxxxx</t></si>`), Limits{RowBytes: 100}, `the row is longer than 100 bytes`},
		"sheet texts": {simple(strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 11)).withStrings(`<si><t>xxxxxxxxxx</t></si>`), Limits{SheetBytes: 100}, `the text in the sheet is longer than 100 bytes`},
		"deep sheet":  {sheet("<worksheet>" + strings.Repeat("<a>", 2_000_000)), Limits{}, `elements nested more than 128`},
		"styles":      {simple("").withStyles("0", "0", "0"), Limits{Styles: 2}, `more than 2 styles`},
		"strings":     {simple("").withStrings(`<si/><si/><si/>`), Limits{Strings: 2}, `more than 2 shared strings`},
		"part":        {sheet(`<worksheet>` + strings.Repeat(" ", 100_000)), Limits{PartBytes: 50_000}, `is larger than 50,000 bytes when decompressed`},
		"all":         {simple(`<row/>`).withStrings(strings.Repeat(" ", 100_000)), Limits{InflatedBytes: 50_000}, `the workbook is larger than 50,000 bytes when decompressed`},
		"bomb":        {sheet(`<worksheet>` + strings.Repeat(" ", 20<<20)), Limits{}, `is more than 250 times larger when decompressed`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readBytes(t.Context(), tc.book.zip(t), tc.limits)
			if err == nil || !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestRefusedArchives(t *testing.T) {
	good := simple(`<row><c><v>1</v></c></row>`).zip(t)
	named := func(names ...string) []byte {
		var entries []sourcetest.Entry
		for _, name := range names {
			entries = append(entries, sourcetest.Stored(name, "text"))
		}
		return sourcetest.Zip(t, entries...)
	}
	for name, tc := range map[string]struct {
		file []byte
		want string
	}{
		"empty":                 {nil, "the file is empty"},
		"not an archive":        {[]byte("hello, world"), "the workbook is damaged: its directory is unreadable"},
		"cut":                   {good[:len(good)-30], "the workbook is damaged"},
		"twice":                 {named("a", "a"), `contains the entry "a" twice`},
		"twice in another case": {named("a", "A"), `contains the entry "A" twice`},
		"absolute":              {named("/etc/passwd"), "starts with a slash"},
		"drive":                 {named("C:/a"), "starts with a drive letter"},
		"up":                    {named("a/../../b"), "points to another folder"},
		"NUL":                   {named("a\x00b"), "contains a NUL character"},
		"overlap":               {overlapping(t), "overlap"},
		"encrypted part":        {patched(good, "PK\x01\x02", 8, 1), "password-protected"},
		"unknown method":        {patched(good, "PK\x01\x02", 10, 99), "unknown compression method"},
		"after the end":         {patched(good, "PK\x01\x02", 20, 0x7FFFFFFF), "extends past the end of the file"},
		"wrong sum":             {patched(good, "PK\x01\x02", 16, 12345), "the workbook is damaged"},
		"wrong size":            {patched(good, "PK\x01\x02", 24, 1), "the workbook is damaged"},
		"container":             {containerWith("Workbook"), "it may be an .xls workbook"},
		"encrypted":             {containerWith("EncryptedPackage"), "the workbook is password-protected"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readBytes(t.Context(), tc.file, Limits{})
			if err == nil || !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// patched returns a copy of a file in which the number at an offset from every
// occurrence of mark is replaced with value.
func patched(file []byte, mark string, offset int, value uint32) []byte {
	file = bytes.Clone(file)
	for at := 0; ; {
		i := bytes.Index(file[at:], []byte(mark))
		if i < 0 {
			return file
		}
		at += i + len(mark)
		place := file[at-len(mark)+offset:]
		if value < 1<<16 && offset < 16 {
			binary.LittleEndian.PutUint16(place, uint16(value))
		} else {
			binary.LittleEndian.PutUint32(place, value)
		}
	}
}

// overlapping returns an archive in which two entries use the same bytes.
func overlapping(t *testing.T) []byte {
	file := simple("").with("xl/a.xml", "<a/>").with("xl/b.xml", "<a/>").zip(t)
	first := bytes.Index(file, []byte("PK\x01\x02"))
	a := first + bytes.Index(file[first:], []byte("xl/a.xml"))
	b := first + bytes.Index(file[first:], []byte("xl/b.xml"))
	copy(file[b-4:b], file[a-4:a]) // the offset of the entry
	return file
}

// containerWith returns a container whose only stream is empty.
func containerWith(stream string) []byte {
	return sourcetest.CompoundFile(sourcetest.Stream{Name: stream})
}

// TestTruncated checks that reading a workbook truncated at any byte returns a typed error.
func TestTruncated(t *testing.T) {
	file := simple(`<row><c t="s"><v>0</v></c></row>`).withStrings(`<si><t>a</t></si>`).withStyles("0").zip(t)
	for end := range file {
		if _, err := readBytes(t.Context(), file[:end], Limits{}); !sourcetest.IsTyped(err) {
			t.Fatalf("truncated to %d bytes: %v", end, err)
		}
	}
}

// TestWrongChecksum checks that a wrong checksum is reported even if it is detected only at the
// end of the part, after all cells.
func TestWrongChecksum(t *testing.T) {
	const name = "xl/worksheets/sheet1.xml"
	for _, after := range []int{0, 200_000} {
		file := simple("").with(name, `<worksheet><sheetData><row><c><v>1</v></c></row></sheetData><mergeCells/></worksheet>`+strings.Repeat(" ", after)).zip(t)
		entry := bytes.LastIndex(file, []byte(name)) - 46 // the entry in the central directory
		file[entry+16] ^= 1
		if _, err := readBytes(t.Context(), file, Limits{}); !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("%d spaces at the end: error %v", after, err)
		}
	}
}

func TestStoreFails(t *testing.T) {
	file := simple(`<row><c><v>1</v></c></row>`).zip(t)
	for from := 0; from < len(file); from += 7 {
		for _, fault := range []error{sourcetest.ErrStore, io.EOF} {
			in := input(file)
			in.ReaderAt = &sourcetest.FailingStore{ReaderAt: in.ReaderAt, From: int64(from), Err: fault}
			book, err := Open(t.Context(), in, Limits{})
			if err == nil {
				_, err = workbooktest.ReadSheet(t.Context(), book, 0)
			}
			if err == nil || sourcetest.IsTyped(err) || errors.Is(fault, sourcetest.ErrStore) && !errors.Is(err, sourcetest.ErrStore) {
				t.Fatalf("%v from byte %d on: %v", fault, from, err)
			}
		}
	}
}

func TestCanceled(t *testing.T) {
	file := simple(strings.Repeat(`<row><c><v>1</v></c></row>`, 100_000)).zip(t)
	workbooktest.CheckCancel(t, func(ctx context.Context) (workbook.Workbook, error) { return Open(ctx, input(file), Limits{}) })
}

// cancelingStore calls cancel whenever it is read, unless cancel is nil.
type cancelingStore struct {
	io.ReaderAt
	cancel context.CancelFunc
}

func (s *cancelingStore) ReadAt(p []byte, at int64) (int, error) {
	if s.cancel != nil {
		s.cancel()
	}
	return s.ReaderAt.ReadAt(p, at)
}

// TestCanceledWithinRow checks that canceling the context ends a call that inflates many bytes.
func TestCanceledWithinRow(t *testing.T) {
	in := input(simple("").with("xl/worksheets/sheet1.xml", `<worksheet><sheetData><row/>`+strings.Repeat(" ", 64<<20)).zip(t))
	store := &cancelingStore{ReaderAt: in.ReaderAt}
	in.ReaderAt = store
	book, err := Open(t.Context(), in, Limits{Ratio: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store.cancel = cancel
	if _, err := rows.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next: error %v", err)
	}
}

func TestLastRowIsCheap(t *testing.T) {
	file := simple(`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`).zip(t)
	const runs = 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := testing.AllocsPerRun(runs, func() {
		if cells, err := readBytes(t.Context(), file, Limits{}); err != nil || len(cells) != 1 {
			t.Fatal(cells, err)
		}
	})
	runtime.ReadMemStats(&after)
	// AllocsPerRun calls the function once more to warm up.
	if bytes := (after.TotalAlloc - before.TotalAlloc) / (runs + 1); bytes > 512<<10 || got > 1000 {
		t.Errorf("%d bytes in %v allocations", bytes, got)
	}
}
