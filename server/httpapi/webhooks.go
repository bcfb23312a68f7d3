package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhooks"
)

func wireWebhook(w model.Webhook, secret secrets.Secret) wire.Webhook {
	out := wire.Webhook{
		ID: w.ID, Events: append([]string{}, w.Events...), ImportIdentifiers: append([]string{}, w.Identifiers...),
		SchemaIDs: append([]string{}, w.SchemaIDs...), Enabled: w.Enabled, CreatedDate: formatTime(w.Created), Secret: secret.Reveal(),
	}
	if w.URL != "" {
		out.URL = &w.URL
	}
	if w.Development != "" {
		only := w.Development == "true"
		out.DevelopmentMode = &only
	}
	if w.FailureStreak.Failures > 0 {
		since := formatTime(w.FailureStreak.Since)
		out.FailingSince = &since
	}
	if strings.HasPrefix(strings.ToLower(w.URL), "http:") {
		unencrypted := intray.NewMessage("webhook.unencrypted", nil)
		out.Warnings = wire.NewWarnings([]intray.Message{intray.NewMessage("property.problem", intray.Params{"path": "url", "problem": unencrypted})})
	}
	return out
}

func webhookDraft(c *call) webhooks.Draft {
	doc := c.bodyObject()
	address, there := doc["url"]
	d := webhooks.Draft{ID: c.fixedID, URL: stringField(doc, "url"), Listens: there && address == nil, Enabled: true, Events: stringListField(doc, "events"), Identifiers: stringListField(doc, "import_identifiers"), SchemaIDs: stringListField(doc, "schema_ids")}
	if enabled, said := doc["enabled"].(bool); said {
		d.Enabled = enabled
	}
	if only, said := doc["development_mode"].(bool); said {
		d.Development = map[bool]string{true: "true", false: "false"}[only]
	}
	return d
}

func stringListField(doc map[string]any, name string) (list []string) {
	all, _ := doc[name].([]any)
	for _, one := range all {
		if text, is := one.(string); is {
			list = append(list, text)
		}
	}
	return list
}

func (a *API) createWebhook(c *call) (*response, error) {
	made, secret, err := a.cfg.Service.CreateWebhook(c.context(), c.org, webhookDraft(c))
	return jsonResponse(http.StatusCreated, wireWebhook(made, secret), err)
}

func (a *API) listWebhooks(c *call) (*response, error) {
	list, err := a.cfg.Service.Webhooks(c.context(), c.org)
	return jsonResponse(http.StatusOK, mapEach(list, func(w model.Webhook) wire.Webhook { return wireWebhook(w, secrets.Secret{}) }), err)
}

func (a *API) getWebhook(c *call) (*response, error) {
	one, err := loadByID(c, a.cfg.Service.Webhook)
	return jsonResponse(http.StatusOK, wireWebhook(one, secrets.Secret{}), err)
}

func (a *API) replaceWebhook(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	one, err := a.cfg.Service.ReplaceWebhook(c.context(), c.org, id, webhookDraft(c))
	return jsonResponse(http.StatusOK, wireWebhook(one, secrets.Secret{}), err)
}

func (a *API) deleteWebhook(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.DeleteWebhook))
}

func (a *API) rotateWebhook(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	one, secret, err := a.cfg.Service.RotateWebhook(c.context(), c.org, id)
	return jsonResponse(http.StatusOK, wireWebhook(one, secret), err)
}

func (a *API) signingSecret(c *call) (*response, error) {
	return jsonResponse(http.StatusOK, wire.SigningSecret{Secret: a.cfg.Service.SigningSecret(c.org).Reveal()}, nil)
}

func wireDelivery(d model.Delivery, attempts []model.Attempt) wire.Delivery {
	out := wire.Delivery{
		ID: d.ID, Event: d.Event, ImportID: d.ImportID, URL: d.URL, Status: string(d.Status), CreatedDate: formatTime(d.Created),
		ContentType: d.ContentType, Attempts: mapEach(attempts, wireAttempt),
	}
	if d.Status == model.Waiting {
		next := formatTime(d.Due)
		out.NextAttemptDate = &next
	}
	if d.Body != nil {
		body := string(d.Body)
		out.Body = &body
	}
	return out
}

