package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

func jasmine() Import {
	return Import{
		UploadID: "025f399f-4370-4064-aed5-b8d16b597183", Filename: "contacts.csv",
		User:  &User{ID: "user-123", Name: "Jasmine Clark", Email: "jclark@acme.example"},
		Ended: time.Date(2024, 4, 24, 19, 20, 14, 659349000, time.FixedZone("CEST", 7200)), Type: Embedded, Status: "SUCCESSFUL",
		DataRows: 433, HasData: true,
	}
}

func TestImportBody(t *testing.T) {
	headless := jasmine()
	headless.Type, headless.Status, headless.User, headless.Filename = Headless, "NEEDS_REVIEW", nil, ""
	headless.HasData, headless.DevelopmentMode = false, true
	headless.Retrieved = []byte(`{"id": "7df3", "status": "NEEDS_REVIEW", "review_url": "https://x/review/7df3/#secret",
		"z": {"review_url": 1}, "import_errors": [{"a<b": 1e2}], "original_file_download": {"deep": ["secret"]}, "review\u005furl": "secret", "ä": null}`)
	failed := headless
	failed.Status, failed.Retrieved = "FAILED", []byte(`{"review_url": "secret"}`)
	done := headless
	done.Status, done.Retrieved, done.Filename = "SUCCESSFUL", []byte(`{}`), "<&>\u2028.csv"
	cases := []struct {
		name string
		imp  Import
		want string
	}{
		{
			"embedded", jasmine(),
			`{"event":"import_completed","data":{"id":"025f399f-4370-4064-aed5-b8d16b597183","filename":"contacts.csv",` +
				`"user":{"id":"user-123","name":"Jasmine Clark","email":"jclark@acme.example","company_id":null,"company_name":null},` +
				`"created_date":"2024-04-24T17:20:14.659349Z","import_type":"EMBEDDED","status":"SUCCESSFUL","num_data_rows":433,` +
				`"development_mode":false,"has_data":true}}`,
		},
		{
			"needs review", headless,
			`{"event":"headless_import_needs_review","data":{"id":"025f399f-4370-4064-aed5-b8d16b597183","filename":null,"user":null,` +
				`"created_date":"2024-04-24T17:20:14.659349Z","import_type":"HEADLESS","status":"NEEDS_REVIEW","num_data_rows":433,` +
				`"development_mode":true,"has_data":false,` +
				`"headless":{"id":"7df3","status":"NEEDS_REVIEW","z":{"review_url":1},"import_errors":[{"a<b":1e2}],"ä":null}}}`,
		},
		{
			"failed", failed,
			`{"event":"headless_import_failed","data":{"id":"025f399f-4370-4064-aed5-b8d16b597183","filename":null,"user":null,` +
				`"created_date":"2024-04-24T17:20:14.659349Z","import_type":"HEADLESS","status":"FAILED","num_data_rows":433,` +
				`"development_mode":true,"has_data":false,"headless":{}}}`,
		},
		{
			"completed without a user", done,
			`{"event":"import_completed","data":{"id":"025f399f-4370-4064-aed5-b8d16b597183","filename":"<&>\u2028.csv","user":null,` +
				`"created_date":"2024-04-24T17:20:14.659349Z","import_type":"HEADLESS","status":"SUCCESSFUL","num_data_rows":433,` +
				`"development_mode":true,"has_data":false,"headless":{}}}`,
		},
	}
	for _, c := range cases {
		body, err := c.imp.Body()
		if diff := cmp.Diff(c.want, string(body.Bytes)); err != nil || diff != "" || body.ContentType != "application/json" {
			t.Errorf("%s: %v, %s (-want +got)\n%s", c.name, err, body.ContentType, diff)
		}
		if !json.Valid(body.Bytes) {
			t.Errorf("%s: invalid JSON", c.name)
		}
	}
}

func TestImportBodyRefuses(t *testing.T) {
	cases := map[string]func(i *Import){
		"running":                     func(i *Import) { i.Status = "RUNNING" },
		"no status":                   func(i *Import) { i.Status = "" },
		"embedded and failed":         func(i *Import) { i.Status = "FAILED" },
		"embedded and in review":      func(i *Import) { i.Status = "NEEDS_REVIEW" },
		"headless without the answer": func(i *Import) { i.Type = Headless },
		"an array":                    func(i *Import) { i.Type, i.Retrieved = Headless, []byte(`[]`) },
		"half an object":              func(i *Import) { i.Type, i.Retrieved = Headless, []byte(`{"a":`) },
		"no end":                      func(i *Import) { i.Type, i.Retrieved = Headless, []byte(`{"a":1`) },
		"no name":                     func(i *Import) { i.Type, i.Retrieved = Headless, []byte(`{1:1}`) },
	}
	for name, change := range cases {
		imp := jasmine()
		change(&imp)
		if body, err := imp.Body(); err == nil || body.Bytes != nil {
			t.Errorf("%s: got %s, %v", name, body.Bytes, err)
		}
	}
}

