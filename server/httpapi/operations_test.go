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
		for _, status := range []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge} {
			if op.upload && !slices.Contains(op.errors, status) {
				t.Errorf("%s receives a file and lacks the error %d", op.id, status)
			}
		}
		for _, status := range []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType} {
			if op.body != nil && !slices.Contains(op.errors, status) {
				t.Errorf("%s receives a document and lacks the error %d", op.id, status)
			}
		}
		for _, status := range op.errors {
			if statusText(status) == "" || status < 400 {
				t.Errorf("%s has the error %d", op.id, status)
			}
		}
		if op.method == "GET" && op.body != nil {
			t.Errorf("%s reads a body", op.id)
		}
	}
}
