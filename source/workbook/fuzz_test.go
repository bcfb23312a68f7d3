package workbook

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
)

// rangesFromBytes decodes merged ranges from fuzzed bytes.
func rangesFromBytes(raw []byte, rows int64) (ranges []Range) {
	for ; len(raw) >= 4; raw = raw[4:] {
		first := int64(raw[0]%16) + 1
		column := int(raw[2] % 8)
		g := Range{first, first + int64(raw[1]%16), column, column + int(raw[3]%8)}
		if g.FirstRow <= rows && !slices.Contains(ranges, g) {
			ranges = append(ranges, g)
		}
	}
	return ranges
}

// FuzzGrid reads any sheet with each option. With AsIs, the sheet must be returned unchanged.
// Otherwise, each row below the header must be a record, be reported in a notice, or have no
// text. The result must not depend on when the merged ranges become known.
func FuzzGrid(f *testing.F) {
	f.Add("a\tb\n1\t2\n\n3", []byte{}, 0)
	f.Add(groups.text, []byte{3, 3, 0, 0, 0, 0, 0, 3, 7, 1, 0, 2}, 3)
	f.Add("name\tn\nx\t1\nTotal\t1\n\nNote: end\n~h\t2", []byte{1, 1, 1, 1}, 0)
	f.Fuzz(func(t *testing.T, text string, raw []byte, header int) {
		if len(text) > 1<<12 || header < 0 || header > 1<<12 || !strings.ContainsAny(text, "\n\t") {
			t.Skip()
		}
		w := memory{text: text, ranges: rangesFromBytes(raw, int64(strings.Count(text, "\n")+1))}
		checkReadAsIs(t, w)
		for _, opt := range []source.Options{{HeaderRow: header}, {FillMerged: true}, {FillMerged: true, AsIs: true}} {
			one, err := readBook(t, early{w}, opt)
			if err != nil {
				t.Fatalf("%+v: %v", opt, err)
			}
			two, err := readBook(t, late{w}, opt)
			if err != nil {
				t.Fatalf("%+v: %v", opt, err)
			}
			if diff := cmp.Diff(one, two, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Fatalf("%+v: known early and late (-early +late):\n%s", opt, diff)
			}
			if !opt.AsIs {
				checkEveryRow(t, w, one)
			}
		}
	})
}

func checkReadAsIs(t *testing.T, w memory) {
	got, err := readBook(t, w, source.Options{AsIs: true})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	filled := 0
	for i, line := range strings.Split(w.text, "\n") {
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimPrefix(line, "~"), "\t") {
			cells = append(cells, unescapes.Replace(cell))
		}
		for len(cells) > 1 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		want = append(want, fmt.Sprintf("%d:%s", i+1, strings.Join(cells, "|")))
		if strings.Trim(strings.TrimPrefix(line, "~"), "\t") != "" {
			filled = i + 1
		}
	}
	if diff := cmp.Diff(want[:filled], got.records[1:]); diff != "" && filled > 0 {
		t.Fatalf("read as is (-want +got):\n%s", diff)
	}
}

// checkEveryRow checks that each row with text is above the body, a record, or reported
// in a notice.
func checkEveryRow(t *testing.T, w memory, got outcome) {
	found := map[string]bool{}
	last := 0
	for _, record := range got.records[1:] {
		var number int
		if _, err := fmt.Sscanf(record, "%d:", &number); err != nil || number <= last {
			t.Fatalf("record %q after row %d", record, last)
		}
		found[fmt.Sprint(number)], last = true, number
	}
	for _, notice := range got.notices {
		if fields := strings.Fields(notice); fields[0] == "Row" {
			found[fields[1]] = true
		}
	}
	above := true
	for i, line := range strings.Split(w.text, "\n") {
		if above = above && !found[fmt.Sprint(i+1)]; above {
			continue
		}
		if text := unescapes.Replace(strings.TrimPrefix(line, "~")); strings.TrimSpace(text) != "" && !found[fmt.Sprint(i+1)] {
			t.Fatalf("row %d of %q is in neither the records %q nor the notices %q", i+1, w.text, got.records, got.notices)
		}
	}
}
