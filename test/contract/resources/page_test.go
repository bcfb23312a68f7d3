package resources_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

var (
	testNamed    = regexp.MustCompile("`([a-z]+)\\.(Test[A-Za-z0-9_]+)`")
	testDeclared = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(t \*testing\.T\)`)
)

// TestContractPage checks docs/contract.md: every test that it names must exist, every row
// must name a test or the reason why there is none, and every test of this package and of
// package imports must be named.
func TestContractPage(t *testing.T) {
	t.Parallel()
	root := livetest.RepoRoot(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared, contract := declaredTests(t, root)
	named := map[string]bool{}
	for _, match := range testNamed.FindAllStringSubmatch(string(page), -1) {
		name := match[1] + "." + match[2]
		named[name] = true
		if !declared[name] {
			t.Errorf("docs/contract.md names %s, which no _test.go file declares", name)
		}
	}
	if len(named) < 60 {
		t.Errorf("docs/contract.md names only %d tests", len(named))
	}
	for name := range contract {
		if !named[name] {
			t.Errorf("docs/contract.md does not name %s", name)
		}
	}
	checkRows(t, string(page))
}

// declaredTests returns the tests of the repository, each as folder.Name, and those in
// test/contract.
func declaredTests(t *testing.T, root string) (declared, contract map[string]bool) {
	t.Helper()
	declared, contract = map[string]bool{}, map[string]bool{}
	folder := filepath.Join(root, "test", "contract") + string(filepath.Separator)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range testDeclared.FindAllStringSubmatch(string(text), -1) {
			name := filepath.Base(filepath.Dir(path)) + "." + match[1]
			declared[name] = true
			if strings.HasPrefix(path, folder) {
				contract[name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return declared, contract
}

// checkRows checks that the last cell of each row names a test or starts with "not tested:
// " and a reason.
func checkRows(t *testing.T, page string) {
	t.Helper()
	rows := 0
	for line := range strings.SplitSeq(page, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") || cells[len(cells)-1] == "tests" {
			continue
		}
		rows++
		last := cells[len(cells)-1]
		if len(cells) != 2 || !testNamed.MatchString(last) && !strings.HasPrefix(last, "not tested: ") {
			t.Errorf("a row of docs/contract.md has no test and no reason: %s", line)
		}
	}
	if rows < 60 {
		t.Errorf("docs/contract.md has only %d rows", rows)
	}
}
