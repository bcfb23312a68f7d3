package intray_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the imports and the diagram in docs/architecture.md")

// module is the path of this module. Its last element is the name of the root package.
const module = "github.com/intraydata/intray"

// pkg is a package as listed by the go command.
type pkg struct {
	ImportPath string
	Name       string
	// GoFiles are the names of the Go files other than tests.
	GoFiles []string
	Imports []string
}

// listPackages returns the packages of the module, keyed by short path. It runs the go command
// only once.
var listPackages = sync.OnceValues(func() (map[string]pkg, error) {
	list := exec.Command("go", "list", "-json=ImportPath,Name,GoFiles,Imports", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := map[string]pkg{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all[short(p.ImportPath)] = p
	}
	return all, nil
})

// packages returns the packages of the module, keyed by short path.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	all, err := listPackages()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 || len(all["engine"].Imports) == 0 {
		t.Fatalf("go list found %d packages: %v", len(all), all)
	}
	return all
}

// short returns the path of a package relative to the module, or intray for the root.
func short(importPath string) string {
	if importPath == module {
		return path.Base(module)
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func isOurs(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// direct returns the packages of this module that a package imports.
func (p pkg) direct() []string {
	list := []string{}
	for _, name := range p.Imports {
		if isOurs(name) {
			list = append(list, short(name))
		}
	}
	slices.Sort(list)
	return list
}

// foreign returns the packages of other modules that a package imports.
func (p pkg) foreign() []string {
	var list []string
	for _, name := range p.Imports {
		if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") && !isOurs(name) {
			list = append(list, name)
		}
	}
	return list
}

// within reports whether a package is in a list. An entry that ends in / matches every package
// with that prefix.
func within(name string, list ...string) bool {
	return slices.ContainsFunc(list, func(one string) bool {
		return name == one || strings.HasSuffix(one, "/") && strings.HasPrefix(name, one)
	})
}

// testSupport lists the packages of tests, benchmarks and tools. They are not part of the
// program.
var testSupport = []string{"engine/enginetest", "internal/distinct/distincttest", "server/blob/blobtest", "server/memstore", "server/servertest", "server/sqlstore/storetest", "source/sourcetest", "source/sourcetest/", "test/", "tools/", "bench/"}

// forTests reports whether a package supports tests or consists only of tests.
func (p pkg) forTests() bool {
	return within(short(p.ImportPath), testSupport...) || len(p.GoFiles) == 0
}

// adapters lists the packages that connect the server to other systems.
var adapters = []string{"server/sqlstore", "server/httpapi", "server/jobs", "server/webhook", "server/sftp", "server/webui"}

// levels lists the packages of this module that each package may import. An entry that ends in
// / applies to every package with that prefix that has no entry of its own.
var levels = map[string][]string{
	"intray":                  {},
	"internal/cfb":            {"intray"},
	"internal/textinput":      {"intray", "source", "source/charset"},
	"internal/xmlscan":        {"intray", "source"},
	"internal/zipfile":        {"intray", "source"},
	"internal/ooxml":          {"intray", "internal/cfb", "internal/filesys", "internal/xmlscan", "internal/zipfile", "source", "source/numfmt", "source/workbook"},
	"internal/re2":            {"intray"},
	"internal/textedit":       {},
	"internal/jsonschema":     {"intray"},
	"internal/commandline":    {"internal/jsonschema"},
	"internal/wire":           {"intray"},
	"internal/distinct":       {"intray"},
	"internal/parquetio":      {"intray"},
	"internal/ordered":        {},
	"internal/filesys":        {},
	"internal/doubleencoding": {},
	"celltype":                {"intray", "celltype/"},
	"celltype/":               {"intray", "celltype/"},
	"validate":                {"intray", "celltype", "internal/filesys", "validate/"},
	"validate/":               {"intray"},
	"mapping":                 {"intray", "mapping/lexicon"},
	"mapping/lexicon":         {},
	"output":                  {"intray", "celltype", "internal/distinct", "internal/parquetio"},
	"source":                  {"intray"},
	"source/archive":          {"intray", "internal/filesys", "internal/zipfile", "source"},
	"source/charset":          {"intray"},
	"source/csv":              {"intray", "internal/ordered", "internal/textinput", "source", "source/charset", "source/headerdetect"},
	"source/workbook":         {"intray", "source", "source/headerdetect"},
	"source/jsonrows":         {"intray", "internal/ordered", "source", "source/headerdetect"},
	"source/numfmt":           {"intray"},
	"source/headerdetect":     {"intray"},
	"source/xls":              {"intray", "internal/cfb", "source", "source/charset", "source/workbook", "source/numfmt"},
	"source/xlsb":             {"intray", "internal/ooxml", "internal/zipfile", "source", "source/workbook"},
	"source/xlsx":             {"intray", "internal/ooxml", "internal/xmlscan", "internal/zipfile", "source", "source/workbook"},
	"source/htmltable":        {"intray", "internal/textinput", "source", "source/charset", "source/workbook", "source/numfmt"},
	"source/ods":              {"intray", "internal/xmlscan", "internal/zipfile", "source", "source/workbook"},
	"source/parquet":          {"intray", "source", "internal/parquetio"},
	"source/spreadsheetml":    {"intray", "internal/textinput", "internal/xmlscan", "source", "source/charset", "source/workbook", "source/numfmt"},
	"source/formats":          {"source", "source/"},
	"schema":                  {"intray", "internal/jsonschema", "validate/", "celltype"},
	"schema/lint":             {"intray", "internal/jsonschema", "validate/"},
	"internal/rowplan":        {"intray", "mapping", "celltype", "validate", "internal/distinct", "internal/doubleencoding"},
	"engine":                  {"intray", "internal/ordered", "source", "mapping", "celltype", "celltype/date", "validate", "internal/rowplan", "internal/doubleencoding", "internal/textedit"},
	"hooks":                   {"intray", "schema", "celltype", "hooks/"},
	"hooks/":                  {"intray"},
	"examples":                {},

	"server/secrets":         {"internal/filesys"},
	"server/queue":           {},
	"server/egress":          {"intray"},
	"server/doctor":          {},
	"server/blob":            {},
	"server/blob/disk":       {"internal/filesys", "server/blob", "server/blob/unfinished"},
	"server/blob/s3":         {"server/blob", "server/blob/unfinished"},
	"server/blob/unfinished": {},
	"server/revalidate":      {"intray", "celltype", "engine", "internal/rowplan"},
	"server/staging":         {"intray", "internal/distinct", "internal/ordered", "internal/parquetio", "server/blob"},
	"server/draft":           {"intray", "celltype", "internal/filesys", "internal/ordered", "internal/re2", "internal/rowplan", "internal/textedit", "validate", "server/blob", "server/staging"},
	"server/model":           {"intray", "engine", "internal/filesys", "internal/jsonschema", "server/blob", "server/queue", "server/secrets"},
	"server/auth":            {"intray", "server/model", "server/secrets"},
	"server/schemas":         {"intray", "internal/jsonschema", "schema", "schema/lint", "server/model"},
	"server/webhooks":        {"intray", "server/model", "server/schemas", "server/secrets"},
	"server/retention":       {"intray", "server/blob", "server/model"},
	"server/integrity":       {"server/blob", "server/model", "server/staging"},
	"server/backup":          {"server/blob", "server/secrets"},
	"server/imports":         {"intray", "source", "engine", "output", "schema", "server/staging", "server/blob", "server/secrets", "server/model", "server/auth", "server/schemas"},
	"server/widget":          {"intray", "schema", "server/secrets", "server/model", "server/auth", "server/schemas", "server/imports"},
	"server/importlinks":     {"intray", "output", "schema", "server/secrets", "server/model", "server/auth", "server/schemas", "server/imports"},
	"server/connectors":      {"intray", "output", "schema", "server/secrets", "server/model", "server/schemas", "server/imports", "server/webhooks"},
	"server/review": {"intray", "server/revalidate", "source", "engine", "output", "celltype", "schema", "server/staging", "server/draft", "server/blob", "server/secrets",
		"server/model", "server/auth", "server/schemas", "server/imports"},
	"server/service": {"intray", "engine", "server/blob", "server/secrets",
		"server/model", "server/auth", "server/schemas", "server/webhooks", "server/retention", "server/imports", "server/importlinks", "server/widget", "server/connectors", "server/review", "server/integrity"},
	"server/sqlstore": {"intray", "internal/filesys", "server/model", "server/queue"},
	"server/sftp":     {"intray", "internal/re2", "server/egress", "server/secrets"},
	"server/webhook":  {"intray", "server/egress", "server/secrets", "server/webhooks"},
	"server/jobs":     {"server/service", "server/model", "server/queue"},
	"server/httpapi": {"intray", "output", "schema", "server/draft", "internal/filesys", "internal/jsonschema", "internal/textedit", "internal/wire", "server/secrets", "server/service",
		"server/model", "server/auth", "server/schemas", "server/webhooks", "server/imports", "server/importlinks", "server/widget", "server/connectors", "server/review"},
	"server/webui": {},
	"importer":     {"intray", "engine", "output", "source", "source/formats", "server/blob/disk", "server/staging"},
	"server":       {"intray", "internal/filesys", "importer", "engine", "output", "schema", "source", "source/formats", "hooks", "hooks/", "server/"},
	"cmd/intray": {"intray", "celltype/number", "examples", "importer", "engine", "output", "schema", "schema/lint", "source", "source/formats", "source/headerdetect",
		"server", "server/doctor", "server/model", "server/auth", "server/webhooks", "server/imports", "server/review", "server/integrity", "server/backup", "server/service", "internal/commandline", "internal/jsonschema", "internal/wire"},
}

// level returns the packages that a package may import.
func level(name string) ([]string, bool) {
	if may, known := levels[name]; known {
		return may, true
	}
	for group, may := range levels {
		if strings.HasSuffix(group, "/") && strings.HasPrefix(name, group) {
			return may, true
		}
	}
	return nil, false
}

func TestImportsPointDown(t *testing.T) {
	for name, p := range packages(t) {
		if p.forTests() {
			continue
		}
		may, known := level(name)
		if !known {
			t.Errorf("%s has no entry in levels: add one in this test", name)
		}
		for _, dep := range p.direct() {
			if !within(dep, may...) {
				t.Errorf("%s imports %s, but may import only %v", name, dep, may)
			}
		}
	}
}

func TestAdaptersAreSeparate(t *testing.T) {
	for name, p := range packages(t) {
		if p.forTests() {
			continue
		}
		for _, dep := range p.direct() {
			if within(dep, adapters...) && !within(name, "server", "cmd/intray") {
				t.Errorf("%s imports the adapter %s; only server and cmd/intray may", name, dep)
			}
			if within(dep, "server/blob/disk", "server/blob/s3") && name != "server" && name != "importer" {
				t.Errorf("%s imports the blob store %s; only server and importer may", name, dep)
			}
			if dep == "server" && name != "cmd/intray" {
				t.Errorf("%s imports the composition root", name)
			}
			if dep == "cmd/intray" {
				t.Errorf("%s imports the command", name)
			}
		}
	}
}

func TestRootImportsTheStandardLibraryOnly(t *testing.T) {
	root := packages(t)["intray"]
	if len(root.direct())+len(root.foreign()) > 0 {
		t.Errorf("the root package imports %v and %v", root.direct(), root.foreign())
	}
}

// TestLibraryNeedsNoServer checks that the library does not depend, directly or indirectly, on
// packages that only the server needs.
func TestLibraryNeedsNoServer(t *testing.T) {
	all, imports := packages(t), allImports(t)
	forbidden := map[string]string{
		"database/sql": "a database", "net/http": "HTTP", module + "/server/model": "the server", module + "/server/sqlstore": "the store",
	}
	library := []string{"intray", "source", "source/", "engine", "mapping", "output", "schema", "schema/", "celltype", "celltype/", "validate", "validate/", "server/staging", "internal/jsonschema", "internal/parquetio", "hooks", "hooks/"}
	for name, p := range all {
		if !within(name, library...) || p.forTests() {
			continue
		}
		for _, dep := range dependencies(imports, p.ImportPath) {
			if what, known := forbidden[dep]; known {
				t.Errorf("%s depends on %s", name, what)
			}
		}
	}
}

// allImports returns the imports of all packages of the module and their dependencies.
func allImports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list -deps: %v", err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		imports[words[0]] = words[1:]
	}
	return imports
}

