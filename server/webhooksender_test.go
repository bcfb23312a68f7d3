package server

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/httpapi"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhooks"
	"github.com/intraydata/intray/test/apitest"
)

// TestFindingEcosystem12SendGone checks that only the status 410 reports a receiver that is gone.
func TestFindingEcosystem12SendGone(t *testing.T) {
	t.Parallel()
	sender := newWebhookSender(egress.New(egress.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
	for status, gone := range map[int]bool{http.StatusGone: true, http.StatusNotFound: false, http.StatusNoContent: false} {
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(receiver.Close)
		d := model.Delivery{ID: "msg_1", URL: receiver.URL, ContentType: "application/json", Body: []byte("{}")}
		result, err := sender.Send(t.Context(), d, time.Now(), []secrets.Secret{secrets.NewSecret("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0")})
		if err != nil || result.Status != status || result.Gone != gone {
			t.Errorf("%d: %+v, %v", status, result, err)
		}
	}
}

// TestMessagesAreAsDocumented checks that the messages of all events match the OpenAPI document,
// with and without the properties that can be missing.
func TestMessagesAreAsDocumented(t *testing.T) {
	t.Parallel()
	api := httpapi.New(httpapi.Config{BaseURL: "https://intray.example"})
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequest("GET", "https://intray.example/openapi.json", nil))
	described, err := apitest.ParseDocument(answer.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	sender := &webhookSender{retrieved: api.Retrieved}
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	coded, literal := intray.NewMessage("webhook.connection_refused", intray.Params{"address": "sftp.example:22"}), intray.Literal("No.")
	const id = "0f8fad5b-d9cb-469f-a165-70867728950e"
	document := model.Document{Fields: []byte(`[{"key":"a","label":"A"}]`), Settings: []byte("{}"), Hooks: []byte("{}"), Extensions: []byte("{}")}
	var sent []webhooks.Payload
	add := func(p webhooks.Payload, err error) {
		if err != nil {
			t.Error(err)
		}
		sent = append(sent, p)
	}
	for _, status := range []model.Status{model.Successful, model.NeedsReview, model.Failed} {
		for _, imp := range []model.Import{
			{ID: id, SchemaID: id, Status: status, Modified: now},
			{ID: id, SchemaID: id, UploadID: id, Schema: document, Status: status, Modified: now, Filename: "a.csv", HasUser: true, User: model.User{ID: "7", Name: "Anna"}, Outcome: &model.Outcome{Outcome: engine.Outcome{DataRows: 3}}},
		} {
			p, has, err := sender.ImportPayload(imp, model.Upload{ID: "2"}, true)
			if !has {
				t.Errorf("%s has no event", status)
			}
			add(p, err)
		}
	}
	for _, m := range []intray.Message{coded, literal} {
		add(sender.DisabledPayload(model.Webhook{ID: "1", URL: "https://example.com/in", FailureStreak: model.FailureStreak{Since: now}}, now, m))
		add(sender.ConnectorFailedPayload(model.Connector{ID: "1", Directory: "/in", Next: now}, model.PullRun{ID: "2", Kind: "unreachable", Message: m, Ended: now}))
		for _, state := range []string{connectors.UploadWaiting, "FAILED"} {
			add(sender.DeliveryFailedPayload(model.Connector{ID: "1"}, model.PulledFile{ImportID: "2", Put: state, PutTries: 2, PutKind: "denied", PutMessage: m, PutDue: now}, now))
		}
	}
	names := map[string]bool{}
	for _, p := range sent {
		names[p.Event] = true
		if wrong := described.CheckEvent(p.Event, p.Body); wrong != "" {
			t.Errorf("%s\n%s", wrong, p.Body)
		}
		if wrong := described.CheckEvent(p.Event, []byte(strings.Replace(string(p.Body), `"data":{`, `"data":{"more":1,`, 1))); wrong == "" {
			t.Errorf("%s: a property that is not documented is not noticed", p.Event)
		}
	}
	want := webhooks.Events()
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(names))); diff != "" {
		t.Error(diff)
	}
}
