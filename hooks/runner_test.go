package hooks_test

import (
	"testing"

	"github.com/intraydata/intray/hooks"
)

func TestLoad(t *testing.T) {
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks("() => {}", "r => {\n ] }"))
		if failed := hookError(t, session.Load(t.Context())); failed.Hook != "rowHooks[1]" || failed.Line != 2 || !failed.Load {
			t.Errorf("got %+v", failed)
		}
		session = openSession(t, s, rowHooks("() => {}"))
		if err := session.Load(t.Context()); err != nil || len(session.PIDs()) != 1 {
			t.Errorf("%v, workers %v", err, session.PIDs())
		}
	})
}
