package store

import (
	"context"
	"time"

	"github.com/intraydata/intray/internal/service"
)

// Claim finds the organization first and then its import, so that it costs a
// few steps in an index for each organization that must wait, however many
// imports do.
func (r imports) Claim(ctx context.Context, node string, perOrg int, now time.Time) (service.Import, error) {
	if err := r.waitFor(ctx, lockClaim); err != nil {
		return service.Import{}, err
	}
	imp, err := one(ctx, r.txn, "import", importCells, `
		UPDATE imports SET status = 'RUNNING', run = run + 1, node = $1, modified = $2
		WHERE id = (
			SELECT next.id FROM imports next WHERE next.status = 'PENDING' AND next.org = (
				SELECT o.id FROM orgs o
				WHERE EXISTS (SELECT 1 FROM imports p WHERE p.status = 'PENDING' AND p.org = o.id)
				AND (SELECT count(*) FROM imports b WHERE b.status = 'RUNNING' AND b.org = o.id) < $3
				ORDER BY o.served, o.created, o.id LIMIT 1)
			ORDER BY next.queued, next.id LIMIT 1)
		RETURNING `+importColumns, node, toMicros(now), perOrg)
	if err != nil {
		return service.Import{}, err
	}
	// Later than all others, even where two claims fall on one moment or the
	// clocks of two processes differ.
	return imp, r.touch(ctx, "organization", `
		UPDATE orgs SET served = (SELECT CASE WHEN max(served) >= $1 THEN max(served) + 1 ELSE $1 END FROM orgs)
		WHERE id = $2`, toMicros(now), imp.Org)
}
