// Package webhooks manages webhooks, queues a delivery for every event in the transaction
// that causes it, and delivers the queue: several receivers at once, each with retries,
// none of them in the way of another. How a message is built and sent is up to a
// [Sender].
package webhooks

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
)

// Service manages webhooks and delivers events to them.
type Service struct {
	env          *model.Env
	sender       Sender
	signingKey   secrets.Key
	secretCipher *secrets.Cipher
	// deliverySlots are the deliveries that are on their way from here.
	deliverySlots *deliverySlots
}

// New returns the service upon env. Without a sender nobody is told of
// any event.
func New(env *model.Env, sender Sender) (*Service, error) {
	cipher, err := env.Master.Cipher(model.SecretLabel)
	return &Service{env: env, sender: sender, signingKey: env.Master.Derive("webhook signatures"), secretCipher: cipher, deliverySlots: newDeliverySlots()}, err
}

const (
	// maxWebhooks is how many webhooks an organization may have.
	maxWebhooks = 100
	// secretOverlap is how long the secret before signs too, after a new one was made.
	secretOverlap = 24 * time.Hour
	// maxFilters is the most events, identifiers or schemas that a webhook names.
	maxFilters = 200
)

// Draft is a webhook as it was sent.
type Draft struct {
	// ID fixes the id of a new webhook; "" lets the service choose.
	ID  string
	URL string
	// Listens says that there is no address: a program fetches the messages.
	Listens                        bool
	Enabled                        bool
	Development                    string
	Events, Identifiers, SchemaIDs []string
}

// CreateWebhook makes a webhook with a secret, which is told here and after a
// rotation and never again.
func (s *Service) CreateWebhook(ctx context.Context, org string, draft Draft) (w model.Webhook, secret secrets.Secret, err error) {
	id, err := s.env.IDOrNew(draft.ID)
	if err != nil {
		return w, secret, err
	}
	now := s.env.Now()
	w = model.Webhook{ID: id, Org: org, Created: now, Modified: now, Rotated: now}
	if err := s.applyWebhookDraft(&w, draft); err != nil {
		return w, secret, err
	}
	if secret, err = s.newSecret(&w); err != nil {
		return w, secret, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if draft.ID != "" {
			if made, err := tx.Webhooks.Get(ctx, org, id); err == nil {
				w = made
				secret, err = s.openSecret(w.Sealed, w)
				return err
			}
		}
		list, err := tx.Webhooks.List(ctx, org)
		if err != nil {
			return err
		}
		if len(list) >= maxWebhooks {
			return model.NewError(model.Conflict, "too_many_webhooks", intray.NewMessage("webhook.too_many", intray.Params{"n": len(list)}))
		}
		return tx.Webhooks.Insert(ctx, w)
	})
	return w, secret, err
}

func (s *Service) newSecret(w *model.Webhook) (secret secrets.Secret, err error) {
	if secret, err = s.sender.NewSecret(s.env.Rand); err != nil {
		return secret, err
	}
	w.Sealed, err = s.secretCipher.Seal([]byte(secret.Reveal()), w.Org, w.ID)
	return secret, err
}

func (s *Service) openSecret(sealed []byte, w model.Webhook) (secrets.Secret, error) {
	plain, err := s.secretCipher.Open(sealed, w.Org, w.ID)
	return secrets.NewSecret(string(plain)), err
}

// applyWebhookDraft takes a draft over.
func (s *Service) applyWebhookDraft(w *model.Webhook, d Draft) error {
	if err := s.sender.CheckAddress(d.URL); err != nil && !d.Listens {
		return model.InvalidField("url", intray.MessageOf(err))
	}
	for name, list := range map[string][]string{"events": d.Events, "import_identifiers": d.Identifiers, "schema_ids": d.SchemaIDs} {
		if len(list) > maxFilters {
			return model.InvalidField(name, intray.NewMessage("request.too_many_entries", intray.Params{"n": maxFilters}))
		}
	}
	w.URL, w.Development, w.Events, w.Identifiers, w.SchemaIDs = d.URL, d.Development, d.Events, d.Identifiers, d.SchemaIDs
	if d.Enabled && !w.Enabled {
		w.FailureStreak = model.FailureStreak{}
	}
	w.Enabled = d.Enabled
	return nil
}

