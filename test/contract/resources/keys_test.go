package resources_test

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// absent is a valid id that does not exist.
const absent = "0f8fad5b-d9cb-469f-a165-70867728950e"

func TestKeyHeaders(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, name := range []string{"X-Service-License-Key", "x-service-license-key", "X-SERVICE-LICENSE-KEY", "X-Dromo-License-Key", "X-DROMO-LICENSE-KEY"} {
			request := nobody(t, s).Request("GET", schemasPath, nil)
			request.Header[name] = []string{livetest.BackendKey}
			nobody(t, s).Do(request).WantStatus(http.StatusOK)
		}
		nobody(t, s).Call("GET", schemasPath, nil, "Authorization", "Bearer "+livetest.BackendKey).WantStatus(http.StatusUnauthorized)
		nobody(t, s).Call("GET", schemasPath+"?X-Service-License-Key="+livetest.BackendKey, nil).WantStatus(http.StatusUnauthorized)
	})
}

// TestEveryOperationWithoutKey calls each operation that requires an API key with invalid
// keys. The body is also invalid, because the key must be checked first.
func TestEveryOperationWithoutKey(t *testing.T) {
	// No limit may hide the operations.
	apitest.RunOnFreshDatabases(t, []string{"--rate-auth-failures", "0"}, func(t *testing.T, s *apitest.Site) {
		revoked, id := s.NewKey(t, "default", "backend")
		s.Command(t, "keys", "revoke", id)
		session := backend(t, s).Call("POST", sessionsPath+"auth/", nil).WantStatus(http.StatusCreated)
		keys := map[string]struct {
			key    string
			status int
		}{
			"none":        {"", http.StatusUnauthorized},
			"unknown":     {"bk_unknown_unknown_unknown_unknown_unknown_unknown", http.StatusUnauthorized},
			"cut short":   {livetest.BackendKey[:len(livetest.BackendKey)-1], http.StatusUnauthorized},
			"made longer": {livetest.BackendKey + "x", http.StatusUnauthorized},
			"upper case":  {strings.ToUpper(livetest.BackendKey), http.StatusUnauthorized},
			"revoked":     {revoked, http.StatusUnauthorized},
			"a token":     {session.String("hydrationId"), http.StatusUnauthorized},
			"odd":         {strings.Repeat("ü'\"; --", 500), http.StatusUnauthorized},
			"frontend":    {livetest.FrontendKey, http.StatusForbidden},
		}
		operations := s.Document.WithSecurity("backendKey")
		if len(operations) < 23 {
			t.Fatalf("only %d operations are under a key", len(operations))
		}
		for _, o := range operations {
			for name, k := range keys {
				reply := client{s.Client(t, k.key)}.Call(o.Method, o.PathWithID(absent), "{broken")
				if reply.Status != k.status {
					t.Errorf("%s with %s key: %d %s", o.OperationID, name, reply.Status, reply.Body)
				}
			}
		}
	})
}

func TestOpenOperationsNeedNoKey(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, path := range []string{"/openapi.json", "/openapi-3.0.json", "/healthz", "/readyz"} {
			nobody(t, s).Call("GET", path, nil).WantStatus(http.StatusOK)
			client{s.Client(t, "bk_wrong")}.Call("GET", path, nil).WantStatus(http.StatusOK)
		}
	})
}

// TestKeyOpensNoWidgetCall checks that an API key is accepted neither as a hydration token
// nor as a signature.
func TestKeyOpensNoWidgetCall(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, o := range s.Document.List {
			if o.SecurityScheme() != "hydrationToken" && !o.HasSignedPath() {
				continue
			}
			for _, query := range []string{"", "?token=" + livetest.BackendKey + "&hydrationId=" + livetest.BackendKey} {
				reply := backend(t, s).Call(o.Method, o.PathWithID(absent)+query, "{}", "X-Hydration-Id", livetest.BackendKey)
				reply.WantStatus(http.StatusForbidden)
			}
		}
	})
}

