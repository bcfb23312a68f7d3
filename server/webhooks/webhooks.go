// Package webhooks manages webhooks, queues deliveries for every event in the
// transaction that causes it, and delivers the queued messages with retries. A
// message is delivered at least once, with the same id each time, and slow
// receivers do not delay others. A [Sender] builds and sends the messages.
package webhooks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
)

// Service manages webhooks and delivers events to them. It is safe for concurrent use.
type Service struct {
	env          *model.Env
	sender       Sender
	signingKey   secrets.Key
	secretCipher *secrets.Cipher
	inFlight     *inFlight
}

// New returns a service. If sender is nil, no events are delivered.
func New(env *model.Env, sender Sender) (*Service, error) {
	cipher, err := env.Keys.Cipher(model.SecretLabel)
	return &Service{env: env, sender: sender, signingKey: env.Keys.Derive("webhook signatures"), secretCipher: cipher, inFlight: newInFlight()}, err
}

const (
	// maxWebhooks is the maximum number of webhooks per organization.
	maxWebhooks = 100
	// secretOverlap is the period after a rotation during which the previous secret also signs.
	secretOverlap = 24 * time.Hour
	// maxFilters is the maximum number of events, of identifiers and of schemas in
	// a webhook's filters.
	maxFilters = 200
)

// Draft contains the settings of a webhook that a client sends.
type Draft struct {
	// ID is the id of a new webhook. "" means a random id.
	ID  string
	URL string
	// Listens means that the webhook has no URL, because a program fetches the messages.
	Listens                        bool
	Enabled                        bool
	Development                    string
	Events, Identifiers, SchemaIDs []string
}

// CreateWebhook creates a webhook and returns it with its secret. Apart from CreateWebhook, only
// RotateWebhook returns a secret. If a webhook with the draft's ID exists, CreateWebhook returns
// it unchanged.
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
		if err := model.CheckRequest(ctx, tx); err != nil {
			return err
		}
		if draft.ID != "" {
			existing, err := tx.Webhooks.Get(ctx, org, id)
			if err == nil {
				w = existing
				secret, err = s.openSecret(w.Sealed, w)
				return err
			}
			if !model.IsKind(err, model.NotFound) {
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
		if err := checkSchemas(ctx, tx, org, w.SchemaIDs); err != nil {
			return err
		}
		return tx.Webhooks.Insert(ctx, w)
	})
	return w, secret, err
}

// checkSchemas returns an error unless all ids belong to saved schemas of the organization.
func checkSchemas(ctx context.Context, tx model.Tx, org string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	saved, err := tx.Schemas.SavedIDs(ctx, org, ids)
	if err == nil && slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(saved, id) }) {
		err = model.InvalidField("schema_ids", schemas.NotSaved)
	}
	return err
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

// applyWebhookDraft validates a draft and copies its settings to a webhook.
func (s *Service) applyWebhookDraft(w *model.Webhook, d Draft) error {
	if err := s.sender.CheckAddress(d.URL); err != nil && !d.Listens {
		return model.InvalidField("url", intray.MessageOf(err))
	}
	for name, list := range map[string][]string{"events": d.Events, "import_identifiers": d.Identifiers, "schema_ids": d.SchemaIDs} {
		if len(list) > maxFilters {
			return model.InvalidField(name, intray.NewMessage("request.too_many_entries", intray.Params{"n": maxFilters}))
		}
	}
	for i, id := range d.SchemaIDs {
		if canonical, valid := model.ParseID(id); valid {
			d.SchemaIDs[i] = canonical
		}
	}
	w.URL, w.Development, w.Events, w.Identifiers, w.SchemaIDs = d.URL, d.Development, d.Events, d.Identifiers, d.SchemaIDs
	if d.Enabled && !w.Enabled {
		w.FailureStreak = model.FailureStreak{}
	}
	w.Enabled = d.Enabled
	return nil
}

// Webhooks returns the webhooks of an organization, oldest first.
func (s *Service) Webhooks(ctx context.Context, org string) ([]model.Webhook, error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) ([]model.Webhook, error) { return tx.Webhooks.List(ctx, org) })
}

// Webhook returns the webhook with the given id.
func (s *Service) Webhook(ctx context.Context, org, id string) (w model.Webhook, err error) {
	w, err = model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Webhook, error) { return tx.Webhooks.Get(ctx, org, id) })
	return w, model.DescribeNotFound(err, model.WebhookMissing)
}

// ReplaceWebhook replaces the settings of a webhook, but not its secret. Schemas that the webhook
// already names may have been deleted.
func (s *Service) ReplaceWebhook(ctx context.Context, org, id string, draft Draft) (w model.Webhook, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if w, err = tx.Webhooks.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.WebhookMissing)
		}
		before := w.SchemaIDs
		if err := s.applyWebhookDraft(&w, draft); err != nil {
			return err
		}
		added := slices.DeleteFunc(slices.Clone(w.SchemaIDs), func(id string) bool { return slices.Contains(before, id) })
		if err := checkSchemas(ctx, tx, org, added); err != nil {
			return err
		}
		w.Modified = s.env.Now()
		return tx.Webhooks.Save(ctx, w)
	})
	return w, err
}

