package review

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

func TestExceedsCellLimit(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"empty":                  {"", false},
		"the longest text":       {strings.Repeat("a", 32_767), false},
		"one letter too many":    {strings.Repeat("a", 32_768), true},
		"two bytes per unit":     {strings.Repeat("ä", 32_767), false},
		"two bytes and too long": {strings.Repeat("ä", 32_768), true},
		"two units per rune":     {strings.Repeat("😀", 16_383) + "a", false},
		"half a rune too many":   {strings.Repeat("😀", 16_384), true},
		"invalid UTF-8":          {strings.Repeat("\xff", 32_767), false},
		"invalid and too long":   {strings.Repeat("\xff", 32_768), true},
	} {
		if got := exceedsCellLimit(c.text); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestSameText(t *testing.T) {
	long := strings.Repeat("a", 40_000)
	pairs := strings.Repeat("😀", 20_000)
	for name, c := range map[string]struct {
		fromFile, exported string
		want               bool
	}{
		"equal":                        {"a", "a", true},
		"different":                    {"a", "b", false},
		"other line endings":           {"a\r\nb", "a\nb", true},
		"line endings of the export":   {"a\nb", "a\r\nb", true},
		"a line ending less":           {"ab", "a\nb", false},
		"truncated":                    {long[:32_766] + "…", long, true},
		"truncated before half a rune": {pairs[:4*16_382] + "a…", pairs[:4*16_382] + "a" + pairs, true},
		"truncated one unit earlier":   {long[:32_765] + "…", long, true},
		"truncated by somebody":        {long[:32_764] + "…", long, false},
		"truncated and changed":        {"b" + long[1:32_766] + "…", long, false},
		"truncated without ellipsis":   {long[:32_767], long, false},
		"a short text with ellipsis":   {"a…", "abc", false},
	} {
		if got := sameText(c.fromFile, c.exported); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestParseRowMark(t *testing.T) {
	for text, want := range map[string]*rowMark{
		"2v11-5f0c9a1e":            {2, 11, "5f0c9a1e"},
		" 0v0-x ":                  {0, 0, "x"},
		"7v3":                      {7, 3, ""},
		"7":                        {7, -1, ""},
		"9223372036854775807v1-":   {9223372036854775807, 1, ""},
		"9223372036854775808v1-":   nil,
		"2v9223372036854775808-":   nil,
		"":                         nil,
		"v1-5f":                    nil,
		"-1v1-5f":                  nil,
		"-1":                       nil,
		"2v":                       nil,
		"2v-5f":                    nil,
		"2v-1-5f":                  nil,
		"2 v1-5f":                  nil,
		"row 2":                    nil,
		"2.0v1-5f":                 nil,
		"2v1-5f-more of the mark":  {2, 1, "5f-more of the mark"},
		"2v1v2-5f":                 nil,
		"2v1 -5f":                  nil,
		"0002v0011-00000000000000": {2, 11, "00000000000000"},
	} {
		got, ok := parseRowMark(text)
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("%q: got %+v, %v", text, got, ok)
		}
	}
}

// TestMergeListLimits checks that conflicts and ignored columns beyond the limits are
// not listed, and that all conflicts are counted.
func TestMergeListLimits(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		b := correctionMerger{out: &MergeResult{}, overwrite: overwrite}
		for n := range 25 {
			if got := b.recordConflict(exportColumn{field: 3, part: 2}, int64(n), "here", "file"); got != overwrite {
				t.Errorf("conflict %d: the file takes precedence: %v", n, got)
			}
		}
		var want []CellConflict
		for n := range int64(20) {
			want = append(want, CellConflict{n, 3, 2, "here", "file"})
		}
		if diff := cmp.Diff(want, b.out.Examples); diff != "" || b.out.Conflicts != 25 {
			t.Errorf("%d conflicts\n%s", b.out.Conflicts, diff)
		}
	}

	b := correctionMerger{out: &MergeResult{}, rowExport: rowExport{columns: []exportColumn{{header: "Name", field: 0}, {header: "Id", field: 1, readOnly: true}, {header: "Mail", field: 2}}}}
	columns := []intray.Column{{Header: "Row"}, {Header: "Mail"}, {Header: ""}, {Header: "Id"}, {Header: "Name"}, {Header: "Id"}, {Header: "Problems"}}
	ignored := []string{"Id"}
	for n := range 120 {
		columns = append(columns, intray.Column{Header: fmt.Sprint("Extra ", n)})
		ignored = append(ignored, fmt.Sprint("Extra ", n))
	}
	want := []sheetColumn{{b.columns[2], 1}, {b.columns[0], 4}}
	if got := b.matchColumns(columns); !cmp.Equal(want, got, cmp.AllowUnexported(sheetColumn{}, exportColumn{})) {
		t.Errorf("the matched columns are %+v", got)
	}
	if diff := cmp.Diff(ignored[:100], b.out.Ignored); diff != "" {
		t.Error(diff)
	}
}
