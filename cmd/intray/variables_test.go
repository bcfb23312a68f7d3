package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnusedVariables checks which variables have no effect, and the names that are suggested.
func TestUnusedVariables(t *testing.T) {
	got := []string{}
	for _, v := range unusedVariables(newProgram(), []string{
		"INTRAY_LISTEN=x", "INTRAY_MASTER_KEY=x", "INTRAY_FORMAT=x", "PATH=x", "INTRAY_LISTN=x", "INTRAY_DATABSE_URL=x", "INTRAY_SOMETHING_ELSE=x",
		"INTRAY_HOOK_JAIL=strict", "INTRAY_HOOK_BATCH=1s", "INTRAY_HOOK_TIMEOUT_PER_1000=2s",
		"INTRAY_SERVICE_HOST=x", "INTRAY_PORT=tcp://x", "INTRAY_PORT_8080_TCP_ADDR=x", "INTRAY_METRICS_SERVICE_PORT_HTTP=x",
	}) {
		got = append(got, v.problem()+" "+v.fix())
	}
	want := []string{
		"INTRAY_DATABSE_URL is ignored, because there is no such variable. Rename it to INTRAY_DATABASE_URL.",
		"INTRAY_HOOK_BATCH is ignored, because INTRAY_HOOK_TIMEOUT_PER_1000 is set, which is its current name. Unset it.",
		"INTRAY_HOOK_JAIL is the former name of INTRAY_HOOK_SANDBOX. Rename it to INTRAY_HOOK_SANDBOX.",
		"INTRAY_LISTN is ignored, because there is no such variable. Rename it to INTRAY_LISTEN.",
		"INTRAY_SOMETHING_ELSE is ignored, because there is no such variable. Unset it. For all variables, run: intray serve --help",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