// maxChanged is the maximum number of deliveries that one transaction changes or deletes.
const maxChanged = 500

// DeleteWebhook deletes a webhook and its deliveries. If there are many deliveries, it disables the
// webhook and deletes the deliveries in several transactions, and the webhook in the last one.
func (s *Service) DeleteWebhook(ctx context.Context, org, id string) error {
	return model.UpdateInBatches(ctx, s.env.Store, maxChanged, func(tx model.Tx) (int64, error) {
		w, err := tx.Webhooks.Get(ctx, org, id)
		if err != nil {
			return 0, model.DescribeNotFound(err, model.WebhookMissing)
		}
		n, err := tx.Webhooks.DeleteDeliveries(ctx, org, id, maxChanged)
		switch {
		case err != nil:
			return 0, err
		case n < maxChanged:
			return n, tx.Webhooks.Delete(ctx, org, id)
		}
		w.Enabled = false
		return n, tx.Webhooks.Save(ctx, w)
	})
}

// RotateWebhook generates and returns a new secret. The previous secret also signs for a day.
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

// SigningSecret returns the secret that signs messages to the URLs in an organization's schemas.
func (s *Service) SigningSecret(org string) secrets.Secret {
	return secrets.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(s.signingKey.MAC([]byte(org))))
}

// Deliveries returns a page of the deliveries of a webhook, newest first, and their attempts by
// delivery id. If webhookID is "", it returns the deliveries to URLs in schemas.
func (s *Service) Deliveries(ctx context.Context, org, webhookID string, page model.PageRequest) (list model.Page[model.Delivery], attempts map[string][]model.Attempt, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		attempts = map[string][]model.Attempt{}
		if webhookID != "" {
			if _, err := tx.Webhooks.Get(ctx, org, webhookID); err != nil {
				return model.DescribeNotFound(err, model.WebhookMissing)
			}
		}
		if list, err = tx.Deliveries.List(ctx, org, webhookID, page); err != nil {
			return err
		}
		for _, d := range list.Rows {
			if attempts[d.ID], err = tx.Deliveries.Attempts(ctx, d.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return list, attempts, err
}

// Redeliver queues a delivery of a webhook again. If deliveryID is "", it queues all deliveries
// created since the given time, in several transactions if there are many. It returns the number
// of queued deliveries. They keep their ids.
func (s *Service) Redeliver(ctx context.Context, org, webhookID, deliveryID string, since time.Time) (n int64, err error) {
	defer s.inFlight.notify()
	if deliveryID != "" {
		err = s.env.Store.Update(ctx, func(tx model.Tx) error { return s.redeliverOne(ctx, tx, org, webhookID, deliveryID) })
		if err == nil {
			n = 1
		}
		return n, err
	}
	after := model.DeliveryPosition{Created: since}
	for {
		var queued []model.DeliveryPosition
		err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
			if err = checkEnabled(ctx, tx, org, webhookID); err == nil {
				queued, err = tx.Deliveries.Requeue(ctx, org, webhookID, after, s.env.Now(), maxChanged)
			}
			return err
		})
		if err != nil {
			return n, err
		}
		if n += int64(len(queued)); len(queued) < maxChanged {
			return n, nil
		}
		after = slices.MaxFunc(queued, func(a, b model.DeliveryPosition) int {
			return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
		})
	}
}

// checkEnabled returns an error unless the webhook exists and is enabled.
func checkEnabled(ctx context.Context, tx model.Tx, org, id string) error {
	w, err := tx.Webhooks.Get(ctx, org, id)
	if err == nil && !w.Enabled {
		err = model.NewError(model.Conflict, "webhook_disabled", intray.NewMessage("webhook.disabled", nil))
	}
	return model.DescribeNotFound(err, model.WebhookMissing)
}

func (s *Service) redeliverOne(ctx context.Context, tx model.Tx, org, webhookID, id string) error {
	if err := checkEnabled(ctx, tx, org, webhookID); err != nil {
		return err
	}
	d, err := tx.Deliveries.Get(ctx, org, id)
	switch {
	case err != nil:
		return model.DescribeNotFound(err, model.DeliveryMissing)
	case d.WebhookID != webhookID:
		return model.NotFoundError(model.DeliveryMissing)
	case d.Body == nil:
		return model.NewError(model.Conflict, "delivery_content_deleted", intray.NewMessage("webhook.delivery_content_deleted", nil))
	}
	due := s.env.Now()
	if d.Node != "" && !due.After(d.Due) {
		due = d.Due.Add(time.Microsecond) // recordAttempt must see that the time has changed
	}
	d.Status, d.Tries, d.Due = model.Waiting, 0, due
	return tx.Deliveries.Save(ctx, d)
}

