package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
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

func wireCredential(c model.Credential) credential {
	return credential{c.ID, c.Hostname, c.Port, c.User, string(c.AuthType), c.Fingerprint}
}

// connectionTest says whether a credential opens its server.
type connectionTest struct {
	Success bool `json:"success"`
	errorSnake
	HostKeyFingerprint string `json:"host_key_fingerprint,omitempty"`
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
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusCreated, wireCredential(made))
}

func (a *API) listCredentials(c *call) (*response, error) {
	offset, limit, err := pageWindow(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Credentials(c.context(), c.org, offset, limit)
	if err != nil {
		return nil, err
	}
	results := make([]credential, len(list))
	for i, one := range list {
		results[i] = wireCredential(one)
	}
	return jsonResponse(http.StatusOK, a.paginate(c, results, total, offset, limit))
}

func (a *API) getCredential(c *call) (*response, error) {
	one, err := loadByID(c, a.cfg.Service.Credential)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireCredential(one))
}

func (a *API) replaceCredential(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	one, err := a.cfg.Service.ReplaceCredential(c.context(), c.org, id, credentialDraft(c))
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireCredential(one))
}

func (a *API) deleteCredential(c *call) (*response, error) {
	if err := c.deleteByID("id", a.cfg.Service.DeleteCredential); err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusNoContent, nil)
}

func (a *API) testCredential(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	report, trouble, err := a.cfg.Service.TestCredential(c.context(), c.org, id)
	if err != nil {
		return nil, err
	}
	result := connectionTest{Success: trouble == nil, HostKeyFingerprint: report.HostKeyFingerprint}
	if trouble != nil {
		result.errorSnake = errorOf(intray.MessageOf(trouble))
	}
	return jsonResponse(http.StatusOK, result)
}

// connector fetches files from an SFTP server by itself.
type connector struct {
	ID          string         `json:"id"`
	Credentials string         `json:"credentials"`
	Schema      string         `json:"schema"`
	Schedule    map[string]any `json:"schedule"`
	Directory   string         `json:"directory"`
	FileRegex   *string        `json:"file_regex"`
	DeliverTo   *deliverTo     `json:"deliver_to"`
	LastRun     *string        `json:"last_run_date"`
	NextRun     string         `json:"next_run_date"`
	Failures    int            `json:"num_failures"`
	CreatedDate string         `json:"created_date"`
}

type deliverTo struct {
	Directory string `json:"directory"`
	Format    string `json:"format"`
}

const (
	everyMinutes = "every_n_minutes"
	dailyAt      = "daily_at_time"
)

func wireConnector(c model.Connector) connector {
	out := connector{ID: c.ID, Credentials: c.CredentialID, Schema: c.SchemaID, Directory: c.Directory, NextRun: formatTime(c.Next), Failures: c.Failures, CreatedDate: formatTime(c.Created)}
	out.Schedule = map[string]any{"type": everyMinutes, "minutes": c.Schedule.Minutes}
	if c.Schedule.Daily != "" {
		out.Schedule = map[string]any{"type": dailyAt, "time_utc": c.Schedule.Daily}
	}
	if c.Pattern != "" {
		out.FileRegex = &c.Pattern
	}
	if c.PutDirectory != "" {
		out.DeliverTo = &deliverTo{c.PutDirectory, c.PutFormat}
	}
	if !c.Last.IsZero() {
		last := formatTime(c.Last)
		out.LastRun = &last
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
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusCreated, wireConnector(made))
}

func (a *API) listConnectors(c *call) (*response, error) {
	list, err := a.cfg.Service.Connectors(c.context(), c.org)
	if err != nil {
		return nil, err
	}
	out := make([]connector, len(list))
	for i, one := range list {
		out[i] = wireConnector(one)
	}
	return jsonResponse(http.StatusOK, a.paginate(c, out, int64(len(out)), 0, pageSize))
}

func (a *API) getConnector(c *call) (*response, error) {
	one, err := loadByID(c, a.cfg.Service.Connector)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireConnector(one))
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
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireConnector(one))
}

func (a *API) deleteConnector(c *call) (*response, error) {
	return &response{status: http.StatusNoContent}, c.deleteByID("id", a.cfg.Service.DeleteConnector)
}

func (a *API) runConnector(c *call) (*response, error) {
	one, err := loadByID(c, a.cfg.Service.RunConnector)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireConnector(one))
}

// connectorRun is one run of a connector.
type connectorRun struct {
	ID        string `json:"id"`
	BeganDate string `json:"began_date"`
	EndedDate string `json:"ended_date"`
	Success   bool   `json:"success"`
	ErrorType string `json:"error_type"`
	errorSnake
	Listed          int              `json:"num_files"`
	Fetched         int              `json:"num_fetched"`
	Waiting         int              `json:"num_waiting"`
	Skipped         []string         `json:"skipped"`
	SkippedMessages []intray.Message `json:"skipped_messages"`
}

