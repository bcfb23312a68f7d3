package csv

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// TestHard compares the files of testdata/hard with the text after each, which is what a
// careful person would read. See shown for its format.
func TestHard(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "hard", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, f := range archive.Files {
			if name, answer := strings.CutPrefix(f.Name, "want: "); answer {
				want[name] = string(f.Data)
			}
		}
		for _, f := range archive.Files {
			if strings.HasPrefix(f.Name, "want: ") {
				continue
			}
			t.Run(f.Name, func(t *testing.T) {
				got := shown(t, f.Data)
				if want[f.Name] != got {
					t.Errorf("want\n%s\ngot\n%s", want[f.Name], got)
				}
			})
		}
	}
}

// shown formats a text as read: the columns (or "(no header)"), the records with " | "
// between cells, and the notices after "! ".
func shown(t testing.TB, text []byte) string {
	t.Helper()
	names, rows, notices, err := readTable(t, text, source.Options{})
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var out strings.Builder
	if strings.Join(names, "") == "" {
		names = []string{"(no header)"}
	}
	line := func(cells []string) {
		out.WriteString(strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(strings.Join(cells, " | ")) + "\n")
	}
	line(names)
	for _, row := range rows {
		line(row)
	}
	for _, n := range notices {
		if n.Type == intray.HeaderRowUncertain {
			continue
		}
		line([]string{"! " + string(n.Type) + " " + n.Text.String()})
	}
	return out.String()
}
