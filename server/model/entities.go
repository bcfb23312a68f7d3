// Package model defines the entities of the server, the rules for single entities, and the
// [Store] for them.
//
//   - An [Org] is a customer. All other entities belong to one and are invisible to other
//     organizations.
//   - A [Licence] is an API key of an organization.
//   - A [Schema] is a saved schema document.
//   - An [Import] is one file on its way from upload to result, with a schema that is
//     frozen when the import is created. Its [Status] changes only as states.go allows.
//   - An [Upload] is the received file of an import and the report on it.
//   - A [LearnedMapping] is a person's decision about a file, which is suggested for
//     later imports of the same kind.
//   - An [Edit] is an entry in the log of changes to the rows of an import under review.
//   - A [Session] holds the state of an unfinished embedded import.
//   - A [Credential] is a login for an SFTP server.
//   - A [Connector] fetches new files from a folder there; a [PullRun] is one of its runs,
//     a [PulledFile] a file that it has seen.
//   - A [Webhook] is a receiver of events; a [Delivery] is a message to a receiver, and an
//     [Attempt] an attempt to send it.
//   - A [Retention] is the policy for how long parts of imports are kept; a [Deletion] is
//     the receipt for deleted parts.
//
// [Env] has what all use cases need: the store, the blobs, the clock and the keys. The
// package knows no SQL, no HTTP and no wire names. The use cases are in the packages auth,
// schemas, imports, review, connectors, webhooks and retention.
package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
)

// Org is a customer.
type Org struct {
	ID      string
	Name    string
	Created time.Time
}

// LicenceKind is the kind of an API key.
type LicenceKind string

// The kinds of API keys.
const (
	// Backend keys are for servers. They give access to the whole API.
	Backend LicenceKind = "backend"
	// Frontend keys are for web pages. They give access to no backend operation.
	Frontend LicenceKind = "frontend"
)

// Licence is an API key of an organization, without the key itself.
type Licence struct {
	ID   string
	Org  string
	Kind LicenceKind
	// Hash is the keyed hash of the key.
	Hash []byte
	// Hint is the beginning of the key, enough for people to distinguish keys.
	Hint    string
	Created time.Time
	// Expires and Revoked are zero for a key that does not expire or is not revoked.
	Expires time.Time
	Revoked time.Time
}

// Document is a schema document as it was sent, in JSON.
type Document struct {
	Fields   json.RawMessage
	Settings json.RawMessage
	Hooks    json.RawMessage
}

// Schema is a saved schema, or the inline schema of one import.
type Schema struct {
	ID       string
	Org      string
	Name     string
	Document Document
	// Inline schemas belong to one import. They can be read by id, but are neither listed
	// nor changed.
	Inline   bool
	Created  time.Time
	Modified time.Time
}

// User is the person for whom a file is imported. All fields may be "".
type User struct {
	ID          string
	Name        string
	Email       string
	CompanyID   string
	CompanyName string
}

// File is a stored file.
type File struct {
	// Key is the key of the blob; "" if there is no file.
	Key    string
	Size   int64
	SHA256 string
}

// Import is one file on its way from upload to result.
type Import struct {
	ID       string
	Org      string
	SchemaID string
	UploadID string
	Status   Status
	// Run counts the attempts. A worker writes under the number of its attempt, and only
	// until another attempt begins.
	Run int
	// Lost counts the attempts whose process died.
	Lost int
	// Node is the process that runs the import while Status is Running.
	Node string
	// Filename is the name of the file as sent, or "".
	Filename string
	// HasUser reports whether a user was sent with the import.
	HasUser bool
	User    User
	// Schema is the merged schema, frozen when the import was created.
	Schema Document
	// Answers are the decisions of people about the file.
	Answers intray.Answers
	// Memory has the learned mappings at the first run, so that all runs use the same. It
	// is nil before, after the import has ended, and for imports without an identifier.
	Memory *intray.LearnedMappings
	// Inline imports have their rows in the request and accept no upload.
	Inline bool
	// Raw is the received file.
	Raw File
	// Stage is the prefix of the staged rows; "" if there are none.
	Stage string
	// Result is the JSON file with the result.
	Result File
	// Outcome is the outcome of the last finished attempt; nil before.
	Outcome  *Outcome
	Created  time.Time
	Modified time.Time
	// Queued is when the import became Pending.
	Queued time.Time
}

