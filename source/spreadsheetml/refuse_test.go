package spreadsheetml

import (
	"errors"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func TestRefuses(t *testing.T) {
	one := func(rows string) string { return workbookXML("", worksheet("One", rows)) }
	small := source.Options{Limits: source.Limits{Columns: 3, Cells: 4, CellBytes: 1000, RecordBytes: 1500}}
	unreadable := func(line int64, reason string) error {
		return &source.UnreadableError{Line: line, Reason: intray.Literal(reason)}
	}
	limit := func(line int64, reason string) error {
		return &source.LimitError{Line: line, Reason: intray.Literal(reason)}
	}
	whole := one(row(text("a")))
	long := strings.Repeat("x", 1001)
	for name, test := range map[string]struct {
		doc  string
		want error
	}{
		"empty":                   {" \n ", source.ErrEmpty},
		"DOCTYPE":                 {strings.Replace(whole, "<Workbook", `<!DOCTYPE a [<!ENTITY b "c">]><Workbook`, 1), unreadable(0, "it contains a DOCTYPE declaration")},
		"an entity":               {one(row(text("&lol;"))), unreadable(1, "an invalid entity")},
		"an open entity":          {one(row(text("a & b; c"))), unreadable(1, "an invalid entity")},
		"character 0xD800":        {one(row(text("&#xD800;"))), unreadable(1, "an invalid entity")},
		"another root":            {`<?xml version="1.0"?><rows/>`, unreadable(0, `the file is XML but not a workbook: its root element is "rows"`)},
		"not XML":                 {"hello", unreadable(0, "text outside its root element")},
		"a second root":           {whole + "<a/>", unreadable(0, "more than one root element")},
		"crossed tags":            {one("<Row><Cell></Row></Cell>"), unreadable(0, "closes an element that is not open")},
		"a tag too many":          {"</a>", unreadable(0, "closes an element that is not open")},
		"a tag without a name":    {one("< Row/>"), unreadable(0, "contains an invalid tag")},
		"a tag in a tag":          {one("<Row <Cell/>"), unreadable(0, "contains an invalid tag")},
		"a value without quotes":  {one("<Row ss:Index=3/>"), unreadable(0, "contains an invalid tag")},
		"attributes":              {one("<Row" + strings.Repeat(" a=''", 1025) + "/>"), limit(0, "a tag with more than 1,024 attributes")},
		"cut in the middle":       {whole[:len(whole)/2], unreadable(0, "its XML ends too early")},
		"cut in a comment":        {whole[:len(declaration)] + "<!-- ", unreadable(0, "its XML ends too early")},
		"cut in a value":          {one(row(`<Cell ss:Index="`)), unreadable(0, "its XML ends too early")},
		"no sheets":               {workbookXML(""), unreadable(0, "the workbook has no worksheet")},
		"an unknown encoding":     {strings.Replace(whole, "UTF-8", "klingon", 1), unreadable(0, `unknown encoding "klingon"`)},
		"row 0":                   {one(`<Row ss:Index="0"/>`), unreadable(1, `it contains "0"`)},
		"row x":                   {one(`<Row ss:Index="x"/>`), unreadable(1, `it contains "x"`)},
		"a row without end":       {one(`<Row ss:Index="99999999999999"/>`), limit(1, "or span of 99,999,999,999,999; the limit is")},
		"a column beyond":         {one(`<Row ss:Index="3"><Cell ss:Index="4"/></Row>`), limit(3, "a row has more than 3 cells")},
		"columns":                 {one(row(text("1"), text("2"), text("3"), text("4"))), limit(1, "a row has more than 3 cells")},
		"cells":                   {one(strings.Repeat(row(text("1"), text("2")), 3)), limit(3, "the sheet has more than 4 cells")},
		"a long cell":             {one(row(text(long))), limit(1, "a cell is longer than 1,000 bytes")},
		"a long row":              {one(row(text(long[1:]), text(long[1:]))), limit(1, "the row is longer than 1,500 bytes")},
		"a very long text":        {one(row(text(strings.Repeat(long, 1100)))), limit(0, "a tag or a piece of text in the workbook is longer")},
		"a very long tag":         {one(`<Row a="` + strings.Repeat(long, 1100) + `"/>`), limit(0, "a tag or a piece of text in the workbook is longer")},
		"deep elements":           {one(strings.Repeat("<a>", 100)), limit(0, "nested more than 64")},
		"exactly the limits":      {one(row(text(long[1:]), text(""), text(long[:500])) + row(text("1"))), nil},
		"a style with a long key": {workbookXML(numberFormat(long, "0"), worksheet("One", "")), limit(0, "a style with a name longer")},
	} {
		t.Run(name, func(t *testing.T) { sourcetest.RequireError(t, Format{}, test.doc, small, test.want) })
	}
	sourcetest.RequireError(t, Format{}, whole, source.Options{Encoding: "klingon"}, unreadable(0, `the encoding "klingon" is unknown`))
}

// The visibility of a sheet can be at most 256 bytes long.
func TestLongVisibility(t *testing.T) {
	visible := func(state string) string {
		return strings.Replace(workbookXML("", worksheet("One", row(text("a")))), "</Worksheet>", "<WorksheetOptions><Visible>"+state+"</Visible></WorksheetOptions></Worksheet>", 1)
	}
	exact := strings.Repeat("x", maxStateBytes)
	sourcetest.RequireError(t, Format{}, visible(exact), source.Options{}, nil)
	sourcetest.RequireError(t, Format{}, visible(exact+"x"), source.Options{}, &source.LimitError{Reason: intray.Literal("longer than 256 bytes")})
	sourcetest.RequireError(t, Format{}, visible("&bad;"), source.Options{}, &source.UnreadableError{Reason: intray.Literal("an invalid entity")})
}

// The rows before the damage are returned before the error.
func TestRowsBeforeDamage(t *testing.T) {
	got, err := contents(t, workbookXML("", worksheet("One", row(text("a"))+row(text("b"))+row(text("&bad;"))+row(text("c")))), 0, source.Limits{})
	var damage *source.UnreadableError
	if got != "1: 0t=a\n2: 0t=b\n" || !errors.As(err, &damage) || damage.Line != 3 {
		t.Errorf("got %q, error %v", got, err)
	}
}

func TestEncodings(t *testing.T) {
	doc := func(declared, value string) string {
		return strings.Replace(workbookXML("", worksheet("One", row(text("name"), text("b"))+row(text(value), text("x")))), ` encoding="UTF-8"`, declared, 1)
	}
	far := strings.Repeat("x", 1000) + "</Data></Cell></Row>" + strings.Repeat(row(text("plain"), text("text")), 20_000) + "<Row><Cell><Data>"
	german := "Gr\xf6\xdfe f\xfcr M\xfcller und K\xf6nig, Stra\xdfe"
	for name, test := range map[string]struct{ doc, asked, want, value string }{
		"declared":              {doc(` encoding="windows-1251"`, "\xcf\xf0\xe8\xe2\xe5\xf2"), "", "windows-1251", "Привет"},
		"declared in quotes":    {doc(` encoding='windows-1252'`, "\x80"), "", "windows-1252", "€"},
		"requested":             {doc(` encoding="UTF-8"`, "\xcf\xf0\xe8\xe2\xe5\xf2"), "cp1251", "windows-1251", "Привет"},
		"undeclared":            {doc("", "é"), "", "UTF-8", "é"},
		"declared wrongly":      {doc(` encoding="UTF-8"`, german), "", "windows-1252", "Größe für Müller und König, Straße"},
		"wrongly, far away":     {doc("", far+german), "", "windows-1252", ""},
		"declared UTF-16, is 8": {doc(` encoding="UTF-16"`, "é"), "", "UTF-8", "é"},
	} {
		book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(test.doc)), source.Options{Encoding: test.asked})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e := book.Evidence()[0]; e.Value != test.want || e.Reason.IsZero() {
			t.Errorf("%s: %v", name, e)
		}
		reader, err := book.Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		batch := &intray.Records{}
		if err := reader.Next(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		if got := string(batch.Cell(0, 0)); test.value != "" && got != test.value {
			t.Errorf("%s: cell %q, want %q", name, got, test.value)
		}
	}
}

// The evidence for an uncertain encoding lists one alternative.
func TestUncertainEncodingEvidence(t *testing.T) {
	doc := strings.Replace(workbookXML("", worksheet("One", row(text("n"), text("b"))+row(text("\xa4x"), text("1")))), ` encoding="UTF-8"`, "", 1)
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(doc)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range book.Evidence() {
		if e.Choice == "encoding" && (!e.Tie || len(e.Alternatives) != 1) {
			t.Errorf("evidence of the encoding: %+v", e)
		}
	}
}