// dependencies returns all packages that a package depends on. It does not follow two
// libraries that import net/http only for features that Intray does not use: the public
// suffix list, for cookie jars, and brotli, for HTTP servers.
func dependencies(imports map[string][]string, name string) (list []string) {
	seen := map[string]bool{"golang.org/x/net/publicsuffix": true, "github.com/andybalholm/brotli": true}
	for next := []string{name}; len(next) > 0; next = next[1:] {
		if !seen[next[0]] {
			seen[next[0]] = true
			list, next = append(list, next[0]), append(next, imports[next[0]]...)
		}
	}
	return list
}

func TestProgramImportsNoTestSupport(t *testing.T) {
	all := packages(t)
	for name, p := range all {
		if p.forTests() {
			continue
		}
		for _, dep := range p.Imports {
			if dep == "testing" || strings.HasPrefix(dep, "testing/") || within(short(dep), testSupport...) {
				t.Errorf("%s imports %s, which is for tests", name, dep)
			}
		}
	}
}

func TestPackageNames(t *testing.T) {
	banned := []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc", "base", "shared", "manager", "data"}
	for name, p := range packages(t) {
		for part := range strings.SplitSeq(name, "/") {
			if slices.Contains(banned, part) || slices.Contains(banned, p.Name) {
				t.Errorf("the package %s (%s) has a meaningless name", name, p.Name)
			}
		}
	}
}