// Outcome is what an attempt found out about a file.
type Outcome struct {
	engine.Outcome
	// OutputRows is the number of rows in the result.
	OutputRows int64
	// Finished is when the attempt ended.
	Finished time.Time
}

// Upload is the received file of an import and the report on it.
type Upload struct {
	ID               string
	Org              string
	ImportID         string
	ImportIdentifier string
	Filename         string
	Raw              File
	Result           File
	User             User
	Status           UploadStatus
	TotalRows        int64
	// FieldOrder has the keys of the fields in the order of the schema.
	FieldOrder []string
	// Problems is empty before the import has ended.
	Problems ProblemSummary
	Created  time.Time
}

// ProblemSummary summarizes the problems of an upload.
type ProblemSummary struct {
	// InvalidRows are the first rows with a problem of level error, at most 10,000.
	InvalidRows []int64
	// Errors are the first problems of all levels, at most 1,000.
	Errors []intray.Notice
}

// The maximum lengths of the lists in a ProblemSummary within a list of uploads.
const (
	ListedInvalidRows = 1000
	ListedErrors      = 10
)

// Listed returns the part of the summary that a list of uploads contains.
func (a ProblemSummary) Listed() ProblemSummary {
	return ProblemSummary{
		InvalidRows: a.InvalidRows[:min(len(a.InvalidRows), ListedInvalidRows)],
		Errors:      a.Errors[:min(len(a.Errors), ListedErrors)],
	}
}

// Session holds the state of an unfinished embedded import.
type Session struct {
	ID               string
	Org              string
	ImportIdentifier string
	// Tag changes with each saved state; "" before the first one.
	Tag string
	// File is the file to import, with its name and media type.
	File        File
	FileName    string
	ContentType string
	Created     time.Time
	// Saved is when anything was last saved, initially the time of creation.
	Saved time.Time
}

// AuthType is a method to log in to an SFTP server.
type AuthType string

// The methods to log in.
const (
	AuthPassword AuthType = "PASSWORD"
	AuthKey      AuthType = "KEY"
)

// Credential is a login for an SFTP server.
type Credential struct {
	ID       string
	Org      string
	Hostname string
	Port     int
	User     string
	AuthType AuthType
	// Sealed is the password or the private key, encrypted.
	Sealed []byte
	// Fingerprint identifies the stored secret.
	Fingerprint string
	// HostKey is the host key of the server, pinned at the first successful connection; ""
	// before.
	HostKey  string
	Created  time.Time
	Modified time.Time
}

// Webhook is a receiver of the events of an organization.
type Webhook struct {
	ID  string
	Org string
	// URL is "" if a program fetches the messages.
	URL string
	// Enabled webhooks receive messages. A webhook that failed for days is disabled.
	Enabled bool
	// Development selects imports by their developmentMode: "true", "false", or "" for all.
	Development string
	// Events, Identifiers and SchemaIDs select events and imports; an empty list selects all.
	Events, Identifiers, SchemaIDs []string
	// Sealed is the encrypted secret, and Before the previous one, which also signs until a
	// day after Rotated.
	Sealed, Before []byte
	Rotated        time.Time
	// FailureStreak has the failures since the last success.
	FailureStreak     FailureStreak
	Created, Modified time.Time
}

// FailureStreak is a series of failed attempts at a receiver. It is zero after a success.
type FailureStreak struct {
	Since, Last time.Time
	Failures    int
}

