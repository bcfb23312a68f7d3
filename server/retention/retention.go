// Package retention deletes: parts of imports that were kept for long enough, imports and
// uploads on request, and blobs that nothing refers to. Every deletion leaves a receipt.
package retention

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// Service deletes: what was kept for long enough, what somebody asked to
// delete, and blobs that nothing refers to.
type Service struct {
	env *model.Env
	// lastOrphanScan is when blobs that nothing names were looked for last; of
	// CollectGarbage alone.
	lastOrphanScan time.Time
}

// New returns the service upon env.
func New(env *model.Env) *Service { return &Service{env: env} }

const (
	// maxDays is the longest time that something is kept for, in days.
	maxDays = 36_500
	// maxRetentions is how many rules an organization may have.
	maxRetentions = 500
	// orphanAfter is how old a blob must be to count as left behind.
	orphanAfter = 24 * time.Hour

	onRequest   = "asked for"
	byRetention = "retention"
)

// SetRetention puts rules in the place of all that an organization had.
func (s *Service) SetRetention(ctx context.Context, org string, list []model.Retention) error {
	seen := map[string]bool{}
	for i, r := range list {
		switch {
		case seen[r.SchemaID]:
			return model.InvalidField("schemas", intray.NewMessage("retention.schema_named_twice", nil))
		case min(r.Originals, r.Results, r.Problems) < 0 || max(r.Originals, r.Results, r.Problems) > maxDays:
			return model.InvalidField("schemas", intray.NewMessage("retention.invalid_days", intray.Params{"n": maxDays, "entry": i}))
		}
		seen[r.SchemaID] = true
	}
	if len(list) > maxRetentions {
		return model.InvalidField("schemas", intray.NewMessage("request.too_many_entries", intray.Params{"n": maxRetentions - 1}))
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Retention.Replace(ctx, org, list) })
}

// Retention gives the rules of an organization; that of all imports comes first.
func (s *Service) Retention(ctx context.Context, org string) (list []model.Retention, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		list, err = tx.Retention.ListByOrg(ctx, org)
		return err
	})
	if len(list) == 0 || list[0].SchemaID != "" {
		list = append([]model.Retention{{Org: org}}, list...)
	}
	return list, err
}

// Deletions lists the receipts of an organization, newest first, and says how many
// there are in all.
func (s *Service) Deletions(ctx context.Context, org string, offset, limit int64) (list []model.Deletion, total int64, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		list, total, err = tx.Deletions.List(ctx, org, offset, limit)
		return err
	})
	return list, total, err
}

// Expire deletes what was kept for long enough, at most maintenanceBatch imports for each
// part of each rule, and says of how many imports.
func (s *Service) Expire(ctx context.Context) (n int, err error) {
	var rules []model.Retention
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		rules, err = tx.Retention.ListAll(ctx)
		return err
	})
	for _, rule := range rules {
		for part, days := range map[model.KeptPart]int{model.Originals: rule.Originals, model.Results: rule.Results, model.Problems: rule.Problems} {
			if days == 0 || err != nil {
				continue
			}
			var done int
			done, err = s.expire(ctx, rule, part, s.env.Now().AddDate(0, 0, -days))
			n += done
		}
	}
	return n, err
}

func (s *Service) expire(ctx context.Context, rule model.Retention, part model.KeptPart, before time.Time) (n int, err error) {
	var ids []string
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		ids, err = tx.Retention.Overdue(ctx, rule, part, before, model.MaintenanceBatch)
		return err
	})
	for _, id := range ids {
		if err != nil {
			break
		}
		err = model.IgnoreKind(s.env.Store.Update(ctx, func(tx model.Tx) error { return s.expirePart(ctx, tx, rule.Org, id, part) }), model.NotFound)
		n++
	}
	return n, err
}

// expirePart deletes a part of an import that has ended, and leaves a receipt.
func (s *Service) expirePart(ctx context.Context, tx model.Tx, org, id string, part model.KeptPart) error {
	imp, err := tx.Imports.Get(ctx, org, id)
	if err != nil || imp.Status != model.Successful && imp.Status != model.Failed {
		return err
	}
	u, err := tx.Uploads.Get(ctx, org, imp.UploadID)
	gone := model.IsKind(err, model.NotFound) // it was deleted
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
		err = tx.Retention.DropEdits(ctx, imp.ID)
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
	if !gone {
		if err := tx.Uploads.Save(ctx, u); err != nil {
			return err
		}
	}
	// Also for problems: with the trash the store forgets.
	if prefix == "" {
		prefix = imp.Prefix() + "/problems"
	}
	if err := tx.Trash.Schedule(ctx, model.Trash{Prefix: prefix, Due: s.env.Now()}); err != nil {
		return err
	}
	return s.insertReceipt(ctx, tx, imp, byRetention, receipt)
}

// dropProblems forgets what an outcome tells of cells.
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
		if strings.HasPrefix(id, intray.AnswerValue) {
			delete(imp.Answers, id)
		}
	}
}

// Orphans finds blobs that nothing names any more and that are older than a day, and
// removes them unless it is only to look. It gives what they belonged to.
func (s *Service) Orphans(ctx context.Context, look bool) (gone []string, err error) {
	walker, walks := s.env.Blobs.(blob.Lister)
	if !walks {
		return nil, nil
	}
	old := map[string]bool{}
	for entry, err := range walker.List(ctx) {
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
		there, err := s.isReferenced(ctx, owner)
		if err != nil {
			return gone, err
		}
		if there {
			continue
		}
		gone = append(gone, owner)
		if !look {
			if err := s.env.DeleteBlobs(ctx, owner); err != nil {
				return gone, err
			}
		}
	}
	slices.Sort(gone)
	return gone, nil
}

// ownerOf is what a blob belongs to: a session, an import, or one run of an import;
// "" for what this program did not make in that way.
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

// isReferenced says whether something that the store has may name the blobs of an owner.
func (s *Service) isReferenced(ctx context.Context, owner string) (there bool, err error) {
	parts := strings.Split(owner, "/")
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		if parts[0] == "sessions" {
			there, err = tx.Owners.Session(ctx, parts[1])
			return err
		}
		run, err := tx.Owners.Run(ctx, parts[1])
		there = run >= 0
		if len(parts) > 2 {
			there = there && parts[2] == strings.TrimPrefix(model.Import{ID: parts[1]}.RunPrefix(run), model.Import{ID: parts[1]}.Prefix()+"/")
		}
		return err
	})
	return there, err
}

// CollectGarbage deletes what was kept for long enough and, once a day, blobs that were left
// behind. To look for those takes a while, so that it is no part of a sweep. It wants
// to be called every few minutes, from one goroutine.
func (s *Service) CollectGarbage(ctx context.Context) error {
	_, err := s.Expire(ctx)
	if now := s.env.Now(); now.Sub(s.lastOrphanScan) >= orphanAfter {
		gone, lost := s.Orphans(ctx, false)
		if len(gone) > 0 {
			s.env.Log.Warn("blobs that nothing named were removed", "count", len(gone), "first", gone[0])
		}
		s.lastOrphanScan, err = now, errors.Join(err, lost)
	}
	return err
}
