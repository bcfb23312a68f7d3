// Package sourcetest is the suite that every source.Format passes.
//
// A sample is one file with what reading it must give. A check is one promise
// of the contract, tried on one sample. The suite knows no format; what is
// particular to one is tested beside it.
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

// Sample is one file and what reading it must give.
type Sample struct {
	// Name is the file's name.
	Name string
	// Text is the file. Up to 4 KiB of it are cut at every byte.
	Text []byte
	// Options are those to read it with.
	Options source.Options
	// Sheets are what it must give, in the file's order.
	Sheets []Sheet
}

// Sheet is one table of a sample.
type Sheet struct {
	Name string
	// Headers are those of all columns.
	Headers []string
	Records [][]string
	// Lines are those of the records. They are not compared where nil.
	Lines []int64
}

// check is one promise of the contract.
type check struct {
	promise string
	run     func(ctx context.Context, format source.Format, s Sample) error
}

func checks() []check {
	return []check{
		{"Detect gives a score and a reason", checkDetect},
		{"records come in order, in batches that are not empty, and then the end", checkRecords},
		{"sheets can be opened again with the same outcome", checkReopen},
		{"readers of one book do not disturb each other", checkConcurrentReaders},
		{"a sheet that is not there is an error", checkMissingSheet},
		{"a context that is done stops the reading", checkCancel},
		{"cells stay until the next Next", checkBatchStaysValid},
		{"Close works twice and ends the reading", checkClose},
		{"a file cut anywhere gives records or a typed error", checkTruncation},
		{"a store that fails is told, not taken for the end", checkStoreFailure},
	}
}

// Run tries every promise of the contract on every sample.
func Run(t *testing.T, format source.Format, samples []Sample) {
	t.Helper()
	if format.Name() == "" {
		t.Error("the format has no name")
	}
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			for _, c := range checks() {
				if err := c.run(t.Context(), format, s); err != nil {
					t.Errorf("%s: %v", c.promise, err)
				}
			}
		})
	}
}

// NewInput makes an input of text.
func NewInput(name string, text []byte) source.Input {
	return source.Input{Name: name, ReaderAt: bytes.NewReader(text), Size: int64(len(text))}
}

// Corpus gives a folder of the corpora that stand beside the repository. One
// that is packed is unpacked for the test. The test is skipped aloud where it is
// not there.
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
		t.Skipf("SKIPPED: the corpus %s is not there: %v", name, err)
	}
	into := t.TempDir()
	if out, err := exec.Command("tar", "-xJf", found+".tar.xz", "-C", into).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the corpus %s cannot be unpacked: %v\n%s", name, err, out)
	}
	return filepath.Join(into, name)
}
