// Package whatwg compares the URL parser of package celltype with a different implementation of
// the WHATWG URL Standard.
package whatwg

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// oracleURLs is the number of modified URLs that are compared.
var oracleURLs = flag.Int("urls", 100_000, "URLs to compare with the library")

// The library parses the numbers of IPv4 addresses with strconv.ParseInt. It accepts a sign
// as part of a number (192.168.0-257 becomes 192.167.255.81), and accepts a name that
// begins with a number of more than 64 bits.
var libraryNumber = regexp.MustCompile(`(?i)(^|[./@:\\。．｡]|%2e|[0０][xＸ]?|%30|%78)[\t\xad]*([-+＋－]|%2b|%2d)[\t\xad]*(%3\d|[0-9a-f０-９])|0x[0-9a-f]{16}|[0-9]{19}`)

var schemes = []any{"http", "https", "ftp", "file", "ws", "wss", "foo", "mailto", "a+b"}

func newParser(t *testing.T) celltype.Parser {
	t.Helper()
	p, err := celltype.Compile(intray.Field{Key: "f", Type: intray.FieldType{Name: intray.TypeURL, Options: map[string]any{"acceptedProtocols": schemes}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hasHost reports whether a field accepts the host. This is stricter than the standard, because
// the name of a web server must contain a dot or be localhost.
func hasHost(u *whatwg.Url) bool {
	switch u.Scheme() {
	case "http", "https", "ftp", "ws", "wss":
		return strings.ContainsAny(u.Hostname(), ".:") || u.Hostname() == "localhost"
	}
	return true
}

// compare parses a URL with both implementations and reports differences. It returns
// whether the library accepts the URL.
func compare(t interface{ Errorf(string, ...any) }, parser celltype.Parser, standard whatwg.Parser, text string) bool {
	r := parser.Parse(celltype.Cell{Raw: []byte(text)}, nil)
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || strings.IndexByte(trimmed, ':') <= 0 {
		return false
	}
	got := string(r.Value)
	if r.State == celltype.Unchanged {
		got = text
	}
	u, err := standard.Parse(trimmed)
	known := false
	if err == nil {
		for _, s := range schemes {
			known = known || s == u.Scheme()
		}
	}
	accepted := known && hasHost(u)
	if (r.State != celltype.Invalid) != accepted || accepted && got != u.Href(false) {
		t.Errorf("%q: state %d %q, the library has %v (%v)", text, r.State, got, u, err)
	}
	return accepted
}

// TestSimpleURLs compares the results for URLs that typical files contain.
func TestSimpleURLs(t *testing.T) {
	parser, standard := newParser(t), whatwg.NewParser()
	urls := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`([hH]ttps?|HTTPS):/{1,3}[a-zA-Z0-9.-]{1,10}\.[a-zA-Z0-9]{1,4}(:[0-9]{0,6})?([/?#][a-zA-Z0-9%/._~!$&'()*+,;=:@?#-]{0,20})?`),
		rapid.StringMatching(`https?://(a|b-|-c|xn--|--|1|\.){1,5}\.(org|COM|1)(:80|:443|:0|:08|:)?[/?#.:@\\%]?(%2e|%2E|\.|/|%2f|é| ){0,4}`),
	), 20, 20)
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		for _, text := range urls.Draw(t, "urls") {
			if !libraryNumber.MatchString(text) && compare(t, parser, standard, text) {
				accepted++
			}
		}
	})
	if accepted < 500 {
		t.Errorf("only %d URLs are accepted", accepted)
	}
}

// TestModifiedURLs compares the results for the URLs of the Web Platform Tests and for
// parts of URLs in any order, with some characters replaced or added.
func TestModifiedURLs(t *testing.T) {
	text, err := os.ReadFile("../../celltype/testdata/web-platform-urls.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []any
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var seeds []string
	for _, one := range list[1:] {
		seeds = append(seeds, one.(map[string]any)["input"].(string))
	}
	parts := []string{"http://", "https:", "file:", "file:///", "ftp://", "foo:", "foo://", "mailto:", "..", "%2e", "%2E.", "/../", "c:", "C|", "localhost",
		"example.org", "user:pw@", "@", "[::1]", "[1:2:3:4:5:6:7::]", "[::ffff:1.2.3.4]", "0x7f.1", "1.2.3", "256", "xn--", "xn--bcher-kva", "bücher",
		":80", ":443", ":", "//", `\\`, "?a=b'", "#frag`", "%", "%zz", "\xff"}
	characters := []rune("htps:/\\?#@[].%0123456789abxX|-_~!$&'()*+,;=<>{}^`\" \tæ😀\u00adＡ≠ßxn--")
	random := rand.New(rand.NewPCG(1, 2))
	parser, standard := newParser(t), whatwg.NewParser()
	accepted, skipped, failed := 0, 0, failures{t: t}
	for range *oracleURLs {
		url := ""
		if random.IntN(3) == 0 {
			url = seeds[random.IntN(len(seeds))]
		} else {
			for range random.IntN(7) + 1 {
				url += parts[random.IntN(len(parts))]
			}
		}
		for range random.IntN(4) {
			at, c := random.IntN(len(url)+1), string(characters[random.IntN(len(characters))])
			if random.IntN(2) == 0 && at < len(url) {
				url = url[:at] + c + url[at+1:]
			} else {
				url = url[:at] + c + url[at:]
			}
		}
		switch {
		case libraryNumber.MatchString(url):
			skipped++
		case compare(&failed, parser, standard, url):
			accepted++
		}
	}
	t.Logf("of %d URLs %d are accepted, %d skipped", *oracleURLs, accepted, skipped)
	if accepted < *oracleURLs/10 || skipped > *oracleURLs/20 {
		t.Errorf("of %d URLs %d are accepted, %d skipped", *oracleURLs, accepted, skipped)
	}
}

// failures reports only the first 20 failures.
type failures struct {
	t *testing.T
	n int
}

func (f *failures) Errorf(format string, args ...any) {
	if f.n++; f.n <= 20 {
		f.t.Errorf(format, args...)
	}
}
