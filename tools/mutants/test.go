package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// goPackage is a package as described by go list.
type goPackage struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	Module                             struct{ Path string }
}

// short returns the path relative to the module.
func (p *goPackage) short() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
}

// forTests reports whether only tests use the package.
func (p *goPackage) forTests() bool {
	for _, folder := range []string{"test/", "bench", "tools/", "examples"} {
		if strings.HasPrefix(p.short(), folder) {
			return true
		}
	}
	return strings.HasSuffix(p.ImportPath, "test")
}

func (p *goPackage) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// loadPackages lists the packages of the module by their import paths.
func loadPackages(ctx context.Context) (map[string]*goPackage, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := map[string]*goPackage{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		p := &goPackage{}
		if err := dec.Decode(p); err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
	return all, nil
}

// verdict is the outcome of a change.
type verdict string

const (
	killedByTests verdict = "killed"
	survived      verdict = "SURVIVED"
	notCompiled   verdict = "not compiled"
)

type result struct {
	mutant  mutant
	verdict verdict
	// by is the package whose tests detected the change.
	by   string
	took time.Duration
}

type tester struct {
	packages map[string]*goPackage
	// slack is added to three times the duration of a package's tests without a change. If
	// the tests take longer than that, the change counts as detected.
	slack     time.Duration
	neighbors int
	// baselines are the durations of the tests without a change, by package.
	baselines map[string]time.Duration
}

// timeoutFor returns the maximum duration of a package's tests. It runs them once without a
// change to measure them. They must pass.
func (t *tester) timeoutFor(ctx context.Context, pkg string, args []string) (time.Duration, error) {
	took, known := t.baselines[pkg]
	if !known {
		began := time.Now()
		if out, err := exec.CommandContext(ctx, "go", append(args, pkg)...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("the tests of %s fail without a change: %w\n%s", pkg, err, out)
		}
		took = time.Since(began)
		t.baselines[pkg] = took
	}
	return 3*took + t.slack, nil
}

// try applies a change and runs tests until one of them fails.
func (t *tester) try(ctx context.Context, m mutant) (result, error) {
	began := time.Now()
	folder, err := os.MkdirTemp("", "mutant-*")
	if err != nil {
		return result{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	overlay, ok, err := t.compile(ctx, m, folder)
	if err != nil || !ok {
		return result{mutant: m, verdict: notCompiled}, err
	}
	for i, pkg := range append([]string{m.pkg}, t.neighborsOf(m.pkg)...) {
		if !t.packages[pkg].hasTests() {
			continue
		}
		args := []string{"test", "-vet=off", "-count=1", "-failfast"}
		if i > 0 {
			args = append(args, "-short")
		}
		timeout, err := t.timeoutFor(ctx, pkg, args)
		if err != nil {
			return result{}, err
		}
		args = append(args, "-timeout", timeout.String(), "-overlay", overlay)
		test := exec.CommandContext(ctx, "go", append(args, pkg)...)
		err = test.Run()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return result{m, killedByTests, t.packages[pkg].short(), time.Since(began)}, nil
		}
		if err != nil {
			return result{}, err
		}
	}
	return result{m, survived, "", time.Since(began)}, nil
}

// compile writes the overlay of the first replacement that compiles.
func (t *tester) compile(ctx context.Context, m mutant, folder string) (overlay string, ok bool, err error) {
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", false, err
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return "", false, err
	}
	changed, overlay := filepath.Join(folder, "changed.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", false, err
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return "", false, err
	}
	for i := range m.texts {
		text, err := m.apply(source, i)
		if err != nil || bytes.Equal(text, source) {
			continue
		}
		if err := os.WriteFile(changed, text, 0o600); err != nil {
			return "", false, err
		}
		if exec.CommandContext(ctx, "go", "build", "-overlay", overlay, m.pkg).Run() == nil {
			return overlay, true, nil
		}
	}
	return "", false, nil
}

// neighborsOf returns the packages that import a package. Those with the fewest imports
// are first, because their tests are the fastest.
func (t *tester) neighborsOf(pkg string) []string {
	var list []string
	for path, p := range t.packages {
		imports := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		heavy := strings.HasPrefix(p.short(), "bench") || strings.HasPrefix(p.short(), "test/torture") || strings.HasPrefix(p.short(), "test/conformance")
		if path != pkg && p.hasTests() && !heavy && slices.Contains(imports, pkg) {
			list = append(list, path)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(len(t.packages[a].Imports)-len(t.packages[b].Imports), strings.Compare(a, b))
	})
	return list[:min(len(list), t.neighbors)]
}
