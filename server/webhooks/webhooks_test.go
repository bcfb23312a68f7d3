package webhooks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/webhooks"
)

func TestNewWithoutMasterKey(t *testing.T) {
	t.Parallel()
	if _, err := webhooks.New(&model.Env{}, nil); err == nil {
		t.Error("New returned no error without a master key")
	}
}

// announceImport announces an import, including to the URLs in its schema.
func (f *fixture) announceImport(imp model.Import) error {
	f.Helper()
	return f.env.Store.Update(f.ctx, func(tx model.Tx) error {
		u, err := tx.Uploads.Get(f.ctx, imp.Org, imp.UploadID)
		if err != nil {
			return err
		}
		return f.AnnounceImport(f.ctx, tx, imp, u)
	})
}

// imported returns an import whose schema contains URLs.
func imported(status model.Status) model.Import {
	return model.Import{ID: "i", Org: org, UploadID: "u", Status: status, Schema: model.Document{
		Fields: json.RawMessage(`[{"key":"email","label":"E-Mail"}]`), Hooks: json.RawMessage(`{}`), Extensions: json.RawMessage(`{}`),
		Settings: json.RawMessage(`{"webhookUrl":"http://done","needsReviewWebhookUrl":"http://review"}`),
	}}
}

// Each use of the store, of the random bytes and of the sender fails once in every
// operation. The operation must report the error.
func TestOperationFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w, listener := f.webhook("http://receiver"), f.webhook("")
	must(t, f.announce())
	must(t, f.deliverDue())
	list, _ := f.deliveries(w)
	waiting, _ := f.deliveries(listener)
	draft := webhooks.Draft{URL: "http://receiver", Enabled: true}
	withID := func(id string) webhooks.Draft {
		d := draft
		d.ID = id
		return d
	}
	f.Faults.CheckOperations(t, []servertest.Operation{
		{"CreateWebhook", func() error { _, _, err := f.CreateWebhook(f.ctx, org, draft); return err }},
		{"CreateWebhook with an ID", func() error { _, _, err := f.CreateWebhook(f.ctx, org, withID("new")); return err }},
		{"CreateWebhook again", func() error { _, _, err := f.CreateWebhook(f.ctx, org, withID(w.ID)); return err }},
		{"Webhooks", func() error { _, err := f.Webhooks(f.ctx, org); return err }},
		{"Webhook", func() error { _, err := f.Webhook(f.ctx, org, w.ID); return err }},
		{"ReplaceWebhook", func() error { _, err := f.ReplaceWebhook(f.ctx, org, w.ID, draft); return err }},
		{"RotateWebhook", func() error { _, _, err := f.RotateWebhook(f.ctx, org, w.ID); return err }},
		{"Deliveries", func() error { _, _, err := f.Deliveries(f.ctx, org, w.ID, model.PageRequest{Limit: 10}); return err }},
		{"Redeliver", func() error { _, err := f.Redeliver(f.ctx, org, w.ID, list[0].ID, servertest.Started); return err }},
		{"Redeliver all", func() error { _, err := f.Redeliver(f.ctx, org, w.ID, "", servertest.Started); return err }},
		{"MessagesFor", func() error { _, err := f.MessagesFor(f.ctx, org, listener.ID); return err }},
		{"Forwarded", func() error {
			return f.Forwarded(f.ctx, org, listener.ID, waiting[0].ID, webhooks.SendResult{Attempt: model.Attempt{Delivered: true}})
		}},
		{"AnnounceConnectorFailure", f.announce},
		{"AnnounceDeliveryFailure", func() error {
			return f.env.Store.Update(f.ctx, func(tx model.Tx) error {
				return f.AnnounceDeliveryFailure(f.ctx, tx, model.Connector{ID: "c", Org: org}, model.PulledFile{ImportID: "i"}, servertest.Started)
			})
		}},
		{"AnnounceImport", func() error { return f.announceImport(imported(model.Successful)) }},
		{"AnnounceImport for review", func() error { return f.announceImport(imported(model.NeedsReview)) }},
		{"ForgetDeliveries", func() error { return f.ForgetDeliveries(f.ctx) }},
		{"DeleteWebhook", func() error { return f.DeleteWebhook(f.ctx, org, w.ID) }},
	})
}

// A broken schema or secret is an error. It does not merely prevent the message from being sent.
func TestBrokenEntities(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := imported(model.Successful)
	imp.Schema.Settings = json.RawMessage(`{`)
	if err := f.announceImport(imp); err == nil {
		t.Error("announced an import with a broken schema")
	}
	w := f.webhook("http://receiver")
	must(t, f.announce())
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		w.Sealed = []byte("not sealed")
		return tx.Webhooks.Save(f.ctx, w)
	}))
	if err := f.deliverDue(); err == nil {
		t.Error("delivered to a webhook with a broken secret")
	}
	if list, attempts := f.deliveries(w); list[0].Status != model.Waiting || len(attempts[list[0].ID]) != 0 {
		t.Errorf("the delivery is %+v, attempts %v", list[0], attempts)
	}
	if _, _, err := f.CreateWebhook(f.ctx, org, webhooks.Draft{ID: w.ID, URL: "http://receiver"}); err == nil {
		t.Error("returned a broken secret")
	}
}

// Creating a webhook with the ID of an existing one returns that webhook and its secret.
func TestCreateIsIdempotent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	draft := webhooks.Draft{ID: "8f14e45f-ceea-467f-a9a4-57e2d2b6b0a1", URL: "http://receiver", Enabled: true}
	first, secret, err := f.CreateWebhook(f.ctx, org, draft)
	must(t, err)
	draft.URL = "http://other"
	again, same, err := f.CreateWebhook(f.ctx, org, draft)
	must(t, err)
	if diff := cmp.Diff(first, again, cmp.Comparer(func(a, b []byte) bool { return string(a) == string(b) })); diff != "" || !secret.Equal(same) {
		t.Errorf("the webhook changed (-first +again):\n%s", diff)
	}
}

