package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `package p

import "errors"

func f(a, b int) (bool, error) {
	for a < b {
		if a == 3 && b > 1 {
			break
		}
		a += 2
		println(a)
	}
	if a-b > 7 {
		return false, errors.New("x")
	}
	defer println()
	return true, nil
}
`

func sampleSites(t *testing.T) []mutant {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "p.go"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	sites, err := findSites(map[string]*goPackage{"m/p": {ImportPath: "m/p", Dir: folder, GoFiles: []string{"p.go"}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	return sites
}

func TestFindSites(t *testing.T) {
	var got []string
	for _, m := range sampleSites(t) {
		got = append(got, m.kind+": "+m.before+" → "+m.texts[0])
		if changed, err := m.apply([]byte(sample), 0); err != nil || string(changed) == sample {
			t.Errorf("%s: %v", m, err)
		}
	}
	for _, want := range []string{
		"bound: < → <=", "comparison: == → !=", "comparison: && → ||", "bound: > → >=", "branch: break → continue",
		"condition: a == 3 && b > 1 → !(a == 3 && b > 1)", "condition: a-b > 7 → false && (a-b > 7)", "constant: 3 → 4",
		"removed statement: a += 2 → ", "removed statement: println(a) → ", "removed statement: defer println() → ",
		"arithmetic: - → +", "dropped error: errors.New(\"x\") → nil", "returned value: false → true", "returned value: true → false",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the change %q is missing in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestSampler checks that every change is drawn once, and that a seed always draws the same
// changes.
func TestSampler(t *testing.T) {
	draw := func(seed uint64) (list []string) {
		s := newSampler(sampleSites(t), rand.New(rand.NewPCG(seed, 0)))
		for m, ok := s.next(); ok; m, ok = s.next() {
			list = append(list, strings.TrimPrefix(m.String(), m.file))
		}
		return list
	}
	first, again, other := draw(1), draw(1), draw(2)
	if len(first) != len(sampleSites(t)) || !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("%d of %d changes were drawn; equal seeds agree: %v", len(first), len(sampleSites(t)), slices.Equal(first, again))
	}
}
