package sourcetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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
