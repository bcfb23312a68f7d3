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
	// perTarget is how many deliveries are on their way to one receiver at once, and
	// to one that fails only one. perOrg bounds those of an organization.
	perTarget, perOrg = 4, 32
	// firstPerOrg bounds them where a receiver has none yet: slow receivers take no
	// turn away from others. Webhooks, of which there are maxWebhooks at most, always
	// have a first one; the addresses of schemas are not counted.
	firstPerOrg = 128
	// targetsAtOnce is how many receivers one look for due deliveries finds, and
	// targetsPerOrg how many of one organization. Those that have no room are among
	// them, so that is more than may be on their way at once.
	targetsAtOnce, targetsPerOrg = 20_000, maxWebhooks + 2*firstPerOrg
	// keepDeliveries is how long deliveries are kept.
	keepDeliveries = 30 * 24 * time.Hour
	// deliveriesAtOnce is how many of them are removed at once.
	deliveriesAtOnce = 10_000
)

// deliverySlots are the deliveries that are on their way from this process.
type deliverySlots struct {
	mu       sync.Mutex
	targets  map[string]int
	orgs     map[string]int
	inFlight sync.WaitGroup
	// wake has a word in it when there is something new.
	wake chan struct{}
}

func newDeliverySlots() *deliverySlots {
	return &deliverySlots{targets: map[string]int{}, orgs: map[string]int{}, wake: make(chan struct{}, 1)}
}

// notify says that there is something new.
func (p *deliverySlots) notify() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// reserve makes room for further deliveries to a target, and says for how many.
func (p *deliverySlots) reserve(t model.Target) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	room := min(perTarget-p.targets[t.Key], perOrg-p.orgs[t.Org])
	if p.targets[t.Key] == 0 && (!isSchemaURL(t) || p.orgs[t.Org] < firstPerOrg) {
		room = max(room, 1)
	}
	room = max(room, 0)
	p.count(t, room)
	return room
}

// singleSlot is how many of those that were reserved may go to a target that takes one at
// a time.
func (p *deliverySlots) singleSlot(t model.Target, reserved int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.targets[t.Key] > reserved {
		return 0
	}
	return min(reserved, 1)
}

// schemaTargetPrefix begins the key of a target that is no webhook.
const schemaTargetPrefix = "url_"

func isSchemaURL(t model.Target) bool { return strings.HasPrefix(t.Key, schemaTargetPrefix) }

func (p *deliverySlots) adjust(t model.Target, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(t, n)
}

func (p *deliverySlots) count(t model.Target, n int) {
	if p.targets[t.Key] += n; p.targets[t.Key] == 0 {
		delete(p.targets, t.Key)
	}
	if p.orgs[t.Org] += n; p.orgs[t.Org] == 0 {
		delete(p.orgs, t.Org)
	}
}

// DeliveriesReady has a word when there is something new to deliver.
func (s *Service) DeliveriesReady() <-chan struct{} { return s.deliverySlots.wake }

// Deliver sends what is due, and does not wait for what comes of it. It wants to be
// called when there is news, and a few times a second. Attempts that are under way
// when ctx ends are taken back and do not count.
func (s *Service) Deliver(ctx context.Context) error {
	if s.sender == nil {
		return nil
	}
	var targets []model.Target
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		targets, err = tx.Outbox.Targets(ctx, s.env.Now(), targetsPerOrg, targetsAtOnce)
		return err
	})
	for _, t := range targets {
		_, failed := s.deliverTo(ctx, t)
		err = errors.Join(err, failed)
	}
	return err
}

// WaitForDeliveries waits for the deliveries that are on their way.
func (s *Service) WaitForDeliveries() { s.deliverySlots.inFlight.Wait() }

