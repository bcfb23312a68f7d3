package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/importlinks"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/widget"
)

// The embedded importer.

func widgetOperations() []operation {
	const base = "/api/widget/v1/"
	return []operation{
		{method: "POST", path: base + "session/", id: "openWidget", summary: "Open an embedded importer", auth: authFrontendKey, body: widgetBody(),
			status: 200, response: shapeOf[wire.WidgetSetup](), errors: []int{400, 404, 409, 413, 415, 429}, serve: (*API).openWidget,
			description: "403 with the code origin_refused if the key does not allow the page, or session_expired if the hydration token is not valid. " +
				"409 if work on this schema cannot be saved in the session of the hydration token."},
		{method: "POST", path: base + "imports/", id: "startWidgetImport", summary: "Create an import in an embedded importer", auth: authWidgetSession, starts: true, body: widgetImportBody(), rows: true,
			status: 201, response: shapeOf[wire.StartedImport](), errors: []int{400, 404, 409, 413, 415, 429}, serve: (*API).startWidgetImport},
		{method: "POST", path: base + "template/", id: "getWidgetTemplate", summary: "Download an empty workbook with the expected columns", auth: authWidgetSession, body: widgetTemplateBody(),
			status: 200, media: output.XLSX.ContentType(), errors: []int{400, 404, 413, 415}, serve: (*API).getWidgetTemplate,
			description: "Columns of fields with a list of values have drop-down lists."},
	}
}

// widgetSchema returns the properties that select or define the schema of an importer.
func widgetSchema() []jsonschema.Property {
	return []jsonschema.Property{
		optional("schema", lineType("Id or name of a saved schema. Exactly one of schema and fields must be sent.", 255)),
		optional("fields", schema.FieldsShape()),
		optional("settings", schema.SettingsShape()),
		optional("development_mode", boolType("Whether the page is being developed.")),
	}
}

func widgetBody() *jsonschema.Schema {
	example := map[string]any{"origin": "https://app.example.com", "schema": "Contacts"}
	return bodyType("WidgetDraft", "An importer to open.", example, append(widgetSchema(),
		required("origin", lineType("The origin of the page that embeds the importer.", 255)),
		optional("hydration_id", lineType("The hydration token of the session that keeps the work of the person.", 2048)))...)
}

func widgetImportBody() *jsonschema.Schema {
	example := map[string]any{"schema": "Contacts", "original_filename": "contacts.xlsx"}
	return bodyType("WidgetImportDraft", "An import to create in an embedded importer.", example, append(widgetSchema(),
		optional("original_filename", lineType("The name of the file to upload. Not together with initial_data.", imports.MaxFilename)),
		optional("create_fields", boolType("Creates a field for each column that maps to none. Needs the setting allowCustomFields.")),
		optional("header_row", nullable(countType("The row of the file that contains the column names, counted from 0. By default, Intray finds it."))),
		optional("delimiter", lineType("The delimiter of a CSV file. By default, Intray finds it.", 8)),
		optional("sheet", lineType("The name of the sheet of a workbook. By default, Intray finds it. The import fails if there is no such sheet.", 255)),
		optional("page_hooks", pageHooksShape()),
		optional("save", boolType("Whether the import gets a session, with which it can be continued later, if no hydration token was sent when the importer was opened.")),
		optional(rowsField, nullable(arrayType(mapType(nil, "A row: values by field key or header."), "The rows to import, at most 15,728,640 bytes as sent, instead of an uploaded file."))),
		optional("import_metadata", nullable(importMetadataShape())))...)
}

func widgetTemplateBody() *jsonschema.Schema {
	return bodyType("WidgetTemplateRequest", "The template of an embedded importer.", map[string]any{"schema": "Contacts", "lang": "de"}, append(widgetSchema(),
		optional("lang", lineType("The language of the headers, such as de. Default: the labels of the fields.", 35)))...)
}

const (
	// widgetOpens is the number of importers that one address may open per minute. widgetStarts is the
	// number of imports that it may start per minute with one key.
	widgetOpens, widgetStarts = 600, 120
)

// openWidget opens a session for the page that embeds an importer.
func (a *API) openWidget(c *call) (*response, error) {
	key := a.licenceKey(c.r)
	if key == "" {
		return nil, unauthorized(intray.NewMessage("license_key.frontend_missing", intray.Params{"header": a.cfg.KeyHeaders[0]}))
	}
	if _, err := a.widgetOpens.allow(c.context(), a.clientAddress(c.r)); err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	from, err := widgetSource(doc)
	if err != nil {
		return nil, err
	}
	from.Hydration = stringField(doc, "hydration_id")
	opened, err := a.cfg.Service.OpenImporter(c.context(), key, stringField(doc, "origin"), from)
	if model.IsKind(err, model.Denied) && isUnknownKey(err) {
		return nil, a.refuseCredential(c, err, unauthorized(intray.MessageOf(err)))
	}
	if err != nil {
		return nil, err
	}
	a.markAuthenticated(c.context())
	setup := wireWidget(opened)
	if saved := opened.SavedImport; saved != nil {
		started, err := a.wireStarted(c, saved.Import)
		if err != nil {
			return nil, err
		}
		setup.Saved = &wire.SavedImport{StartedImport: started, Filename: saved.Import.Filename, Step: saved.Step}
	}
	return jsonResponse(http.StatusOK, setup, nil)
}

