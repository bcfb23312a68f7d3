package app

import (
	"net/http"
	"time"

	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/webhook"
)

// SignMessage gives the headers that sign a message of a webhook.
func SignMessage(id, contentType string, body []byte, at time.Time, secret string) (http.Header, error) {
	return webhook.Sign(webhook.Message{ID: id, Body: webhook.Body{ContentType: contentType, Bytes: body}}, at, seal.NewSecret(secret))
}
