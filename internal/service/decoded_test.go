package service_test

import (
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/shape"
)

// decoded reads JSON as the service gets it.
func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := shape.Decode(strings.NewReader(text), shape.Limits{})
	must(t, err)
	return v
}