func TestMadeKeys(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		o := s.NewOrg(t)
		frontend, _ := s.NewKey(t, o.Name, "frontend")
		second, _ := s.NewKey(t, o.Name, "backend")
		// 256 bits are 43 characters in Base64 without padding.
		if !regexp.MustCompile(`^bk_[A-Za-z0-9_-]{43}$`).MatchString(o.BackendKey) || !regexp.MustCompile(`^fk_[A-Za-z0-9_-]{43}$`).MatchString(frontend) {
			t.Errorf("the keys are %q and %q", o.BackendKey, frontend)
		}
		if second == o.BackendKey {
			t.Error("two keys are alike")
		}
		listed, _ := s.Command(t, "keys", "list")
		for _, key := range []string{o.BackendKey, frontend, livetest.BackendKey} {
			if strings.Contains(listed, key) || !strings.Contains(listed, key[:7]) {
				t.Errorf("keys list shows a key, or no hint of it: %s", listed)
			}
		}
	})
}

func TestKeysAreStoredAsHash(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		o := s.NewOrg(t)
		if len(stored(t, s, o.Name)) == 0 {
			t.Fatal("the search does not find the name of the organization")
		}
		for _, key := range []string{o.BackendKey, o.BackendKey[3:], livetest.BackendKey} {
			if places := stored(t, s, key); len(places) > 0 {
				t.Errorf("a key is stored in %v", places)
			}
		}
	})
}

func TestRevokedKeyEndsWithinASecond(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		o := s.NewOrg(t)
		key, id := s.NewKey(t, o.Name, "backend")
		c, other := client{s.Client(t, key)}, client{s.Client(t, o.BackendKey)}
		c.Call("GET", schemasPath, nil).WantStatus(http.StatusOK)
		s.Command(t, "keys", "revoke", id)
		revoked := time.Now()
		apitest.Eventually(t, "the key is rejected", func() bool {
			return c.Call("GET", schemasPath, nil).Status == http.StatusUnauthorized
		})
		if took := time.Since(revoked); took > time.Second {
			t.Errorf("the key was valid for another %v", took)
		}
		other.Call("GET", schemasPath, nil).WantStatus(http.StatusOK)
	})
}

func TestExpiredKey(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		o := s.NewOrg(t)
		key, _ := s.NewKey(t, o.Name, "backend", "--expires", "1s")
		apitest.Eventually(t, "the key expires", func() bool {
			return client{s.Client(t, key)}.Call("GET", schemasPath, nil).Status == http.StatusUnauthorized
		})
	})
}

// TestGivenKeys checks that the program uses a valid API key from an environment variable, and
// does not start with an invalid one.
func TestGivenKeys(t *testing.T) {
	t.Parallel()
	forty := strings.Repeat("aZ09_-xx", 5)
	for name, key := range map[string]string{
		"short": "bk_" + forty[1:], "without prefix": forty + "xyz", "of the other kind": "fk_" + forty, "with a dot": "bk_" + forty + ".",
		"with a blank": "bk_" + forty + " x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			_, log, status := livetest.Run(t, folder, []string{"INTRAY_BACKEND_KEY=" + key},
				"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(folder, "files"))
			if status == 0 || status == -1 || strings.Contains(log, key) {
				t.Errorf("status %d: %s", status, log)
			}
		})
	}
	cfg := livetest.Config{Env: []string{"INTRAY_BACKEND_KEY=bk_" + forty}, Args: []string{"--key-headers", "X-Own-Key,X-Second-Key"}}
	s := apitest.Start(t, apitest.SQLite, cfg)
	for _, header := range []string{"X-Own-Key", "x-second-key"} {
		nobody(t, s).Call("GET", schemasPath, nil, header, "bk_"+forty).WantStatus(http.StatusOK)
	}
	client{s.Client(t, "bk_"+forty)}.Call("GET", schemasPath, nil).WantStatus(http.StatusUnauthorized)
}
