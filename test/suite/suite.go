// Package suite selects the long test suites. By default, go test ./... runs only tests that
// take at most a few minutes. Tests that take longer, or need software that a machine may not
// have, run only if the environment variable INTRAY_TESTS contains the name of their suite.
//
// If a suite is not selected, none of its tests is started, so none is reported as skipped.
// A test that needs something the machine does not have, such as a database, is skipped and
// reports what is missing.
package suite

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that contains the names of the suites to run,
// separated by commas. "all" selects all suites.
const Variable = "INTRAY_TESTS"

// The suites.
const (
	// Contract checks the built program against the HTTP contract, on each database.
	Contract = "contract"
	// Torture kills and overloads the built program.
	Torture = "torture"
	// Attacks sends files and schemas to the built program that need as much memory or time as
	// possible.
	Attacks = "attacks"
	// Hostile reads all files that are meant to exhaust the memory of a reader.
	Hostile = "hostile"
	// Conformance runs Test262, the ECMAScript test suite, in the hook runtimes.
	Conformance = "conformance"
	// Bench runs the benchmarks with few rows.
	Bench = "bench"
	// Readers reads results with other programs.
	Readers = "readers"
	// Schemathesis calls the built program with requests generated from its OpenAPI document.
	Schemathesis = "schemathesis"
	// RealFiles reads files from public repositories.
	RealFiles = "realfiles"
	// Growth measures calls with millions of stored rows.
	Growth = "growth"
	// Generators generates clients of the API with other programs and imports files with them.
	Generators = "generators"
)

// All returns the names of all suites.
func All() []string {
	return []string{Contract, Torture, Attacks, Hostile, Conformance, Bench, Readers, Schemathesis, RealFiles, Growth, Generators}
}

// Selected reports whether a suite is selected. It panics if the variable contains an unknown
// name, because otherwise the tests that the user requested would silently not run.
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

// Run runs the tests of a package if its suite is selected. It returns the exit status.
func Run(m *testing.M, name string) int {
	if !Selected(name) {
		fmt.Printf("not selected: %s=%s runs these tests\n", Variable, name)
		return 0
	}
	return m.Run()
}