// deliverTo sends to one receiver what is due and has room, and says how many that
// are.
func (s *Service) deliverTo(ctx context.Context, t model.Target) (n int, err error) {
	room := s.deliverySlots.reserve(t)
	if room == 0 {
		return 0, nil
	}
	defer func() { s.deliverySlots.adjust(t, n-room) }()
	var taken []model.Delivery
	var secrets []secrets.Secret
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		w, err := tx.Webhooks.Get(ctx, t.Org, t.Key)
		switch {
		case model.IsKind(err, model.NotFound): // the address of a schema
			w = model.Webhook{Org: t.Org, Enabled: true}
		case err != nil:
			return err
		case !w.Enabled:
			return tx.Outbox.GiveUp(ctx, t.Key)
		}
		most := room
		if w.FailureStreak.Failures > 0 {
			most = s.deliverySlots.singleSlot(t, room)
		}
		if most == 0 {
			return nil
		}
		if secrets, err = s.secretsOf(w); err != nil {
			return err
		}
		taken, err = tx.Outbox.ClaimDue(ctx, t.Key, s.env.Node, s.env.Now(), most)
		for i := range taken {
			if w.ID != "" {
				taken[i].URL = w.URL // it may have moved
			}
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, d := range taken {
		s.deliverySlots.inFlight.Go(func() { s.deliverAndContinue(ctx, t, d, secrets) })
	}
	return len(taken), nil
}

// deliverAndContinue sends a message and, where it was taken, those behind it: a receiver that
// takes what it is told does not wait for the next look at all the others.
func (s *Service) deliverAndContinue(ctx context.Context, t model.Target, d model.Delivery, secrets []secrets.Secret) {
	delivered := s.deliver(ctx, d, secrets)
	s.deliverySlots.adjust(t, -1)
	if delivered && ctx.Err() == nil {
		if n, err := s.deliverTo(ctx, t); n > 0 && err == nil {
			return
		}
	}
	s.deliverySlots.notify() // there is room; and what failed here fails there and is told of
}

// secretsOf are those that sign for a webhook.
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

// deliver makes an attempt, notes what came of it and says whether it was delivered.
func (s *Service) deliver(ctx context.Context, d model.Delivery, secrets []secrets.Secret) bool {
	at := s.env.Now()
	sent, err := s.sender.Send(ctx, d, at, secrets)
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	if err == nil {
		s.env.CrashPoint("delivery.sent")
		err = s.env.Store.Update(ctx, func(tx model.Tx) error { return s.recordAttempt(ctx, tx, d, at, sent) })
	} else {
		err = s.releaseDelivery(ctx, d)
	}
	if err != nil {
		// It is still taken by this node, and is sent again when that is gone.
		s.env.Log.Error("what came of a delivery could not be noted", "delivery", d.ID, "error", err)
	}
	return err == nil && sent.Delivered
}

// releaseDelivery lets a delivery wait again for which no attempt was made.
func (s *Service) releaseDelivery(ctx context.Context, d model.Delivery) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		now, err := tx.Deliveries.Get(ctx, d.Org, d.ID)
		if err != nil || now.Node != s.env.Node {
			return model.IgnoreKind(err, model.NotFound)
		}
		now.Node, now.Due = "", s.env.Now().Add(time.Second)
		return tx.Deliveries.Save(ctx, now)
	})
}

// recordAttempt keeps what came of an attempt.
func (s *Service) recordAttempt(ctx context.Context, tx model.Tx, d model.Delivery, at time.Time, sent SendResult) error {
	now, err := tx.Deliveries.Get(ctx, d.Org, d.ID)
	if err != nil || now.Node != d.Node || now.Body == nil {
		return model.IgnoreKind(err, model.NotFound) // it was deleted meanwhile, or what it told of
	}
	tried, err := tx.Deliveries.Attempts(ctx, d.ID)
	if err != nil {
		return err
	}
	sent.DeliveryID, sent.Number, sent.At = d.ID, len(tried)+1, at
	if err := tx.Deliveries.Attempted(ctx, sent.Attempt); err != nil {
		return err
	}
	now.Node = ""
	now.Tries++
	var w model.Webhook
	if d.WebhookID != "" {
		if w, err = tx.Webhooks.Get(ctx, d.Org, d.WebhookID); err != nil {
			return model.IgnoreKind(err, model.NotFound)
		}
	}
	j := s.sender.DecideRetry(w.FailureStreak, now.Tries, at, sent)
	switch {
	case sent.Delivered:
		now.Status = model.Delivered
	case !j.Retry:
		now.Status = model.GivenUp
	default:
		now.Due = s.env.Now().Add(j.Wait)
	}
	if err := tx.Deliveries.Save(ctx, now); err != nil || d.WebhookID == "" {
		return err
	}
	return s.updateReceiver(ctx, tx, w, j, sent)
}

// updateReceiver notes how a receiver does: what waits for one that is back goes at once, and
// one that only failed for days is disabled.
func (s *Service) updateReceiver(ctx context.Context, tx model.Tx, w model.Webhook, j RetryDecision, sent SendResult) error {
	failed := w.FailureStreak.Failures > 0
	w.FailureStreak = j.Streak
	if j.Dead && w.Enabled {
		return s.disableWebhook(ctx, tx, w, s.env.Now(), sent.Message)
	}
	if sent.Delivered && !failed {
		return nil
	}
	if err := tx.Webhooks.Save(ctx, w); err != nil || !sent.Delivered {
		return err
	}
	return tx.Outbox.MakeDue(ctx, w.ID, s.env.Now())
}

// ForgetDeliveries deletes the deliveries that were kept for long enough.
func (s *Service) ForgetDeliveries(ctx context.Context) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		_, err := tx.Outbox.DeleteBefore(ctx, s.env.Now().Add(-keepDeliveries), deliveriesAtOnce)
		return err
	})
}
