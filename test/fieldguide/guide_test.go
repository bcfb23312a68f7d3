// Package fieldguide holds docs/fields.md to the code.
//
// The page lists every key of a field, every type and option, every rule and
// every setting. What there is comes from the tables of package schema; what
// an example gives comes from running it. An entry holds only what no table
// knows: a few sentences, and cells to try. What has no entry or no example fails
// the test, and so does a page that says something else than the code does.
//
// The package has nothing but tests.
package fieldguide

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/fields.md anew")

const pageFile = "../../docs/fields.md"

func TestPage(t *testing.T) {
	right := page(t)
	if *update {
		if err := os.WriteFile(pageFile, []byte(right), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	shown, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(right, string(shown)); diff != "" {
		t.Errorf("the page says something else than the code does; go test ./test/fieldguide -update writes it anew (-code +page):\n%s", diff)
	}
}