func wireAttempt(t model.Attempt) wire.Attempt {
	out := wire.Attempt{
		Number: t.Number, Date: formatTime(t.At), Delivered: t.Delivered, SnakeMessage: wire.NewSnakeMessage(t.Message),
		AnsweredMS: milliseconds(t.Answered), TookMS: milliseconds(t.Took), ResponseHeaders: t.Head, ResponseBody: strings.ToValidUTF8(string(t.Body), "\uFFFD"),
	}
	if out.ResponseHeaders == nil {
		out.ResponseHeaders = map[string][]string{}
	}
	if t.Status != 0 {
		out.StatusCode = &t.Status
	}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (a *API) listDeliveries(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	return a.replyDeliveries(c, id)
}

// listSettingsDeliveries lists the deliveries to URLs in schema settings.
func (a *API) listSettingsDeliveries(c *call) (*response, error) { return a.replyDeliveries(c, "") }

func (a *API) replyDeliveries(c *call, id string) (*response, error) {
	page, err := pageRequest(c.r.URL.Query(), maxDeliveries)
	if err != nil {
		return nil, err
	}
	list, tried, err := a.cfg.Service.Deliveries(c.context(), c.org, id, page)
	results := mapEach(list.Rows, func(d model.Delivery) wire.Delivery { return wireDelivery(d, tried[d.ID]) })
	return jsonResponse(http.StatusOK, paginate(a, c, results, list.Total, list.Next, page), err)
}

// maxDeliveries is the maximum number of deliveries in a response. Each delivery
// may have 13 attempts, with up to 16 KiB each.
const maxDeliveries = 100

func (a *API) redeliver(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	one, since := stringField(doc, "delivery_id"), stringField(doc, "since")
	if (one == "") == (since == "") {
		return nil, invalidField("delivery_id", intray.NewMessage("webhook.delivery_or_since", nil))
	}
	var at time.Time
	if since != "" {
		if at, err = time.Parse(time.RFC3339, since); err != nil {
			return nil, invalidField("since", intray.NewMessage("request.not_a_time", intray.Params{"time": exampleTime}))
		}
	}
	n, err := a.cfg.Service.Redeliver(c.context(), c.org, id, one, at)
	return jsonResponse(http.StatusOK, wire.Redelivered{Deliveries: n}, err)
}

// maxWait is the maximum time for which a call waits for messages, in seconds.
const maxWait = 25

func (a *API) fetchMessages(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	seconds, err := intParam(c.r.URL.Query(), "wait", 0, maxWait, 0)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.context(), time.Duration(seconds)*time.Second)
	defer cancel()
	go func() {
		select {
		case <-a.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	list, err := a.cfg.Service.MessagesFor(ctx, c.org, id)
	return jsonResponse(http.StatusOK, mapEach(list, func(d model.Delivery) wire.Delivery { return wireDelivery(d, nil) }), err)
}

func (a *API) reportForwarded(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	status, took := int(intField(doc, "status_code")), time.Duration(intField(doc, "took_ms"))*time.Millisecond
	err = a.cfg.Service.Forwarded(c.context(), c.org, id, stringField(doc, "delivery_id"), webhooks.SendResult{Attempt: model.Attempt{
		Status: status, Delivered: status/100 == 2, Message: intray.Literal(stringField(doc, "message")), Took: took, Answered: took,
	}})
	return jsonResponse(http.StatusNoContent, nil, err)
}

func forwardedBody() *jsonschema.Schema {
	return bodyType("ForwardedRequest", "The result of a message that a program fetched.", map[string]any{"delivery_id": "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", "status_code": 200, "message": "OK", "took_ms": 12}, required("delivery_id", lineType("", 128)), required("status_code", countType("The status of the response; 0 if there was none.")),
		required("message", lineType("The result, for people.", 1024)), optional("took_ms", countType("")))
}

func webhookBody() *jsonschema.Schema {
	return bodyType("WebhookDraft", "A webhook to create, or what replaces it.", map[string]any{"url": "https://example.com/intray", "events": []any{"import_completed"}},
		required("url", &jsonschema.Schema{Kind: jsonschema.String, Nullable: true, MinLength: 1, MaxLength: 2048, NoControl: true, Format: "uri", Description: "https or http; null if a program fetches the messages, as intray listen does."}),
		optional("events", arrayType(eventType(), "Only these events. Default: all.")),
		optional("development_mode", nullable(boolType("Only imports with this developmentMode. Default: all."))),
		optional("import_identifiers", arrayType(lineType("", 1024), "Only imports with one of these identifiers. Default: all.")),
		optional("schema_ids", arrayType(uuidType(""), "Only imports with one of these saved schemas. Default: all.")),
		optional("enabled", boolType("Default: true.")))
}

func webhookOperations() []operation {
	const all, one = v1 + "/webhooks/", v1 + "/webhooks/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createWebhook", summary: "Create a webhook", auth: authBackendKey, body: webhookBody(),
			status: 201, response: shapeOf[wire.Webhook](), errors: []int{400, 409, 413, 415}, serve: (*API).createWebhook,
			description: "Messages are signed as in Standard Webhooks, with the secret in this response. It is never sent again."},
		{method: "GET", path: all, id: "listWebhooks", summary: "List webhooks, oldest first", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[[]wire.Webhook](), serve: (*API).listWebhooks},
		{method: "GET", path: v1 + "/webhooks/signing-secret/", id: "getSigningSecret", summary: "Get the secret that signs calls of webhookUrl and needsReviewWebhookUrl", auth: authBackendKey,
			status: 200, response: shapeOf[wire.SigningSecret](), serve: (*API).signingSecret},
		{method: "GET", path: v1 + "/webhooks/settings-deliveries/", id: "listSettingsDeliveries", summary: "List calls of webhookUrl and needsReviewWebhookUrl, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.Delivery]](), errors: []int{400}, serve: (*API).listSettingsDeliveries, description: "At most 100 at a time. Deliveries are kept for 30 days."},
		{method: "GET", path: one, id: "getWebhook", summary: "Retrieve a webhook", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Webhook](), errors: []int{404}, serve: (*API).getWebhook},
		{method: "PUT", path: one, id: "replaceWebhook", summary: "Replace a webhook", auth: authBackendKey, body: webhookBody(),
			status: 200, response: shapeOf[wire.Webhook](), errors: []int{400, 404, 413, 415}, serve: (*API).replaceWebhook, description: "The secret stays the same."},
		{method: "DELETE", path: one, id: "deleteWebhook", summary: "Delete a webhook and its deliveries", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteWebhook},
		{method: "POST", path: one + "rotate/", id: "rotateWebhook", summary: "Create a new secret for a webhook", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Webhook](), errors: []int{404}, serve: (*API).rotateWebhook, description: "For a day messages are also signed with the previous secret."},
		{method: "GET", path: one + "deliveries/", id: "listDeliveries", summary: "List deliveries of a webhook with their attempts, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.Delivery]](), errors: []int{400, 404}, serve: (*API).listDeliveries, description: "At most 100 at a time. Deliveries are kept for 30 days."},
		{method: "GET", path: one + "waiting/", id: "fetchMessages", summary: "Wait for messages of a webhook without a URL", auth: authBackendKey, memory: readMemory, query: []parameter{{"wait", "Number of seconds to wait for a message if none is queued. Default: 0, at most 25.", countType("")}},
			status: 200, response: shapeOf[[]wire.Delivery](), errors: []int{400, 404, 409}, serve: (*API).fetchMessages},
		{method: "POST", path: one + "waiting/", id: "tellForwarded", summary: "Report the result of a fetched message", auth: authBackendKey, body: forwardedBody(),
			status: 204, errors: []int{400, 404, 413, 415}, serve: (*API).reportForwarded, description: "With a status from 200 to 299 the message is delivered. Otherwise it is retried like any other."},
		{method: "POST", path: one + "redeliver/", id: "redeliver", summary: "Send deliveries again", auth: authBackendKey,
			body:   bodyType("RedeliverRequest", "Which messages to send again: exactly one of the properties.", map[string]any{"since": "2026-11-21T09:30:00Z"}, optional("delivery_id", lineType("One delivery.", 128)), optional("since", &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MaxLength: 40, Format: "date-time", Description: "All deliveries since this ISO 8601 date and time."})),
			status: 200, response: shapeOf[wire.Redelivered](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).redeliver},
	}
}
