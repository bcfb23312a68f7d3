package intray_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNothingIsDecidedByErrorText rejects conditions on the text of an error, because
// libraries reword it and untrusted input can be part of it.
func TestNothingIsDecidedByErrorText(t *testing.T) {
	fset := token.NewFileSet()
	for _, file := range sourceFiles(t, fset) {
		for _, at := range errorTextDecisions(fset, file.tree) {
			t.Errorf("%s: a condition on the text of an error: use errors.Is or errors.As", fset.Position(at))
		}
	}
}

var (
	// deciding matches the names of functions that compare or search strings, in the packages
	// listed in deciders.
	deciding = regexp.MustCompile(`^(Compare|Contains|Count|Cut|EqualFold|Equal|Find|HasPrefix|HasSuffix|Index|LastIndex|Match)`)
	deciders = []string{"bytes", "cmp", "maps", "regexp", "slices", "strings"}
	// matching matches the names of the methods with which a regular expression searches a
	// string.
	matching = regexp.MustCompile(`^(Find|Match)`)
)

// errorText finds expressions that hold the text of an error. It tracks local variables, but not
// fields or the results of most calls.
type errorText struct {
	info *types.Info
	held map[types.Object]bool
}

// errorTextDecisions returns the positions of conditions on the text of an error.
func errorTextDecisions(fset *token.FileSet, tree *ast.File) (list []token.Pos) {
	f := errorText{&types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}, map[types.Object]bool{}}
	// Type errors are ignored, because imports and other files are missing. Only the names
	// in this file matter.
	lenient := types.Config{Error: func(error) {}}
	_, _ = lenient.Check("", fset, []*ast.File{tree}, f.info)
	for known := -1; known < len(f.held); {
		known = len(f.held)
		ast.Inspect(tree, f.assign)
	}
	ast.Inspect(tree, func(node ast.Node) bool {
		if f.decides(node) {
			list = append(list, node.Pos())
		}
		return true
	})
	return list
}

// assign records the variables to which a node assigns the text of an error.
func (f errorText) assign(node ast.Node) bool {
	var names, values []ast.Expr
	switch node := node.(type) {
	case *ast.AssignStmt:
		names, values = node.Lhs, node.Rhs
	case *ast.ValueSpec:
		for _, name := range node.Names {
			names = append(names, name)
		}
		values = node.Values
	}
	for i, value := range values {
		if !f.isText(value) {
			continue
		}
		// A call may return several results.
		to := names
		if len(names) == len(values) {
			to = names[i : i+1]
		}
		for _, name := range to {
			if object := f.object(name); object != nil {
				f.held[object] = true
			}
		}
	}
	return true
}

func (f errorText) object(e ast.Expr) types.Object {
	name, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	if defined := f.info.Defs[name]; defined != nil {
		return defined
	}
	return f.info.Uses[name]
}

// isText reports whether an expression holds the text of an error.
func (f errorText) isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return f.held[f.object(e)]
	case *ast.ParenExpr:
		return f.isText(e.X)
	case *ast.SliceExpr:
		return f.isText(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (f.isText(e.X) || f.isText(e.Y))
	case *ast.CallExpr:
		pkg, name := callee(e)
		switch {
		case name == "Error" && len(e.Args) == 0:
			return true
		case pkg == "fmt" && strings.HasPrefix(name, "Sprint"):
			return slices.ContainsFunc(e.Args, f.isText) || slices.ContainsFunc(e.Args, isErrorName)
		case pkg == "strings", pkg == "bytes", name == "string", isBytes(e.Fun):
			return slices.ContainsFunc(e.Args, f.isText)
		}
	}
	return false
}

// decides reports whether a node compares, searches or looks up the text of an error.
func (f errorText) decides(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		return slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ}, node.Op) &&
			(f.isText(node.X) || f.isText(node.Y)) && !isNil(node.X) && !isNil(node.Y)
	case *ast.SwitchStmt:
		return node.Tag != nil && f.isText(node.Tag)
	case *ast.IndexExpr:
		return f.isText(node.Index)
	case *ast.CallExpr:
		pkg, name := callee(node)
		return (slices.Contains(deciders, pkg) && deciding.MatchString(name) || matching.MatchString(name)) && slices.ContainsFunc(node.Args, f.isText)
	}
	return false
}

// callee returns the name of the called function, and of its package or receiver.
func callee(call *ast.CallExpr) (pkg, name string) {
	if selected, ok := call.Fun.(*ast.SelectorExpr); ok {
		if of, ok := selected.X.(*ast.Ident); ok {
			pkg = of.Name
		}
	}
	return pkg, nameOf(call.Fun)
}

func isErrorName(e ast.Expr) bool { return nameOf(e) == "err" }

func isNil(e ast.Expr) bool { return nameOf(e) == "nil" }

// isBytes reports whether e is a slice type, such as []byte in a conversion.
func isBytes(e ast.Expr) bool {
	_, ok := e.(*ast.ArrayType)
	return ok
}

func TestErrorTextDecisions(t *testing.T) {
	decisions := []string{
		`if strings.Contains(err.Error(), "x") {}`,
		`return strings.HasPrefix(a.b().Error(), "x")`,
		`_ = strings.HasSuffix(strings.ToLower(err.Error()), "x")`,
		`_ = strings.Index(err.Error(), "x")`,
		`_ = strings.EqualFold("x", err.Error())`,
		`_ = bytes.Contains([]byte(err.Error()), x)`,
		`_, _, found := strings.Cut(err.Error(), ":"); _ = found`,
		`if err.Error() == "x" {}`,
		`if "x" != (err.Error()) {}`,
		`switch err.Error() { case "x": }`,
		`_ = pattern.MatchString(err.Error())`,
		`_ = regexp.MustCompile("x").FindStringSubmatch(err.Error())`,
		`_, _ = regexp.MatchString("x", err.Error())`,
		`_ = slices.Contains(list, err.Error())`,
		`_ = table[err.Error()]`,
		`text := err.Error(); if text == "x" {}`,
		`var text = err.Error(); _ = strings.Contains(text, "x")`,
		`var text string; text = "a" + err.Error(); func() { _ = strings.Contains(text, "x") }()`,
		`text := err.Error(); short := text[:3]; switch short { case "x": }`,
		`switch text := err.Error(); { case strings.Contains(text, "x"): }`,
		`if text := fmt.Sprint(err); text == "x" {}`,
		`_ = strings.Contains(fmt.Sprintf("%v", err), "x")`,
	}
	fine := []string{
		`if errors.Is(err, io.EOF) {}`,
		`log.Print(err.Error())`,
		`if w.Error() != nil {}`,
		`text := err.Error(); show(text[:min(len(text), 9)])`,
		`show(strings.TrimPrefix(err.Error(), "x: "))`,
		`{ text := err.Error(); show(text) }; { text := name(); _ = text == "x" }`,
		`text := err.Error(); if name() == "x" { show(text) }`,
		`err = fmt.Errorf("read: %w", err); if err == nil {}`,
		`http.Error(w, "x", 1)`,
		`n, err := fmt.Fprintln(w, err.Error()); return n == 0 || err != nil`,
	}
	for _, test := range []struct {
		snippets []string
		want     int
	}{{decisions, 1}, {fine, 0}} {
		for _, snippet := range test.snippets {
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, "", "package p\nfunc f(err error) bool {\n"+snippet+"\n}", parser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("%s: %v", snippet, err)
			}
			if got := len(errorTextDecisions(fset, tree)); got != test.want {
				t.Errorf("%s: found %d decisions, want %d", snippet, got, test.want)
			}
		}
	}
}
