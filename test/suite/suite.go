// Package suite selects the heavy test suites. go test ./... runs the tests that take
// minutes at most; what takes longer, or needs more than this machine has, runs only
// where the variable INTRAY_TESTS names its suite.
//
// A suite that is not selected is not skipped: none of its tests begins. A test that
// lacks a part of the machine, such as a database, is skipped and says what it lacks.
package suite

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable names the suites to run, separated by commas, or all of them: "all".
const Variable = "INTRAY_TESTS"

// The suites.
const (
	// Contract checks what the interface promises against the built program, over each
	// database.
	Contract = "contract"
	// Torture kills, floods and fills the built program.
	Torture = "torture"
	// Conformance runs test262, the test suite of ECMAScript, through the hook engines.
	Conformance = "conformance"
	// Bench tries the benchmarks with few rows.
	Bench = "bench"
)

// All returns the names of all suites.
func All() []string { return []string{Contract, Torture, Conformance, Bench} }

// Selected reports whether a suite is to run. A variable that names an unknown suite is a
// panic: the tests that somebody asked for would not run.
func Selected(name string) bool {
	selected := false
	for one := range strings.SplitSeq(os.Getenv(Variable), ",") {
		one = strings.TrimSpace(one)
		if one != "" && one != "all" && !slices.Contains(All(), one) {
			panic(fmt.Sprintf("%s names the suite %q; there are all, %s", Variable, one, strings.Join(All(), ", ")))
		}
		selected = selected || one == name || one == "all"
	}
	return selected
}

// Run runs the tests of a package that belongs to a suite, if that is selected, and
// returns the exit status.
func Run(m *testing.M, name string) int {
	if !Selected(name) {
		fmt.Printf("not selected: %s=%s runs these tests\n", Variable, name)
		return 0
	}
	return m.Run()
}