// Invalid values are refused, and operations on missing objects return NotFound.
func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w, listener := f.webhook("http://receiver"), f.webhook("")
	many := make([]string, 201)
	for name, draft := range map[string]webhooks.Draft{
		"url": {URL: "a b"}, "events": {URL: "http://x", Events: many}, "identifiers": {URL: "http://x", Identifiers: many}, "schema ids": {URL: "http://x", SchemaIDs: many},
	} {
		if _, _, err := f.CreateWebhook(f.ctx, org, draft); !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: %v, want that it is invalid", name, err)
		}
		if _, err := f.ReplaceWebhook(f.ctx, org, w.ID, draft); !model.IsKind(err, model.Invalid) {
			t.Errorf("%s, replaced: %v, want that it is invalid", name, err)
		}
	}
	must(t, f.announce())
	list, _ := f.deliveries(w)
	for name, call := range map[string]func() error{
		"Webhook": func() error { _, err := f.Webhook(f.ctx, org, "unknown"); return err },
		"ReplaceWebhook": func() error {
			_, err := f.ReplaceWebhook(f.ctx, org, "unknown", webhooks.Draft{URL: "http://x"})
			return err
		},
		"RotateWebhook": func() error { _, _, err := f.RotateWebhook(f.ctx, org, "unknown"); return err },
		"DeleteWebhook": func() error { return f.DeleteWebhook(f.ctx, org, "unknown") },
		"Deliveries": func() error {
			_, _, err := f.Deliveries(f.ctx, org, "unknown", model.PageRequest{Limit: 10})
			return err
		},
		"Redeliver":         func() error { _, err := f.Redeliver(f.ctx, org, "unknown", "", servertest.Started); return err },
		"Redeliver unknown": func() error { _, err := f.Redeliver(f.ctx, org, w.ID, "unknown", servertest.Started); return err },
		"Redeliver of another": func() error {
			_, err := f.Redeliver(f.ctx, org, listener.ID, list[0].ID, servertest.Started)
			return err
		},
		"MessagesFor":          func() error { _, err := f.MessagesFor(f.ctx, org, "unknown"); return err },
		"Forwarded":            func() error { return f.Forwarded(f.ctx, org, "unknown", list[0].ID, webhooks.SendResult{}) },
		"Forwarded unknown":    func() error { return f.Forwarded(f.ctx, org, listener.ID, "unknown", webhooks.SendResult{}) },
		"Forwarded of another": func() error { return f.Forwarded(f.ctx, org, listener.ID, list[0].ID, webhooks.SendResult{}) },
	} {
		if err := call(); !model.IsKind(err, model.NotFound) {
			t.Errorf("%s: %v, want NotFound", name, err)
		}
	}
	if _, err := f.MessagesFor(f.ctx, org, w.ID); !model.IsKind(err, model.Conflict) {
		t.Errorf("MessagesFor of a webhook with a URL: %v, want a conflict", err)
	}
}

// A filter may have as many values as the limit allows, and no more.
func TestFilterLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	schema := f.saveSchema(org, "8f14e45f-ceea-467f-a9a4-57e2d2b6b0a1")
	for n, refused := range map[int]bool{199: false, 200: false, 201: true} {
		list := slices.Repeat([]string{schema}, n)
		for name, draft := range map[string]webhooks.Draft{
			"events": {Events: list}, "import_identifiers": {Identifiers: list}, "schema_ids": {SchemaIDs: list},
		} {
			draft.URL = "http://receiver"
			if _, _, err := f.CreateWebhook(f.ctx, org, draft); model.IsKind(err, model.Invalid) != refused || !refused && err != nil {
				t.Errorf("%d %s: %v", n, name, err)
			}
		}
	}
}

// TestFindingS16SchemaFilter checks that a webhook cannot name a schema of another organization or
// one that does not exist. A schema that was deleted afterwards does not block other changes.
func TestFindingS16SchemaFilter(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Accounts.InsertOrg(f.ctx, model.Org{ID: "beta", Name: "Beta", Created: servertest.Started})
	}))
	own, other := f.saveSchema(org, "8f14e45f-ceea-467f-a9a4-57e2d2b6b0a1"), f.saveSchema("beta", "9f14e45f-ceea-467f-a9a4-57e2d2b6b0a1")
	draft := func(ids ...string) webhooks.Draft {
		return webhooks.Draft{URL: "http://receiver", Enabled: true, SchemaIDs: ids}
	}
	w, _, err := f.CreateWebhook(f.ctx, org, draft(strings.ToUpper(own)))
	if err != nil || !slices.Equal(w.SchemaIDs, []string{own}) {
		t.Fatalf("%+v, %v", w, err)
	}
	for name, ids := range map[string][]string{"another organization": {own, other}, "unknown": {"af14e45f-ceea-467f-a9a4-57e2d2b6b0a1"}} {
		if _, _, err := f.CreateWebhook(f.ctx, org, draft(ids...)); !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: created, %v", name, err)
		}
		if _, err := f.ReplaceWebhook(f.ctx, org, w.ID, draft(ids...)); !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: replaced, %v", name, err)
		}
	}
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error { return tx.Schemas.Delete(f.ctx, org, own) }))
	if _, err := f.ReplaceWebhook(f.ctx, org, w.ID, draft(own)); err != nil {
		t.Errorf("replaced with a deleted schema that it named before: %v", err)
	}
}
