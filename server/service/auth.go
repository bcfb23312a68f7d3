package service

import (
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/secrets"
)

// DefaultOrg is the organization that an empty store begins with.
const DefaultOrg = "default"

// prefixes of the two kinds of keys.
var prefixes = map[LicenceKind]string{Backend: "bk_", Frontend: "fk_"}

var givenKey = regexp.MustCompile(`^[A-Za-z0-9_-]{40,200}$`)

// NewKey is a licence that was just made, with its key. The key is told this
// once and never again.
type NewKey struct {
	Licence Licence
	Key     string
}

// CreateOrg makes an organization. Names are unique.
func (s *Service) CreateOrg(ctx context.Context, name string) (Org, error) {
	org, err := s.draftOrg(strings.TrimSpace(name))
	if err != nil {
		return Org{}, err
	}
	err = s.cfg.Store.Update(ctx, func(tx Tx) error { return tx.Accounts.InsertOrg(ctx, org) })
	if IsKind(err, Conflict) {
		return Org{}, newError(Conflict, "name_taken", intray.NewMessage("organization.name_taken", intray.Params{"name": org.Name}))
	}
	return org, err
}

// maxOrgName is the longest name of an organization, in bytes.
const maxOrgName = 200

func (s *Service) draftOrg(name string) (Org, error) {
	if name == "" || len(name) > maxOrgName || !isPrintable(name) {
		return Org{}, invalidField("name", intray.NewMessage("organization.invalid_name", intray.Params{"n": maxOrgName}))
	}
	id, err := s.newID()
	return Org{ID: id, Name: name, Created: s.now()}, err
}

// CreateKey makes a key for the organization with this name. A zero lifetime
// means that it does not expire.
func (s *Service) CreateKey(ctx context.Context, orgName string, kind LicenceKind, lifetime time.Duration) (NewKey, error) {
	made, err := s.draftKey(kind, "", lifetime)
	if err != nil {
		return NewKey{}, err
	}
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		org, err := tx.Accounts.OrgByName(ctx, orgName)
		if IsKind(err, NotFound) {
			return notFoundError(intray.NewMessage("organization.not_found", intray.Params{"name": orgName}))
		}
		if err != nil {
			return err
		}
		made.Licence.Org = org.ID
		return tx.Accounts.InsertLicence(ctx, made.Licence)
	})
	return made, err
}

// draftKey makes a licence without an organization. A key that is given is
// taken as it is: its kind's prefix and at least 40 characters of A-Z, a-z,
// 0-9, _ and -.
func (s *Service) draftKey(kind LicenceKind, given string, lifetime time.Duration) (NewKey, error) {
	prefix, known := prefixes[kind]
	if !known {
		return NewKey{}, invalidField("kind", intray.NewMessage("license_key.invalid_kind", nil))
	}
	if lifetime < 0 {
		return NewKey{}, invalidField("expires", intray.NewMessage("license_key.expires_in_past", nil))
	}
	rest, ok := strings.CutPrefix(given, prefix)
	if given != "" && (!ok || !givenKey.MatchString(rest)) {
		return NewKey{}, invalidField(string(kind)+" key", intray.NewMessage("license_key.invalid_format", intray.Params{"prefix": prefix}))
	}
	if given == "" {
		secret, err := s.randomText(32)
		if err != nil {
			return NewKey{}, err
		}
		given = prefix + secret
	}
	id, err := s.newID()
	if err != nil {
		return NewKey{}, err
	}
	l := Licence{ID: id, Kind: kind, Hash: s.keys.licence.MAC([]byte(given)), Hint: given[:7] + "…", Created: s.now()}
	if lifetime > 0 {
		l.Expires = l.Created.Add(lifetime)
	}
	return NewKey{l, given}, nil
}

// Licences lists the licences of all organizations, oldest first, with the
// organizations by id.
func (s *Service) Licences(ctx context.Context) (list []Licence, orgs map[string]Org, err error) {
	orgs = map[string]Org{}
	err = s.cfg.Store.View(ctx, func(tx Tx) error {
		all, err := tx.Accounts.Orgs(ctx)
		if err != nil {
			return err
		}
		for _, o := range all {
			orgs[o.ID] = o
		}
		list, err = tx.Accounts.Licences(ctx)
		return err
	})
	return list, orgs, err
}

