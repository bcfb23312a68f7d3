package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
)

// harbour is a fake connectors.Remotes that refuses all connections.
type harbour struct{}

func (harbour) CheckSchedule(s model.Schedule) error {
	if s.Daily == "" && s.Minutes < 5 {
		return errors.New("minutes must be 5 or greater")
	}
	return nil
}

func (harbour) CheckDirectory(path string) error {
	if !strings.HasPrefix(path, "/") {
		return errors.New("must begin with a slash")
	}
	return nil
}

func (harbour) CheckPattern(pattern string) error {
	if pattern == "(" {
		return errors.New("cannot be read")
	}
	return nil
}

func (harbour) NextRun(_ model.Schedule, _ time.Time, failures int, now time.Time) time.Time {
	return now.Add(time.Duration(failures) * time.Hour)
}

func (harbour) PlanPull([]model.PulledFile, []model.RemoteFile, time.Time) connectors.PullPlan {
	return connectors.PullPlan{}
}

func (harbour) Open(context.Context, connectors.Login) (connectors.Remote, error) {
	return nil, errors.New("There is no such host")
}

func (harbour) Classify(error) connectors.RemoteFailure {
	return connectors.RemoteFailure{Kind: "no_such_host"}
}

// connectors creates a connector, runs it, and lists its runs.
func (s *server) connectors() {
	s.Helper()
	const all = "/api/v1/headless/sftp/connectors/"
	credential := s.text(s.do("POST", "/api/v1/headless/sftp/credentials/", `{"hostname":"h","port":22,"user":"u","auth_type":"PASSWORD","password":"p"}`), "id")
	schema := s.text(s.do("POST", "/api/v1/schemas/", `{"name":"Pulled","settings":{},"hooks":{},`+mailFields+`}`), "id")
	body := func(with string) string {
		return `{"credentials":"` + credential + `","schema":"` + schema + `","directory":"/in",` + with + `}`
	}
	const often = `"schedule":{"type":"every_n_minutes","minutes":5}`
	id := s.text(s.do("POST", all, body(often+`,"file_regex":"\\.csv$","deliver_to":{"directory":"/out","format":"csv"}`)), "id")
	for _, wrong := range []string{
		`{}`, body(`"schedule":{"type":"every_n_minutes","minutes":4}`), body(`"schedule":{"type":"every_n_minutes","time_utc":"07:00"}`), body(`"schedule":{"type":"odd"}`),
		body(often + `,"file_regex":"("`), body(often + `,"deliver_to":{"directory":"out","format":"csv"}`), body(often + `,"deliver_to":{"directory":"/out","format":"odd"}`),
		strings.Replace(body(often), credential, schema, 1), strings.Replace(body(often), `"schema":"`+schema, `"schema":"`+credential, 1), strings.Replace(body(often), "/in", "in", 1),
	} {
		if w := s.send("POST", all, wrong); w.Code != http.StatusBadRequest {
			s.Errorf("%s: status %d %s", wrong, w.Code, w.Body)
		}
	}
	s.do("GET", all, "")
	s.do("GET", all+id+"/", "")
	if got := s.do("PUT", all+id+"/", body(`"schedule":{"type":"daily_at_time","time_utc":"07:30"}`)).Body.String(); !strings.Contains(got, `"schedule":{"time_utc":"07:30","type":"daily_at_time"}`) {
		s.Errorf("replaced: %s", got)
	}
	s.do("POST", all+id+"/run/", "")
	if ran, err := s.svc.RunNextConnector(s.Context(), nil); !ran || err != nil {
		s.Errorf("it did not run: %v", err)
	}
	if got := s.do("GET", all+id+"/runs/", "").Body.String(); !strings.Contains(got, `"error_type":"no_such_host","error":"There is no such host."`) {
		s.Errorf("the runs are %s", got)
	}
	if got := s.do("GET", all+id+"/deliveries/", "").Body.String(); !strings.Contains(got, `"results":[]`) {
		s.Errorf("the deliveries are %s", got)
	}
	s.do("DELETE", all+id+"/", "")
}

// TestWireConnector checks the wire form of a connector with all optional members, and with none.
func TestWireConnector(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	c := model.Connector{ID: "i", CredentialID: "c", SchemaID: "s", Directory: "/in", Next: due, Created: due, Schedule: model.Schedule{Minutes: 5}}
	full := c
	full.Pattern, full.PutDirectory, full.PutFormat, full.Last, full.Failures, full.Schedule = `\.csv$`, "/out", "csv", due, 2, model.Schedule{Daily: "07:00"}
	for want, c := range map[string]model.Connector{
		`{"id":"i","credentials":"c","schema":"s","schedule":{"minutes":5,"type":"every_n_minutes"},"directory":"/in","file_regex":null,"deliver_to":null,"last_run_date":null,"next_run_date":"2026-11-21T12:00:00.000000Z","num_failures":0,"created_date":"2026-11-21T12:00:00.000000Z","num_failed_deliveries":0}`:                                                                   c,
		`{"id":"i","credentials":"c","schema":"s","schedule":{"time_utc":"07:00","type":"daily_at_time"},"directory":"/in","file_regex":"\\.csv$","deliver_to":{"directory":"/out","format":"csv"},"last_run_date":"2026-11-21T12:00:00.000000Z","next_run_date":"2026-11-21T12:00:00.000000Z","num_failures":2,"created_date":"2026-11-21T12:00:00.000000Z","num_failed_deliveries":0}`: full,
	} {
		got, err := json.Marshal(wireConnector(c))
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
}

// TestFindingEcosystem2WireDelivery checks that the API returns the error of a failed delivery.
func TestFindingEcosystem2WireDelivery(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f := model.PulledFile{ImportID: "i", File: model.RemoteFile{Path: "/in/a.csv"}, Put: "WAITING", PutDue: due, PutTries: 2, PutKind: "forbidden", PutMessage: intray.NewMessage("connector.internal_error", nil)}
	done := f
	done.Put, done.PutKind, done.PutMessage = "DONE", "", intray.Message{}
	for want, f := range map[string]model.PulledFile{
		`{"import_id":"i","file":"/in/a.csv","status":"WAITING","num_attempts":2,"next_attempt_date":"2026-11-21T12:00:00.000000Z","error_type":"forbidden","error":"Something went wrong on our side. Intray will try again.","error_code":"connector.internal_error","error_params":{}}`: f,
		`{"import_id":"i","file":"/in/a.csv","status":"DELIVERED","num_attempts":2,"next_attempt_date":null,"error_type":"","error":""}`:                                                                                                                                                   done,
	} {
		got, err := json.Marshal(wireResultDelivery(f))
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
}