// group is a box in the diagram in docs/architecture.md.
type group struct {
	id, title, does string
	packages        []string
}

// groups are the boxes in the diagram, from top to bottom. An entry that ends in / matches
// every package with that prefix that no earlier group matches.
var groups = []group{
	{"cmd", "cmd/intray", "the command line", []string{"cmd/intray"}},
	{"server", "server", "start-up and configuration", []string{"server"}},
	{"importer", "importer", "the library in one call", []string{"importer"}},
	{"adapters", "httpapi, webui, jobs, sqlstore, sftp, webhook", "adapters; none imports another", adapters},
	{"usecases", "imports, importlinks, widget, review, connectors, webhooks, retention, integrity, schemas, auth", "use cases", []string{"server/service", "server/imports", "server/importlinks", "server/widget", "server/review", "server/connectors", "server/webhooks", "server/retention", "server/integrity", "server/schemas", "server/auth"}},
	{"draft", "draft, revalidate", "rows under review", []string{"server/draft", "server/revalidate"}},
	{"model", "model", "entities and the store interface", []string{"server/model"}},
	{"stores", "staging, blob, queue, secrets, egress, backup, doctor", "staged rows, files, job queue, keys, outgoing connections, backups, checks of the system", []string{"server/staging", "server/backup", "server/doctor", "server/blob", "server/blob/", "server/queue", "server/secrets", "server/egress"}},
	{"engine", "engine", "parse, run hooks, validate, in order", []string{"engine", "internal/rowplan"}},
	{"hooks", "hooks", "sandboxed JavaScript", []string{"hooks", "hooks/"}},
	{"output", "output", "result formats", []string{"output"}},
	{"mapping", "mapping", "columns to fields", []string{"mapping", "mapping/"}},
	{"schema", "schema", "schema documents", []string{"schema", "schema/"}},
	{"validate", "validate", "validators", []string{"validate", "validate/"}},
	{"celltype", "celltype", "raw text to values", []string{"celltype", "celltype/"}},
	{"source", "source", "bytes to sheets to records", []string{"source", "source/"}},
	{"intray", "intray", "the domain model", []string{"intray"}},
}

