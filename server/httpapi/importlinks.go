package httpapi

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/importlinks"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

func importLinkOperations() []operation {
	const all, one = v1 + "/import-links/", v1 + "/import-links/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createImportLink", summary: "Create an import link", auth: authBackendKey, body: importLinkBody(),
			status: 201, response: shapeOf[wire.ImportLink](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).createImportLink,
			description: "Everybody who knows the link can upload files for the schema. Each file becomes an import with its usual webhook events."},
		{method: "GET", path: all, id: "listImportLinks", summary: "List import links, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.ImportLink]](), errors: []int{400}, serve: (*API).listImportLinks},
		{method: "GET", path: one, id: "getImportLink", summary: "Retrieve an import link", auth: authBackendKey,
			status: 200, response: shapeOf[wire.ImportLink](), errors: []int{404}, serve: (*API).getImportLink},
		{method: "PUT", path: one, id: "replaceImportLink", summary: "Replace an import link", auth: authBackendKey, body: importLinkBody(),
			status: 200, response: shapeOf[wire.ImportLink](), errors: []int{400, 404, 413, 415}, serve: (*API).replaceImportLink,
			description: "The address stays the same. If the password is missing, the stored one is kept; null removes it. Another password ends the open sessions. The logo is kept."},
		{method: "DELETE", path: one, id: "revokeImportLink", summary: "Revoke an import link", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).revokeImportLink,
			description: "The link stops working at once, also on pages that are open. Imports that were created through it remain."},
		{method: "PUT", path: one + "logo/", id: "replaceImportLinkLogo", summary: "Set the logo of an import link", auth: authBackendKey, upload: true,
			status: 200, response: shapeOf[wire.ImportLink](), errors: []int{400, 404, 408, 413, 415}, serve: (*API).replaceLogo,
			description: "The body is a PNG, JPEG or WebP image of at most 256 KiB."},
		{method: "DELETE", path: one + "logo/", id: "deleteImportLinkLogo", summary: "Delete the logo of an import link", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteLogo},
	}
}

func (a *API) wireImportLink(c *call, l model.ImportLink) (wire.ImportLink, error) {
	out := wire.ImportLink{
		ID: l.ID, SchemaID: l.SchemaID, Name: l.Name, URL: a.baseURL(c.r) + "/in/", Status: string(a.cfg.Service.LinkStatus(l)), Page: l.Page,
		MaxUses: positive(l.MaxUses), Uses: l.Uses, MaxBytes: positive(l.MaxBytes), BytesReceived: l.Bytes, HasPassword: l.Password != nil,
		HasLogo: l.LogoSHA256 != "", CreatedDate: formatTime(l.Created), ModifiedDate: formatTime(l.Modified),
	}
	if !l.Expires.IsZero() {
		expires := formatTime(l.Expires)
		out.ExpiresAt = &expires
	}
	if l.HasUser {
		u := wireUser(l.User)
		out.ImportMetadata = &wire.ImportMetadata{User: &u}
	}
	// Whoever knows the address can create imports, so a key needs the scope for that to see it.
	if !c.licence.Scopes.Contains(model.ScopeImport) {
		return out, nil
	}
	token, err := a.cfg.Service.LinkToken(l)
	out.URL += token
	return out, err
}

