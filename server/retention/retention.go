// Package retention deletes expired parts of imports, orphaned blobs and, on request, imports
// and uploads. It stores a receipt for each deletion except that of orphaned blobs.
package retention

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// Service deletes data. All methods except CollectGarbage are safe for concurrent use.
type Service struct {
	env *model.Env
	// lastOrphanScan is the time when CollectGarbage last searched for orphaned blobs.
	lastOrphanScan time.Time
}

// New returns a Service.
func New(env *model.Env) *Service { return &Service{env: env} }

const (
	// maxDays is the maximum retention period, in days.
	maxDays = 36_500
	// maxRetentions is the maximum number of policies that an organization can have.
	maxRetentions = 500
	// orphanAfter is the minimum age of blobs that are deleted as orphans.
	orphanAfter = 24 * time.Hour

	onRequest   = "asked for"
	byRetention = "retention"
)

// SetRetention replaces all policies of an organization with those in list.
func (s *Service) SetRetention(ctx context.Context, org string, list []model.Retention) error {
	seen := map[string]bool{}
	for i, r := range list {
		switch {
		case seen[r.SchemaID]:
			return model.InvalidField("schemas", intray.NewMessage("retention.schema_named_twice", nil))
		case min(r.Originals, r.Results, r.Problems, r.Learned) < 0 || max(r.Originals, r.Results, r.Problems, r.Learned) > maxDays:
			return model.InvalidField("schemas", intray.NewMessage("retention.invalid_days", intray.Params{"n": maxDays, "entry": i}))
		}
		seen[r.SchemaID] = true
	}
	if len(list) > maxRetentions {
		return model.InvalidField("schemas", intray.NewMessage("request.too_many_entries", intray.Params{"n": maxRetentions - 1}))
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Retention.Replace(ctx, org, list) })
}

// Retention returns the policies of an organization. The policy for all schemas comes first.
func (s *Service) Retention(ctx context.Context, org string) (list []model.Retention, err error) {
	list, err = model.View(ctx, s.env.Store, func(tx model.Tx) ([]model.Retention, error) { return tx.Retention.ListByOrg(ctx, org) })
	if len(list) == 0 || list[0].SchemaID != "" {
		list = append([]model.Retention{{Org: org}}, list...)
	}
	return list, err
}

// Deletions returns a page of the receipts of an organization, newest first.
func (s *Service) Deletions(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Deletion], error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (model.Page[model.Deletion], error) { return tx.Deletions.List(ctx, org, page) })
}

// Expire deletes all expired parts and learned mappings, and returns their number. It deletes each
// part in its own transaction, so that other writes run in between. Several processes can call Expire at the
// same time; each part is then deleted and counted by one of them.
func (s *Service) Expire(ctx context.Context) (n int, err error) {
	policies, err := model.View(ctx, s.env.Store, func(tx model.Tx) ([]model.Retention, error) { return tx.Retention.ListAll(ctx) })
	for _, policy := range policies {
		if policy.Learned > 0 && err == nil {
			var forgotten int
			forgotten, err = s.expireLearned(ctx, policy.Org, s.env.Now().AddDate(0, 0, -policy.Learned))
			n += forgotten
		}
		for part, days := range map[model.KeptPart]int{model.Originals: policy.Originals, model.Results: policy.Results, model.Problems: policy.Problems} {
			if days == 0 || err != nil {
				continue
			}
			var expired int
			expired, err = s.expire(ctx, policy, part, s.env.Now().AddDate(0, 0, -days))
			n += expired
		}
	}
	return n, err
}

// expireLearned deletes the mappings of an organization that were last confirmed before a time.
func (s *Service) expireLearned(ctx context.Context, org string, before time.Time) (n int, err error) {
	for {
		var deleted int64
		err := s.env.UpdateToFree(ctx, func(tx model.Tx) (err error) {
			deleted, err = tx.Memory.Expire(ctx, org, before, model.MaintenanceBatch)
			return err
		})
		if n += int(deleted); err != nil || deleted < model.MaintenanceBatch {
			return n, err
		}
	}
}

