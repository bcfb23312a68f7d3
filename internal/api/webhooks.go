package api

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
)

// webhook is where events are sent to. Its secret is told when it is made.
type webhook struct {
	ID          string   `json:"id"`
	URL         *string  `json:"url"`
	Events      []string `json:"events"`
	Development *bool    `json:"development_mode"`
	Identifiers []string `json:"import_identifiers"`
	SchemaIDs   []string `json:"schema_ids"`
	Enabled     bool     `json:"enabled"`
	Failing     *string  `json:"failing_since"`
	CreatedDate string   `json:"created_date"`
	Secret      string   `json:"secret,omitempty"`
	warningList
}

func wireWebhook(w service.Webhook, secret seal.Secret) webhook {
	out := webhook{
		ID: w.ID, Events: append([]string{}, w.Events...), Identifiers: append([]string{}, w.Identifiers...),
		SchemaIDs: append([]string{}, w.SchemaIDs...), Enabled: w.Enabled, CreatedDate: stamp(w.Created), Secret: secret.Reveal(),
	}
	if w.URL != "" {
		out.URL = &w.URL
	}
	if w.Development != "" {
		only := w.Development == "true"
		out.Development = &only
	}
	if w.Failing.Failures > 0 {
		since := stamp(w.Failing.Since)
		out.Failing = &since
	}
	if strings.HasPrefix(strings.ToLower(w.URL), "http:") {
		unencrypted := intray.NewMessage("webhook.unencrypted", nil)
		out.warningList = warningsOf([]intray.Message{intray.NewMessage("property.problem", intray.Params{"path": "url", "problem": unencrypted})})
	}
	return out
}

func webhookDraft(c *call) service.WebhookDraft {
	doc := c.object()
	address, there := doc["url"]
	d := service.WebhookDraft{ID: c.fixedID, URL: text(doc, "url"), Listens: there && address == nil, Enabled: true, Events: texts(doc, "events"), Identifiers: texts(doc, "import_identifiers"), SchemaIDs: texts(doc, "schema_ids")}
	if enabled, said := doc["enabled"].(bool); said {
		d.Enabled = enabled
	}
	if only, said := doc["development_mode"].(bool); said {
		d.Development = map[bool]string{true: "true", false: "false"}[only]
	}
	return d
}

func texts(doc map[string]any, name string) (list []string) {
	all, _ := doc[name].([]any)
	for _, one := range all {
		if text, is := one.(string); is {
			list = append(list, text)
		}
	}
	return list
}

func (a *API) createWebhook(c *call) (*answer, error) {
	made, secret, err := a.cfg.Service.CreateWebhook(c.ctx(), c.org, webhookDraft(c))
	if err != nil {
		return nil, err
	}
	return reply(http.StatusCreated, wireWebhook(made, secret))
}

func (a *API) listWebhooks(c *call) (*answer, error) {
	list, err := a.cfg.Service.Webhooks(c.ctx(), c.org)
	if err != nil {
		return nil, err
	}
	out := make([]webhook, len(list))
	for i, one := range list {
		out[i] = wireWebhook(one, seal.Secret{})
	}
	return reply(http.StatusOK, out)
}

func (a *API) getWebhook(c *call) (*answer, error) {
	one, err := found(c, a.cfg.Service.Webhook)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireWebhook(one, seal.Secret{}))
}

func (a *API) replaceWebhook(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	one, err := a.cfg.Service.ReplaceWebhook(c.ctx(), c.org, id, webhookDraft(c))
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireWebhook(one, seal.Secret{}))
}

func (a *API) deleteWebhook(c *call) (*answer, error) {
	return &answer{status: http.StatusNoContent}, c.remove("id", a.cfg.Service.DeleteWebhook)
}

func (a *API) rotateWebhook(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	one, secret, err := a.cfg.Service.RotateWebhook(c.ctx(), c.org, id)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireWebhook(one, secret))
}

func (a *API) signingSecret(c *call) (*answer, error) {
	return unkept(map[string]string{"secret": a.cfg.Service.SigningSecret(c.org).Reveal()}, nil)
}

