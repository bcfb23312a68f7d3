package auth

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// ExpiryUnix returns t in seconds since 1970, rounded up.
func ExpiryUnix(t time.Time) int64 { return t.Add(time.Second - 1).Unix() }

// Grant is the permission that a signed token contains: access to one object of an
// organization until a given time. Each purpose has its own key. A token is
// therefore valid for one purpose only.
type Grant struct {
	Org string `json:"o"`
	ID  string `json:"i"`
	// Expires is the expiry in seconds since 1970. 0 means never.
	Expires int64 `json:"e,omitempty"`
	// What selects the file to download. It is "" for other purposes.
	What string `json:"w,omitempty"`
}

// SignGrant returns a signed token that contains g.
func SignGrant(key secrets.Key, g Grant) (string, error) {
	payload, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return key.Sign(payload), nil
}

// AlteredError returns the error for a token that was not issued for the object in the rest of
// its link.
func AlteredError(link intray.Message) error {
	return model.NewError(model.Denied, "bad_signature", intray.NewMessage("link.altered", intray.Params{"link": link}))
}

// VerifyGrant returns the grant in a token. It returns a Denied error if the token
// was altered, was issued for a different purpose, or has expired.
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
