package httpapi

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

func wireNotices(list []intray.Notice) []wire.Notice {
	out := make([]wire.Notice, len(list))
	for i, n := range list {
		out[i] = wire.Notice{
			Type: string(n.Type), Level: n.Level.String(), Message: wire.NewMessage(n.Text), RowIndex: n.Row,
			FieldKey: n.Field, Header: n.Header, Value: n.Value, ManyToOneIndex: n.Part, Total: n.Total,
		}
	}
	return out
}

func wireImport(imp model.Import) wire.ImportSummary {
	return wire.ImportSummary{
		ID: imp.ID, SchemaID: imp.SchemaID, Status: string(imp.Status), OriginalFilename: imp.Filename,
		CreatedDate: formatTime(imp.Created), ModifiedDate: formatTime(imp.Modified),
	}
}

// fullImport returns an import with signed URLs. A URL contains a token only if the API key has
// the scope that using it requires.
func (a *API) fullImport(c *call, imp model.Import) (wire.Import, error) {
	full, err := wireOutcome(imp)
	if err != nil {
		return full, err
	}
	full.Upload = fmt.Sprintf("%s/upload/%s", a.baseURL(c.r), imp.ID)
	if c.licence.Scopes.Contains(model.ScopeImport) {
		token, err := a.cfg.Service.UploadToken(imp, c.licence.ID)
		if err != nil {
			return full, err
		}
		full.Upload += "?token=" + token
		full.DirectUpload = a.directURL(imp, full.Upload)
	}
	full.ReviewURL, err = a.reviewURL(c, imp)
	return full, err
}

// reviewURL returns the review link of an import. It contains no token if the link has expired
// or was revoked, or if the API key lacks the scope review.
func (a *API) reviewURL(c *call, imp model.Import) (string, error) {
	address := fmt.Sprintf("%s/review/%s/", a.baseURL(c.r), imp.ID)
	if !c.licence.Scopes.Contains(model.ScopeReview) {
		return address, nil
	}
	token, err := a.cfg.Service.ReviewToken(imp)
	if err == nil && token != "" {
		address += "#" + token
	}
	return address, err
}

func (a *API) renewReviewLink(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	imp, err := a.cfg.Service.RenewReviewLink(c.context(), c.org, id, c.licence.ID)
	if err != nil {
		return nil, err
	}
	address, err := a.reviewURL(c, imp)
	return jsonResponse(http.StatusOK, wire.ReviewLink{URL: address, Expires: formatTime(a.cfg.Service.ReviewExpiry(imp))}, err)
}

func (a *API) revokeReviewLink(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.RevokeReviewLink))
}

// Retrieved returns the response to a request for an import, without the URLs that
// give access to it. Webhook messages contain this response.
func (a *API) Retrieved(imp model.Import, _ model.Upload) ([]byte, error) {
	full, err := wireOutcome(imp)
	if err != nil {
		return nil, err
	}
	return encodeJSON(full)
}

// wireOutcome returns an import without URLs, and with its outcome if it has one.
func wireOutcome(imp model.Import) (wire.Import, error) {
	full := wire.Import{ImportSummary: wireImport(imp)}
	o := imp.Outcome
	if o == nil {
		return full, nil
	}
	frozen, err := schemas.Frozen(imp)
	if err != nil {
		return full, err
	}
	if all := o.AllNotices(); len(all) > 0 {
		full.ImportErrors = wireNotices(all)
	}
	m := &wire.ResultMetadata{
		ID: imp.UploadID, ImportIdentifier: frozen.Settings.ImportIdentifier, RawHeaders: o.Headers,
		Fields: wireMapping(frozen.Fields, o), NumDataRows: o.DataRows, NumOutputRows: o.OutputRows,
		NumRowsWithError: o.ErrorRows, RowsWithError: o.RowsWithError, Source: map[string]wire.Evidence{}, SHA256: imp.Raw.SHA256,
	}
	if m.RowsWithError == nil {
		m.RowsWithError = []int64{}
	}
	if imp.Filename != "" {
		m.Filename = &imp.Filename
	}
	if imp.HasUser {
		u := wireUser(imp.User)
		m.User = &u
	}
	chosen := map[string]intray.Evidence{}
	for _, e := range o.Evidence {
		// If there are two pieces of evidence for the same choice, join their reasons.
		if before, twice := chosen[e.Choice]; twice && before.Value == e.Value {
			e.Reason = intray.JoinMessages(before.Reason, e.Reason)
		}
		chosen[e.Choice] = e
		m.Source[e.Choice] = wire.Evidence{Value: e.Value, Reason: wire.NewReason(e.Reason)}
	}
	full.ResultMetadata = m
	return full, nil
}

func wireMapping(fields []intray.Field, o *model.Outcome) map[string]wire.FieldSource {
	out := map[string]wire.FieldSource{}
	for i, f := range fields {
		match := intray.Match{Column: intray.NoColumn}
		if i < len(o.Mapping.Fields) {
			match = o.Mapping.Fields[i]
		}
		out[f.Key] = wireMatch(f, match, o.Headers)
	}
	return out
}

