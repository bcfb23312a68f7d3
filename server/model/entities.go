// Package model defines what the server remembers: the entities, the rules that hold
// for each by itself, and the [Store] that keeps them.
//
//   - An [Org] is a customer. Everything below belongs to one and is invisible to all
//     others.
//   - A [Licence] is the key with which an organization's programs call.
//   - A [Schema] is a saved schema document.
//   - An [Import] is one run of one file against one schema, frozen when the import is
//     made. Its [Status] changes by the table in states.go only.
//   - An [Upload] is the received file of an import and the account of what became of it.
//   - A [LearnedMapping] is what a person decided about a file, to be offered again to
//     imports of the same kind.
//   - An [Edit] is an entry in the log of what people change in the rows of an import
//     under review.
//   - A [Session] keeps the state of an unfinished embedded import.
//   - A [Credential] is what is needed to log in to an SFTP server.
//   - A [Connector] fetches the new files of a folder there by itself; a [PullRun] is one
//     of its runs, a [PulledFile] a file that it knows of.
//   - A [Webhook] is where events are sent to; a [Delivery] is a message for one receiver,
//     an [Attempt] one try at it.
//   - A [Retention] says how long parts of imports are kept; a [Deletion] is the receipt
//     of what was deleted.
//
// [Env] holds what all use cases work with: the store, the blobs, the clock and the
// keys. The package knows no SQL, no HTTP and no wire names. What is done with the
// entities is up to the use cases: auth, schemas, imports, review, connectors, webhooks
// and retention.
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

// LicenceKind says for whom a licence key is made.
type LicenceKind string

// The kinds of licence keys.
const (
	// Backend keys are for an organization's servers. They open the whole API.
	Backend LicenceKind = "backend"
	// Frontend keys are for web pages. They open no backend operation.
	Frontend LicenceKind = "frontend"
)

// Licence is a key with which an organization calls. The key itself is not
// kept.
type Licence struct {
	ID   string
	Org  string
	Kind LicenceKind
	// Hash is the keyed hash of the key.
	Hash []byte
	// Hint is the beginning of the key, enough to tell keys apart.
	Hint    string
	Created time.Time
	// Expires and Revoked are zero where there is no such time.
	Expires time.Time
	Revoked time.Time
}

// Document is a schema document as it was sent: JSON texts.
type Document struct {
	Fields   json.RawMessage
	Settings json.RawMessage
	Hooks    json.RawMessage
}

// Schema is a saved schema, or the one that belongs to a single import.
type Schema struct {
	ID       string
	Org      string
	Name     string
	Document Document
	// Inline schemas belong to one import: they can be read by id and are
	// neither listed nor changed.
	Inline   bool
	Created  time.Time
	Modified time.Time
}

// User is the person on whose behalf a file is imported. All parts may be "".
type User struct {
	ID          string
	Name        string
	Email       string
	CompanyID   string
	CompanyName string
}

// File is a stored file.
type File struct {
	// Key is the blob's key; "" where there is no file.
	Key    string
	Size   int64
	SHA256 string
}

// Import is one run of one file against one schema.
type Import struct {
	ID       string
	Org      string
	SchemaID string
	UploadID string
	Status   Status
	// Run counts the attempts. Whoever works on an import writes under the
	// number it was given, and no longer once the number has moved on.
	Run int
	// Lost counts the attempts whose process died.
	Lost int
	// Node is the process that runs the import, while Status is Running.
	Node string
	// Filename is the name the sender gave the file, or "".
	Filename string
	// HasUser says that a user was sent with the import.
	HasUser bool
	User    User
	// Schema is the merged schema, frozen when the import was made.
	Schema Document
	// Answers are what a person decided about the file.
	Answers intray.Answers
	// Memory is what was remembered when the import first ran, so that each run
	// is offered the same. Nil before, once the import has ended, and for imports
	// without an identifier.
	Memory *intray.LearnedMappings
	// Inline imports bring their rows in the request; they take no upload.
	Inline bool
	// Raw is the received file.
	Raw File
	// Stage is the prefix of the staged rows; "" where there are none.
	Stage string
	// Result is the finished JSON file.
	Result File
	// Outcome is what the last finished attempt found; nil before.
	Outcome  *Outcome
	Created  time.Time
	Modified time.Time
	// Queued is when the import became Pending.
	Queued time.Time
}

// Outcome is what an attempt found out about a file.
type Outcome struct {
	engine.Outcome
	// OutputRows counts the rows of the result.
	OutputRows int64
	// Finished is when the attempt ended.
	Finished time.Time
}

// Upload is the received file of an import and its account.
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
	// FieldOrder are the keys of the schema's fields.
	FieldOrder []string
	// Problems is what was found wrong; empty before the end.
	Problems ProblemSummary
	Created  time.Time
}

// ProblemSummary tells what was found wrong with an upload: the rows with a problem of
// level error, and the problems of all levels.
type ProblemSummary struct {
	// InvalidRows are the first of the rows with an error: at most 10,000.
	InvalidRows []int64
	// Errors are the first of the problems: at most 1,000.
	Errors []intray.Notice
}

