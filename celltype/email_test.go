package celltype_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/source/sourcetest"
)

func email(t testing.TB) celltype.Parser {
	t.Helper()
	p, err := celltype.Compile(intray.Field{Key: "email", Type: intray.FieldType{Name: intray.TypeEmail}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFindingB16InternationalizedHost checks that an address with a host in any script is valid
// if the host has a valid ASCII form.
func TestFindingB16InternationalizedHost(t *testing.T) {
	for _, c := range []struct {
		raw   string
		state celltype.State
		value string
	}{
		{"info1@bäckerei1.de", celltype.Unchanged, ""},
		{"Info@BÄCKEREI.de", celltype.Unchanged, ""},
		{" info@bäckerei.de ", celltype.Parsed, "info@bäckerei.de"},
		{"info@пример.рф", celltype.Unchanged, ""},
		{"info@مثال.إختبار", celltype.Unchanged, ""},
		{"info@straße.de", celltype.Unchanged, ""},
		{"info@ba\u0308ckerei.de", celltype.Parsed, "info@bäckerei.de"},
		{"info@ｅｘａｍｐｌｅ.org", celltype.Parsed, "info@example.org"},
		{"info@例え。テスト", celltype.Parsed, "info@例え.テスト"},
		{"info@exam\u00adple.org", celltype.Parsed, "info@example.org"},
		{"bäcker@example.org", celltype.Invalid, ""},
		{"info@bäckerei", celltype.Invalid, ""},
		{"info@bäckerei..de", celltype.Invalid, ""},
		{"info@-bäckerei.de", celltype.Invalid, ""},
		{"info@bäck_erei.de", celltype.Invalid, ""},
		{"info@bäckerei.123", celltype.Invalid, ""},
		{"info@bäck erei.de", celltype.Invalid, ""},
		{"info@b\xe4ckerei.de", celltype.Invalid, ""},
		{"info@☃\u200d.de", celltype.Invalid, ""},
		{"a@" + strings.Repeat("ä", 60) + ".de", celltype.Invalid, ""},
		{"a@" + strings.Repeat("ä.", 2000) + "de", celltype.Invalid, ""},
	} {
		r := email(t).Parse(celltype.Cell{Raw: []byte(c.raw)}, nil)
		if r.State != c.state || string(r.Value) != c.value {
			t.Errorf("%q: got state %d, value %q; want %d, %q", c.raw, r.State, r.Value, c.state, c.value)
		}
	}
}

func TestEmail(t *testing.T) {
	label := strings.Repeat("a", 63)
	long := label + "." + label + "." + label + "." // 192 bytes
	for name, c := range map[string]struct {
		raw   string
		state celltype.State
		value string
	}{
		"plain":                    {"ada@example.org", celltype.Unchanged, ""},
		"capital letters stay":     {"Ada.Lovelace@Example.ORG", celltype.Unchanged, ""},
		"every sign of a word":     {".!#$%&'*+/=?^_`{|}~-"[1:] + "a@example.org", celltype.Unchanged, ""},
		"dots between":             {"a.b.c@example.org", celltype.Unchanged, ""},
		"a tag":                    {"ada+list@example.org", celltype.Unchanged, ""},
		"many labels":              {"a@b.c.d.e.example", celltype.Unchanged, ""},
		"a label of digits":        {"a@123.example", celltype.Unchanged, ""},
		"digits and hyphens":       {"a@1-2--3.x-y.z9", celltype.Unchanged, ""},
		"punycode":                 {"a@xn--bcher-kva.xn--p1ai", celltype.Unchanged, ""},
		"64 before the at":         {strings.Repeat("a", 64) + "@example.org", celltype.Unchanged, ""},
		"a label of 63":            {"a@" + label + ".org", celltype.Unchanged, ""},
		"a domain of 253":          {"a@" + long + strings.Repeat("b", 61), celltype.Unchanged, ""},
		"space around it":          {" \t ada@example.org\r\n", celltype.Parsed, "ada@example.org"},
		"a no-break space":         {"\u00a0ada@example.org", celltype.Parsed, "ada@example.org"},
		"empty":                    {"", celltype.Empty, ""},
		"white space":              {" \t\u2003 ", celltype.Empty, ""},
		"no at":                    {"ada.example.org", celltype.Invalid, ""},
		"two ats":                  {"a@b@example.org", celltype.Invalid, ""},
		"nothing before":           {"@example.org", celltype.Invalid, ""},
		"nothing behind":           {"ada@", celltype.Invalid, ""},
		"one label":                {"ada@localhost", celltype.Invalid, ""},
		"a last label of digits":   {"ada@example.123", celltype.Invalid, ""},
		"an IPv4 address":          {"ada@192.0.2.1", celltype.Invalid, ""},
		"an address in brackets":   {"ada@[192.0.2.1]", celltype.Invalid, ""},
		"a dot first":              {".ada@example.org", celltype.Unchanged, ""},
		"a dot last":               {"ada.@example.org", celltype.Unchanged, ""},
		"two dots":                 {"a..b@example.org", celltype.Unchanged, ""},
		"a domain dot first":       {"a@.example.org", celltype.Invalid, ""},
		"a domain dot last":        {"a@example.org.", celltype.Invalid, ""},
		"two domain dots":          {"a@example..org", celltype.Invalid, ""},
		"a hyphen first":           {"a@-example.org", celltype.Invalid, ""},
		"a hyphen last":            {"a@example-.org", celltype.Invalid, ""},
		"an underscore":            {"a@ex_ample.org", celltype.Invalid, ""},
		"65 before the at":         {strings.Repeat("a", 65) + "@example.org", celltype.Unchanged, ""},
		"a label of 64":            {"a@a" + label + ".org", celltype.Invalid, ""},
		"a domain of 254":          {"a@" + long + strings.Repeat("b", 62), celltype.Invalid, ""},
		"a space within":           {"ada lovelace@example.org", celltype.Invalid, ""},
		"quotes":                   {`"ada lovelace"@example.org`, celltype.Invalid, ""},
		"a comment":                {"ada(comment)@example.org", celltype.Invalid, ""},
		"a name and angles":        {"Ada <ada@example.org>", celltype.Invalid, ""},
		"two addresses":            {"a@example.org, b@example.org", celltype.Invalid, ""},
		"letters beyond ASCII":     {"zoë@example.org", celltype.Invalid, ""},
		"a domain beyond ASCII":    {"a@büro.example", celltype.Unchanged, ""},
		"bytes that are not UTF-8": {"a\xff@example.org", celltype.Invalid, ""},
		"a NUL":                    {"a\x00@example.org", celltype.Invalid, ""},
		"written out":              {"ada at example dot org", celltype.Invalid, ""},
		"an (at)":                  {"ada(at)example.org", celltype.Invalid, ""},
		"mailto":                   {"mailto:ada@example.org", celltype.Invalid, ""},
		"nothing but an at":        {"@", celltype.Invalid, ""},
		"an at and dots":           {".@.", celltype.Invalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := email(t).Parse(celltype.Cell{Raw: []byte(c.raw)}, nil)
			if got.State != c.state || string(got.Value) != c.value || (got.Problem != nil) != (c.state == celltype.Invalid) {
				t.Errorf("%q: state %d, value %q, problem %q; want state %d, value %q", c.raw, got.State, got.Value, got.Problem, c.state, c.value)
			}
		})
	}
}

func TestEmailUsesInvalidValueMessage(t *testing.T) {
	p, err := celltype.Compile(intray.Field{Type: intray.FieldType{Name: intray.TypeEmail}, InvalidValueMessage: "Ask the boss."})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Parse(celltype.Cell{Raw: []byte("x")}, nil).Problem; got.String() != "Ask the boss." {
		t.Errorf("the problem is %q", got)
	}
}

// TestParseCostsNoMemory checks that an address surrounded by white space is parsed without an
// allocation.
func TestParseCostsNoMemory(t *testing.T) {
	scratch := make([]byte, 0, 64)
	c := celltype.Cell{Raw: []byte(" ada@example.org ")}
	parser := email(t)
	if got := parser.Parse(c, scratch); string(got.Value) != "ada@example.org" {
		t.Errorf("the value is %q", got.Value)
	}
	if n := testing.AllocsPerRun(10, func() { parser.Parse(c, scratch) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

// html is the regular expression in the HTML standard for the input type email.
var html = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$")

// stated reports whether an address satisfies the documented rules of the type.
// It is independent of the parser.
func stated(address string) bool {
	if !html.MatchString(address) {
		return false
	}
	local, domain, _ := strings.Cut(address, "@")
	labels := strings.Split(domain, ".")
	last := labels[len(labels)-1]
	return local != "" && len(domain) <= 253 && len(labels) >= 2 && strings.Trim(last, "0123456789") != ""
}

func FuzzEmail(f *testing.F) {
	for _, seed := range []string{
		"ada@example.org", " ada@example.org ", "a@b@c.d", "a..b@c.d", "@", "", "a@1.2.3.4", "a@b.c1", "a@b.1c", "a@-b.c", "é@b.c", "a@b.c\x00", "\u00a0a@b.c",
	} {
		f.Add([]byte(seed))
	}
	parser := email(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		got := parser.Parse(celltype.Cell{Raw: raw}, nil)
		if string(raw) != before {
			t.Fatalf("the raw text %q became %q", before, raw)
		}
		trimmed := strings.TrimSpace(before)
		want := celltype.Invalid
		switch {
		case trimmed == "":
			want = celltype.Empty
		case stated(trimmed) && trimmed == before:
			want = celltype.Unchanged
		case stated(trimmed):
			want = celltype.Parsed
		}
		if got.State != want {
			t.Fatalf("%q: state %d, want %d", before, got.State, want)
		}
		if got.State == celltype.Parsed && string(got.Value) != trimmed {
			t.Fatalf("%q: value %q, want %q", before, got.Value, trimmed)
		}
		if (got.Problem != nil) != (want == celltype.Invalid) || got.Problem != nil && !utf8.ValidString(got.Problem.String()) {
			t.Fatalf("%q: problem %q", before, got.Problem)
		}
	})
}

// judged is an address and its verdict according to RFC 5321 and 5322.
type judged struct {
	Address   string `xml:"address"`
	Category  string `xml:"category"`
	Diagnosis string `xml:"diagnosis"`
}

// corpus reads the addresses of Dominic Sayers' isemail tests.
func corpus(t *testing.T, name string) []judged {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sourcetest.Corpus(t, "email"), "test", name))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Tests []judged `xml:"test"`
	}
	if err := xml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for i := range all.Tests {
		// In the corpus, symbols from U+2400 represent control characters.
		all.Tests[i].Address = strings.Map(func(r rune) rune {
			if r >= 0x2400 && r < 0x2420 {
				return r - 0x2400
			}
			return r
		}, all.Tests[i].Address)
	}
	return all.Tests
}

// strictRule maps each kind of address that RFC 5321 allows, but that the type and web forms
// reject, to the reason.
var strictRule = map[string]string{
	"ISEMAIL_RFC5321_TLD":            "a host of one label does not exist on the internet",
	"ISEMAIL_RFC5321_TLDNUMERIC":     "a last label of digits is the end of an IP address",
	"ISEMAIL_RFC5321_QUOTEDSTRING":   "the rule of HTML has no quotes",
	"ISEMAIL_RFC5321_ADDRESSLITERAL": "an IP address is not a host name",
	"ISEMAIL_RFC5321_IPV6DEPRECATED": "an IP address is not a host name",
}

// htmlRule maps each kind of address that RFC 5321 and 5322 reject, but that browsers accept,
// to the reason.
var htmlRule = map[string]string{
	"ISEMAIL_ERR_DOT_START":         "the rule of HTML takes dots at any place of the local part",
	"ISEMAIL_ERR_DOT_END":           "the rule of HTML takes dots at any place of the local part",
	"ISEMAIL_ERR_CONSECUTIVEDOTS":   "the rule of HTML takes dots at any place of the local part",
	"ISEMAIL_RFC5322_LOCAL_TOOLONG": "the rule of HTML knows no length of the local part",
}

// otherwise maps individual addresses to the reason why the type and the corpus disagree about
// them.
var otherwise = map[string]string{
	"test@io": "a host needs two labels, even where a country has put a mail server on its own",
	strings.Repeat("abcdefghijklmnopqrstuvwxyz", 2) + "abcdefghiklm@" + strings.Repeat(strings.Repeat("abcdefghijklmnopqrstuvwxyz", 2)+"abcdefghikl.", 2) +
		strings.Repeat("abcdefghijklmnopqrstuvwxyz", 2) + "abcdefghij": "each part has its length, and the rule of HTML knows no limit of the whole",
	strings.Repeat("1234567890", 5) + "123456789" + "0@" + strings.Repeat(strings.Repeat("1234567890", 5)+"123456789.", 3) + "12345.iana.org": "each part has its length, and the rule of HTML knows no limit of the whole",
}

// whyOtherwise returns the reason for a difference, or "".
func whyOtherwise(j judged) string {
	if reason := otherwise[j.Address]; reason != "" || !html.MatchString(j.Address) {
		return reason
	}
	return htmlRule[j.Diagnosis]
}

// TestEmailCorpus compares the results of the type with the verdicts of the corpus. In the
// corpus, an address is valid if it has no remark, or only one about its DNS entry. For the
// type, it is valid if the value equals the address. If the type dropped white space around the
// address, the corpus must accept the value.
func TestEmailCorpus(t *testing.T) {
	for file, want := range map[string]struct{ addresses, agree, differ int }{
		"tests.xml": {164, 159, 5}, "tests-original.xml": {279, 264, 15},
	} {
		t.Run(file, func(t *testing.T) {
			all := corpus(t, file)
			parser := email(t)
			valid := map[string]bool{}
			for _, j := range all {
				valid[j.Address] = j.Category == "ISEMAIL_VALID_CATEGORY" || j.Category == "ISEMAIL_DNSWARN"
			}
			agree, taken, strict, around, differ := 0, 0, 0, 0, 0
			for _, j := range all {
				got := parser.Parse(celltype.Cell{Raw: []byte(j.Address)}, nil)
				if got.State == celltype.Unchanged {
					taken++
				}
				if got.State == celltype.Parsed {
					around++
					if address := string(got.Value); !valid[address] && (address != strings.TrimSpace(j.Address) || !stated(address)) {
						t.Errorf("%q is parsed as %q, which is invalid", j.Address, address)
					}
				}
				if j.Category == "ISEMAIL_RFC5321" && got.State == celltype.Invalid {
					strict++
					if strictRule[j.Diagnosis] == "" {
						t.Errorf("%q is refused, and nobody knows why: %s", j.Address, j.Diagnosis)
					}
				}
				if (got.State == celltype.Unchanged) == valid[j.Address] {
					agree++
					continue
				}
				differ++
				reason := whyOtherwise(j)
				if reason == "" {
					t.Errorf("%q is judged otherwise, and nobody knows why: %s", j.Address, j.Diagnosis)
				}
				t.Logf("%.60q, %s: %s", j.Address, j.Diagnosis, reason)
			}
			t.Logf("%d of %d agree: %d taken; of those refused %d are for mail servers only, %d are taken without the white space around them", agree, len(all), taken, strict, around)
			if len(all) != want.addresses || agree != want.agree || differ != want.differ || agree < 150 {
				t.Errorf("%d addresses, %d agree, %d differ; want %+v", len(all), agree, differ, want)
			}
		})
	}
}
