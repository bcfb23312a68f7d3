package headerdetect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindMergedLayout(t *testing.T) {
	groups := func(first int) []Span {
		return []Span{{first, first + 1, 0, 0}, {first, first, 1, 2}, {first, first, 3, 4}}
	}
	numbers := "North|1|2|3|4\nSouth|5|6|7|8\nEast|9|1|2|3"
	texts := "North|a|b|c|d\nSouth|e|f|g|h\nEast|i|j|k|l"
	for name, tc := range map[string]struct {
		rows  string
		spans []Span
		// want is the first row of the header, its number of rows, and the names.
		want string
	}{
		"a title above":           {"Report\nRegion|Sales||Cost|\n|2023|2024|2023|2024\n" + numbers, append(groups(1), Span{0, 0, 0, 4}), "1 2 Region,Sales 2023,Sales 2024,Cost 2023,Cost 2024"},
		"a title and a blank row": {"Report\n\nRegion|Sales||Cost|\n|2023|2024|2023|2024\n" + numbers, append(groups(2), Span{0, 0, 0, 4}), "2 2 Region,Sales 2023,Sales 2024,Cost 2023,Cost 2024"},
		"only text":               {"Report\nName|Person|\n|First|Last\nA|b|c\nD|e|f\nG|h|i", []Span{{0, 0, 0, 2}, {1, 2, 0, 0}, {1, 1, 1, 2}}, "1 2 Name,Person First,Last"},
		"no title":                {"Region|2023||2024|\n|Plan|Actual|Plan|Actual\n" + texts, groups(0), "0 2 Region,2023 Plan,2023 Actual,2024 Plan,2024 Actual"},
		"three rows":              {"Region|Sales||Cost|\n|2023|2024|2023|2024\n|EUR|EUR|EUR|EUR\n" + numbers, []Span{{0, 2, 0, 0}, {0, 0, 1, 2}, {0, 0, 3, 4}}, "0 3 Region,Sales 2023 EUR,Sales 2024 EUR,Cost 2023 EUR,Cost 2024 EUR"},

		"only a title":       {"Report\nRegion|a|b|c|d\n" + numbers, []Span{{0, 0, 0, 4}}, "1 1 Region,a,b,c,d"},
		"merged records":     {"Region|a|b|c|d\nNorth|1||3|4\nSouth|5|6|7|8\nEast|9|1|2|3", []Span{{1, 1, 1, 2}}, "0 1 Region,a,b,c,d"},
		"merged text":        {"Region|a|b|c|d\n" + texts + "\nWest|x||y|\nWest|x|z|y|z\nWest|x|z|y|z", []Span{{4, 4, 1, 2}, {4, 4, 3, 4}}, "0 0 ,,,,"},
		"a group that lacks": {"Report\nRegion|Sales||Cost|\n|2023||2023|2024\n" + numbers, append(groups(1), Span{0, 0, 0, 4}), "1 1 Region,Sales,,Cost,"},
	} {
		var rows [][]string
		for line := range strings.SplitSeq(tc.rows, "\n") {
			rows = append(rows, strings.Split(line, "|"))
		}
		l, err := FindMergedLayout(t.Context(), rows, tc.spans)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d %d %s", l.First, l.Headers, strings.Join(l.ColumnNames(rows), ","))
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMayHaveGroups(t *testing.T) {
	for text, want := range map[string]bool{
		"Region|Sales||Cost|\n|2023|2024|2023|2024": true,
		"Region|a|b\nNorth|1|2":                     false,
		"Region|a|b\nNorth||2":                      false,
		"|a|b\n1|1|2":                               false,
		"Region|a|":                                 false,
	} {
		var rows [][]string
		for line := range strings.SplitSeq(text, "\n") {
			rows = append(rows, strings.Split(line, "|"))
		}
		if got := (Layout{Width: len(rows[0]), Headers: 1}).MayHaveGroups(rows); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
