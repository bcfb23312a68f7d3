package number

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// naughty reads the shared corpus of strings that break parsers. It is in a
// folder next to the repository.
func naughty(t *testing.T) (texts []string) {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("no go.mod above the test")
		}
	}
	list, err := os.ReadFile(filepath.Join(folder, "..", "shared", "corpora", "naughty-strings", "blns.json"))
	if err != nil {
		t.Skipf("SKIPPED: the corpus of naughty strings is not there: %v", err)
	}
	if err := json.Unmarshal(list, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestNaughtyStrings checks that, in a corpus of strings that break parsers, only the numbers
// are read as numbers.
func TestNaughtyStrings(t *testing.T) {
	want := map[string]string{
		"0": "0", "-0": "0", "-0.0": "0", "+0": "0", "+0.0": "0", "0.00": "0", "0,00": "0",
		"1": "1", "1.00": "1", "$1.00": "1", "-1": "-1", "-1.00": "-1", "-$1.00": "-1", "01000": "1000", "08": "8", "09": "9",
		"1E2": "100", "1E02": "100", "1E+02": "100", "-1E2": "-100", "-1E02": "-100", "-1E+02": "-100", "2.2250738585072011e-308": "2.2250738585072011e-308",
		"1,000.00": "1000", "1 000.00": "1000", "1'000.00": "1000", "1.000,00": "1000", "1 000,00": "1000", "1'000,00": "1000",
		"1,000,000.00": "1000000", "1 000 000.00": "1000000", "1'000'000.00": "1000000", "1.000.000,00": "1000000", "1 000 000,00": "1000000", "1'000'000,00": "1000000",
		"٠١٢٣٤٥٦٧٨٩": "123456789", "１２３": "123", "١٢٣": "123",
	}
	for _, digits := range []string{"123456789012345678901234567890123456789", strings.Repeat("9", 96)} {
		want[digits] = digits
	}
	got := map[string]string{}
	var s Sniffer
	for _, text := range naughty(t) {
		s.Observe([]byte(text))
		if number, r := (Style{}).Append(nil, []byte(text)); r.Reason == Read {
			got[text] = string(number)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d := s.Decide(Hints{}); d.Cells-d.Unread < int64(len(want)) || !strings.Contains(d.Style.String(), "decimal=") {
		t.Errorf("%+v", d)
	}
}
