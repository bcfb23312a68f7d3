package resources_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

func login(more m) m {
	l := m{"hostname": "sftp.example.org", "port": 22, "user": "anna", "auth_type": "PASSWORD"}
	for name, value := range more {
		l[name] = value
	}
	return l
}

// fingerprintForm matches a SHA256 fingerprint as OpenSSH prints it.
var fingerprintForm = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)

func TestCredentialLife(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		secret := secret(s)
		made := c.Call("POST", credentialsPath, login(m{"password": secret})).WantStatus(http.StatusCreated)
		body := made.Object()
		id := made.String("id")
		mark := made.String("key_fingerprint")
		if diff := cmp.Diff(plain(login(m{"id": id, "key_fingerprint": mark})), any(body)); diff != "" || !apitest.IsUUID(id) || !fingerprintForm.MatchString(mark) {
			t.Errorf("made %s: %s", made.Body, diff)
		}
		path := credentialsPath + id + "/"
		if got := c.Call("GET", path, nil).WantStatus(http.StatusOK); got.Text() != made.Text() {
			t.Errorf("made %s, read %s", made.Body, got.Body)
		}
		list := c.Call("GET", credentialsPath, nil).WantStatus(http.StatusOK).Object()
		if diff := cmp.Diff(m{"count": 1.0, "next": nil, "previous": nil, "results": []any{body}}, list); diff != "" {
			t.Errorf("the list: %s", diff)
		}
		replaced := c.Call("PUT", path, login(m{"port": 2222, "user": "ben", "password": secret})).WantStatus(http.StatusOK)
		if got := c.Call("GET", path, nil); got.Text() != replaced.Text() || got.Object()["port"] != 2222.0 || got.String("user") != "ben" || got.String("id") != id {
			t.Errorf("replaced by %s, read %s", replaced.Body, got.Body)
		}
		if gone := c.Call("DELETE", path, nil).WantStatus(http.StatusNoContent); len(gone.Body) != 0 {
			t.Errorf("204 has the body %s", gone.Body)
		}
		for _, call := range [][2]string{{"GET", path}, {"PUT", path}, {"DELETE", path}, {"POST", path + "test_connection/"}} {
			c.Call(call[0], call[1], login(m{"password": "x"})).WantStatus(http.StatusNotFound)
		}
	})
}

// TestFingerprints checks that fingerprints identify secrets without revealing them.
func TestFingerprints(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		secret := secret(s)
		markOf := func(body m) string {
			return c.Call("POST", credentialsPath, body).WantStatus(http.StatusCreated).String("key_fingerprint")
		}
		one, two := markOf(login(m{"password": secret})), markOf(login(m{"password": secret}))
		plain := sha256.Sum256([]byte(secret))
		if one == two || !fingerprintForm.MatchString(one) || one == "SHA256:"+base64.RawStdEncoding.EncodeToString(plain[:]) {
			t.Errorf("of one password there are the fingerprints %s and %s", one, two)
		}
		key := livetest.NewSSHKey(t)
		s.Secrets.Add(strings.Split(key.Private, "\n")[2])
		if got := markOf(login(m{"auth_type": "KEY", "private_key": key.Private})); got != key.Fingerprint() {
			t.Errorf("the fingerprint of the key is %s, want %s", got, key.Fingerprint())
		}
		if places := stored(t, s, secret); len(places) > 0 {
			t.Errorf("the password is stored in plain text in %v", places)
		}
		if places := stored(t, s, strings.Split(key.Private, "\n")[2]); len(places) > 0 {
			t.Errorf("the key is stored in plain text in %v", places)
		}
	})
}

