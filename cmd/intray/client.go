package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// maxResponse is the maximum number of bytes that a command reads from a response.
const maxResponse = 64 << 20

// apiClient is a client for the HTTP API of a server.
type apiClient struct {
	http        http.Client
	server, key string
	// bearer is the token that is sent instead of the key, unless it is "".
	bearer string
}

// newLocalClient returns a client for a server in this process. It uses no proxy.
func newLocalClient(server, key string) apiClient {
	return apiClient{http: http.Client{Transport: &http.Transport{}}, server: server, key: key}
}

// call sends body as JSON and stores the decoded JSON response in the value that into points
// to. If body is nil, it sends no body. If into is nil, it ignores the response body.
func (c *apiClient) call(ctx context.Context, method, path string, body []byte, into any) error {
	contentType := ""
	if body != nil {
		contentType = "application/json"
	}
	return c.send(ctx, method, c.server+path, contentType, body, into)
}

// send is like call, but accepts any URL and content type.
func (c *apiClient) send(ctx context.Context, method, url, contentType string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return usageError{fmt.Errorf("--server: %w", err)}
	}
	if c.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	} else {
		r.Header.Set("X-Service-License-Key", c.key)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("call the server: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	switch {
	case err != nil:
		return fmt.Errorf("read the response of the server: %w", err)
	case response.StatusCode >= http.StatusBadRequest:
		var failure struct{ Detail string }
		if json.Unmarshal(text, &failure) != nil || failure.Detail == "" {
			failure.Detail = response.Status
		}
		return fmt.Errorf("%s %s: %s", method, r.URL.Path, visibleLong(failure.Detail))
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

// download writes the body of a response to the writer.
func (c *apiClient) download(ctx context.Context, url string, to io.Writer) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("download: %w", err)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("download: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("download: the server returned status %d", response.StatusCode)
	}
	if _, err := io.Copy(to, response.Body); err != nil {
		return fmt.Errorf("download: %w", err)
	}
	return nil
}
