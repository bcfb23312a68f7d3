package httpapi

import (
	"encoding/json"
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
}
