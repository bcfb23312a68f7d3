package table

import "testing"

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
		"930": false, "9:3": false, "9.30": false, "123:00": false, "9:30:": false, ":30": false, "9:30 XM": false, "": false, "1:00:00:00": false, "9:30.15": false,
	} {
		if got := isTime(cell); got != want {
			t.Errorf("%q is a time: %v", cell, got)
		}
	}
}
