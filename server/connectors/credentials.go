package connectors

import (
	"context"
	"encoding/base64"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// CredentialDraft is a credential as it was sent.
type CredentialDraft struct {
	// ID fixes the id of a new credential; "" lets the service choose.
	ID         string
	Hostname   string
	Port       int
	User       string
	AuthType   model.AuthType
	Password   secrets.Secret
	PrivateKey secrets.Secret
}

// secret gives the secret of the draft's own type and that of the other.
func (d CredentialDraft) secret() (own, other secrets.Secret) {
	if d.AuthType == model.AuthKey {
		return d.PrivateKey, d.Password
	}
	return d.Password, d.PrivateKey
}

// CreateCredential keeps a credential; its secret is sealed.
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
		if made, err := tx.Credentials.Get(ctx, org, id); draft.ID != "" && err == nil {
			c = made
			return nil
		}
		return tx.Credentials.Insert(ctx, c)
	})
	return c, err
}

// ReplaceCredential gives a credential new values. Without a secret the stored
// one is kept, if the way to log in stays the same. A changed server has its
// host key pinned anew.
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

// credentialError speaks of one field and says as a whole what the clients of
// this operation expect to read.
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

// applyCredentialDraft takes the draft over. An empty secret leaves the stored one.
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

// fingerprint tells which secret is stored without giving it away.
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

// Credentials gives the credentials from offset on, newest first, and how many
// there are in all.
func (s *Service) Credentials(ctx context.Context, org string, offset, limit int64) (list []model.Credential, total int64, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		list, total, err = tx.Credentials.List(ctx, org, offset, limit)
		return err
	})
	return list, total, err
}

// Credential gives a credential.
func (s *Service) Credential(ctx context.Context, org, id string) (c model.Credential, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		c, err = tx.Credentials.Get(ctx, org, id)
		return err
	})
	return c, model.DescribeNotFound(err, model.CredentialMissing)
}

// DeleteCredential removes a credential.
func (s *Service) DeleteCredential(ctx context.Context, org, id string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		return model.DescribeNotFound(tx.Credentials.Delete(ctx, org, id), model.CredentialMissing)
	})
}

// TestCredential logs in with a credential. The first success pins the
// server's host key. trouble is a sentence where the connection failed; err is
// a failure of the service.
func (s *Service) TestCredential(ctx context.Context, org, id string) (report SFTPReport, trouble, err error) {
	c, err := s.Credential(ctx, org, id)
	if err != nil {
		return SFTPReport{}, nil, err
	}
	login, err := s.loginOf(c)
	if err != nil {
		return SFTPReport{}, nil, err
	}
	report, trouble = s.cfg.SFTP.TestConnection(ctx, login)
	if trouble == nil && c.HostKey == "" {
		err = s.pinHostKey(ctx, c, report.HostKey)
	}
	return report, trouble, err
}

// pinHostKey keeps the host key if the credential still is the one that was tested. A
// key that another test pinned meanwhile stays.
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
