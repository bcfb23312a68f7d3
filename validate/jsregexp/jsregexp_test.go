package jsregexp

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustCompile(t tester, source, flags string) *Expr {
	t.Helper()
	e, err := Compile(source, flagsOf(flags))
	if err != nil {
		t.Fatalf("/%s/%s: %v", source, flags, err)
	}
	return e
}

func TestTranslated(t *testing.T) {
	for _, tt := range []struct {
		source, flags string
		want          bool
	}{
		{`^[A-Z]{2}\d{4}$`, "", true},
		{`^(a+)+$`, "i", true},
		{`^a{3000}$`, "", true},
		{`^.{0,1000}$`, "", true},
		{`^.{0,5000}$`, "", false},
		{`(?:a{40}){40}`, "", true},
		{`(?:a|b)*a(?:a|b){25}$`, "", true},
		{`^(?=.*\d)(?!.*\s).{8,}$`, "", true},
		{`^a$`, "m", true},
		{`(^|;)a(;|$)`, "m", true},
		{`a$\n^b`, "m", false},
		{`\bs`, "i", true},
		{`\bs`, "iu", false},
		{`a(?=b)`, "", false},
		{`(?<!a)b`, "", false},
		{`^(a)\1$`, "", false},
		{`(?:a|b)*a(?:a|b){25}c{3000}`, "", false},
	} {
		if got := mustCompile(t, tt.source, tt.flags).Translated(); got != tt.want {
			t.Errorf("/%s/%s: translated %t", tt.source, tt.flags, got)
		}
	}
}

func TestString(t *testing.T) {
	if got := mustCompile(t, "a.b", "usmi").String(); got != "/a.b/imsu" {
		t.Error(got)
	}
}

// TestTimeout checks that a match that would take too long is abandoned with ErrTimeout.
func TestTimeout(t *testing.T) {
	e := mustCompile(t, `^(?:(a+)+|\1b)$`, "")
	if limit := e.backtracker.re.MatchTimeout; limit != MatchLimit {
		t.Fatalf("the time limit of a match is %v", limit)
	}
	found, err := e.Match([]byte(long()))
	if found || !errors.Is(err, ErrTimeout) {
		t.Errorf("got %t, %v", found, err)
	}
	if strings.Contains(err.Error(), "aaa") {
		t.Errorf("the error quotes the text: %v", err)
	}
	if found, err = e.Match([]byte("aaa")); !found || err != nil {
		t.Errorf("after a match given up: %t, %v", found, err)
	}
}

// TestMemory checks that a match that needs too much memory is abandoned.
func TestMemory(t *testing.T) {
	e := mustCompile(t, `^(?:a|(b)|c\1)*$`, "")
	text := []byte(strings.Repeat("a", 2*maxStack))
	if _, err := e.Match(text); !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v", err)
	}
}

func TestInvalidText(t *testing.T) {
	for name, match := range engines(t, mustCompile(t, `^\ufffd{2}a$`, "")) {
		if found, err := match([]byte("\xff\xf0a")); !found || err != nil {
			t.Errorf("%s: %t, %v", name, found, err)
		}
	}
}

// TestTogether checks that several goroutines can use one expression of each kind at the same
// time.
func TestTogether(t *testing.T) {
	for _, source := range []string{`^\d+$`, `^(?=\d)(\d)\1+$`} {
		e := mustCompile(t, source, "")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 200 {
					if found, err := e.Match([]byte("1111")); !found || err != nil {
						t.Errorf("%v: %t, %v", e, found, err)
					}
				}
			})
		}
		all.Wait()
	}
}

// compareReports checks that the report from Inspect agrees with the compiled expression.
func compareReports(t *testing.T, source string, f Flags) {
	t.Helper()
	report, err := Inspect(source, f)
	e, made := Compile(source, f)
	if (err == nil) != (made == nil) || err != nil && err.Error() != made.Error() {
		t.Fatalf("/%s/%s: %v, and it is made with %v", source, f, err, made)
	}
	if err != nil {
		return
	}
	empty, err := e.Match(nil)
	want := Report{Translated: e.Translated(), Risk: e.Risk(), Empty: empty}
	if errors.Is(err, ErrTimeout) {
		want.Empty = report.Empty
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("%v (-made +told):\n%s", e, diff)
	}
	if quick, ok := CompileQuick(source, f); ok {
		if found, err := quick.Match(nil); err != nil || found != want.Empty {
			t.Errorf("%v, made quickly: %t, %v", e, found, err)
		}
	}
}

// TestInspectMatchesCompile checks that Inspect agrees with Compile for random
// expressions, including invalid ones.
func TestInspectMatchesCompile(t *testing.T) {
	for _, c := range crossed {
		for bits, source := range c.sources {
			compareReports(t, source, fuzzFlags(byte(bits)))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		q := newQuestion(random.IntN)
		compareReports(t, q.P, flagsOf(q.F))
	}
}

// TestInspectOfLargeOnes checks the reports of Inspect on expressions whose translation is
// uncertain until a table is built.
func TestInspectOfLargeOnes(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   Report
	}{
		{`^a{3000}$`, Report{}},
		{`^(?:a?){3000}$`, Report{Empty: true}},
		{`^.{0,5000}$`, Report{Empty: true}},
		{`^(?:a|b){1000}$`, Report{Translated: true}},
	} {
		got, err := Inspect(tt.source, Flags{})
		if err != nil || !strings.HasPrefix(got.Risk.String(), tt.want.Risk.String()) || got.Translated != tt.want.Translated || got.Empty != tt.want.Empty {
			t.Errorf("/%.20s/: %+v, %v, want %+v", tt.source, got, err, tt.want)
		}
	}
}

