package webui_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources are the files and folders in ui from which the pages are built.
// ui/scripts/stamp.mjs contains the same list.
var sources = []string{"../messages", "grid", "import.html", "index.html", "package-lock.json", "package.json", "places.mjs", "review.html", "src", "tsconfig.json", "vite.config.ts", "widget.html"}

// The pages in dist must be built from the current sources. The test does not need Node.
func TestPagesAreFresh(t *testing.T) {
	got, err := os.ReadFile("dist/sources.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if want := stamp(t, "../../ui"); strings.TrimSpace(string(got)) != want {
		t.Errorf("the pages in server/webui/dist are outdated; run\n\n\t(cd ui && npm ci && npm run build)\n\nand commit both: the sources are %s, the pages were built from %s", want, got)
	}
}

// The compressed pages must have the same content as those in dist.
func TestCompressedPagesAreFresh(t *testing.T) {
	want, got := map[string][]byte{}, map[string][]byte{}
	for _, pattern := range []string{"*.html", "assets/*"} {
		for name, text := range readAll(t, "dist", pattern) {
			want[name] = text
		}
		for name, text := range readAll(t, "gzip", pattern+".gz") {
			got[strings.TrimSuffix(name, ".gz")] = decompress(t, text)
		}
	}
	if len(want) < 10 {
		t.Fatalf("there are only %d pages and assets", len(want))
	}
	for name := range got {
		if _, known := want[name]; !known && *update {
			if err := os.Remove(filepath.Join("gzip", name+".gz")); err != nil {
				t.Fatal(err)
			}
		} else if !known {
			t.Errorf("%s is not in dist", name)
		}
	}
	for name, text := range want {
		if compressed, known := got[name]; known && bytes.Equal(compressed, text) {
			continue
		}
		if !*update {
			t.Errorf("%s differs; run\n\n\tgo test ./server/webui -run TestCompressedPagesAreFresh -update", name)
		} else if err := os.WriteFile(filepath.Join("gzip", name+".gz"), compress(t, text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readAll returns the files in a folder that match a pattern, by name.
func readAll(t *testing.T, folder, pattern string) map[string][]byte {
	t.Helper()
	names, err := fs.Glob(os.DirFS(folder), pattern)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func compress(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func decompress(t *testing.T, compressed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The sources must not insert text into pages as markup.
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

// stamp returns the hash of a list that contains the hash and the name of each source file.
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
	for _, s := range found {
		fmt.Fprintf(&all, "%s %s\n", s.hash, s.name)
	}
	return hash([]byte(all.String()))
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
