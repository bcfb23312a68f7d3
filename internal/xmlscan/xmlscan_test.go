package xmlscan

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/sourcetest"
)

// partConfig is the configuration for a part with short text.
var partConfig = Config{Part: "p", TextBytes: 1 << 10, Depth: 8}

// describe returns a token as text: "<" with the name and attributes for a start, text in
// parentheses, a CDATA section in brackets, or ">" for an end.
func describe(s *Scanner, found Token) string {
	switch found {
	case Start:
		text := "<" + s.FullName()
		for i := range s.NumAttrs() {
			text += fmt.Sprintf(" %s|%s=%s", s.AttrPrefix(i), s.AttrName(i), s.AttrValue(i))
		}
		return text
	case End:
		return ">"
	case Text:
		if s.CDATA {
			return "[" + string(s.Text) + "]"
		}
		return "(" + string(s.Text) + ")"
	}
	return ""
}

// tokens returns all tokens of a part as text.
func tokens(src io.Reader, cfg Config) (text string, err error) {
	s, err := New(src, cfg)
	for err == nil {
		var found Token
		if found, err = s.Next(); err == nil && found == EOF {
			return text, nil
		}
		if err == nil {
			text += describe(s, found)
		}
	}
	return text, err
}

// open returns a scanner for a valid part.
func open(t *testing.T, part string, cfg Config) *Scanner {
	t.Helper()
	s, err := New(strings.NewReader(part), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNext(t *testing.T) {
	decoded, doctype := partConfig, partConfig
	decoded.Decoded, doctype.Doctype = true, true
	for name, test := range map[string]struct {
		cfg        Config
		part, want string
	}{
		"elements":               {partConfig, "<a><b/><c></c></a>", "<a<b><c>>"},
		"white space in tags":    {partConfig, "<a\n b = '1'\tc\r=\n\"2\" ><d /></a\t>", "<a |b=1 |c=2<d>>"},
		"attributes":             {partConfig, `<a b="1" x:c='"2>'/>`, `<a |b=1 x|c="2>>`},
		"an empty value":         {partConfig, `<a b=""/>`, "<a |b=>"},
		"two colons":             {partConfig, `<a x:y:z="1"/>`, "<a x|y:z=1>"},
		"prefixes":               {partConfig, "<x:a><y:a/></x:a>", "<x:a<y:a>>"},
		"texts":                  {partConfig, "<a>b &amp; c<d/>e</a>", "<a(b &amp; c)<d>(e)>"},
		"literal texts":          {partConfig, "<a><![CDATA[<b>]]]]><![CDATA[&]]></a>", "<a[<b>]]][&]>"},
		"comments":               {partConfig, "<!-- < --><a><!-- > - -- --></a><!-- -->", "<a>"},
		"instructions":           {partConfig, "<?xml version='1.0'?>\n<?b <c> ?><a><?d?></a>", "<a>"},
		"white space outside":    {partConfig, " \t\r\n<a/> \n", "<a>"},
		"a byte order mark":      {partConfig, "\uFEFF<a/>", "<a>"},
		"marks in decoded text":  {decoded, "\uFEFF\n<a/>\uFEFF", "<a>"},
		"decoded UTF-16":         {decoded, `<?xml version="1.0" encoding="Shift_JIS"?><a/>`, "<a>"},
		"a DOCTYPE":              {doctype, `<!DOCTYPE a PUBLIC "-//b" "c.dtd"><a/>`, "<a>"},
		"a long name":            {partConfig, "<" + strings.Repeat("n", 256) + "/>", "<" + strings.Repeat("n", 256) + ">"},
		"names of other letters": {partConfig, "<_a><:b/><é/></_a>", "<_a<:b><é>>"},
		"a text of more buffers": {Config{TextBytes: 1 << 20, Depth: 1}, "<a>" + strings.Repeat("b", 1<<18) + "</a>", "<a(" + strings.Repeat("b", 1<<18) + ")>"},
	} {
		for kind, src := range map[string]io.Reader{"at once": strings.NewReader(test.part), "slowly": iotest.OneByteReader(strings.NewReader(test.part)), "with the end": iotest.DataErrReader(strings.NewReader(test.part))} {
			got, err := tokens(src, test.cfg)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%s, %s: error %v (-want +got):\n%.500s", name, kind, err, diff)
			}
		}
	}
}

// TestScanAcrossBuffer moves the end of the buffer through every token, and checks that each
// method of reading and skipping still returns the expected tokens.
func TestScanAcrossBuffer(t *testing.T) {
	const inside = `<b c="d>" e='"'/><!-- <x> --><?p ?><f>g&amp;h<![CDATA[i<]]></f >`
	for shift := range len(inside) + 10 {
		pad := strings.Repeat(" ", bufferBytes-shift-len("<a><s>"))
		for kind, skip := range map[string]func(*Scanner) error{"read": nil, "skipped": (*Scanner).Skip, "skipped unchecked": (*Scanner).SkipUnchecked} {
			s, err := New(iotest.OneByteReader(strings.NewReader(`<a><s>`+pad+inside+`</s><z/></a>`)), partConfig)
			if err != nil {
				t.Fatal(err)
			}
			got, want := "", "<a<s><z>>"
			if skip == nil {
				want = `<a<s<b |c=d> |e=">` + `<f(g&amp;h)[i<]>><z>>`
			}
			for found := none; found != EOF; {
				if found, err = s.Next(); err != nil {
					t.Fatalf("shift %d, %s: %v", shift, kind, err)
				}
				if found != Text || s.CDATA || strings.TrimSpace(string(s.Text)) != "" {
					got += describe(s, found)
				}
				if skip != nil && found == Start && string(s.Name) == "s" {
					if err := skip(s); err != nil {
						t.Fatalf("shift %d, %s: %v", shift, kind, err)
					}
					got += ">"
				}
			}
			if got != want {
				t.Fatalf("shift %d, %s: %s, want %s", shift, kind, got, want)
			}
		}
	}
}

// partProblem returns the outline of the error for a malformed part p with the given problem.
func partProblem(problem string) string {
	return "workbook.damaged(problem: workbook.part(part: p, problem: " + problem + "))"
}

func TestMalformed(t *testing.T) {
	for name, test := range map[string]struct{ part, want string }{
		"empty":                      {"", "xml.empty()"},
		"white space":                {" \n", "xml.empty()"},
		"not XML":                    {"hello", "xml.text_outside()"},
		"text before it":             {"a<a/>", "xml.text_outside()"},
		"two documents":              {"<a/>\n<b/>", "xml.several_roots()"},
		"a DOCTYPE":                  {"<!DOCTYPE a><a/>", "xml.doctype()"},
		"a DOCTYPE within":           {"<a><!DOCTYPE a></a>", "xml.doctype()"},
		"an entity":                  {"<a><!ENTITY b 'c'></a>", "xml.doctype()"},
		"crossed tags":               {"<a><b></a></b>", "xml.unopened_element()"},
		"another prefix":             {"<x:a></y:a>", "xml.unopened_element()"},
		"no name":                    {"< a/>", "xml.invalid_tag()"},
		"a digit":                    {"<1/>", "xml.invalid_tag()"},
		"a name too long":            {"<" + strings.Repeat("n", 257) + "/>", "xml.invalid_tag()"},
		"an attribute without value": {"<a b/>", "xml.invalid_tag()"},
		"a value without quotes":     {"<a b=c/>", "xml.invalid_tag()"},
		"a value without a name":     {"<a ='c'/>", "xml.invalid_tag()"},
		"a prefix without a name":    {"<a x:='c'/>", "xml.invalid_tag()"},
		"a tag in a tag":             {"<a <b/>", "xml.invalid_tag()"},
		"a slash too many":           {"<a / >", "xml.invalid_tag()"},
		"another encoding":           {`<?xml version="1.0" encoding="Shift_JIS"?><a/>`, "xml.other_encoding(encoding: Shift_JIS)"},
		"no encoding":                {`<?xml version="1.0" encoding=""?><a/>`, "xml.other_encoding(encoding: )"},
		"cut in an element":          {"<a>", "xml.cut_short()"},
		"cut at a tag":               {"<a><", "xml.cut_short()"},
		"cut in a tag":               {"<a><b", "xml.cut_short()"},
		"cut after a slash":          {"<a/", "xml.cut_short()"},
		"cut in an attribute":        {"<a b", "xml.cut_short()"},
		"cut before a value":         {"<a b= ", "xml.cut_short()"},
		"cut in a value":             {"<a b='c>", "xml.cut_short()"},
		"cut in an end":              {"<a></a", "xml.cut_short()"},
		"cut in a comment":           {"<a><!-- ", "xml.cut_short()"},
		"cut in an instruction":      {"<?a", "xml.cut_short()"},
		"cut in a literal text":      {"<a><![CDATA[b]]", "xml.cut_short()"},
	} {
		_, err := tokens(strings.NewReader(test.part), partConfig)
		if got, want := sourcetest.Outline(err), partProblem(test.want); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestTrailing checks that text and elements after the root element are skipped and reported.
func TestTrailing(t *testing.T) {
	for part, want := range map[string]bool{
		"<a/>": false, "<a/> \r\n": false, "<a/><!-- x --> <?pi?>\n": false, "<a>b</a>" + strings.Repeat(" ", 200_000): false,
		"<a/>b": true, "<a/> b": true, "<a/></a>": true, "<a/><![CDATA[ ]]>": true, "<a/><!DOCTYPE b>": true, "<a/>\x00": true, "<a/><": true, "<a/><!-- x -->&x;": true, "<a/>" + strings.Repeat(" b", 200_000): true, "<a/>\uFEFF": true,
	} {
		s := open(t, part, partConfig)
		if err := s.OpenRoot("a"); err != nil {
			t.Fatal(err)
		}
		if err := s.Skip(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if found, err := s.Next(); found != EOF || err != nil || s.Trailing() != want {
				t.Errorf("%.20q: token %d, trailing %v, error %v", part, found, s.Trailing(), err)
			}
		}
	}
	decoded := partConfig
	decoded.Decoded = true
	s := open(t, "<a/>\uFEFF\n", decoded)
	for found, err := s.Next(); found != EOF; found, err = s.Next() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s.Trailing() {
		t.Error("a byte order mark is text")
	}
}

// TestDocument checks that errors name no part if the whole file is the part.
func TestDocument(t *testing.T) {
	document := Config{TextBytes: 100, TokenBytes: 100, Depth: 2}
	for name, test := range map[string]struct{ part, want string }{
		"empty":      {"", "workbook.damaged(problem: workbook.document(problem: xml.cut_short()))"},
		"not XML":    {"hello", "workbook.damaged(problem: workbook.document(problem: xml.text_outside()))"},
		"depth":      {"<a><a><a>", "workbook.too_deep(limit: 2)"},
		"a text":     {"<a>" + strings.Repeat("b", 101), "workbook.text_too_long(limit: 100)"},
		"a tag":      {"<a b='" + strings.Repeat("b", 101), "workbook.text_too_long(limit: 100)"},
		"attributes": {"<a" + strings.Repeat(" b=''", 1025), "workbook.part_too_many_attributes(limit: 1024, part: document)"},
	} {
		cfg := document
		if name == "attributes" {
			cfg.TokenBytes = 1 << 20
		}
		_, err := tokens(strings.NewReader(test.part), cfg)
		if got := sourcetest.Outline(err); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestLimits(t *testing.T) {
	small := partConfig
	small.TokenBytes = bufferBytes
	for name, test := range map[string]struct {
		cfg        Config
		part, want string
	}{
		"depth":              {partConfig, strings.Repeat("<a>", 9), "workbook.part_too_deep(limit: 8, part: p)"},
		"a text":             {partConfig, "<a>" + strings.Repeat("b", bufferBytes+1<<10), "workbook.part_text_too_long(limit: 1024, part: p)"},
		"a text of a buffer": {small, "<a>" + strings.Repeat("b", bufferBytes), "workbook.part_text_too_long(limit: 1024, part: p)"},
		"a literal text":     {partConfig, "<a><![CDATA[" + strings.Repeat("b", bufferBytes+1<<10), "workbook.part_text_too_long(limit: 1024, part: p)"},
		"a tag":              {partConfig, "<a b='" + strings.Repeat("b", bufferBytes+1<<10), "workbook.part_text_too_long(limit: 1024, part: p)"},
		"attributes":         {partConfig, "<a" + strings.Repeat(" b=''", 1025), "workbook.part_too_many_attributes(limit: 1024, part: p)"},
	} {
		_, err := tokens(strings.NewReader(test.part), test.cfg)
		if got := sourcetest.Outline(err); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	for name, part := range map[string]string{
		"depth":        strings.Repeat("<a>", 8) + strings.Repeat("</a>", 8),
		"attributes":   "<a" + strings.Repeat(" b=''", 1024) + "/>",
		"a text":       "<a>" + strings.Repeat("b", bufferBytes+1<<10-1) + "</a>",
		"long comment": "<!--" + strings.Repeat(" ", 1<<20) + "--><a/>",
	} {
		if _, err := tokens(strings.NewReader(part), partConfig); err != nil {
			t.Errorf("%s within the limit: %v", name, err)
		}
	}
}

func TestCheckText(t *testing.T) {
	s := open(t, "<a/>", partConfig)
	if err := s.CheckText(1 << 10); err != nil {
		t.Error(err)
	}
	if got, want := sourcetest.Outline(s.CheckText(1<<10+1)), sourcetest.Outline(s.TextTooLong()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s.Part() != "p" {
		t.Errorf("part %q", s.Part())
	}
}

func TestOffset(t *testing.T) {
	pad := strings.Repeat(" ", bufferBytes)
	part := "<a>" + pad + "<b/>" + pad + "<!-- --><c>" + pad + "</c>ü<d/></a>"
	s := open(t, part, partConfig)
	for {
		found, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if found == EOF {
			return
		}
		if found == Start {
			if want := strings.Index(part, "<"+string(s.Name)); s.Offset() != int64(want) {
				t.Errorf("<%s is at %d, not at %d", s.Name, s.Offset(), want)
			}
			if again := open(t, part[s.Offset():], partConfig); again != nil {
				if found, err := again.Next(); err != nil || found != Start || string(again.Name) != string(s.Name) {
					t.Errorf("a scanner at <%s finds <%s, error %v", s.Name, again.Name, err)
				}
			}
		}
	}
}

// failingAfter returns a reader that returns the first n bytes of the string text and then the
// error err.
func failingAfter(text string, n int, err error) io.Reader {
	return io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(err))
}

// TestReaderFails makes the reader fail after each byte. Every method of reading must
// return the error.
func TestReaderFails(t *testing.T) {
	const part = `<?xml version="1.0"?><!-- a --><a b="c">d<e><![CDATA[f]]></e><g/></a >`
	broken := errors.New("the store is broken")
	for n := range len(part) {
		for name, read := range map[string]func(*Scanner) error{
			"Next":           readAll,
			"Skip":           func(s *Scanner) error { return errors.Join(firstOf(s.NextChild()), s.Skip(), readAll(s)) },
			"SkipUnchecked":  func(s *Scanner) error { return errors.Join(firstOf(s.NextChild()), s.SkipUnchecked(), readAll(s)) },
			"LeaveUnchecked": func(s *Scanner) error { return errors.Join(firstOf(s.NextChild()), s.LeaveUnchecked(1), readAll(s)) },
			"ForEachChild":   func(s *Scanner) error { return errors.Join(s.ForEachChild(s.Skip), readAll(s)) },
			"OpenRoot":       func(s *Scanner) error { return errors.Join(s.OpenRoot("a"), readAll(s)) },
		} {
			for _, decoded := range []bool{true, false} {
				cfg := partConfig
				cfg.Decoded = decoded
				s, err := New(failingAfter(part, n, broken), cfg)
				if err == nil {
					err = read(s)
				}
				if !errors.Is(err, broken) {
					t.Fatalf("%s after %d bytes: %v", name, n, err)
				}
			}
		}
	}
	// The part is longer than the buffer of 64 KiB, so the scanner has to read more.
	long := "<a>" + strings.Repeat("<b>c</b>", bufferBytes/8) + "</a>"
	for _, n := range []int{bufferBytes, bufferBytes + 1, len(long) - 1} {
		s, err := New(failingAfter(long, n, broken), partConfig)
		if err != nil {
			t.Fatal(err)
		}
		if err := readAll(s); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func firstOf(_ bool, err error) error { return err }

func readAll(s *Scanner) error {
	for {
		if found, err := s.Next(); err != nil || found == EOF {
			return err
		}
	}
}

// idle is a reader that returns neither bytes nor an error.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestNoProgress(t *testing.T) {
	if _, err := New(idle{}, partConfig); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v", err)
	}
}

func TestMalformedByCaller(t *testing.T) {
	err := open(t, "<a/>", Config{Part: strings.Repeat("p", 200)}).Malformed(intray.NewMessage("xml.empty", nil))
	if got := sourcetest.Outline(err); got != strings.Replace(partProblem("xml.empty()"), "p,", strings.Repeat("p", 100)+"…,", 1) {
		t.Error(got)
	}
}
