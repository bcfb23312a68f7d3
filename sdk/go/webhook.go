package intray

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray/sdk/go/api"
)

// webhookTolerance is how much the time of a message can differ from the time of this machine.
const webhookTolerance = 5 * time.Minute

// WebhookError reports a message that must not be trusted.
type WebhookError struct {
	// Code is "invalid_secret", "missing_header", "invalid_timestamp" if the message is older than
	// 5 minutes or from the future, "invalid_signature", or "invalid_body" if the body is not a
	// message in JSON.
	Code    string
	Problem string
}

// Error returns the problem.
func (e *WebhookError) Error() string { return "intray: " + e.Problem }

// Message is a message of a webhook.
type Message struct {
	Event api.EventName
	// Data is an *api.ImportEvent for events about imports, an *api.WebhookDisabledEvent, an
	// *api.SftpConnectorFailedEvent or an *api.SftpDeliveryFailedEvent. For an event that this version
	// of the package does not know, it is a json.RawMessage.
	Data any
}

// VerifyWebhook verifies the signature of a message and decodes it. secret is the secret of the
// webhook, and body the body of the request exactly as received. It returns a [*WebhookError] if the
// message must not be trusted.
func VerifyWebhook(secret string, header http.Header, body []byte) (*Message, error) {
	if err := VerifySignature(secret, header, body); err != nil {
		return nil, err
	}
	var envelope struct {
		Event api.EventName   `json:"event"`
		Data  json.RawMessage `json:"data"`
	}
	err := json.Unmarshal(body, &envelope)
	data := newData(envelope.Event)
	if err == nil && data != nil {
		err = json.Unmarshal(envelope.Data, data)
	}
	if err != nil {
		return nil, &WebhookError{"invalid_body", "decode the message: " + err.Error()}
	}
	if data == nil {
		data = envelope.Data
	}
	return &Message{envelope.Event, data}, nil
}

// newData returns a pointer to the type of an event's data, or nil for an unknown event.
func newData(event api.EventName) any {
	switch event {
	case api.EventNameImportCompleted, api.EventNameHeadlessImportNeedsReview, api.EventNameHeadlessImportFailed:
		return &api.ImportEvent{}
	case api.EventNameWebhookDisabled:
		return &api.WebhookDisabledEvent{}
	case api.EventNameSftpConnectorFailed:
		return &api.SftpConnectorFailedEvent{}
	case api.EventNameSftpDeliveryFailed:
		return &api.SftpDeliveryFailedEvent{}
	}
	return nil
}

// VerifySignature verifies the signature and the time of a message. Use it instead of
// [VerifyWebhook] for the forms that Intray sends to the URLs in schema settings. It returns a
// [*WebhookError] if the message must not be trusted.
func VerifySignature(secret string, header http.Header, body []byte) error {
	return verifySignature(secret, header, body, time.Now())
}

func verifySignature(secret string, header http.Header, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return &WebhookError{"invalid_secret", "the secret of the webhook must be whsec_ and base64"}
	}
	id, timestamp, signatures := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), header.Get("Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return &WebhookError{"missing_header", "the message lacks one of the headers Webhook-Id, Webhook-Timestamp and Webhook-Signature"}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return &WebhookError{"invalid_timestamp", "the message is not from the last 5 minutes"}
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	want := mac.Sum(nil)
	// During the rotation of a secret, there are several signatures.
	for signature := range strings.FieldsSeq(signatures) {
		version, encoded, _ := strings.Cut(signature, ",")
		got, err := base64.StdEncoding.DecodeString(encoded)
		if version == "v1" && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return &WebhookError{"invalid_signature", "no signature of the message matches the secret"}
}
