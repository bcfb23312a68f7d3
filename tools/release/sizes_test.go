package main

import (
	"strings"
	"testing"
)

func TestModuleOf(t *testing.T) {
	modules := []string{"github.com/intraydata/intray", "golang.org/x/crypto", "golang.org/x/crypto/x509roots/fallback", "gopkg.in/yaml.v3"}
	for symbol, want := range map[string]string{
		"main.run": "github.com/intraydata/intray",
		"github.com/intraydata/intray/schema.Check":             "github.com/intraydata/intray",
		"github.com/intraydata/intrayother.Check":               "std",
		"golang.org/x/crypto/ssh.(*Client).Dial":                "golang.org/x/crypto",
		"golang.org/x/crypto/x509roots/fallback/bundle.Roots":   "golang.org/x/crypto/x509roots/fallback",
		"type:.eq.golang.org/x/crypto/ssh.handshake":            "golang.org/x/crypto",
		"go:itab.*golang.org/x/crypto/ssh.channel,io.Reader":    "golang.org/x/crypto",
		"gopkg.in/yaml%2ev3.Unmarshal":                          "gopkg.in/yaml.v3",
		"slices.Sort[go.shape.golang.org/x/crypto/ssh.channel]": "std",
		"runtime.main": "std",
	} {
		if got := moduleOf(symbol, modules); got != want {
			t.Errorf("%s belongs to %q, want %q", symbol, got, want)
		}
	}
}

func TestWriteSizes(t *testing.T) {
	var out strings.Builder
	if err := writeSizes(&out, map[string]int64{"std": 600, "example.org/large": 300}, 1000); err != nil {
		t.Fatal(err)
	}
	want := "  bytes   share\n" +
		"    600  60.0 %  std\n" +
		"    300  30.0 %  example.org/large\n" +
		"    100  10.0 %  " + otherBytes + "\n" +
		"   1000 100.0 %  the stripped program for linux/amd64\n"
	if squeeze(out.String()) != squeeze(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestCheckSize(t *testing.T) {
	if err := checkSize(maxProgram); err != nil {
		t.Error(err)
	}
	if err := checkSize(maxProgram + 1); err == nil || !strings.Contains(err.Error(), "50000001 bytes") {
		t.Errorf("a program that is too large: %v", err)
	}
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }
