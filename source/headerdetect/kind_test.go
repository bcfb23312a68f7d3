package headerdetect

import (
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	kinds := map[Kind][]string{
		Empty:   {"", " ", "-", "n/a", "NULL", "#N/A", "—"},
		Integer: {"0", "-12", "007", " 42 ", "12345678901234567890"},
		Number:  {"1.5", "1,234.56", "1.234,56", "1.234.567", "12,34,567", "1.234.567,89", "1e1234", "5.", ",5", "1 234", "12 %", "€ 5", "5 €", "USD 12.00", "12.00 EUR", "(12.50)", "1e10", "2.5E-3", "+4", "1'000", ".5", "−3.2"},
		Date:    {"2024-05-01", "01.02.2024", "1/2/24", "2024-05-01T10:00:00Z", "2024-05-01 10:00", "12 Jan 2020", "Jan 12, 2020", "3. März 2021", "2024年5月1日", "2024-05"},
		Time:    {"9:30", "09:30:15", "9:30 PM", "09:30:15.250"},
		Flag:    {"true", "No", "ja", "off", "NÃO"},
		Email:   {"a@b.de"},
		Link:    {"https://example.org/x", "WWW.example.org"},
		Code:    {"1e12345", "MG-8769", "A1", "550e8400-e29b-41d4-a716-446655440000", "1.2.3.4.5", "99/99/9999", "25:00:00:00:00"},
		Text: {"Ada", "two words", "a@b", "12 apples", "+44-20", "x@y.z, a@b.c", "May be", strings.Repeat("7", 300),
			"1,23,4", "5,", "'5", "5'", "1,000,", "http: //x", "1,2345,678", "1,2,345", "1234,567,890", "1,234,56", ",234,567", "1,234.567,890", "1.234,567.89"},
	}
	for want, cells := range kinds {
		for _, cell := range cells {
			if got := KindOf(cell); got != want {
				t.Errorf("%q is of kind %d, want %d", cell, got, want)
			}
		}
	}
}

func TestIsTotal(t *testing.T) {
	for row, want := range map[string]bool{
		"Total|5": true, "|Summe:|5": true, "*** GRAND TOTAL ***|": true, "total 2024|1": true, "Sub-total.|1": true, "合計|9": true,
		"Totally|5": false, "5|Total": false, "||": false, "North|5": false, "": false,
	} {
		if got := IsTotal(strings.Split(row, "|")); got != want {
			t.Errorf("%q is a total: %v", row, got)
		}
	}
}

func TestIsNote(t *testing.T) {
	for row, want := range map[string][2]bool{
		"Source: the office||": {true, true}, "* estimated|": {true, true}, "© 2024": {true, true},
		"Notes : rounded|": {true, true}, "Notas: x|": {true, true}, "Legende|": {true, true}, "Hinweise zum Blatt|": {true, true},
		"Only for members|": {false, true}, "12|": {false, false}, "|Note: x": {false, false}, "Note: a|b": {false, false}, "|": {false, false},
	} {
		cells := strings.Split(row, "|")
		if got := [2]bool{IsNote(cells, false), IsNote(cells, true)}; got != want {
			t.Errorf("%q is a note, directly below and after a blank row: %v, want %v", row, got, want)
		}
	}
}

func TestFilled(t *testing.T) {
	if got := Filled([]string{"a", "", " \t", "0"}); got != 2 {
		t.Errorf("%d cells are filled", got)
	}
}

// TestNames checks that there are as many names as cells in the header or columns in the
// table, whichever is greater.
func TestNames(t *testing.T) {
	rows := [][]string{{"title"}, {" a ", "", "c", "d", " "}, {"x", "y"}}
	for _, c := range []struct {
		layout Layout
		want   string
	}{
		{Layout{Width: 2, First: 1, Headers: 2}, "a x|y|c|d"},
		{Layout{Width: 6, First: 1, Headers: 1}, "a||c|d||"},
		{Layout{Width: 3, First: 1}, "||"},
	} {
		if got := strings.Join(c.layout.ColumnNames(rows), "|"); got != c.want {
			t.Errorf("%+v names %q, want %q", c.layout, got, c.want)
		}
	}
}

func TestIsDate(t *testing.T) {
	for cell, want := range map[string]bool{
		"2024-05-01": true, "2024/5/1": true, "2024.05.01": true, "1.2.24": true, "31/12/1999": true, "12-31-99": true,
		"2024-05": true, "2024/12": true, "2024-05-01T10:00": true, "2024-05-01 10:00:59.5": true, "2024-05-01T10:00:00+02:00": true,
		"1. 2. 2024": false, "3. März 2021": true, "12-Jan-20": true, "Jan 12, 2020": true, "5 de mayo 2020": true, "4th July 1999": true,
		"2024年5月1日": true, "2024-13": false, "2024-13-01": false, "32/32/2024": false, "1/2-2024": false, "1/2": false, "2024": false,
		"Jan": false, "Jan Feb 12": false, "12 Januaryx 2020": false, "2024-05-01 noon": false, "10:00": false, "": false,
	} {
		if got := isDate(cell); got != want {
			t.Errorf("%q is a date: %v", cell, got)
		}
	}
}

func TestIsTime(t *testing.T) {
	for cell, want := range map[string]bool{
		"9:30": true, "09:30:15": true, "9:30 PM": true, "9:30 p.m.": true, "12:00:00.250": true, "09:30:15,5": true,
		"930": false, "9:3": false, "9.30": false, "123:00": false, "9:30:": false, ":30": false, "9:30 XM": false, "9:30 A.M. PM": false, "": false, "1:00:00:00": false, "9:30.15": false,
	} {
		if got := isTime(cell); got != want {
			t.Errorf("%q is a time: %v", cell, got)
		}
	}
}
