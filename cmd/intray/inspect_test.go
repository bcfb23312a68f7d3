package main

import (
	"testing"

	"github.com/intraydata/intray/source/headerdetect"
)

// TestFindingTrailingMinus checks that inspect recognizes the same numbers as an import. The
// amounts of a bank statement with the sign at the end were text.
func TestFindingTrailingMinus(t *testing.T) {
	for cell, want := range map[string]headerdetect.Kind{
		"3.824,73-":              headerdetect.Number,
		"14,90 -":                headerdetect.Number,
		"1,234.50−":              headerdetect.Number,
		"EUR 14,90-":             headerdetect.Number,
		"(14.90)":                headerdetect.Number,
		"12.–":                   headerdetect.Number,
		"17":                     headerdetect.Integer,
		"-":                      headerdetect.Empty,
		"555-0142":               headerdetect.Code,
		"KR-26032743":            headerdetect.Code,
		"DE18990205000000400551": headerdetect.Code,
		"2026-01-02":             headerdetect.Date,
		"Room 12-":               headerdetect.Text,
		"anna@example.org":       headerdetect.Email,
	} {
		if got := kindOf(cell); got != want {
			t.Errorf("%q is %s, want %s", cell, kindNames[got], kindNames[want])
		}
	}
	if name, reason := columnType([]string{"3.824,73-", "14,90-", "3.128,98", "7"}); name != "number" || reason != "4 of 4 cells of the sample" {
		t.Errorf("the amounts are %s: %s", name, reason)
	}
}
