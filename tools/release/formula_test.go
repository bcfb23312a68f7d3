package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormula(t *testing.T) {
	_, out := sampleRelease(t)
	text, err := os.ReadFile(filepath.Join(out, "intray.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		if target.os == "windows" {
			continue
		}
		name := target.fileName("1.2.3", ".tar.gz")
		sum, err := hashFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		want := "url \"https://github.com/intraydata/intray/releases/download/v1.2.3/" + name + "\"\n      sha256 \"" + sum + "\"\n"
		if !strings.Contains(string(text), want) {
			t.Errorf("the formula lacks\n%s\n%s", want, text)
		}
	}
}
