// Package schemathesis calls the built program with requests that Schemathesis generates from the
// OpenAPI document, and checks the responses against it. Its tests run in the suite
// "schemathesis", because they need Python and the package schemathesis.
//
// By default, they make at least 2,000 calls. If INTRAY_TORTURE=full, they make at least 20,000.
// Set INTRAY_TORTURE_SEED to repeat a run with the same seed.
package schemathesis

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/suite"
)

func TestMain(m *testing.M) {
	status := suite.Run(m, suite.Schemathesis)
	livetest.Cleanup()
	os.Exit(status)
}

// checks are the checks for each response: no 5xx, and no status, media type, header or body
// that differs from the document.
const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"

// run is one run of Schemathesis.
type run struct {
	name, key string
	// phases are the phases of the run. examples is the number of generated calls per operation.
	// The coverage phase makes more calls, because it tries each value at a limit.
	phases   string
	examples int
	// least is the minimum number of calls.
	least int
}

// unreached are the operations that can have no success here: an endless stream, an operation
// that was removed, and operations that need an earlier delivery or a downloaded workbook.
var unreached = []string{"getReviewEvents", "getUploadRows", "redeliver", "tellForwarded", "putReviewFile"}

// TestSchemathesis calls every operation with the backend key and with the frontend key. In both
// runs, calls of the review page have a valid cookie, and calls to signed URLs have a valid token.
func TestSchemathesis(t *testing.T) {
	if _, err := exec.LookPath("schemathesis"); err != nil {
		t.Skip("SKIPPED: the program schemathesis is not installed: pip install schemathesis==4.32.5")
	}
	full := os.Getenv("INTRAY_TORTURE") == "full"
	runs := []run{{"backend key", livetest.BackendKey, "fuzzing", 22, 1500}, {"frontend key", livetest.FrontendKey, "fuzzing", 8, 500}}
	if full {
		runs = []run{{"backend key", livetest.BackendKey, "examples,coverage,fuzzing,stateful", 130, 15000}, {"frontend key", livetest.FrontendKey, "examples,coverage,fuzzing", 25, 5000}}
	}
	seed := cmp.Or(os.Getenv("INTRAY_TORTURE_SEED"), "20261121")
	t.Logf("INTRAY_TORTURE_SEED=%s", seed)
	// No limit may hide the operations.
	site := apitest.Start(t, apitest.SQLite, livetest.Config{Args: []string{"--rate-auth-failures", "0"}})
	var all []call
	for _, r := range runs {
		t.Run(r.name, func(t *testing.T) {
			made := r.start(t, site.Server, seed)
			count(t, made)
			if len(made) < r.least {
				t.Errorf("%d calls, want at least %d", len(made), r.least)
			}
			reached := map[string]bool{}
			for _, c := range made {
				reached[c.Operation] = reached[c.Operation] || c.Status < 300
			}
			for _, o := range site.Document.List {
				success, called := reached[o.OperationID]
				keyed := o.SecurityScheme() == "backendKey"
				switch {
				case o.OperationID == "document": // Schemathesis loads it itself
				case !called:
					t.Errorf("%s was not called", o.OperationID)
				case keyed && success && r.key == livetest.FrontendKey:
					t.Errorf("%s accepts the frontend key", o.OperationID)
				case !success && full && !slices.Contains(unreached, o.OperationID) && (!keyed || r.key == livetest.BackendKey):
					t.Errorf("no call of %s succeeded, so it was not tested", o.OperationID)
				}
			}
			all = append(all, made...)
		})
	}
	count(t, all)
	for line := range strings.Lines(site.Stderr()) {
		if strings.Contains(line, `"level":"ERROR"`) {
			t.Errorf("the server logged an error: %.2000s", line)
		}
	}
}

// call is one recorded call.
type call struct {
	Operation, Method string
	Status            int
}

// start runs Schemathesis and returns its calls.
func (r run) start(t *testing.T, server *livetest.Server, seed string) []call {
	t.Helper()
	hooks, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "calls")
	// One worker makes the calls of a seed always the same. With two, Python 3.11 sometimes fails to
	// parse source code in Hypothesis.
	command := exec.Command("schemathesis", "run", server.URL+"/openapi.json", "--workers", "1", "--phases", r.phases, "--max-examples", strconv.Itoa(r.examples),
		"--seed", seed, "--checks", checks, "--continue-on-failure", "--request-timeout", "60", "--generation-database", "none", "--warnings", "off", "--no-color")
	command.Dir = filepath.Dir(record)
	command.Env = append(os.Environ(), "PYTHONPATH="+hooks, "PYTHONDONTWRITEBYTECODE=1", "SCHEMATHESIS_HOOKS=hooks",
		"INTRAY_SERVER="+server.URL, "INTRAY_BACKEND_KEY="+livetest.BackendKey, "INTRAY_KEY="+r.key, "INTRAY_SEED="+seed, "INTRAY_CALLS="+record)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	var made []call
	for lines := json.NewDecoder(bytes.NewReader(text)); lines.More(); {
		var c call
		if err := lines.Decode(&c); err != nil {
			t.Fatal(err)
		}
		made = append(made, c)
	}
	return made
}

// count logs the number of calls per class of status. It fails the test if a status is 5xx.
func count(t *testing.T, made []call) {
	t.Helper()
	classes := map[int]int{}
	for _, c := range made {
		classes[c.Status/100]++
		if c.Status >= 500 {
			t.Errorf("%s %s: status %d", c.Method, c.Operation, c.Status)
		}
	}
	line := fmt.Sprintf("%d calls:", len(made))
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		line += fmt.Sprintf(" %dxx %d", class, classes[class])
	}
	t.Log(line)
}
