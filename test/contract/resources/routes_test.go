package resources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

func upper(text string) string { return strings.ToUpper(text) }

func TestUnknownPaths(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, path := range []string{
			"/nothing", "/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/schemas/", "/api/v1/Schemas/", "/api/v1/schemas/" + absent + "/more/",
			"//api/v1/schemas/", "/api/v1//schemas/", "/api/v1/schemas//", "/api/v1/../v1/schemas/", "/api/v1/./schemas/", "/api/v1/schemas/%2e%2e/",
			"/api/v1/upload/", "/api/widget/session/v1/auth/", "/api/widget/session/v2/", "/favicon.ico", "/metrics",
			"/api/v1/schemas/%00/%ff/", "/review", "/upload", "/debug/pprof/",
		} {
			reply := backend(t, s).Call("GET", path, nil)
			if reply.Status != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, reply.Status, reply.Body)
			}
		}
	})
}

// TestMethods checks that every undocumented method of a documented path returns 405, with
// the documented methods in Allow.
func TestMethods(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for path, allowed := range methods(s.Document) {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"} {
				at := apitest.Operation{Path: path}.PathWithID(absent)
				if _, documented := s.Document.FindOperation(method, at); documented {
					continue
				}
				reply := backend(t, s).Call(method, at, nil)
				allow := strings.Split(reply.Header.Get("Allow"), ", ")
				missing := slices.ContainsFunc(allowed, func(m string) bool { return !slices.Contains(allow, m) })
				if reply.Status != http.StatusMethodNotAllowed || missing || slices.Contains(allow, method) {
					t.Errorf("%s %s: %d, Allow %v, want 405 and %v: %s", method, path, reply.Status, allow, allowed, reply.Body)
				}
			}
		}
	})
}

// methods returns the methods of each path.
func methods(d *apitest.Document) map[string][]string {
	all := map[string][]string{}
	for _, o := range d.List {
		all[o.Path] = append(all[o.Path], o.Method)
	}
	return all
}

// TestTrailingSlash checks that every operation returns the same status with and without a
// trailing slash, and does not redirect.
func TestTrailingSlash(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		for _, o := range s.Document.List {
			path := strings.TrimSuffix(o.PathWithID(absent), "/")
			without := c.Call(o.Method, path, bodyFor(o))
			with := c.Call(o.Method, path+"/", bodyFor(o))
			if with.Status != without.Status {
				t.Errorf("%s %s: %d without and %d with the slash", o.Method, path, without.Status, with.Status)
			}
		}
		id := c.Call("POST", strings.TrimSuffix(schemasPath, "/"), schemaNamed(unique("schema"))).WantStatus(http.StatusCreated).String("id")
		for _, path := range []string{schemasPath + id, schemasPath + id + "/", schemasPath + id + "?x=/", schemasPath + id + "/?x"} {
			c.Call("GET", path, nil).WantStatus(http.StatusOK)
		}
		done := c.importFile("email\na@example.org\n", m{})
		for _, path := range []string{"/metadata", "/metadata/", "/url", "/url/"} {
			c.Call("GET", uploadPath+done.upload+path, nil).WantStatus(http.StatusOK)
		}
	})
}

func TestUnknownQueryParametersAreIgnored(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		for _, query := range []string{"?unknown=1", "?a=1&a=2&b", "?Start=x&END=y", "?%zz=1", "?;=&&=", "?x=%00", "?page=2"} {
			for _, path := range []string{schemasPath, uploadsPath, importsPath, credentialsPath, "/healthz", "/openapi.json"} {
				if reply := c.Call("GET", path+query, nil); reply.Status != http.StatusOK {
					t.Errorf("%s%s: %d %s", path, query, reply.Status, reply.Body)
				}
			}
			c.Call("POST", sessionsPath+"auth/"+query, nil).WantStatus(http.StatusCreated)
		}
	})
}

// TestHead checks that HEAD returns the same status and Content-Type as GET, without a body.
func TestHead(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		th := c.makeThings()
		done := c.await(th.imp)
		metadata := c.Call("GET", uploadPath+done.upload+"/metadata/", nil).Object()["raw_upload"].(map[string]any)
		paths := []string{metadata["download_url"].(string), uploadPath + absent + "/url/", "/nothing"}
		for _, o := range s.Document.WithSecurity("backendKey") {
			if o.Method == http.MethodGet {
				paths = append(paths, o.PathWithID(th.idFor(o)))
			}
		}
		for _, path := range append(paths, "/healthz", "/readyz", "/openapi.json", statePath, filePath) {
			get := c.Call("GET", path, nil, "X-Hydration-Id", th.token)
			head := c.Call("HEAD", path, nil, "X-Hydration-Id", th.token)
			if head.Status != get.Status || len(head.Body) > 0 || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
				t.Errorf("HEAD %s: %d %v %q, GET: %d %v", path, head.Status, head.Header, head.Body, get.Status, get.Header)
			}
		}
		for _, key := range []string{"", "bk_unknown"} {
			client{s.Client(t, key)}.Call("HEAD", schemasPath, nil).WantStatus(http.StatusUnauthorized)
		}
		if allow := c.Call("HEAD", sessionsPath+"auth/", nil).WantStatus(http.StatusMethodNotAllowed).Header.Get("Allow"); !strings.Contains(allow, "POST") {
			t.Errorf("Allow is %q", allow)
		}
	})
}

// TestPreflight checks the responses to CORS preflight requests.
func TestPreflight(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, o := range s.Document.List {
			asked := "content-type,x-hydration-id,if-match,content-md5,repr-digest"
			reply := nobody(t, s).Call("OPTIONS", o.PathWithID(absent), nil, "Origin", "https://pages.example", "Access-Control-Request-Method", o.Method,
				"Access-Control-Request-Headers", asked)
			if o.SecurityScheme() == "backendKey" {
				checkNoPreflight(t, o, reply.Status, reply.Header)
				continue
			}
			if !o.HasSignedPath() && o.SecurityScheme() != "hydrationToken" {
				continue
			}
			allowed := strings.ToLower(reply.Header.Get("Access-Control-Allow-Headers"))
			if reply.Status != http.StatusNoContent && reply.Status != http.StatusOK || reply.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: the preflight returns %d %v", o.OperationID, reply.Status, reply.Header)
			}
			if !strings.Contains(reply.Header.Get("Access-Control-Allow-Methods"), o.Method) {
				t.Errorf("%s: the preflight allows %v", o.OperationID, reply.Header)
			}
			for header := range strings.SplitSeq(asked, ",") {
				if !strings.Contains(allowed, header) {
					t.Errorf("%s: the preflight does not allow the header %s", o.OperationID, header)
				}
			}
		}
	})
}

func checkNoPreflight(t *testing.T, o apitest.Operation, status int, header http.Header) {
	t.Helper()
	if status != http.StatusMethodNotAllowed || header.Get("Allow") == "" {
		t.Errorf("%s: OPTIONS returns %d and Allow %q", o.OperationID, status, header.Get("Allow"))
	}
	for name := range header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: OPTIONS sends %s", o.OperationID, name)
		}
	}
}
