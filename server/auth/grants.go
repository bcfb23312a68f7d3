package auth

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// ExpiryUnix returns a time in seconds since 1970, rounded up.
func ExpiryUnix(t time.Time) int64 { return t.Add(time.Second - 1).Unix() }

// Grant is what a signed token allows: access to one object of an organization until a time.
// Each purpose has its own key, so that a token is valid for one purpose only.
type Grant struct {
	Org string `json:"o"`
	ID  string `json:"i"`
	// Expires is in seconds since 1970; 0 means never.
	Expires int64 `json:"e,omitempty"`
	// What selects the file of a download.
	What string `json:"w,omitempty"`
}

// SignGrant returns a token for g.
func SignGrant(key secrets.Key, g Grant) (string, error) {
	payload, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return key.Sign(payload), nil
}

// AlteredError returns the error of a token for another object than the rest of the link.
func AlteredError(link intray.Message) error {
	return model.NewError(model.Denied, "bad_signature", intray.NewMessage("link.altered", intray.Params{"link": link}))
}

// VerifyGrant returns the grant of a token. A token that was altered, is for another purpose or
// has expired is Denied.
func VerifyGrant(key secrets.Key, token string, link intray.Message, now time.Time) (Grant, error) {
	var g Grant
	payload, err := key.Verify(token)
	if err != nil || json.Unmarshal(payload, &g) != nil {
		return Grant{}, model.NewError(model.Denied, "bad_signature", intray.NewMessage("link.bad_signature", intray.Params{"link": link}))
	}
	if g.Expires != 0 && now.Unix() >= g.Expires {
		return Grant{}, model.NewError(model.Denied, "expired", intray.NewMessage("link.expired", intray.Params{"link": link}))
	}
	return g, nil
}
