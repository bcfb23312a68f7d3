package intray_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	codeShape   = regexp.MustCompile(`^[a-z][a-z0-9_]*\.[a-z0-9_]+$`)
	placeholder = regexp.MustCompile(`\{([a-z][a-z0-9_]*(?:, (?:and|or|;))?)\}`)
	// pluralForms are the plural categories defined by CLDR.
	pluralForms = []string{"zero", "one", "two", "few", "many", "other"}
)

// sentences is an entry in a catalogue: one sentence for each plural form. An entry without
// plural forms has only the form other.
type sentences map[string]string

func (s *sentences) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		var other string
		err := json.Unmarshal(text, &other)
		*s = sentences{"other": other}
		return err
	}
	return json.Unmarshal(text, (*map[string]string)(s))
}

// placeholders returns the placeholders in text, sorted and without duplicates.
func placeholders(text string) []string {
	var list []string
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		list = append(list, match[1])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// params returns the names of the parameters in an entry.
func (s sentences) params() []string {
	var list []string
	for _, text := range s {
		for _, one := range placeholders(text) {
			name, _, _ := strings.Cut(one, ",")
			list = append(list, name)
		}
	}
	if len(s) > 1 {
		list = append(list, "n")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// catalogueOf reads the catalogue of a language. The test fails if a code occurs twice.
func catalogueOf(t *testing.T, language string) map[string]sentences {
	t.Helper()
	text, err := os.ReadFile("messages/" + language + ".json")
	if err != nil {
		t.Fatal(err)
	}
	c := map[string]sentences{}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("messages/%s.json: %v", language, err)
	}
	if lines := regexp.MustCompile(`(?m)^  "`).FindAllIndex(text, -1); len(lines) != len(c) {
		t.Errorf("messages/%s.json has %d lines with a code but %d codes: a code is duplicate, or two are on one line", language, len(lines), len(c))
	}
	return c
}

// completeCatalogues are the languages that have all messages.
var completeCatalogues = []string{"en", "de", "ar"}

// translatedAreas are the areas of the messages that exist in all languages of the pages. They are about
// cells, columns, the most common problems of files, and links. Other messages are for operators and
// developers, or about details of file formats.
var translatedAreas = strings.Fields(`
	alphabetical cell checkbox column column_starts count country csv date datetime delimiter domain duration email encoding
	field_name file header import_link language length level limit link list mapping missing number option percent phone question
	quote regex required review row select sheet size suggestion text time unique url us_ssn us_state us_zip uuid value_mapping values`)

// TestCatalogueLanguagesAgree checks that every language has the codes that it must have, with the
// placeholders of English.
func TestCatalogueLanguagesAgree(t *testing.T) {
	english := catalogueOf(t, "en")
	files, err := filepath.Glob("messages/*.json")
	if err != nil || len(files) != 38 {
		t.Fatalf("%d languages, %v", len(files), err)
	}
	for _, file := range files {
		language := strings.TrimSuffix(filepath.Base(file), ".json")
		isComplete := slices.Contains(completeCatalogues, language)
		c := catalogueOf(t, language)
		for _, code := range slices.Sorted(maps.Keys(english)) {
			area, _, _ := strings.Cut(code, ".")
			if c[code] == nil && (isComplete || slices.Contains(translatedAreas, area)) {
				t.Errorf("%s has no sentence for %s", language, code)
			}
		}
		for _, code := range slices.Sorted(maps.Keys(c)) {
			area, _, _ := strings.Cut(code, ".")
			if english[code] == nil {
				t.Errorf("%s has %s, which English does not have", language, code)
				continue
			}
			if !isComplete && !slices.Contains(translatedAreas, area) {
				t.Errorf("%s has %s, but not all languages have it", language, code)
			}
			for _, wrong := range problemsOf(code, c[code], placeholders(english[code]["other"])) {
				t.Errorf("%s, %s: %s", language, code, wrong)
			}
		}
	}
}

// problemsOf returns the problems with a catalogue entry, which should have the placeholders in
// want.
func problemsOf(code string, entry sentences, want []string) (problems []string) {
	if !codeShape.MatchString(code) {
		problems = append(problems, "the code must be two parts in lower case with a dot between them")
	}
	if entry["other"] == "" {
		problems = append(problems, "the form other is missing")
	}
	for _, form := range slices.Sorted(maps.Keys(entry)) {
		text := entry[form]
		if !slices.Contains(pluralForms, form) {
			problems = append(problems, form+" is not a plural form")
		}
		if rest := placeholder.ReplaceAllString(text, ""); strings.ContainsAny(rest, "{}") {
			problems = append(problems, form+" has a brace outside of placeholders")
		}
		// A plural form that covers a single number may spell it out.
		got := placeholders(text)
		if form != "other" && !slices.Contains(got, "n") && slices.Contains(want, "n") {
			got = append(got, "n")
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			problems = append(problems, form+" has the placeholders "+strings.Join(got, " ")+", and English has "+strings.Join(want, " "))
		}
	}
	return problems
}

// sourceFile is a Go file of the module that is not a test.
type sourceFile struct {
	folder string
	tree   *ast.File
}

// sourceFiles parses the non-test Go files of the module.
func sourceFiles(t *testing.T, fset *token.FileSet) (list []sourceFile) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != ".":
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			if nested == nil || name == "testdata" || name == "node_modules" || name[0] == '.' || name[0] == '_' {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			tree, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			list = append(list, sourceFile{filepath.Dir(path), tree})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 300 {
		t.Fatalf("only %d Go files were found", len(list))
	}
	return list
}

// messageCall is one call to NewMessage.
type messageCall struct {
	at token.Position
	// code is the message code, or "" if it is not a string literal. codeArg is the
	// expression of the code.
	code    string
	codeArg ast.Expr
	// params are the names of the parameters. literal reports whether they are known,
	// because the argument is a literal or nil.
	params  []string
	literal bool
}

// messageCallOf returns the call to NewMessage if the node is one.
func messageCallOf(node ast.Node) (c messageCall, ok bool) {
	call, ok := node.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || nameOf(call.Fun) != "NewMessage" {
		return c, false
	}
	c.codeArg = call.Args[0]
	c.code, _ = stringOf(call.Args[0])
	switch params := call.Args[1].(type) {
	case *ast.Ident:
		c.literal = params.Name == "nil"
	case *ast.CompositeLit:
		c.literal = true
		for _, element := range params.Elts {
			pair, isPair := element.(*ast.KeyValueExpr)
			if !isPair {
				continue
			}
			name, isLiteral := stringOf(pair.Key)
			c.literal = c.literal && isLiteral
			c.params = append(c.params, name)
		}
	}
	return c, true
}

// nameOf returns the name of a function without its package.
func nameOf(function ast.Expr) string {
	switch function := function.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

// stringOf returns the value of a string literal.
func stringOf(node ast.Node) (string, bool) {
	literal, ok := node.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// TestMessageCodes checks that the source code and the English catalogue have the same codes and
// parameters. A code is a string literal in the call to NewMessage. If the call refers to a
// table or a variable, the code is a string literal elsewhere in the same package.
func TestMessageCodes(t *testing.T) {
	english := catalogueOf(t, "en")
	groups := map[string]bool{}
	for code := range english {
		group, _, _ := strings.Cut(code, ".")
		groups[group] = true
	}
	used := map[string]bool{}
	fset := token.NewFileSet()
	files := sourceFiles(t, fset)

	// indirect holds, for each folder, the position of one call without a literal code.
	indirect := map[string]token.Position{}
	for _, file := range files {
		ast.Inspect(file.tree, func(node ast.Node) bool {
			call, ok := messageCallOf(node)
			if !ok {
				return true
			}
			call.at = fset.Position(node.Pos())
			switch {
			case call.code == "" && !isReference(call.codeArg):
				t.Errorf("%s: the code must be a literal or an entry of a table of literals", call.at)
			case call.code == "":
				indirect[file.folder] = call.at
			case english[call.code] == nil:
				t.Errorf("%s: messages/en.json lacks the code %s", call.at, call.code)
			default:
				used[call.code] = true
				checkParams(t, call, english[call.code].params())
			}
			return true
		})
	}
	tabled := map[string]bool{}
	for _, file := range files {
		if _, ok := indirect[file.folder]; !ok {
			continue
		}
		ast.Inspect(file.tree, func(node ast.Node) bool {
			if call, ok := messageCallOf(node); ok && call.code != "" {
				return false
			}
			code, ok := stringOf(node)
			group, _, _ := strings.Cut(code, ".")
			switch {
			case !ok || !codeShape.MatchString(code):
			case english[code] != nil:
				used[code], tabled[file.folder] = true, true
			case groups[group]:
				t.Errorf("%s: messages/en.json lacks the code %s", fset.Position(node.Pos()), code)
			}
			return true
		})
	}
	for folder, at := range indirect {
		if !tabled[folder] {
			t.Errorf("%s: no literal in the package is a code for this call", at)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(english)) {
		if !used[code] {
			t.Errorf("nothing uses the code %s of messages/en.json", code)
		}
	}
}

// isReference reports whether an expression is a variable, a field or a table entry, as
// opposed to a computed string.
func isReference(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isReference(e.X)
	case *ast.IndexExpr:
		return isReference(e.X)
	}
	return false
}

// checkParams reports the placeholders in the sentence for which the call has no parameter.
// Additional parameters are allowed, because clients use them.
func checkParams(t *testing.T, call messageCall, want []string) {
	t.Helper()
	if !call.literal {
		return
	}
	for _, name := range want {
		if !slices.Contains(call.params, name) {
			t.Errorf("%s: the sentence of %s needs the parameter %s", call.at, call.code, name)
		}
	}
}
