// Package intray imports files with an Intray server.
//
// [Client.ImportFile] creates an import, uploads a file and waits for the result, and [Rows] reads
// the clean rows. Client.API calls all other operations: its methods and types are generated from
// the OpenAPI document of the server.
//
// # Retries
//
// A client retries a request up to four times if the connection fails or the server cannot
// process it at the moment. This is safe: each POST has an Idempotency-Key, so the server
// processes it once, and a DELETE is retried only if the server has refused it.
//
// # Errors
//
// An error of the server is an [*APIError], and an import without a result is an [*ImportError].
// Both have a code for programs. Errors of the connection are those of package net/http.
package intray

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/intraydata/intray/sdk/go/api"
)

// Config configures a client. The zero value is valid.
type Config struct {
	// HTTPClient sends the requests. Default: a client that waits up to 2 minutes for the header of
	// a response. The client must not follow redirects, because they would receive the API key.
	HTTPClient *http.Client
}

// Client calls an Intray server. It is safe for concurrent use.
type Client struct {
	// API calls the operations of the server. Its methods return an [*APIError] unless the server
	// returned a success.
	API *api.ClientWithResponses

	sender sender
}

// New returns a client of the server with a base URL such as http://127.0.0.1:8080. key is a backend
// API key. It is sent only to this URL. New returns an error if the URL or the key is invalid.
func New(server, key string, config Config) (*Client, error) {
	base, err := url.Parse(server)
	switch {
	case err != nil:
		return nil, err
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, errors.New("intray: the server must be a URL that starts with http:// or https://")
	case !strings.HasPrefix(key, "bk_"):
		return nil, errors.New("intray: the key must be a backend API key, which starts with bk_")
	}
	c := &Client{sender: sender{client: config.HTTPClient, pause: pause}}
	if c.sender.client == nil {
		c.sender.client = defaultHTTPClient()
	}
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Service-License-Key", key)
		return nil
	}
	c.API, err = api.NewClientWithResponses(server, api.WithHTTPClient(&c.sender), api.WithRequestEditorFn(authorize))
	return c, err
}

func defaultHTTPClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 2 * time.Minute
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
