package readers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// corrections is what openpyxl reads of a workbook for corrections.
type corrections struct {
	// Cells holds the value, the color and the comment of highlighted cells by reference.
	Cells   map[string][3]string
	Lists   map[string]string
	Widths  map[string]float64
	Sheets  [][2]string
	Options [][]string
}

// TestFindingErrorWorkbook checks that openpyxl reads the colors, comments, drop-down lists and
// widths of a workbook for corrections.
func TestFindingErrorWorkbook(t *testing.T) {
	if exec.Command("python3", "-c", "import openpyxl").Run() != nil {
		t.Skip("SKIPPED: python3 has no openpyxl")
	}
	text := intray.FieldType{Name: intray.TypeString}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{{Key: "name", Type: text}, {Key: "plan", Type: text}, {Key: "size", Type: text}}}
	schema.Settings.InvalidDataBehavior = intray.IncludeInvalidValues
	b := &intray.Batch{Lines: make([]int64, 2), Fields: make([]intray.Cells, 3)}
	for i, cells := range [][2]string{{"Ada", "=1+1"}, {"", "basic"}, {"small", "Huge"}} {
		b.Fields[i].AppendValue([]byte(cells[0]))
		b.Fields[i].AppendValue([]byte(cells[1]))
	}
	b.Problems = []intray.Problem{
		{Row: 0, Field: 1, Level: intray.LevelError, Text: intray.Literal("Required. Enter <a> value.")},
		{Row: 1, Field: 0, Level: intray.LevelWarning, Text: intray.Literal("Odd.\nVery odd.")},
		{Row: 1, Field: 2, Level: intray.LevelError, Text: intray.Literal("Zu groß 😀")},
	}
	var file bytes.Buffer
	columns := []output.SheetColumn{{Width: 12}, {Width: 30, Options: []string{"basic", "a, b"}}, {Options: []string{"small", "large"}}}
	if _, err := output.WriteAnnotated(t.Context(), &file, schema, columns, func(yield func(*intray.Batch, error) bool) { yield(b, nil) }); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "corrections.xlsx")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("python3", "testdata/corrections.py", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got corrections
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := corrections{
		Cells: map[string][3]string{
			"B2": {"", "FFFFC7CE", "Required. Enter <a> value."},
			"A3": {"=1+1", "FFFFEB9C", "Odd.\nVery odd."},
			"C3": {"Huge", "FFFFC7CE", "Zu groß 😀"},
		},
		Lists:   map[string]string{"B2:B3": "Options!$A$2:$A$3", "C2:C3": `"small,large"`},
		Widths:  map[string]float64{"A": 12, "B": 30},
		Sheets:  [][2]string{{"Rows 1", "visible"}, {"Options", "hidden"}},
		Options: [][]string{{"basic"}, {"a, b"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
