package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

func wireCredential(c model.Credential) wire.Credential {
	return wire.Credential{
		ID: c.ID, Hostname: c.Hostname, Port: c.Port, User: c.User, AuthType: string(c.AuthType), KeyFingerprint: c.Fingerprint,
	}
}

func credentialBody() *jsonschema.Schema {
	return bodyType("SftpCredentialDraft", "A login for an SFTP server.", map[string]any{"hostname": "sftp.example.com", "port": 22, "user": "intray", "auth_type": "PASSWORD", "password": "correct horse"},
		required("hostname", lineType("Host name or IP address.", 253)),
		required("port", &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Max: jsonschema.Bound(65535)}),
		required("user", &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MinLength: 1, MaxLength: model.MaxLabel}),
		required("auth_type", enumType("KEY_AND_PASSWORD is for servers that require both.", "PASSWORD", "KEY", "KEY_AND_PASSWORD")),
		optional("password", nullable(&jsonschema.Schema{Kind: jsonschema.String, MaxLength: 4096, Description: "With auth_type PASSWORD and KEY_AND_PASSWORD only."})),
		optional("private_key", nullable(&jsonschema.Schema{Kind: jsonschema.String, MaxLength: 65536, Description: "In OpenSSH format, without a passphrase. With auth_type KEY and KEY_AND_PASSWORD only."})),
	)
}

func credentialDraft(c *call) connectors.CredentialDraft {
	doc := c.bodyObject()
	return connectors.CredentialDraft{
		ID: c.fixedID, Hostname: stringField(doc, "hostname"), Port: int(intField(doc, "port")), User: stringField(doc, "user"),
		AuthType: model.AuthType(stringField(doc, "auth_type")),
		Password: secrets.NewSecret(stringField(doc, "password")), PrivateKey: secrets.NewSecret(stringField(doc, "private_key")),
	}
}

func (a *API) createCredential(c *call) (*response, error) {
	made, err := a.cfg.Service.CreateCredential(c.context(), c.org, credentialDraft(c))
	return jsonResponse(http.StatusCreated, wireCredential(made), err)
}

func (a *API) listCredentials(c *call) (*response, error) {
	return listPage(a, c, a.cfg.Service.Credentials, wireCredential)
}

func (a *API) getCredential(c *call) (*response, error) {
	one, err := loadByID(c, a.cfg.Service.Credential)
	return jsonResponse(http.StatusOK, wireCredential(one), err)
}

func (a *API) replaceCredential(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	one, err := a.cfg.Service.ReplaceCredential(c.context(), c.org, id, credentialDraft(c))
	return jsonResponse(http.StatusOK, wireCredential(one), err)
}

func (a *API) deleteCredential(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.DeleteCredential))
}

func (a *API) testCredential(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	report, trouble, err := a.cfg.Service.TestCredential(c.context(), c.org, id)
	return jsonResponse(http.StatusOK, wire.ConnectionTest{
		Success: trouble == nil, SnakeError: wire.NewSnakeError(intray.MessageOf(trouble)), HostKeyFingerprint: report.HostKeyFingerprint,
	}, err)
}

const (
	everyMinutes = "every_n_minutes"
	dailyAt      = "daily_at_time"
)

func wireConnector(c model.Connector) wire.Connector {
	out := wire.Connector{
		ID: c.ID, Credentials: c.CredentialID, Schema: c.SchemaID, Directory: c.Directory, NextRunDate: formatTime(c.Next), NumFailures: c.Failures, NumFailedDeliveries: c.FailedUploads,
		CreatedDate: formatTime(c.Created), Schedule: wire.Schedule{Type: everyMinutes, Minutes: c.Schedule.Minutes},
	}
	if c.Schedule.Daily != "" {
		out.Schedule = wire.Schedule{Type: dailyAt, TimeUTC: c.Schedule.Daily}
	}
	if c.Pattern != "" {
		out.FileRegex = &c.Pattern
	}
	if c.PutDirectory != "" {
		out.DeliverTo = &wire.DeliverTo{Directory: c.PutDirectory, Format: c.PutFormat}
	}
	if !c.Last.IsZero() {
		last := formatTime(c.Last)
		out.LastRunDate = &last
	}
	return out
}

func connectorDraft(c *call) (connectors.Draft, error) {
	doc := c.bodyObject()
	d := connectors.Draft{ID: c.fixedID, CredentialID: stringField(doc, "credentials"), SchemaID: stringField(doc, "schema"), Directory: stringField(doc, "directory"), Pattern: stringField(doc, "file_regex")}
	if to, given := doc["deliver_to"].(map[string]any); given {
		d.PutDirectory, d.PutFormat = stringField(to, "directory"), stringField(to, "format")
	}
	schedule, _ := doc["schedule"].(map[string]any)
	_, minutes := schedule["minutes"].(json.Number)
	_, daily := schedule["time_utc"].(string)
	switch {
	case stringField(schedule, "type") == everyMinutes && minutes && !daily:
		d.Schedule.Minutes = int(intField(schedule, "minutes"))
	case stringField(schedule, "type") == dailyAt && daily && !minutes:
		if d.Schedule.Daily = stringField(schedule, "time_utc"); d.Schedule.Daily == "" {
			return d, invalidField("schedule", intray.NewMessage("schedule.time_missing", nil))
		}
	default:
		return d, invalidField("schedule", intray.NewMessage("schedule.invalid", intray.Params{
			"example": `{"type": "every_n_minutes", "minutes": 5 or more}`, "example2": `{"type": "daily_at_time", "time_utc": "HH:MM"}`,
		}))
	}
	return d, nil
}

func (a *API) createConnector(c *call) (*response, error) {
	draft, err := connectorDraft(c)
	if err != nil {
		return nil, err
	}
	made, err := a.cfg.Service.CreateConnector(c.context(), c.org, draft)
	return jsonResponse(http.StatusCreated, wireConnector(made), err)
}

func (a *API) listConnectors(c *call) (*response, error) {
	list, err := a.cfg.Service.Connectors(c.context(), c.org)
	return jsonResponse(http.StatusOK, wire.Page[wire.Connector]{Count: int64(len(list)), Results: mapEach(list, wireConnector)}, err)
}

func (a *API) getConnector(c *call) (*response, error) {
	one, err := loadByID(c, a.cfg.Service.Connector)
	return jsonResponse(http.StatusOK, wireConnector(one), err)
}

func (a *API) replaceConnector(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	draft, err := connectorDraft(c)
	if err != nil {
		return nil, err
	}
	one, err := a.cfg.Service.ReplaceConnector(c.context(), c.org, id, draft)
	return jsonResponse(http.StatusOK, wireConnector(one), err)
}

func (a *API) deleteConnector(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.DeleteConnector))
}

func (a *API) runConnector(c *call) (*response, error) {
	one, err := loadByID(c, a.cfg.Service.RunConnector)
	return jsonResponse(http.StatusOK, wireConnector(one), err)
}

func wireConnectorRun(p model.PullRun) wire.ConnectorRun {
	return wire.ConnectorRun{
		ID: p.ID, BeganDate: formatTime(p.Began), EndedDate: formatTime(p.Ended), Success: p.Succeeded,
		ErrorType: p.Kind, SnakeError: wire.NewSnakeError(p.Message), NumFiles: p.Listed, NumFetched: p.Fetched, NumWaiting: p.Waiting,
		Skipped: intray.RenderAll(p.Skipped), SkippedMessages: append([]intray.Message{}, p.Skipped...),
	}
}

func (a *API) listConnectorRuns(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context, org string, page model.PageRequest) (model.Page[model.PullRun], error) {
		return a.cfg.Service.Pulls(ctx, org, id, page)
	}
	return listPage(a, c, list, wireConnectorRun)
}

