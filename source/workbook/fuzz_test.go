package workbook

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
)

// someRanges makes merged ranges of bytes.
func someRanges(raw []byte, rows int64) (ranges []Range) {
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

// FuzzGrid reads any sheet in all ways. Read as found it must come out as it was
// put in; otherwise each row below the header is a record, or told to be left
// out, or without text. When ranges are known must make no difference.
func FuzzGrid(f *testing.F) {
	f.Add("a\tb\n1\t2\n\n3", []byte{}, 0)
	f.Add(groups.text, []byte{3, 3, 0, 0, 0, 0, 0, 3, 7, 1, 0, 2}, 3)
	f.Add("name\tn\nx\t1\nTotal\t1\n\nNote: end\n~h\t2", []byte{1, 1, 1, 1}, 0)
	f.Fuzz(func(t *testing.T, text string, raw []byte, header int) {
		if len(text) > 1<<12 || header < 0 || header > 1<<12 || !strings.ContainsAny(text, "\n\t") {
			t.Skip()
		}
		w := memory{text: text, ranges: someRanges(raw, int64(strings.Count(text, "\n")+1))}
		checkAsFound(t, w)
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
				checkAccount(t, w, one)
			}
		}
	})
}

func checkAsFound(t *testing.T, w memory) {
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
		t.Fatalf("as found (-want +got):\n%s", diff)
	}
}

// checkAccount wants each row with text to be above the body, a record or told.
func checkAccount(t *testing.T, w memory, got outcome) {
	with := map[string]bool{}
	last := 0
	for _, record := range got.records[1:] {
		var number int
		if _, err := fmt.Sscanf(record, "%d:", &number); err != nil || number <= last {
			t.Fatalf("record %q behind row %d", record, last)
		}
		with[fmt.Sprint(number)], last = true, number
	}
	for _, notice := range got.notices {
		if fields := strings.Fields(notice); fields[0] == "Row" {
			with[fields[1]] = true
		}
	}
	above := true
	for i, line := range strings.Split(w.text, "\n") {
		if above = above && !with[fmt.Sprint(i+1)]; above {
			continue
		}
		if text := unescapes.Replace(strings.TrimPrefix(line, "~")); strings.TrimSpace(text) != "" && !with[fmt.Sprint(i+1)] {
			t.Fatalf("row %d of %q is nowhere in %q and %q", i+1, w.text, got.records, got.notices)
		}
	}
}