// DeliveryStatus is the status of a delivery.
type DeliveryStatus string

// The statuses of a delivery.
const (
	Waiting   DeliveryStatus = "WAITING"
	Delivered DeliveryStatus = "DELIVERED"
	GivenUp   DeliveryStatus = "FAILED"
)

// Delivery is a message to a receiver.
type Delivery struct {
	// ID is the id of the message, which each attempt sends.
	ID  string
	Org string
	// WebhookID is "" if the URL is from the settings of a schema.
	WebhookID string
	// ImportID is "" if the message is not about an import.
	ImportID string
	// Target identifies the receiver. A failure of one receiver does not delay others.
	Target      string
	Event       string
	URL         string
	ContentType string
	// Body is nil if the data in it was deleted.
	Body    []byte
	Status  DeliveryStatus
	Tries   int
	Due     time.Time
	Node    string
	Created time.Time
}

// Target identifies a receiver of an organization.
type Target struct{ Org, Key string }

// Attempt is an attempt to send a message.
type Attempt struct {
	DeliveryID string
	// Number counts from 1.
	Number int
	At     time.Time
	// Took is the duration, and Answered the time to the response headers.
	Took, Answered time.Duration
	Delivered      bool
	// Status is the HTTP status of the response, or 0.
	Status int
	// Message describes the result for people.
	Message intray.Message
	Head    map[string][]string
	Body    []byte
}

// Connector fetches new files from a folder on an SFTP server and creates an import of
// each.
type Connector struct {
	ID           string
	Org          string
	CredentialID string
	SchemaID     string
	Schedule     Schedule
	Directory    string
	// Pattern is a regular expression (RE2) that file names must match; "" matches all.
	Pattern string
	// PutDirectory is where results are uploaded, in the format PutFormat; "" uploads none.
	PutDirectory, PutFormat string
	// Last is the time of the last run, Next that of the next one, and Failures the number
	// of failed runs since the last successful one.
	Last, Next        time.Time
	Failures          int
	Node              string
	Created, Modified time.Time
}

// Schedule is when a connector runs: every Minutes minutes or, if that is 0, daily at a
// time in UTC, such as 07:30.
type Schedule struct {
	Minutes int
	Daily   string
}

// RemoteFile is one version of a file on a server.
type RemoteFile struct {
	Path string
	Size int64
	// Modified is zero if the server does not report it.
	Modified time.Time
}

// PulledFile is one version of a file that a connector has seen.
type PulledFile struct {
	Org         string
	ConnectorID string
	File        RemoteFile
	// Since is when it was first listed, and Gone when it was first missing.
	Since, Gone time.Time
	// Taken reports whether it became the import ImportID.
	Taken    bool
	ImportID string
	// Put is the status of uploading the result: "", WAITING, DONE or FAILED.
	Put        string
	PutDue     time.Time
	PutTries   int
	PutMessage intray.Message
}

// PullRun is one run of a connector.
type PullRun struct {
	ID           string
	ConnectorID  string
	Began, Ended time.Time
	Succeeded    bool
	// Kind is what went wrong, for programs, and Message for people.
	Kind    string
	Message intray.Message
	// Listed, Fetched and Waiting count files. Waiting files may still change.
	Listed, Fetched, Waiting int
	// Skipped has the reasons for the first entries that were skipped.
	Skipped []intray.Message
}

// Retention is the number of days for which the parts of imports are kept after their end;
// 0 is forever.
type Retention struct {
	Org string
	// SchemaID is the saved schema of the imports; "" means all schemas without a policy.
	SchemaID                     string
	Originals, Results, Problems int
}

// KeptPart is a part of an import with its own retention.
type KeptPart string

// The parts of an import: the received file; the result, with the staged rows; and the
// problems, with their cells.
const (
	Originals KeptPart = "original"
	Results   KeptPart = "result"
	Problems  KeptPart = "problems"
)

