package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/wire"
)

func TestListOfLargeSchemas(t *testing.T) {
	s := newServer(t, nil)
	const all = "/api/v1/schemas/"
	if got := s.do("GET", all, "").Body.String(); got != "[]" {
		t.Errorf("without schemas the list is %s", got)
	}
	for _, name := range []string{"A", "B", "C"} {
		s.do("POST", all, `{"name":"`+name+`","settings":{},"hooks":{"beforeFinishCallback":"() => {/*`+strings.Repeat("x", keepInMemory)+`*/}"},`+mailFields+`}`)
	}
	var list []wire.Schema
	check(t, json.Unmarshal(s.do("GET", all, "").Body.Bytes(), &list))
	if len(list) != 3 || list[2].Name != "C" {
		t.Errorf("%d schemas", len(list))
	}
	for query, want := range map[string]string{"?limit=1": "A", "?offset=1": "BC", "?offset=1&limit=1": "B", "?offset=3": ""} {
		check(t, json.Unmarshal(s.do("GET", all+query, "").Body.Bytes(), &list))
		names := ""
		for _, one := range list {
			names += one.Name
		}
		if names != want {
			t.Errorf("%s: %q, want %q", query, names, want)
		}
	}
	for _, query := range []string{"?limit=0", "?offset=-1", "?limit=x"} {
		if got := s.send("GET", all+query, "").Code; got != http.StatusBadRequest {
			t.Errorf("%s: %d", query, got)
		}
	}
}
