package service

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/secrets"
)

// expiryUnix gives a time to come in whole seconds, never too early.
func expiryUnix(t time.Time) int64 { return t.Add(time.Second - 1).Unix() }

// grant is what a signed token allows: one thing of one organization, until a
// time. Each purpose has a key of its own, so that no token serves two.
type grant struct {
	Org string `json:"o"`
	ID  string `json:"i"`
	// Expires is in seconds since 1970; 0 never.
	Expires int64 `json:"e,omitempty"`
	// What names the file that a download token opens.
	What string `json:"w,omitempty"`
}

func signGrant(key secrets.Key, g grant) (string, error) {
	payload, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return key.Sign(payload), nil
}

// altered refuses a token that is not for what it came with.
func altered(link intray.Message) error {
	return newError(Denied, "bad_signature", intray.NewMessage("link.altered", intray.Params{"link": link}))
}

// verifyGrant gives what a token allows. A token that was altered, made for another
// purpose or has expired is Denied.
func verifyGrant(key secrets.Key, token string, link intray.Message, now time.Time) (grant, error) {
	var g grant
	payload, err := key.Verify(token)
	if err != nil || json.Unmarshal(payload, &g) != nil {
		return grant{}, newError(Denied, "bad_signature", intray.NewMessage("link.bad_signature", intray.Params{"link": link}))
	}
	if g.Expires != 0 && now.Unix() >= g.Expires {
		return grant{}, newError(Denied, "expired", intray.NewMessage("link.expired", intray.Params{"link": link}))
	}
	return g, nil
}