func TestWrongCredentials(t *testing.T) {
	key := livetest.NewSSHKey(t)
	public := string(ssh.MarshalAuthorizedKey(key.PublicKey()))
	broken := strings.Replace(key.Private, "\n", "\nAAAA", 1)
	// Each change makes the field under which it is listed invalid.
	wrong := map[string][]m{
		"hostname": {
			{"hostname": ""}, {"hostname": "a b"}, {"hostname": "sftp://a.example"}, {"hostname": "a.example:22"}, {"hostname": "a_/b"}, {"hostname": "-a.example"},
			{"hostname": "a..example"}, {"hostname": strings.Repeat("a", 64) + ".example"}, {"hostname": strings.Repeat("abcd.", 60) + "example"}, {"hostname": 1}, {"hostname": nil},
			{"hostname": "anna@a.example"}, {"hostname": "a.example\n"}, {"hostname": "2130706433"}, {"hostname": "[::1]"}, {"hostname": "0x7f.1"},
		},
		"port":        {{"port": 0}, {"port": -1}, {"port": 65536}, {"port": "22"}, {"port": 22.5}, {"port": nil}, {"port": 1 << 40}},
		"user":        {{"user": ""}, {"user": 1}, {"user": nil}, {"user": "a\nb"}, {"user": strings.Repeat("x", 256)}},
		"auth_type":   {{"auth_type": "password"}, {"auth_type": ""}, {"auth_type": "NONE"}, {"auth_type": nil}},
		"password":    {{"password": nil}, {"password": ""}, {"password": 1}, {"auth_type": "KEY", "private_key": key.Private}},
		"private_key": {{"private_key": key.Private}, {"auth_type": "KEY", "password": ""}, {"auth_type": "KEY", "password": "", "private_key": ""}},
	}
	for _, bad := range []string{"x", public, broken, protectedKey(t), pkcs1Key(t), key.Private[:100], "-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n"} {
		wrong["private_key"] = append(wrong["private_key"], m{"auth_type": "KEY", "password": "", "private_key": bad})
	}
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		id := c.Call("POST", credentialsPath, login(m{"password": "right"})).WantStatus(http.StatusCreated).String("id")
		for field, changes := range wrong {
			for _, change := range changes {
				body := login(m{"password": "right"})
				for name, value := range change {
					body[name] = value
				}
				reply := c.Call("POST", credentialsPath, body)
				if reply.Status != http.StatusBadRequest || reply.Object()[field] == nil {
					t.Errorf("%.200v: %d %s, want 400 naming %s", change, reply.Status, reply.Body, field)
				}
				if keeps := field == "password" && (change["password"] == nil || change["password"] == "") && change["auth_type"] == nil; keeps {
					continue // Replacing a credential without a secret keeps the stored one.
				}
				if reply := c.Call("PUT", credentialsPath+id+"/", body); reply.Status != http.StatusBadRequest {
					t.Errorf("%.200v, replacing: %d %s", change, reply.Status, reply.Body)
				}
			}
		}
	})
}

// TestMissingCredentialFields checks that each missing field is reported by its name.
func TestMissingCredentialFields(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, field := range []string{"hostname", "port", "user", "auth_type", "password"} {
			body := login(m{"password": "x"})
			delete(body, field)
			if reply := c.Call("POST", credentialsPath, body).WantStatus(http.StatusBadRequest); reply.Object()[field] == nil {
				t.Errorf("%s is not named: %s", field, reply.Body)
			}
		}
		// Clients written for the reference product check for exactly this sentence.
		if got := c.Call("POST", credentialsPath, login(nil)).String("detail"); got != "Must supply password for password auth" {
			t.Errorf("detail is %q", got)
		}
		for _, host := range []string{"a.example", "A.Example.", "192.0.2.1", "2001:db8::1", "xn--bcher-kva.example", "localhost", "a"} {
			c.Call("POST", credentialsPath, login(m{"hostname": host, "password": "x"})).WantStatus(http.StatusCreated)
		}
		for _, port := range []any{1, 65535, 22.0} {
			c.Call("POST", credentialsPath, login(m{"port": port, "password": "x"})).WantStatus(http.StatusCreated)
		}
		c.Call("POST", credentialsPath, login(m{"password": "x", "private_key": ""})).WantStatus(http.StatusCreated)
		c.Call("POST", credentialsPath, login(m{"password": "x", "private_key": nil})).WantStatus(http.StatusCreated)
	})
}

// TestCredentialPages checks that following the pages of the list in both directions returns
// all credentials.
func TestCredentialPages(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		var made []string
		for range 5 {
			made = append(made, c.Call("POST", credentialsPath, login(m{"password": "x"})).WantStatus(http.StatusCreated).String("id"))
		}
		var forth, back []string
		last := ""
		for next := any(s.URL + credentialsPath + "?limit=2"); next != nil; {
			last = next.(string)
			reply := c.Call("GET", last, nil).WantStatus(http.StatusOK)
			forth, next = append(forth, idsIn(reply.Body)...), reply.Object()["next"]
			if reply.Object()["count"] != 5.0 {
				t.Errorf("count is %v", reply.Object()["count"])
			}
		}
		for previous := any(last); previous != nil; {
			reply := c.Call("GET", previous.(string), nil).WantStatus(http.StatusOK)
			back, previous = append(idsIn(reply.Body), back...), reply.Object()["previous"]
		}
		sorted := func(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
		if !slices.Equal(forth, back) || !slices.Equal(sorted(forth), sorted(made)) {
			t.Errorf("made %v, listed %v, and backwards %v", made, forth, back)
		}
		for _, query := range []string{"?offset=5", "?offset=9223372036854775807&limit=1000", "?limit=100000"} {
			if reply := c.Call("GET", credentialsPath+query, nil).WantStatus(http.StatusOK).Object(); reply["next"] != nil {
				t.Errorf("%s has a next page: %v", query, reply["next"])
			}
		}
		for _, query := range []string{"?limit=-1", "?limit=x", "?limit=0", "?offset=-1", "?offset=1.5"} {
			c.Call("GET", credentialsPath+query, nil).WantStatus(http.StatusBadRequest)
		}
	})
}