// Webhooks lists those of an organization, oldest first.
func (s *Service) Webhooks(ctx context.Context, org string) (list []model.Webhook, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		list, err = tx.Webhooks.List(ctx, org)
		return err
	})
	return list, err
}

// Webhook gives one.
func (s *Service) Webhook(ctx context.Context, org, id string) (w model.Webhook, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		w, err = tx.Webhooks.Get(ctx, org, id)
		return err
	})
	return w, model.DescribeNotFound(err, model.WebhookMissing)
}

// ReplaceWebhook gives a webhook new values; its secret stays.
func (s *Service) ReplaceWebhook(ctx context.Context, org, id string, draft Draft) (w model.Webhook, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if w, err = tx.Webhooks.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.WebhookMissing)
		}
		if err := s.applyWebhookDraft(&w, draft); err != nil {
			return err
		}
		w.Modified = s.env.Now()
		return tx.Webhooks.Save(ctx, w)
	})
	return w, err
}

// DeleteWebhook removes a webhook with its deliveries.
func (s *Service) DeleteWebhook(ctx context.Context, org, id string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		return model.DescribeNotFound(tx.Webhooks.Delete(ctx, org, id), model.WebhookMissing)
	})
}

// RotateWebhook makes a new secret. The one before signs too, for a day.
func (s *Service) RotateWebhook(ctx context.Context, org, id string) (w model.Webhook, secret secrets.Secret, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if w, err = tx.Webhooks.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.WebhookMissing)
		}
		w.Before, w.Rotated, w.Modified = w.Sealed, s.env.Now(), s.env.Now()
		if secret, err = s.newSecret(&w); err != nil {
			return err
		}
		return tx.Webhooks.Save(ctx, w)
	})
	return w, secret, err
}

// SigningSecret is what messages to the addresses of an organization's schemas are
// signed with.
func (s *Service) SigningSecret(org string) secrets.Secret {
	return secrets.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(s.signingKey.MAC([]byte(org))))
}

// Deliveries lists those of a webhook, newest first, each with its attempts, and
// says how many there are in all. With "" for the webhook they are those to the
// addresses of schemas.
func (s *Service) Deliveries(ctx context.Context, org, webhookID string, offset, limit int64) (list []model.Delivery, tried map[string][]model.Attempt, total int64, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		tried = map[string][]model.Attempt{}
		if webhookID != "" {
			if _, err := tx.Webhooks.Get(ctx, org, webhookID); err != nil {
				return model.DescribeNotFound(err, model.WebhookMissing)
			}
		}
		if list, total, err = tx.Deliveries.List(ctx, org, webhookID, offset, limit); err != nil {
			return err
		}
		for _, d := range list {
			if tried[d.ID], err = tx.Deliveries.Attempts(ctx, d.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return list, tried, total, err
}

// Redeliver sends a delivery of a webhook again or, with "" for the delivery, all
// that were made since a time, and says how many that are. They keep their ids.
func (s *Service) Redeliver(ctx context.Context, org, webhookID, deliveryID string, since time.Time) (n int64, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		w, err := tx.Webhooks.Get(ctx, org, webhookID)
		if err != nil {
			return model.DescribeNotFound(err, model.WebhookMissing)
		}
		if !w.Enabled {
			return model.NewError(model.Conflict, "webhook_disabled", intray.NewMessage("webhook.disabled", nil))
		}
		if deliveryID == "" {
			n, err = tx.Deliveries.Requeue(ctx, org, webhookID, since, s.env.Now())
			return err
		}
		d, err := tx.Deliveries.Get(ctx, org, deliveryID)
		switch {
		case err != nil:
			return model.DescribeNotFound(err, model.DeliveryMissing)
		case d.WebhookID != webhookID:
			return model.NotFoundError(model.DeliveryMissing)
		case d.Body == nil:
			return model.NewError(model.Conflict, "delivery_content_deleted", intray.NewMessage("webhook.delivery_content_deleted", nil))
		}
		n = 1
		d.Status, d.Tries, d.Due = model.Waiting, 0, s.env.Now()
		return tx.Deliveries.Save(ctx, d)
	})
	s.deliverySlots.notify()
	return n, err
}

