package xmlscan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
)

func TestAttr(t *testing.T) {
	s := open(t, `<a b="1" x:c="true" d="&lt;&x;" b="2" e=""/>`, partConfig)
	if found, err := s.Next(); found != Start || err != nil {
		t.Fatal(found, err)
	}
	if got := fmt.Sprintf("%s %s %v %v", s.Attr("b"), s.Attr("c"), s.Attr("x:c"), s.Attr("e") == nil); got != "1 true [] false" {
		t.Error(got)
	}
	if !s.AttrBool("b") || !s.AttrBool("c") || s.AttrBool("d") || s.AttrBool("none") {
		t.Error("wrong booleans")
	}
	for name, want := range map[string]string{"b": "1", "c": "true", "none": ""} {
		if got, err := s.AttrText(name); got != want || err != nil {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
	if _, err := s.AttrText("d"); err == nil {
		t.Error("no error for a value with an unknown entity")
	}
}

func TestIsTrue(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "true": true, "": false, "0": false, "TRUE": false, "11": false} {
		if IsTrue([]byte(value)) != want {
			t.Errorf("%q", value)
		}
	}
}

func TestIsSpace(t *testing.T) {
	for c := range 256 {
		if IsSpace(byte(c)) != strings.ContainsRune(" \t\r\n", rune(c)) {
			t.Errorf("%q", rune(c))
		}
	}
}

const (
	nsOne Namespace = iota + 1
	nsTwo
)

var spaces = Namespaces{
	ByURI: func(uri string) Namespace {
		switch uri {
		case "one&":
			return nsOne
		case "two":
			return nsTwo
		}
		return 0
	},
	Defaults: []Binding{{Prefix: "o", Namespace: nsOne}},
}

// TestNamespaces checks the namespace of each element and attribute.
func TestNamespaces(t *testing.T) {
	for part, want := range map[string]string{
		"<o:a/>":                            "1a ",
		"<x:a/>":                            "0a ",
		"<a/>":                              "0a ",
		`<a xmlns="two"/>`:                  "2a ",
		`<x:a xmlns:x="one&amp;" x:k="v"/>`: "1a k=v ",
		`<o:a xmlns:o="two"/>`:              "2a ",
		`<o:a xmlns:o="none" o:k="v"/>`:     "0a ",
		`<a xmlns="one&amp;" k="v"/>`:       "1a ",
		`<o:a><o:b xmlns:o="two"><o:c/></o:b><o:d/></o:a>`:                        "1a 2b 2c 1d ",
		`<o:a xmlns:o="one&amp;" xmlns="two"><b/></o:a>`:                          "1a 2b ",
		`<o:a><b xmlns="two"/><b/></o:a>`:                                         "1a 2b 0b ",
		`<o:a><o:b xmlns:o="two"><c xmlns:o="one&amp;"/><o:c/></o:b><o:d/></o:a>`: "1a 2b 0c 2c 1d ",
	} {
		cfg := partConfig
		cfg.Namespaces = &spaces
		s := open(t, part, cfg)
		got := ""
		for {
			found, err := s.Next()
			if err != nil {
				t.Fatalf("%s: %v", part, err)
			}
			if found == EOF {
				break
			}
			if found != Start {
				continue
			}
			for in := range nsTwo + 1 {
				if s.Is(in, string(s.Name)) {
					got += fmt.Sprintf("%d%s ", in, s.Name)
				}
			}
			if value := s.AttrIn(nsOne, "k"); value != nil {
				got += fmt.Sprintf("k=%s ", value)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", part, got, want)
		}
	}
}

func TestNamespaceLimits(t *testing.T) {
	cfg := partConfig
	cfg.Namespaces = &spaces
	many := func(n int) string { return "<a" + strings.Repeat(` xmlns:a="two" xmlns:a="one&amp;"`, n/2) + "/>" }
	if _, err := tokens(strings.NewReader(many(62)), cfg); err != nil {
		t.Error(err)
	}
	_, err := tokens(strings.NewReader(many(64)), cfg)
	if got := sourcetest.Outline(err); got != partProblem("xml.too_many_namespaces(limit: 64)") {
		t.Error(got)
	}
	if _, err := tokens(strings.NewReader(`<a xmlns="&x;"/>`), cfg); err == nil {
		t.Error("no error for a namespace with an unknown entity")
	}
	if s := open(t, "<a/>", partConfig); s.NamespaceOf(nil) != 0 || s.Is(nsOne, "") {
		t.Error("a scanner without namespaces binds one")
	}
}
