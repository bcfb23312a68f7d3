package webhooks

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

const (
	// perTarget is the maximum number of concurrent deliveries to one receiver. A receiver that
	// fails gets one delivery at a time. perOrg is the maximum per organization. These limits apply to
	// all processes together.
	perTarget, perOrg = 4, 32
	// firstPerOrg replaces perOrg for receivers without a delivery in flight, so that slow
	// receivers do not block others. A webhook can always have one delivery in flight, because
	// an organization has at most maxWebhooks webhooks. The number of URLs in schemas is not
	// limited.
	firstPerOrg = 128
	// maxTargets is the maximum number of receivers that Deliver handles in one call.
	// maxTargetsPerOrg is the maximum per organization. Receivers without a free slot also
	// count, so maxTargetsPerOrg exceeds the number of deliveries that can be in flight.
	maxTargets, maxTargetsPerOrg = 20_000, maxWebhooks + 2*firstPerOrg
	// keepDeliveries is how long deliveries are kept.
	keepDeliveries = 30 * 24 * time.Hour
)

// inFlight tracks the deliveries that this process is sending.
type inFlight struct {
	mu      sync.Mutex
	targets map[string]int
	orgs    map[string]int
	// sendingIDs contains the ids of these deliveries. An id is set before a claim
	// is committed, so that a transaction that sees the claim also sees the id.
	sendingIDs map[string]bool
	// unrecorded holds attempts whose results could not be stored.
	unrecorded []attempt
	sending    sync.WaitGroup
	// ready receives a value when there may be something new to deliver.
	ready chan struct{}
}

// attempt is an attempt to deliver a message.
type attempt struct {
	delivery model.Delivery
	at       time.Time
	result   SendResult
	// released means that the claim on the delivery must be released, because no attempt
	// counted.
	released bool
	// again means that an earlier attempt to store the result may have succeeded.
	again bool
}

func newInFlight() *inFlight {
	return &inFlight{targets: map[string]int{}, orgs: map[string]int{}, sendingIDs: map[string]bool{}, ready: make(chan struct{}, 1)}
}

// notify signals that there may be something new to deliver.
func (f *inFlight) notify() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// reserve reserves as many slots as possible for deliveries to a target, and
// returns their number.
func (f *inFlight) reserve(t model.Target) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	slots := min(perTarget-f.targets[t.Key], perOrg-f.orgs[t.Org])
	if f.targets[t.Key] == 0 && (!isSchemaURL(t) || f.orgs[t.Org] < firstPerOrg) {
		slots = max(slots, 1)
	}
	slots = max(slots, 0)
	f.count(t, slots)
	return slots
}

// freeSlots returns how many of the slots that this process has reserved a target may use, given the
// deliveries that all processes have claimed. A target that is failing gets only one delivery at a time.
func freeSlots(t model.Target, reserved int, failing bool, ofTarget, ofOrg int) int {
	slots := min(reserved, perTarget-ofTarget, perOrg-ofOrg)
	if ofTarget == 0 && (!isSchemaURL(t) || ofOrg < firstPerOrg) {
		slots = min(max(slots, 1), reserved)
	}
	if failing {
		slots = min(slots, 1-ofTarget)
	}
	return max(slots, 0)
}

// schemaTargetPrefix is the prefix of the key of a target that is a URL in a schema.
const schemaTargetPrefix = "url_"

func isSchemaURL(t model.Target) bool { return strings.HasPrefix(t.Key, schemaTargetPrefix) }

// free releases slots of a target.
func (f *inFlight) free(t model.Target, slots int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count(t, -slots)
}

func (f *inFlight) count(t model.Target, n int) {
	if f.targets[t.Key] += n; f.targets[t.Key] == 0 {
		delete(f.targets, t.Key)
	}
	if f.orgs[t.Org] += n; f.orgs[t.Org] == 0 {
		delete(f.orgs, t.Org)
	}
}

func (f *inFlight) markSending(list []model.Delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range list {
		f.sendingIDs[d.ID] = true
	}
}

