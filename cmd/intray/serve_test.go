package main

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	if limitMemory(0); debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Errorf("the limit is %d although GOMEMLIMIT is set", debug.SetMemoryLimit(-1))
	}
	t.Setenv("GOMEMLIMIT", "")
	if budget := limitMemory(0); debug.SetMemoryLimit(-1) != budget.Soft || budget.Imports < 1 || budget.Soft == math.MaxInt64 {
		t.Errorf("the limit is %d, the budget %+v", debug.SetMemoryLimit(-1), budget)
	}
}
