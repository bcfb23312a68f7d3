package intray_test

import (
	"testing"

	"github.com/intraydata/intray"
)

func TestLevels(t *testing.T) {
	for _, level := range []intray.Level{intray.LevelError, intray.LevelWarning, intray.LevelInfo} {
		if got, ok := intray.ParseLevel(level.String()); !ok || got != level {
			t.Errorf("%v is read as %v, %v", level, got, ok)
		}
	}
	for _, name := range []string{"", "Error", "fatal"} {
		if _, ok := intray.ParseLevel(name); ok {
			t.Errorf("%q is read as a level", name)
		}
	}
}
