package api

import (
	"encoding/json"
	"net/http"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
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

func wireConnector(c service.Connector) connector {
	out := connector{ID: c.ID, Credentials: c.CredentialID, Schema: c.SchemaID, Directory: c.Directory, NextRun: stamp(c.Next), Failures: c.Failures, CreatedDate: stamp(c.Created)}
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
		last := stamp(c.Last)
		out.LastRun = &last
	}
	return out
}

func connectorDraft(c *call) (service.ConnectorDraft, error) {
	doc := c.object()
	d := service.ConnectorDraft{ID: c.fixedID, CredentialID: text(doc, "credentials"), SchemaID: text(doc, "schema"), Directory: text(doc, "directory"), Pattern: text(doc, "file_regex")}
	if to, given := doc["deliver_to"].(map[string]any); given {
		d.PutDirectory, d.PutFormat = text(to, "directory"), text(to, "format")
	}
	schedule, _ := doc["schedule"].(map[string]any)
	_, minutes := schedule["minutes"].(json.Number)
	_, daily := schedule["time_utc"].(string)
	switch {
	case text(schedule, "type") == everyMinutes && minutes && !daily:
		d.Schedule.Minutes = int(integer(schedule, "minutes"))
	case text(schedule, "type") == dailyAt && daily && !minutes:
		if d.Schedule.Daily = text(schedule, "time_utc"); d.Schedule.Daily == "" {
			return d, invalidField("schedule", intray.NewMessage("schedule.time_missing", nil))
		}
	default:
		return d, invalidField("schedule", intray.NewMessage("schedule.invalid", intray.Params{
			"example": `{"type": "every_n_minutes", "minutes": 5 or more}`, "example2": `{"type": "daily_at_time", "time_utc": "HH:MM"}`,
		}))
	}
	return d, nil
}

func (a *API) createConnector(c *call) (*answer, error) {
	draft, err := connectorDraft(c)
	if err != nil {
		return nil, err
	}
	made, err := a.cfg.Service.CreateConnector(c.ctx(), c.org, draft)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusCreated, wireConnector(made))
}

func (a *API) listConnectors(c *call) (*answer, error) {
	list, err := a.cfg.Service.Connectors(c.ctx(), c.org)
	if err != nil {
		return nil, err
	}
	out := make([]connector, len(list))
	for i, one := range list {
		out[i] = wireConnector(one)
	}
	return reply(http.StatusOK, a.page(c, out, int64(len(out)), 0, pageSize))
}

func (a *API) getConnector(c *call) (*answer, error) {
	one, err := found(c, a.cfg.Service.Connector)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireConnector(one))
}

func (a *API) replaceConnector(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	draft, err := connectorDraft(c)
	if err != nil {
		return nil, err
	}
	one, err := a.cfg.Service.ReplaceConnector(c.ctx(), c.org, id, draft)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireConnector(one))
}

func (a *API) deleteConnector(c *call) (*answer, error) {
	return &answer{status: http.StatusNoContent}, c.remove("id", a.cfg.Service.DeleteConnector)
}

func (a *API) runConnector(c *call) (*answer, error) {
	one, err := found(c, a.cfg.Service.RunConnector)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireConnector(one))
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

