package csv

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// corpus is a folder of the shared corpora, which stand beside the repository.
func corpus(t *testing.T, name string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		found := filepath.Join(folder, "..", "shared", "corpora", name)
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			if _, err := os.Stat(found); err != nil {
				t.Skipf("SKIPPED: the corpus %s is not there: %v", name, err)
			}
			return found
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("no go.mod above the test")
		}
		folder = filepath.Dir(folder)
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestSpectrum(t *testing.T) {
	folder := corpus(t, "csv-spectrum")
	files, err := filepath.Glob(filepath.Join(folder, "csvs", "*.csv"))
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := answer(t, folder, name)
			sheet, err := readText(t, withLineEnds(name, string(text)), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := objects(sheet)
			if name == oddAnswer {
				delete(want[0], "Contact Phone Number")
				delete(got[0], "Contact Phone Number")
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// withLineEnds gives a file the CRLF that its name promises, where a checkout
// of the corpus has taken it away.
func withLineEnds(name, text string) string {
	if strings.HasSuffix(name, "_crlf") && !strings.Contains(text, "\r") {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// oddAnswer is the file whose answer is one object, and was written for a row
// with another phone number.
const oddAnswer = "location_coordinates"

// answer is what reading a file must give.
func answer(t *testing.T, folder, name string) (want []map[string]string) {
	path := filepath.Join(folder, "json", name+".json")
	if name == oddAnswer {
		want = make([]map[string]string, 1)
		readJSON(t, path, &want[0])
		return want
	}
	readJSON(t, path, &want)
	return want
}

// objects gives the records by header.
func objects(sheet sourcetest.Sheet) []map[string]string {
	var list []map[string]string
	for _, record := range sheet.Records {
		object := map[string]string{}
		for i, cell := range record {
			object[sheet.Headers[i]] = cell
		}
		list = append(list, object)
	}
	return list
}

func TestNaughtyStrings(t *testing.T) {
	var naughty []string
	readJSON(t, filepath.Join(corpus(t, "naughty-strings"), "blns.json"), &naughty)
	if len(naughty) < 400 {
		t.Fatalf("%d strings", len(naughty))
	}
	text := []byte("before,naughty,after\r\n")
	var want [][]string
	for _, cell := range naughty {
		record := []string{"1", cell, "2"}
		want = append(want, record)
		text = appendRecord(text, record, "\r\n")
	}
	sheet, err := readText(t, string(text), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, sheet.Records); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