// groupOf returns the index of the group that contains a package, or -1 if there is none.
func groupOf(name string) int {
	return slices.IndexFunc(groups, func(g group) bool { return within(name, g.packages...) })
}

// diagram returns the groups and the imports between them as a Mermaid flowchart. It omits
// an import if the diagram already shows an indirect path.
func diagram(all map[string]pkg) string {
	direct := make([]map[int]bool, len(groups))
	for i := range direct {
		direct[i] = map[int]bool{}
	}
	for name, p := range all {
		from := groupOf(name)
		if from < 0 || p.forTests() {
			continue
		}
		for _, dep := range p.direct() {
			if to := groupOf(dep); to >= 0 && to != from {
				direct[from][to] = true
			}
		}
	}
	var reaches func(from, to int) bool
	reaches = func(from, to int) bool {
		if direct[from][to] {
			return true
		}
		for next := range direct[from] {
			if reaches(next, to) {
				return true
			}
		}
		return false
	}
	text := "flowchart TD\n"
	for _, g := range groups {
		text += fmt.Sprintf("    %s[\"<b>%s</b><br/>%s\"]\n", g.id, g.title, g.does)
	}
	for from, g := range groups {
		for to := range groups {
			implied := false
			for next := range direct[from] {
				implied = implied || next != to && reaches(next, to)
			}
			if direct[from][to] && !implied {
				text += fmt.Sprintf("    %s --> %s\n", g.id, groups[to].id)
			}
		}
	}
	return text
}