// matches reports whether a webhook is subscribed to an event about an import.
func matches(w model.Webhook, event string, imp model.Import, u model.Upload, development bool) bool {
	fits := func(list []string, one string) bool { return len(list) == 0 || slices.Contains(list, one) }
	dev := w.Development == "" || (w.Development == "true") == development
	return w.Enabled && dev && fits(w.Events, event) && fits(w.Identifiers, u.ImportIdentifier) && fits(w.SchemaIDs, imp.SchemaID)
}

// MessagesFor returns the messages of a webhook without a URL that can be forwarded
// now: the oldest message of each import. It waits until there is one or ctx ends.
func (s *Service) MessagesFor(ctx context.Context, org, id string) (list []model.Delivery, err error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		detached := context.WithoutCancel(ctx) // so that a query that has begun can finish
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
	// pollInterval is the interval at which MessagesFor looks for messages.
	// maxMessages is the maximum number of messages that it returns.
	pollInterval, maxMessages = 500 * time.Millisecond, 20
)

// Forwarded records the result of an attempt to forward a message.
func (s *Service) Forwarded(ctx context.Context, org, id, deliveryID string, sent SendResult) error {
	more := false
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
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
		case d.Status != model.Waiting: // the result was recorded before, but perhaps not all of its consequences
			more = true
			return nil
		}
		more, err = s.recordAttempt(ctx, tx, attempt{delivery: d, at: s.env.Now(), result: sent})
		return err
	})
	if err != nil || !more {
		return err
	}
	return s.updateAllWaiting(ctx, org, id)
}

const formType = "application/x-www-form-urlencoded"

// AnnounceImport queues webhook deliveries that report the current status of an
// import. It uses the transaction that changes the status.
func (s *Service) AnnounceImport(ctx context.Context, tx model.Tx, imp model.Import, u model.Upload) error {
	if s.sender == nil || imp.Status == model.Pending || imp.Status == model.Running || imp.Status == model.AwaitingUpload || imp.IsEphemeral() {
		return nil
	}
	schema, err := schemas.Frozen(imp)
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
	case imp.Status == model.NeedsReview && imp.Sync == "" && schema.Settings.NeedsReviewWebhookURL != "":
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

// enqueueDelivery stores a message to be delivered.
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
	s.inFlight.notify()
	return tx.Deliveries.Insert(ctx, d)
}

// announceDisabled announces to the other webhooks that a webhook was disabled because its
// receiver is dead or gone.
func (s *Service) announceDisabled(ctx context.Context, tx model.Tx, w model.Webhook, last intray.Message) error {
	s.env.Log.Warn("webhook disabled because it failed for days or its receiver responded with 410", "webhook", w.ID, "org", w.Org, "last", last.String())
	payload, err := s.sender.DisabledPayload(w, w.Modified, last)
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

// AnnounceConnectorFailure queues webhook deliveries that report the first in a series of failed
// runs of a connector.
func (s *Service) AnnounceConnectorFailure(ctx context.Context, tx model.Tx, c model.Connector, run model.PullRun) error {
	return s.announceForConnector(ctx, tx, c, "", func() (Payload, error) { return s.sender.ConnectorFailedPayload(c, run) })
}

// AnnounceDeliveryFailure queues webhook deliveries that report a result that a connector could
// not upload.
func (s *Service) AnnounceDeliveryFailure(ctx context.Context, tx model.Tx, c model.Connector, f model.PulledFile, at time.Time) error {
	return s.announceForConnector(ctx, tx, c, f.ImportID, func() (Payload, error) { return s.sender.DeliveryFailedPayload(c, f, at) })
}

// announceForConnector queues deliveries of a message about a connector. importID is "" if the
// message is not about an import.
func (s *Service) announceForConnector(ctx context.Context, tx model.Tx, c model.Connector, importID string, newPayload func() (Payload, error)) error {
	if s.sender == nil {
		return nil
	}
	list, err := tx.Webhooks.List(ctx, c.Org)
	if err != nil || len(list) == 0 {
		return err
	}
	payload, err := newPayload()
	if err != nil {
		return err
	}
	for _, w := range list {
		if !matches(w, payload.Event, model.Import{SchemaID: c.SchemaID}, model.Upload{}, w.Development == "true") {
			continue
		}
		d := model.Delivery{WebhookID: w.ID, URL: w.URL, Event: payload.Event, ContentType: payload.ContentType, Body: payload.Body}
		if err := s.enqueueDelivery(ctx, tx, model.Import{Org: c.Org, ID: importID}, d); err != nil {
			return err
		}
	}
	return nil
}
