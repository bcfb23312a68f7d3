// Package webhook builds, signs and sends webhook messages.
//
// A [Message] is a [Body] with an id. The id and the body are the same in every attempt to
// deliver the message. Each attempt is signed as Standard Webhooks 1.0 specifies. A [Delivery]
// is one message for one URL, a [Sender] makes an attempt to deliver it, and an [Outcome] is the
// result of the attempt. [Next] determines when to retry. A [FailureStreak] determines when a
// receiver counts as dead.
//
// Receivers are untrusted: the duration and the size of an attempt are limited, and it follows
// no redirect, uses no proxy and stores no cookie. The package stores nothing, does not choose
// receivers and does not wait. The caller manages the clock and the queue.
package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/webhooks"
)

// Message is a webhook message.
type Message struct {
	// ID is the same in every attempt, so that receivers can discard duplicates. It consists of
	// 1 to 128 characters, which are letters, digits, "_" or "-".
	ID string
	Body
}

// Body is the content of a message.
type Body struct {
	ContentType string
	Bytes       []byte
}

// maxID is the maximum length of a message id, in bytes.
const maxID = 128

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// checkID returns an error if an id is invalid. An id must not contain periods, because
// otherwise a different message could have the same signature.
func checkID(id string) error {
	if id == "" || len(id) > maxID || strings.Trim(id, idLetters) != "" {
		return errors.New(`the id of a message must have 1 to 128 letters, digits, "_" and "-"`)
	}
	return nil
}

// These are the types of imports.
const (
	Headless = "HEADLESS"
	Embedded = "EMBEDDED"
)

// Import is the content of an event about an import. Body encodes empty strings as null.
type Import struct {
	// UploadID is the id of the import's upload. The event is about the upload.
	UploadID string
	// Filename is "" if the rows came without a file.
	Filename string
	// User is nil if the import was not made for a user.
	User *User
	// Ended is the time at which the import reached Status.
	Ended time.Time
	// Type is Headless or Embedded.
	Type string
	// Status is SUCCESSFUL, or for headless imports NEEDS_REVIEW or FAILED.
	Status          string
	DataRows        int64
	DevelopmentMode bool
	// HasData is true if the rows can be retrieved.
	HasData bool
	// Retrieved is the JSON object that the API returns for a headless import. Body
	// omits its members review_url and original_file_download, because they would
	// grant access to everyone who can read the message.
	Retrieved []byte
}

// User is the person for whom an import was made.
type User struct {
	ID, Name, Email, CompanyID, CompanyName string
}

// Event returns the event for the import's status. ok is false if the status has no event.
func (i Import) Event() (event webhooks.Event, ok bool) {
	if i.Status == "SUCCESSFUL" {
		return webhooks.ImportCompleted, true
	}
	events := map[string]webhooks.Event{"NEEDS_REVIEW": webhooks.HeadlessImportNeedsReview, "FAILED": webhooks.HeadlessImportFailed}
	event, ok = events[i.Status]
	return event, ok && i.Type == Headless
}

// Body returns the body of the event for the import's status. It returns an error
// if the status has no event or Retrieved is not a JSON object.
func (i Import) Body() (Body, error) {
	event, known := i.Event()
	if !known {
		return Body{}, fmt.Errorf("no event for an import of type %q with the status %q", i.Type, i.Status)
	}
	data := webhooks.ImportData{
		ID: i.UploadID, Filename: nullIfEmpty(i.Filename), User: newWireUser(i.User), CreatedDate: formatTime(i.Ended),
		ImportType: i.Type, Status: i.Status, NumDataRows: i.DataRows, DevelopmentMode: i.DevelopmentMode, HasData: i.HasData,
	}
	if i.Type == Headless {
		var err error
		if data.Headless, err = removeMembers(i.Retrieved, "review_url", "original_file_download"); err != nil {
			return Body{}, fmt.Errorf("build the event for the upload %s: %w", i.UploadID, err)
		}
	}
	return jsonBody(event, data)
}

// Disabled is the content of an event that reports a disabled webhook.
type Disabled struct {
	// ID and URL identify the disabled webhook.
	ID, URL string
	At      time.Time
	// Streak is the series of failures that caused the webhook to be disabled.
	Streak FailureStreak
	// Last is the message of the last outcome before the webhook was disabled.
	Last intray.Message
}

// Body returns the body of the event webhooks.WebhookDisabled.
func (d Disabled) Body() (Body, error) {
	return jsonBody(webhooks.WebhookDisabled, webhooks.DisabledData{
		ID: d.ID, URL: d.URL, DisabledDate: formatTime(d.At), FailingSince: formatTime(d.Streak.Since), NumFailures: d.Streak.Failures,
		LastFailure: d.Last.String(), LastFailureCode: d.Last.Code, LastFailureParams: paramsOf(d.Last),
	})
}