func (f *inFlight) unmarkSending(list ...model.Delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range list {
		delete(f.sendingIDs, d.ID)
	}
}

func (f *inFlight) isSending(d model.Delivery) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sendingIDs[d.ID]
}

// retryLater keeps an attempt that could not be stored, so that storeUnrecorded can store it.
func (f *inFlight) retryLater(a attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a.again = true
	f.unrecorded = append(f.unrecorded, a)
}

// DeliveriesReady returns a channel that receives a value when there may be
// something new to deliver.
func (s *Service) DeliveriesReady() <-chan struct{} { return s.inFlight.ready }

// Deliver starts to send the deliveries that are due and does not wait for the results. Call it
// every 2 s, and whenever the channel returned by DeliveriesReady receives a
// value. Attempts that are in flight when ctx ends do not count.
func (s *Service) Deliver(ctx context.Context) error {
	if s.sender == nil {
		return nil
	}
	err := s.storeUnrecorded(ctx)
	targets, failed := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.Target, error) {
		return tx.Outbox.Targets(ctx, s.env.Now(), maxTargetsPerOrg, maxTargets)
	})
	err = errors.Join(err, failed)
	for _, t := range targets {
		_, failed := s.deliverTo(ctx, t)
		err = errors.Join(err, failed)
	}
	return err
}

// WaitForDeliveries waits until no deliveries are in flight.
func (s *Service) WaitForDeliveries() { s.inFlight.sending.Wait() }

// deliverTo starts as many of the due deliveries to one receiver as there are free
// slots, and returns their number.
func (s *Service) deliverTo(ctx context.Context, t model.Target) (n int, err error) {
	slots := s.inFlight.reserve(t)
	if slots == 0 {
		return 0, nil
	}
	defer func() { s.inFlight.free(t, slots-n) }()
	var claimed []model.Delivery
	var secrets []secrets.Secret
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		s.inFlight.unmarkSending(claimed...)
		claimed = nil
		w, err := tx.Webhooks.Get(ctx, t.Org, t.Key)
		switch {
		case model.IsKind(err, model.NotFound): // a URL in a schema
			w = model.Webhook{Org: t.Org, Enabled: true}
		case err != nil:
			return err
		case !w.Enabled:
			_, err := s.updateWaiting(ctx, tx, w)
			return err
		}
		ofTarget, ofOrg, err := tx.Outbox.Claimed(ctx, t.Org, t.Key)
		if err != nil {
			return err
		}
		limit := freeSlots(t, slots, w.FailureStreak.Failures > 0, ofTarget, ofOrg)
		if limit == 0 {
			return nil
		}
		if secrets, err = s.secretsOf(w); err != nil {
			return err
		}
		claimed, err = tx.Outbox.ClaimDue(ctx, t.Key, s.env.Node, s.env.Now(), limit)
		for i := range claimed {
			if w.ID != "" {
				claimed[i].URL = w.URL // the URL of the webhook may have changed
			}
		}
		s.inFlight.markSending(claimed)
		return err
	})
	if err != nil {
		s.inFlight.unmarkSending(claimed...)
		for _, d := range claimed {
			// The claim may have been committed even though the response was lost.
			s.inFlight.retryLater(attempt{delivery: d, released: true})
		}
		return 0, err
	}
	for _, d := range claimed {
		s.inFlight.sending.Go(func() { s.deliverAndContinue(ctx, t, d, secrets) })
	}
	return len(claimed), nil
}

// deliverAndContinue sends a message. If the message was delivered, deliverAndContinue sends the
// next ones, so that a fast receiver need not wait for the next call to Deliver.
func (s *Service) deliverAndContinue(ctx context.Context, t model.Target, d model.Delivery, secrets []secrets.Secret) {
	delivered := s.deliver(ctx, d, secrets)
	s.inFlight.free(t, 1)
	if delivered && ctx.Err() == nil {
		if n, err := s.deliverTo(ctx, t); n > 0 && err == nil {
			return
		}
	}
	// The slot is free again. The next call to Deliver will encounter and report the same error.
	s.inFlight.notify()
}

