// Package standardwebhooks compares the signatures of package webhook with those of the Go
// library that the authors of Standard Webhooks publish.
package standardwebhooks

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhook"
	"github.com/intraydata/intray/test/webhooksignature"
)

var key = rapid.SliceOfN(rapid.Byte(), 24, 64)

// TestSignatures checks that the library computes each signature of a message, and that it and
// package webhooksignature accept the message and refuse altered ones.
func TestSignatures(t *testing.T) {
	now := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		secret := "whsec_" + base64.StdEncoding.EncodeToString(key.Draw(t, "key"))
		old := "whsec_" + base64.StdEncoding.EncodeToString(key.Draw(t, "old key"))
		m := webhook.Message{ID: rapid.StringMatching(`[A-Za-z0-9_-]{1,128}`).Draw(t, "id")}
		m.Bytes = rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "body")
		head, err := webhook.Sign(m, now, secrets.NewSecret(old), secrets.NewSecret(secret))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{old, secret} {
			checkSignature(t, secret, head, m, now)
		}
	})
}

func checkSignature(t *rapid.T, secret string, head http.Header, m webhook.Message, at time.Time) {
	hook, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := hook.Sign(m.ID, at, m.Bytes)
	if err != nil || !slices.Contains(strings.Fields(head.Get("Webhook-Signature")), theirs) {
		t.Errorf("the library computes the signature %s, %v, want one of %s", theirs, err, head.Get("Webhook-Signature"))
	}
	if err := hook.Verify(m.Bytes, head); err != nil {
		t.Errorf("the library refuses the message: %v", err)
	}
	check := func(altered string, accepted bool, head http.Header, body []byte) {
		if err := hook.VerifyIgnoringTimestamp(body, head); (err == nil) != accepted {
			t.Errorf("%s: the library's error is %v, want accepted = %t", altered, err, accepted)
		}
		if err := webhooksignature.Verify(secret, head, body); (err == nil) != accepted {
			t.Errorf("%s: the error of Verify is %v, want accepted = %t", altered, err, accepted)
		}
	}
	check("unaltered", true, head, m.Bytes)
	check("body", false, head, append(slices.Clone(m.Bytes), ' '))
	for _, name := range []string{"Webhook-Id", "Webhook-Timestamp"} {
		altered := head.Clone()
		altered.Set(name, head.Get(name)[1:]+"0")
		check(name, altered.Get(name) == head.Get(name), altered, m.Bytes)
	}
}