// delivery is a message for one receiver, and what became of it.
type delivery struct {
	ID          string    `json:"id"`
	Event       string    `json:"event"`
	ImportID    string    `json:"import_id"`
	URL         string    `json:"url"`
	Status      string    `json:"status"`
	CreatedDate string    `json:"created_date"`
	NextAttempt *string   `json:"next_attempt_date"`
	ContentType string    `json:"content_type"`
	Body        *string   `json:"body"`
	Attempts    []attempt `json:"attempts"`
}

// attempt is one try at a delivery.
type attempt struct {
	Number    int    `json:"number"`
	Date      string `json:"date"`
	Delivered bool   `json:"delivered"`
	Status    *int   `json:"status_code"`
	mainSnake
	Answered float64             `json:"answered_ms"`
	Took     float64             `json:"took_ms"`
	Headers  map[string][]string `json:"response_headers"`
	Body     string              `json:"response_body"`
}

func wireDelivery(d service.Delivery, tried []service.Attempt) delivery {
	out := delivery{ID: d.ID, Event: d.Event, ImportID: d.ImportID, URL: d.URL, Status: string(d.Status), CreatedDate: stamp(d.Created), ContentType: d.ContentType, Attempts: []attempt{}}
	if d.Status == service.Waiting {
		next := stamp(d.Due)
		out.NextAttempt = &next
	}
	if d.Body != nil {
		body := string(d.Body)
		out.Body = &body
	}
	for _, t := range tried {
		one := attempt{
			Number: t.Number, Date: stamp(t.At), Delivered: t.Delivered, mainSnake: mainSnakeOf(t.Told), Headers: t.Head, Body: legible(t.Body),
			Answered: milliseconds(t.Answered), Took: milliseconds(t.Took),
		}
		if one.Headers == nil {
			one.Headers = map[string][]string{}
		}
		if t.Status != 0 {
			one.Status = &t.Status
		}
		out.Attempts = append(out.Attempts, one)
	}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// legible is a body as text, whatever it is.
func legible(body []byte) string {
	if utf8.Valid(body) {
		return string(body)
	}
	return strings.ToValidUTF8(string(body), "\uFFFD")
}

func (a *API) listDeliveries(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	return a.replyDeliveries(c, id)
}

// listSettingsDeliveries lists those to the addresses of schemas.
func (a *API) listSettingsDeliveries(c *call) (*answer, error) { return a.replyDeliveries(c, "") }

func (a *API) replyDeliveries(c *call, id string) (*answer, error) {
	offset, limit, err := window(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, tried, total, err := a.cfg.Service.Deliveries(c.ctx(), c.org, id, offset, min(limit, maxDeliveries))
	if err != nil {
		return nil, err
	}
	results := make([]delivery, len(list))
	for i, one := range list {
		results[i] = wireDelivery(one, tried[one.ID])
	}
	return reply(http.StatusOK, a.page(c, results, total, offset, min(limit, maxDeliveries)))
}

// maxDeliveries is the most deliveries of an answer: each may have 13 attempts of
// 16 KiB.
const maxDeliveries = 100

func (a *API) redeliver(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	doc := c.object()
	one, since := text(doc, "delivery_id"), text(doc, "since")
	if (one == "") == (since == "") {
		return nil, invalidField("delivery_id", intray.NewMessage("webhook.delivery_or_since", nil))
	}
	var at time.Time
	if since != "" {
		if at, err = time.Parse(time.RFC3339, since); err != nil {
			return nil, invalidField("since", intray.NewMessage("request.not_a_time", intray.Params{"time": exampleTime}))
		}
	}
	n, err := a.cfg.Service.Redeliver(c.ctx(), c.org, id, one, at)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, map[string]int64{"deliveries": n})
}

// maxWait is how long a call may wait for messages, in seconds.
const maxWait = 25

func (a *API) fetchMessages(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	seconds, err := within(c.r.URL.Query(), "wait", 0, maxWait)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.ctx(), time.Duration(seconds)*time.Second)
	defer cancel()
	go func() {
		select {
		case <-a.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	list, err := a.cfg.Service.MessagesFor(ctx, c.org, id)
	if err != nil {
		return nil, err
	}
	out := make([]delivery, len(list))
	for i, one := range list {
		out[i] = wireDelivery(one, nil)
	}
	return reply(http.StatusOK, out)
}

func (a *API) tellForwarded(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	doc := c.object()
	status, took := int(integer(doc, "status_code")), time.Duration(integer(doc, "took_ms"))*time.Millisecond
	err = a.cfg.Service.Forwarded(c.ctx(), c.org, id, text(doc, "delivery_id"), service.Sent{Attempt: service.Attempt{
		Status: status, Delivered: status/100 == 2, Told: intray.Literal(text(doc, "message")), Took: took, Answered: took,
	}})
	return &answer{status: http.StatusNoContent}, err
}

func forwardedBody() *shape.Shape {
	return object("", must("delivery_id", line("", 128)), must("status_code", count("That of the answer; 0 where there was none.")),
		must("message", line("A sentence for people.", 1024)), may("took_ms", count("")))
}

var webhookEvents = []string{"import_completed", "headless_import_needs_review", "headless_import_failed", "webhook_disabled", "sftp_connector_failed"}

func webhookBody() *shape.Shape {
	return object("",
		must("url", &shape.Shape{Kind: shape.String, Nullable: true, MinLength: 1, MaxLength: 2048, NoControl: true, Doc: "With https or http; null for one whose messages a program fetches, as intray listen does."}),
		may("events", list(enum("", webhookEvents...), "Of which events it is told. Default all.")),
		may("development_mode", orNull(flag("Only of imports with this developmentMode. Default all."))),
		may("import_identifiers", list(line("", 1024), "Only of imports with one of these identifiers. Default all.")),
		may("schema_ids", list(id(""), "Only of imports with one of these saved schemas. Default all.")),
		may("enabled", flag("Default true.")))
}

func webhookAnswer() *shape.Shape {
	return object("", with(warningProps(""), must("id", id("")), must("url", orNull(word(""))), must("events", list(enum("", webhookEvents...), "Empty means all.")),
		must("development_mode", orNull(flag("null means all."))), must("import_identifiers", list(word(""), "Empty means all.")),
		must("schema_ids", list(word(""), "Empty means all.")), must("enabled", flag("One that only failed for 5 days is disabled.")),
		must("failing_since", orNull(moment("Since when every attempt has failed."))), must("created_date", moment("")),
		may("secret", word("Told when the webhook is made and after a rotation, and never again: whsec_ and base64.")))...)
}

func deliveryAnswer() *shape.Shape {
	tried := object("", with(mainSnakeProps("A sentence for people."), must("number", count("")), must("date", moment("")), must("delivered", flag("")), must("status_code", orNull(count(""))),
		must("answered_ms", &shape.Shape{Kind: shape.Number, Doc: "When the head of the answer was there."}), must("took_ms", &shape.Shape{Kind: shape.Number}),
		must("response_headers", mapOf(list(word(""), ""), "")), must("response_body", word("The first 16 KiB.")))...)
	return object("", must("id", word("The message's own: webhook-id of each attempt.")), must("event", word("")), must("import_id", word("")), must("url", word("")),
		must("status", enum("", "WAITING", "DELIVERED", "FAILED")), must("created_date", moment("")), must("next_attempt_date", orNull(moment(""))),
		must("content_type", word("")), must("body", orNull(word("null where what it told of was deleted."))), must("attempts", list(tried, "")))
}

func webhookOperations() []operation {
	const all, one = v1 + "/webhooks/", v1 + "/webhooks/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createWebhook", summary: "Make a webhook", door: backend, body: webhookBody(),
			status: 201, answer: webhookAnswer(), errors: []int{400, 409, 413, 415}, serve: (*API).createWebhook,
			text: "Messages are signed as Standard Webhooks says, with the secret that this answer alone tells."},
		{method: "GET", path: all, id: "listWebhooks", summary: "List the webhooks, oldest first", door: backend, memory: perRead,
			status: 200, answer: list(webhookAnswer(), ""), serve: (*API).listWebhooks},
		{method: "GET", path: v1 + "/webhooks/signing-secret/", id: "getSigningSecret", summary: "The secret that signs the calls of webhookUrl and needsReviewWebhookUrl", door: backend,
			status: 200, answer: object("", must("secret", word("whsec_ and base64."))), serve: (*API).signingSecret},
		{method: "GET", path: v1 + "/webhooks/settings-deliveries/", id: "listSettingsDeliveries", summary: "List the calls of webhookUrl and needsReviewWebhookUrl, newest first", door: backend, memory: perRead, query: pageParams(),
			status: 200, answer: pageOf(deliveryAnswer()), errors: []int{400}, serve: (*API).listSettingsDeliveries, text: "At most 100 at a time; they are kept for 30 days."},
		{method: "GET", path: one, id: "getWebhook", summary: "Retrieve a webhook", door: backend,
			status: 200, answer: webhookAnswer(), errors: []int{404}, serve: (*API).getWebhook},
		{method: "PUT", path: one, id: "replaceWebhook", summary: "Replace a webhook", door: backend, body: webhookBody(),
			status: 200, answer: webhookAnswer(), errors: []int{400, 404, 413, 415}, serve: (*API).replaceWebhook, text: "Its secret stays."},
		{method: "DELETE", path: one, id: "deleteWebhook", summary: "Delete a webhook and its deliveries", door: backend,
			status: 204, errors: []int{404}, serve: (*API).deleteWebhook},
		{method: "POST", path: one + "rotate/", id: "rotateWebhook", summary: "Make a new secret for a webhook", door: backend,
			status: 200, answer: webhookAnswer(), errors: []int{404}, serve: (*API).rotateWebhook, text: "For a day messages are signed with the secret before, too."},
		{method: "GET", path: one + "deliveries/", id: "listDeliveries", summary: "List the deliveries of a webhook with their attempts, newest first", door: backend, memory: perRead, query: pageParams(),
			status: 200, answer: pageOf(deliveryAnswer()), errors: []int{400, 404}, serve: (*API).listDeliveries, text: "At most 100 at a time; they are kept for 30 days."},
		{method: "GET", path: one + "waiting/", id: "fetchMessages", summary: "Wait for messages of a webhook without an address", door: backend, memory: perRead, query: []parameter{{"wait", "For how many seconds to wait where there are none. Default 0, at most 25.", count("")}},
			status: 200, answer: list(deliveryAnswer(), "Of each import the oldest."), errors: []int{400, 404, 409}, serve: (*API).fetchMessages},
		{method: "POST", path: one + "waiting/", id: "tellForwarded", summary: "Tell what came of a message that was fetched", door: backend, body: forwardedBody(),
			status: 204, errors: []int{400, 404, 413, 415}, serve: (*API).tellForwarded, text: "A status from 200 to 299 delivers it; else it waits, and is to be tried again as others are."},
		{method: "POST", path: one + "redeliver/", id: "redeliver", summary: "Send deliveries again", door: backend,
			body:   object("", may("delivery_id", line("One delivery.", 128)), may("since", line("All that were made since: a date and time of ISO 8601.", 40))),
			status: 200, answer: object("", must("deliveries", count("How many are sent again, under their ids."))), errors: []int{400, 404, 409, 413, 415}, serve: (*API).redeliver},
	}
}

// Retrieved is what retrieving an import answers, without what opens it to others:
// for those who are told of it.
func (a *API) Retrieved(imp service.Import, u service.Upload) ([]byte, error) {
	full := importFull{importShort: wireImport(imp)}
	if imp.Outcome != nil {
		if all := imp.Outcome.All(); len(all) > 0 {
			full.ImportErrors = wireNotices(all)
		}
		metadata, err := a.wireOutcome(imp)
		if err != nil {
			return nil, err
		}
		full.ResultMetadata = metadata
	}
	return encodeJSON(full)
}
