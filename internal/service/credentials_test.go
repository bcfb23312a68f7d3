package service_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/service"
)

func passwordDraft() service.CredentialDraft {
	return service.CredentialDraft{
		Hostname: "sftp.example.org", Port: 22, User: "intray",
		AuthType: service.AuthPassword, Password: seal.NewSecret("swordfish"),
	}
}

func keyDraft() service.CredentialDraft {
	d := passwordDraft()
	d.AuthType, d.Password, d.PrivateKey = service.AuthKey, seal.Secret{}, seal.NewSecret("a key")
	return d
}

func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, spoil := range map[string]func(d *service.CredentialDraft){
		"host name":             func(d *service.CredentialDraft) { d.Hostname = "a b" },
		"port 0":                func(d *service.CredentialDraft) { d.Port = 0 },
		"port 65536":            func(d *service.CredentialDraft) { d.Port = 65536 },
		"no user":               func(d *service.CredentialDraft) { d.User = "" },
		"long user":             func(d *service.CredentialDraft) { d.User = strings.Repeat("é", 256) },
		"control character":     func(d *service.CredentialDraft) { d.User = "a\x00b" },
		"no way to log in":      func(d *service.CredentialDraft) { d.AuthType = "" },
		"no password":           func(d *service.CredentialDraft) { d.Password = seal.Secret{} },
		"password and key":      func(d *service.CredentialDraft) { d.PrivateKey = seal.NewSecret("k") },
		"key in place of a one": func(d *service.CredentialDraft) { d.AuthType = service.AuthKey },
	} {
		draft := passwordDraft()
		spoil(&draft)
		_, err := f.CreateCredential(f.ctx, f.org, draft)
		if !service.IsKind(err, service.Invalid) {
			t.Errorf("%s: error %v, want that it is invalid", name, err)
		}
	}
	draft := keyDraft()
	draft.PrivateKey = seal.NewSecret("broken")
	_, err := f.CreateCredential(f.ctx, f.org, draft)
	f.refused(err, service.Invalid, "invalid")
	if list, total, err := f.Credentials(f.ctx, f.org, 0, 10); total != 0 || len(list) != 0 || err != nil {
		t.Errorf("%d credentials were kept, error %v", total, err)
	}
}

func TestSecretsAreSealedAndKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	if strings.Contains(string(made.Sealed), "swordfish") || strings.Contains(made.Fingerprint, "swordfish") {
		t.Error("the secret is in the open")
	}
	twin, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	if twin.Fingerprint == made.Fingerprint {
		t.Error("two credentials with one password have one fingerprint")
	}
	change := passwordDraft()
	change.User, change.Password = "other", seal.Secret{}
	changed, err := f.ReplaceCredential(f.ctx, f.org, made.ID, change)
	must(t, err)
	if changed.Fingerprint != made.Fingerprint || changed.User != "other" {
		t.Errorf("without a secret: %+v, want the stored one", changed)
	}
	f.sftp.report.HostKey = "host key"
	_, trouble, err := f.TestCredential(f.ctx, f.org, made.ID)
	if trouble != nil || err != nil || f.sftp.login.Password.Reveal() != "swordfish" || f.sftp.login.User != "other" {
		t.Errorf("logged in with %+v; trouble %v, error %v", f.sftp.login, trouble, err)
	}
	key := keyDraft()
	key.PrivateKey = seal.Secret{}
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, key)
	f.refused(err, service.Invalid, "invalid")
	key.PrivateKey = seal.NewSecret("a key")
	changed, err = f.ReplaceCredential(f.ctx, f.org, made.ID, key)
	if err != nil || changed.Fingerprint != "SHA256:of a key" {
		t.Errorf("with a key: %+v, error %v", changed, err)
	}
}

func TestHostKeyIsPinned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	f.sftp.trouble = errors.New("no route to the host")
	_, trouble, err := f.TestCredential(f.ctx, f.org, made.ID)
	if trouble == nil || err != nil {
		t.Fatalf("trouble %v, error %v", trouble, err)
	}
	f.hostKey(made.ID, "")
	f.sftp.trouble, f.sftp.report.HostKey = nil, "first"
	_, _, err = f.TestCredential(f.ctx, f.org, made.ID)
	must(t, err)
	f.hostKey(made.ID, "first")
	f.sftp.report.HostKey = "second"
	_, _, err = f.TestCredential(f.ctx, f.org, made.ID)
	must(t, err)
	f.hostKey(made.ID, "first")
	if f.sftp.login.HostKey != "first" {
		t.Errorf("logged in with the host key %q, want the pinned one", f.sftp.login.HostKey)
	}
	moved := passwordDraft()
	moved.Port = 2222
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, moved)
	must(t, err)
	f.hostKey(made.ID, "")
}

func (f *fixture) hostKey(id, want string) {
	f.Helper()
	c, err := f.Credential(f.ctx, f.org, id)
	must(f.T, err)
	if diff := cmp.Diff(want, c.HostKey); diff != "" {
		f.Errorf("the pinned host key (-want +got):\n%s", diff)
	}
}

func TestDeletedCredential(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	must(t, f.DeleteCredential(f.ctx, f.org, made.ID))
	_, err = f.Credential(f.ctx, f.org, made.ID)
	f.refused(err, service.NotFound, "not_found")
	f.refused(f.DeleteCredential(f.ctx, f.org, made.ID), service.NotFound, "not_found")
}
