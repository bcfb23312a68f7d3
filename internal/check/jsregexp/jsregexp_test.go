package jsregexp

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
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

// TestTimeout wants a hopeless match to be given up, soon, and by name.
func TestTimeout(t *testing.T) {
	e := mustCompile(t, `^(?:(a+)+|\1b)$`, "")
	begin := time.Now()
	found, err := e.Match([]byte(long()))
	if found || !errors.Is(err, ErrTimeout) {
		t.Errorf("got %t, %v", found, err)
	}
	if strings.Contains(err.Error(), "aaa") {
		t.Errorf("the error quotes the text: %v", err)
	}
	if took := time.Since(begin); took > 20*MatchLimit {
		t.Errorf("the match was given up after %v", took)
	}
	if found, err = e.Match([]byte("aaa")); !found || err != nil {
		t.Errorf("after a match given up: %t, %v", found, err)
	}
}

// TestMemory wants a match to be given up that keeps too much in mind.
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

// TestTogether runs one expression of each kind from several goroutines.
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
