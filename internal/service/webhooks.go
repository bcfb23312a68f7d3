package service

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
)

const (
	// maxWebhooks is how many webhooks an organization may have.
	maxWebhooks = 100
	// overlap is how long the secret before signs too, after a new one was made.
	overlap = 24 * time.Hour
	// maxFilters is the most events, identifiers or schemas that a webhook names.
	maxFilters = 200
)

// WebhookDraft is a webhook as it was sent.
type WebhookDraft struct {
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
func (s *Service) CreateWebhook(ctx context.Context, org string, draft WebhookDraft) (w Webhook, secret seal.Secret, err error) {
	id, err := s.idOr(draft.ID)
	if err != nil {
		return w, secret, err
	}
	now := s.now()
	w = Webhook{ID: id, Org: org, Created: now, Modified: now, Rotated: now}
	if err := s.draw(&w, draft); err != nil {
		return w, secret, err
	}
	if secret, err = s.newSecret(&w); err != nil {
		return w, secret, err
	}
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if draft.ID != "" {
			if made, err := tx.Webhooks.Get(ctx, org, id); err == nil {
				w = made
				secret, err = s.unsealed(w.Sealed, w)
				return err
			}
		}
		list, err := tx.Webhooks.List(ctx, org)
		if err != nil {
			return err
		}
		if len(list) >= maxWebhooks {
			return refuse(Conflict, "too_many_webhooks", intray.NewMessage("webhook.too_many", intray.Params{"n": len(list)}))
		}
		return tx.Webhooks.Insert(ctx, w)
	})
	return w, secret, err
}

func (s *Service) newSecret(w *Webhook) (secret seal.Secret, err error) {
	if secret, err = s.cfg.Courier.NewSecret(s.cfg.Rand); err != nil {
		return secret, err
	}
	w.Sealed, err = s.keys.secrets.Seal([]byte(secret.Reveal()), w.Org, w.ID)
	return secret, err
}

func (s *Service) unsealed(sealed []byte, w Webhook) (seal.Secret, error) {
	plain, err := s.keys.secrets.Open(sealed, w.Org, w.ID)
	return seal.NewSecret(string(plain)), err
}

// draw takes a draft over.
func (s *Service) draw(w *Webhook, d WebhookDraft) error {
	if err := s.cfg.Courier.CheckAddress(d.URL); err != nil && !d.Listens {
		return invalidField("url", intray.MessageOf(err))
	}
	for name, list := range map[string][]string{"events": d.Events, "import_identifiers": d.Identifiers, "schema_ids": d.SchemaIDs} {
		if len(list) > maxFilters {
			return invalidField(name, intray.NewMessage("request.too_many_entries", intray.Params{"n": maxFilters}))
		}
	}
	w.URL, w.Development, w.Events, w.Identifiers, w.SchemaIDs = d.URL, d.Development, d.Events, d.Identifiers, d.SchemaIDs
	if d.Enabled && !w.Enabled {
		w.Failing = Failing{}
	}
	w.Enabled = d.Enabled
	return nil
}

// Webhooks lists those of an organization, oldest first.
func (s *Service) Webhooks(ctx context.Context, org string) (list []Webhook, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		list, err = tx.Webhooks.List(ctx, org)
		return err
	})
	return list, err
}

// Webhook gives one.
func (s *Service) Webhook(ctx context.Context, org, id string) (w Webhook, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		w, err = tx.Webhooks.Get(ctx, org, id)
		return err
	})
	return w, named(err, webhookMissing)
}

// ReplaceWebhook gives a webhook new values; its secret stays.
func (s *Service) ReplaceWebhook(ctx context.Context, org, id string, draft WebhookDraft) (w Webhook, err error) {
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if w, err = tx.Webhooks.Get(ctx, org, id); err != nil {
			return named(err, webhookMissing)
		}
		if err := s.draw(&w, draft); err != nil {
			return err
		}
		w.Modified = s.now()
		return tx.Webhooks.Save(ctx, w)
	})
	return w, err
}

// DeleteWebhook removes a webhook with its deliveries.
func (s *Service) DeleteWebhook(ctx context.Context, org, id string) error {
	return s.cfg.Store.Update(ctx, func(tx Tx) error { return named(tx.Webhooks.Delete(ctx, org, id), webhookMissing) })
}

