package ods

import (
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

func TestDamaged(t *testing.T) {
	one := func() []entry { return withRows(row(text("a"), number(2))) }
	cells := []string{"A1 text a", "B1 number 2"}
	// changed returns one with the entries whose names end with the given suffix changed.
	changed := func(suffix string, change func(e *entry)) []entry {
		list := one()
		for i := range list {
			if strings.HasSuffix(list[i].Name, suffix) {
				change(&list[i])
			}
		}
		return list
	}
	wide := `<table:table-cell table:number-columns-spanned="2" office:value-type="string"><text:p>a</text:p></table:table-cell>`
	under := func(attributes, inside string) string {
		return `<table:covered-table-cell ` + attributes + `>` + inside + `</table:covered-table-cell>`
	}
	for name, tc := range map[string]struct {
		book     []entry
		cells    []string
		evidence []string
	}{
		"backslashes":        {changed("", func(e *entry) { e.Name = strings.ReplaceAll(e.Name, "/", `\`) }), cells, []string{`part names=META-INF\manifest.xml`}},
		"text after the XML": {changed(".xml", func(e *entry) { e.Text += " junk" }), cells, []string{"text after the end=content.xml"}},
		"white space before": {changed(".xml", func(e *entry) { e.Text = "\uFEFF\r\n " + e.Text }), cells, nil},
		"only the content":   {without(without(one(), mimetypePart), manifestPart), cells, nil},
		"covered cells": {withRows(row(wide, under(`office:value-type="string"`, "<text:p>b</text:p>"), text("c")) +
			row(under(`office:value-type="float" office:value="7"`, "<text:p>7.0</text:p>"), under("", ""), under(`office:value-type="string" table:number-columns-repeated="2"`, "<text:p>d</text:p>"), text("e"))),
			[]string{"A1 text a", "C1 text c", "E2 text e"}, []string{"covered cells=B1: b; A2: 7; C2: d; D2: d"}},
		"only a covered cell": {withRows(row(text("a")) + row(under(`office:value-type="string"`, "<text:p>b</text:p>")) + row(text("c"))),
			[]string{"A1 text a", "A3 text c"}, []string{"covered cells=A2: b"}},
	} {
		t.Run(name, func(t *testing.T) {
			workbooktest.DamageTest{File: archived(t, tc.book), Cells: tc.cells, Evidence: tc.evidence}.Check(t, Format{}, func(in source.Input) (workbook.Workbook, error) {
				return Open(t.Context(), in, Limits{})
			})
		})
	}
}
