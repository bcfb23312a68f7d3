package examples_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"testing"
)

// xcell is a cell in a workbook: its type as in the file format (s shared string, n number,
// b boolean, e error), its value, the formula that yields the value or "", and the number
// of its style.
type xcell struct {
	kind, value, formula string
	style                int
}

// sheetPart is one sheet in a workbook.
type sheetPart struct {
	name   string
	hidden bool
	rows   [][]xcell
	merged []string
	// lists holds the cell ranges with data validation, each with the values that it allows.
	lists [][2]string
}

// These are the numbers of the styles in the workbook.
const (
	plain = iota
	bold
	zipCode
	calendarDay
	dollars
	percent
	phoneNumber
	zipPlus4
)

// styleSheet returns the style sheet, which contains the number format of each style.
func styleSheet() string {
	formats := []string{
		zipCode: "00000", calendarDay: "mm/dd/yyyy", dollars: `_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)`, percent: "0.0%",
		phoneNumber: `[<=9999999]###-####;(###) ###-####`, zipPlus4: "00000-0000",
	}
	var all, used strings.Builder
	for i, format := range formats {
		id, font := 0, 0
		if format != "" {
			id = 164 + i
			fmt.Fprintf(&all, `<numFmt numFmtId="%d" formatCode="%s"/>`, id, html.EscapeString(format))
		}
		if i == bold {
			font = 1
		}
		fmt.Fprintf(&used, `<xf numFmtId="%d" fontId="%d" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`, id, font)
	}
	return `<styleSheet xmlns="` + spread + `"><numFmts count="6">` + all.String() + `</numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="14"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
		`<cellXfs count="` + strconv.Itoa(len(formats)) + `">` + used.String() + `</cellXfs></styleSheet>`
}

// These are the namespaces of the file format (ECMA-376).
const (
	prolog    = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	spread    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	office    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packaging = "http://schemas.openxmlformats.org/package/2006/"
	content   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// book returns a workbook. Its parts are not compressed, so that the same rows always yield
// the same bytes.
func book(t *testing.T, sheets []sheetPart) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	part := func(name, text string) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(prolog + text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var types, names, rels strings.Builder
	texts := &shared{places: map[string]int{}}
	for i, s := range sheets {
		state := ""
		if s.hidden {
			state = ` state="hidden"`
		}
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, i+1, content)
		fmt.Fprintf(&names, `<sheet name="%s" sheetId="%d"%s r:id="rId%d"/>`, html.EscapeString(s.name), i+1, state, i+1)
		fmt.Fprintf(&rels, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, office, i+1)
		part(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), s.xml(texts))
	}
	for _, name := range []string{"sharedStrings", "styles"} {
		fmt.Fprintf(&types, `<Override PartName="/xl/%s.xml" ContentType="%s%s+xml"/>`, name, content, name)
		fmt.Fprintf(&rels, `<Relationship Id="%s" Type="%s/%s" Target="%s.xml"/>`, name, office, name, name)
	}
	part("xl/sharedStrings.xml", texts.xml())
	part("xl/styles.xml", styleSheet())
	part("xl/workbook.xml", `<workbook xmlns="`+spread+`" xmlns:r="`+office+`"><sheets>`+names.String()+`</sheets></workbook>`)
	part("xl/_rels/workbook.xml.rels", `<Relationships xmlns="`+packaging+`relationships">`+rels.String()+`</Relationships>`)
	part("_rels/.rels", `<Relationships xmlns="`+packaging+`relationships"><Relationship Id="rId1" Type="`+office+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`)
	part("[Content_Types].xml", `<Types xmlns="`+packaging+`content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
		`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="`+content+`sheet.main+xml"/>`+types.String()+`</Types>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shared holds the shared strings of a workbook, without duplicates.
type shared struct {
	texts  []string
	places map[string]int
}

func (s *shared) place(text string) string {
	at, known := s.places[text]
	if !known {
		at = len(s.texts)
		s.texts, s.places[text] = append(s.texts, text), at
	}
	return strconv.Itoa(at)
}

func (s *shared) xml() string {
	var b strings.Builder
	for _, text := range s.texts {
		b.WriteString(`<si><t xml:space="preserve">` + html.EscapeString(text) + `</t></si>`)
	}
	return `<sst xmlns="` + spread + `" uniqueCount="` + strconv.Itoa(len(s.texts)) + `">` + b.String() + `</sst>`
}

func (s sheetPart) xml(texts *shared) string {
	var b strings.Builder
	b.WriteString(`<worksheet xmlns="` + spread + `"><sheetData>`)
	for i, row := range s.rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for j, c := range row {
			if c.kind != "" {
				b.WriteString(c.xml(string(rune('A'+j))+strconv.Itoa(i+1), texts))
			}
		}
		b.WriteString(`</row>`)
	}
	b.WriteString(`</sheetData>`)
	if len(s.merged) > 0 {
		fmt.Fprintf(&b, `<mergeCells count="%d"><mergeCell ref="%s"/></mergeCells>`, len(s.merged), strings.Join(s.merged, `"/><mergeCell ref="`))
	}
	if len(s.lists) > 0 {
		fmt.Fprintf(&b, `<dataValidations count="%d">`, len(s.lists))
		for _, list := range s.lists {
			fmt.Fprintf(&b, `<dataValidation type="list" allowBlank="1" sqref="%s"><formula1>%s</formula1></dataValidation>`, list[0], html.EscapeString(list[1]))
		}
		b.WriteString(`</dataValidations>`)
	}
	return b.String() + `</worksheet>`
}

func (c xcell) xml(place string, texts *shared) string {
	value := c.value
	if c.kind == "s" {
		value = texts.place(value)
	}
	formula := ""
	if c.formula != "" {
		formula = "<f>" + html.EscapeString(c.formula) + "</f>"
	}
	return fmt.Sprintf(`<c r="%s" s="%d" t="%s">%s<v>%s</v></c>`, place, c.style, c.kind, formula, html.EscapeString(value))
}