// Deletion is the receipt for deleted parts of an import.
type Deletion struct {
	ID       string
	Org      string
	ImportID string
	Made     time.Time
	// Reason is "asked for" or "retention".
	Reason string
	Parts  []DeletedPart
}

// DeletedPart is a deleted part. Problems have neither size nor hash.
type DeletedPart struct {
	Part   KeptPart
	Size   int64
	SHA256 string
}

// Replay is the response to a request with an idempotency key.
type Replay struct {
	Org string
	// Key is the key as it was sent.
	Key string
	// Fingerprint is a hash of the request's method, path and body.
	Fingerprint string
	// Node is the process that handles the request. Status is 0 until it has finished.
	Node    string
	Status  int
	Sealed  []byte
	Created time.Time
}

// MemoryKind is the kind of a learned mapping.
type MemoryKind string

// The kinds of learned mappings.
const (
	// ColumnMemory means that a column with the header Text feeds the field.
	ColumnMemory MemoryKind = "column"
	// ValueMemory means that a cell of the field with the raw text Text is read as Value.
	ValueMemory MemoryKind = "value"
)

// LearnedMapping is a person's decision about a file. It is suggested for later imports of
// the same organization and import identifier.
type LearnedMapping struct {
	Org              string
	ImportIdentifier string
	Kind             MemoryKind
	// Field is the key of a field.
	Field string
	Text  string
	// Value is "" for a column.
	Value string
	// On is when the import ended that it was learned from.
	On time.Time
}

// Trash is a blob without references, to be deleted when due.
type Trash struct {
	// Prefix is the key of a blob, or the beginning of the keys of several.
	Prefix string
	Due    time.Time
}

// Edit is an entry in the log of an import under review: a change to its rows, or an undo
// or redo of a change.
type Edit struct {
	Org      string
	ImportID string
	// Run is the run whose rows are changed, and Seq the position in its log, from 1.
	Run int
	Seq int64
	// Op is an id from the caller, so that nothing is done twice.
	Op string
	// Kind is the kind of the change, or undo or redo.
	Kind string
	// Change is the number of the change that was made, undone or redone; 0 if nothing
	// changed.
	Change int64
	// Request is the request, and Result the response.
	Request json.RawMessage
	Result  json.RawMessage
	// Revision is the change as the draft stores it; nil for undo and redo.
	Revision []byte
	Made     time.Time
}

// The kinds of entries that are not changes.
const (
	UndoEdit = "undo"
	RedoEdit = "redo"
)

// Prefix returns the prefix of all blobs of the import.
func (imp Import) Prefix() string { return "imports/" + imp.ID }

// RawKey returns the key of the blob of an attempt to receive the file.
func (imp Import) RawKey(attempt string) string { return imp.Prefix() + "/raw/" + attempt }

// RunPrefix returns the prefix of the blobs of a run.
func (imp Import) RunPrefix(run int) string { return fmt.Sprintf("%s/run-%d", imp.Prefix(), run) }

// HookPins returns the time and the random seed for hooks, which are the same in all runs of
// the import.
func (imp Import) HookPins() intray.HookEnv {
	sum := sha256.Sum256([]byte(imp.ID))
	return intray.HookEnv{Now: imp.Created, Seed: binary.LittleEndian.Uint32(sum[:])}
}

// SourceName returns the file name for detecting the format.
func (imp Import) SourceName() string {
	if imp.Inline {
		return "initial_data.json"
	}
	return imp.Filename
}

// RecalledMemory returns the learned mappings for a run.
func (imp Import) RecalledMemory() intray.LearnedMappings {
	if imp.Memory == nil {
		return intray.LearnedMappings{}
	}
	return *imp.Memory
}

// OpenQuestions returns the questions that a person must answer.
func (imp Import) OpenQuestions() []intray.Question {
	if imp.Outcome == nil || imp.Status != NeedsReview {
		return nil
	}
	return imp.Outcome.Questions
}