// secretsOf returns the secrets that sign messages to a webhook.
func (s *Service) secretsOf(w model.Webhook) ([]secrets.Secret, error) {
	if w.ID == "" {
		return []secrets.Secret{s.SigningSecret(w.Org)}, nil
	}
	secret, err := s.openSecret(w.Sealed, w)
	list := []secrets.Secret{secret}
	if err == nil && len(w.Before) > 0 && s.env.Now().Before(w.Rotated.Add(secretOverlap)) {
		if secret, err = s.openSecret(w.Before, w); err == nil {
			list = append(list, secret)
		}
	}
	return list, err
}

// deliver makes an attempt, stores its result and reports whether the message was delivered.
func (s *Service) deliver(ctx context.Context, d model.Delivery, secrets []secrets.Secret) bool {
	a := attempt{delivery: d, at: s.env.Now()}
	var err error
	a.result, err = s.sender.Send(ctx, d, a.at, secrets)
	a.released = err != nil
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	if !a.released {
		s.env.CrashPoint("delivery.sent")
	}
	err = s.storeAttempt(ctx, a)
	s.inFlight.unmarkSending(d)
	if !a.released {
		s.env.Observer.DeliveryAttempted(a.result.Delivered, d.Tries > 0)
	}
	if err != nil {
		s.env.Log.Error("result of a delivery not completely stored; trying again", "delivery", d.ID, "import", d.ImportID, "error", err)
		s.inFlight.retryLater(a)
	}
	return err == nil && a.result.Delivered
}