// RotateWebhook makes a new secret. The one before signs too, for a day.
func (s *Service) RotateWebhook(ctx context.Context, org, id string) (w Webhook, secret seal.Secret, err error) {
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if w, err = tx.Webhooks.Get(ctx, org, id); err != nil {
			return named(err, webhookMissing)
		}
		w.Before, w.Rotated, w.Modified = w.Sealed, s.now(), s.now()
		if secret, err = s.newSecret(&w); err != nil {
			return err
		}
		return tx.Webhooks.Save(ctx, w)
	})
	return w, secret, err
}

// SigningSecret is what messages to the addresses of an organization's schemas are
// signed with.
func (s *Service) SigningSecret(org string) seal.Secret {
	return seal.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(s.keys.signing.MAC([]byte(org))))
}

// Deliveries lists those of a webhook, newest first, each with its attempts, and
// says how many there are in all. With "" for the webhook they are those to the
// addresses of schemas.
func (s *Service) Deliveries(ctx context.Context, org, webhookID string, offset, limit int64) (list []Delivery, tried map[string][]Attempt, total int64, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		tried = map[string][]Attempt{}
		if webhookID != "" {
			if _, err := tx.Webhooks.Get(ctx, org, webhookID); err != nil {
				return named(err, webhookMissing)
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
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		w, err := tx.Webhooks.Get(ctx, org, webhookID)
		if err != nil {
			return named(err, webhookMissing)
		}
		if !w.Enabled {
			return refuse(Conflict, "webhook_disabled", intray.NewMessage("webhook.disabled", nil))
		}
		if deliveryID == "" {
			n, err = tx.Deliveries.Again(ctx, org, webhookID, since, s.now())
			return err
		}
		d, err := tx.Deliveries.Get(ctx, org, deliveryID)
		switch {
		case err != nil:
			return named(err, deliveryMissing)
		case d.WebhookID != webhookID:
			return missing(deliveryMissing)
		case d.Body == nil:
			return refuse(Conflict, "delivery_content_deleted", intray.NewMessage("webhook.delivery_content_deleted", nil))
		}
		n = 1
		d.Status, d.Tries, d.Due = Waiting, 0, s.now()
		return tx.Deliveries.Save(ctx, d)
	})
	s.posting.nudge()
	return n, err
}

// wants says whether a webhook is to be told of an event of an import.
func (w Webhook) wants(event string, imp Import, u Upload, development bool) bool {
	fits := func(list []string, one string) bool { return len(list) == 0 || slices.Contains(list, one) }
	dev := w.Development == "" || (w.Development == "true") == development
	return w.Enabled && dev && fits(w.Events, event) && fits(w.Identifiers, u.ImportIdentifier) && fits(w.SchemaIDs, imp.SchemaID)
}

