package service

import (
	"context"

	"github.com/intraydata/intray/server/model"
)

// MoveTo changes the status of an import.
func (s *Service) MoveTo(ctx context.Context, imp model.Import, next model.Status) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error { return s.Transition(ctx, tx, &imp, next) })
}

// IsSuspect reports whether the service has found damage in the data with a key or prefix and
// still remembers it.
func (s *Service) IsSuspect(key string) bool { return s.env.IsSuspect(key) }
