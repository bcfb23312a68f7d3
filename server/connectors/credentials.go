package connectors

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// CredentialDraft contains the settings of a credential that a client sends.
type CredentialDraft struct {
	// ID is the id of a new credential. "" means a random id.
	ID         string
	Hostname   string
	Port       int
	User       string
	AuthType   model.AuthType
	Password   secrets.Secret
	PrivateKey secrets.Secret
}

// secretField is a field of a CredentialDraft that holds a secret.
type secretField struct {
	name  string
	value secrets.Secret
	// used reports whether the draft's AuthType uses the secret.
	used bool
	// missing is the error if the secret is required, and unused the message if it is not allowed.
	missing *model.Error
	unused  intray.Message
}

// secretFields returns both fields that hold secrets.
func (d CredentialDraft) secretFields() [2]secretField {
	return [2]secretField{
		{
			"private_key", d.PrivateKey, d.AuthType != model.AuthPassword,
			credentialError("private_key", intray.NewMessage("sftp_credential.key_missing", nil), intray.NewMessage("sftp_credential.must_supply_key", nil)),
			intray.NewMessage("sftp_credential.not_for_password_auth", nil),
		},
		{
			"password", d.Password, d.AuthType != model.AuthKey,
			credentialError("password", intray.NewMessage("sftp_credential.password_missing", nil), intray.NewMessage("sftp_credential.must_supply_password", nil)),
			intray.NewMessage("sftp_credential.not_for_key_auth", nil),
		},
	}
}

// missingSecret returns an error if a secret that the draft's AuthType uses is missing, or nil.
func (d CredentialDraft) missingSecret() error {
	for _, field := range d.secretFields() {
		if field.used && field.value.IsZero() {
			return field.missing
		}
	}
	return nil
}

// hasSecret reports whether the draft has a secret.
func (d CredentialDraft) hasSecret() bool { return !d.Password.IsZero() || !d.PrivateKey.IsZero() }

// bothSecrets is the plaintext of a sealed secret with model.AuthKeyAndPassword. With the other
// types, the plaintext is the secret.
type bothSecrets struct {
	Password   string `json:"password"`
	PrivateKey string `json:"private_key"`
}

// CreateCredential stores a credential and encrypts its secret. If a credential
// with the draft's ID exists, CreateCredential returns it unchanged.
func (s *Service) CreateCredential(ctx context.Context, org string, draft CredentialDraft) (model.Credential, error) {
	if err := s.checkDraft(draft); err != nil {
		return model.Credential{}, err
	}
	if err := draft.missingSecret(); err != nil {
		return model.Credential{}, err
	}
	id, err := s.env.IDOrNew(draft.ID)
	if err != nil {
		return model.Credential{}, err
	}
	now := s.env.Now()
	c := model.Credential{ID: id, Org: org, Created: now, Modified: now}
	if err := s.applyCredentialDraft(&c, draft); err != nil {
		return model.Credential{}, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if err := model.CheckRequest(ctx, tx); err != nil {
			return err
		}
		if draft.ID != "" {
			existing, err := tx.Credentials.Get(ctx, org, id)
			if !model.IsKind(err, model.NotFound) {
				c = existing
				return err
			}
		}
		if err := s.env.CheckQuotas(ctx, tx, org, model.Addition{Quota: model.CredentialQuota, N: 1}); err != nil {
			return err
		}
		return tx.Credentials.Insert(ctx, c)
	})
	return c, err
}

// ReplaceCredential replaces the settings of a credential. If the draft has no
// secret, the stored ones remain and AuthType must not change. If the server
// changes, the pinned host key is deleted.
func (s *Service) ReplaceCredential(ctx context.Context, org, id string, draft CredentialDraft) (c model.Credential, err error) {
	if err := s.checkDraft(draft); err != nil {
		return model.Credential{}, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if c, err = tx.Credentials.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.CredentialMissing)
		}
		if draft.hasSecret() || draft.AuthType != c.AuthType {
			if err := draft.missingSecret(); err != nil {
				return err
			}
		}
		if draft.Hostname != c.Hostname || draft.Port != c.Port {
			c.HostKey = ""
		}
		c.Modified = s.env.Now()
		if err := s.applyCredentialDraft(&c, draft); err != nil {
			return err
		}
		return tx.Credentials.Save(ctx, c)
	})
	return c, err
}

// credentialError returns an error about one field. problem is the message for the
// field, and whole is the message of the error.
func credentialError(field string, problem, whole intray.Message) *model.Error {
	return &model.Error{Kind: model.Invalid, Code: "invalid", Message: whole, Fields: model.FieldMessage(field, problem)}
}