func TestDisabledBody(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	gone := Disabled{ID: "9", URL: "https://hooks.example/in", At: noon, Last: intray.NewMessage("webhook.connection_refused", intray.Params{"address": "hooks.example:443"})}
	gone.Streak = FailureStreak{Since: noon.Add(-deadAfter), Last: noon, Failures: 41}
	body, err := gone.Body()
	want := `{"event":"webhook_disabled","data":{"id":"9","url":"https://hooks.example/in","disabled_date":"2026-11-21T12:00:00.000000Z",` +
		`"failing_since":"2026-11-16T12:00:00.000000Z","num_failures":41,"last_failure":"` + gone.Last.String() + `","last_failure_code":"webhook.connection_refused","last_failure_params":{"address":"hooks.example:443"}}}`
	if diff := cmp.Diff(want, string(body.Bytes)); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestConnectorFailedBody(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	failed := ConnectorFailed{
		ID: "9", Directory: "/in", RunID: "7", Kind: "unreachable", Failed: noon, NextRun: noon.Add(time.Hour),
		Message: intray.NewMessage("webhook.connection_refused", intray.Params{"address": "sftp.example:22"}),
	}
	body, err := failed.Body()
	want := `{"event":"sftp_connector_failed","data":{"directory":"/in","error":"` + failed.Message.String() + `",` +
		`"error_code":"webhook.connection_refused","error_params":{"address":"sftp.example:22"},"error_type":"unreachable",` +
		`"failed_date":"2026-11-21T12:00:00.000000Z","id":"9","next_run_date":"2026-11-21T13:00:00.000000Z","run_id":"7"}}`
	if diff := cmp.Diff(want, string(body.Bytes)); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestDeliveryFailedBody(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	failed := DeliveryFailed{
		ID: "9", Directory: "/out", ImportID: "7", Status: "WAITING", Attempts: 3, Kind: "forbidden", Failed: noon, Next: noon.Add(time.Hour),
		Message: intray.NewMessage("webhook.connection_refused", intray.Params{"address": "sftp.example:22"}),
	}
	const format = `{"event":"sftp_delivery_failed","data":{"connector_id":"9","directory":"/out","error":"sftp.example:22 refused the connection",` +
		`"error_code":"webhook.connection_refused","error_params":{"address":"sftp.example:22"},"error_type":"forbidden",` +
		`"failed_date":"2026-11-21T12:00:00.000000Z","import_id":"7","next_attempt_date":%s,"num_attempts":3,"status":"%s"}}`
	last := failed
	last.Status, last.Next = "FAILED", time.Time{}
	for want, d := range map[string]DeliveryFailed{
		fmt.Sprintf(format, `"2026-11-21T13:00:00.000000Z"`, "WAITING"): failed,
		fmt.Sprintf(format, "null", "FAILED"):                           last,
	} {
		body, err := d.Body()
		if diff := cmp.Diff(want, string(body.Bytes)); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
}

// FuzzRemoveMembers checks removeMembers against deletion from a map.
func FuzzRemoveMembers(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1,"b":{"a":2}}`, `{"b":1,"a":[{}],"a":2}`, `{"\u0061":"x"}`, `{"c":1e400}`, `{"a":}`, `[{"a":1}]`, `{"a":1}{`, `{"\xff":1}`} {
		f.Add([]byte(text))
	}
	read := func(text []byte) (m map[string]any, err error) {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		err = dec.Decode(&m)
		return m, err
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		got, err := removeMembers(object, "a")
		want, wrong := read(object)
		if wrong != nil || want == nil {
			if err == nil {
				t.Fatalf("%q was accepted as %q", object, got)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q was refused: %v", object, err)
		}
		delete(want, "a")
		left, err := read(got)
		if diff := cmp.Diff(want, left); err != nil || diff != "" || !json.Valid(got) {
			t.Fatalf("%q became %q: %v (-want +got)\n%s", object, got, err, diff)
		}
	})
}
