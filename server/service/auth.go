package service

import (
	"cmp"
	"context"
	"crypto/hmac"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/secrets"
)

// authService answers who may call, and what was already answered.
type authService struct {
	env                        *Env
	licenceKey, idempotencyKey secrets.Key
	replayCipher               *secrets.Cipher
	// activeReplays are the idempotency keys whose requests are carried out here.
	activeReplays *inProgress
}

// newAuthService returns the service upon env.
func newAuthService(env *Env) (*authService, error) {
	replays, err := env.Master.Cipher("kept answers")
	return &authService{
		env: env, licenceKey: env.Master.Derive("licence keys"), idempotencyKey: env.Master.Derive("idempotency keys"),
		replayCipher: replays, activeReplays: newInProgress(),
	}, err
}

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
func (s *authService) CreateOrg(ctx context.Context, name string) (Org, error) {
	org, err := s.draftOrg(strings.TrimSpace(name))
	if err != nil {
		return Org{}, err
	}
	err = s.env.Store.Update(ctx, func(tx Tx) error { return tx.Accounts.InsertOrg(ctx, org) })
	if IsKind(err, Conflict) {
		return Org{}, newError(Conflict, "name_taken", intray.NewMessage("organization.name_taken", intray.Params{"name": org.Name}))
	}
	return org, err
}

// maxOrgName is the longest name of an organization, in bytes.
const maxOrgName = 200

func (s *authService) draftOrg(name string) (Org, error) {
	if name == "" || len(name) > maxOrgName || !isPrintable(name) {
		return Org{}, invalidField("name", intray.NewMessage("organization.invalid_name", intray.Params{"n": maxOrgName}))
	}
	id, err := s.env.NewID()
	return Org{ID: id, Name: name, Created: s.env.Now()}, err
}

// CreateKey makes a key for the organization with this name. A zero lifetime
// means that it does not expire.
func (s *authService) CreateKey(ctx context.Context, orgName string, kind LicenceKind, lifetime time.Duration) (NewKey, error) {
	made, err := s.draftKey(kind, "", lifetime)
	if err != nil {
		return NewKey{}, err
	}
	err = s.env.Store.Update(ctx, func(tx Tx) error {
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
func (s *authService) draftKey(kind LicenceKind, given string, lifetime time.Duration) (NewKey, error) {
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
		secret, err := s.env.RandomText(32)
		if err != nil {
			return NewKey{}, err
		}
		given = prefix + secret
	}
	id, err := s.env.NewID()
	if err != nil {
		return NewKey{}, err
	}
	l := Licence{ID: id, Kind: kind, Hash: s.licenceKey.MAC([]byte(given)), Hint: given[:7] + "…", Created: s.env.Now()}
	if lifetime > 0 {
		l.Expires = l.Created.Add(lifetime)
	}
	return NewKey{l, given}, nil
}

// Licences lists the licences of all organizations, oldest first, with the
// organizations by id.
func (s *authService) Licences(ctx context.Context) (list []Licence, orgs map[string]Org, err error) {
	orgs = map[string]Org{}
	err = s.env.Store.View(ctx, func(tx Tx) error {
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
func (s *authService) RevokeKey(ctx context.Context, id string) error {
	return s.env.Store.Update(ctx, func(tx Tx) error {
		err := tx.Accounts.RevokeLicence(ctx, id, s.env.Now())
		if IsKind(err, NotFound) {
			return notFoundError(keyMissing)
		}
		return err
	})
}

// Authenticate gives the licence of a key. A key that is unknown, revoked or
// expired is Denied.
func (s *authService) Authenticate(ctx context.Context, key string) (Licence, error) {
	hash := s.licenceKey.MAC([]byte(key))
	var l Licence
	err := s.env.Store.View(ctx, func(tx Tx) (err error) {
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
	case !l.Expires.IsZero() && !s.env.Now().Before(l.Expires):
		return Licence{}, newError(Denied, "key_expired", intray.NewMessage("license_key.expired", nil))
	}
	return l, nil
}

// FirstKeys are the keys that an empty store is given. Empty ones are made.
type FirstKeys struct{ Backend, Frontend string }

// Bootstrap makes, where the store has no organization yet, the organization
// DefaultOrg with one key of each kind, all or nothing, and returns those; else
// it returns nothing.
func (s *authService) Bootstrap(ctx context.Context, given FirstKeys) ([]NewKey, error) {
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
	err = s.env.Store.Update(ctx, func(tx Tx) error {
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