func (s *Service) expire(ctx context.Context, policy model.Retention, part model.KeptPart, before time.Time) (n int, err error) {
	for {
		ids, err := model.View(ctx, s.env.Store, func(tx model.Tx) ([]string, error) {
			return tx.Retention.Overdue(ctx, policy, part, before, model.MaintenanceBatch)
		})
		if err != nil {
			return n, err
		}
		deleted := 0
		for _, id := range ids {
			began := time.Now()
			if part == model.Results {
				if err := s.dropEdits(ctx, policy.Org, id); err != nil {
					return n + deleted, err
				}
			}
			err := s.env.UpdateToFree(ctx, func(tx model.Tx) error { return s.expirePart(ctx, tx, policy.Org, id, part) })
			if err == nil {
				deleted++
			}
			if err := model.IgnoreKind(err, model.NotFound); err != nil {
				return n + deleted, err
			}
			rest(ctx, began)
		}
		n += deleted
		// If another process deleted all of these parts, it also deletes the rest.
		if len(ids) < model.MaintenanceBatch || deleted == 0 {
			return n, nil
		}
	}
}

// rest waits half as long as a deletion has taken since it began. Other work is then delayed less while
// very many parts are deleted.
func rest(ctx context.Context, began time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Since(began) / 2):
	}
}

// dropEdits deletes a long review log of an import in small transactions. A log has as many entries
// as reviewers made changes. A log of less than DeleteBatch entries is deleted with its import or its
// results. dropEdits does not delete the log of a review in progress, because half a log would
// change the rows under review.
func (s *Service) dropEdits(ctx context.Context, org, id string) error {
	for {
		lastRun, deleted := 0, int64(0)
		long, err := model.View(ctx, s.env.Store, func(tx model.Tx) (bool, error) {
			imp, err := tx.Imports.Get(ctx, org, id)
			if err != nil {
				return false, model.IgnoreKind(err, model.NotFound)
			}
			lastRun = lastUnusedRun(imp)
			n, err := tx.Retention.CountEdits(ctx, id, lastRun, model.DeleteBatch)
			return n == model.DeleteBatch, err
		})
		if err == nil && long {
			err = s.env.UpdateToFree(ctx, func(tx model.Tx) (err error) {
				deleted, err = tx.Retention.DropEdits(ctx, id, lastRun, model.DeleteBatch)
				return err
			})
		}
		if err != nil || deleted < model.DeleteBatch {
			return err
		}
	}
}

// lastUnusedRun returns the number of the last run whose review log is not used any more. The run
// under review uses its log. After that, only repairs of the result use it, which a deletion ends.
func lastUnusedRun(imp model.Import) int {
	if imp.Status == model.Running || imp.Status == model.NeedsReview {
		return imp.Run - 1
	}
	return imp.Run
}

// expirePart deletes one part of an import that has ended, and stores the receipt. It returns
// NotFound if the part no longer exists, for example because another process has just deleted
// it, or if the import is running again.
func (s *Service) expirePart(ctx context.Context, tx model.Tx, org, id string, part model.KeptPart) error {
	imp, err := tx.Imports.Get(ctx, org, id)
	if err != nil {
		return err
	}
	if imp.Status != model.Successful && imp.Status != model.Failed ||
		part == model.Originals && imp.Raw.Key == "" || part == model.Results && imp.Result.Key == "" && imp.Stage == "" {
		return model.NotFoundError(model.FileMissing)
	}
	u, err := tx.Uploads.Get(ctx, org, imp.UploadID)
	deleted := model.IsKind(err, model.NotFound)
	if err = model.IgnoreKind(err, model.NotFound); err != nil {
		return err
	}
	receipt := model.DeletedPart{Part: part}
	var prefix string
	switch part {
	case model.Originals:
		receipt.Size, receipt.SHA256, prefix = imp.Raw.Size, imp.Raw.SHA256, imp.Raw.Key
		imp.Raw.Key, u.Raw.Key = "", ""
	case model.Results:
		receipt.Size, receipt.SHA256, prefix = imp.Result.Size, imp.Result.SHA256, imp.RunPrefix(imp.Run)
		imp.Result.Key, imp.Stage, u.Result.Key = "", "", ""
		_, err = tx.Retention.DropEdits(ctx, imp.ID, imp.Run, math.MaxInt32) // dropEdits has deleted long logs
	case model.Problems:
		dropProblems(&imp)
		u.Problems = model.ProblemSummary{}
		err = errors.Join(tx.Retention.DropProblems(ctx, org, id), tx.Outbox.EraseImport(ctx, id))
	}
	if err != nil {
		return err
	}
	if err := tx.Imports.UpdateIf(ctx, imp, imp.Status, imp.Run); err != nil {
		return err
	}
	if !deleted {
		if err := tx.Uploads.Save(ctx, u); err != nil {
			return err
		}
	}
	// Problems have no blobs, but emptying the trash also overwrites deleted rows.
	if prefix == "" {
		prefix = imp.Prefix() + "/problems"
	}
	if err := tx.Trash.Schedule(ctx, model.Trash{Prefix: prefix, Due: s.env.Now()}); err != nil {
		return err
	}
	return s.insertReceipt(ctx, tx, imp, byRetention, receipt)
}

