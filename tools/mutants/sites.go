package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is a change to one file.
type mutant struct {
	pkg, file string
	line      int
	kind      string
	// from and to are the byte offsets of the code to replace.
	from, to int
	// texts are possible replacements. The first one that compiles is used.
	texts []string
	// before is the code to replace. context is the line that contains it.
	before, context string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s → %s", m.file, m.line, m.kind, shorten(m.before), shorten(m.texts[0]))
}

// shorten returns code as a single short line.
func shorten(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if r := []rune(code); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return code
}

// finder collects the locations in one file where a change can be made.
type finder struct {
	pkg, name string
	source    []byte
	fset      *token.FileSet
	sites     []mutant
}

// findSites returns all possible changes to the program. It skips generated code and
// packages that only tests use.
func findSites(all map[string]*goPackage, only string) ([]mutant, error) {
	var sites []mutant
	for path, p := range all {
		if p.forTests() || !strings.HasPrefix(p.short(), only) {
			continue
		}
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			source, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			fset := token.NewFileSet()
			parsed, err := parser.ParseFile(fset, file, source, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			if ast.IsGenerated(parsed) {
				continue
			}
			f := &finder{pkg: path, name: file, source: source, fset: fset}
			for _, decl := range parsed.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
					ast.Inspect(fn.Body, f.visit)
				}
			}
			sites = append(sites, f.sites...)
		}
	}
	slices.SortFunc(sites, func(a, b mutant) int {
		if c := strings.Compare(a.file, b.file); c != 0 {
			return c
		}
		if a.from != b.from {
			return a.from - b.from
		}
		return strings.Compare(a.kind+a.texts[0], b.kind+b.texts[0])
	})
	return sites, nil
}

// swaps are the operators that are exchanged, each with the kind of the change.
var swaps = map[token.Token]struct {
	to   token.Token
	kind string
}{
	token.EQL: {token.NEQ, "comparison"}, token.NEQ: {token.EQL, "comparison"},
	token.LAND: {token.LOR, "comparison"}, token.LOR: {token.LAND, "comparison"},
	token.LSS: {token.LEQ, "bound"}, token.LEQ: {token.LSS, "bound"},
	token.GTR: {token.GEQ, "bound"}, token.GEQ: {token.GTR, "bound"},
	token.ADD: {token.SUB, "arithmetic"}, token.SUB: {token.ADD, "arithmetic"},
	token.MUL: {token.QUO, "arithmetic"},
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if swap, ok := swaps[n.Op]; ok {
			f.replace(swap.kind, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), swap.to.String())
		}
	case *ast.IfStmt:
		f.replaceNode("condition", n.Cond, "!("+f.text(n.Cond)+")")
		f.replaceNode("condition", n.Cond, "false && ("+f.text(n.Cond)+")")
	case *ast.BasicLit:
		if n.Kind == token.INT {
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
				f.replaceNode("constant", n, strconv.FormatInt(v+1, 10))
			}
		}
	case *ast.ExprStmt:
		f.replaceNode("removed statement", n, "")
	case *ast.IncDecStmt:
		f.replaceNode("removed statement", n, "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			f.replaceNode("removed statement", n, "")
		}
	case *ast.DeferStmt:
		f.replaceNode("removed statement", n, "")
	case *ast.BranchStmt:
		if n.Tok == token.BREAK && n.Label == nil {
			f.replaceNode("branch", n, "continue")
		} else if n.Tok == token.CONTINUE && n.Label == nil {
			f.replaceNode("branch", n, "break")
		}
	case *ast.ReturnStmt:
		f.visitReturn(n)
	}
	return true
}

// visitReturn replaces returned values with zero values, and false with true. It replaces the
// last value with nil if its expression contains "err".
func (f *finder) visitReturn(n *ast.ReturnStmt) {
	for i, result := range n.Results {
		text := f.text(result)
		switch {
		case text == "nil" || text == "0" || text == `""`:
		case text == "true":
			f.replaceNode("returned value", result, "false")
		case text == "false":
			f.replaceNode("returned value", result, "true")
		case i == len(n.Results)-1 && (strings.Contains(strings.ToLower(text), "err")):
			f.replaceNode("dropped error", result, "nil")
		default:
			f.replaceNode("returned value", result, "0", `""`, "nil", "false")
		}
	}
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}

func (f *finder) replaceNode(kind string, n ast.Node, texts ...string) {
	f.replace(kind, n.Pos(), n.End(), texts...)
}

func (f *finder) replace(kind string, from, to token.Pos, texts ...string) {
	at, end := f.fset.Position(from), f.fset.Position(to).Offset
	first := bytes.LastIndexByte(f.source[:at.Offset], '\n') + 1
	last := end + bytes.IndexByte(append(f.source[end:len(f.source):len(f.source)], '\n'), '\n')
	f.sites = append(f.sites, mutant{
		pkg: f.pkg, file: relative(f.name), line: at.Line, kind: kind, from: at.Offset, to: end, texts: texts,
		before: string(f.source[at.Offset:end]), context: strings.TrimSpace(string(f.source[first:last])),
	})
}

// apply returns the source of the file with the i-th replacement. It fails if the result
// cannot be formatted, which means that it would not compile either.
func (m mutant) apply(source []byte, i int) ([]byte, error) {
	changed := slices.Concat(source[:m.from], []byte(m.texts[i]), source[m.to:])
	return format.Source(changed)
}

func relative(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return name
	}
	if short, err := filepath.Rel(dir, name); err == nil {
		return short
	}
	return name
}

// sampler draws changes. It alternates between the kinds of changes, so that rare kinds are
// tried as often as common ones.
type sampler struct {
	kinds []string
	sites map[string][]mutant
	turn  int
	rand  *rand.Rand
}

func newSampler(sites []mutant, r *rand.Rand) *sampler {
	s := &sampler{sites: map[string][]mutant{}, rand: r}
	for _, m := range sites {
		if s.sites[m.kind] == nil {
			s.kinds = append(s.kinds, m.kind)
		}
		s.sites[m.kind] = append(s.sites[m.kind], m)
	}
	slices.Sort(s.kinds)
	return s
}

// next draws a change that has not been drawn before. It returns false if there is none.
func (s *sampler) next() (mutant, bool) {
	for range s.kinds {
		kind := s.kinds[s.turn%len(s.kinds)]
		s.turn++
		if list := s.sites[kind]; len(list) > 0 {
			at := s.rand.IntN(len(list))
			m := list[at]
			list[at] = list[len(list)-1]
			s.sites[kind] = list[:len(list)-1]
			return m, true
		}
	}
	return mutant{}, false
}
