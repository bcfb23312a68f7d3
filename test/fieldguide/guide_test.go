// Package fieldguide generates docs/fields-reference.md from the code and checks
// that the page is up to date.
//
// The page lists every field property, type, option, validator and setting. The lists come from
// the tables of package schema, and the results come from running the examples. An entry adds
// what these tables lack: a few sentences, and cells to parse. The tests fail if an item has no
// entry or no example, or if the page differs from the code.
//
// The package contains only tests.
package fieldguide

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/fields-reference.md")

const pageFile = "../../docs/fields-reference.md"

func TestPage(t *testing.T) {
	want := page(t)
	if *update {
		if err := os.WriteFile(pageFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the page differs from the code; go test ./test/fieldguide -update rewrites it (-code +page):\n%s", diff)
	}
}
