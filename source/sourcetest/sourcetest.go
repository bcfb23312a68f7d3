// Package sourcetest is the conformance suite for source.Format.
//
// A sample is one file with its expected content. A check tests one guarantee of the
// source.Format contract on one sample. The suite is independent of any format. Tests
// for one format are in the package of that format.
package sourcetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/intraydata/intray/source"
)

// Sample is one file and its expected content.
type Sample struct {
	// Name is the name of the file.
	Name string
	// Text is the content of the file. The suite truncates files of up to 4 KiB at
	// every byte, and larger files at a few bytes.
	Text []byte
	// Options are the options for reading the file.
	Options source.Options
	// Sheets is the expected content, in the order of the sheets in the file.
	Sheets []Sheet
}

// Sheet is one table of a sample.
type Sheet struct {
	Name string
	// Headers are the headers of all columns.
	Headers []string
	Records [][]string
	// Lines holds the expected line of each record. If Lines is nil, lines are not compared.
	Lines []int64
}

// check tests one guarantee of the source.Format contract.
type check struct {
	guarantee string
	run       func(ctx context.Context, format source.Format, s Sample) error
}

func checks() []check {
	return []check{
		{"Detect returns a score and a reason", checkDetect},
		{"Next returns records in order, in batches that are not empty, and then the end", checkRecords},
		{"sheets can be opened again with the same outcome", checkReopen},
		{"readers of one book are independent", checkConcurrentReaders},
		{"a missing sheet is an error", checkMissingSheet},
		{"a canceled context stops reading", checkCancel},
		{"cells stay valid until the next call of Next", checkBatchStaysValid},
		{"Close works twice and ends reading", checkClose},
		{"a truncated file returns records or a typed error", checkTruncation},
		{"a failure of the store is reported, and not as the end", checkStoreFailure},
	}
}

// Run runs every check on every sample.
func Run(t *testing.T, format source.Format, samples []Sample) {
	t.Helper()
	if format.Name() == "" {
		t.Error("the format has no name")
	}
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			for _, c := range checks() {
				if err := c.run(t.Context(), format, s); err != nil {
					t.Errorf("%s: %v", c.guarantee, err)
				}
			}
		})
	}
}

// NewInput returns an input with the given name and content.
func NewInput(name string, text []byte) source.Input {
	return source.Input{Name: name, ReaderAt: bytes.NewReader(text), Size: int64(len(text))}
}

// Corpus returns the folder of a test corpus, which is stored outside the repository. If the
// corpus is packed, Corpus unpacks it for the test. If the corpus is missing, Corpus skips the
// test.
func Corpus(t testing.TB, name string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("no go.mod above the test")
		}
		folder = filepath.Dir(folder)
	}
	found := filepath.Join(folder, "..", "shared", "corpora", name)
	if _, err := os.Stat(found); err == nil {
		return found
	}
	if _, err := os.Stat(found + ".tar.xz"); err != nil {
		t.Skipf("SKIPPED: the corpus %s is missing: %v", name, err)
	}
	into := t.TempDir()
	if out, err := exec.Command("tar", "-xJf", found+".tar.xz", "-C", into).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the corpus %s cannot be unpacked: %v\n%s", name, err, out)
	}
	return filepath.Join(into, name)
}