func wireResultDelivery(f model.PulledFile) wire.ResultDelivery {
	out := wire.ResultDelivery{
		ImportID: f.ImportID, File: f.File.Path, Status: f.Put, NumAttempts: f.PutTries, ErrorType: f.PutKind, SnakeError: wire.NewSnakeError(f.PutMessage),
	}
	switch f.Put {
	case connectors.UploadWaiting:
		next := formatTime(f.PutDue)
		out.NextAttemptDate = &next
	case connectors.UploadDone:
		out.Status = string(model.Delivered)
	}
	return out
}

func (a *API) listResultDeliveries(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context, org string, page model.PageRequest) (model.Page[model.PulledFile], error) {
		return a.cfg.Service.ResultUploads(ctx, org, id, page)
	}
	return listPage(a, c, list, wireResultDelivery)
}

func connectorBody() *jsonschema.Schema {
	schedule := namedType("SftpScheduleDraft", "When a connector runs.", required("type", enumType("", everyMinutes, dailyAt)), optional("minutes", countType("For every_n_minutes: 5 or more.")), optional("time_utc", lineType("For daily_at_time: HH:MM in UTC.", 5)))
	to := namedType("SftpDeliverToDraft", "Where to upload results. A result is named after its file and the id of its import, with the extension of the format.",
		required("directory", lineType("", 4096)), required("format", enumType("", "json", "ndjson", "csv", "xlsx", "parquet")))
	example := map[string]any{"credentials": exampleID, "schema": exampleID, "directory": "/uploads", "file_regex": `\.csv$`, "schedule": map[string]any{"type": everyMinutes, "minutes": 15}}
	return bodyType("SftpConnectorDraft", "A connector to create, or what replaces it.", example, required("credentials", uuidType("An SFTP credential.")), required("schema", uuidType("A saved schema.")), required("schedule", schedule),
		required("directory", lineType("For example /uploads.", 4096)), optional("file_regex", nullable(lineType("A regular expression (RE2) that file names must match. Default: all files.", 1024))),
		optional("deliver_to", nullable(to)))
}

func connectorOperations() []operation {
	const all, one = headless + "/sftp/connectors/", headless + "/sftp/connectors/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createConnector", summary: "Create a connector that fetches files from an SFTP server", auth: authBackendKey, body: connectorBody(),
			status: 201, response: shapeOf[wire.Connector](), errors: []int{400, 409, 413, 415}, serve: (*API).createConnector,
			description: "The connector fetches each new file once, when it has not changed for a minute, and creates an import with the schema. It never changes the files on the server."},
		{method: "GET", path: all, id: "listConnectors", summary: "List connectors, oldest first", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[wire.Page[wire.Connector]](), serve: (*API).listConnectors},
		{method: "GET", path: one, id: "getConnector", summary: "Retrieve a connector", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Connector](), errors: []int{404}, serve: (*API).getConnector},
		{method: "PUT", path: one, id: "replaceConnector", summary: "Replace a connector", auth: authBackendKey, body: connectorBody(),
			status: 200, response: shapeOf[wire.Connector](), errors: []int{400, 404, 413, 415}, serve: (*API).replaceConnector, description: "Files that it has fetched are not fetched again. Results that failed to be delivered are tried again."},
		{method: "DELETE", path: one, id: "deleteConnector", summary: "Delete a connector and its history", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteConnector, description: "Imports from it are kept."},
		{method: "POST", path: one + "run/", id: "runConnector", summary: "Run a connector now", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Connector](), errors: []int{404}, serve: (*API).runConnector, description: "It also tries again to deliver results that failed."},
		{method: "GET", path: one + "deliveries/", id: "listResultDeliveries", summary: "List the results that a connector delivers, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.ResultDelivery]](), errors: []int{400, 404}, serve: (*API).listResultDeliveries,
			description: "A result is tried 12 times in about two days. Run or replace the connector to try failed results again."},
		{method: "GET", path: one + "runs/", id: "listConnectorRuns", summary: "List the runs of a connector, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.ConnectorRun]](), errors: []int{400, 404}, serve: (*API).listConnectorRuns, description: "The last 200 are kept."},
	}
}
