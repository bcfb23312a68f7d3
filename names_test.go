package intray_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// retiredWords reads the words that identifiers and file names must not contain. The tests
// in ui use the same list.
func retiredWords(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(".ci/retired-words.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			words[line] = true
		}
	}
	if len(words) < 60 {
		t.Fatalf("the list has only %d words", len(words))
	}
	return words
}

// wordsOf splits an identifier or a file name at capitals, digits and punctuation.
func wordsOf(name string) (list []string) {
	word := ""
	end := func() {
		if word != "" {
			list, word = append(list, strings.ToLower(word)), ""
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word += string(r)
	}
	end()
	return list
}

// TestRetiredWords checks that no identifier declared in the Go files of the module, and no name
// of a file or folder, contains a retired word.
func TestRetiredWords(t *testing.T) {
	retired := retiredWords(t)
	check := func(where, name string) {
		for _, word := range wordsOf(name) {
			if retired[word] {
				t.Errorf("%s: %s has the retired word %q; docs/glossary.md names the term to use", where, name, word)
			}
		}
	}
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case entry.IsDir() && (name == "node_modules" || name == "dist" || name == ".git" || name == "testdata" || path == "ui"):
			return filepath.SkipDir
		case entry.IsDir() && (path == "sdk/go/api" || name == "generated"):
			return filepath.SkipDir // The API has operations with retired words in their names.
		case path != ".":
			check(path, strings.TrimSuffix(name, ".go"))
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, identifier := range declaredIn(file) {
			check(set.Position(identifier.Pos()).String(), identifier.Name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d Go files were found", files)
	}
}

// declaredIn lists the identifiers that a file declares for packages, types, functions,
// fields, parameters, variables, constants and labels.
func declaredIn(file *ast.File) (list []*ast.Ident) {
	list = append(list, file.Name)
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			list = append(list, node.Name)
		case *ast.TypeSpec:
			list = append(list, node.Name)
		case *ast.ValueSpec:
			list = append(list, node.Names...)
		case *ast.Field:
			list = append(list, node.Names...)
		case *ast.LabeledStmt:
			list = append(list, node.Label)
		case *ast.ImportSpec:
			if node.Name != nil {
				list = append(list, node.Name)
			}
		case *ast.AssignStmt:
			if node.Tok == token.DEFINE {
				list = appendIdents(list, node.Lhs...)
			}
		case *ast.RangeStmt:
			if node.Tok == token.DEFINE {
				list = appendIdents(list, node.Key, node.Value)
			}
		}
		return true
	})
	return list
}

func appendIdents(list []*ast.Ident, expressions ...ast.Expr) []*ast.Ident {
	for _, e := range expressions {
		if identifier, ok := e.(*ast.Ident); ok {
			list = append(list, identifier)
		}
	}
	return list
}

func TestWordsOf(t *testing.T) {
	for name, want := range map[string]string{
		"HTTPServer": "http server", "deskRow2": "desk row", "row_cache.go": "row cache go", "URL": "url", "aB": "a b", "xIDs": "x i ds",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
