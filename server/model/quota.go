package model

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
)

// Quota is the name of a limit on what one organization uses.
type Quota string

// The quotas.
const (
	// ImportQuota limits the imports that exist, in any status.
	ImportQuota Quota = "imports"
	// QueuedImportQuota limits the imports that are Pending or Running.
	QueuedImportQuota Quota = "queued-imports"
	// StoredBytesQuota limits the size of received files, results, and the files and states of
	// sessions. It does not include staged rows.
	StoredBytesQuota Quota = "stored-bytes"
	// SchemaQuota limits the saved schemas.
	SchemaQuota Quota = "schemas"
	// SessionQuota limits the sessions.
	SessionQuota Quota = "sessions"
	// SessionStateBytesQuota limits the total size of the states of sessions, which are in the
	// database.
	SessionStateBytesQuota Quota = "session-state-bytes"
	// CredentialQuota limits the SFTP credentials.
	CredentialQuota Quota = "sftp-credentials"
	// StreamQuota and ReviewStreamQuota limit the event streams in one process: those of an
	// organization, and those of the review of one import.
	StreamQuota       Quota = "event-streams"
	ReviewStreamQuota Quota = "event-streams-per-review"
)

// quotaKinds describes each quota.
var quotaKinds = map[Quota]struct {
	// limit is the default limit. 0 means no limit.
	limit   int64
	message string
	// retryAfter is the time after which a retry may succeed. It is 0 if the organization must
	// delete something first.
	retryAfter time.Duration
}{
	ImportQuota:            {limit: 1_000_000, message: "quota.imports"},
	QueuedImportQuota:      {limit: 10_000, message: "quota.queued_imports", retryAfter: 10 * time.Second},
	StoredBytesQuota:       {message: "quota.stored_bytes"},
	SchemaQuota:            {limit: 10_000, message: "quota.schemas"},
	SessionQuota:           {limit: 100_000, message: "quota.sessions"},
	SessionStateBytesQuota: {limit: 4 << 30, message: "quota.session_state_bytes"},
	CredentialQuota:        {limit: 1_000, message: "quota.sftp_credentials"},
	StreamQuota:            {limit: 500, message: "quota.event_streams", retryAfter: 30 * time.Second},
	ReviewStreamQuota:      {limit: 50, message: "quota.event_streams_per_review", retryAfter: 30 * time.Second},
}

// AllQuotas returns all quotas, in the order in which documents list them.
func AllQuotas() []Quota {
	return []Quota{ImportQuota, QueuedImportQuota, StoredBytesQuota, SchemaQuota, SessionQuota, SessionStateBytesQuota, CredentialQuota, StreamQuota, ReviewStreamQuota}
}

// Quotas contains the limits that differ from the defaults. 0 means no limit. The zero value
// contains the default limits.
type Quotas struct {
	// ForAll applies to each organization. ByOrg applies to single organizations, by id, and takes
	// precedence.
	ForAll map[Quota]int64
	ByOrg  map[string]map[Quota]int64
}

// Limit returns the limit of a quota for an organization. 0 means no limit. If org is "", it
// returns the limit for organizations without their own.
func (q Quotas) Limit(org string, quota Quota) int64 {
	if limit, ok := q.ByOrg[org][quota]; ok {
		return limit
	}
	if limit, ok := q.ForAll[quota]; ok {
		return limit
	}
	return quotaKinds[quota].limit
}

// Usage contains the amounts of resources that an organization uses, for comparison with its
// quotas.
type Usage struct {
	Org string
	// The numbers of imports, by status. InProgress counts those that are Pending or Running.
	AwaitingUpload, InProgress, NeedsReview, Successful, Failed int64
	// FileBytes is the size of the received files and results of imports.
	FileBytes                                        int64
	Schemas, Sessions                                int64
	SessionFileBytes, SessionStateBytes, Credentials int64
}

// Imports returns the number of imports.
func (u Usage) Imports() int64 {
	return u.AwaitingUpload + u.InProgress + u.NeedsReview + u.Successful + u.Failed
}

// Of returns the part of the usage that a quota limits. It returns 0 for event streams, which are
// not stored.
func (u Usage) Of(quota Quota) int64 {
	switch quota {
	case ImportQuota:
		return u.Imports()
	case QueuedImportQuota:
		return u.InProgress
	case StoredBytesQuota:
		return u.FileBytes + u.SessionFileBytes + u.SessionStateBytes
	case SchemaQuota:
		return u.Schemas
	case SessionQuota:
		return u.Sessions
	case SessionStateBytesQuota:
		return u.SessionStateBytes
	case CredentialQuota:
		return u.Credentials
	case StreamQuota, ReviewStreamQuota:
	}
	return 0
}

// Sum returns the sum of usages. Its Org is "".
func Sum(usages []Usage) (all Usage) {
	for _, u := range usages {
		all.AwaitingUpload += u.AwaitingUpload
		all.InProgress += u.InProgress
		all.NeedsReview += u.NeedsReview
		all.Successful += u.Successful
		all.Failed += u.Failed
		all.FileBytes += u.FileBytes
		all.Schemas += u.Schemas
		all.Sessions += u.Sessions
		all.SessionFileBytes += u.SessionFileBytes
		all.SessionStateBytes += u.SessionStateBytes
		all.Credentials += u.Credentials
	}
	return all
}