func (a *API) listConnectorRuns(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	offset, limit, err := window(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Pulls(c.ctx(), c.org, id, offset, limit)
	if err != nil {
		return nil, err
	}
	out := make([]connectorRun, len(list))
	for i, p := range list {
		out[i] = connectorRun{
			p.ID, stamp(p.Began), stamp(p.Ended), p.Succeeded, p.Kind, errorOf(p.Told), p.Listed, p.Fetched, p.Waiting,
			intray.RenderAll(p.Skipped), append([]intray.Message{}, p.Skipped...),
		}
	}
	return reply(http.StatusOK, a.page(c, out, total, offset, limit))
}

func connectorBody() *shape.Shape {
	schedule := object("", must("type", enum("", everyMinutes, dailyAt)), may("minutes", count("For every_n_minutes: 5 or more.")), may("time_utc", line("For daily_at_time: HH:MM, by UTC.", 5)))
	to := object("Where results are put back, each under the name of its file, the id of its import and the ending of the format.",
		must("directory", line("", 4096)), must("format", enum("", "json", "ndjson", "csv", "xlsx", "parquet")))
	return object("", must("credentials", id("An SFTP credential.")), must("schema", id("A saved schema.")), must("schedule", schedule),
		must("directory", line("Such as /uploads.", 4096)), may("file_regex", orNull(line("A regular expression (RE2) that names of files must fit. Default every file.", 1024))),
		may("deliver_to", orNull(to)))
}

func connectorAnswer() *shape.Shape {
	return object("", must("id", id("")), must("credentials", id("")), must("schema", id("")),
		must("schedule", object("", must("type", enum("", everyMinutes, dailyAt)), may("minutes", count("")), may("time_utc", word("")))),
		must("directory", word("")), must("file_regex", orNull(word(""))),
		must("deliver_to", orNull(object("", must("directory", word("")), must("format", word(""))))),
		must("last_run_date", orNull(moment(""))), must("next_run_date", moment("")), must("num_failures", count("How many of the last runs failed in a row.")), must("created_date", moment("")))
}

func connectorRunAnswer() *shape.Shape {
	return object("", with(errorProps("What went wrong, for people."), must("id", id("")), must("began_date", moment("")), must("ended_date", moment("")), must("success", flag("")),
		must("error_type", word("The same for programs; empty where nothing did.")),
		must("num_files", count("Files whose names fit.")), must("num_fetched", count("An import was made of each.")), must("num_waiting", count("New files that may still change.")),
		must("skipped", list(word(""), "Entries that were left aside, each with the reason.")), must("skipped_messages", list(messageShape(), "The same with codes and parameters.")))...)
}

func connectorOperations() []operation {
	const all, one = headless + "/sftp/connectors/", headless + "/sftp/connectors/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createConnector", summary: "Make a connector, which fetches files from an SFTP server by itself", door: backend, body: connectorBody(),
			status: 201, answer: connectorAnswer(), errors: []int{400, 409, 413, 415}, serve: (*API).createConnector,
			text: "Each new file is fetched once, when it has been at rest for a minute, and becomes an import with the schema. The source is never changed."},
		{method: "GET", path: all, id: "listConnectors", summary: "List the connectors, oldest first", door: backend, memory: perRead,
			status: 200, answer: pageOf(connectorAnswer()), serve: (*API).listConnectors},
		{method: "GET", path: one, id: "getConnector", summary: "Retrieve a connector", door: backend,
			status: 200, answer: connectorAnswer(), errors: []int{404}, serve: (*API).getConnector},
		{method: "PUT", path: one, id: "replaceConnector", summary: "Replace a connector", door: backend, body: connectorBody(),
			status: 200, answer: connectorAnswer(), errors: []int{400, 404, 413, 415}, serve: (*API).replaceConnector, text: "What it has fetched it does not fetch again."},
		{method: "DELETE", path: one, id: "deleteConnector", summary: "Delete a connector and its history", door: backend,
			status: 204, errors: []int{404}, serve: (*API).deleteConnector, text: "Imports that it made stay."},
		{method: "POST", path: one + "run/", id: "runConnector", summary: "Let a connector run at once", door: backend,
			status: 200, answer: connectorAnswer(), errors: []int{404}, serve: (*API).runConnector},
		{method: "GET", path: one + "runs/", id: "listConnectorRuns", summary: "List the runs of a connector, newest first", door: backend, memory: perRead, query: pageParams(),
			status: 200, answer: pageOf(connectorRunAnswer()), errors: []int{400, 404}, serve: (*API).listConnectorRuns, text: "The last 200 are kept."},
	}
}
