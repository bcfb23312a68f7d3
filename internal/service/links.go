package service

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
)

// LinkLife is how long upload and download addresses are valid.
const LinkLife = 1800 * time.Second

// until gives a time to come in whole seconds, never too early.
func until(t time.Time) int64 { return t.Add(time.Second - 1).Unix() }

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

func (s *Service) sign(key seal.Key, g grant) (string, error) {
	payload, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return key.Sign(payload), nil
}

// What tokens are part of.
var (
	downloadLink  = intray.NewMessage("link.download_url", nil)
	uploadLink    = intray.NewMessage("link.upload_url", nil)
	hydrationLink = intray.NewMessage("link.hydration_token", nil)
	reviewLink    = intray.NewMessage("link.review_link", nil)
	visitLink     = intray.NewMessage("link.review_session", nil)
)

// altered refuses a token that is not for what it came with.
func altered(link intray.Message) error {
	return refuse(Denied, "bad_signature", intray.NewMessage("link.altered", intray.Params{"link": link}))
}

// verify gives what a token allows. A token that was altered, made for another
// purpose or has expired is Denied.
func (s *Service) verify(key seal.Key, token string, link intray.Message) (grant, error) {
	var g grant
	payload, err := key.Verify(token)
	if err != nil || json.Unmarshal(payload, &g) != nil {
		return grant{}, refuse(Denied, "bad_signature", intray.NewMessage("link.bad_signature", intray.Params{"link": link}))
	}
	if g.Expires != 0 && s.now().Unix() >= g.Expires {
		return grant{}, refuse(Denied, "expired", intray.NewMessage("link.expired", intray.Params{"link": link}))
	}
	return g, nil
}

// UploadToken signs the right to upload the file of an import.
func (s *Service) UploadToken(imp Import) (string, error) {
	return s.sign(s.keys.upload, grant{Org: imp.Org, ID: imp.ID, Expires: until(s.now().Add(LinkLife))})
}

// ReviewToken signs the right to see and settle an import. It lasts as long as
// the import.
func (s *Service) ReviewToken(imp Import) (string, error) {
	return s.sign(s.keys.review, grant{Org: imp.Org, ID: imp.ID})
}

// RawFile names the received file among those of an upload that can be
// downloaded. A result is named by its output format.
const RawFile = "raw"

// DownloadToken signs the right to download a file of an upload.
func (s *Service) DownloadToken(u Upload, what string) (string, error) {
	return s.sign(s.keys.download, grant{Org: u.Org, ID: u.ID, What: what, Expires: until(s.now().Add(LinkLife))})
}
