package api

import (
	"net/http"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/service"
)

// credential is an SFTP credential. Its secret never leaves the service.
type credential struct {
	ID             string `json:"id"`
	Hostname       string `json:"hostname"`
	Port           int    `json:"port"`
	User           string `json:"user"`
	AuthType       string `json:"auth_type"`
	KeyFingerprint string `json:"key_fingerprint"`
}

func wireCredential(c service.Credential) credential {
	return credential{c.ID, c.Hostname, c.Port, c.User, string(c.AuthType), c.Fingerprint}
}

// connectionTest says whether a credential opens its server.
type connectionTest struct {
	Success bool `json:"success"`
	errorSnake
	HostKeyFingerprint string `json:"host_key_fingerprint,omitempty"`
}

func credentialDraft(c *call) service.CredentialDraft {
	doc := c.object()
	return service.CredentialDraft{
		ID: c.fixedID, Hostname: text(doc, "hostname"), Port: int(integer(doc, "port")), User: text(doc, "user"),
		AuthType: service.AuthType(text(doc, "auth_type")),
		Password: seal.NewSecret(text(doc, "password")), PrivateKey: seal.NewSecret(text(doc, "private_key")),
	}
}

func (a *API) createCredential(c *call) (*answer, error) {
	made, err := a.cfg.Service.CreateCredential(c.ctx(), c.org, credentialDraft(c))
	if err != nil {
		return nil, err
	}
	return reply(http.StatusCreated, wireCredential(made))
}

func (a *API) listCredentials(c *call) (*answer, error) {
	offset, limit, err := window(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Credentials(c.ctx(), c.org, offset, limit)
	if err != nil {
		return nil, err
	}
	results := make([]credential, len(list))
	for i, one := range list {
		results[i] = wireCredential(one)
	}
	return reply(http.StatusOK, a.page(c, results, total, offset, limit))
}

func (a *API) getCredential(c *call) (*answer, error) {
	one, err := found(c, a.cfg.Service.Credential)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireCredential(one))
}

func (a *API) replaceCredential(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	one, err := a.cfg.Service.ReplaceCredential(c.ctx(), c.org, id, credentialDraft(c))
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireCredential(one))
}

func (a *API) deleteCredential(c *call) (*answer, error) {
	if err := c.remove("id", a.cfg.Service.DeleteCredential); err != nil {
		return nil, err
	}
	return reply(http.StatusNoContent, nil)
}

func (a *API) testCredential(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	report, trouble, err := a.cfg.Service.TestCredential(c.ctx(), c.org, id)
	if err != nil {
		return nil, err
	}
	result := connectionTest{Success: trouble == nil, HostKeyFingerprint: report.HostKeyFingerprint}
	if trouble != nil {
		result.errorSnake = errorOf(intray.MessageOf(trouble))
	}
	return reply(http.StatusOK, result)
}
