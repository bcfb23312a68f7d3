package httpapi

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/intraydata/intray"
)

// MaxHeaderSize is the maximum size of the header of a request, in bytes.
const MaxHeaderSize = 64 << 10

// net/http sends these headers with an error that it reports before it calls a handler.
var plainErrorHeaders = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// ReplaceProtocolError replaces a response that net/http sends before it calls a handler, for
// example because a request is not valid HTTP, by a response of the API with the same status. It
// returns the new response and its request id. For any other response, it returns nil.
func ReplaceProtocolError(response []byte) (replacement []byte, requestID string) {
	rest, ok := bytes.CutPrefix(response, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 {
		return nil, ""
	}
	status, err := strconv.Atoi(string(rest[:3]))
	if err != nil || !bytes.Contains(response, plainErrorHeaders) && status != http.StatusExpectationFailed {
		return nil, ""
	}
	message := intray.NewMessage("request.malformed_http", nil)
	switch status {
	case http.StatusExpectationFailed:
		message = intray.NewMessage("request.expectation_failed", nil)
	case http.StatusRequestHeaderFieldsTooLarge:
		message = intray.NewMessage("request.header_too_large", intray.Params{"size": MaxHeaderSize})
	case http.StatusNotImplemented:
		message = intray.NewMessage("request.transfer_encoding", nil)
	case http.StatusHTTPVersionNotSupported:
		message = intray.NewMessage("request.http_version", nil)
	}
	return protocolError(newError(status, "malformed_request", message))
}

// HTTPSRequired returns the response to a request without TLS on a port that requires it, and its
// request id.
func HTTPSRequired() (response []byte, requestID string) {
	return protocolError(newError(http.StatusBadRequest, "https_required", intray.NewMessage("request.https_required", nil)))
}

// protocolError returns a complete response of HTTP/1.1, after which the connection closes.
func protocolError(e *apiError) (response []byte, requestID string) {
	requestID = uuid.NewString()
	text := e.encode(requestID)
	header := http.Header{
		"Cache-Control": {"no-store"}, "Connection": {"close"}, "Content-Length": {strconv.Itoa(len(text))}, "Content-Type": {"application/json"},
		"X-Content-Type-Options": {"nosniff"}, "X-Request-Id": {requestID},
	}
	var to bytes.Buffer
	fmt.Fprintf(&to, "HTTP/1.1 %d %s\r\n", e.status, http.StatusText(e.status))
	_ = header.Write(&to) // a buffer never fails
	to.WriteString("\r\n")
	to.Write(text)
	return to.Bytes(), requestID
}
