package jsregexp

import (
	"strings"
	"testing"
)

// everyday holds typical expressions in schemas, each with text that it matches.
var everyday = []struct{ name, source, flags, text string }{
	{"code", `^[A-Z]{2}\d{4}$`, "", "AB1234"},
	{"digits", `^\d+$`, "", "0049301234567"},
	{"mail", `^[^@\s]+@[^@\s]+$`, "", "someone.else@example.com"},
	{"mail, umlaut", `^[^@\s]+@[^@\s]+$`, "", "jürgen.müller@example.com"},
	{"choice", `^(?:red|green|blue|yellow)$`, "i", "Yellow"},
	{"search", `GmbH|AG|KG`, "", "Müller Maschinenbau und Söhne GmbH"},
	{"letters", `^[\p{L} '-]+$`, "u", "Anne-Sophie O'Connor"},
	{"password", `^(?=.*[A-Z])(?=.*\d)(?!.*\s).{8,64}$`, "", "correctHorse7battery"},
	{"emoji", `^.{2,20}$`, "", "fine 😀"},
}

// BenchmarkMatch measures each engine on the same text.
func BenchmarkMatch(b *testing.B) {
	for _, tt := range everyday {
		e, err := Compile(tt.source, flagsOf(tt.flags))
		if err != nil {
			b.Fatal(err)
		}
		text := []byte(tt.text)
		for _, name := range []string{"the expression", "regexp", "regexp2"} {
			match := engines(b, e)[name]
			b.Run(tt.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if found, err := match(text); !found || err != nil {
						b.Fatal(found, err)
					}
				}
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, tt := range everyday {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(tt.source, flagsOf(tt.flags)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNoAllocation checks that matching text with a table does not allocate.
func TestNoAllocation(t *testing.T) {
	for _, tt := range everyday {
		e, err := Compile(tt.source, flagsOf(tt.flags))
		if err != nil {
			t.Fatal(err)
		}
		if !e.Translated() || e.clauses[0].table == nil {
			t.Errorf("%v has no table", e)
		}
		text := []byte(strings.Repeat(tt.text, 3))
		if n := testing.AllocsPerRun(10, func() { _, _ = e.Match(text) }); n != 0 {
			t.Errorf("%v allocates %v times", e, n)
		}
	}
}
