package resources_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// connect tests the connection of a credential.
func (c client) connect(id string) (success bool, trouble, hostKey string) {
	c.T.Helper()
	body := c.Call("POST", credentialsPath+id+"/test_connection/", nil).WantStatus(http.StatusOK).Object()
	success, _ = body["success"].(bool)
	trouble, _ = body["error"].(string)
	hostKey, _ = body["host_key_fingerprint"].(string)
	if success == (trouble != "") {
		c.T.Errorf("success is %v and error %q", success, trouble)
	}
	return success, trouble, hostKey
}

func (c client) expectConnected(id, hostKey string) {
	c.T.Helper()
	if success, trouble, got := c.connect(id); !success || got != hostKey {
		c.T.Errorf("success %v, %q, the host key %s, want %s", success, trouble, got, hostKey)
	}
}

func (c client) expectTrouble(id string, words ...string) {
	c.T.Helper()
	success, trouble, _ := c.connect(id)
	for _, word := range words {
		if success || !strings.Contains(trouble, word) {
			c.T.Errorf("success %v, %q, want %q in it", success, trouble, word)
		}
	}
}

func (c client) credential(body m) string {
	c.T.Helper()
	return c.Call("POST", credentialsPath, body).WantStatus(http.StatusCreated).String("id")
}

// TestConnectionWithKey checks that a credential with a key can log in to OpenSSH. Replacing a
// credential without a secret must keep the stored secret.
func TestConnectionWithKey(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		mine, other, host := livetest.NewSSHKey(t), livetest.NewSSHKey(t), livetest.NewSSHKey(t)
		server := startSSHD(t, mine, host)
		body := m{"hostname": "127.0.0.1", "port": server.port, "user": server.user, "auth_type": "KEY", "private_key": mine.Private}
		id := c.credential(body)
		c.expectConnected(id, host.Fingerprint())
		path := credentialsPath + id + "/"
		for _, kept := range []any{"", nil, "omitted"} {
			body["private_key"] = kept
			if kept == "omitted" {
				delete(body, "private_key")
			}
			if got := c.Call("PUT", path, body).WantStatus(http.StatusOK).String("key_fingerprint"); got != mine.Fingerprint() {
				t.Errorf("with the secret %v the fingerprint became %s", kept, got)
			}
			c.expectConnected(id, host.Fingerprint())
		}
		body["private_key"] = other.Private
		if got := c.Call("PUT", path, body).WantStatus(http.StatusOK).String("key_fingerprint"); got != other.Fingerprint() {
			t.Errorf("with another key the fingerprint is %s", got)
		}
		c.expectTrouble(id, "rejected the private key of user")
		// A different authentication type requires a new secret.
		reply := c.Call("PUT", path, m{"hostname": "127.0.0.1", "port": server.port, "user": server.user, "auth_type": "PASSWORD"})
		if reply.WantStatus(http.StatusBadRequest); reply.String("detail") != "Must supply password for password auth" {
			t.Errorf("detail is %q", reply.String("detail"))
		}
	})
}

func TestConnectionWithPassword(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		right := secret(s)
		port, host := servePassword(t, right)
		body := m{"hostname": "127.0.0.1", "port": port, "user": "anna", "auth_type": "PASSWORD", "password": right}
		id := c.credential(body)
		c.expectConnected(id, host.Fingerprint())
		before := c.Call("GET", credentialsPath+id+"/", nil).String("key_fingerprint")
		delete(body, "password")
		if got := c.Call("PUT", credentialsPath+id+"/", body).WantStatus(http.StatusOK).String("key_fingerprint"); got != before {
			t.Errorf("the fingerprint of the kept password became %s", got)
		}
		c.expectConnected(id, host.Fingerprint())
		body["password"] = secret(s)
		if got := c.Call("PUT", credentialsPath+id+"/", body).WantStatus(http.StatusOK).String("key_fingerprint"); got == before {
			t.Error("another password has the same fingerprint")
		}
		c.expectTrouble(id, "password")
	})
}

// TestHostKeyIsPinned checks that a credential rejects a server whose host key has changed
// since the first connection.
func TestHostKeyIsPinned(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		mine, first, second := livetest.NewSSHKey(t), livetest.NewSSHKey(t), livetest.NewSSHKey(t)
		server := startSSHD(t, mine, first)
		body := m{"hostname": "127.0.0.1", "port": server.port, "user": server.user, "auth_type": "KEY", "private_key": mine.Private}
		id, untested := c.credential(body), c.credential(body)
		c.expectConnected(id, first.Fingerprint())
		server.setHostKey(second)
		for range 2 {
			c.expectTrouble(id, "host key", "changed", first.Fingerprint(), second.Fingerprint())
		}
		// A credential that has never connected pins the first host key that it receives.
		c.expectConnected(untested, second.Fingerprint())
		server.setHostKey(first)
		c.expectConnected(id, first.Fingerprint())
		c.expectTrouble(untested, "changed")
	})
}

// TestConnectionTrouble checks that the message explains why a connection fails.
func TestConnectionTrouble(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		closed, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := closed.Addr().(*net.TCPAddr).Port
		_ = closed.Close()
		id := c.credential(m{"hostname": "127.0.0.1", "port": port, "user": "anna", "auth_type": "PASSWORD", "password": secret(s)})
		c.expectTrouble(id, "cannot be reached")
		web := livetest.Listen(t, func(conn net.Conn) {
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		})
		id = c.credential(m{"hostname": "127.0.0.1", "port": web, "user": "anna", "auth_type": "PASSWORD", "password": secret(s)})
		c.expectTrouble(id, "is not an SFTP server")
	})
}

// TestConnectionsThatAreNotAllowed checks that blocked networks and ports are rejected. The
// shared program allows only 127.0.0.0/8.
func TestConnectionsThatAreNotAllowed(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for host, words := range map[string]string{
			"10.0.0.1": "--egress-allow 10.0.0.0/8", "169.254.169.254": "--egress-allow", "::1": "--egress-allow ::1", "fd00::1": "--egress-allow",
			"::ffff:10.0.0.1": "--egress-allow", "0.0.0.0": "--egress-allow", "100.64.0.1": "--egress-allow",
		} {
			id := c.credential(m{"hostname": host, "port": 22, "user": "anna", "auth_type": "PASSWORD", "password": secret(s)})
			c.expectTrouble(id, words)
		}
		for _, port := range []int{21, 23, 25, 80, 443, 1023} {
			id := c.credential(m{"hostname": "1.1.1.1", "port": port, "user": "anna", "auth_type": "PASSWORD", "password": secret(s)})
			c.expectTrouble(id, "port")
		}
	})
}

// TestLoopbackIsShut checks that a program that does not allow loopback addresses cannot
// connect to a server that runs on one.
func TestLoopbackIsShut(t *testing.T) {
	apitest.RunOnFreshDatabases(t, nil, func(t *testing.T, s *apitest.Site) {
		right := secret(s)
		port, _ := servePassword(t, right)
		c := backend(t, s)
		for host, words := range map[string]string{"127.0.0.1": "--egress-allow", "localhost": "does not exist, or its address is not allowed"} {
			c.expectTrouble(c.credential(m{"hostname": host, "port": port, "user": "anna", "auth_type": "PASSWORD", "password": right}), words)
		}
	})
}
