// Package webhook tells receivers that something happened.
//
// A Message is what a receiver gets: a Body under an id, the same bytes on every
// attempt. A Body is an event in JSON, or one of the two forms that schemas may
// ask for. A Secret of the receiver signs each attempt as Standard Webhooks 1.0
// says. A Delivery is one message for one address, a Sender makes an attempt at
// it, an Outcome says how that went. The schedule says when to try again, and a
// Streak when a receiver counts as dead.
//
// Receivers are strangers here: an attempt is bounded in time and bytes, follows
// no redirect, knows no proxy and keeps no cookie. The package keeps nothing,
// does not choose who is told of what, and never waits: the caller has the clock
// and the queue.
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

// Message is what a receiver gets.
type Message struct {
	// ID tells repeated deliveries of one message from other messages. It has 1
	// to 128 letters, digits, "_" and "-".
	ID string
	Body
}

// Body is the content of a message.
type Body struct {
	ContentType string
	Bytes       []byte
}

// maxID is the longest id of a message, in bytes.
const maxID = 128

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// checkID keeps out full stops above all: with one in the id, other content
// would have the same signature.
func checkID(id string) error {
	if id == "" || len(id) > maxID || strings.Trim(id, idLetters) != "" {
		return errors.New(`the id of a message must have 1 to 128 letters, digits, "_" and "-"`)
	}
	return nil
}

// The two ways in which an import is made.
const (
	Headless = "HEADLESS"
	Embedded = "EMBEDDED"
)

// Import is what an event tells of an import. Empty texts are null on the wire
// where nothing is known.
type Import struct {
	// UploadID is the id of the import's upload, which the event is about.
	UploadID string
	// Filename is "" where rows came without a file.
	Filename string
	// User is nil where nobody is named.
	User *User
	// Ended is when the import reached Status.
	Ended time.Time
	// Type is Headless or Embedded.
	Type string
	// Status is SUCCESSFUL, or of headless imports NEEDS_REVIEW or FAILED.
	Status          string
	DataRows        int64
	DevelopmentMode bool
	// HasData says whether the rows can be fetched.
	HasData bool
	// Retrieved is, for headless imports, the JSON object that retrieving the
	// import answers. What opens it to whoever reads along is taken out here:
	// review_url and original_file_download.
	Retrieved []byte
}

// User is the person an import was made for.
type User struct {
	ID, Name, Email, CompanyID, CompanyName string
}

// Event gives the event that tells of the import's status, and false where none
// does.
func (i Import) Event() (webhooks.Event, bool) {
	if i.Status == "SUCCESSFUL" {
		return webhooks.ImportCompleted, true
	}
	events := map[string]webhooks.Event{"NEEDS_REVIEW": webhooks.HeadlessImportNeedsReview, "FAILED": webhooks.HeadlessImportFailed}
	event, known := events[i.Status]
	return event, known && i.Type == Headless
}

// Body gives the body of the event that tells of the import's status. The error
// says that there is no such event, or that Retrieved is not what it must be.
func (i Import) Body() (Body, error) {
	event, known := i.Event()
	if !known {
		return Body{}, fmt.Errorf("no event tells of an import of type %q with the status %q", i.Type, i.Status)
	}
	wire := wireImport{
		ID: i.UploadID, Filename: nullIfEmpty(i.Filename), User: newWireUser(i.User), CreatedDate: formatTime(i.Ended),
		ImportType: i.Type, Status: i.Status, NumDataRows: i.DataRows, DevelopmentMode: i.DevelopmentMode, HasData: i.HasData,
	}
	if i.Type == Headless {
		var err error
		if wire.Headless, err = removeMembers(i.Retrieved, "review_url", "original_file_download"); err != nil {
			return Body{}, fmt.Errorf("telling of the import of upload %s: %w", i.UploadID, err)
		}
	}
	return jsonBody(event, wire)
}

// Disabled is a receiver that is told of nothing any more.
type Disabled struct {
	// ID is the id of the webhook, URL its address.
	ID, URL string
	At      time.Time
	// Streak holds the failures that led to it.
	Streak FailureStreak
	// Last is the text of the last outcome.
	Last intray.Message
}

// Body gives the body of WebhookDisabled.
func (d Disabled) Body() (Body, error) {
	return jsonBody(webhooks.WebhookDisabled, wireDisabled{
		ID: d.ID, URL: d.URL, DisabledDate: formatTime(d.At), FailingSince: formatTime(d.Streak.Since), NumFailures: d.Streak.Failures, LastFailure: d.Last.String(), LastFailureCode: d.Last.Code, LastFailureParams: paramsOf(d.Last),
	})
}

