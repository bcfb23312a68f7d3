package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhooks"
)

// fakeWebhookSender reports every message as delivered.
type fakeWebhookSender struct{}

func (fakeWebhookSender) ImportPayload(imp model.Import, _ model.Upload, _ bool) (webhooks.Payload, bool, error) {
	return webhooks.Payload{Event: "import_completed", ContentType: "application/json", Body: []byte(`{"id":"` + imp.ID + `"}`)}, imp.Status == model.Successful, nil
}

func (fakeWebhookSender) DisabledPayload(model.Webhook, time.Time, intray.Message) (webhooks.Payload, error) {
	return webhooks.Payload{}, nil
}

func (fakeWebhookSender) CheckAddress(url string) error {
	if !strings.HasPrefix(url, "http") {
		return errors.New("the address must begin with https:// or http:// and a host")
	}
	return nil
}

func (fakeWebhookSender) NewSecret(io.Reader) (secrets.Secret, error) {
	return secrets.NewSecret("whsec_x"), nil
}

func (fakeWebhookSender) Send(context.Context, model.Delivery, time.Time, []secrets.Secret) (webhooks.SendResult, error) {
	return webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 204, Message: intray.NewMessage("webhook.delivered", intray.Params{"status": "204 No Content"}), Took: time.Millisecond, Body: []byte{'a', 0xff}}}, nil
}

func (fakeWebhookSender) DecideRetry(f model.FailureStreak, _ int, _ time.Time, _ webhooks.SendResult) webhooks.RetryDecision {
	return webhooks.RetryDecision{Streak: f, Retry: true, Wait: time.Minute}
}

func (fakeWebhookSender) ConnectorFailedPayload(model.Connector, model.PullRun) (webhooks.Payload, error) {
	return webhooks.Payload{Event: "sftp_connector_failed"}, nil
}

func (fakeWebhookSender) DeliveryFailedPayload(model.Connector, model.PulledFile, time.Time) (webhooks.Payload, error) {
	return webhooks.Payload{Event: "sftp_delivery_failed"}, nil
}

// webhooks creates a webhook, receives a message, and lists the deliveries.
func (s *server) webhooks() {
	s.Helper()
	const all = "/api/v1/webhooks/"
	made := s.do("POST", all, `{"url":"http://example.org/x","events":["import_completed"],"development_mode":false}`)
	id := s.text(made, "id")
	for _, want := range []string{`"secret":"whsec_x"`, `"warnings":["url: `, `"development_mode":false`, `"failing_since":null`} {
		if !strings.Contains(made.Body.String(), want) {
			s.Errorf("%s lacks %s", made.Body, want)
		}
	}
	for _, wrong := range []string{`{}`, `{"url":"x"}`, `{"url":"https://x","events":["odd"]}`, `{"url":"https://x","schema_ids":["odd"]}`, `{"url":"https://x","development_mode":"yes"}`} {
		if w := s.send("POST", all, wrong); w.Code != http.StatusBadRequest {
			s.Errorf("%s: status %d %s", wrong, w.Code, w.Body)
		}
	}
	if got := s.do("GET", all+id+"/", "").Body.String(); strings.Contains(got, "secret") {
		s.Errorf("the secret is sent again: %s", got)
	}
	s.do("GET", all, "")
	s.do("PUT", all+id+"/", `{"url":"https://example.org/y"}`)
	s.do("POST", all+id+"/rotate/", "")
	if got := s.text(s.do("GET", all+"signing-secret/", ""), "secret"); !strings.HasPrefix(got, "whsec_") {
		s.Errorf("the secret is %q", got)
	}
	imp := s.do("POST", "/api/v1/headless/imports/", `{"settings":{"webhookUrl":"https://example.org/z"},`+mailFields+`}`)
	s.do("PUT", s.text(imp, "upload"), "email\na@example.org\n", "Content-Type", "text/csv")
	s.runAll()
	check(s.T, s.svc.Deliver(s.Context()))
	s.svc.WaitForDeliveries()
	list := s.do("GET", all+id+"/deliveries/", "").Body.String()
	for _, want := range []string{`"count":1`, `"status":"DELIVERED"`, `"status_code":204`, `"response_body":"a�"`, `"url":"https://example.org/y"`, s.text(imp, "id")} {
		if !strings.Contains(list, want) {
			s.Errorf("%s lacks %s", list, want)
		}
	}
	if got := s.do("GET", all+"settings-deliveries/", "").Body.String(); !strings.Contains(got, `"body":"uploadId=`) {
		s.Errorf("the calls of settings are %s", got)
	}
	if got := s.do("POST", all+id+"/redeliver/", `{"since":"2020-01-01T00:00:00Z"}`).Body.String(); !strings.Contains(got, `{"deliveries":1}`) {
		s.Errorf("sent again: %s", got)
	}
	for _, wrong := range []string{`{}`, `{"since":"yesterday"}`, `{"since":"2020-01-01T00:00:00Z","delivery_id":"x"}`} {
		if w := s.send("POST", all+id+"/redeliver/", wrong); w.Code != http.StatusBadRequest {
			s.Errorf("%s: status %d %s", wrong, w.Code, w.Body)
		}
	}
	if w := s.send("POST", all+id+"/redeliver/", `{"delivery_id":"msg_x"}`); w.Code != http.StatusNotFound {
		s.Errorf("an unknown delivery: status %d %s", w.Code, w.Body)
	}
	s.do("DELETE", all+id+"/", "")
	s.listening()
}

// listening fetches the messages of a webhook without a URL.
func (s *server) listening() {
	s.Helper()
	const all = "/api/v1/webhooks/"
	id := s.text(s.do("POST", all, `{"url":null}`), "id")
	if got := s.do("GET", all+id+"/waiting/", "").Body.String(); strings.TrimSpace(got) != "[]" {
		s.Errorf("messages before there are any: %s", got)
	}
	imp := s.do("POST", "/api/v1/headless/imports/", `{"settings":{},`+mailFields+`,"initial_data":[{"email":"a@example.org"}]}`)
	s.runAll()
	check(s.T, s.svc.Deliver(s.Context()))
	s.svc.WaitForDeliveries()
	var list []struct{ ID, Body string }
	check(s.T, json.Unmarshal(s.do("GET", all+id+"/waiting/?wait=1", "").Body.Bytes(), &list))
	if len(list) != 1 || !strings.Contains(list[0].Body, s.text(imp, "id")) {
		s.Fatalf("the messages are %+v", list)
	}
	s.do("POST", all+id+"/waiting/", `{"delivery_id":"`+list[0].ID+`","status_code":200,"message":"It answered 200.","took_ms":3}`)
	if got := s.do("GET", all+id+"/deliveries/", "").Body.String(); !strings.Contains(got, `"status":"DELIVERED"`) || !strings.Contains(got, `"message":"It answered 200."`) {
		s.Errorf("the deliveries are %s", got)
	}
	other := s.text(s.do("POST", all, `{"url":"https://example.org"}`), "id")
	if w := s.send("GET", all+other+"/waiting/", ""); w.Code != http.StatusConflict {
		s.Errorf("messages of a webhook with a URL: status %d", w.Code)
	}
}
