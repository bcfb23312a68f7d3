package intray_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the picture of imports in docs/architecture.md")

// module is the path of this module, and the name of its root package in the
// picture is its last part.
const module = "github.com/intraydata/intray"

// pkg is a package as the go command tells of it.
type pkg struct {
	ImportPath string
	Name       string
	// GoFiles are those that are no tests.
	GoFiles []string
	Imports []string
}

// packages lists those of the module, by their path below it.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Name,GoFiles,Imports", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]pkg{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all[short(p.ImportPath)] = p
	}
	if len(all) < 20 || len(all["engine"].Imports) == 0 {
		t.Fatalf("go list found %d packages: %v", len(all), all)
	}
	return all
}

// short gives the path below the module; the root is intray.
func short(importPath string) string {
	if importPath == module {
		return path.Base(module)
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func isOurs(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// direct are the packages of this module that a package imports.
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

// foreign are the packages of other modules that a package imports.
func (p pkg) foreign() []string {
	var list []string
	for _, name := range p.Imports {
		if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") && !isOurs(name) {
			list = append(list, name)
		}
	}
	return list
}

// within says whether a package is one of those named. A name that ends in /
// means all packages below it.
func within(name string, list ...string) bool {
	return slices.ContainsFunc(list, func(one string) bool {
		return name == one || strings.HasSuffix(one, "/") && strings.HasPrefix(name, one)
	})
}

// machinery is what tests are made with; it is no part of the program.
var machinery = []string{"engine/enginetest", "server/blob/blobtest", "server/sqlstore/storetest", "source/sourcetest", "source/sourcetest/", "test/", "tools/", "bench/"}

// forTests reports whether a package is made for tests, or of tests only.
func (p pkg) forTests() bool {
	return within(short(p.ImportPath), machinery...) || len(p.GoFiles) == 0
}

// adapters speak with the outside, each in its own way.
var adapters = []string{"server/sqlstore", "server/httpapi", "server/jobs", "server/webhook", "server/sftp", "server/webui"}

// levels list what each package may import of this module. Every package has an
// entry here, of its own or by the folder that holds it.
var levels = map[string][]string{
	"intray":               {},
	"internal/cfb":         {"intray"},
	"internal/textinput":   {"intray", "source", "source/charset"},
	"internal/xmlscan":     {"intray", "source"},
	"internal/zipfile":     {"intray", "source"},
	"internal/re2":         {"intray"},
	"internal/jsonschema":  {"intray"},
	"internal/wire":        {"intray"},
	"internal/parquetio":   {"intray"},
	"internal/ordered":     {},
	"celltype":             {"intray", "celltype/"},
	"celltype/":            {"intray", "celltype/"},
	"validate":             {"intray", "celltype", "validate/"},
	"validate/":            {"intray"},
	"mapping":              {"intray", "mapping/lexicon"},
	"mapping/lexicon":      {},
	"output":               {"intray", "celltype", "internal/parquetio"},
	"source":               {"intray"},
	"source/archive":       {"intray", "internal/zipfile", "source"},
	"source/charset":       {"intray"},
	"source/csv":           {"intray", "internal/ordered", "internal/textinput", "source", "source/charset", "source/headerdetect"},
	"source/workbook":      {"intray", "source", "source/headerdetect"},
	"source/jsonrows":      {"intray", "internal/ordered", "source", "source/headerdetect"},
	"source/numfmt":        {"intray"},
	"source/headerdetect":  {"intray"},
	"source/xls":           {"intray", "internal/cfb", "source", "source/workbook", "source/numfmt"},
	"source/xlsx":          {"intray", "internal/cfb", "internal/xmlscan", "internal/zipfile", "source", "source/workbook", "source/numfmt"},
	"source/htmltable":     {"intray", "internal/textinput", "source", "source/charset", "source/workbook", "source/numfmt"},
	"source/ods":           {"intray", "internal/xmlscan", "internal/zipfile", "source", "source/workbook"},
	"source/parquet":       {"intray", "source", "internal/parquetio"},
	"source/spreadsheetml": {"intray", "internal/textinput", "internal/xmlscan", "source", "source/charset", "source/workbook", "source/numfmt"},
	"source/formats":       {"source", "source/"},
	"schema":               {"intray", "internal/jsonschema", "validate/", "celltype"},
	"schema/lint":          {"intray", "internal/jsonschema", "validate/"},
	"internal/rowplan":     {"intray", "mapping", "celltype", "validate"},
	"engine":               {"intray", "internal/ordered", "source", "mapping", "celltype", "validate", "internal/rowplan"},
	"hooks":                {"intray", "schema", "celltype", "hooks/"},
	"hooks/":               {"intray"},
	"examples":             {},

	"server/secrets":    {},
	"server/queue":      {},
	"server/egress":     {"intray"},
	"server/blob":       {},
	"server/blob/disk":  {"server/blob"},
	"server/blob/mem":   {"server/blob"},
	"server/revalidate": {"intray", "celltype", "engine", "internal/rowplan"},
	"server/staging":    {"intray", "internal/parquetio", "server/blob"},
	"server/draft":      {"intray", "internal/ordered", "internal/re2", "internal/rowplan", "validate", "server/blob", "server/staging"},
	"server/model":      {"intray", "engine", "internal/jsonschema", "server/blob", "server/queue", "server/secrets"},
	"server/auth":       {"intray", "server/model", "server/secrets"},
	"server/schemas":    {"intray", "internal/jsonschema", "schema", "schema/lint", "server/model"},
	"server/webhooks":   {"intray", "server/model", "server/schemas", "server/secrets"},
	"server/retention":  {"intray", "server/blob", "server/model"},
	"server/imports":    {"intray", "source", "engine", "output", "schema", "server/staging", "server/blob", "server/secrets", "server/model", "server/auth", "server/schemas"},
	"server/connectors": {"intray", "output", "schema", "server/secrets", "server/model", "server/schemas", "server/imports", "server/webhooks"},
	"server/review": {"intray", "server/revalidate", "source", "engine", "output", "celltype", "schema", "server/staging", "server/draft", "server/blob", "server/secrets",
		"server/model", "server/auth", "server/schemas", "server/imports"},
	"server/service": {"intray", "engine", "server/blob", "server/secrets",
		"server/model", "server/auth", "server/schemas", "server/webhooks", "server/retention", "server/imports", "server/connectors", "server/review"},
	"server/sqlstore": {"intray", "server/model", "server/queue"},
	"server/sftp":     {"intray", "internal/re2", "server/egress", "server/secrets"},
	"server/webhook":  {"intray", "server/egress", "server/secrets", "server/webhooks"},
	"server/jobs":     {"server/service", "server/model", "server/queue"},
	"server/httpapi": {"intray", "output", "schema", "server/draft", "internal/jsonschema", "internal/wire", "server/secrets", "server/service",
		"server/model", "server/auth", "server/schemas", "server/webhooks", "server/imports", "server/connectors", "server/review"},
	"server/webui": {},
	"importer":     {"intray", "engine", "output", "source", "source/formats", "server/blob/disk", "server/staging"},
	"server":       {"intray", "importer", "engine", "output", "schema", "source", "source/formats", "hooks", "hooks/", "server/"},
	"cmd/intray": {"intray", "examples", "engine", "output", "schema", "schema/lint", "source", "source/formats", "source/headerdetect",
		"server", "server/model", "server/auth", "server/webhooks", "server/review", "server/service", "internal/jsonschema", "internal/wire"},
}

// level gives what a package may import.
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
			t.Errorf("%s has no place among the levels: give it one in this test and in docs/architecture.md", name)
		}
		for _, dep := range p.direct() {
			if !within(dep, may...) {
				t.Errorf("%s imports %s, and may import only %v", name, dep, may)
			}
		}
	}
}