// ConnectorFailed is an SFTP connector whose runs begin to fail.
type ConnectorFailed struct {
	// ID and Directory are those of the connector, RunID that of the run that failed.
	ID, Directory, RunID string
	// Kind is the kind of failure, for programs; Message describes it.
	Kind    string
	Message intray.Message
	// Failed is when the run ended, NextRun when the connector runs again.
	Failed, NextRun time.Time
}

// Body returns the body of webhooks.ConnectorFailed.
func (c ConnectorFailed) Body() (Body, error) {
	return jsonBody(webhooks.ConnectorFailed, wireConnectorFailed{
		Directory: c.Directory, Error: c.Message.String(), ErrorCode: c.Message.Code, ErrorParams: paramsOf(c.Message),
		ErrorType: c.Kind, FailedDate: formatTime(c.Failed), ID: c.ID, NextRunDate: formatTime(c.NextRun), RunID: c.RunID,
	})
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
		return Body{}, fmt.Errorf("writing the event %s: %w", event, err)
	}
	return Body{ContentType: "application/json", Bytes: bytes.TrimSuffix(out.Bytes(), []byte("\n"))}, nil
}

// removeMembers gives the JSON object in its order, less some of its members.
func removeMembers(object []byte, names ...string) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, fmt.Errorf("what retrieving the import answers is no JSON object: %.60q", object)
	}
	var kept []byte
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("reading what retrieving the import answers: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("reading what retrieving the import answers: %w", err)
		}
		if text, _ := name.(string); !slices.Contains(names, text) {
			kept = append(kept, ',')
			kept = append(append(append(kept, quoteJSON(text)...), ':'), value...)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("reading what retrieving the import answers: %w", err)
	}
	return slices.Concat([]byte("{"), bytes.TrimPrefix(kept, []byte(",")), []byte("}")), nil
}

func quoteJSON(text string) []byte {
	written, err := json.Marshal(text)
	if err != nil {
		// A string always has a JSON form.
		panic(err)
	}
	return written
}

// formatTime is a time as the wire has it: UTC, microseconds, Z.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// nullIfEmpty is null on the wire for the empty text.
func nullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

type wireImport struct {
	ID              string          `json:"id"`
	Filename        *string         `json:"filename"`
	User            *wireUser       `json:"user"`
	CreatedDate     string          `json:"created_date"`
	ImportType      string          `json:"import_type"`
	Status          string          `json:"status"`
	NumDataRows     int64           `json:"num_data_rows"`
	DevelopmentMode bool            `json:"development_mode"`
	HasData         bool            `json:"has_data"`
	Headless        json.RawMessage `json:"headless,omitempty"`
}

type wireUser struct {
	ID          *string `json:"id"`
	Name        *string `json:"name"`
	Email       *string `json:"email"`
	CompanyID   *string `json:"company_id"`
	CompanyName *string `json:"company_name"`
}

func newWireUser(u *User) *wireUser {
	if u == nil {
		return nil
	}
	return &wireUser{nullIfEmpty(u.ID), nullIfEmpty(u.Name), nullIfEmpty(u.Email), nullIfEmpty(u.CompanyID), nullIfEmpty(u.CompanyName)}
}

type wireDisabled struct {
	ID           string `json:"id"`
	URL          string `json:"url"`
	DisabledDate string `json:"disabled_date"`
	FailingSince string `json:"failing_since"`
	NumFailures  int    `json:"num_failures"`
	LastFailure  string `json:"last_failure"`
	// The code and parameters of the sentence, for other languages.
	LastFailureCode   string          `json:"last_failure_code,omitempty"`
	LastFailureParams json.RawMessage `json:"last_failure_params,omitempty"`
}

type wireConnectorFailed struct {
	Directory   string          `json:"directory"`
	Error       string          `json:"error"`
	ErrorCode   string          `json:"error_code,omitempty"`
	ErrorParams json.RawMessage `json:"error_params,omitempty"`
	ErrorType   string          `json:"error_type"`
	FailedDate  string          `json:"failed_date"`
	ID          string          `json:"id"`
	NextRunDate string          `json:"next_run_date"`
	RunID       string          `json:"run_id"`
}

// paramsOf are the parameters of a message with a code.
func paramsOf(m intray.Message) json.RawMessage {
	if m.Code == "" {
		return nil
	}
	return m.RawParams()
}