// The most that a list of uploads tells of each account.
const (
	ListedInvalidRows = 1000
	ListedErrors      = 10
)

// Listed gives the part of the account that a list of uploads tells.
func (a ProblemSummary) Listed() ProblemSummary {
	return ProblemSummary{
		InvalidRows: a.InvalidRows[:min(len(a.InvalidRows), ListedInvalidRows)],
		Errors:      a.Errors[:min(len(a.Errors), ListedErrors)],
	}
}

// Session keeps the state of an unfinished embedded import.
type Session struct {
	ID               string
	Org              string
	ImportIdentifier string
	// Tag changes with every saved state; "" where none was saved.
	Tag string
	// File is the file being imported, with its name and media type.
	File        File
	FileName    string
	ContentType string
	Created     time.Time
	// Saved is when anything was last saved, at first the time of creation.
	Saved time.Time
}

// AuthType says how to log in to an SFTP server.
type AuthType string

// The ways to log in.
const (
	AuthPassword AuthType = "PASSWORD"
	AuthKey      AuthType = "KEY"
)

// Credential is what is needed to log in to an SFTP server.
type Credential struct {
	ID       string
	Org      string
	Hostname string
	Port     int
	User     string
	AuthType AuthType
	// Sealed is the password or the private key, encrypted.
	Sealed []byte
	// Fingerprint tells which secret is stored.
	Fingerprint string
	// HostKey is the server's key, pinned at the first successful connection;
	// "" before.
	HostKey  string
	Created  time.Time
	Modified time.Time
}

// Webhook is where events of an organization are sent to.
type Webhook struct {
	ID  string
	Org string
	// URL is "" of one whose messages are fetched by a program that listens.
	URL string
	// Enabled webhooks are told; one that only failed for days is not any more.
	Enabled bool
	// Development says of which imports: "true" and "false" are those with that
	// developmentMode, "" all.
	Development string
	// Events, Identifiers and SchemaIDs narrow what is told; an empty list does not.
	Events, Identifiers, SchemaIDs []string
	// Sealed is the secret, and Before the one before it, which signs too until a day
	// after Rotated.
	Sealed, Before []byte
	Rotated        time.Time
	// FailureStreak is the row of attempts that all failed.
	FailureStreak     FailureStreak
	Created, Modified time.Time
}

// FailureStreak is an unbroken row of attempts at a receiver that failed. The zero Failing
// is that of one that did not fail last.
type FailureStreak struct {
	Since, Last time.Time
	Failures    int
}

// DeliveryStatus says where a delivery stands.
type DeliveryStatus string

// The states of a delivery. One that was given up has Failed.
const (
	Waiting   DeliveryStatus = "WAITING"
	Delivered DeliveryStatus = "DELIVERED"
	GivenUp   DeliveryStatus = "FAILED"
)

// Delivery is a message for one receiver.
type Delivery struct {
	// ID is the message's own: each attempt carries it.
	ID  string
	Org string
	// WebhookID is "" where the address is one of a schema's settings.
	WebhookID string
	// ImportID is "" where the message tells of no import.
	ImportID string
	// Target names the receiver: what fails for one does not hold up others.
	Target      string
	Event       string
	URL         string
	ContentType string
	// Body is nil where what it told of was deleted.
	Body    []byte
	Status  DeliveryStatus
	Tries   int
	Due     time.Time
	Node    string
	Created time.Time
}

// Target names a receiver of an organization.
type Target struct{ Org, Key string }

// Attempt is one try at a delivery.
type Attempt struct {
	DeliveryID string
	// Number counts from 1.
	Number int
	At     time.Time
	// Took is how long it took, and Answered when the head of the answer was there.
	Took, Answered time.Duration
	Delivered      bool
	// Status is that of the answer, or 0.
	Status int
	// Message is a sentence for people.
	Message intray.Message
	Head    map[string][]string
	Body    []byte
}

// Connector fetches the new files of a folder on an SFTP server by itself and makes
// an import of each.
type Connector struct {
	ID           string
	Org          string
	CredentialID string
	SchemaID     string
	Schedule     Schedule
	Directory    string
	// Pattern is a regular expression (RE2) that names of files must fit; "" is all.
	Pattern string
	// PutDirectory is where results are put back, in the format PutFormat; "" nowhere.
	PutDirectory, PutFormat string
	// Last is when it ran last, Next when it runs next, and Failures how many of the
	// last runs failed in a row.
	Last, Next        time.Time
	Failures          int
	Node              string
	Created, Modified time.Time
}

// Schedule says when a connector runs: every so many minutes or, where that is 0,
// daily at a time of UTC such as 07:30.
type Schedule struct {
	Minutes int
	Daily   string
}

// RemoteFile is one version of a file on a server.
type RemoteFile struct {
	Path string
	Size int64
	// Modified is zero where the server does not tell.
	Modified time.Time
}

