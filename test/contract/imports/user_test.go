package imports_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUserContext sends the user of an import in every valid format. The import and its
// upload must return it.
func TestUserContext(t *testing.T) {
	all := m{"id": "7", "name": "Anna <b>\"A\"</b>", "email": "anna@example.org", "companyId": "c-1", "companyName": "電子 & Co."}
	nobody := m{"id": "", "name": "", "email": "", "companyId": "", "companyName": ""}
	tests := []struct {
		metadata any
		want     m
	}{
		{m{"user": all}, all},
		{m{"user": m{"name": "Anna"}}, with(nobody, m{"name": "Anna"})},
		{m{"user": m{}}, nobody},
		{m{"user": nil}, nil},
		{m{}, nil},
		{nil, nil},
	}
	each(t, func(c client) {
		for _, tt := range tests {
			e := c.run(inline(people(), m{"import_metadata": tt.metadata}), "email\na@example.org\n").want("SUCCESSFUL")
			got, _ := e.metadata()["user"].(m)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				c.T.Errorf("%s: %s", show(tt.metadata), diff)
			}
			if tt.want == nil {
				tt.want = nobody
			}
			upload := c.Call("GET", uploadPath+e.metadata()["id"].(string)+"/metadata/", nil).WantStatus(http.StatusOK).Object()
			if diff := cmp.Diff(tt.want, upload["user"]); diff != "" {
				c.T.Errorf("%s: the upload: %s", show(tt.metadata), diff)
			}
		}
	})
}

// TestUserContextIsClosed checks that invalid users are rejected.
func TestUserContextIsClosed(t *testing.T) {
	each(t, func(c client) {
		user := func(u any) m { return m{"user": u} }
		for _, metadata := range []any{
			[]any{}, "anna", 7, m{"users": m{}}, m{"id": "7"}, m{"user": m{}, "source": "x"},
			user("anna"), user([]any{}), user(7), user(m{"id": 7}), user(m{"name": nil}), user(m{"name": m{}}),
			user(m{"company_id": "c"}), user(m{"companyname": "c"}), user(m{"role": "x"}), user(m{"": "x"}),
			user(m{"name": "a\r\nb"}), user(m{"name": "a\x00b"}), user(m{"name": strings.Repeat("x", 1<<16)}),
		} {
			c.refused(inline(people(), m{"import_metadata": metadata}), 400, "")
		}
		for _, name := range []string{"user", "metadata", "importMetadata"} {
			c.refused(inline(people(), m{name: m{"name": "Anna"}}), 400, name)
		}
	})
}