// RevokeKey ends a licence: from the answer on its key opens nothing.
func (s *Service) RevokeKey(ctx context.Context, id string) error {
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		err := tx.Accounts.RevokeLicence(ctx, id, s.now())
		if IsKind(err, NotFound) {
			return notFoundError(keyMissing)
		}
		return err
	})
}

// Authenticate gives the licence of a key. A key that is unknown, revoked or
// expired is Denied.
func (s *Service) Authenticate(ctx context.Context, key string) (Licence, error) {
	hash := s.keys.licence.MAC([]byte(key))
	var l Licence
	err := s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		l, err = tx.Accounts.LicenceByHash(ctx, hash)
		return err
	})
	unknown := newError(Denied, "unknown_key", intray.NewMessage("license_key.unknown", nil))
	switch {
	case IsKind(err, NotFound):
		return Licence{}, unknown
	case err != nil:
		return Licence{}, err
	case !hmac.Equal(hash, l.Hash), !l.Revoked.IsZero():
		return Licence{}, unknown
	case !l.Expires.IsZero() && !s.now().Before(l.Expires):
		return Licence{}, newError(Denied, "key_expired", intray.NewMessage("license_key.expired", nil))
	}
	return l, nil
}

// FirstKeys are the keys that an empty store is given. Empty ones are made.
type FirstKeys struct{ Backend, Frontend string }

// Bootstrap makes, where the store has no organization yet, the organization
// DefaultOrg with one key of each kind, all or nothing, and returns those; else
// it returns nothing.
func (s *Service) Bootstrap(ctx context.Context, given FirstKeys) ([]NewKey, error) {
	org, err := s.draftOrg(DefaultOrg)
	if err != nil {
		return nil, err
	}
	var made []NewKey
	for kind, key := range map[LicenceKind]string{Backend: given.Backend, Frontend: given.Frontend} {
		first, err := s.draftKey(kind, key, 0)
		if err != nil {
			return nil, err
		}
		first.Licence.Org = org.ID
		made = append(made, first)
	}
	slices.SortFunc(made, func(x, y NewKey) int { return cmp.Compare(x.Licence.Kind, y.Licence.Kind) })
	begun := false
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		orgs, err := tx.Accounts.Orgs(ctx)
		if err != nil || len(orgs) > 0 {
			return err
		}
		begun = true
		if err := tx.Accounts.InsertOrg(ctx, org); err != nil {
			return err
		}
		for _, key := range made {
			if err := tx.Accounts.InsertLicence(ctx, key.Licence); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || !begun {
		return nil, err
	}
	return made, nil
}

// LinkLife is how long upload and download addresses are valid.
const LinkLife = 1800 * time.Second

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

func (s *Service) signGrant(key secrets.Key, g grant) (string, error) {
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
	return newError(Denied, "bad_signature", intray.NewMessage("link.altered", intray.Params{"link": link}))
}

// verifyGrant gives what a token allows. A token that was altered, made for another
// purpose or has expired is Denied.
func (s *Service) verifyGrant(key secrets.Key, token string, link intray.Message) (grant, error) {
	var g grant
	payload, err := key.Verify(token)
	if err != nil || json.Unmarshal(payload, &g) != nil {
		return grant{}, newError(Denied, "bad_signature", intray.NewMessage("link.bad_signature", intray.Params{"link": link}))
	}
	if g.Expires != 0 && s.now().Unix() >= g.Expires {
		return grant{}, newError(Denied, "expired", intray.NewMessage("link.expired", intray.Params{"link": link}))
	}
	return g, nil
}

// UploadToken signs the right to upload the file of an import.
func (s *Service) UploadToken(imp Import) (string, error) {
	return s.signGrant(s.keys.upload, grant{Org: imp.Org, ID: imp.ID, Expires: expiryUnix(s.now().Add(LinkLife))})
}

// ReviewToken signs the right to see and settle an import. It lasts as long as
// the import.
func (s *Service) ReviewToken(imp Import) (string, error) {
	return s.signGrant(s.keys.review, grant{Org: imp.Org, ID: imp.ID})
}

// RawFile names the received file among those of an upload that can be
// downloaded. A result is named by its output format.
const RawFile = "raw"

// DownloadToken signs the right to download a file of an upload.
func (s *Service) DownloadToken(u Upload, what string) (string, error) {
	return s.signGrant(s.keys.download, grant{Org: u.Org, ID: u.ID, What: what, Expires: expiryUnix(s.now().Add(LinkLife))})
}
