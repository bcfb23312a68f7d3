package quickstart

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/celltype/phone"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/model"
)

// The tables of docs/api.md list the codes that clients compare. The listed codes must equal
// those in the source, because renaming or removing a code breaks clients.

// listedCodes returns the matches of shape in one column of the tables in a section of
// docs/api.md, sorted. Columns are counted from 1.
func listedCodes(t *testing.T, section string, column int, shape string) []string {
	t.Helper()
	_, text, found := strings.Cut(read(t, root(t), "docs", "api.md"), "\n## "+section+"\n")
	if !found {
		t.Fatalf("docs/api.md has no section %q", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var list []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		cells := strings.Split(line, " | ")
		// The first line of a table is its header.
		if i == 0 || !strings.HasPrefix(line, "| ") || !strings.HasPrefix(lines[i-1], "|") || len(cells) < column {
			continue
		}
		for _, match := range regexp.MustCompile(shape).FindAllStringSubmatch(cells[column-1], -1) {
			list = append(list, match[1])
		}
	}
	return sorted(list)
}

// sorted returns a sorted copy of the list without duplicates.
func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// codesIn returns the matches of pattern in the Go files of the folders, sorted. It ignores
// test files.
func codesIn(t *testing.T, pattern string, folders ...string) []string {
	t.Helper()
	var list []string
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(root(t), folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, file), -1) {
				list = append(list, match[1])
			}
		}
	}
	return sorted(list)
}

// compareCodes checks that a table lists exactly the existing codes.
func compareCodes(t *testing.T, section string, right, listed []string) {
	t.Helper()
	if diff := cmp.Diff(sorted(right), listed); diff != "" {
		t.Errorf("docs/api.md, %s, differs from the codes (-code +page):\n%s", section, diff)
	}
}

func TestErrorCodes(t *testing.T) {
	t.Parallel()
	right := codesIn(t, `(?:[nN]ewError\([^,"]+, |Code: +)"([a-z_]+)"`, "server/httpapi", "server/sqlstore",
		"server/model", "server/auth", "server/schemas", "server/imports", "server/importlinks", "server/widget", "server/review", "server/connectors", "server/webhooks", "server/retention")
	for _, quota := range model.AllQuotas() {
		right = append(right, quota.Code())
	}
	// The API returns one code for all invalid keys. The server uses these codes only internally.
	within := []string{"unknown_key", "key_expired", "exists", "key_inserted", "master_key_replaced"}
	// Only commands for operators return these.
	within = append(within, "operation_refused", "organization_deleting", "organization_in_use")
	right = slices.DeleteFunc(right, func(code string) bool { return slices.Contains(within, code) })
	compareCodes(t, "Errors", right, listedCodes(t, "Errors", 3, "`([a-z_]+)`"))
}

func TestProblemCodes(t *testing.T) {
	t.Parallel()
	right := codesIn(t, `Code: +"([a-z_]+)"`, "celltype", "validate", "engine", "internal/rowplan")
	right = append(right, intray.HookCode, celltype.CodeMapped, celltype.CodeReadOtherwise, phone.Extension.String(), phone.CodeKept.String())
	for _, rule := range schema.RuleShapes() {
		right = append(right, rule.Name)
	}
	for _, kind := range schema.TypeShapes() {
		if kind.Name != intray.TypeString { // accepts every value
			right = append(right, strings.ReplaceAll(string(kind.Name), "-", "_"))
		}
	}
	compareCodes(t, "Problems", right, listedCodes(t, "Problems", 1, "`([a-z_]+)`"))
}

func TestNoticeTypes(t *testing.T) {
	t.Parallel()
	right := codesIn(t, `NoticeType = "([A-Z_]+)"`, ".")
	compareCodes(t, "import_errors", right, listedCodes(t, "import_errors", 1, `\b([A-Z_]+)\b`))
}

func TestQuestionKinds(t *testing.T) {
	t.Parallel()
	right := codesIn(t, `\bAnswer[A-Za-z]+ += "([a-z_]+:?)"`, ".")
	compareCodes(t, "Questions", right, listedCodes(t, "Questions", 1, "`([a-z_]+:?)[^`]*`"))
}
