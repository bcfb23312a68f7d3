package connectors_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
)

func TestNewWithoutMasterKey(t *testing.T) {
	t.Parallel()
	if _, err := connectors.New(&model.Env{}, connectors.Config{}); err == nil {
		t.Error("New returned no error without a master key")
	}
}

// TestOperationFaults makes each use of the store fail once in every API operation. The
// operation must report the error.
func TestOperationFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c, draft := f.connector(), f.draft()
	withID := func(id string) connectors.Draft {
		d := draft
		d.ID = id
		return d
	}
	credential := func(id string) connectors.CredentialDraft {
		d := credentialDraft()
		d.ID = id
		return d
	}
	f.Faults.CheckOperations(t, []servertest.Operation{
		{"CreateConnector", func() error { _, err := f.CreateConnector(f.ctx, f.org, draft); return err }},
		{"CreateConnector with an ID", func() error { _, err := f.CreateConnector(f.ctx, f.org, withID("new")); return err }},
		{"CreateConnector again", func() error { _, err := f.CreateConnector(f.ctx, f.org, withID(c.ID)); return err }},
		{"ReplaceConnector", func() error { _, err := f.ReplaceConnector(f.ctx, f.org, c.ID, draft); return err }},
		{"Connectors", func() error { _, err := f.Connectors(f.ctx, f.org); return err }},
		{"Connector", func() error { _, err := f.Connector(f.ctx, f.org, c.ID); return err }},
		{"RunConnector", func() error { _, err := f.RunConnector(f.ctx, f.org, c.ID); return err }},
		{"Pulls", func() error { _, err := f.Pulls(f.ctx, f.org, c.ID, model.PageRequest{Limit: 10}); return err }},
		{"ResultUploads", func() error { _, err := f.ResultUploads(f.ctx, f.org, c.ID, model.PageRequest{Limit: 10}); return err }},
		{"PulledFiles", func() error { _, err := f.PulledFiles(f.ctx, f.org, c.ID); return err }},
		{"CreateCredential", func() error { _, err := f.CreateCredential(f.ctx, f.org, credential("")); return err }},
		{"CreateCredential with an ID", func() error { _, err := f.CreateCredential(f.ctx, f.org, credential("new")); return err }},
		{"CreateCredential again", func() error { _, err := f.CreateCredential(f.ctx, f.org, credential(c.CredentialID)); return err }},
		{"ReplaceCredential", func() error { _, err := f.ReplaceCredential(f.ctx, f.org, c.CredentialID, credential("")); return err }},
		{"Credentials", func() error { _, err := f.Credentials(f.ctx, f.org, model.PageRequest{Limit: 10}); return err }},
		{"Credential", func() error { _, err := f.Credential(f.ctx, f.org, c.CredentialID); return err }},
		{"TestCredential", func() error { _, _, err := f.TestCredential(f.ctx, f.org, c.CredentialID); return err }},
		{"DeleteConnector", func() error { return f.DeleteConnector(f.ctx, f.org, c.ID) }},
		{"DeleteCredential", func() error { return f.DeleteCredential(f.ctx, f.org, c.CredentialID) }},
	})
}

// TestCreateIsIdempotent checks that creating a connector or credential with an existing ID
// returns the existing object.
func TestCreateIsIdempotent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	draft := f.draft()
	draft.ID = "8f14e45f-ceea-467f-a9a4-57e2d2b6b0a1"
	first, err := f.CreateConnector(f.ctx, f.org, draft)
	must(t, err)
	draft.Directory = "/other"
	again, err := f.CreateConnector(f.ctx, f.org, draft)
	must(t, err)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the connector changed (-first +again):\n%s", diff)
	}
	secret := credentialDraft()
	secret.ID = draft.ID
	made, err := f.CreateCredential(f.ctx, f.org, secret)
	must(t, err)
	secret.User = "berta"
	same, err := f.CreateCredential(f.ctx, f.org, secret)
	must(t, err)
	if diff := cmp.Diff(made, same); diff != "" {
		t.Errorf("the credential changed (-first +again):\n%s", diff)
	}
}

