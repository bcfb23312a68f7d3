// Package quickstart tests the documentation. It runs the commands on the pages and checks
// that their output matches what the pages show.
//
// A page is a Markdown file. A block is a fenced code block, with its language after the
// opening fence. The package contains only tests.
package quickstart

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root returns the root folder of the repository.
func root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(out)))
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is a fenced code block of a page.
type block struct {
	language string
	text     string
	// line is the number of the first line, counted from 1.
	line int
}

// blocks returns the fenced code blocks of a page, in order.
func blocks(page string) []block {
	var list []block
	inside := false
	for i, line := range strings.Split(page, "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && inside:
			inside = false
		case fence:
			inside = true
			list = append(list, block{language: language, line: i + 2})
		case inside:
			list[len(list)-1].text += line + "\n"
		}
	}
	return list
}

// changing contains patterns of output that differs between readers, each with its
// placeholder.
var changing = []struct {
	text *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<id>"},
	{regexp.MustCompile(`\b(bk|fk)_[A-Za-z0-9_-]{43}`), "<key>"},
	{regexp.MustCompile(`127\.0\.0\.1:[0-9]+`), "<address>"},
}

// plain replaces output that differs between readers with placeholders.
func plain(text string) string {
	for _, c := range changing {
		text = c.text.ReplaceAllString(text, c.name)
	}
	return strings.TrimSpace(text)
}

// shows reports whether a page shows the output. In shown, "…" matches any text within a
// line, and a line that consists of "…" matches any number of lines.
func shows(shown, output string) bool {
	pattern := regexp.QuoteMeta(plain(shown))
	pattern = regexp.MustCompile(`(?m)^\s*…$`).ReplaceAllString(pattern, `(?s:.*)`)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(plain(output))
}

func TestShows(t *testing.T) {
	for _, c := range []struct {
		shown, output string
		want          bool
	}{
		{"a\nb\n", "a\nb", true},
		{"a\nb\n", "a\nc", false},
		{"a\n", "a\nb", false},
		{"a (b)*…\n", "a (b)* and so on", true},
		{"a…\n", "a\nb", false},
		{"a\n…\nd", "a\nb\nc\nd", true},
		{"a\n  …\nd", "a\nb\nc\ne", false},
		{"at 127.0.0.1:8080", "at 127.0.0.1:43211", true},
		{"74055205-b302-421f-87ea-5a3d6104bc84", "0f8fad5b-d9cb-469f-a165-70867728950e", true},
		{"74055205-b302-421f-87ea-5a3d6104bc84", "bc84", false},
	} {
		if got := shows(c.shown, c.output); got != c.want {
			t.Errorf("shows(%q, %q) = %v", c.shown, c.output, got)
		}
	}
}

func TestBlocks(t *testing.T) {
	got := blocks("# A\n\n```sh\none\ntwo\n```\ntext\n```text\n\n```\n")
	want := []block{{"sh", "one\ntwo\n", 4}, {"text", "\n", 9}}
	if len(got) != len(want) {
		t.Fatalf("blocks = %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("block %d = %+v, want %+v", i, got[i], want[i])
		}
	}
}

// install builds the program with the command on the page and returns the folder of the
// program.
func install(t *testing.T, page string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short does not build the program")
	}
	const command = "go install ./cmd/intray"
	if !strings.Contains(page, "`"+command+"`") {
		t.Fatalf("the page does not contain the command that builds the program: %s", command)
	}
	folder := t.TempDir()
	build := exec.Command("sh", "-c", command)
	build.Dir = root(t)
	build.Env = append(os.Environ(), "GOBIN="+folder)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, bytes.TrimSpace(out))
	}
	return folder
}