// dropProblems removes the problems and all cell values from an import.
func dropProblems(imp *model.Import) {
	if imp.Outcome == nil {
		return
	}
	o := *imp.Outcome
	o.Listed, o.RowsWithError, o.Questions, o.Examples, o.Problems = nil, nil, nil, nil, 0
	o.Notices = slices.Clone(o.Notices)
	for i := range o.Notices {
		o.Notices[i].Value = nil
	}
	o.Evidence = slices.Clone(o.Evidence)
	for i := range o.Evidence {
		o.Evidence[i].Alternatives = []intray.Choice(nil)
	}
	imp.Outcome = &o
	for id := range imp.Answers {
		if strings.HasPrefix(id, intray.AnswerValue) || id == intray.AnswerDerived {
			delete(imp.Answers, id)
		}
	}
}

// Orphans searches for orphaned blobs that are older than a day. Unless dryRun is set, it
// deletes them. It returns their owners, which are prefixes of runs, imports and sessions.
func (s *Service) Orphans(ctx context.Context, dryRun bool) (orphans []string, err error) {
	lister, ok := s.env.Blobs.(blob.Lister)
	if !ok {
		return nil, nil
	}
	old := map[string]bool{}
	for entry, err := range lister.List(ctx) {
		if err != nil {
			return nil, err
		}
		owner := ownerOf(entry.Key)
		young := s.env.Now().Sub(entry.Modified) < orphanAfter
		before, seen := old[owner]
		old[owner] = !young && (before || !seen)
	}
	for owner, old := range old {
		if !old || owner == "" {
			continue
		}
		referenced, err := s.isReferenced(ctx, owner)
		if err != nil {
			return orphans, err
		}
		if referenced {
			continue
		}
		orphans = append(orphans, owner)
		if !dryRun {
			if err := s.env.DeleteBlobs(ctx, owner); err != nil {
				return orphans, err
			}
		}
	}
	slices.Sort(orphans)
	return orphans, nil
}

// ownerOf returns the prefix of the session, import or run that a blob belongs to.
// It returns "" if the blob has no owner.
func ownerOf(key string) string {
	parts := strings.Split(key, "/")
	switch {
	case len(parts) > 2 && parts[0] == "imports" && strings.HasPrefix(parts[2], "run-"):
		return strings.Join(parts[:3], "/")
	case len(parts) > 2 && (parts[0] == "imports" || parts[0] == "sessions"):
		return strings.Join(parts[:2], "/")
	}
	return ""
}

// isReferenced reports whether the store may refer to blobs of an owner.
func (s *Service) isReferenced(ctx context.Context, owner string) (referenced bool, err error) {
	parts := strings.Split(owner, "/")
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		if parts[0] == "sessions" {
			referenced, err = tx.Owners.Session(ctx, parts[1])
			return err
		}
		run, err := tx.Owners.Run(ctx, parts[1])
		referenced = run >= 0
		if len(parts) > 2 {
			referenced = referenced && parts[2] == strings.TrimPrefix(model.Import{ID: parts[1]}.RunPrefix(run), model.Import{ID: parts[1]}.Prefix()+"/")
		}
		return err
	})
	return referenced, err
}

// CollectGarbage deletes expired parts and, once a day, orphaned blobs. It is not
// part of RunMaintenance because searching for orphaned blobs takes too long. Call
// it every few minutes from one goroutine.
func (s *Service) CollectGarbage(ctx context.Context) error {
	_, err := s.Expire(ctx)
	if now := s.env.Now(); now.Sub(s.lastOrphanScan) >= orphanAfter {
		orphans, failure := s.Orphans(ctx, false)
		if len(orphans) > 0 {
			s.env.Log.Warn("orphaned blobs deleted", "count", len(orphans), "first", orphans[0])
		}
		s.lastOrphanScan, err = now, errors.Join(err, failure)
	}
	return err
}