func (s *Service) checkDraft(d CredentialDraft) error {
	if err := s.cfg.SFTP.ValidHostname(d.Hostname); err != nil {
		return model.InvalidField("hostname", intray.MessageOf(err))
	}
	switch {
	case d.Port < 1 || d.Port > 65535:
		return model.InvalidField("port", intray.NewMessage("sftp_credential.invalid_port", nil))
	case d.User == "" || utf8.RuneCountInString(d.User) > model.MaxLabel || !model.IsPrintable(d.User):
		return model.InvalidField("user", intray.NewMessage("sftp_credential.invalid_user", intray.Params{"n": model.MaxLabel}))
	case d.AuthType != model.AuthPassword && d.AuthType != model.AuthKey && d.AuthType != model.AuthKeyAndPassword:
		return model.InvalidField("auth_type", intray.NewMessage("sftp_credential.invalid_auth_type", nil))
	}
	for _, field := range d.secretFields() {
		if !field.used && !field.value.IsZero() {
			return model.InvalidField(field.name, field.unused)
		}
	}
	return nil
}

// applyCredentialDraft copies a draft to a credential. If the draft has no secret, the stored ones
// remain.
func (s *Service) applyCredentialDraft(c *model.Credential, d CredentialDraft) error {
	c.Hostname, c.Port, c.User, c.AuthType = d.Hostname, d.Port, d.User, d.AuthType
	if !d.hasSecret() {
		return nil
	}
	fingerprint, err := s.fingerprint(c.ID, d)
	if err != nil {
		return err
	}
	c.Fingerprint = fingerprint
	plain := []byte(d.Password.Reveal() + d.PrivateKey.Reveal()) // one of them is empty
	if d.AuthType == model.AuthKeyAndPassword {
		if plain, err = json.Marshal(bothSecrets{d.Password.Reveal(), d.PrivateKey.Reveal()}); err != nil {
			return err
		}
	}
	c.Sealed, err = s.secretCipher.Seal(plain, c.Org, c.ID)
	return err
}

// fingerprint returns a string that identifies the secret of a draft without revealing it. If
// there is a private key, it identifies the key.
func (s *Service) fingerprint(id string, d CredentialDraft) (string, error) {
	if d.AuthType == model.AuthPassword {
		mac := s.passwordKey.MAC([]byte(id), []byte(d.Password.Reveal()))
		return "SHA256:" + base64.RawStdEncoding.EncodeToString(mac), nil
	}
	fingerprint, err := s.cfg.SFTP.Fingerprint(d.PrivateKey)
	if err != nil {
		return "", model.InvalidField("private_key", intray.MessageOf(err))
	}
	return fingerprint, nil
}

// loginOf decrypts the secrets of a credential.
func (s *Service) loginOf(c model.Credential) (Login, error) {
	plain, err := s.secretCipher.Open(c.Sealed, c.Org, c.ID)
	login := Login{Org: c.Org, Hostname: c.Hostname, Port: c.Port, User: c.User, HostKey: c.HostKey}
	var both bothSecrets
	switch {
	case err != nil:
	case c.AuthType == model.AuthKeyAndPassword:
		err = json.Unmarshal(plain, &both)
	case c.AuthType == model.AuthKey:
		both.PrivateKey = string(plain)
	default:
		both.Password = string(plain)
	}
	login.Password, login.PrivateKey = secrets.NewSecret(both.Password), secrets.NewSecret(both.PrivateKey)
	return login, err
}

// Credentials returns a page of the credentials, newest first.
func (s *Service) Credentials(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Credential], error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (model.Page[model.Credential], error) {
		return tx.Credentials.List(ctx, org, page)
	})
}

// Credential returns the credential with the given id.
func (s *Service) Credential(ctx context.Context, org, id string) (c model.Credential, err error) {
	c, err = model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Credential, error) { return tx.Credentials.Get(ctx, org, id) })
	return c, model.DescribeNotFound(err, model.CredentialMissing)
}

// DeleteCredential deletes a credential.
func (s *Service) DeleteCredential(ctx context.Context, org, id string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		return model.DescribeNotFound(tx.Credentials.Delete(ctx, org, id), model.CredentialMissing)
	})
}

// TestCredential logs in with a credential. The first successful login pins the server's host
// key. failure is the error from the connection and has a human-readable message; err is an
// error from the service.
func (s *Service) TestCredential(ctx context.Context, org, id string) (report SFTPReport, failure, err error) {
	c, err := s.Credential(ctx, org, id)
	if err != nil {
		return SFTPReport{}, nil, err
	}
	login, err := s.loginOf(c)
	if err != nil {
		return SFTPReport{}, nil, err
	}
	report, failure = s.cfg.SFTP.TestConnection(ctx, login)
	if failure == nil && c.HostKey == "" {
		err = s.pinHostKey(ctx, c, report.HostKey)
	}
	return report, failure, err
}

// pinHostKey stores the host key unless the credential has changed since it was read or a host
// key has been pinned in the meantime.
func (s *Service) pinHostKey(ctx context.Context, tested model.Credential, hostKey string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		c, err := tx.Credentials.Get(ctx, tested.Org, tested.ID)
		if model.IsKind(err, model.NotFound) || err == nil && (!c.Modified.Equal(tested.Modified) || c.HostKey != "") {
			return nil
		}
		if err != nil {
			return err
		}
		c.HostKey = hostKey
		return tx.Credentials.Save(ctx, c)
	})
}
