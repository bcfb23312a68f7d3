package quickstart

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var link = regexp.MustCompile(`\]\(([^)]+)\)`)

// TestLinks checks that the target of every link to a file of the repository exists, as does the
// heading if the link names one.
func TestLinks(t *testing.T) {
	t.Parallel()
	top := root(t)
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md", "examples/README.md", "ui/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range found {
			pages = append(pages, strings.TrimPrefix(page, top+"/"))
		}
	}
	for _, page := range pages {
		for _, match := range link.FindAllStringSubmatch(read(t, top, page), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") || target == "" {
				continue
			}
			target = filepath.Join(top, filepath.Dir(page), target)
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
				t.Errorf("%s: %s has no section %q", page, match[1], anchor)
			}
		}
	}
}

var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// anchors returns the anchors of a page's headings: in lower case, with hyphens for spaces,
// and without punctuation.
func anchors(page string) (list []string) {
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		list = append(list, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, match[1]))
	}
	return list
}

var setting = regexp.MustCompile(`--[a-z][a-z0-9-]+|\$INTRAY_[A-Z0-9_]+|INTRAY_[A-Z]+_KEY`)

// TestSettings checks that docs/configuration.md describes every setting that intray serve
// --help lists. The flags of all commands are not settings.
func TestSettings(t *testing.T) {
	t.Parallel()
	help, err := exec.Command(filepath.Join(install(t, read(t, root(t), "docs", "quickstart.md")), "intray"), "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, root(t), "docs", "configuration.md")
	found := setting.FindAllString(string(help), -1)
	if len(found) < 20 {
		t.Fatalf("the help lists only %q", found)
	}
	for _, name := range found {
		name = strings.TrimPrefix(name, "$")
		if name != "--help" && name != "--version" && !regexp.MustCompile("`"+name+"\\b").MatchString(page) {
			t.Errorf("docs/configuration.md does not describe %s", name)
		}
	}
}

var (
	required = regexp.MustCompile(`(?m)^(?:require )?\s*([a-z0-9.]+\.[a-z]+/\S+) (v\S+)`)
	listed   = regexp.MustCompile(`(?m)^\| ([a-z0-9.]+\.[a-z]+/\S+) \| (v\S+) \| [^|]+ \| [^|]+ \|$`)
)

// TestDependencies checks that the table of dependencies matches go.mod and the imports of
// the code.
func TestDependencies(t *testing.T) {
	t.Parallel()
	versions := map[string]string{}
	for _, match := range required.FindAllStringSubmatch(read(t, root(t), "go.mod"), -1) {
		versions[match[1]] = match[2]
	}
	listedModules := map[string]bool{}
	for _, match := range listed.FindAllStringSubmatch(read(t, root(t), "docs", "decisions", "006-dependencies.md"), -1) {
		listedModules[match[1]] = false
		if versions[match[1]] != match[2] {
			t.Errorf("the table has %s %s, go.mod has %q", match[1], match[2], versions[match[1]])
		}
	}
	for path := range imported(t) {
		module := path
		for module != "." && versions[module] == "" {
			module = filepath.Dir(module)
		}
		if _, there := listedModules[module]; !there {
			t.Errorf("the table does not list the module of %s", path)
		}
		listedModules[module] = true
	}
	for module, used := range listedModules {
		if !used {
			t.Errorf("the table lists %s, which nothing imports", module)
		}
	}
}

// imported returns the paths of the packages that the code imports from other modules.
func imported(t *testing.T) map[string]bool {
	t.Helper()
	paths := map[string]bool{}
	err := filepath.WalkDir(root(t), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != root(t) {
			if _, own := os.Stat(filepath.Join(name, "go.mod")); own == nil || entry.Name() == "node_modules" || entry.Name() == ".git" {
				return filepath.SkipDir // it is a separate module, or not part of this one
			}
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			first, _, _ := strings.Cut(path, "/")
			if strings.Contains(first, ".") && !strings.HasPrefix(path, "github.com/intraydata/intray") {
				paths[path] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
