package webui_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources are what the pages are built from, below ui; ui/scripts/stamp.mjs has
// the same list.
var sources = []string{"../messages", "grid", "index.html", "package-lock.json", "package.json", "places.mjs", "review.html", "src", "tsconfig.json", "vite.config.ts"}

// TestPagesAreFresh compares the sources of the pages with those that the pages
// in dist were built from. It needs no Node.
func TestPagesAreFresh(t *testing.T) {
	got, err := os.ReadFile("dist/sources.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if want := stamp(t, "../../ui"); strings.TrimSpace(string(got)) != want {
		t.Errorf("the pages in server/webui/dist are not those of the sources in ui; run\n\n\t(cd ui && npm ci && npm run build)\n\nand commit both: the sources are %s, the pages were built from %s", want, got)
	}
}

// TestSourcesSetNoMarkup looks for what makes markup of text. The library that
// draws the pages can do it where it is asked to, so the sources must not ask.
func TestSourcesSetNoMarkup(t *testing.T) {
	markup := regexp.MustCompile(`dangerouslySetInnerHTML|\.innerHTML|outerHTML|insertAdjacentHTML|document\.write`)
	for _, root := range []string{"src", "grid"} {
		err := filepath.WalkDir(filepath.Join("../../ui", root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if found := markup.Find(text); found != nil {
				t.Errorf("%s uses %s", path, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// stamp is the hash of a line with hash and name of each source.
func stamp(t *testing.T, folder string) string {
	t.Helper()
	type source struct{ name, hash string }
	var found []source
	for _, root := range sources {
		err := filepath.WalkDir(filepath.Join(folder, root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			name, _ := filepath.Rel(folder, path)
			found = append(found, source{filepath.ToSlash(name), hash(text)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(found, func(a, b source) int { return cmp.Compare(a.name, b.name) })
	var all strings.Builder
	for _, one := range found {
		fmt.Fprintf(&all, "%s %s\n", one.hash, one.name)
	}
	return hash([]byte(all.String()))
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
