package jsonrows

import (
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestHeaderOfArrays checks the header of an array of arrays if rows are requested, and that an
// uncertain header is a tie.
func TestHeaderOfArrays(t *testing.T) {
	text := `[["",2025,"",2026,""],["id","men","women","men","women"],[1,2,3,4,5],[6,7,8,9,10]]`
	for _, c := range []struct {
		row, rows int
		want      string
	}{
		{source.NoHeader, 0, "||||"},
		{1, 0, "|2025||2026|"},
		{2, 1, "id|men|women|men|women"},
		{1, 2, "id|2025 men|2025 women|2026 men|2026 women"},
		{0, 0, "id|2025 men|2025 women|2026 men|2026 women"},
	} {
		reader, evidence := sourcetest.Open(t, Format{}, text, source.Options{HeaderRow: c.row, HeaderRows: c.rows})
		var names []string
		for _, column := range reader.Columns() {
			names = append(names, column.Header)
		}
		if got := strings.Join(names, "|"); got != c.want {
			t.Errorf("header row %d, %d rows: %q, want %q; evidence %v", c.row, c.rows, got, c.want, evidence)
		}
	}
	if _, err := sourcetest.Read(t, Format{}, text, source.Options{HeaderRow: 9}); err == nil || !strings.Contains(err.Error(), "row 9") {
		t.Errorf("header row 9 of 4: error %v", err)
	}
	reader, _ := sourcetest.Open(t, Format{}, `[["alpha","beta"],["gamma","delta"],["epsilon","zeta"]]`, source.Options{})
	if e := reader.Evidence()[0]; !e.Tie || len(e.Alternatives) != 1 {
		t.Errorf("words above words: %+v", e)
	}
}
