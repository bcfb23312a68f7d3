// Package auth manages organizations and their API keys, signs and verifies the tokens in links
// ([Grant]), stores responses to requests with an idempotency key, and counts events for limits that
// apply to all processes together.
package auth

import (
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// Service authenticates API keys and stores responses for repeated requests. It is
// safe for concurrent use.
type Service struct {
	env                        *model.Env
	licenceKey, idempotencyKey secrets.Key
	replayCipher               *secrets.Cipher
	// activeReplays are the idempotency keys of the requests that this process is handling.
	activeReplays *model.InProgress
	// useAttempts maps the id of a key to the time at which this process last tried to store that
	// the key was used.
	useAttempts sync.Map
	// orgs maps the hashes of keys that were valid to their organizations, which never change. With
	// them, authentication has the same scope as the rest of the request.
	orgs sync.Map
}

// New returns a Service.
func New(env *model.Env) (*Service, error) {
	replays, err := env.Keys.Cipher("kept answers")
	return &Service{
		env: env, licenceKey: env.Keys.Derive("licence keys"), idempotencyKey: env.Keys.Derive("idempotency keys"),
		replayCipher: replays, activeReplays: model.NewInProgress(),
	}, err
}

// DefaultOrg is the name of the organization that Bootstrap creates.
const DefaultOrg = "default"

// prefixes contains the prefix of each kind of key.
var prefixes = map[model.LicenceKind]string{model.Backend: "bk_", model.Frontend: "fk_"}

// keyPattern matches the part of a key after its prefix.
var keyPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{40,200}$`) })

// NewKey is a new licence and its key. The key is not stored.
type NewKey struct {
	Licence model.Licence
	Key     string
}

// CreateOrg creates an organization. It returns a Conflict if the name is already used.
func (s *Service) CreateOrg(ctx context.Context, name string) (model.Org, error) {
	org, err := s.draftOrg(strings.TrimSpace(name))
	if err != nil {
		return model.Org{}, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Accounts.InsertOrg(ctx, org) })
	if model.IsKind(err, model.Conflict) {
		return model.Org{}, model.NewError(model.Conflict, "name_taken", intray.NewMessage("organization.name_taken", intray.Params{"name": org.Name}))
	}
	if err == nil {
		s.env.Log.Info("organization created", "org", org.ID)
	}
	return org, err
}

// maxOrgName is the maximum length of an organization name, in bytes.
const maxOrgName = 200

func (s *Service) draftOrg(name string) (model.Org, error) {
	if name == "" || len(name) > maxOrgName || !model.IsPrintable(name) {
		return model.Org{}, model.InvalidField("name", intray.NewMessage("organization.invalid_name", intray.Params{"n": maxOrgName}))
	}
	id, err := s.env.NewID()
	return model.Org{ID: id, Name: name, Created: s.env.Now()}, err
}

// CreateKey creates a key for the organization named orgName. If lifetime is 0, the
// key does not expire. Only backend keys can have scopes.
func (s *Service) CreateKey(ctx context.Context, orgName string, kind model.LicenceKind, lifetime time.Duration, scopes ...string) (NewKey, error) {
	made, err := s.draftKey(kind, "", lifetime)
	if err != nil {
		return NewKey{}, err
	}
	if kind != model.Backend && len(scopes) > 0 {
		return NewKey{}, model.InvalidField("scopes", intray.NewMessage("license_key.frontend_scopes", nil))
	}
	if made.Licence.Scopes, err = model.ParseScopes(scopes); err != nil {
		return NewKey{}, err
	}
	return s.insertKey(ctx, orgName, made)
}

// CreateFrontendKey creates a frontend key for pages of the given origins. See model.ParseOrigins.
func (s *Service) CreateFrontendKey(ctx context.Context, orgName string, lifetime time.Duration, origins []string) (NewKey, error) {
	made, err := s.draftKey(model.Frontend, "", lifetime)
	if err != nil {
		return NewKey{}, err
	}
	if made.Licence.Origins, err = model.ParseOrigins(origins); err != nil {
		return NewKey{}, err
	}
	return s.insertKey(ctx, orgName, made)
}

// SetKeyOrigins replaces the origins of a frontend key.
func (s *Service) SetKeyOrigins(ctx context.Context, id string, origins []string) error {
	parsed, err := model.ParseOrigins(origins)
	if err != nil {
		return err
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		l, err := tx.Accounts.Licence(ctx, id)
		switch {
		case model.IsKind(err, model.NotFound):
			return model.NotFoundError(model.KeyMissing)
		case err != nil:
			return err
		case l.Kind != model.Frontend:
			return model.InvalidField("origins", intray.NewMessage("license_key.backend_origins", nil))
		}
		return tx.Accounts.SetOrigins(ctx, id, parsed)
	})
}

func (s *Service) insertKey(ctx context.Context, orgName string, made NewKey) (NewKey, error) {
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		org, err := orgByName(ctx, tx, orgName)
		if err != nil {
			return err
		}
		made.Licence.Org = org.ID
		return tx.Accounts.InsertLicence(ctx, made.Licence)
	})
	if err == nil {
		s.logKey("API key created", made.Licence)
	}
	return made, err
}

// logKey logs a change of an API key, without the key.
func (s *Service) logKey(event string, l model.Licence) {
	attributes := []any{"key", l.ID, "org", l.Org, "kind", l.Kind}
	if !l.Expires.IsZero() {
		attributes = append(attributes, "expires", l.Expires)
	}
	s.env.Log.Info(event, attributes...)
}

// draftKey returns a new licence that does not yet belong to an organization. If
// given is "", it generates the key. Otherwise, given is the key: the prefix of its
// kind followed by 40 to 200 characters from A-Z, a-z, 0-9, _ and -.
func (s *Service) draftKey(kind model.LicenceKind, given string, lifetime time.Duration) (NewKey, error) {
	prefix, known := prefixes[kind]
	if !known {
		return NewKey{}, model.InvalidField("kind", intray.NewMessage("license_key.invalid_kind", nil))
	}
	if lifetime < 0 {
		return NewKey{}, model.InvalidField("expires", intray.NewMessage("license_key.expires_in_past", nil))
	}
	if format := CheckKeyFormat(kind, given); given != "" && format != (intray.Message{}) {
		return NewKey{}, model.InvalidField(string(kind)+" key", format)
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
	l := model.Licence{ID: id, Kind: kind, Hash: s.licenceKey.MAC([]byte(given)), Hint: given[:7] + "…", Created: s.env.Now()}
	if lifetime > 0 {
		l.Expires = l.Created.Add(lifetime)
	}
	return NewKey{l, given}, nil
}

// CheckKeyFormat returns a message with the format of keys of this kind if the key does not have it.
// Otherwise it returns the zero Message.
func CheckKeyFormat(kind model.LicenceKind, key string) intray.Message {
	prefix := prefixes[kind]
	if rest, ok := strings.CutPrefix(key, prefix); ok && keyPattern().MatchString(rest) {
		return intray.Message{}
	}
	return intray.NewMessage("license_key.invalid_format", intray.Params{"prefix": prefix})
}

// Licences returns the licences of all organizations, oldest first, and a map from
// ids to organizations.
func (s *Service) Licences(ctx context.Context) (list []model.Licence, orgs map[string]model.Org, err error) {
	orgs = map[string]model.Org{}
	err = s.env.Store.View(ctx, func(tx model.Tx) error {
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

// RevokeKey revokes a licence. The key is invalid as soon as RevokeKey returns nil.
func (s *Service) RevokeKey(ctx context.Context, id string) error {
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		err := tx.Accounts.RevokeLicence(ctx, id, s.env.Now())
		if model.IsKind(err, model.NotFound) {
			return model.NotFoundError(model.KeyMissing)
		}
		return err
	})
	if err == nil {
		s.env.Log.Info("API key revoked", "key", id)
	}
	return err
}

// Authenticate is like FindKey, and records that the key was used.
func (s *Service) Authenticate(ctx context.Context, key string) (model.Licence, error) {
	l, err := s.FindKey(ctx, key)
	if err == nil {
		s.recordUse(ctx, l)
	}
	return l, err
}

// FindKey returns the licence for a key. It returns a Denied error if the key is unknown, revoked
// or expired, or if its organization is disabled.
func (s *Service) FindKey(ctx context.Context, key string) (model.Licence, error) {
	hash := s.licenceKey.MAC([]byte(key))
	if org, isKnown := s.orgs.Load(string(hash)); isKnown {
		ctx = model.InOrg(ctx, org.(string))
	} else {
		ctx = model.AcrossOrgs(ctx)
	}
	l, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Licence, error) { return tx.Accounts.LicenceByHash(ctx, hash) })
	unknown := model.NewError(model.Denied, "unknown_key", intray.NewMessage("license_key.unknown", nil))
	switch {
	case model.IsKind(err, model.NotFound):
		return model.Licence{}, unknown
	case err != nil:
		return model.Licence{}, err
	case !hmac.Equal(hash, l.Hash), !l.Revoked.IsZero():
		return model.Licence{}, unknown
	case !l.Expires.IsZero() && !s.env.Now().Before(l.Expires):
		return model.Licence{}, model.NewError(model.Denied, "key_expired", intray.NewMessage("license_key.expired", nil))
	}
	if err := s.env.CheckOrg(l.Org); err != nil {
		return model.Licence{}, err
	}
	s.orgs.LoadOrStore(string(hash), l.Org)
	return l, nil
}

const (
	// usePrecision is how precisely the time of the last use of a key is stored.
	usePrecision = time.Hour
	// useRetryDelay is the delay before the use of a key is stored after a failure.
	useRetryDelay = time.Minute
)

// recordUse stores that a key was used, at most once in usePrecision. A failure is only logged,
// because the key is valid even if the database accepts no writes.
func (s *Service) recordUse(ctx context.Context, l model.Licence) {
	now := s.env.Now()
	if now.Sub(l.Used) < usePrecision {
		return
	}
	last, tried := s.useAttempts.Load(l.ID)
	if tried && now.Sub(last.(time.Time)) < useRetryDelay {
		return
	}
	ctx = model.InOrg(ctx, l.Org)
	s.useAttempts.Store(l.ID, now) // two concurrent calls may both store the use, which is harmless
	err := s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Accounts.SetLicenceUsed(ctx, l.ID, now) })
	if err != nil && ctx.Err() == nil {
		s.env.Log.WarnContext(ctx, "time of the last use of a key not stored", "key", l.ID, "error", err)
	}
}

// FirstKeys are the first keys of an empty store. Bootstrap generates each key that is "".
type FirstKeys struct{ Backend, Frontend string }

// Bootstrap creates the organization DefaultOrg with one key of each kind in one
// transaction. It returns the keys. If the store already has an organization, or another
// process creates it at the same time, Bootstrap does nothing and returns nil. It returns an Invalid error for a given key only if it
// would create the key.
func (s *Service) Bootstrap(ctx context.Context, given FirstKeys) ([]NewKey, error) {
	orgs, err := model.View(ctx, s.env.Store, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(ctx) })
	if err != nil || len(orgs) > 0 {
		return nil, err
	}
	org, err := s.draftOrg(DefaultOrg)
	if err != nil {
		return nil, err
	}
	made := make([]NewKey, 0, 2)
	for kind, key := range map[model.LicenceKind]string{model.Backend: given.Backend, model.Frontend: given.Frontend} {
		first, err := s.draftKey(kind, key, 0)
		if err != nil {
			return nil, err
		}
		first.Licence.Org = org.ID
		made = append(made, first)
	}
	slices.SortFunc(made, func(x, y NewKey) int { return cmp.Compare(x.Licence.Kind, y.Licence.Kind) })
	created := false
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		orgs, err := tx.Accounts.Orgs(ctx)
		if err != nil || len(orgs) > 0 {
			return err
		}
		created = true
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
	if model.IsKind(err, model.Conflict) { // a process that started at the same time was faster
		return nil, nil
	}
	if err != nil || !created {
		return nil, err
	}
	for _, key := range made {
		s.logKey("API key created", key.Licence)
	}
	return made, nil
}

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
	// The value of What selects the file to download. It is "" for other purposes.
	What string `json:"w,omitempty"`
	// Licence is the id of the API key for which the token was issued, or "" if it was not
	// issued for a key. Revoking the key invalidates the token.
	Licence string `json:"k,omitempty"`
	// Version is the version of the review link. It is 0 for other purposes.
	Version int `json:"v,omitempty"`
}

// SignGrant returns a signed token that contains g.
func SignGrant(key secrets.Key, g Grant) (string, error) {
	payload, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return key.Sign(payload), nil
}

// AlteredError returns the error for a token that was issued for an object other than the one in
// the rest of the link.
func AlteredError(link intray.Message) error {
	return model.NewError(model.Denied, "bad_signature", intray.NewMessage("link.altered", intray.Params{"link": link}))
}

// VerifyGrant returns the grant in a token. It returns a Denied error if the token
// was altered, was issued for a different purpose, or has expired, if the API key for
// which it was issued was revoked, or if its organization is disabled.
func VerifyGrant(ctx context.Context, env *model.Env, key secrets.Key, token string, link intray.Message) (Grant, error) {
	g, err := decodeGrant(key, token, link, env.Now())
	if err != nil {
		return g, err
	}
	if err := env.CheckOrg(g.Org); err != nil || g.Licence == "" {
		return g, err
	}
	ctx = model.InOrg(ctx, g.Org)
	l, err := model.Get(ctx, env.Store, func(tx model.Tx) (model.Licence, error) { return tx.Accounts.Licence(ctx, g.Licence) })
	if model.IsKind(err, model.NotFound) || err == nil && !l.Revoked.IsZero() {
		return Grant{}, RevokedError(link)
	}
	return g, err
}

// RevokedError returns the error for a link that was revoked before it expired.
func RevokedError(link intray.Message) error {
	return model.NewError(model.Denied, "revoked", intray.NewMessage("link.revoked", intray.Params{"link": link}))
}

// ExpiredError returns the error for a link that has expired.
func ExpiredError(link intray.Message) error {
	return model.NewError(model.Denied, "expired", intray.NewMessage("link.expired", intray.Params{"link": link}))
}

func decodeGrant(key secrets.Key, token string, link intray.Message, now time.Time) (Grant, error) {
	var g Grant
	payload, err := key.Verify(token)
	if err != nil || json.Unmarshal(payload, &g) != nil {
		return Grant{}, model.NewError(model.Denied, "bad_signature", intray.NewMessage("link.bad_signature", intray.Params{"link": link}))
	}
	if g.Expires != 0 && now.Unix() >= g.Expires {
		return Grant{}, ExpiredError(link)
	}
	return g, nil
}
