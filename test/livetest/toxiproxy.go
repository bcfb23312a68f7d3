package livetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

// ToxiproxyVariable is the environment variable with the path of toxiproxy-server, unless it is in PATH.
const ToxiproxyVariable = "INTRAY_TEST_TOXIPROXY"

// Toxiproxy is a running toxiproxy-server, whose proxies cause network faults. It is safe for
// concurrent use.
type Toxiproxy struct {
	t   testing.TB
	api string
}

// NetworkProxy is a proxy in front of a server.
type NetworkProxy struct {
	// Address is the loopback address of the proxy, as host:port.
	Address string

	toxiproxy *Toxiproxy
	name      string
}

// Toxic is a fault of the connections through a proxy, in the terms of toxiproxy.
type Toxic struct {
	// Type is latency, bandwidth, slow_close, timeout, reset_peer, slicer or limit_data.
	Type string `json:"type"`
	// Stream is upstream for data from the client, or downstream for data from the server.
	Stream string `json:"stream"`
	// Attributes are the parameters of the type.
	Attributes map[string]int `json:"attributes"`
}

// StartToxiproxy starts a toxiproxy-server, which ends with the test. It skips the test if the
// program is not installed.
func StartToxiproxy(t testing.TB) *Toxiproxy {
	t.Helper()
	program := os.Getenv(ToxiproxyVariable)
	if program == "" {
		found, err := exec.LookPath("toxiproxy-server")
		if err != nil {
			t.Skipf("SKIPPED: no toxiproxy, %s is not set; `make toxiproxy` installs it and prints its path", ToxiproxyVariable)
		}
		program = found
	}
	address := FreeAddress(t)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	command := exec.Command(program, "-host", host, "-port", port)
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	x := &Toxiproxy{t: t, api: "http://" + address}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := x.call("GET", "/version", nil)
		if err == nil {
			return x
		}
		if time.Now().After(end) {
			t.Fatalf("toxiproxy did not start: %v\n%s", err, log.String())
		}
	}
}

// call calls the API of toxiproxy.
func (x *Toxiproxy) call(method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, x.api+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if text, err = io.ReadAll(reply.Body); err == nil && reply.StatusCode >= 300 {
		err = fmt.Errorf("toxiproxy: %s %s: status %d: %s", method, path, reply.StatusCode, text)
	}
	return err
}

// Proxy starts a proxy in front of the server at an address of the form host:port. The name must be
// unique.
func (x *Toxiproxy) Proxy(name, upstream string) *NetworkProxy {
	x.t.Helper()
	p := &NetworkProxy{Address: FreeAddress(x.t), toxiproxy: x, name: name}
	body := map[string]any{"name": name, "listen": p.Address, "upstream": upstream, "enabled": true}
	if err := x.call("POST", "/proxies", body); err != nil {
		x.t.Fatal(err)
	}
	return p
}

// AddToxic adds a fault to all connections, and returns a function that removes it.
func (p *NetworkProxy) AddToxic(toxic Toxic) (remove func()) {
	p.toxiproxy.t.Helper()
	path := "/proxies/" + p.name + "/toxics"
	if err := p.toxiproxy.call("POST", path, toxic); err != nil {
		p.toxiproxy.t.Fatal(err)
	}
	return func() {
		p.toxiproxy.t.Helper()
		if err := p.toxiproxy.call("DELETE", path+"/"+toxic.Type+"_"+toxic.Stream, nil); err != nil {
			p.toxiproxy.t.Error(err)
		}
	}
}

// SetEnabled closes all connections and refuses new ones, or accepts connections again.
func (p *NetworkProxy) SetEnabled(enabled bool) {
	p.toxiproxy.t.Helper()
	if err := p.toxiproxy.call("POST", "/proxies/"+p.name, map[string]any{"enabled": enabled}); err != nil {
		p.toxiproxy.t.Fatal(err)
	}
}
