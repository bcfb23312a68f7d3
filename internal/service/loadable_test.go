package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/schemajson"
)

// TestHooksThatCannotBeLoaded wants what the engine of the hooks says of a schema
// to be told when it is saved, and when an import brings hooks of its own.
func TestHooksThatCannotBeLoaded(t *testing.T) {
	said := struct {
		warning intray.Message
		err     error
	}{}
	calls := 0
	f := newFixture(t, func(_ *fixture, cfg *service.Config) {
		cfg.CheckHooks = func(context.Context, intray.Hooks) (intray.Message, error) { calls++; return said.warning, said.err }
	})
	ctx := f.ctx
	hooks := map[string]any{"rowHooks": []any{"r => r"}}
	draft := service.SchemaDraft{Doc: schemajson.Doc{Name: "s", Fields: []any{map[string]any{"key": "a", "label": "A"}}, Hooks: hooks}}

	said.err = &intray.HookError{Hook: "rowHooks[0]", Line: 3, Column: 4, Text: intray.Literal("SyntaxError: what is this")}
	var refused *service.Error
	if _, _, err := f.CreateSchema(ctx, f.org, draft); !errors.As(err, &refused) || refused.Kind != service.Invalid || !strings.Contains(refused.Message.String(), "rowHooks[0] failed at line 3, column 4") || len(refused.Fields["hooks"]) != 1 {
		t.Errorf("a hook that cannot be loaded: %v", err)
	}
	said.err = errors.New("no process left")
	if _, _, err := f.CreateSchema(ctx, f.org, draft); err == nil || errors.As(err, &refused) {
		t.Errorf("a fault of the machinery is told as %v", err)
	}
	said.err, said.warning = nil, intray.Literal("nobody looked")
	saved, warnings, err := f.CreateSchema(ctx, f.org, draft)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "nobody looked") {
		t.Errorf("a schema whose hooks were not checked: %q, %v", warnings, err)
	}
	before := calls
	if _, err := f.CreateImport(ctx, f.org, service.NewImport{SchemaID: saved.ID}); err != nil || calls != before {
		t.Errorf("the hooks of a saved schema were checked again, or %v", err)
	}
	said.err = &intray.HookError{Hook: "rowHooks[0]", Text: intray.Literal("no")}
	if _, err := f.CreateImport(ctx, f.org, service.NewImport{SchemaID: saved.ID, Doc: schemajson.Doc{Hooks: hooks}}); !errors.As(err, &refused) || calls == before {
		t.Errorf("hooks of an import that cannot be loaded: %v", err)
	}
}
