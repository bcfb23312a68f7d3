package headerdetect

import "testing"

// TestFindSmallTable checks which rows below the last record may belong to a small table.
func TestFindSmallTable(t *testing.T) {
	for name, c := range map[string]struct {
		rows    [][]string
		records int64
		want    int
	}{
		"none":                     {nil, 0, -1},
		"remarks":                  {[][]string{{"Source: office"}, {"* preliminary", ""}}, 20, -1},
		"a total":                  {[][]string{{"Total", "5", "9"}}, 20, -1},
		"a total with a unit":      {[][]string{{"Grand Total", "180 records"}, {"", ""}, {"Confidential - Do Not Distribute"}}, 180, -1},
		"a total without a value":  {[][]string{{"Total", "five"}, {"Tax", "7"}}, 20, 0},
		"two rows with values":     {[][]string{{"Total", "12"}, {"Fee", "paid"}, {""}, {"Rest", "open"}}, 20, 1},
		"one row with values":      {[][]string{{"Printed", "2024-05-01"}}, 20, -1},
		"as many rows as records":  {[][]string{{"Total", ""}, {"Fee", "5"}}, 2, 1},
		"more records than rows":   {[][]string{{"Total", ""}, {"Fee", "5"}}, 3, -1},
		"names above one record":   {[][]string{{"Stand: 2025", ""}, {"Station", "Sector"}, {"Zug", ""}}, 20, 1},
		"names above a remark":     {[][]string{{"Station", "Sector"}, {"Source: office", ""}}, 20, -1},
		"names above a longer row": {[][]string{{"Station", "Sector"}, {"", "", "x"}}, 20, -1},
		"a remark with two cells":  {[][]string{{"Remark: none", "", "Office"}, {"Page 3"}}, 20, -1},
		"a label and its value":    {[][]string{{"Page:", "three"}, {"Confidential"}}, 20, -1},
	} {
		if got := FindSmallTable(c.rows, c.records); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
