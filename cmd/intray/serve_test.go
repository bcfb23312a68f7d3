package main

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestBoundMemory(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	boundMemory()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit is %d although GOMEMLIMIT is set", got)
	}
	t.Setenv("GOMEMLIMIT", "")
	boundMemory()
	if got := debug.SetMemoryLimit(-1); got != softMemory {
		t.Errorf("the limit is %d, want %d", got, softMemory)
	}
}