func TestAdaptersStandApart(t *testing.T) {
	for name, p := range packages(t) {
		if p.forTests() {
			continue
		}
		for _, dep := range p.direct() {
			if within(dep, adapters...) && !within(name, "server", "cmd/intray") {
				t.Errorf("%s names the adapter %s; only server and the command do", name, dep)
			}
			if within(dep, "server/blob/disk", "server/blob/mem", "server/blob/s3") && name != "server" && name != "importer" {
				t.Errorf("%s names the blobs of %s; only server and importer do", name, dep)
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

// TestHalvesStandApart keeps the engine half away from what only a service
// needs, directly and through others.
func TestHalvesStandApart(t *testing.T) {
	all := packages(t)
	far := map[string]string{
		"database/sql": "a database", "net/http": "HTTP", module + "/server/model": "the server", module + "/server/sqlstore": "the store",
	}
	half := []string{"intray", "source", "source/", "engine", "mapping", "output", "schema", "schema/", "celltype", "celltype/", "validate", "validate/", "server/staging", "internal/jsonschema", "internal/parquetio", "hooks", "hooks/"}
	for name, p := range all {
		if !within(name, half...) || p.forTests() {
			continue
		}
		for _, dep := range reached(t, p.ImportPath) {
			if what, known := far[dep]; known {
				t.Errorf("%s comes to know %s", name, what)
			}
		}
	}
}

// reached are all packages that one needs. Two libraries name HTTP and are used
// without: the list of public suffixes implements the interface of a cookie jar,
// brotli has a function for servers. What is behind them does not count.
func reached(t *testing.T, name string) (list []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", name).Output()
	if err != nil {
		t.Fatalf("go list -deps: %v", err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		imports[words[0]] = words[1:]
	}
	seen := map[string]bool{"golang.org/x/net/publicsuffix": true, "github.com/andybalholm/brotli": true}
	for next := []string{name}; len(next) > 0; next = next[1:] {
		if !seen[next[0]] {
			seen[next[0]] = true
			list, next = append(list, next[0]), append(next, imports[next[0]]...)
		}
	}
	return list
}

func TestTestsStayOutOfTheProgram(t *testing.T) {
	all := packages(t)
	for name, p := range all {
		if p.forTests() {
			continue
		}
		for _, dep := range p.Imports {
			if dep == "testing" || strings.HasPrefix(dep, "testing/") || within(short(dep), machinery...) {
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
				t.Errorf("the package %s (%s) has a name that says nothing", name, p.Name)
			}
		}
	}
}

// group is a box of the diagram in docs/architecture.md.
type group struct {
	id, title, does string
	packages        []string
}

// groups are the boxes of the diagram, from top to bottom, and what they do. A name that
// ends in / is all packages below it that no other group names.
var groups = []group{
	{"cmd", "cmd/intray", "the command line", []string{"cmd/intray"}},
	{"server", "server", "start-up and configuration", []string{"server"}},
	{"importer", "importer", "the library in one call", []string{"importer"}},
	{"adapters", "httpapi, webui, jobs, sqlstore, sftp, webhook", "adapters; none imports another", adapters},
	{"usecases", "imports, review, connectors, webhooks, retention, schemas, auth", "use cases", []string{"server/service", "server/imports", "server/review", "server/connectors", "server/webhooks", "server/retention", "server/schemas", "server/auth"}},
	{"draft", "draft, revalidate", "rows under review", []string{"server/draft", "server/revalidate"}},
	{"model", "model", "entities and the store interface", []string{"server/model"}},
	{"stores", "staging, blob, queue, secrets, egress", "staged rows, files, job queue, keys, outgoing connections", []string{"server/staging", "server/blob", "server/blob/", "server/queue", "server/secrets", "server/egress"}},
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

// groupOf returns the index of the group of a package, or -1 for shared ground in
// internal and for test machinery.
func groupOf(name string) int {
	return slices.IndexFunc(groups, func(g group) bool { return within(name, g.packages...) })
}

// diagram returns the groups and the imports between them as a Mermaid flowchart. An
// import that follows from others is left out.
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

// picturePage shows the imports in blocks of its own.
const (
	picturePage = "docs/architecture.md"
	pictureEnd  = "```"
)

// picture gives one line for each package: what it imports of this module.
func picture(all map[string]pkg) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text += strings.TrimSpace(name+": "+strings.Join(all[name].direct(), " ")) + "\n"
	}
	return text
}

// TestGroups gives every package a place in the diagram.
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

// comparePicture compares a block of the page with what it must show, or rewrites it.
func comparePicture(t *testing.T, pictureBegin, right string) {
	t.Helper()
	text, err := os.ReadFile(picturePage)
	if err != nil {
		t.Fatalf("%v\nThe page must hold:\n%s%s%s", err, pictureBegin, right, pictureEnd)
	}
	before, rest, found := strings.Cut(string(text), pictureBegin)
	shown, after, closed := strings.Cut(rest, pictureEnd)
	if !found || !closed {
		t.Fatalf("%s has no block for this:\n%s%s%s", picturePage, pictureBegin, right, pictureEnd)
	}
	if *update {
		if err := os.WriteFile(picturePage, []byte(before+pictureBegin+right+pictureEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(right, shown); diff != "" {
		t.Errorf("%s shows other imports than the code has; go test . -run PictureOfImports -update rewrites it (-code +page):\n%s", picturePage, diff)
	}
}
