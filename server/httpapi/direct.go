package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

func directBody() *jsonschema.Schema {
	return bodyType("DirectUploadDraft", "A file to send directly to the bucket.", map[string]any{"size": 104857600, "filename": "contacts.csv"},
		required("size", &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Description: "The size of the file in bytes."}),
		optional("filename", lineType("The name of the file, used if the import has none.", imports.MaxFilename)))
}

func commitBody() *jsonschema.Schema {
	return bodyType("DirectUploadCommit", "A file that is in the bucket.", map[string]any{"etag": `"9b2cf535f27731c974343645a3985328"`},
		required("etag", lineType("The ETag that the bucket returned, as it is in the header.", 255)))
}

// directURL returns the URL at which a direct upload of an import can be created, or "" if it cannot.
// upload is the upload URL of the import.
func (a *API) directURL(imp model.Import, upload string) string {
	address, token, signed := strings.Cut(upload, "?")
	if !signed || !a.cfg.Service.AllowsDirect(imp) {
		return ""
	}
	return address + "/direct/?" + token
}

// authorizeUpload checks the signed URL of a call about an upload.
func (a *API) authorizeUpload(c *call) error {
	if _, err := c.pathID("id"); err != nil {
		return err
	}
	g, err := a.cfg.Service.VerifyUploadToken(c.context(), c.r.PathValue("id"), c.r.URL.Query().Get("token"))
	if err := a.checkGrant(c, err); err != nil {
		return err
	}
	c.enter(g.Org)
	c.upload = g
	return nil
}

func (a *API) createDirectUpload(c *call) (*response, error) {
	doc := c.bodyObject()
	u, token, put, err := a.cfg.Service.CreateDirect(c.context(), c.upload, intField(doc, "size"), stringField(doc, "filename"))
	if err := a.checkGrant(c, err); err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusCreated, wire.DirectUpload{
		URL: put.URL, Headers: put.Headers, ExpiresAt: formatTime(a.cfg.Clock().Add(imports.DirectLife)),
		Commit: fmt.Sprintf("%s/upload/%s/commit/?token=%s", a.baseURL(c.r), c.upload.ID, token), CommitExpiresAt: formatTime(u.Expires),
	}, nil)
}

func (a *API) commitDirectUpload(c *call) (*response, error) {
	u, err := a.cfg.Service.OpenDirect(c.context(), c.upload)
	if err != nil {
		return nil, err
	}
	if !u.Complete() && u.Length > largeUpload { // reading a large file competes with the uploads of others
		leave, err := a.uploads.enter(c.context(), u.Org())
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	return jsonResponse(http.StatusNoContent, nil, u.Commit(c.context(), stringField(c.bodyObject(), "etag")))
}
