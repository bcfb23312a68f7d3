package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/intraydata/intray"
)

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