// Addition is an amount to be added to the usage of an organization.
type Addition struct {
	Quota Quota
	N     int64
}

// limits reports whether a quota limits any of the additions of an organization.
func (e *Env) limits(org string, additions []Addition) bool {
	return slices.ContainsFunc(additions, func(add Addition) bool { return add.N > 0 && e.Limit(org, add.Quota) > 0 })
}

// CheckQuotas returns an OverQuota or TooMany error if the additions would make an organization
// exceed a quota. In an Update, it locks the usage of an organization that is near a limit: no other
// transaction can use the rest of the quota until this transaction ends. A limit can be exceeded by
// 1 % for each further process, see recentUsage. An addition of 0 or less is always allowed.
func (e *Env) CheckQuotas(ctx context.Context, tx Tx, org string, additions ...Addition) error {
	if !e.limits(org, additions) {
		return nil
	}
	if e.recentUsage.allow(e.Limit, org, e.Now(), additions) {
		return nil
	}
	used, err := tx.Usage.Get(ctx, org)
	if err != nil {
		return err
	}
	if err := e.CheckUsage(used, additions...); err != nil {
		return err
	}
	e.recentUsage.record(used, e.Now(), additions)
	return nil
}

// recentUsage remembers the usage of organizations that are far below their limits, so that most
// additions need no query. The zero value is ready to use.
type recentUsage struct {
	mu   sync.Mutex
	orgs map[string]*usageRecord
}

// usageRecord is the usage of an organization at a point in time, and what this process has added
// since then.
type usageRecord struct {
	used  Usage
	at    time.Time
	added map[Quota]int64
}

const (
	// trustUsageFor is the maximum age of a usage that is relied on without a query.
	trustUsageFor = time.Minute
	// maxRecentUsages is the maximum number of organizations whose usage is remembered.
	maxRecentUsages = 10_000
)

// allow reports whether the additions are certainly allowed, and counts them if so: the usage was
// read within the last minute, it is below 90 % of each limit, and this process has since added at
// most 1 % of the limit. If several processes add at the same time, each can therefore exceed the
// limit by 1 %.
func (r *recentUsage) allow(limitOf func(org string, quota Quota) int64, org string, now time.Time, additions []Addition) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	record := r.orgs[org]
	if record == nil || now.Sub(record.at) > trustUsageFor || now.Before(record.at) {
		return false
	}
	for _, add := range additions {
		limit := limitOf(org, add.Quota)
		if limit > 0 && add.N > 0 && (record.added[add.Quota]+add.N > limit/100 || record.used.Of(add.Quota) > limit/10*9) {
			return false
		}
	}
	for _, add := range additions {
		record.added[add.Quota] += max(add.N, 0)
	}
	return true
}

// record remembers the usage of an organization to which the additions are made.
func (r *recentUsage) record(used Usage, now time.Time, additions []Addition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.orgs == nil || len(r.orgs) >= maxRecentUsages && r.orgs[used.Org] == nil {
		r.orgs = map[string]*usageRecord{}
	}
	added := map[Quota]int64{}
	for _, add := range additions {
		added[add.Quota] += max(add.N, 0)
	}
	r.orgs[used.Org] = &usageRecord{used, now, added}
}

// CheckQuotasEarly is like CheckQuotas, in a transaction of its own. It refuses work before the work
// begins, but only CheckQuotas guarantees that no quota is exceeded.
func (e *Env) CheckQuotasEarly(ctx context.Context, org string, additions ...Addition) error {
	if !e.limits(org, additions) || e.recentUsage.allow(e.Limit, org, e.Now(), additions) {
		return nil
	}
	return e.Store.View(ctx, func(tx Tx) error { return e.CheckQuotas(ctx, tx, org, additions...) })
}

// ImportAdditions returns what a new import with a file of the given size adds. An import without
// a file does not wait for a worker yet, but it is refused as well while too many imports wait.
func ImportAdditions(size int64) []Addition {
	return []Addition{{ImportQuota, 1}, {QueuedImportQuota, 1}, {StoredBytesQuota, size}}
}

// CheckUsage is like CheckQuotas, for usage that is already known.
func (e *Env) CheckUsage(used Usage, additions ...Addition) error {
	for _, add := range additions {
		if err := e.CheckQuota(used.Org, add, used.Of(add.Quota)); err != nil {
			return err
		}
	}
	return nil
}

// CheckQuota is like CheckQuotas, for one quota of which the organization uses the given amount.
func (e *Env) CheckQuota(org string, add Addition, used int64) error {
	limit := e.Limit(org, add.Quota)
	if limit <= 0 || add.N <= 0 || used+add.N <= limit {
		return nil
	}
	if e.OverQuota != nil {
		e.OverQuota(org, add.Quota)
	}
	kind := quotaKinds[add.Quota]
	err := NewError(OverQuota, add.Quota.Code(), intray.NewMessage(kind.message, intray.Params{"limit": limit, "used": used}))
	if kind.retryAfter > 0 {
		err.Kind, err.RetryAfter = TooMany, kind.retryAfter
	}
	return err
}

// Code returns the code of the errors for requests that exceed the quota, such as
// "quota_stored_bytes".
func (q Quota) Code() string { return "quota_" + strings.ReplaceAll(string(q), "-", "_") }