// positive returns a pointer to n, or nil if n is 0.
func positive(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// importLinkDraft returns the draft in a body, which must already have been validated.
func importLinkDraft(c *call) (importlinks.Draft, error) {
	doc := c.bodyObject()
	d := importlinks.Draft{
		ID: c.fixedID, Name: stringField(doc, "name"), Page: doc["page"], MaxUses: intField(doc, "max_uses"), MaxBytes: intField(doc, "max_bytes"),
		User: userOf(doc["import_metadata"]),
	}
	id, ok := model.ParseID(stringField(doc, "schema_id"))
	if !ok {
		return d, invalidField("schema_id", intray.NewMessage("request.not_a_uuid", nil))
	}
	d.SchemaID = id
	if expires := stringField(doc, "expires_at"); expires != "" {
		at, err := time.Parse(time.RFC3339Nano, expires)
		if err != nil {
			return d, invalidField("expires_at", intray.NewMessage("request.not_a_time", intray.Params{"time": exampleTime}))
		}
		d.Expires = at.UTC().Truncate(time.Microsecond)
	}
	if password, given := doc["password"]; given {
		text, _ := password.(string)
		d.Password = &text
	}
	return d, nil
}

func (a *API) createImportLink(c *call) (*response, error) {
	draft, err := importLinkDraft(c)
	if err != nil {
		return nil, err
	}
	link, err := a.cfg.Service.CreateImportLink(c.context(), c.org, draft)
	return a.replyImportLink(c, http.StatusCreated, link, err)
}

func (a *API) replyImportLink(c *call, status int, link model.ImportLink, err error) (*response, error) {
	if err != nil {
		return nil, err
	}
	out, err := a.wireImportLink(c, link)
	return jsonResponse(status, out, err)
}

func (a *API) listImportLinks(c *call) (*response, error) {
	page, err := pageRequest(c.r.URL.Query(), maxPageSize)
	if err != nil {
		return nil, err
	}
	links, err := a.cfg.Service.ImportLinks(c.context(), c.org, page)
	if err != nil {
		return nil, err
	}
	results := make([]wire.ImportLink, len(links.Rows))
	for i, link := range links.Rows {
		if results[i], err = a.wireImportLink(c, link); err != nil {
			return nil, err
		}
	}
	return jsonResponse(http.StatusOK, paginate(a, c, results, links.Total, links.Next, page), nil)
}

func (a *API) getImportLink(c *call) (*response, error) {
	link, err := loadByID(c, a.cfg.Service.ImportLink)
	return a.replyImportLink(c, http.StatusOK, link, err)
}

func (a *API) replaceImportLink(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	draft, err := importLinkDraft(c)
	if err != nil {
		return nil, err
	}
	link, err := a.cfg.Service.ReplaceImportLink(c.context(), c.org, id, draft)
	return a.replyImportLink(c, http.StatusOK, link, err)
}

func (a *API) revokeImportLink(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.DeleteImportLink))
}

func (a *API) replaceLogo(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	if _, err := a.cfg.Service.ImportLink(c.context(), c.org, id); err != nil {
		return nil, err
	}
	if err := requireWholeFile(c.r.Header); err != nil {
		return nil, err
	}
	tooLarge := newError(http.StatusRequestEntityTooLarge, "logo_too_large", intray.NewMessage("import_link.logo_too_large", intray.Params{"size": importlinks.MaxLogo}))
	if c.r.ContentLength > importlinks.MaxLogo {
		return nil, tooLarge
	}
	content, err := io.ReadAll(&cappedReader{from: a.pacedReader(c.w, c.r), left: importlinks.MaxLogo, over: tooLarge})
	if err != nil {
		return nil, receiveError(err)
	}
	link, err := a.cfg.Service.SetLogo(c.context(), c.org, id, content)
	return a.replyImportLink(c, http.StatusOK, link, err)
}

func (a *API) deleteLogo(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.DeleteLogo))
}

func importLinkBody() *jsonschema.Schema {
	limit := func(doc string) *jsonschema.Schema {
		return nullable(&jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Description: doc})
	}
	page := schema.PageShape()
	page.Role = "Each property overrides the one in the extensions of the schema."
	example := map[string]any{
		"schema_id": exampleID, "name": "Contacts of new customers", "max_uses": 10, "expires_at": "2026-12-31T23:59:59Z",
		"page": map[string]any{"title": "Your contacts", "text": "One row for each person.", "company": "Example Ltd"},
	}
	return bodyType("ImportLinkDraft", "An import link to create, or what replaces it.", example,
		required("schema_id", uuidType("A saved schema.")),
		optional("name", lineType("For the organization. The people who use the link do not see it.", model.MaxLabel)),
		optional("page", page),
		optional("expires_at", nullable(timeType("When the link stops working: an ISO 8601 date and time. null means never."))),
		optional("max_uses", limit("How many files may be sent. null means no limit.")),
		optional("max_bytes", limit("The total size of the files that may be sent, in bytes. null means no limit.")),
		optional("password", nullable(stringType("A password of 8 to 72 bytes that people must enter. null means none."))),
		optional("import_metadata", nullable(importMetadataShape())))
}

// The page of an import link.

func linkPageOperations() []operation {
	const base = "/api/in/v1/"
	return []operation{
		{method: "POST", path: base + "session/", id: "openImportLink", summary: "Open an import link", auth: authImportLink, body: openLinkBody(), optionalBody: true, memory: readMemory,
			status: 200, response: shapeOf[wire.LinkPage](), errors: []int{400, 409, 413, 415, 429}, serve: (*API).openImportLink,
			description: "The token is the last segment of the address, sent as Authorization: Bearer. 403 with the code password_required or wrong_password if the link has a password."},
		{method: "GET", path: base + "page/", id: "getImportLinkPage", summary: "Get what the page of an import link shows", auth: authLinkSession, memory: readMemory,
			status: 200, response: shapeOf[wire.LinkPage](), errors: []int{409}, serve: (*API).getLinkPage},
		{method: "POST", path: base + "imports/", id: "startLinkImport", summary: "Create an import through an import link", auth: authLinkSession, starts: true, body: startImportBody(),
			status: 201, response: shapeOf[wire.StartedImport](), errors: []int{400, 409, 413, 415, 429}, serve: (*API).startLinkImport},
		{method: "GET", path: base + "template/", id: "getLinkTemplate", summary: "Download an empty workbook with the expected columns", auth: authLinkSession, memory: readMemory,
			query:  []parameter{{"lang", "The language of the headers, such as de. Default: the labels of the fields.", stringType("")}},
			status: 200, media: output.XLSX.ContentType(), errors: []int{409}, serve: (*API).getLinkTemplate,
			description: "Columns of fields with a list of values have drop-down lists."},
		{method: "GET", path: base + "logo/{id}", id: "getLogo", summary: "Get the logo of an import link", auth: authSignedURL, query: []parameter{{"token", "The signature in the signed URL.", stringType("")}},
			status: 200, media: "*/*", errors: []int{404}, serve: (*API).getLogo},
	}
}

