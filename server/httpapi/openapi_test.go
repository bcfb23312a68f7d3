package httpapi

import (
	"strings"
	"testing"
)

func TestDocumentNamesTheOtherHeaders(t *testing.T) {
	for header, headers := range map[string][]string{
		"browser.": {"X-Key"}, "Also accepted in: X-Two, X-Three.": {"X-One", "X-Two", "X-Three"},
	} {
		a := New(Config{KeyHeaders: headers})
		scheme := a.securitySchemes()["backendKey"].(map[string]any)
		if text := scheme["description"].(string); !strings.HasSuffix(text, header) {
			t.Errorf("%v: %q", headers, text)
		}
	}
}
