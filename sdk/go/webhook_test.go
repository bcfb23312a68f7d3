package intray

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/intraydata/intray/sdk/go/api"
)

// The example in the specification of Standard Webhooks. The tests of the other clients use the same
// example.
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleTimestamp = "1614265330"
	exampleBody      = `{"test": 2432232314}`
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestVerifySignature(t *testing.T) {
	sent := time.Unix(1614265330, 0)
	for _, c := range []struct {
		name, secret, signature, body string
		now                           time.Time
		code                          string
	}{
		{"valid", exampleSecret, exampleSignature, exampleBody, sent, ""},
		{"4 minutes old", exampleSecret, exampleSignature, exampleBody, sent.Add(4 * time.Minute), ""},
		{"one of several signatures", exampleSecret, "v1,AAAA v1a,x " + exampleSignature, exampleBody, sent, ""},
		{"old", exampleSecret, exampleSignature, exampleBody, sent.Add(6 * time.Minute), "invalid_timestamp"},
		{"future", exampleSecret, exampleSignature, exampleBody, sent.Add(-6 * time.Minute), "invalid_timestamp"},
		{"changed body", exampleSecret, exampleSignature, exampleBody + " ", sent, "invalid_signature"},
		{"other version", exampleSecret, "v2" + exampleSignature[2:], exampleBody, sent, "invalid_signature"},
		{"other secret", "whsec_AAAA", exampleSignature, exampleBody, sent, "invalid_signature"},
		{"no secret", "", exampleSignature, exampleBody, sent, "invalid_secret"},
		{"no signature", exampleSecret, "", exampleBody, sent, "missing_header"},
	} {
		header := http.Header{}
		header.Set("webhook-id", exampleID)
		header.Set("webhook-timestamp", exampleTimestamp)
		header.Set("webhook-signature", c.signature)
		code := ""
		var e *WebhookError
		if err := verifySignature(c.secret, header, []byte(c.body), c.now); errors.As(err, &e) {
			code = e.Code
		}
		if code != c.code {
			t.Errorf("%s: got %q, want %q", c.name, code, c.code)
		}
	}
}

func TestUnknownEventsAreRaw(t *testing.T) {
	if data := newData(api.EventName("later")); data != nil {
		t.Errorf("got %T", data)
	}
	_, err := VerifyWebhook(exampleSecret, http.Header{}, json.RawMessage(`{}`))
	var e *WebhookError
	if !errors.As(err, &e) || e.Code != "missing_header" {
		t.Errorf("got %v", err)
	}
}
