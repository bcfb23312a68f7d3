package script

import (
	"context"

	"github.com/intraydata/intray"
)

// Check says whether all hooks of a schema can be loaded: nil, or an
// [*intray.HookError] that names the hook and the line and column of its first
// mistake. A hook whose outermost code runs too long or ends its process is one
// that cannot be loaded. Every other error is a fault of the machinery.
//
// The hooks are loaded in a worker of their own, which is ended again; none of
// them is called.
func (s *Script) Check(ctx context.Context, hooks intray.Hooks) error {
	if hooks.Count() == 0 {
		return nil
	}
	session, err := s.Open(ctx, hooks, intray.Pins{})
	if err != nil {
		return err
	}
	one, err := session.take(ctx, nil)
	if err != nil {
		return err
	}
	session.drop(one)
	return nil
}
