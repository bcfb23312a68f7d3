package httpapi

import (
	"net/http"

	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/schemas"
)

// rehydrateImport returns what a client library passes to the widget so that it continues an import that
// was created through the API.
func (a *API) rehydrateImport(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	imp, err := a.cfg.Service.Import(c.context(), c.org, id)
	if err != nil {
		return nil, err
	}
	key, err := a.cfg.Service.RehydrationKey(imp)
	if err != nil {
		return nil, err
	}
	doc, err := schemas.Decode("", imp.Schema)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wire.Rehydration{
		LicenseKey: key, HeadlessImportID: imp.ID, Fields: doc.Fields, Settings: schemas.WithoutURLs(doc.Settings),
		Hooks: map[string]any{}, State: map[string]any{}, // both remain on the server
	}, nil)
}