// MessagesFor gives the messages that wait for a webhook without an address and may be
// forwarded now: of each import the oldest. It waits for some until ctx ends.
func (s *Service) MessagesFor(ctx context.Context, org, id string) (list []Delivery, err error) {
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	for {
		lasting := context.WithoutCancel(ctx) // a look that began comes to its end
		err = s.cfg.Store.Update(lasting, func(tx Tx) error {
			w, err := tx.Webhooks.Get(lasting, org, id)
			if err != nil {
				return named(err, webhookMissing)
			}
			if w.URL != "" {
				return refuse(Conflict, "webhook_has_url", intray.NewMessage("webhook.has_url", nil))
			}
			list, err = tx.Outbox.Take(lasting, id, "", s.now(), maxListened)
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
	// listenEvery is how often it is looked for messages that somebody waits for, and
	// maxListened how many are given at once.
	listenEvery, maxListened = 500 * time.Millisecond, 20
)

// Forwarded notes what came of a message that a program fetched and forwarded.
func (s *Service) Forwarded(ctx context.Context, org, id, deliveryID string, sent Sent) error {
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		w, err := tx.Webhooks.Get(ctx, org, id)
		if err != nil {
			return named(err, webhookMissing)
		}
		d, err := tx.Deliveries.Get(ctx, org, deliveryID)
		switch {
		case err != nil:
			return named(err, deliveryMissing)
		case d.WebhookID != id || w.URL != "":
			return missing(deliveryMissing)
		case d.Status != Waiting:
			return nil // it was told before
		}
		return s.note(ctx, tx, d, s.now(), sent)
	})
}

const formType = "application/x-www-form-urlencoded"

// announce tells of the status that an import has now, in the transaction in which
// it gets it.
func (s *Service) announce(ctx context.Context, tx Tx, imp Import) error {
	if imp.Status == Successful {
		if err := s.toPutBack(ctx, tx, imp); err != nil {
			return err
		}
	}
	if s.cfg.Courier == nil || imp.Status == Pending || imp.Status == Running || imp.Status == AwaitingUpload {
		return nil
	}
	schema, err := s.FrozenSchema(imp)
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
	case imp.Status == Successful && schema.Settings.WebhookURL != "":
		err = s.post(ctx, tx, imp, Delivery{URL: schema.Settings.WebhookURL, Event: "upload", ContentType: formType, Body: []byte("uploadId=" + imp.UploadID)})
	case imp.Status == NeedsReview && schema.Settings.NeedsReviewWebhookURL != "":
		err = s.post(ctx, tx, imp, Delivery{URL: schema.Settings.NeedsReviewWebhookURL, Event: "needs_review", ContentType: formType, Body: []byte("headlessImportId=" + imp.ID)})
	}
	if err != nil {
		return err
	}
	return s.announceManaged(ctx, tx, imp, u, development)
}

func (s *Service) announceManaged(ctx context.Context, tx Tx, imp Import, u Upload, development bool) error {
	list, err := tx.Webhooks.List(ctx, imp.Org)
	if err != nil || len(list) == 0 {
		return err
	}
	parcel, told, err := s.cfg.Courier.Tell(imp, u, development)
	if err != nil || !told {
		return err
	}
	for _, w := range list {
		if !w.wants(parcel.Event, imp, u, development) {
			continue
		}
		err := s.post(ctx, tx, imp, Delivery{WebhookID: w.ID, URL: w.URL, Event: parcel.Event, ContentType: parcel.ContentType, Body: parcel.Body})
		if err != nil {
			return err
		}
	}
	return nil
}

// post keeps a message until it is delivered.
func (s *Service) post(ctx context.Context, tx Tx, imp Import, d Delivery) error {
	id, err := s.newID()
	if err != nil {
		return err
	}
	d.ID, d.Org, d.ImportID, d.Status, d.Created = "msg_"+id, imp.Org, imp.ID, Waiting, s.now()
	d.Due, d.Target = d.Created, d.WebhookID
	if d.WebhookID == "" {
		sum := sha256.Sum256([]byte(imp.Org + " " + d.URL))
		d.Target = addressOfSchema + hex.EncodeToString(sum[:16])
	}
	s.posting.nudge()
	return tx.Deliveries.Insert(ctx, d)
}

// disable ends a webhook that only failed for days, and tells the others.
func (s *Service) disable(ctx context.Context, tx Tx, w Webhook, at time.Time, last intray.Message) error {
	w.Enabled, w.Modified = false, at
	if err := tx.Webhooks.Save(ctx, w); err != nil {
		return err
	}
	if err := tx.Outbox.GiveUp(ctx, w.ID); err != nil {
		return err
	}
	s.cfg.Log.Warn("a webhook only failed for days and is disabled", "webhook", w.ID, "org", w.Org, "last", last.String())
	parcel, err := s.cfg.Courier.TellDisabled(w, at, last)
	if err != nil {
		return err
	}
	list, err := tx.Webhooks.List(ctx, w.Org)
	if err != nil {
		return err
	}
	for _, other := range list {
		if other.ID == w.ID || !other.wants(parcel.Event, Import{}, Upload{}, other.Development == "true") {
			continue
		}
		d := Delivery{WebhookID: other.ID, URL: other.URL, Event: parcel.Event, ContentType: parcel.ContentType, Body: parcel.Body}
		if err := s.post(ctx, tx, Import{Org: w.Org}, d); err != nil {
			return err
		}
	}
	return nil
}
