package service

import "context"

// MoveTo is the one way in which a status changes.
func (s *Service) MoveTo(ctx context.Context, imp Import, next Status) error {
	return s.env.Store.Update(ctx, func(tx Tx) error { return s.transition(ctx, tx, &imp, next) })
}