// matches says whether a webhook is to be told of an event of an import.
func matches(w model.Webhook, event string, imp model.Import, u model.Upload, development bool) bool {
	fits := func(list []string, one string) bool { return len(list) == 0 || slices.Contains(list, one) }
	dev := w.Development == "" || (w.Development == "true") == development
	return w.Enabled && dev && fits(w.Events, event) && fits(w.Identifiers, u.ImportIdentifier) && fits(w.SchemaIDs, imp.SchemaID)
}

// MessagesFor gives the messages that wait for a webhook without an address and may be
// forwarded now: of each import the oldest. It waits for some until ctx ends.
func (s *Service) MessagesFor(ctx context.Context, org, id string) (list []model.Delivery, err error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		detached := context.WithoutCancel(ctx) // a look that began comes to its end
		err = s.env.Store.Update(detached, func(tx model.Tx) error {
			w, err := tx.Webhooks.Get(detached, org, id)
			if err != nil {
				return model.DescribeNotFound(err, model.WebhookMissing)
			}
			if w.URL != "" {
				return model.NewError(model.Conflict, "webhook_has_url", intray.NewMessage("webhook.has_url", nil))
			}
			list, err = tx.Outbox.ClaimDue(detached, id, "", s.env.Now(), maxMessages)
			return err
		})
		if err != nil || len(list) > 0 {
			return list, err
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-tick.C:
		}
	}
}

const (
	// pollInterval is how often it is looked for messages that somebody waits for, and
	// maxMessages how many are given at once.
	pollInterval, maxMessages = 500 * time.Millisecond, 20
)

// Forwarded notes what came of a message that a program fetched and forwarded.
func (s *Service) Forwarded(ctx context.Context, org, id, deliveryID string, sent SendResult) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		w, err := tx.Webhooks.Get(ctx, org, id)
		if err != nil {
			return model.DescribeNotFound(err, model.WebhookMissing)
		}
		d, err := tx.Deliveries.Get(ctx, org, deliveryID)
		switch {
		case err != nil:
			return model.DescribeNotFound(err, model.DeliveryMissing)
		case d.WebhookID != id || w.URL != "":
			return model.NotFoundError(model.DeliveryMissing)
		case d.Status != model.Waiting:
			return nil // it was told before
		}
		return s.recordAttempt(ctx, tx, d, s.env.Now(), sent)
	})
}

const formType = "application/x-www-form-urlencoded"

