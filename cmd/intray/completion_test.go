package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		words, want string
	}{
		{"k", "keys"},
		{"comp", "completion"}, // the command that the scripts call is hidden
		{"keys ", "backup create list origins revoke rotate-master"},
		{"help ke", "keys"},
		{"help keys l", "list"},
		{"nonsense k", "keys"},
		{"run --s", "--schema --strict"},
		{"run people.csv --strict --sch", "--schema"},
		{"run people.csv --schema ", ""}, // a file name
		{"run ", ""},
		{"serve --hook-runtime ", "node quickjs"},
		{"serve --hook-runtime q", "quickjs"},
		{"serve --hook-runtime=q", "--hook-runtime=quickjs"},
		{"serve --hook-runtime = q", "quickjs"},
		{"serve --hook-runtime=node --hook-s", "--hook-sandbox"},
		{"keys create --kind ", "backend frontend"},
		{"completion ", "bash fish zsh"},
		{"completion bash ", ""},
	} {
		var out, stderr strings.Builder
		args := append([]string{"completion-candidates", "--"}, strings.Split(c.words, " ")...)
		if status := run(t.Context(), args, streams{nil, &out, &stderr}); status != exitDone {
			t.Errorf("%q: status %d: %s", c.words, status, stderr.String())
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			text, help, _ := strings.Cut(line, "\t")
			if strings.TrimSpace(help) == "" {
				t.Errorf("%q: %q has no description", c.words, text)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", c.words, diff)
		}
	}
}
