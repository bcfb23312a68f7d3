package store

import (
	"context"
	"time"

	"github.com/intraydata/intray/internal/service"
)

// claimNext steps through the index from one waiting organization to the next,
// so that a claim costs a few steps for each of them, however many imports wait
// and however many organizations do not. Joins that say the same were planned as
// scans of all imports, once for each organization.
const claimNext = `
	WITH RECURSIVE waiting (org) AS (
		SELECT min(org) FROM imports WHERE status = 'PENDING' AND queued <= $2
		UNION ALL
		SELECT (SELECT min(i.org) FROM imports i WHERE i.status = 'PENDING' AND i.queued <= $2 AND i.org > waiting.org)
		FROM waiting WHERE waiting.org IS NOT NULL)
	UPDATE imports SET status = 'RUNNING', run = run + 1, node = $1, modified = $2
	WHERE id = (
		SELECT next.id FROM imports next WHERE next.status = 'PENDING' AND next.queued <= $2 AND next.org = (
			SELECT o.id FROM waiting JOIN orgs o ON o.id = waiting.org
			WHERE (SELECT count(*) FROM imports b WHERE b.status = 'RUNNING' AND b.org = o.id) < $3
			ORDER BY o.served, o.created, o.id LIMIT 1)
		ORDER BY next.queued, next.id LIMIT 1)
	RETURNING ` + importColumns

func (r imports) Claim(ctx context.Context, node string, perOrg int, now time.Time) (service.Import, error) {
	// Two at once would count the same imports that run.
	if err := r.waitFor(ctx, lockClaim); err != nil {
		return service.Import{}, err
	}
	imp, err := one(ctx, r.txn, "import", importCells, claimNext, node, toMicros(now), perOrg)
	if err != nil {
		return service.Import{}, err
	}
	// Later than all others, even where two claims fall on one moment or the
	// clocks of two processes differ.
	return imp, r.touch(ctx, "organization", `
		UPDATE orgs SET served = (SELECT CASE WHEN max(served) >= $1 THEN max(served) + 1 ELSE $1 END FROM orgs)
		WHERE id = $2`, toMicros(now), imp.Org)
}
