package resources_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// intruders returns bodies with an undocumented property, by the location of the property.
func intruders() map[string]struct {
	path, body, field string
} {
	const fields = `"fields":[{"key":"k","label":"L"}]`
	const login = `"hostname":"h.example","port":22,"user":"u","auth_type":"PASSWORD","password":"p"`
	type at = struct{ path, body, field string }
	return map[string]at{
		"import":                {importsPath, `{` + fields + `,"intruder":1}`, "intruder"},
		"import, file":          {importsPath, `{` + fields + `,"intruder":1,"original_filename":"a.csv"}`, "intruder"},
		"import, metadata":      {importsPath, `{` + fields + `,"import_metadata":{"intruder":1}}`, "import_metadata"},
		"import, user":          {importsPath, `{` + fields + `,"import_metadata":{"user":{"id":"1","intruder":"x"}}}`, "import_metadata"},
		"import, user in snake": {importsPath, `{` + fields + `,"import_metadata":{"user":{"id":"1","company_id":"x"}}}`, "import_metadata"},
		"import, settings":      {importsPath, `{` + fields + `,"settings":{"intruder":1}}`, "settings"},
		"import, hooks":         {importsPath, `{` + fields + `,"hooks":{"intruder":[]}}`, "hooks"},
		"import, field":         {importsPath, `{"fields":[{"key":"k","label":"L","intruder":1}]}`, "fields"},
		"schema":                {schemasPath, `{"name":"n","settings":{},` + fields + `,"intruder":1}`, "intruder"},
		"schema, settings":      {schemasPath, `{"name":"n","settings":{"intruder":1},` + fields + `}`, "settings"},
		"schema, hooks":         {schemasPath, `{"name":"n","settings":{},"hooks":{"batchRowHooks":[]},` + fields + `}`, "hooks"},
		"schema, column hook":   {schemasPath, `{"name":"n","settings":{},"hooks":{"columnHooks":[{"fieldName":"k","callback":"()=>[]","intruder":1}]},` + fields + `}`, "hooks"},
		"schema, step hook":     {schemasPath, `{"name":"n","settings":{},"hooks":{"stepHooks":[{"type":"UPLOAD_STEP","callback":"()=>[]","intruder":1}]},` + fields + `}`, "hooks"},
		"schema, field":         {schemasPath, `{"name":"n","settings":{},"fields":[{"key":"k","label":"L","intruder":1}]}`, "fields"},
		"schema, validator":     {schemasPath, `{"name":"n","settings":{},"fields":[{"key":"k","label":"L","validators":[{"validate":"required","intruder":1}]}]}`, "fields"},
		"schema, option":        {schemasPath, `{"name":"n","settings":{},"fields":[{"key":"k","label":"L","type":"select","selectOptions":[{"label":"a","value":"a","intruder":1}]}]}`, "fields"},
		"schema, type":          {schemasPath, `{"name":"n","settings":{},"fields":[{"key":"k","label":"L","type":["email",{"intruder":1}]}]}`, "fields"},
		"credential":            {credentialsPath, `{` + login + `,"intruder":1}`, "intruder"},
		"credential, id":        {credentialsPath, `{` + login + `,"id":"` + absent + `"}`, "id"},
		"session":               {sessionsPath + "auth/", `{"intruder":1}`, "intruder"},
		"session, camel case":   {sessionsPath + "auth/", `{"expiresIn":60}`, "expiresIn"},
		"session, resumed":      {sessionsPath + "{session}/auth/", `{"import_identifier":"x"}`, "import_identifier"},
	}
}

func TestUnknownPropertiesAreRefused(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		session := c.Call("POST", sessionsPath+"auth/", nil).WantStatus(http.StatusCreated).String("sessionId")
		for name, call := range intruders() {
			reply := c.Call("POST", strings.ReplaceAll(call.path, "{session}", session), call.body)
			if reply.Status != http.StatusBadRequest || messages(reply.Object(), call.field) == "" {
				t.Errorf("%s: %d %s", name, reply.Status, reply.Body)
			}
		}
	})
}

// TestFieldsNamedLikeTheError checks that undocumented properties are rejected even if they
// have the name of an error property.
func TestFieldsNamedLikeTheError(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, name := range []string{"detail", "code", "request_id"} {
			backend(t, s).Call("POST", sessionsPath+"auth/", m{name: 1}).WantStatus(http.StatusBadRequest)
		}
	})
}

// TestShapeBeforeReferences checks that an invalid value is reported before an unknown id.
func TestShapeBeforeReferences(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for name, body := range map[string]m{
			"intruder": {"schema_id": absent, "intruder": 1}, "settings": {"schema_id": absent, "settings": m{"maxRecords": "many"}},
			"hooks": {"schema_id": absent, "hooks": m{"rowHooks": []any{"(a) => {"}}},
		} {
			if reply := c.Call("POST", importsPath, body).WantStatus(http.StatusBadRequest); reply.Object()[name] == nil {
				t.Errorf("%s is not named: %s", name, reply.Body)
			}
		}
		for _, id := range []any{"1", "", 1, nil, "{" + absent + "}", strings.ReplaceAll(absent, "-", "")} {
			if reply := c.Call("POST", importsPath, m{"schema_id": id}).WantStatus(http.StatusBadRequest); reply.Object()["schema_id"] == nil {
				t.Errorf("schema_id %v is not named: %s", id, reply.Body)
			}
		}
		if reply := c.Call("POST", importsPath, m{"schema_id": absent}).WantStatus(http.StatusNotFound); reply.Object()["schema_id"] == nil {
			t.Errorf("schema_id is not named: %s", reply.Body)
		}
		// An invalid body is reported even if the id in the path is unknown.
		c.Call("PUT", schemasPath+absent+"/", m{"intruder": 1}).WantStatus(http.StatusBadRequest)
		c.Call("PUT", credentialsPath+absent+"/", m{"intruder": 1}).WantStatus(http.StatusBadRequest)
	})
}

// TestFieldErrors checks that the errors of a field are listed under its name.
func TestFieldErrors(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, call := range []struct {
			method, path, body string
			fields             []string
		}{
			{"POST", schemasPath, `{"name":1,"fields":{},"settings":[]}`, []string{"name", "fields", "settings"}},
			{"POST", credentialsPath, `{"port":"22","auth_type":"NONE"}`, []string{"hostname", "port", "user", "auth_type"}},
			{"POST", sessionsPath + "auth/", `{"import_identifier":1,"expires_in":"x"}`, []string{"import_identifier", "expires_in"}},
			{"GET", uploadsPath + "?start=-1", "", []string{"start"}},
			{"GET", uploadsPath + "?end=x", "", []string{"end"}},
			{"GET", uploadsPath + "?start_date=x", "", []string{"start_date"}},
			{"GET", uploadsPath + "?end_date=x", "", []string{"end_date"}},
			{"GET", credentialsPath + "?limit=x", "", []string{"limit"}},
			{"GET", credentialsPath + "?offset=-1", "", []string{"offset"}},
		} {
			var body any
			if call.body != "" {
				body = call.body
			}
			answer := c.Call(call.method, call.path, body).WantStatus(http.StatusBadRequest).Object()
			for _, field := range call.fields {
				if messages(answer, field) == "" {
					t.Errorf("%s %s %s does not name %s: %v", call.method, call.path, call.body, field, answer)
				}
			}
			if len(answer) != 6+len(call.fields) {
				t.Errorf("%s %s %s names something else: %v", call.method, call.path, call.body, answer)
			}
		}
	})
}
