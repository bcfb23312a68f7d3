package resources_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// sendWhole sends a request as a simple client does: it sends the whole body before it
// reads the response.
func (c client) sendWhole(method, path string, size int, headers ...string) (*livetest.Reply, error) {
	c.T.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.Site.URL, "http://"))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
		return nil, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: intray\r\nContent-Length: %d\r\n", method, path, size)
	for i := 0; i+1 < len(headers); i += 2 {
		fmt.Fprintf(&head, "%s: %s\r\n", headers[i], headers[i+1])
	}
	head.WriteString("\r\n")
	if _, err := conn.Write(head.Bytes()); err != nil {
		return nil, err
	}
	chunk := bytes.Repeat([]byte(" "), 64<<10)
	for left := size; left > 0; left -= len(chunk) {
		if _, err := conn.Write(chunk[:min(left, len(chunk))]); err != nil {
			return nil, fmt.Errorf("%d bytes before the end: %w", left, err)
		}
	}
	return c.readReply(conn, method, path)
}

func (c client) readReply(conn net.Conn, method, path string) (*livetest.Reply, error) {
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	reply := &livetest.Reply{Status: answer.StatusCode, Header: answer.Header, Body: body}
	path, _, _ = strings.Cut(path, "?")
	for _, w := range c.Site.Breaches(method, path, reply) {
		c.T.Errorf("%s %s: status %d: %s", method, path, reply.Status, w)
	}
	return reply, nil
}

// TestRefusedBodiesAreDrained sends large bodies that are rejected for different reasons. The
// client must receive the response. A caller without a valid credential may send less.
func TestRefusedBodiesAreDrained(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.Call("POST", sessionsPath+"auth/", nil).WantStatus(http.StatusCreated).String("hydrationId")
		key, json := []string{"X-Service-License-Key", c.Key}, []string{"Content-Type", "application/json"}
		with := func(lists ...[]string) (all []string) {
			for _, list := range lists {
				all = append(all, list...)
			}
			return all
		}
		const unknown = 60 << 10
		for name, call := range map[string]struct {
			method, path string
			headers      []string
			status       int
			size         int
		}{
			"too large":            {"POST", schemasPath, with(key, json), http.StatusRequestEntityTooLarge, 9 * mebibyte},
			"too large, replacing": {"PUT", schemasPath + absent + "/", with(key, json), http.StatusRequestEntityTooLarge, 9 * mebibyte},
			"too large, session":   {"POST", sessionsPath + "auth/", with(key, json), http.StatusRequestEntityTooLarge, 9 * mebibyte},
			"no key":               {"POST", schemasPath, json, http.StatusUnauthorized, unknown},
			"frontend key":         {"POST", importsPath, with([]string{"X-Service-License-Key", livetest.FrontendKey}, json), http.StatusForbidden, unknown},
			"no path":              {"POST", "/nothing", with(key, json), http.StatusNotFound, unknown},
			"a path with dots":     {"POST", "/api/../x", with(key, json), http.StatusNotFound, unknown},
			"no such method":       {"PATCH", schemasPath, with(key, json), http.StatusMethodNotAllowed, unknown},
			"an unexpected body":   {"DELETE", schemasPath + absent + "/", with(key, json), http.StatusNotFound, 9 * mebibyte},
			"a test with a body":   {"POST", credentialsPath + absent + "/test_connection/", with(key, json), http.StatusNotFound, 9 * mebibyte},
			"a bad signature":      {"PUT", "/upload/" + absent + "?token=x", nil, http.StatusForbidden, unknown},
			"an invalid id":        {"PUT", "/upload/none?token=x", nil, http.StatusNotFound, unknown},
			"no hydration token":   {"PUT", statePath, json, http.StatusForbidden, unknown},
			"state, not JSON":      {"PUT", statePath, []string{"X-Hydration-Id", token}, http.StatusUnsupportedMediaType, 9 * mebibyte},
			"state, too large":     {"PUT", statePath, with(json, []string{"X-Hydration-Id", token}), http.StatusRequestEntityTooLarge, 9 * mebibyte},
			"file, bad digest":     {"PUT", filePath, []string{"X-Hydration-Id", token, "Content-MD5", "x"}, http.StatusBadRequest, 9 * mebibyte},
		} {
			expectWhole(t, c, name, call.method, call.path, call.size, call.headers, call.status)
		}
		expectWhole(t, c, "just too large", "POST", schemasPath, mebibyte+1, with(key, json), http.StatusRequestEntityTooLarge)
		expectWhole(t, c, "much too large", "POST", schemasPath, 31*mebibyte, with(key, json), http.StatusRequestEntityTooLarge)
	})
}

func expectWhole(t *testing.T, c client, name, method, path string, size int, headers []string, status int) {
	t.Helper()
	reply, err := c.sendWhole(method, path, size, headers...)
	if err != nil {
		t.Errorf("%s, %d bytes: the client does not receive the response: %v", name, size, err)
		return
	}
	if reply.Status != status {
		t.Errorf("%s, %d bytes: %d, want %d: %.300s", name, size, reply.Status, status, reply.Body)
	}
}

// TestShortBody checks that a body shorter than its declared length returns 400.
func TestShortBody(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		c := backend(t, s)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: intray\r\nContent-Type: application/json\r\nX-Service-License-Key: %s\r\nContent-Length: 100\r\n\r\n{\"name\":", schemasPath, c.Key)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		reply, err := c.readReply(conn, "POST", schemasPath)
		if err != nil || reply.Status != http.StatusBadRequest {
			t.Errorf("%v %+v", err, reply)
		}
	})
}
