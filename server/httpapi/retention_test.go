package httpapi

import (
	"net/http"
	"strings"
)

// retention changes the retention settings and lists receipts.
func (s *server) retention() {
	s.Helper()
	const path = "/api/v1/retention/"
	if got := s.do("GET", path, "").Body.String(); !strings.Contains(got, `{"originals_days":null,"results_days":null,"problems_days":null,"learned_days":null,"schemas":[]}`) {
		s.Errorf("the initial settings are %s", got)
	}
	const schema = "11111111-1111-4111-8111-111111111111"
	want := `{"originals_days":7,"results_days":null,"problems_days":3,"learned_days":90,"schemas":[{"schema_id":"` + schema + `","originals_days":1,"results_days":2,"problems_days":null}]}`
	if got := strings.TrimSpace(s.do("PUT", path, want).Body.String()); got != want {
		s.Errorf("the settings are %s, want %s", got, want)
	}
	for _, wrong := range []string{`{"originals_days":0}`, `{"learned_days":0}`, `{"schemas":[{"schema_id":"` + schema + `","learned_days":1}]}`, `{"results_days":99999}`, `{"schemas":[{}]}`, `{"schemas":[{"schema_id":"` + schema + `"},{"schema_id":"` + schema + `"}]}`} {
		if w := s.send("PUT", path, wrong); w.Code != http.StatusBadRequest {
			s.Errorf("%s: status %d %s", wrong, w.Code, w.Body)
		}
	}
	imp := s.text(s.do("POST", "/api/v1/headless/imports/", `{"settings":{},`+mailFields+`,"initial_data":[{"email":"a@example.org"}]}`), "id")
	s.runAll()
	s.do("DELETE", "/api/v1/headless/imports/"+imp+"/", "")
	got := s.do("GET", "/api/v1/receipts/?limit=1", "").Body.String()
	for _, want := range []string{imp, `"reason":"asked for"`, `{"part":"original","size":`, `{"part":"result","size":`, `"part":"problems"`} {
		if !strings.Contains(got, want) {
			s.Errorf("the receipts lack %s: %s", want, got)
		}
	}
}