// AnnounceImport tells of the status that an import has now, in the transaction in which
// it gets it.
func (s *Service) AnnounceImport(ctx context.Context, tx model.Tx, imp model.Import) error {
	if s.sender == nil || imp.Status == model.Pending || imp.Status == model.Running || imp.Status == model.AwaitingUpload {
		return nil
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	u, err := tx.Uploads.Get(ctx, imp.Org, imp.UploadID)
	if err != nil {
		return err
	}
	development := schema.Settings.DevelopmentMode
	if o := imp.Outcome; o != nil && o.DevelopmentMode != nil {
		development = *o.DevelopmentMode
	}
	switch {
	case imp.Status == model.Successful && schema.Settings.WebhookURL != "":
		err = s.enqueueDelivery(ctx, tx, imp, model.Delivery{URL: schema.Settings.WebhookURL, Event: "upload", ContentType: formType, Body: []byte("uploadId=" + imp.UploadID)})
	case imp.Status == model.NeedsReview && schema.Settings.NeedsReviewWebhookURL != "":
		err = s.enqueueDelivery(ctx, tx, imp, model.Delivery{URL: schema.Settings.NeedsReviewWebhookURL, Event: "needs_review", ContentType: formType, Body: []byte("headlessImportId=" + imp.ID)})
	}
	if err != nil {
		return err
	}
	return s.announceManaged(ctx, tx, imp, u, development)
}

func (s *Service) announceManaged(ctx context.Context, tx model.Tx, imp model.Import, u model.Upload, development bool) error {
	list, err := tx.Webhooks.List(ctx, imp.Org)
	if err != nil || len(list) == 0 {
		return err
	}
	payload, hasEvent, err := s.sender.ImportPayload(imp, u, development)
	if err != nil || !hasEvent {
		return err
	}
	for _, w := range list {
		if !matches(w, payload.Event, imp, u, development) {
			continue
		}
		err := s.enqueueDelivery(ctx, tx, imp, model.Delivery{WebhookID: w.ID, URL: w.URL, Event: payload.Event, ContentType: payload.ContentType, Body: payload.Body})
		if err != nil {
			return err
		}
	}
	return nil
}

// enqueueDelivery keeps a message until it is delivered.
func (s *Service) enqueueDelivery(ctx context.Context, tx model.Tx, imp model.Import, d model.Delivery) error {
	id, err := s.env.NewID()
	if err != nil {
		return err
	}
	d.ID, d.Org, d.ImportID, d.Status, d.Created = "msg_"+id, imp.Org, imp.ID, model.Waiting, s.env.Now()
	d.Due, d.Target = d.Created, d.WebhookID
	if d.WebhookID == "" {
		sum := sha256.Sum256([]byte(imp.Org + " " + d.URL))
		d.Target = schemaTargetPrefix + hex.EncodeToString(sum[:16])
	}
	s.deliverySlots.notify()
	return tx.Deliveries.Insert(ctx, d)
}

// disableWebhook ends a webhook that only failed for days, and tells the others.
func (s *Service) disableWebhook(ctx context.Context, tx model.Tx, w model.Webhook, at time.Time, last intray.Message) error {
	w.Enabled, w.Modified = false, at
	if err := tx.Webhooks.Save(ctx, w); err != nil {
		return err
	}
	if err := tx.Outbox.GiveUp(ctx, w.ID); err != nil {
		return err
	}
	s.env.Log.Warn("a webhook only failed for days and is disabled", "webhook", w.ID, "org", w.Org, "last", last.String())
	payload, err := s.sender.DisabledPayload(w, at, last)
	if err != nil {
		return err
	}
	list, err := tx.Webhooks.List(ctx, w.Org)
	if err != nil {
		return err
	}
	for _, other := range list {
		if other.ID == w.ID || !matches(other, payload.Event, model.Import{}, model.Upload{}, other.Development == "true") {
			continue
		}
		d := model.Delivery{WebhookID: other.ID, URL: other.URL, Event: payload.Event, ContentType: payload.ContentType, Body: payload.Body}
		if err := s.enqueueDelivery(ctx, tx, model.Import{Org: w.Org}, d); err != nil {
			return err
		}
	}
	return nil
}

// AnnounceConnectorFailure tells of a connector whose runs begin to fail.
func (s *Service) AnnounceConnectorFailure(ctx context.Context, tx model.Tx, c model.Connector, run model.PullRun) error {
	if s.sender == nil {
		return nil
	}
	list, err := tx.Webhooks.List(ctx, c.Org)
	if err != nil || len(list) == 0 {
		return err
	}
	payload, err := s.sender.ConnectorFailedPayload(c, run)
	if err != nil {
		return err
	}
	for _, w := range list {
		if !matches(w, payload.Event, model.Import{SchemaID: c.SchemaID}, model.Upload{}, w.Development == "true") {
			continue
		}
		d := model.Delivery{WebhookID: w.ID, URL: w.URL, Event: payload.Event, ContentType: payload.ContentType, Body: payload.Body}
		if err := s.enqueueDelivery(ctx, tx, model.Import{Org: c.Org}, d); err != nil {
			return err
		}
	}
	return nil
}
