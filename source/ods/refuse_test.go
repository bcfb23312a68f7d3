package ods

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// withRows returns the entries of a workbook whose only sheet has the given rows.
func withRows(rows string) []entry { return around(body(table("One", rows))) }

func TestRefused(t *testing.T) {
	content := around
	one := func(inside string) []entry { return withRows(row(cell(`office:value-type="string"`, inside))) }
	long := strings.Repeat("x", 101)
	repeated := func(what, times, inside string) string {
		return `<table:` + what + ` table:number-` + map[string]string{"table-row": "rows", "table-cell": "columns"}[what] + `-repeated="` + times + `">` + inside + `</table:` + what + `>`
	}
	for name, tc := range map[string]struct {
		book   []entry
		limits Limits
		want   string
	}{
		"not UTF-8":                      {one("<text:p>\xff</text:p>"), Limits{}, `on line 1, in the sheet "One", the cell in column 1 contains text that is not valid UTF-8`},
		"not UTF-8, stored":              {withRows(row(text("a"), cell("office:string-value=\"\xff\"", ""))), Limits{}, `the cell in column 2 contains text that is not valid UTF-8`},
		"a name, not UTF-8":              {content(body(table("\xff", ""))), Limits{}, `contains a name that is not valid UTF-8`},
		"invalid count of rows":          {withRows(row(text("a")) + repeated("table-row", "x", "")), Limits{}, `on line 2, in the sheet "One", a repeat count is "x", which is not a number`},
		"zero cells":                     {withRows(row(repeated("table-cell", "0", ""))), Limits{}, `a repeat count is "0"`},
		"negative count":                 {withRows(row(repeated("table-cell", "-1", ""))), Limits{}, `a repeat count is "-1"`},
		"invalid count of covered cells": {withRows(row(`<table:covered-table-cell table:number-columns-repeated=""/>`)), Limits{}, `a repeat count is ""`},
		"invalid count of spaces":        {one(`<text:p><text:s text:c="many"/></text:p>`), Limits{}, `a repeat count is "many"`},
		"DOCTYPE":                        {content(`<!DOCTYPE a [<!ENTITY b "c">]>` + body()), Limits{}, `contains a DOCTYPE declaration`},
		"plain DOCTYPE":                  {content(`<!DOCTYPE a SYSTEM "b">` + body()), Limits{}, `contains a DOCTYPE declaration`},
		"DOCTYPE within":                 {one(`<text:p><!DOCTYPE a></text:p>`), Limits{}, `contains a DOCTYPE declaration`},
		"an entity":                      {one("<text:p>&lol;</text:p>"), Limits{}, `contains an invalid entity`},
		"a character 0xD800":             {one("<text:p>&#xD800;</text:p>"), Limits{}, `contains an invalid entity`},
		"a character 0":                  {one("<text:p>&#0;</text:p>"), Limits{}, `contains an invalid entity`},
		"an open entity":                 {one("<text:p>a&b</text:p>"), Limits{}, `contains an invalid entity`},
		"an entity in a value":           {withRows(row(cell(`office:string-value="&a;"`, ""))), Limits{}, `contains an invalid entity`},
		"crossed tags":                   {content(`<office:document-content><office:body></office:document-content>`), Limits{}, `closes an element that is not open`},
		"crossed in a cell":              {one(`<text:p><text:span></text:p></text:span>`), Limits{}, `closes an element that is not open`},
		"an end too early":               {content(body(table("One", row(text("a"))))[:1200]), Limits{}, `is incomplete (its XML ends too early)`},
		"a comment without end":          {content(`<office:document-content><!-- `), Limits{}, `is incomplete`},
		"another document":               {content(`<math/>`), Limits{}, `the file is not an OpenDocument spreadsheet: its part "content.xml" starts with the element "math"`},
		"a text document":                {content(strings.ReplaceAll(body(), "office:spreadsheet", "office:text")), Limits{}, `an OpenDocument file of type "text", not a spreadsheet`},
		"no body":                        {content(`<office:document-content/>`), Limits{}, `has no body`},
		"an empty body":                  {content(`<office:document-content><office:body/></office:document-content>`), Limits{}, `has an empty body`},
		"no sheets":                      {content(body()), Limits{}, `the workbook has no worksheets`},
		"not XML":                        {content(`hello`), Limits{}, `contains text outside its root element`},
		"two documents":                  {content(body(table("One", "")) + "<a/>"), Limits{}, `more than one root element`},
		"empty":                          {content(``), Limits{}, `is empty`},
		"another encoding":               {content(`<?xml version="1.0" encoding="Shift_JIS"?><a/>`), Limits{}, `uses the encoding "Shift_JIS"`},
		"a bad tag":                      {content(`<office:document-content a/>`), Limits{}, `contains an invalid tag`},
		"a bad attribute":                {content(`<office:document-content a=b/>`), Limits{}, `contains an invalid tag`},
		"no name":                        {content(`< a/>`), Limits{}, `contains an invalid tag`},
		"no content":                     {without(withRows(""), contentPart), Limits{}, `an archive without a spreadsheet: it has no entry "content.xml"`},
		"another kind":                   {with(withRows(""), mimetypePart, "application/vnd.oasis.opendocument.text"), Limits{}, `a document of type "application/vnd.oasis.opendocument.text", not a spreadsheet`},
		"a damaged manifest":             {with(withRows(""), manifestPart, `<a><b>`), Limits{}, `its part "META-INF/manifest.xml" is incomplete`},
		"a manifest of bombs":            {with(withRows(""), manifestPart, `<!DOCTYPE a [<!ENTITY b "c">]><a/>`), Limits{}, `contains a DOCTYPE declaration`},

		"entries":               {withRows(""), Limits{Entries: 2}, `archive has more than 2 entries`},
		"sheets":                {content(body(table("a", ""), table("b", ""))), Limits{Sheets: 1}, `more than 1 sheets`},
		"hidden styles":         {content(strings.Replace(body(), `display="true"`, `display="false"`, 1)), Limits{Sheets: 1}, `more than 1 styles`},
		"a long name":           {content(body(table(long, ""))), Limits{NameBytes: 100}, `the name of a sheet or a style is longer than 100 bytes`},
		"rows":                  {withRows(strings.Repeat(row(text("a")), 3)), Limits{Rows: 2}, `on line 3, in the sheet "One", there are more than 2 rows`},
		"rows, repeated":        {withRows(repeated("table-row", "1048577", text("a"))), Limits{Rows: 1 << 10}, `on line 1,025, in the sheet "One", there are more than 1,024 rows`},
		"a row below":           {withRows(emptyRows + row(text("a"))), Limits{Rows: 1 << 20}, `on line 1,048,577, in the sheet "One", there are more than 1,048,576 rows`},
		"columns":               {withRows(row(repeated("table-cell", "3", "<text:p>a</text:p>"))), Limits{Columns: 2}, `there are more than 2 columns`},
		"a far column":          {withRows(row(emptyCells, emptyCells, text("a"))), Limits{}, `there are more than 16,384 columns`},
		"cell":                  {one("<text:p>" + long + "</text:p>"), Limits{CellBytes: 100}, `contains a piece of text longer than 100 bytes`},
		"long cell":             {one("<text:p>" + strings.Repeat(long, 1000) + "</text:p>"), Limits{CellBytes: 100}, `on line 1, the workbook part "content.xml" contains a piece of text longer than 100 bytes`},
		"paragraphs":            {one(strings.Repeat("<text:p>xxxxxxxxx</text:p>", 12)), Limits{CellBytes: 100}, `contains a piece of text longer than 100 bytes`},
		"spans":                 {one("<text:p>" + strings.Repeat("<text:span>xxxxxxxxxx</text:span>", 11) + "</text:p>"), Limits{CellBytes: 100}, `contains a piece of text longer than 100 bytes`},
		"spaces":                {one(`<text:p><text:s text:c="999999999999"/></text:p>`), Limits{}, `contains a piece of text longer than 16,777,216 bytes`},
		"spaces together":       {withRows(strings.Repeat(row(cell("", `<text:p>a<text:s text:c="100"/></text:p>`)), 20)), Limits{RepeatedBytes: 1000}, `on line 11, in the sheet "One", repeated rows, cells and spaces add up to more than 1,000 bytes`},
		"row":                   {withRows(row(strings.Repeat(text("xxxxxxxxxx"), 11))), Limits{RowBytes: 100}, `the row is longer than 100 bytes`},
		"row, displayed errors": {withRows(row(strings.Repeat(cell(`office:string-value="`+long+`" calcext:value-type="error"`, "<text:p>#N/A</text:p>"), 11))), Limits{RowBytes: 300}, `the row is longer than 300 bytes`},
		"row, repeated":         {withRows(row(repeated("table-cell", "16384", "<text:p>"+strings.Repeat(long, 100)+"</text:p>"))), Limits{}, `the row is longer than 33,554,432 bytes`},
		"repeated cells":        {withRows(row(repeated("table-cell", "100", "<text:p>a</text:p>"))), Limits{RepeatedBytes: 1000}, `add up to more than 1,000 bytes`},
		"repeated rows":         {withRows(repeated("table-row", "1000", text("a"))), Limits{RepeatedBytes: 1000}, `on line 60, in the sheet "One", repeated rows`},
		"sheet texts":           {withRows(strings.Repeat(row(text("xxxxxxxxxx")), 11)), Limits{SheetBytes: 100}, `the text in the sheet is longer than 100 bytes`},
		"deep":                  {content("<office:document-content>" + strings.Repeat("<a>", 200_000)), Limits{}, `elements nested more than 128`},
		"deep in a sheet":       {withRows(strings.Repeat("<a>", 200)), Limits{}, `elements nested more than 128`},
		"deep groups":           {withRows(strings.Repeat("<table:table-row-group>", 200)), Limits{}, `elements nested more than 128`},
		"attributes":            {content("<office:document-content" + strings.Repeat(` a="b"`, 1025) + "/>"), Limits{}, `a tag with more than 1,024 attributes`},
		"spaces declared":       {content("<office:document-content" + strings.Repeat(` xmlns:a="`+uris+`text:1.0" xmlns:a="b"`, 60) + "/>"), Limits{}, `more than 64 namespace prefixes`},
		"merges":                {withRows(repeated("table-row", "5", cell(`table:number-columns-spanned="2"`, "<text:p>a</text:p>"))), Limits{Merges: 3}, `on line 4, in the sheet "One", the sheet has more than 3 merged ranges`},
		"columns, no end":       {withRows(`<table:table-column table:number-columns-repeated="-"/>`), Limits{}, `a repeat count is "-"`},
		"part":                  {content(`<office:document-content>` + strings.Repeat(" ", 100_000)), Limits{PartBytes: 50_000}, `is larger than 50,000 bytes when decompressed`},
		"all":                   {with(withRows(""), manifestPart, "<a>"+strings.Repeat(" ", 40_000)+"</a>"), Limits{InflatedBytes: 20_000}, `the workbook is larger than 20,000 bytes when decompressed`},
		"ratio":                 {content(strings.Repeat(" ", 17<<20)), Limits{Ratio: 100}, `is more than 100 times larger when decompressed`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readFile(t.Context(), archived(t, tc.book), tc.limits)
			if err == nil || !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v\nwant: %s", err, tc.want)
			}
		})
	}
}

