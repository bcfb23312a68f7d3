// Package webhooksignature verifies webhook signatures in tests as the receiver of a webhook
// does. It is independent of the code that signs.
package webhooksignature

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Verify reports an error unless one of the signatures in the header belongs to the body and
// the secret, as specified in Standard Webhooks, "Signature scheme"
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
// It does not check the age of the message.
func Verify(secret string, head http.Header, body []byte) error {
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	if !ok {
		return errors.New("the secret lacks the prefix whsec_")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("decode the secret: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", head.Get("Webhook-Id"), head.Get("Webhook-Timestamp"), body)
	want := mac.Sum(nil)
	for signature := range strings.FieldsSeq(head.Get("Webhook-Signature")) {
		version, encoded, _ := strings.Cut(signature, ",")
		got, err := base64.StdEncoding.DecodeString(encoded)
		if version == "v1" && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("no signature matches")
}
