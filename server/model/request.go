package model

import "context"

// RequestCheck returns an error if another process has taken over a request, because it considered the
// process that handles it dead.
type RequestCheck func(ctx context.Context, tx Tx) error

// requestCheckKey is the key of the RequestCheck in a context.
type requestCheckKey struct{}

// WithRequestCheck returns a context for the rest of a request with an idempotency key.
func WithRequestCheck(ctx context.Context, check RequestCheck) context.Context {
	return context.WithValue(ctx, requestCheckKey{}, check)
}

// CheckRequest calls the RequestCheck of ctx, if there is one. Call it at the beginning of a transaction that
// creates an object whose ID may be fixed. Otherwise, a process that was frozen could create an object
// again that another process has created for the same request, and that was deleted since.
func CheckRequest(ctx context.Context, tx Tx) error {
	if check, ok := ctx.Value(requestCheckKey{}).(RequestCheck); ok {
		return check(ctx, tx)
	}
	return nil
}
