package readers

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/suite"
)

func TestMain(m *testing.M) { os.Exit(suite.Run(m, suite.Readers)) }

// TestFindingXLSXDates checks that other programs read every date from 0001-01-01 to 9999-12-31,
// and every time to the second, as written. Workbooks contain dates before 1900-03-01 as text.
func TestFindingXLSXDates(t *testing.T) {
	list := Moments()
	folder := t.TempDir()
	for _, format := range Formats() {
		if err := os.WriteFile(filepath.Join(folder, "dates"+format.Extension()), WriteMoments(t, format, list), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for library, formats := range map[string]string{
		"duckdb":   "json ndjson csv parquet",
		"pyarrow":  "ndjson csv parquet",
		"pandas":   "json ndjson csv xlsx parquet",
		"openpyxl": "xlsx",
	} {
		if exec.Command("python3", "-c", "import "+library).Run() != nil {
			t.Run(library, func(t *testing.T) { t.Skipf("SKIPPED: python3 has no %s", library) })
			continue
		}
		for format := range strings.FieldsSeq(formats) {
			t.Run(library+" "+format, func(t *testing.T) {
				out, err := exec.Command("python3", "testdata/read.py", library, format, folder).Output()
				if err != nil {
					var exit *exec.ExitError
					errors.As(err, &exit)
					t.Fatalf("%v\n%s", err, exit.Stderr)
				}
				var got []Moment
				for line := range strings.Lines(string(out)) {
					var m Moment
					if err := json.Unmarshal([]byte(line), &m); err != nil {
						t.Fatalf("%q: %v", line, err)
					}
					got = append(got, m)
				}
				CheckMoments(t, list, got)
			})
		}
	}
}