// TestInspectOfWordEdges checks the report of Inspect on an expression that only a table can
// run, because it is too large for regexp2.
func TestInspectOfWordEdges(t *testing.T) {
	source := "^" + strings.Repeat(`a\b `, 15_000)
	root, err := parse(source, Flags{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writeRegexp2(root, Flags{}); err == nil {
		t.Fatal("it is not too large for regexp2")
	}
	compareReports(t, source, Flags{})
}

// TestInspectIsQuick checks that Inspect needs far fewer allocations than
// Compile for hostile sources.
func TestInspectIsQuick(t *testing.T) {
	for _, tt := range []struct{ source, flags string }{
		{`(?:[a-z]|\w{9}){200}x`, "i"},
		{`(?:a|b)*a(?:a|b){25}$`, ""},
		{`\p{L}{900}`, "u"},
	} {
		inspected := testing.AllocsPerRun(1, func() {
			if _, err := Inspect(tt.source, flagsOf(tt.flags)); err != nil {
				t.Error(err)
			}
		})
		compiled := testing.AllocsPerRun(1, func() {
			if _, err := Compile(tt.source, flagsOf(tt.flags)); err != nil {
				t.Error(err)
			}
		})
		if inspected > compiled/2 {
			t.Errorf("/%s/%s: %v allocations to inspect, %v to compile", tt.source, tt.flags, inspected, compiled)
		}
	}
}

func BenchmarkInspect(b *testing.B) {
	hostile := struct{ name, source, flags, text string }{"hostile", `(?:[a-z]|\w{9}){200}x`, "i", ""}
	for _, tt := range append(everyday, hostile) {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Inspect(tt.source, flagsOf(tt.flags)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSyntaxErrors checks the position and the reason of syntax errors. The
// oracle tests check that JavaScript rejects the same expressions.
func TestSyntaxErrors(t *testing.T) {
	for _, tt := range []struct {
		source, flags string
		character     int
		reason        string
	}{
		{`a**`, "", 3, "nothing to repeat before *"},
		{`+`, "", 1, "nothing to repeat before +"},
		{`a|{2}`, "", 3, "nothing to repeat before the count"},
		{`a{3,2}`, "", 1, "{3,2} are out of order"},
		{`a{,2}`, "u", 2, "does not start a count"},
		{`(ab`, "", 1, "unterminated"},
		{`x(?:ab`, "", 4, "unterminated"},
		{`ab)`, "", 3, "unmatched"},
		{`😀)`, "", 2, "unmatched"},
		{`😀)`, "u", 2, "unmatched"},
		{`(?i:a)`, "", 1, "(? must be followed by"},
		{`[a-z`, "", 1, "add ]"},
		{`x[z-a]`, "", 3, `'z' comes after 'a'`},
		{`[\d-z]`, "u", 2, "cannot start or end with a class"},
		{`a\`, "", 2, "trailing backslash"},
		{`[\`, "", 2, "trailing backslash"},
		{`\-`, "u", 1, `\- is not a valid escape`},
		{`a}`, "u", 2, `write } as \}`},
		{`(a)\2`, "u", 4, "no group 2"},
		{`\00`, "u", 1, `the only numeric escape is \0`},
		{`\c1`, "u", 1, "a letter from A to Z"},
		{`\x4`, "u", 1, `\x must be followed by 2 hexadecimal digits`},
		{`\u00`, "u", 1, `\u must be followed by 4 hexadecimal digits`},
		{`\u{110000}`, "u", 1, "at most 10FFFF"},
		{`\p{Foo}`, "u", 1, `unknown Unicode property "Foo"`},
		{`\pL`, "u", 1, "a Unicode property in { }"},
		{`(?<a>x)\k<b>`, "", 8, `no group named "b"`},
		{`(?<a>x)\k`, "", 8, "a group name in < >"},
		{`(?<a>x)(?<a>y)`, "", 8, `two groups have the name "a"`},
		{`(?<1>x)`, "", 1, "must not start with a digit"},
		{`(?<>x)`, "", 1, "is empty"},
		{strings.Repeat("(", 300), "", 202, "more than 200 levels deep"},
		{strings.Repeat("a", maxSource+1), "", maxSource, "at most 131,072 bytes"},
	} {
		_, err := Compile(tt.source, flagsOf(tt.flags))
		var bad *SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("/%.20s/%s: %v", tt.source, tt.flags, err)
			continue
		}
		if bad.Character != tt.character || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("/%.20s/%s: %v; want character %d and %q", tt.source, tt.flags, err, tt.character, tt.reason)
		}
	}
}
