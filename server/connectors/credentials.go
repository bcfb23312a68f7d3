package connectors

import (
	"context"
	"encoding/base64"
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

// secret returns the secret for the draft's AuthType as own, and the one for the
// other type as other.
func (d CredentialDraft) secret() (own, other secrets.Secret) {
	if d.AuthType == model.AuthKey {
		return d.PrivateKey, d.Password
	}
	return d.Password, d.PrivateKey
}

// CreateCredential stores a credential and encrypts its secret. If a credential
// with the draft's ID exists, CreateCredential returns it unchanged.
func (s *Service) CreateCredential(ctx context.Context, org string, draft CredentialDraft) (model.Credential, error) {
	if err := s.checkDraft(draft); err != nil {
		return model.Credential{}, err
	}
	if own, _ := draft.secret(); own.Reveal() == "" {
		return model.Credential{}, noSecret(draft.AuthType)
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
		if draft.ID != "" {
			existing, err := tx.Credentials.Get(ctx, org, id)
			if !model.IsKind(err, model.NotFound) {
				c = existing
				return err
			}
		}
		return tx.Credentials.Insert(ctx, c)
	})
	return c, err
}

// ReplaceCredential replaces the settings of a credential. If the draft has no
// secret, the stored one remains and AuthType must not change. If the server
// changes, the pinned host key is deleted.
func (s *Service) ReplaceCredential(ctx context.Context, org, id string, draft CredentialDraft) (c model.Credential, err error) {
	if err := s.checkDraft(draft); err != nil {
		return model.Credential{}, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if c, err = tx.Credentials.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.CredentialMissing)
		}
		if own, _ := draft.secret(); own.Reveal() == "" && draft.AuthType != c.AuthType {
			return noSecret(draft.AuthType)
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

func noSecret(t model.AuthType) error {
	if t == model.AuthKey {
		return credentialError("private_key", intray.NewMessage("sftp_credential.key_missing", nil), intray.NewMessage("sftp_credential.must_supply_key", nil))
	}
	return credentialError("password", intray.NewMessage("sftp_credential.password_missing", nil), intray.NewMessage("sftp_credential.must_supply_password", nil))
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
	case d.AuthType != model.AuthPassword && d.AuthType != model.AuthKey:
		return model.InvalidField("auth_type", intray.NewMessage("sftp_credential.invalid_auth_type", nil))
	}
	if _, other := d.secret(); other.Reveal() != "" {
		if d.AuthType == model.AuthKey {
			return model.InvalidField("password", intray.NewMessage("sftp_credential.not_for_key_auth", nil))
		}
		return model.InvalidField("private_key", intray.NewMessage("sftp_credential.not_for_password_auth", nil))
	}
	return nil
}

// applyCredentialDraft copies a draft to a credential. If the secret is empty, the
// stored one remains.
func (s *Service) applyCredentialDraft(c *model.Credential, d CredentialDraft) error {
	c.Hostname, c.Port, c.User, c.AuthType = d.Hostname, d.Port, d.User, d.AuthType
	own, _ := d.secret()
	if own.Reveal() == "" {
		return nil
	}
	fingerprint, err := s.fingerprint(c.ID, d.AuthType, own)
	if err != nil {
		return err
	}
	c.Fingerprint = fingerprint
	c.Sealed, err = s.secretCipher.Seal([]byte(own.Reveal()), c.Org, c.ID)
	return err
}

// fingerprint returns a string that identifies a secret without revealing it.
func (s *Service) fingerprint(id string, t model.AuthType, secret secrets.Secret) (string, error) {
	if t == model.AuthPassword {
		mac := s.passwordKey.MAC([]byte(id), []byte(secret.Reveal()))
		return "SHA256:" + base64.RawStdEncoding.EncodeToString(mac), nil
	}
	fingerprint, err := s.cfg.SFTP.Fingerprint(secret)
	if err != nil {
		return "", model.InvalidField("private_key", intray.MessageOf(err))
	}
	return fingerprint, nil
}

// Credentials returns at most limit credentials, newest first, starting at offset,
// and the total number of credentials.
func (s *Service) Credentials(ctx context.Context, org string, offset, limit int64) (list []model.Credential, total int64, err error) {
	return model.ViewPage(ctx, s.env.Store, func(tx model.Tx) ([]model.Credential, int64, error) {
		return tx.Credentials.List(ctx, org, offset, limit)
	})
}

// Credential returns the credential with the given id.
func (s *Service) Credential(ctx context.Context, org, id string) (c model.Credential, err error) {
	c, err = model.View(ctx, s.env.Store, func(tx model.Tx) (model.Credential, error) { return tx.Credentials.Get(ctx, org, id) })
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