// picturePage is the page that shows the imports, in two code blocks.
const (
	picturePage = "docs/architecture.md"
	pictureEnd  = "```"
)

// picture returns one line for each package, with the packages of this module that it
// imports.
func picture(all map[string]pkg) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text += strings.TrimSpace(name+": "+strings.Join(all[name].direct(), " ")) + "\n"
	}
	return text
}

// TestGroups checks that every package is in a group of the diagram, except examples, internal
// packages and packages for tests.
func TestGroups(t *testing.T) {
	for name, p := range packages(t) {
		if groupOf(name) < 0 && !p.forTests() && !strings.HasPrefix(name, "internal/") && name != "examples" {
			t.Errorf("%s is in no group of the diagram: add it to groups in this test", name)
		}
	}
}

func TestPictureOfImports(t *testing.T) {
	all := packages(t)
	comparePicture(t, "```imports\n", picture(all))
	comparePicture(t, "```mermaid\n", diagram(all))
}

// comparePicture checks that a code block in docs/architecture.md has the expected content,
// or rewrites it if -update is set.
func comparePicture(t *testing.T, pictureBegin, want string) {
	t.Helper()
	text, err := os.ReadFile(picturePage)
	if err != nil {
		t.Fatalf("%v\nThe page must hold:\n%s%s%s", err, pictureBegin, want, pictureEnd)
	}
	before, rest, found := strings.Cut(string(text), pictureBegin)
	shown, after, closed := strings.Cut(rest, pictureEnd)
	if !found || !closed {
		t.Fatalf("%s lacks this block:\n%s%s%s", picturePage, pictureBegin, want, pictureEnd)
	}
	if *update {
		if err := os.WriteFile(picturePage, []byte(before+pictureBegin+want+pictureEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the imports in %s are outdated; update them with go test . -run PictureOfImports -update (-code +page):\n%s", picturePage, diff)
	}
}