func openLinkBody() *jsonschema.Schema {
	return bodyType("LinkPassword", "The password of an import link.", map[string]any{"password": "correct horse"}, optional("password", nullable(stringType("The password, if the link has one."))))
}

func startImportBody() *jsonschema.Schema {
	return bodyType("LinkImportDraft", "An import to create through an import link.", map[string]any{"original_filename": "contacts.xlsx"}, optional("original_filename", lineType("The name of the file to upload.", imports.MaxFilename)))
}

const (
	// linkAttemptsPerAddress and linkAttempts are how many passwords may be tried per minute for one
	// link, from one address and from all.
	linkAttemptsPerAddress, linkAttempts = 10, 100
	// linkStarts is how many imports one address may start per minute through one link.
	linkStarts = 30
)

// noLinkTokenError returns the error for a call without the token of an import link or of its
// session.
func noLinkTokenError() error {
	return newError(http.StatusUnauthorized, "no_link_token", intray.NewMessage("import_link.no_token", nil))
}

// openImportLink exchanges the token of an import link, and its password, for a session.
func (a *API) openImportLink(c *call) (*response, error) {
	token, ok := bearerToken(c.r.Header.Get("Authorization"))
	if !ok {
		return nil, noLinkTokenError()
	}
	password := stringField(c.bodyObject(), "password")
	settle := func(error) {}
	if password != "" {
		var err error
		if settle, err = a.countAttempt(c, token); err != nil {
			return nil, err
		}
	}
	opened, err := a.cfg.Service.OpenLink(c.context(), token, password)
	settle(err)
	if errors.Is(err, &model.Error{Kind: model.Denied, Code: "password_required"}) {
		return nil, err
	}
	if err := a.checkGrant(c, err); err != nil {
		return nil, err
	}
	c.enter(opened.Link.Org)
	return a.replyLinkPage(opened)
}

// countAttempt counts an attempt to open a link with a password. It returns a function that must be
// called with the result, because only wrong passwords count.
func (a *API) countAttempt(c *call, token string) (settle func(error), err error) {
	link, err := a.cfg.Service.LinkID(c.context(), token)
	if err := a.checkGrant(c, err); err != nil {
		return nil, err
	}
	fromHere := link + " " + a.clientAddress(c.r)
	window, err := a.linkAttemptsHere.allow(c.context(), fromHere)
	if err != nil {
		return nil, err
	}
	if _, err := a.linkAttempts.allow(c.context(), link); err != nil {
		return nil, err
	}
	return func(err error) {
		if !errors.Is(err, &model.Error{Kind: model.Denied, Code: "wrong_password"}) {
			a.linkAttemptsHere.refund(fromHere, window)
			a.linkAttempts.refund(link, window)
		}
	}, nil
}

// authorizeLinkSession checks the token of a session and loads its link.
func (a *API) authorizeLinkSession(c *call) error {
	token, ok := bearerToken(c.r.Header.Get("Authorization"))
	if !ok {
		return noLinkTokenError()
	}
	link, err := a.cfg.Service.LinkSession(c.context(), token)
	if err := a.checkGrant(c, err); err != nil {
		return err
	}
	c.enter(link.Org)
	c.link = link
	return nil
}

func (a *API) getLinkPage(c *call) (*response, error) {
	opened, err := a.cfg.Service.LinkPage(c.context(), c.link)
	if err != nil {
		return nil, err
	}
	return a.replyLinkPage(opened)
}