// isUnknownKey reports whether an error means that an API key is not valid.
func isUnknownKey(err error) bool {
	code := toAPIError(err).code
	return code == "unknown_key" || code == "key_expired"
}

// widgetSource returns the schema that a body selects or defines.
func widgetSource(doc map[string]any) (widget.Source, error) {
	development, _ := doc["development_mode"].(bool)
	from := widget.Source{
		Schema: stringField(doc, "schema"), Doc: schema.Doc{Fields: doc["fields"], Settings: doc["settings"]}, DevelopmentMode: development,
	}
	if (from.Schema == "") == (from.Doc.Fields == nil) {
		return from, invalidField("schema", intray.NewMessage("widget.schema_or_fields", nil))
	}
	if settings, ok := doc["settings"].(map[string]any); ok {
		dev, _ := settings["developmentMode"].(bool)
		from.DevelopmentMode = from.DevelopmentMode || dev
	}
	return from, nil
}

func wireWidget(o widget.Opened) wire.WidgetSetup {
	out := wire.WidgetSetup{
		Session: o.Session, Title: o.Schema.Settings.Title, MaxFileSize: o.MaxFileSize, SyncMode: string(o.Sync), ManualInput: manualInput(o.Document),
		Settings: schemas.WithoutURLs(o.Document.Settings), Styles: styleOverrides(o.Document), Fields: []wire.LinkField{},
	}
	for _, field := range importlinks.ExpectedFields(o.Schema, o.Document) {
		out.Fields = append(out.Fields, wireLinkField(field))
	}
	return out
}

// authorizeWidgetSession checks the token of a session.
func (a *API) authorizeWidgetSession(c *call) error {
	token, ok := bearerToken(c.r.Header.Get("Authorization"))
	if !ok {
		return newError(http.StatusUnauthorized, "no_widget_session", intray.NewMessage("widget.no_session", nil))
	}
	session, err := a.cfg.Service.WidgetSession(c.context(), token)
	if err := a.checkGrant(c, err); err != nil {
		return err
	}
	c.enter(session.Org)
	c.widget = session
	return nil
}

func (a *API) startWidgetImport(c *call) (*response, error) {
	if _, err := a.widgetStarts.allow(c.context(), c.widget.Licence+" "+a.clientAddress(c.r)); err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	from, err := widgetSource(doc)
	if err != nil {
		return nil, err
	}
	draft := imports.Draft{Filename: stringField(doc, "original_filename"), User: userOf(doc["import_metadata"])}
	draft.Answers, draft.PageHooks = readingAnswers(doc), pageHooks(doc)
	if c.body.rows != nil {
		if draft.Rows, err = c.body.rows.reader(); err != nil {
			return nil, err
		}
	}
	save, _ := doc["save"].(bool)
	imp, err := a.cfg.Service.StartEmbeddedImport(c.context(), c.widget, from, draft, save)
	if err != nil {
		return nil, err
	}
	return a.replyStarted(c, imp)
}

func pageHooksShape() *jsonschema.Schema {
	return namedType("PageHooks", "The kinds of hooks that the page has. They run in the page; see callPageHooks.",
		optional("columns", boolType("Column hooks.")), optional("rows", boolType("Row hooks.")),
		optional("bulk", boolType("Bulk hooks. The row hooks then receive all rows at once, too.")), optional("batches", boolType("Batch hooks.")),
		optional("deleted", boolType("Row delete hooks.")), optional("steps", boolType("Step hooks.")))
}

func pageHooks(doc map[string]any) model.PageHooks {
	given, _ := doc["page_hooks"].(map[string]any)
	has := func(name string) bool { on, _ := given[name].(bool); return on }
	return model.PageHooks{Columns: has("columns"), Rows: has("rows"), Bulk: has("bulk"), Batches: has("batches"), Deleted: has("deleted"), Steps: has("steps")}
}

func pageCallBody() *jsonschema.Schema {
	return bodyType("PageHookResult", "The result of the last call to hooks of the page.", map[string]any{"call": 7, "result": "[]"},
		optional("call", countType("The call. 0 if there was none.")), optional("result", stringType("What the hook returned, as JSON. Empty if it failed.")))
}

