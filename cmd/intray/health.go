package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/intraydata/intray/internal/wire"
)

// healthTimeout is the maximum time that a server may take to respond to a health check.
const healthTimeout = 5 * time.Second

type healthCommand struct {
	URL     string `name:"url" help:"URL of the server. Default: derived from --listen and --tls-cert." env:"INTRAY_HEALTH_URL" placeholder:"URL"`
	Listen  string `help:"Address on which the server listens." default:"127.0.0.1:8080" placeholder:"ADDR"`
	TLSCert string `name:"tls-cert" help:"TLS certificate of the server, if it uses one." placeholder:"FILE"`
}

// Help returns the text that --help prints after the flags.
func (healthCommand) Help() string {
	return `Calls /readyz, and waits up to 5 s for the response. With the environment of the
server, the command needs no flags. On loopback, it does not verify the certificate.

Exit status: 0 the server can accept imports, 1 it cannot or does not respond, 2
invalid arguments.`
}

// Run checks the server.
func (c *healthCommand) Run(ctx context.Context, s streams) error {
	address, err := c.address()
	if err != nil {
		return usageError{err}
	}
	client := newLocalClient(address.Scheme+"://"+address.Host, "")
	client.http.Timeout = healthTimeout
	if isLoopback(address.Hostname()) {
		client.http.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec,forbidigo // the certificate is for the public name of the server, which the operator chooses
	}
	var ready wire.Readiness
	err = client.call(ctx, http.MethodGet, "/readyz", nil, &ready)
	if err == nil && ready.Status != "ok" {
		err = errors.New("it is not an Intray server")
	}
	if err != nil {
		return fmt.Errorf("the server at %s is not ready: %w", client.server, err)
	}
	fmt.Fprintln(s.out, "The server is ready.")
	return nil
}

// address returns the URL of the server, whose path is ignored.
func (c *healthCommand) address() (*url.URL, error) {
	if c.URL != "" {
		address, err := url.Parse(c.URL)
		if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
			return nil, flagError("--url", errors.New("enter a URL such as http://127.0.0.1:8080"))
		}
		return address, nil
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, flagError("--listen", err)
	}
	switch ip := net.ParseIP(host); {
	case host == "" || ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}, nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