// TestInvalidDrafts checks that each invalid value is refused and that nothing is stored.
func TestInvalidDrafts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	valid := f.draft()
	for name, change := range map[string]func(d *connectors.Draft){
		"schedule":         func(d *connectors.Draft) { d.Schedule.Minutes = 1 },
		"directory":        func(d *connectors.Draft) { d.Directory = "/in/.." },
		"file_regex":       func(d *connectors.Draft) { d.Pattern = "(" },
		"result directory": func(d *connectors.Draft) { d.PutDirectory = "/out/.." },
		"result format":    func(d *connectors.Draft) { d.PutFormat = "docx" },
		"credentials":      func(d *connectors.Draft) { d.CredentialID = "unknown" },
		"schema":           func(d *connectors.Draft) { d.SchemaID = "unknown" },
	} {
		d := valid
		change(&d)
		if _, err := f.CreateConnector(f.ctx, f.org, d); !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: %v, want that it is invalid", name, err)
		}
	}
	for name, change := range map[string]func(d *connectors.CredentialDraft){
		"hostname":     func(d *connectors.CredentialDraft) { d.Hostname = "a b" },
		"port":         func(d *connectors.CredentialDraft) { d.Port = 0 },
		"user":         func(d *connectors.CredentialDraft) { d.User = "" },
		"auth_type":    func(d *connectors.CredentialDraft) { d.AuthType = "" },
		"no secret":    func(d *connectors.CredentialDraft) { d.Password = secrets.Secret{} },
		"other secret": func(d *connectors.CredentialDraft) { d.PrivateKey = secrets.NewSecret("key") },
		"broken key": func(d *connectors.CredentialDraft) {
			d.AuthType, d.Password, d.PrivateKey = model.AuthKey, secrets.Secret{}, secrets.NewSecret("broken")
		},
	} {
		d := credentialDraft()
		change(&d)
		if _, err := f.CreateCredential(f.ctx, f.org, d); !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: %v, want that it is invalid", name, err)
		}
	}
	if list, err := f.Connectors(f.ctx, f.org); err != nil || len(list) != 0 {
		t.Errorf("%d connectors are stored, %v", len(list), err)
	}
}

// TestMissingObjects checks that operations on objects that do not exist return NotFound.
func TestMissingObjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	draft := f.draft()
	for name, operation := range map[string]func() error{
		"ReplaceConnector":  func() error { _, err := f.ReplaceConnector(f.ctx, f.org, "unknown", draft); return err },
		"Connector":         func() error { _, err := f.Connector(f.ctx, f.org, "unknown"); return err },
		"RunConnector":      func() error { _, err := f.RunConnector(f.ctx, f.org, "unknown"); return err },
		"Pulls":             func() error { _, err := f.Pulls(f.ctx, f.org, "unknown", model.PageRequest{Limit: 10}); return err },
		"PulledFiles":       func() error { _, err := f.PulledFiles(f.ctx, f.org, "unknown"); return err },
		"DeleteConnector":   func() error { return f.DeleteConnector(f.ctx, f.org, "unknown") },
		"ReplaceCredential": func() error { _, err := f.ReplaceCredential(f.ctx, f.org, "unknown", credentialDraft()); return err },
		"Credential":        func() error { _, err := f.Credential(f.ctx, f.org, "unknown"); return err },
		"TestCredential":    func() error { _, _, err := f.TestCredential(f.ctx, f.org, "unknown"); return err },
		"DeleteCredential":  func() error { return f.DeleteCredential(f.ctx, f.org, "unknown") },
	} {
		if err := operation(); !model.IsKind(err, model.NotFound) {
			t.Errorf("%s: %v, want NotFound", name, err)
		}
	}
}
