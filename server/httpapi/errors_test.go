package httpapi

import (
	"net/http"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// TestKindsHaveStatuses checks the HTTP status for each kind of error and for an internal error.
func TestKindsHaveStatuses(t *testing.T) {
	want := map[model.Kind]int{
		model.NotFound: 404, model.Invalid: 400, model.Conflict: 409,
		model.Denied: 403, model.TooLarge: 413, model.Unavailable: 503,
	}
	for kind, status := range want {
		e := toAPIError(&model.Error{Kind: kind, Code: "code", Message: intray.Literal("Text.")})
		if e.status != status || e.code != "code" || e.message != intray.Literal("Text.") {
			t.Errorf("kind %d becomes %+v, want the status %d", kind, e, status)
		}
	}
	if e := toAPIError(http.ErrBodyNotAllowed); e.status != 500 || e.code != "internal" || e.Error() == http.ErrBodyNotAllowed.Error() {
		t.Errorf("an internal error becomes %+v, want 500 without its text", e)
	}
	header := http.Header{}
	toAPIError(&model.Error{Kind: model.Unavailable}).setHeaders(header)
	if header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
}

func TestErrorBody(t *testing.T) {
	required := intray.NewMessage("property.required", nil)
	e := invalidField("detail", required)
	e.fields["port"] = []intray.Message{intray.NewMessage("property.too_small", intray.Params{"limit": 1}), intray.Literal("no")}
	got := string(e.encode("r1"))
	want := `{"code":"invalid","detail":"Invalid request: detail: is required.",` +
		`"field_messages":{"detail":[{"code":"property.required"}],"port":[{"code":"property.too_small","params":{"limit":1}},{"text":"no"}]},` +
		`"message_code":"request.invalid_field","params":{"field":"detail","problem":{"code":"property.required"}},` +
		`"port":["must be at least 1","no"],"request_id":"r1"}`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	literal := newError(http.StatusConflict, "cancelled_by_hook", intray.Literal("Not on Fridays."))
	if got, want := string(literal.encode("r2")), `{"code":"cancelled_by_hook","detail":"Not on Fridays.","request_id":"r2"}`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