// storeUnrecorded stores the attempts that could not be stored before. Without this, their
// deliveries would stay claimed and would not be retried until this process ends.
func (s *Service) storeUnrecorded(ctx context.Context) error {
	s.inFlight.mu.Lock()
	unrecorded := s.inFlight.unrecorded
	s.inFlight.unrecorded = nil
	s.inFlight.mu.Unlock()
	var errs error
	for _, a := range unrecorded {
		if err := s.storeAttempt(ctx, a); err != nil {
			s.inFlight.retryLater(a)
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// storeAttempt stores an attempt and its consequences. If that takes several transactions and one
// of them fails, calling storeAttempt again with a.again set continues.
func (s *Service) storeAttempt(ctx context.Context, a attempt) error {
	more := false
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		if !a.released {
			more, err = s.recordAttempt(ctx, tx, a)
			return err
		}
		now, err := tx.Deliveries.Get(ctx, a.delivery.Org, a.delivery.ID)
		if err != nil || now.Node != s.env.Node || a.again && s.inFlight.isSending(now) {
			return model.IgnoreKind(err, model.NotFound)
		}
		now.Node, now.Due = "", s.env.Now().Add(time.Second)
		return tx.Deliveries.Save(ctx, now)
	})
	more = more || a.again && !a.released && a.delivery.WebhookID != ""
	if err != nil || !more {
		return err
	}
	return s.updateAllWaiting(ctx, a.delivery.Org, a.delivery.WebhookID)
}

// updateAllWaiting calls updateWaiting until it has changed all deliveries.
func (s *Service) updateAllWaiting(ctx context.Context, org, webhookID string) error {
	return model.UpdateInBatches(ctx, s.env.Store, maxChanged, func(tx model.Tx) (int64, error) {
		w, err := tx.Webhooks.Get(ctx, org, webhookID)
		if err != nil {
			return 0, model.IgnoreKind(err, model.NotFound)
		}
		return s.updateWaiting(ctx, tx, w)
	})
}

// updateWaiting changes at most maxChanged deliveries that wait for a webhook, and returns their
// number. If the webhook is disabled, it gives them up. If the receiver does not fail, it makes
// them due now.
func (s *Service) updateWaiting(ctx context.Context, tx model.Tx, w model.Webhook) (int64, error) {
	switch {
	case !w.Enabled:
		return tx.Outbox.GiveUp(ctx, w.ID, maxChanged)
	case w.FailureStreak.Failures == 0:
		return tx.Outbox.MakeDue(ctx, w.ID, s.env.Now(), maxChanged)
	}
	return 0, nil
}

// recordAttempt stores an attempt and its consequences for the delivery and the receiver. more
// means that updateAllWaiting must be called.
func (s *Service) recordAttempt(ctx context.Context, tx model.Tx, a attempt) (more bool, err error) {
	d := a.delivery
	var w model.Webhook
	if d.WebhookID != "" { // first, because all transactions lock the webhook before its deliveries
		if w, err = tx.Webhooks.Get(ctx, d.Org, d.WebhookID); err != nil {
			return false, model.IgnoreKind(err, model.NotFound)
		}
	}
	now, err := tx.Deliveries.Get(ctx, d.Org, d.ID)
	if err != nil || now.Node != d.Node {
		return false, model.IgnoreKind(err, model.NotFound) // the delivery was deleted meanwhile
	}
	if now.Body == nil { // its content was deleted meanwhile
		now.Node = "" // it would count against the limits of the receiver
		return false, tx.Deliveries.Save(ctx, now)
	}
	if a.again && (now.Tries == d.Tries+1 || s.inFlight.isSending(d)) {
		return false, nil // the attempt was stored before
	}
	attempts, err := tx.Deliveries.Attempts(ctx, d.ID)
	if err != nil {
		return false, err
	}
	result := a.result
	result.DeliveryID, result.Number, result.At = d.ID, len(attempts)+1, a.at
	if err := tx.Deliveries.Attempted(ctx, result.Attempt); err != nil {
		return false, err
	}
	// Nothing else changes the due time of a message while it is being sent.
	redeliver := !now.Due.Equal(d.Due)
	now.Node = ""
	now.Tries++
	decision := s.sender.DecideRetry(w.FailureStreak, now.Tries, a.at, result)
	switch {
	case redeliver:
		now.Tries = 0
	case result.Delivered:
		now.Status = model.Delivered
	case !decision.Retry, result.Gone:
		now.Status = model.GivenUp
	default:
		now.Due = s.env.Now().Add(decision.Wait)
	}
	if err := tx.Deliveries.Save(ctx, now); err != nil || d.WebhookID == "" {
		return false, err
	}
	// The URL of the webhook may have changed since the message was sent to a receiver that is gone.
	decision.Dead = decision.Dead || result.Gone && d.URL == w.URL
	return s.updateReceiver(ctx, tx, w, decision, result)
}

// updateReceiver stores the failure streak of a receiver. If the receiver has recovered, the
// waiting deliveries become due now. If it counts as dead, the webhook is disabled and they are
// given up. more is as in recordAttempt.
func (s *Service) updateReceiver(ctx context.Context, tx model.Tx, w model.Webhook, decision RetryDecision, result SendResult) (more bool, err error) {
	failed := w.FailureStreak.Failures > 0
	w.FailureStreak = decision.Streak
	switch {
	case decision.Dead && w.Enabled:
		w.Enabled, w.Modified = false, s.env.Now()
		if err := s.announceDisabled(ctx, tx, w, result.Message); err != nil {
			return false, err
		}
	case result.Delivered && !failed:
		return false, nil
	}
	if err := tx.Webhooks.Save(ctx, w); err != nil {
		return false, err
	}
	n, err := s.updateWaiting(ctx, tx, w)
	return n == maxChanged, err
}

// ForgetDeliveries deletes the deliveries that are older than keepDeliveries, in small batches.
func (s *Service) ForgetDeliveries(ctx context.Context) error {
	before := s.env.Now().Add(-keepDeliveries)
	return model.UpdateInBatches(ctx, s.env.Store, model.DeleteBatch, func(tx model.Tx) (int64, error) {
		return tx.Outbox.DeleteBefore(ctx, before, model.DeleteBatch)
	})
}
