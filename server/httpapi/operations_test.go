package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestTableIsSound(t *testing.T) {
	ids, routes := map[string]bool{}, map[string]bool{}
	for _, op := range operations() {
		route := op.method + " " + variable.ReplaceAllString(strings.TrimSuffix(op.path, "/"), "{}")
		if ids[op.id] || routes[route] {
			t.Errorf("%s or its route %s is there twice", op.id, route)
		}
		ids[op.id], routes[route] = true, true
		if op.id == "" || op.summary == "" || op.status/100 != 2 && !slices.Contains(op.errors, http.StatusGone) || op.serve == nil {
			t.Errorf("%s has no id, no summary, no status or no function", route)
		}
		if op.method == "GET" && op.body != nil {
			t.Errorf("%s reads a body", op.id)
		}
	}
}
