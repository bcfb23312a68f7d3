package jsregexp

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// told compares what is told of an expression before it is made and after.
func told(t *testing.T, source string, f Flags) {
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
	want := Report{Translated: e.Translated(), Risk: e.Risky(), Empty: empty}
	if errors.Is(err, ErrTimeout) {
		want.Empty = report.Empty
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("%v (-made +told):\n%s", e, diff)
	}
	if quick, ok := Quick(source, f); ok {
		if found, err := quick.Match(nil); err != nil || found != want.Empty {
			t.Errorf("%v, made quickly: %t, %v", e, found, err)
		}
	}
}

// TestInspectTellsTheSame takes expressions out of the grammar, and beside it.
func TestInspectTellsTheSame(t *testing.T) {
	for _, c := range crossed {
		for bits, source := range c.sources {
			told(t, source, fuzzFlags(byte(bits)))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		q := newQuestion(random.IntN)
		told(t, q.P, flagsOf(q.F))
	}
}

// TestInspectOfLargeOnes holds what is not certain before a table is made.
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

// TestInspectOfWordEdges has one of which only the table can be made: spelled
// out for regexp2 it is too large.
func TestInspectOfWordEdges(t *testing.T) {
	source := "^" + strings.Repeat(`a\b `, 15_000)
	root, err := parse(source, Flags{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spell(root, Flags{}); err == nil {
		t.Fatal("it is not too large for regexp2")
	}
	told(t, source, Flags{})
}

// TestInspectIsQuick holds hostile sources to a small part of what making them
// takes.
func TestInspectIsQuick(t *testing.T) {
	for _, tt := range []struct{ source, flags string }{
		{`(?:[a-z]|\w{9}){200}x`, "i"},
		{`(?:a|b)*a(?:a|b){25}$`, ""},
		{`\p{L}{900}`, "u"},
	} {
		inspected := time.Hour
		for range 5 { // the machine may be busy with something else
			begin := time.Now()
			if _, err := Inspect(tt.source, flagsOf(tt.flags)); err != nil {
				t.Error(err)
			}
			inspected = min(inspected, time.Since(begin))
		}
		begin := time.Now()
		if _, err := Compile(tt.source, flagsOf(tt.flags)); err != nil {
			t.Error(err)
		}
		if made := time.Since(begin); inspected > made/2 {
			t.Errorf("/%s/%s is looked at in %v and made in %v", tt.source, tt.flags, inspected, made)
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
