package celltype_test

import (
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// TestURLsAreThoseOfTheStandard holds what the short way makes of URLs against
// the library that implements the standard.
func TestURLsAreThoseOfTheStandard(t *testing.T) {
	parser, err := celltype.Compile(typed(intray.TypeURL, nil))
	if err != nil {
		t.Fatal(err)
	}
	standard := whatwg.NewParser()
	urls := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`([hH]ttps?|HTTPS):/{1,3}[a-zA-Z0-9.-]{1,10}\.[a-zA-Z0-9]{1,4}(:[0-9]{0,6})?([/?#][a-zA-Z0-9%/._~!$&'()*+,;=:@?#-]{0,20})?`),
		rapid.StringMatching(`https?://(a|b-|-c|xn--|--|1|\.){1,5}\.(org|COM|1)(:80|:443|:0|:08|:)?[/?#.:@\\%]?(%2e|%2E|\.|/|%2f|é| ){0,4}`),
	), 20, 20)
	read, changed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for _, text := range urls.Draw(t, "urls") {
			got := parser.Parse(celltype.Cell{Raw: []byte(text)}, nil)
			want, err := standard.Parse(text)
			switch got.State {
			case celltype.Invalid:
				continue
			case celltype.Unchanged:
				got.Value = []byte(text)
			default:
				changed++
			}
			read++
			if err != nil || want.Href(false) != string(got.Value) {
				t.Fatalf("%q is %q, by the standard %v (%v)", text, got.Value, want, err)
			}
		}
	})
	if read < 500 || changed < 100 {
		t.Errorf("only %d URLs were read, %d changed", read, changed)
	}
}