func (a *API) replyLinkPage(o importlinks.Opened) (*response, error) {
	out := wire.LinkPage{
		Session: o.Session, LinkID: o.Link.ID, Title: o.Page.Title, Text: o.Page.Text, Company: o.Page.Company, Contact: o.Page.Contact,
		AccentColor: o.Page.AccentColor, ReturnURL: o.Page.ReturnURL, MaxFileSize: o.MaxFileSize, ManualInput: manualInput(o.Document), Styles: styleOverrides(o.Document), Fields: []wire.LinkField{},
	}
	if out.Title == "" {
		out.Title = o.Schema.Settings.Title
	}
	for _, field := range importlinks.ExpectedFields(o.Schema, o.Document) {
		out.Fields = append(out.Fields, wireLinkField(field))
	}
	logo, err := a.cfg.Service.LogoToken(o.Link)
	if logo != "" {
		out.LogoURL = "/api/in/v1/logo/" + o.Link.ID + "?token=" + logo
	}
	return jsonResponse(http.StatusOK, out, err)
}

// manualInput returns whether people can, must or must not type the rows, as the settings of a schema say.
func manualInput(doc schema.Doc) string {
	settings, _ := doc.Settings.(map[string]any)
	if only, _ := settings["manualInputOnly"].(bool); only {
		return "only"
	}
	if disabled, _ := settings["manualInputDisabled"].(bool); disabled {
		return "disabled"
	}
	return "allowed"
}

// styleOverrides returns the styles in the settings of a schema document.
func styleOverrides(doc schema.Doc) map[string]any {
	settings, _ := doc.Settings.(map[string]any)
	if styles, ok := settings["styleOverrides"].(map[string]any); ok {
		return styles
	}
	return map[string]any{}
}

func wireLinkField(f importlinks.ExpectedField) wire.LinkField {
	out := wire.LinkField{
		Key: f.Key, Label: f.Label, Labels: f.Labels, Description: f.Description, Descriptions: f.Descriptions, Type: string(f.Type.Name),
		Required: f.Required, Unique: f.Unique, Example: f.Example,
	}
	for _, option := range f.Options {
		out.Options = append(out.Options, wire.ReviewOption{Value: option.Value, Label: option.Label})
	}
	return out
}

func (a *API) startLinkImport(c *call) (*response, error) {
	key := c.link.ID + " " + a.clientAddress(c.r)
	if _, err := a.linkStarts.allow(c.context(), key); err != nil {
		return nil, err
	}
	imp, err := a.cfg.Service.StartImport(c.context(), c.link, stringField(c.bodyObject(), "original_filename"))
	if err != nil {
		return nil, err
	}
	return a.replyStarted(c, imp)
}

// getLinkTemplate sends an empty workbook with the expected columns.
func (a *API) getLinkTemplate(c *call) (*response, error) {
	opened, err := a.cfg.Service.LinkPage(c.context(), c.link)
	if err != nil {
		return nil, err
	}
	return templateResponse(c, opened.Schema, opened.Document, c.r.URL.Query().Get("lang")), nil
}

// templateResponse returns an empty workbook with the expected columns of a schema, in a language.
func templateResponse(c *call, parsed *intray.Schema, doc schema.Doc, lang string) *response {
	header := http.Header{"Content-Type": {output.XLSX.ContentType()}, "Content-Disposition": {attachment("template.xlsx")}}
	return &response{status: http.StatusOK, header: header, stream: func(w io.Writer) error {
		return importlinks.WriteTemplate(c.context(), w, importlinks.ExpectedFields(parsed, doc), func(f importlinks.ExpectedField) string {
			return importlinks.InLanguage(f.Labels, lang, f.Label)
		})
	}}
}

// discardReview deletes an import for the person who started it on a page.
func (a *API) discardReview(c *call) (*response, error) {
	if !isDiscardable(c.reviewed) {
		return nil, newError(http.StatusConflict, "not_discardable", intray.NewMessage("review.not_discardable", nil))
	}
	return jsonResponse(http.StatusNoContent, nil, a.cfg.Service.DeleteImport(c.context(), c.org, c.reviewed.ID))
}

// isDiscardable reports whether a person who started an import on a page may delete it. What was
// submitted to the organization belongs to it.
func isDiscardable(imp model.Import) bool {
	return imp.IsEphemeral() || (imp.LinkID != "" || imp.Sync != "") && imp.Status != model.Successful
}

// getLogo sends a logo. The content security policy keeps a browser from running anything in it.
func (a *API) getLogo(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	logo, err := a.cfg.Service.Logo(c.context(), id, c.r.URL.Query().Get("token"))
	if err := a.checkGrant(c, err); err != nil {
		return nil, err
	}
	header := http.Header{
		"Content-Type": {logo.MediaType}, "Content-Security-Policy": {"sandbox; default-src 'none'"}, "Etag": {`"` + logo.SHA256 + `"`},
		"Cache-Control": {"private, max-age=86400"},
	}
	return &response{status: http.StatusOK, raw: logo.Content, header: header}, nil
}
