package hooks_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

func TestCheck(t *testing.T) {
	fine := "({row}) => ({row: {out: {value: row.n.value}}})"
	cases := []struct {
		name  string
		hooks intray.Hooks
		// hook is the one to blame; empty where there is none.
		hook, text   string
		line, column int
	}{
		{"none", intray.Hooks{}, "", "", 0, 0},
		{"all fine", intray.Hooks{Row: []string{fine}, Column: []intray.ColumnHook{{Field: "n", Source: "function (v) { return v; }"}}, BeforeFinish: "async finish() {}"}, "", "", 0, 0},
		{"syntax", intray.Hooks{Row: []string{fine, "() => {\n  let x = = 1;\n}"}}, "rowHooks[1]", "SyntaxError", 2, 11},
		{"two with mistakes", intray.Hooks{BulkRow: []string{"() => {\n\n let let;}", "(("}}, "bulkRowHooks[0]", "SyntaxError", 3, 0},
		{"step", intray.Hooks{Step: []intray.StepHook{{Step: intray.ReviewStep, Source: fine}, {Step: intray.UploadStep, Source: "() => { return ]; }"}}}, "stepHooks[1]", "SyntaxError", 1, 16},
		{"import", intray.Hooks{Row: []string{fine}, BeforeFinish: "() => import('fs')"}, "beforeFinishCallback", "import() is not there", 1, 7},
		{"no function", intray.Hooks{Column: []intray.ColumnHook{{Field: "n", Source: "17"}}}, "columnHooks[0]", "it must be a function", 1, 1},
		{"endless", intray.Hooks{Row: []string{fine, "(() => { for (;;); })()"}}, "rowHooks[1]", "longer than", 0, 0},
	}
	everywhereWith(t, hooks.Config{BatchTimeout: 400 * time.Millisecond}, func(t *testing.T, s *hooks.Runner) {
		for _, tt := range cases {
			err := s.Check(t.Context(), tt.hooks)
			if tt.hook == "" {
				if err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				continue
			}
			failed := hookError(t, err)
			if failed.Hook != tt.hook || !strings.Contains(failed.Text.String(), tt.text) || failed.Line != tt.line || tt.column > 0 && failed.Column != tt.column {
				t.Errorf("%s: %v", tt.name, failed)
			}
		}
		outlast(t, 1)
	})
}

// TestCheckGivenUp: who gives up, or has no pool any more, is not told of a hook.
func TestCheckGivenUp(t *testing.T) {
	c, err := sandbox.New(sandbox.Config{Mode: sandbox.BestEffort})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := hooks.New(c, hooks.Config{})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var failed *intray.HookError
	if err := s.Check(ctx, rowHooks("() => {}")); !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		t.Error(err)
	}
	c.Close()
	if err := s.Check(t.Context(), rowHooks("() => {}")); !errors.Is(err, sandbox.ErrClosed) {
		t.Error(err)
	}
}