// PulledFile is what a connector knows of one version of a file.
type PulledFile struct {
	Org         string
	ConnectorID string
	File        RemoteFile
	// Since is when it was listed first, and Gone when it was first missing.
	Since, Gone time.Time
	// Taken says that ImportID was made of it.
	Taken    bool
	ImportID string
	// Put says where putting its result back stands: "", WAITING, DONE or FAILED.
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
	// Kind says for programs what went wrong, and Told for people.
	Kind    string
	Message intray.Message
	// Listed, Fetched and Waiting count files; Waiting ones may still change.
	Listed, Fetched, Waiting int
	// Skipped are the first entries that are no files to fetch, each with the reason.
	Skipped []intray.Message
}

// Retention says for how many days the parts of imports are kept after their end; 0
// is for ever.
type Retention struct {
	Org string
	// SchemaID is that of the saved schema whose imports are meant; "" means all that
	// have no rule of their own.
	SchemaID                     string
	Originals, Results, Problems int
}

// KeptPart is a part of an import that is kept for a time of its own.
type KeptPart string

// The parts of an import: its file as it was received; its result, with the rows that
// it was made of; and what was found wrong, with the cells that are told of.
const (
	Originals KeptPart = "original"
	Results   KeptPart = "result"
	Problems  KeptPart = "problems"
)

// Deletion is the receipt of what was deleted of an import.
type Deletion struct {
	ID       string
	Org      string
	ImportID string
	Made     time.Time
	// Reason says why: "asked for" or "retention".
	Reason string
	Parts  []DeletedPart
}

// DeletedPart is a part that was deleted. Problems have neither size nor hash.
type DeletedPart struct {
	Part   KeptPart
	Size   int64
	SHA256 string
}

// Replay is the answer to a request that carried an idempotency key.
type Replay struct {
	Org string
	// Key is the key as it was sent.
	Key string
	// Fingerprint is a hash of the request's method, path and body.
	Fingerprint string
	// Node is the process that works on the request. Status is 0 meanwhile.
	Node    string
	Status  int
	Sealed  []byte
	Created time.Time
}

// MemoryKind says about what a person decided.
type MemoryKind string

// The kinds of what is remembered.
const (
	// ColumnMemory: a column with the header Text feeds the field.
	ColumnMemory MemoryKind = "column"
	// ValueMemory: a cell of the field that holds Text is read as Value.
	ValueMemory MemoryKind = "value"
)

// LearnedMapping is one thing that a person decided about a file. It is offered again
// to imports of the same organization and import identifier.
type LearnedMapping struct {
	Org              string
	ImportIdentifier string
	Kind             MemoryKind
	// Field is the key of a field.
	Field string
	Text  string
	// Value is "" for a column.
	Value string
	// On is when the import ended for which it was decided.
	On time.Time
}

// Trash is a blob that nothing refers to any more, to be removed when due.
type Trash struct {
	// Prefix is a blob's key, or the beginning of the keys of many.
	Prefix string
	Due    time.Time
}

// Edit is an entry of the log of an import under review: what a person changed in
// its rows, or that the last change was undone, or done again.
type Edit struct {
	Org      string
	ImportID string
	// Run is the run whose rows are changed, Seq the place in its log, from 1.
	Run int
	Seq int64
	// Op is the id that the caller gave, so that nothing is done twice.
	Op string
	// Kind is that of a change, or undo or redo.
	Kind string
	// Change is the number of the change that was made, undone or done again; 0 where
	// nothing was changed.
	Change int64
	// Request says what was asked for, Told what came of it.
	Request json.RawMessage
	Result  json.RawMessage
	// Revision is what the draft of the rows needs to know of the change; nil where
	// it was undone or done again.
	Revision []byte
	Made     time.Time
}

// The kinds of entries that are no changes.
const (
	UndoEdit = "undo"
	RedoEdit = "redo"
)

// Prefix is where everything of an import is stored.
func (imp Import) Prefix() string { return "imports/" + imp.ID }

// RawKey is the blob of one attempt to receive the file.
func (imp Import) RawKey(attempt string) string { return imp.Prefix() + "/raw/" + attempt }

// RunPrefix is where one run of the import writes.
func (imp Import) RunPrefix(run int) string { return fmt.Sprintf("%s/run-%d", imp.Prefix(), run) }

// HookPins are what hooks are told of time and chance: the same in each run of the
// import.
func (imp Import) HookPins() intray.HookEnv {
	sum := sha256.Sum256([]byte(imp.ID))
	return intray.HookEnv{Now: imp.Created, Seed: binary.LittleEndian.Uint32(sum[:])}
}

// SourceName is the name by which a format may be recognized.
func (imp Import) SourceName() string {
	if imp.Inline {
		return "initial_data.json"
	}
	return imp.Filename
}

// RecalledMemory is what a run is offered.
func (imp Import) RecalledMemory() intray.LearnedMappings {
	if imp.Memory == nil {
		return intray.LearnedMappings{}
	}
	return *imp.Memory
}

// OpenQuestions are the questions of an import that only a person can answer.
func (imp Import) OpenQuestions() []intray.Question {
	if imp.Outcome == nil || imp.Status != NeedsReview {
		return nil
	}
	return imp.Outcome.Questions
}
