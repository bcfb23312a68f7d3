package model

import "context"

// scopeKey is the key of the scope in a context.
type scopeKey struct{}

// allOrgs is the scope of work that concerns all organizations. No organization has this id.
const allOrgs = "*"

// InOrg returns a context for calls of a [Store] that concern one organization. On PostgreSQL,
// such calls can read and change only the rows of this organization, whatever their queries say.
func InOrg(ctx context.Context, org string) context.Context {
	return context.WithValue(ctx, scopeKey{}, org)
}

// AcrossOrgs returns a context for calls of a [Store] that concern all organizations, such as
// authentication, claims and maintenance.
func AcrossOrgs(ctx context.Context) context.Context {
	return context.WithValue(ctx, scopeKey{}, allOrgs)
}

// OrgScope returns the id of the organization whose rows calls with ctx can reach, "*" if they can
// reach all rows, or "" if neither InOrg nor AcrossOrgs was called. They then fail on PostgreSQL.
func OrgScope(ctx context.Context) string {
	scope, _ := ctx.Value(scopeKey{}).(string)
	return scope
}