func wireMatch(f intray.Field, m intray.Match, headers []string) wire.FieldSource {
	if f.ManyToOne {
		from := wire.FieldSource{FileHeaders: []string{}, FileHeaderIndexes: []int{}, ManyToOne: true}
		for _, column := range m.Columns {
			from.FileHeaders, from.FileHeaderIndexes = append(from.FileHeaders, headers[column]), append(from.FileHeaderIndexes, column)
		}
		return from
	}
	if m.Column == intray.NoColumn {
		return wire.FieldSource{}
	}
	return wire.FieldSource{FileHeader: &m.Header, FileHeaderIndex: &m.Column}
}

func (a *API) createImport(c *call) (*response, error) {
	doc := c.bodyObject()
	draft := imports.Draft{
		ID: c.fixedID, Filename: stringField(doc, "original_filename"),
		Doc: schema.Doc{Fields: doc["fields"], Settings: doc["settings"], Hooks: doc["hooks"]},
	}
	if c.body.rows != nil {
		rows, err := c.body.rows.reader()
		if err != nil {
			return nil, err
		}
		draft.Rows = rows
	}
	if id := stringField(doc, "schema_id"); id != "" {
		parsed, ok := model.ParseID(id)
		if !ok {
			return nil, invalidField("schema_id", intray.NewMessage("request.not_a_uuid", nil))
		}
		draft.SchemaID = parsed
	}
	draft.User, draft.Licence = userOf(doc["import_metadata"]), c.licence.ID
	imp, err := a.cfg.Service.CreateImport(c.context(), c.org, draft)
	if err != nil {
		return nil, err
	}
	full, err := a.fullImport(c, imp)
	return jsonResponse(http.StatusCreated, full, err)
}

// userOf returns the user in import_metadata, which must already have been validated.
func userOf(metadata any) *model.User {
	outer, _ := metadata.(map[string]any)
	u, sent := outer["user"].(map[string]any)
	if !sent {
		return nil
	}
	return &model.User{
		ID: stringField(u, "id"), Name: stringField(u, "name"), Email: stringField(u, "email"),
		CompanyID: stringField(u, "companyId"), CompanyName: stringField(u, "companyName"),
	}
}

func (a *API) getImport(c *call) (*response, error) {
	imp, err := loadByID(c, a.cfg.Service.Import)
	if err != nil {
		return nil, err
	}
	full, err := a.fullImport(c, imp)
	return jsonResponse(http.StatusOK, full, err)
}

func (a *API) listImports(c *call) (*response, error) {
	return listPage(a, c, a.cfg.Service.Imports, wireImport)
}

func (a *API) deleteImport(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.DeleteImport))
}

func (a *API) importURL(c *call) (*response, error) {
	return a.resultURL(c, a.cfg.Service.ImportResult)
}

func formatOf(query url.Values) (output.Format, error) {
	name := query.Get("format")
	if name == "" {
		return output.JSON, nil
	}
	format, err := output.ParseFormat(name)
	if err != nil {
		return "", invalidField("format", intray.MessageOf(err))
	}
	return format, nil
}

func importBody() *jsonschema.Schema {
	example := map[string]any{
		"fields": []any{
			map[string]any{"key": "name", "label": "Name"},
			map[string]any{"key": "email", "label": "Email", "type": "email", "validators": []any{map[string]any{"validate": "required"}}},
			map[string]any{"key": "born", "label": "Date of birth", "type": []any{"date", map[string]any{"locale": "en-GB"}}},
		},
		"settings":          map[string]any{"importIdentifier": "contacts"},
		"original_filename": "contacts.csv",
	}
	return bodyType("ImportDraft", "An import to create. Exactly one of schema_id and fields must be sent.", example,
		optional("schema_id", uuidType("A saved schema.")),
		optional("fields", schema.FieldsShape()),
		optional("settings", schema.SettingsShape()),
		optional("hooks", schema.HooksShape()),
		optional("original_filename", nullable(&jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MaxLength: imports.MaxFilename, Description: "Name of the file to upload. Not together with initial_data."})),
		optional(rowsField, nullable(arrayType(mapType(nil, "A row: values by field key or header."), "The rows to import, at most 15,728,640 bytes as sent, instead of an uploaded file."))),
		optional("import_metadata", nullable(importMetadataShape())),
	)
}

func importMetadataShape() *jsonschema.Schema {
	userShape := namedType("UserDraft", "The person for whom the file is imported.",
		optional("id", lineType("Id of the person in your system.", 255)), optional("name", lineType("", 255)), optional("email", lineType("", 255)),
		optional("companyId", lineType("", 255)), optional("companyName", lineType("", 255)))
	return namedType("ImportMetadataDraft", "What belongs to an import besides its file.", optional("user", nullable(userShape)))
}