// ConnectorFailed is the content of an event that reports the first in a series of failed runs
// of an SFTP connector.
type ConnectorFailed struct {
	// ID and Directory are the id and the directory of the connector. RunID is the
	// id of the failed run.
	ID, Directory, RunID string
	// Kind classifies the failure for programs. Message describes it for people.
	Kind    string
	Message intray.Message
	// Failed is the time at which the run ended. NextRun is the time of the connector's next run.
	Failed, NextRun time.Time
}

// Body returns the body of the event webhooks.ConnectorFailed.
func (c ConnectorFailed) Body() (Body, error) {
	return jsonBody(webhooks.ConnectorFailed, webhooks.ConnectorFailedData{
		Directory: c.Directory, Error: c.Message.String(), ErrorCode: c.Message.Code, ErrorParams: paramsOf(c.Message),
		ErrorType: c.Kind, FailedDate: formatTime(c.Failed), ID: c.ID, NextRunDate: formatTime(c.NextRun), RunID: c.RunID,
	})
}

// DeliveryFailed is the content of an event that reports a result that could not be uploaded to
// an SFTP server.
type DeliveryFailed struct {
	// ID is the id of the connector. Directory is the folder for results.
	ID, Directory string
	// ImportID is the id of the import whose result it is.
	ImportID string
	// Status is WAITING if there is a next attempt, and FAILED otherwise.
	Status string
	// Attempts is the number of attempts up to now.
	Attempts int
	// Kind classifies the failure for programs. Message describes it for people.
	Kind    string
	Message intray.Message
	// Failed is the time of the failure. Next is the time of the next attempt. It is zero if there
	// is none.
	Failed, Next time.Time
}

// Body returns the body of the event webhooks.DeliveryFailed.
func (d DeliveryFailed) Body() (Body, error) {
	data := webhooks.DeliveryFailedData{
		ConnectorID: d.ID, Directory: d.Directory, Error: d.Message.String(), ErrorCode: d.Message.Code, ErrorParams: paramsOf(d.Message),
		ErrorType: d.Kind, FailedDate: formatTime(d.Failed), ImportID: d.ImportID, NumAttempts: d.Attempts, Status: d.Status,
	}
	if !d.Next.IsZero() {
		next := formatTime(d.Next)
		data.NextAttemptDate = &next
	}
	return jsonBody(webhooks.DeliveryFailed, data)
}

func jsonBody(event webhooks.Event, content any) (Body, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Event webhooks.Event `json:"event"`
		Data  any            `json:"data"`
	}{event, content})
	if err != nil {
		return Body{}, fmt.Errorf("encode the event %s: %w", event, err)
	}
	return Body{ContentType: "application/json", Bytes: bytes.TrimSuffix(out.Bytes(), []byte("\n"))}, nil
}

// removeMembers returns a JSON object without the members that have the given
// names. It keeps the order of the rest.
func removeMembers(object []byte, names ...string) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, fmt.Errorf("the retrieved import is not a JSON object: %.60q", object)
	}
	var kept []byte
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("parse the retrieved import: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("parse the retrieved import: %w", err)
		}
		if text, _ := name.(string); !slices.Contains(names, text) {
			kept = append(kept, ',')
			kept = append(append(append(kept, quoteJSON(text)...), ':'), value...)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("parse the retrieved import: %w", err)
	}
	return slices.Concat([]byte("{"), bytes.TrimPrefix(kept, []byte(",")), []byte("}")), nil
}

func quoteJSON(text string) []byte {
	written, err := json.Marshal(text)
	if err != nil {
		// This cannot happen, because every string can be encoded.
		panic(err)
	}
	return written
}

// formatTime formats a time for an event body, in UTC with microseconds.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// nullIfEmpty returns nil, which is encoded as null, if text is "".
func nullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func newWireUser(u *User) *webhooks.UserData {
	if u == nil {
		return nil
	}
	return &webhooks.UserData{ID: nullIfEmpty(u.ID), Name: nullIfEmpty(u.Name), Email: nullIfEmpty(u.Email), CompanyID: nullIfEmpty(u.CompanyID), CompanyName: nullIfEmpty(u.CompanyName)}
}

// paramsOf returns the parameters of a message that has a code, or nil for literal text.
func paramsOf(m intray.Message) json.RawMessage {
	if m.Code == "" {
		return nil
	}
	return m.RawParams()
}
