package xmlscan

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source/sourcetest"
)

func TestNextChild(t *testing.T) {
	s := open(t, "<a>x<b>y<c/></b>z<d/></a>", partConfig)
	var got []string
	for depth := 0; ; {
		more, err := s.NextChild()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			if depth--; depth < 0 {
				break
			}
			continue
		}
		depth++
		got = append(got, s.FullName())
		if s.Depth() != depth {
			t.Errorf("<%s: depth %d, want %d", s.Name, s.Depth(), depth)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestForEachChild(t *testing.T) {
	s := open(t, "<a><b><c/></b>text<d/></a>", partConfig)
	if err := s.OpenRoot("a"); err != nil {
		t.Fatal(err)
	}
	var got []string
	visit := func() error {
		got = append(got, string(s.Name))
		return s.Skip()
	}
	if err := s.ForEachChild(visit); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "d"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s = open(t, "<a><b/><c/></a>", partConfig)
	stop := errors.New("stop")
	if err := errors.Join(s.OpenRoot("a"), s.ForEachChild(func() error { return stop })); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func TestOpenRoot(t *testing.T) {
	if err := open(t, "<?xml version='1.0'?><x:a/>", partConfig).OpenRoot("a"); err != nil {
		t.Error(err)
	}
	err := open(t, "<x:b/>", partConfig).OpenRoot("a")
	if got := sourcetest.Outline(err); got != partProblem("xml.wrong_root(expected: a, found: b)") {
		t.Error(got)
	}
	if err := open(t, "", partConfig).OpenRoot("a"); err == nil {
		t.Error("no error for a part without a root")
	}
}

// TestSkip checks the tokens after an element that is skipped with Skip or with SkipUnchecked.
func TestSkip(t *testing.T) {
	for part, want := range map[string]string{
		"<a><s/><b/></a>":                                          "<b>>",
		"<a><s></s><b/></a>":                                       "<b>>",
		"<a><s>t<c><s>u</s></c></s>v<b/></a>":                      "(v)<b>>",
		`<a><s k="/>" l='>"'><c k='/>'></c></s><b/></a>`:           "<b>>",
		"<a><s><![CDATA[</s>]]><!-- </s> --><?</s>?></s ><b/></a>": "<b>>",
	} {
		for name, skip := range map[string]func(*Scanner) error{"Skip": (*Scanner).Skip, "SkipUnchecked": (*Scanner).SkipUnchecked} {
			s := open(t, part, partConfig)
			if err := s.OpenRoot("a"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.NextChild(); err != nil {
				t.Fatal(err)
			}
			if err := skip(s); err != nil {
				t.Errorf("%s of %s: %v", name, part, err)
			}
			got := ""
			for found := none; found != EOF; {
				var err error
				if found, err = s.Next(); err != nil {
					t.Fatalf("after %s of %s: %v", name, part, err)
				}
				got += describe(s, found)
			}
			if got != want {
				t.Errorf("after %s of %s: %s, want %s", name, part, got, want)
			}
		}
	}
}

// TestSkipChecks checks which errors Skip and SkipUnchecked return.
func TestSkipChecks(t *testing.T) {
	for _, test := range []struct{ inside, checked, unchecked string }{
		{"<c d/>", "xml.invalid_tag()", ""},
		{"<c d></c>", "xml.invalid_tag()", ""},
		{"<c></d>", "xml.unopened_element()", ""},
		{strings.Repeat("<c>", 7), "workbook.part_too_deep(limit: 8, part: p)", "workbook.part_too_deep(limit: 8, part: p)"},
		{"<!DOCTYPE c>", "xml.doctype()", "xml.doctype()"},
		{"<c>", "xml.unopened_element()", "xml.unopened_element()"},
	} {
		for _, way := range []struct {
			skip func(*Scanner) error
			want string
		}{{(*Scanner).Skip, test.checked}, {(*Scanner).SkipUnchecked, test.unchecked}} {
			s := open(t, "<a><s>"+test.inside+"</s></a>", partConfig)
			if err := s.OpenRoot("a"); err != nil {
				t.Fatal(err)
			}
			_, err := s.NextChild()
			if err == nil {
				err = way.skip(s)
			}
			if way.want == "" && err != nil || !strings.Contains(sourcetest.Outline(err), way.want) {
				t.Errorf("%s: error %v, want %q", test.inside, err, way.want)
			}
		}
	}
}

func TestLeaveUnchecked(t *testing.T) {
	s := open(t, "<a><b><c><d/>", partConfig)
	for range 3 {
		if _, err := s.NextChild(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.LeaveUnchecked(2); sourcetest.Outline(err) != partProblem("xml.cut_short()") {
		t.Errorf("error %v", err)
	}
	s = open(t, "<a><b><c/>text</b><d/></a>", partConfig)
	for range 3 {
		if _, err := s.NextChild(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.LeaveUnchecked(2); err != nil || s.Depth() != 1 {
		t.Errorf("depth %d, error %v", s.Depth(), err)
	}
	if more, err := s.NextChild(); !more || err != nil || string(s.Name) != "d" {
		t.Errorf("<%s, error %v", s.Name, err)
	}
}

// TestReadLeaf checks that ReadLeaf reads leaves and does not read other elements.
func TestReadLeaf(t *testing.T) {
	leaf := NewLeaf("c", "v")
	long := strings.Repeat("x", 1025)
	for inside, want := range map[string]string{
		"<v>12</v></c>": "12", "<v></v></c>": "", "<v> a\tb </v></c>": " a\tb ", "<v>" + long[1:] + "</v></c>": long[1:],
	} {
		s := open(t, "<r><c>"+inside+"<c/></r>", partConfig)
		for range 2 {
			if _, err := s.NextChild(); err != nil {
				t.Fatal(err)
			}
		}
		text, ok := s.ReadLeaf(&leaf)
		if !ok || string(text) != want || s.Depth() != 1 {
			t.Errorf("%.20s: %.20q, %v, depth %d", inside, text, ok, s.Depth())
		}
		if more, err := s.NextChild(); !more || err != nil || string(s.Name) != "c" {
			t.Errorf("after %.20s: <%s, error %v", inside, s.Name, err)
		}
	}
	for _, part := range []string{
		"<c><v>a&amp;b</v></c>", "<c><v>a\rb</v></c>", "<c><v>a\nb</v></c>", "<c><v>a<!-- --></v></c>", "<c><v>a</v ></c>", "<c><v>a</v> </c>",
		"<c><v k=''>a</v></c>", "<c> <v>a</v></c>", "<c/>", "<c><v>" + long + "</v></c>", "<c><w>a</w></c>", "<d><v>a</v></c>", "<c><v", "<c><v>a</v></", "<c>",
	} {
		s := open(t, part, partConfig)
		if _, err := s.NextChild(); err != nil {
			t.Fatal(err)
		}
		if text, ok := s.ReadLeaf(&leaf); ok || s.Depth() != 1 || s.pos != strings.Index(part, ">")+1 {
			t.Errorf("%.20s: %.20q, at byte %d", part, text, s.pos)
		}
	}
}

// FuzzSkip reads arbitrary parts. Start and end tokens must be nested correctly, and
// all methods of skipping the root element must end at the same byte.
func FuzzSkip(f *testing.F) {
	for _, part := range []string{`<a b="1"><c>d&amp;<![CDATA[e]]></c><!-- f --><?g?></a>`, "<a><b k='>'/></a > ", "\xFF\xFE<\x00a\x00/\x00>\x00", "<!DOCTYPE a><a/>", "<a></b>", "<x:a xmlns:x='two'/>"} {
		f.Add(part)
	}
	cfg := Config{Part: "p", TextBytes: 1 << 10, Depth: 16, Doctype: true, Namespaces: &spaces}
	f.Fuzz(func(t *testing.T, part string) {
		s, err := New(strings.NewReader(part), cfg)
		if err != nil {
			return
		}
		depth := 0
		var end int64
		for {
			found, err := s.Next()
			if err != nil {
				return
			}
			if found == EOF {
				break
			}
			switch found {
			case Start:
				depth++
			case End:
				depth--
			}
			if depth != s.Depth() {
				t.Fatalf("depth %d, want %d", s.Depth(), depth)
			}
			if depth == 0 {
				end = s.base + int64(s.pos)
			}
		}
		for name, skip := range map[string]func(*Scanner) error{"Skip": (*Scanner).Skip, "SkipUnchecked": (*Scanner).SkipUnchecked} {
			s, err := New(strings.NewReader(part), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = s.NextChild(); err == nil {
				err = skip(s)
			}
			if got := s.base + int64(s.pos); err != nil || got != end {
				t.Fatalf("%s ends at byte %d, want %d, error %v", name, got, end, err)
			}
		}
	})
}