// callPageHooks passes the result of a call to the import, and waits for the next call.
func (a *API) callPageHooks(c *call) (*response, error) {
	if c.reviewed.Sync == "" {
		return nil, newError(http.StatusConflict, "not_embedded", intray.NewMessage("widget.not_embedded", nil))
	}
	doc := c.bodyObject()
	result := []byte(stringField(doc, "result"))
	next, content, err := a.cfg.Service.NextPageCall(c.context(), c.reviewed, intField(doc, "call"), result)
	return jsonResponse(http.StatusOK, wire.PageHookCall{Call: next, Content: string(content)}, err)
}

// readingAnswers returns the decisions of a body about how to read the file.
func readingAnswers(doc map[string]any) intray.Answers {
	answers := intray.Answers{}
	if create, _ := doc["create_fields"].(bool); create {
		answers[intray.AnswerNewFields] = intray.AllColumns
	}
	if number, ok := doc["header_row"].(json.Number); ok {
		if row, err := number.Int64(); err == nil {
			answers[intray.AnswerHeaderRow] = strconv.FormatInt(row+1, 10)
		}
	}
	if delimiter := stringField(doc, "delimiter"); delimiter != "" {
		answers[intray.AnswerDelimiter] = delimiter
	}
	if sheet := stringField(doc, "sheet"); sheet != "" {
		answers[intray.AnswerSheet] = sheet
	}
	return answers
}

// replyStarted returns the response for an import that a person started on a page.
func (a *API) replyStarted(c *call, imp model.Import) (*response, error) {
	started, err := a.wireStarted(c, imp)
	return jsonResponse(http.StatusCreated, started, err)
}

func (a *API) wireStarted(c *call, imp model.Import) (wire.StartedImport, error) {
	upload, err := a.cfg.Service.UploadToken(imp, imp.Review.Licence)
	if err != nil {
		return wire.StartedImport{}, err
	}
	review, err := a.cfg.Service.ReviewToken(imp)
	address := a.baseURL(c.r) + "/upload/" + imp.ID + "?token=" + upload
	return wire.StartedImport{ID: imp.ID, Upload: address, DirectUpload: a.directURL(imp, address), ReviewToken: review}, err
}

func progressBody() *jsonschema.Schema {
	return bodyType("Progress", "Where a person is in an import.", map[string]any{"step": "cells"}, required("step", enumType("", "table", "columns", "values", "cells", "confirm")))
}

// saveProgress records in which step of an embedded importer the person is.
func (a *API) saveProgress(c *call) (*response, error) {
	session, err := a.cfg.Service.SaveProgress(c.context(), c.reviewed, stringField(c.bodyObject(), "step"))
	return jsonResponse(http.StatusOK, wire.Saved{SavedAt: formatTime(session.Saved)}, err)
}

func (a *API) getWidgetTemplate(c *call) (*response, error) {
	doc := c.bodyObject()
	from, err := widgetSource(doc)
	if err != nil {
		return nil, err
	}
	opened, err := a.cfg.Service.DescribeImporter(c.context(), c.widget, from)
	if err != nil {
		return nil, err
	}
	return templateResponse(c, opened.Schema, opened.Document, stringField(doc, "lang")), nil
}

// getReviewResult sends the rows that a person has submitted or, before that, the rows as they would be
// submitted now.
func (a *API) getReviewResult(c *call) (*response, error) {
	reply := &response{status: http.StatusOK, header: http.Header{"Content-Type": {output.NDJSON.ContentType()}}}
	if c.reviewed.Status == model.NeedsReview {
		var err error
		reply.stream, err = afterFirstByte(func(w io.Writer) error { return a.cfg.Service.WriteReviewed(c.context(), c.reviewed, w, output.NDJSON) })
		return reply, err
	}
	upload, err := a.cfg.Service.ImportResult(c.context(), c.org, c.reviewed.ID)
	if err != nil {
		return nil, err
	}
	d := &imports.Download{Upload: upload, What: string(output.NDJSON)}
	if err := a.cfg.Service.OpenConverted(c.context(), d); err != nil {
		return nil, err
	}
	reply.stream = d.Write
	return reply, nil
}

// getReviewMetadata describes the rows of getReviewResult.
func (a *API) getReviewMetadata(c *call) (*response, error) {
	imp := c.reviewed
	var err error
	if imp.Status == model.NeedsReview {
		imp, err = a.cfg.Service.ReviewedImport(c.context(), imp)
	} else {
		_, err = a.cfg.Service.ImportResult(c.context(), c.org, imp.ID)
	}
	if err != nil {
		return nil, err
	}
	full, err := wireOutcome(imp)
	if err != nil {
		return nil, err
	}
	out := wire.ReviewMetadata{ResultMetadata: *full.ResultMetadata, Errors: []wire.Notice{}}
	for _, notice := range full.ImportErrors {
		if notice.Type == string(intray.Validation) {
			out.Errors = append(out.Errors, notice)
		}
	}
	return jsonResponse(http.StatusOK, out, nil)
}