func (a *API) listConnectorRuns(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	offset, limit, err := pageWindow(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Pulls(c.context(), c.org, id, offset, limit)
	if err != nil {
		return nil, err
	}
	out := make([]connectorRun, len(list))
	for i, p := range list {
		out[i] = connectorRun{
			p.ID, formatTime(p.Began), formatTime(p.Ended), p.Succeeded, p.Kind, errorOf(p.Message), p.Listed, p.Fetched, p.Waiting,
			intray.RenderAll(p.Skipped), append([]intray.Message{}, p.Skipped...),
		}
	}
	return jsonResponse(http.StatusOK, a.paginate(c, out, total, offset, limit))
}

func connectorBody() *jsonschema.Schema {
	schedule := objectType("", required("type", enumType("", everyMinutes, dailyAt)), optional("minutes", countType("For every_n_minutes: 5 or more.")), optional("time_utc", lineType("For daily_at_time: HH:MM, by UTC.", 5)))
	to := objectType("Where results are put back, each under the name of its file, the id of its import and the ending of the format.",
		required("directory", lineType("", 4096)), required("format", enumType("", "json", "ndjson", "csv", "xlsx", "parquet")))
	return objectType("", required("credentials", uuidType("An SFTP credential.")), required("schema", uuidType("A saved schema.")), required("schedule", schedule),
		required("directory", lineType("Such as /uploads.", 4096)), optional("file_regex", nullable(lineType("A regular expression (RE2) that names of files must fit. Default every file.", 1024))),
		optional("deliver_to", nullable(to)))
}

func connectorResponse() *jsonschema.Schema {
	return objectType("", required("id", uuidType("")), required("credentials", uuidType("")), required("schema", uuidType("")),
		required("schedule", objectType("", required("type", enumType("", everyMinutes, dailyAt)), optional("minutes", countType("")), optional("time_utc", stringType("")))),
		required("directory", stringType("")), required("file_regex", nullable(stringType(""))),
		required("deliver_to", nullable(objectType("", required("directory", stringType("")), required("format", stringType(""))))),
		required("last_run_date", nullable(timestampType(""))), required("next_run_date", timestampType("")), required("num_failures", countType("How many of the last runs failed in a row.")), required("created_date", timestampType("")))
}

func connectorRunResponse() *jsonschema.Schema {
	return objectType("", with(errorProps("What went wrong, for people."), required("id", uuidType("")), required("began_date", timestampType("")), required("ended_date", timestampType("")), required("success", boolType("")),
		required("error_type", stringType("The same for programs; empty where nothing did.")),
		required("num_files", countType("Files whose names fit.")), required("num_fetched", countType("An import was made of each.")), required("num_waiting", countType("New files that may still change.")),
		required("skipped", arrayType(stringType(""), "Entries that were left aside, each with the reason.")), required("skipped_messages", arrayType(messageShape(), "The same with codes and parameters.")))...)
}

func connectorOperations() []operation {
	const all, one = headless + "/sftp/connectors/", headless + "/sftp/connectors/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createConnector", summary: "Make a connector, which fetches files from an SFTP server by itself", auth: authBackendKey, body: connectorBody(),
			status: 201, response: connectorResponse(), errors: []int{400, 409, 413, 415}, serve: (*API).createConnector,
			description: "Each new file is fetched once, when it has been at rest for a minute, and becomes an import with the schema. The source is never changed."},
		{method: "GET", path: all, id: "listConnectors", summary: "List the connectors, oldest first", auth: authBackendKey, memory: readMemory,
			status: 200, response: pageResponse(connectorResponse()), serve: (*API).listConnectors},
		{method: "GET", path: one, id: "getConnector", summary: "Retrieve a connector", auth: authBackendKey,
			status: 200, response: connectorResponse(), errors: []int{404}, serve: (*API).getConnector},
		{method: "PUT", path: one, id: "replaceConnector", summary: "Replace a connector", auth: authBackendKey, body: connectorBody(),
			status: 200, response: connectorResponse(), errors: []int{400, 404, 413, 415}, serve: (*API).replaceConnector, description: "What it has fetched it does not fetch again."},
		{method: "DELETE", path: one, id: "deleteConnector", summary: "Delete a connector and its history", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteConnector, description: "Imports that it made stay."},
		{method: "POST", path: one + "run/", id: "runConnector", summary: "Let a connector run at once", auth: authBackendKey,
			status: 200, response: connectorResponse(), errors: []int{404}, serve: (*API).runConnector},
		{method: "GET", path: one + "runs/", id: "listConnectorRuns", summary: "List the runs of a connector, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: pageResponse(connectorRunResponse()), errors: []int{400, 404}, serve: (*API).listConnectorRuns, description: "The last 200 are kept."},
	}
}