func TestRowsBeforeAnError(t *testing.T) {
	got, err := readFile(t.Context(), archived(t, withRows(row(text("a"))+row(text("b"))+row(cell("", "<text:p>&x;</text:p>")))), Limits{})
	if len(got) != 2 || err == nil || !strings.HasPrefix(err.Error(), "on line 3, the workbook is damaged") {
		t.Errorf("%v, error %v", got, err)
	}
}

func TestEncrypted(t *testing.T) {
	manifest := func(path string) string {
		return `<?xml version="1.0"?><!DOCTYPE m:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd"><m:manifest xmlns:m="` + uris + `manifest:1.0"><m:file-entry m:full-path="/"/>` +
			`<m:file-entry m:media-type="text/xml" m:full-path="` + path + `" m:size="7"><m:encryption-data m:checksum="x"><m:algorithm/></m:encryption-data></m:file-entry></m:manifest>`
	}
	good := withRows(row(text("a")))
	for name, list := range map[string][]entry{
		"content":                  with(with(good, contentPart, "\x01\x02\x03"), manifestPart, manifest(contentPart)),
		"all":                      with(with(without(good, contentPart), encryptedPart, "\x01\x02\x03"), manifestPart, manifest(encryptedPart)),
		"all, told":                with(good, manifestPart, manifest(encryptedPart)),
		"all, not in the manifest": with(without(good, contentPart), encryptedPart, "\x01\x02\x03"),
	} {
		if _, err := readFile(t.Context(), archived(t, list), Limits{}); !errors.Is(err, zipfile.ErrPassword) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := readFile(t.Context(), archived(t, with(good, manifestPart, manifest("Basic/a.xml"))), Limits{}); err != nil || len(got) != 1 {
		t.Errorf("encrypted macros: %v, error %v", got, err)
	}
	flagged := archived(t, good)
	for _, mark := range []struct {
		text string
		at   int
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
		for at := 0; ; at++ {
			next := bytes.Index(flagged[at:], []byte(mark.text))
			if next < 0 {
				break
			}
			at += next
			flagged[at+mark.at] |= 1
		}
	}
	if _, err := readFile(t.Context(), flagged, Limits{}); !errors.Is(err, zipfile.ErrPassword) {
		t.Errorf("encrypted archive: %v", err)
	}
}

func TestBadNames(t *testing.T) {
	for name, want := range map[string]string{
		"../content.xml": "points to another folder", "a/../b": "points to another folder", "/content.xml": "starts with a slash",
		"C:a": "starts with a drive letter", "a\x00": "contains a NUL character", "CONTENT.XML": `contains the entry "CONTENT.XML" twice`,
	} {
		_, err := readFile(t.Context(), archived(t, append(withRows(""), sourcetest.File(name, "x"))), Limits{})
		if err == nil || !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestDamage checks that archives with a damaged directory or damaged content return typed
// errors.
func TestDamage(t *testing.T) {
	good := archived(t, withRows(strings.Repeat(row(text("a"), number(1.5)), 200)))
	directory := bytes.Index(good, []byte("PK\x01\x02"))
	last := bytes.LastIndex(good, []byte("PK\x01\x02"))
	for name, change := range map[string]func(file []byte){
		"entries overlap":       func(file []byte) { binary.LittleEndian.PutUint32(file[last+42:], 0) },
		"an entry far away":     func(file []byte) { binary.LittleEndian.PutUint32(file[last+42:], 1<<30) },
		"an entry too long":     func(file []byte) { binary.LittleEndian.PutUint32(file[last+20:], 1<<30) },
		"an unknown method":     func(file []byte) { binary.LittleEndian.PutUint16(file[last+10:], 99) },
		"another sum":           func(file []byte) { file[last+16]++ },
		"a bit of the content":  func(file []byte) { file[directory-200] ^= 4 },
		"the directory is gone": func(file []byte) { copy(file[len(file)-22:], "xxxx") },
	} {
		file := bytes.Clone(good)
		change(file)
		if _, err := readFile(t.Context(), file, Limits{}); !sourcetest.IsTyped(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wrongSize := bytes.Clone(good)
	binary.LittleEndian.PutUint32(wrongSize[last+24:], 5) // declares an inflated size of 5 bytes
	if _, err := readFile(t.Context(), wrongSize, Limits{}); !sourcetest.IsTyped(err) {
		t.Errorf("wrong size: %v", err)
	}
}

func TestLargeDirectory(t *testing.T) {
	list := withRows("")
	for range 40 {
		list = append(list, sourcetest.File(strings.Repeat("n", 60_000)+string(rune('a'+len(list))), ""))
	}
	_, err := readFile(t.Context(), archived(t, list), Limits{Entries: 50})
	var limit *source.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

func TestStoredContent(t *testing.T) {
	list := withRows(row(text("a")))
	for i := range list {
		list[i] = sourcetest.Stored(list[i].Name, list[i].Text)
	}
	if got, err := readFile(t.Context(), archived(t, list), Limits{}); err != nil || len(got) != 1 {
		t.Errorf("%v, error %v", got, err)
	}
}
