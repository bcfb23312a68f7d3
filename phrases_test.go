package intray_test

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// retiredPhrases lists wording that confuses readers, each with a replacement and an example
// that the pattern must match. Only phrases without a legitimate use are listed here.
var retiredPhrases = []struct{ pattern, instead, example string }{
	{`\b(is|are|was|were|be|being|been) told\b`, "reports, warns, shows", "the caller is told why"},
	{`\b(tells|told) of\b`, "reports", "an error tells of it"},
	{`\bmend(s|ed|ing)?\b`, "fix, repair", "mend the file"},
	{`\bstands? (in|above|below|behind|beside|next to)\b`, "is, appears", "the header stands above the values"},
	{`\b(that|which|it|they|values?) (is|are) none\b`, "invalid", "values that are none"},
	{`\b(left|leaves?|leaving) out\b`, "skip, drop, omit", "rows are left out"},
	{`\bby hand\b`, "manually", "mapped by hand"},
	{`\b(a|an|the|some|any|no) [a-z]+ of (yours|ours|theirs)\b`, "your, our, their", "a service of yours"},
	{`\banew\b`, "again; rebuild, recreate", "it is made anew"},
	{`\bsigned address`, "signed URL", "a signed address"},
	{`\ball the same\b`, "anyway", "it is read all the same"},
	{`\bfor long enough\b`, "give the period", "kept for long enough"},
	{`\btaken for\b`, "treated as, accepted", "it is taken for a date"},
	{`\bbeside\b`, "next to", "the file beside it"},
	{`\b(persons|strangers?)\b`, "people, users; untrusted", "the files of strangers"},
	{`^//+ (Package )?[A-Za-z.]+ (gives|says|tells|is told)\b`, "returns, reports", "// Rows gives the rows"},
}

// proseLine is a line that people read.
type proseLine struct {
	file string
	line int
	text string
}

// proseLines returns the lines of comments in Go, TypeScript and shell files, and all lines
// of pages, catalogues and help text.
func proseLines(t *testing.T) (lines []proseLine) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() {
			if name == "node_modules" || name == "dist" || name == ".git" || name == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines = append(lines, fileProse(t, path, text)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

var (
	scriptComment = regexp.MustCompile(`^\s*(//|/?\*)|\s// `)
	shellComment  = regexp.MustCompile(`^\s*#|## `)
)

// fileProse returns the prose in a file, or nil if there is none.
func fileProse(t *testing.T, path string, text []byte) []proseLine {
	t.Helper()
	folder := filepath.Base(filepath.Dir(path))
	switch ext := filepath.Ext(path); {
	case path == "phrases_test.go" || path == filepath.Join("docs", "glossary.md"): // they quote the phrases
		return nil
	case ext == ".go":
		return goProse(t, path, text)
	case ext == ".json" && (folder == "messages" || folder == "i18n") && !strings.HasSuffix(path, "en.json"):
		return nil // a translation
	case ext == ".md" || ext == ".json" && (folder == "messages" || folder == "i18n"):
		return matchingLines(path, text, nil)
	case ext == ".ts" || ext == ".tsx" || ext == ".mjs" || ext == ".css":
		return matchingLines(path, text, scriptComment)
	case ext == ".sh" || folder == ".ci" || path == "Makefile":
		return matchingLines(path, text, shellComment)
	}
	return nil
}

// goProse returns the comments and the help text in a Go file.
func goProse(t *testing.T, path string, text []byte) (lines []proseLine) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			for i, line := range strings.Split(comment.Text, "\n") {
				lines = append(lines, proseLine{path, files.Position(comment.Pos()).Line + i, line})
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			lines = append(lines, proseLine{path, files.Position(field.Tag.Pos()).Line, field.Tag.Value})
		}
		return true
	})
	return lines
}

// matchingLines returns the lines of text that match a pattern, or all lines if the pattern
// is nil.
func matchingLines(path string, text []byte, pattern *regexp.Regexp) (lines []proseLine) {
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for n := 1; scanner.Scan(); n++ {
		if pattern == nil || pattern.MatchString(scanner.Text()) {
			lines = append(lines, proseLine{path, n, scanner.Text()})
		}
	}
	return lines
}

func TestRetiredPhrases(t *testing.T) {
	lines := proseLines(t)
	if len(lines) < 20_000 {
		t.Fatalf("only %d lines of prose were found", len(lines))
	}
	for _, phrase := range retiredPhrases {
		pattern := regexp.MustCompile(`(?i)` + phrase.pattern)
		if !pattern.MatchString(phrase.example) {
			t.Errorf("%s does not find its example %q", phrase.pattern, phrase.example)
		}
		for _, line := range lines {
			if found := pattern.FindString(line.text); found != "" {
				t.Errorf("%s:%d: %q: write %s", line.file, line.line, found, phrase.instead)
			}
		}
	}
}
