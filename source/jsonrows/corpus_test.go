package jsonrows

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func corpusFiles(t *testing.T, pattern string, least int) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) < least {
		t.Fatalf("%s: %d files, error %v", pattern, len(paths), err)
	}
	files := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	return files
}

// isTyped reports whether err is one of the errors in the contract of package source.
func isTyped(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &unreadable) || errors.As(err, &limit)
}

// TestParsingSuite reads each file of the suite as it is and as the value in a table with one
// cell. Most files are not tables, but all valid ones must be readable as a cell, unless they
// contain duplicate names or NUL characters.
func TestParsingSuite(t *testing.T) {
	folder := sourcetest.Corpus(t, "json")
	for name, text := range corpusFiles(t, filepath.Join(folder, "test_parsing", "*.json"), 300) {
		t.Run(name, func(t *testing.T) {
			_, err := readText(t, text, source.Options{})
			_, cellErr := readText(t, `[{"cell":`+text+`}]`, source.Options{})
			for _, err := range []error{err, cellErr} {
				if err != nil && !isTyped(err) {
					t.Errorf("untyped error: %v", err)
				}
			}
			switch {
			case name[0] == 'n' && err == nil:
				t.Error("read, but it is not JSON")
			case name[0] == 'n' && cellErr == nil && !isComplete(text):
				t.Error("read as a cell, but it is not JSON")
			case name[0] == 'y' && cellErr != nil && !isRefusedByRule(name):
				t.Errorf("refused as a cell: %v", cellErr)
			}
		})
	}
}

// isComplete reports whether text is a valid JSON value.
func isComplete(text string) bool { return json.Valid([]byte(`[{"cell":` + text + `}]`)) }

// isRefusedByRule reports whether a valid file of the suite is rejected because of duplicate
// names or NUL characters.
func isRefusedByRule(name string) bool {
	return strings.HasPrefix(name, "y_object_duplicated_key") ||
		name == "y_object_escaped_null_in_key.json" ||
		strings.HasPrefix(name, "y_string_null_escape") ||
		strings.HasPrefix(name, "y_string_allowed_escapes")
}

func TestTransformSuite(t *testing.T) {
	folder := sourcetest.Corpus(t, "json")
	for name, text := range corpusFiles(t, filepath.Join(folder, "test_transform", "*.json"), 15) {
		if _, err := readText(t, text, source.Options{}); err != nil && !isTyped(err) {
			t.Errorf("%s: untyped error: %v", name, err)
		}
	}
}

func TestNaughtyStrings(t *testing.T) {
	folder := sourcetest.Corpus(t, "naughty-strings")
	text := corpusFiles(t, filepath.Join(folder, "blns.json"), 1)["blns.json"]
	var naughty []string
	if err := json.Unmarshal([]byte(text), &naughty); err != nil || len(naughty) < 400 {
		t.Fatalf("%d strings, error %v", len(naughty), err)
	}
	var lines strings.Builder
	var want [][]string
	for _, cell := range naughty {
		line, err := json.Marshal(map[string]string{"cell": cell})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		want = append(want, []string{cell})
	}
	sheet, err := readText(t, lines.String(), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, sheet.Records); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
