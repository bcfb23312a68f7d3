package celltype

import (
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestParseURL checks the URLs of the Web Platform Tests that have no base URL. The tests of
// tools/whatwg compare the results for more URLs with those of a different implementation.
func TestParseURL(t *testing.T) {
	text, err := os.ReadFile("testdata/web-platform-urls.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 500 {
		t.Fatalf("only %d URLs", len(list))
	}
	for _, one := range list[1:] {
		var c struct {
			Input, Href string
			Failure     bool
		}
		if err := json.Unmarshal(one, &c); err != nil {
			t.Fatal(err)
		}
		u, ok := parseURL(c.Input)
		if ok == c.Failure || ok && u.href != c.Href {
			t.Errorf("%q: %q %v, want %q", c.Input, u.href, ok, c.Href)
		}
		if !ok {
			continue
		}
		if again, ok := parseURL(u.href); !ok || again != u {
			t.Errorf("%q: %+v is read as %+v %v", c.Input, u, again, ok)
		}
	}
}

// TestSimpleURLs checks that the fast path agrees with the standard's parser.
func TestSimpleURLs(t *testing.T) {
	for _, text := range []string{
		"https://example.org/", "HTTP://Example.ORG:80", "https://example.org:443/a?b#c", "https://example.org:8443", "http://a.b-c.de/x/y.z",
		"http://example.org?a", "http://example.org#a", "https://a.xn--p1ai/", "http://a_b.org/", "https://example.org/a%2fb/.c",
		"https://example.org/%2e", "https://example.org/a/%2E/b", "https://example.org/a/%2",
	} {
		value, p, simple := appendSimpleURL(nil, []byte(text))
		if !simple {
			continue
		}
		u, ok := parseURL(text)
		if !ok || u.href != string(value) || u.host != string(p.host) || u.scheme != p.scheme {
			t.Errorf("%q: %s %+v, by the standard %+v %v", text, value, p, u, ok)
		}
	}
}

// TestSimpleURLsAgree compares the fast path with the standard's parser for random URLs that
// contain the characters that the fast path checks.
func TestSimpleURLsAgree(t *testing.T) {
	simple := 0
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`https?://([aB1_-]{1,3}\.){1,2}[aZ1{`+"`"+`@[]{1,3}\.?(:[0-9]{0,5})?(/[a.%2eE]{0,5})?([?#][a%]{0,2})?`), 50, 50).Draw(t, "texts")
		for _, text := range texts {
			value, p, ok := appendSimpleURL(nil, []byte(text))
			if !ok {
				continue
			}
			simple++
			u, valid := parseURL(text)
			if !valid || u.href != string(value) || u.host != string(p.host) || u.scheme != p.scheme {
				t.Fatalf("%q: %s %+v, by the standard %+v %v", text, value, p, u, valid)
			}
		}
	})
	if simple == 0 {
		t.Error("the fast path read no URL")
	}
}

func TestURLHosts(t *testing.T) {
	for _, tt := range []struct{ host, want string }{
		{"1", "0.0.0.1"}, {"0x7f.1", "127.0.0.1"}, {"010.0.0.1", "8.0.0.1"}, {"0x.0x.0", "0.0.0.0"}, {"1.2.3.4.", "1.2.3.4"},
		{"4294967295", "255.255.255.255"}, {"1.16777215", "1.255.255.255"}, {"1.2.65535", "1.2.255.255"}, {"1.2.3.255", "1.2.3.255"}, {"255.1", "255.0.0.1"},
		{"4294967296", ""}, {"1.16777216", ""}, {"1.2.65536", ""}, {"1.2.3.256", ""}, {"256.1", ""}, {"1.2.3.4.5", ""}, {"99999999999999999999", ""},
		{"09.1", ""}, {"a.1", ""}, {"a.0x1", ""}, {"1..2", ""}, {"a.0xg", "a.0xg"}, {"a.1b", "a.1b"},
		// With a sign, a host that looks like a number is a domain name.
		{"-1", "-1"}, {"1.2.3.-4", "1.2.3.-4"}, {"192.168.0-257", "192.168.0-257"}, {"+1.2", ""},
		{"[::1]", "[::1]"}, {"[1:0:0:2::]", "[1:0:0:2::]"}, {"[::ffff:1.2.3.4]", "[::ffff:102:304]"}, {"[::FFFF:0:1]", "[::ffff:0:1]"},
		{"[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"}, {"[::1", ""}, {"[::1%25eth0]", ""}, {"[1.2.3.4]", ""}, {"[]", ""}, {"[::01.2.3.4]", ""},
		{"b\u00fccher.example", "xn--bcher-kva.example"}, {"xn--a", ""}, {"\u00ad", ""}, {"a b", ""}, {"a%20b", ""}, {"a%00b", ""}, {"%ff", ""}, {"a%zz", ""},
		{"-a-.example", "-a-.example"}, {"\u2260", "xn--1ch"},
	} {
		got, ok := parseURLHost(tt.host, true)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%q: %q %v, want %q", tt.host, got, ok, tt.want)
		}
	}
}

// FuzzParseURL checks that canonical URLs are ASCII, and that parsing them
// again does not change them.
func FuzzParseURL(f *testing.F) {
	for _, text := range []string{"https://u:p@ex\u00e4mple.org:81/a/../b?c'd#e`", "file:C|/x/..", "foo:/..//a", "a:b c\xff", "http:\\\\1.2:443"} {
		f.Add(text)
	}
	parser, err := newURL(intray.Field{}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r := parser.Parse(Cell{Raw: []byte(text)}, nil); r.State == Parsed && len(r.Value) == 0 {
			t.Fatalf("%q has an empty value", text)
		}
		u, ok := parseURL(text)
		if !ok {
			return
		}
		for i := range len(u.href) {
			if c := u.href[i]; c < ' ' || c > '~' || c >= utf8.RuneSelf {
				t.Fatalf("%q: %q", text, u.href)
			}
		}
		if again, ok := parseURL(u.href); !ok || again.href != u.href || again.host != u.host {
			t.Fatalf("%q: %+v is read as %+v %v", text, u, again, ok)
		}
	})
}
