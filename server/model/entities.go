// Package model defines the entities of the server, the rules for each of them, and
// the [Store] that holds them.
//
//   - An [Org] is a customer. Each of the other entities belongs to one organization and
//     is invisible to all other organizations.
//   - A [Licence] is an API key of an organization.
//   - A [Schema] is a saved schema document.
//   - An [Import] is one file with its settings and status, from upload to result. Its
//     schema is frozen at its creation. Its [Status] changes only as states.go allows.
//   - An [Upload] is the received file of an import, with a report on its problems.
//   - A [LearnedMapping] is a person's decision about a file. Intray reuses it for
//     later imports of the same kind.
//   - An [Edit] is an entry in the log of changes to the rows of an import under review.
//   - A [Session] holds the state of an unfinished embedded import.
//   - A [Credential] is a login for an SFTP server.
//   - A [Connector] fetches new files from a folder on an SFTP server. A [PullRun] is one
//     of its runs, and a [PulledFile] is a file that it has seen.
//   - An [ImportLink] is a public link through which people send files for a schema.
//   - A [Webhook] is a receiver of events. A [Delivery] is a message to a receiver, and an
//     [Attempt] is an attempt to send it.
//   - A [Retention] is a policy that determines how long parts of imports are kept. A
//     [Deletion] is the receipt for deleted parts.
//
// [Env] holds the dependencies that all use cases need: the store, the blobs, the clock and the
// keys. The package does not depend on SQL, HTTP or the names used in the API. The use cases are
// in the packages auth, schemas, imports, review, connectors, webhooks and retention.
package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
)

// Org is a customer.
type Org struct {
	ID      string
	Name    string
	Created time.Time
	// Limits are the limits that an operator has set for this organization. They take precedence over
	// those of [Quotas]. 0 means no limit.
	Limits map[Quota]int64
	State  OrgState
}

// LicenceKind is the kind of an API key.
type LicenceKind string

// The kinds of API keys.
const (
	// Backend keys are for servers and give access to the whole API.
	Backend LicenceKind = "backend"
	// Frontend keys are for web pages and give no access to backend operations.
	Frontend LicenceKind = "frontend"
)

// Licence is an API key of an organization, without the key itself.
type Licence struct {
	ID   string
	Org  string
	Kind LicenceKind
	// Hash is the keyed hash of the key.
	Hash []byte
	// Hint is the beginning of the key. It is long enough for people to distinguish keys.
	Hint    string
	Created time.Time
	// Expires is zero if the key does not expire. Revoked is zero if the key is not revoked.
	Expires time.Time
	Revoked time.Time
	// Scopes limits the operations that a backend key may call.
	Scopes Scopes
	// Origins are the origins of the pages that may embed an importer with a frontend key.
	Origins Origins
	// Used is the time when the key was last used, at most an hour too early. It is zero if the
	// key was never used.
	Used time.Time
}

// Scope is a group of operations.
type Scope string

// The scopes of API keys. They do not include each other.
const (
	// ScopeRead allows reading imports, uploads, results and saved schemas.
	ScopeRead Scope = "read"
	// ScopeImport allows creating imports and sessions, uploading files, and deleting imports.
	ScopeImport Scope = "import"
	// ScopeReview allows answering questions, and obtaining and revoking review links.
	ScopeReview Scope = "review"
	// ScopeAdmin allows everything that applies to the whole organization: changing schemas, and
	// managing webhooks, SFTP, learned mappings and retention.
	ScopeAdmin Scope = "admin"
)

// Scopes is a list of scopes, separated by commas. The empty list contains all scopes.
type Scopes string

// ParseScopes returns the scopes with the given names. It returns an Invalid error if
// one of them does not exist. Without names, it returns the empty list.
func ParseScopes(names []string) (Scopes, error) {
	for _, name := range names {
		switch Scope(name) {
		case ScopeRead, ScopeImport, ScopeReview, ScopeAdmin:
		default:
			return "", InvalidField("scopes", intray.NewMessage("license_key.unknown_scope", intray.Params{"scope": name}))
		}
	}
	return Scopes(strings.Join(names, ",")), nil
}

// Contains reports whether the list contains a scope.
func (s Scopes) Contains(scope Scope) bool {
	return s == "" || slices.Contains(strings.Split(string(s), ","), string(scope))
}

// Document is a schema document in JSON, as it was received.
type Document struct {
	Fields   json.RawMessage
	Settings json.RawMessage
	Hooks    json.RawMessage
	// Extensions are what goes beyond the other documents. Of a saved schema, only SetExtensions
	// changes them.
	Extensions json.RawMessage
}

// Schema is a saved schema, or the inline schema of one import.
type Schema struct {
	ID       string
	Org      string
	Name     string
	Document Document
	// Inline schemas belong to one import. They can be read by id, but they are not
	// listed and cannot be changed.
	Inline   bool
	Created  time.Time
	Modified time.Time
}

// User is the person for whom a file is imported. Any field may be "".
type User struct {
	ID          string
	Name        string
	Email       string
	CompanyID   string
	CompanyName string
}

// File is a stored file.
type File struct {
	// Key is the key of the blob, or "" if there is no file.
	Key    string
	Size   int64
	SHA256 string
}

// Stored reports whether there is a file and all of it was received.
func (f File) Stored() bool { return f.Key != "" && f.SHA256 != "" }

// Import is one file with its settings and status, from upload to result.
type Import struct {
	ID       string
	Org      string
	SchemaID string
	UploadID string
	Status   Status
	// Run is the number of attempts so far. A worker writes its files under the number
	// of its attempt, and only until the next attempt begins.
	Run int
	// Lost is the number of attempts that crashed or failed for reasons other than the file.
	Lost int
	// Alone is set if the import ran in a process that was killed for lack of memory. A process
	// that runs such an import runs no other imports at the same time.
	Alone bool
	// Node is the process that is running the import. It is only set while Status is Running.
	Node string
	// Filename is the file name that the client sent, or "".
	Filename string
	// HasUser reports whether the client sent a user with the import or a hook set one.
	HasUser bool
	User    User
	// Schema is the merged schema as of the creation of the import.
	Schema Document
	// Answers are people's decisions about the file.
	Answers intray.Answers
	// Memory holds the learned mappings that the first finished run used, so that all later runs use the
	// same ones. It is nil before a run has finished, after the import has ended, and if the import
	// has no identifier.
	Memory *intray.LearnedMappings
	// LinkID is the id of the import link through which the import was created, or "".
	LinkID string
	// Confirm is set if a person works on the import on a page. The import then becomes NeedsReview
	// even if nothing is wrong, and only the person submits it.
	Confirm bool
	// Sync is the mode of an embedded import, or "" if the import is not embedded. Seen is the time when
	// its page was last seen, at most SeenPrecision too early.
	Sync SyncMode
	Seen time.Time
	// SessionID is the id of the session that keeps an embedded import until it is submitted, or "".
	SessionID string
	// PageHooks are the hooks that run in the page that embeds the importer.
	PageHooks PageHooks
	// Inline imports receive their rows in the request that creates them. They accept no upload.
	Inline bool
	// Raw is the file as it was received.
	Raw File
	// Stage is the prefix of the staged rows, or "" if there are none.
	Stage string
	// Result is the result as a JSON file.
	Result File
	// Outcome is the outcome of the last finished attempt, or nil if none has finished.
	Outcome *Outcome
	// Review is the current review link.
	Review   ReviewLink
	Created  time.Time
	Modified time.Time
	// Queued is the time when the import became Pending, or the later time from which it may be
	// claimed after a failed attempt.
	Queued time.Time
}

// ReviewLink describes the link that opens the review of an import. An import has at most one
// valid link.
type ReviewLink struct {
	// Version is part of the token in the link. Creating or revoking a link increases it, which
	// invalidates earlier links and the sessions that were opened with them.
	Version int
	Expires time.Time
	// Licence is the id of the API key that requested the link, or "" if a connector created
	// the import. Revoking the key invalidates the link.
	Licence string
}

// Outcome is the result of processing a file in one attempt.
type Outcome struct {
	engine.Outcome
	// OutputRows is the number of rows in the result.
	OutputRows int64
	// Finished is the time when the attempt ended.
	Finished time.Time
}

// Upload is the received file of an import, with a report on its problems.
type Upload struct {
	ID               string
	Org              string
	ImportID         string
	ImportIdentifier string
	Filename         string
	// Raw is the file as it was received. While a resumable upload is in progress, Raw has its key
	// and declared size, but no SHA256.
	Raw       File
	Result    File
	User      User
	Status    UploadStatus
	TotalRows int64
	// FieldOrder holds the keys of the fields in schema order.
	FieldOrder []string
	// Problems is empty until the import has ended.
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

// The maximum lengths of the lists in a ProblemSummary that is part of a list of uploads.
const (
	ListedInvalidRows = 1000
	ListedErrors      = 10
)

// Listed returns the part of the summary that is included in a list of uploads.
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
	// Tag changes each time the state is saved. It is "" until the state is first saved.
	Tag string
	// File is the file to import. FileName is its name, and ContentType its media type.
	File        File
	FileName    string
	ContentType string
	// ImportID is the id of the import that an embedded importer keeps in this session, or "".
	ImportID string
	Created  time.Time
	// Saved is the time when the state or the file was last saved. Initially, it is the
	// creation time.
	Saved time.Time
}

// AuthType is a method for logging in to an SFTP server.
type AuthType string

// The methods for logging in to an SFTP server.
const (
	AuthPassword AuthType = "PASSWORD"
	AuthKey      AuthType = "KEY"
	// AuthKeyAndPassword is for servers that require both.
	AuthKeyAndPassword AuthType = "KEY_AND_PASSWORD"
)

// Credential is a login for an SFTP server.
type Credential struct {
	ID       string
	Org      string
	Hostname string
	Port     int
	User     string
	AuthType AuthType
	// Sealed is the encrypted password or private key.
	Sealed []byte
	// Fingerprint identifies the secret in Sealed.
	Fingerprint string
	// HostKey is the host key of the server, pinned at the first successful connection.
	// It is "" until then.
	HostKey  string
	Created  time.Time
	Modified time.Time
}

// Webhook is a receiver of events of an organization.
type Webhook struct {
	ID  string
	Org string
	// URL is the address of the receiver. It is "" if a program fetches the messages instead.
	URL string
	// Enabled webhooks receive messages. Intray disables a webhook that has failed for days or
	// whose receiver is gone.
	Enabled bool
	// Development selects imports by their developmentMode: "true", "false", or "" for both.
	Development string
	// Events, Identifiers and SchemaIDs select events and imports. An empty list selects all.
	Events, Identifiers, SchemaIDs []string
	// Sealed is the encrypted secret, and Before is the previous one. Intray also signs
	// with the previous secret until one day after Rotated.
	Sealed, Before []byte
	Rotated        time.Time
	// FailureStreak describes the failures since the last success.
	FailureStreak     FailureStreak
	Created, Modified time.Time
}

// FailureStreak describes consecutive failed attempts to reach a receiver. It is
// zero after a success.
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
	// ID is the id of the message. It is the same in each attempt.
	ID  string
	Org string
	// WebhookID is "" if the URL comes from the settings of a schema.
	WebhookID string
	// ImportID is "" if the message is not about an import.
	ImportID string
	// Target identifies the receiver. A failing receiver does not delay deliveries to
	// other receivers.
	Target      string
	Event       string
	URL         string
	ContentType string
	// Body is the message. It is nil if the data in the message was deleted.
	Body    []byte
	Status  DeliveryStatus
	Tries   int
	Due     time.Time
	Node    string
	Created time.Time
}

// DeliveryPosition is the position of a delivery among those of a webhook, which are ordered by the
// time of their creation and then by id. A position with an empty ID precedes all deliveries that
// were created at that time.
type DeliveryPosition struct {
	Created time.Time
	ID      string
}

// Target identifies a receiver of deliveries within an organization.
type Target struct{ Org, Key string }

// Attempt is an attempt to send a message.
type Attempt struct {
	DeliveryID string
	// Number is the number of the attempt, counted from 1.
	Number int
	At     time.Time
	// Took is the duration of the attempt. Answered is the time until the response
	// headers arrived.
	Took, Answered time.Duration
	Delivered      bool
	// Status is the HTTP status of the response, or 0 if there was none.
	Status int
	// Message describes the result in a sentence.
	Message intray.Message
	Head    map[string][]string
	Body    []byte
}

// Connector fetches new files from a folder on an SFTP server and creates an import
// for each of them.
type Connector struct {
	ID           string
	Org          string
	CredentialID string
	SchemaID     string
	Schedule     Schedule
	Directory    string
	// Pattern is an RE2 regular expression that file names must match. "" matches all names.
	Pattern string
	// PutDirectory is the folder to which results are uploaded, and PutFormat is their
	// format. If PutDirectory is "", results are not uploaded.
	PutDirectory, PutFormat string
	// Last is the time of the last run, and Next is the time of the next one. Failures
	// is the number of failed runs since the last successful one.
	Last, Next time.Time
	Failures   int
	// FailedUploads is the number of results whose last attempt to be uploaded failed. It is
	// counted when the service returns the connector, and is not stored.
	FailedUploads     int64
	Node              string
	Created, Modified time.Time
}

// Schedule determines when a connector runs. The connector runs every Minutes minutes. If
// Minutes is 0, it runs once a day at the time in Daily, such as 07:30, in UTC.
type Schedule struct {
	Minutes int
	Daily   string
}

// RemoteFile is one version of a file on an SFTP server.
type RemoteFile struct {
	Path string
	Size int64
	// Modified is the modification time. It is zero if the server does not report one.
	Modified time.Time
}

// PulledFile is one version of a file, as a connector has seen it.
type PulledFile struct {
	Org         string
	ConnectorID string
	File        RemoteFile
	// Since is the time when the version was first listed. Gone is the time when it was
	// first missing.
	Since, Gone time.Time
	// Taken reports whether the file was imported. ImportID is the import.
	Taken    bool
	ImportID string
	// Put is the status of the upload of the result: "", WAITING, DONE or FAILED.
	Put      string
	PutDue   time.Time
	PutTries int
	// PutKind is a code that identifies the error of the last attempt to upload the result. It is
	// "" if the attempt succeeded or there was none. PutMessage describes the error for people.
	PutKind    string
	PutMessage intray.Message
}

// ResultDeleted is the PutKind of a result that was deleted before it was uploaded.
const ResultDeleted = "result_deleted"

// PullRun is one run of a connector.
type PullRun struct {
	ID           string
	ConnectorID  string
	Began, Ended time.Time
	Succeeded    bool
	// Kind is a code that identifies the error. Message describes it for people.
	Kind    string
	Message intray.Message
	// Listed, Fetched and Waiting are numbers of files. Waiting files may still be changing.
	Listed, Fetched, Waiting int
	// Skipped holds a reason for each of the first skipped entries.
	Skipped []intray.Message
}

// Retention is the number of days for which parts of imports are kept after the
// import ends. 0 means forever.
type Retention struct {
	Org string
	// SchemaID is the id of the saved schema to which the policy applies. "" means all schemas
	// without their own policy.
	SchemaID                     string
	Originals, Results, Problems int
	// Learned is the number of days for which learned mappings are kept after they were last
	// confirmed. It is 0 in the policies of single schemas.
	Learned int
}

// KeptPart is a part of an import that has its own retention period.
type KeptPart string

// The parts of an import. Originals means the received file, Results means the result and the
// staged rows, and Problems means the problems and the cells that they mention.
const (
	Originals KeptPart = "original"
	Results   KeptPart = "result"
	Problems  KeptPart = "problems"
)

// Deletion is a receipt for deleted parts of an import.
type Deletion struct {
	ID       string
	Org      string
	ImportID string
	Made     time.Time
	// Reason is "asked for" if a user requested the deletion, or "retention" if a
	// policy caused it.
	Reason string
	Parts  []DeletedPart
}

// DeletedPart is a deleted part of an import. Problems have neither a size nor a hash.
type DeletedPart struct {
	Part   KeptPart
	Size   int64
	SHA256 string
}

// Replay is the stored response to a request with an idempotency key.
type Replay struct {
	Org string
	// Key is the idempotency key as it was received.
	Key string
	// Fingerprint is a hash of the method, path and body of the request.
	Fingerprint string
	// Node is the process that is handling the request. Status is 0 until the request
	// has been handled.
	Node    string
	Status  int
	Sealed  []byte
	Created time.Time
}

// MemoryKind is the kind of a learned mapping.
type MemoryKind string

// The kinds of learned mappings.
const (
	// ColumnMemory maps a column with the header Text to the field.
	ColumnMemory MemoryKind = "column"
	// ValueMemory replaces the raw value Text in a cell of the field with Value.
	ValueMemory MemoryKind = "value"
)

// LearnedMapping is a person's decision about a file. Intray reuses it for later imports of the
// same organization and import identifier.
type LearnedMapping struct {
	Org              string
	ImportIdentifier string
	Kind             MemoryKind
	// Field is the key of the field.
	Field string
	Text  string
	// Value is the value for the raw value Text. It is "" for a column.
	Value string
	// ImportID is the import from which the mapping was learned. It is "" for a mapping from a
	// lexicon file.
	ImportID string
	// On is the end time of that import, or the time in the lexicon file.
	On time.Time
}

// Trash identifies blobs to be deleted at a given time.
type Trash struct {
	// Prefix is the key of a blob or the common prefix of several keys.
	Prefix string
	Due    time.Time
}

// Edit is an entry in the log of an import under review. It records a change to
// rows, or an undo or redo of a change.
type Edit struct {
	Org      string
	ImportID string
	// Run is the run whose rows were changed. Seq is the position in the log of the
	// run, counted from 1.
	Run int
	Seq int64
	// Op is an id that the caller chooses. It ensures that no change is made twice.
	Op string
	// Kind is the kind of change, or undo or redo.
	Kind string
	// Change is the number of the change that was made, undone or redone. It is 0 if the change
	// had no effect.
	Change int64
	// Request is the JSON of the request, and Result is the JSON of the response.
	Request json.RawMessage
	Result  json.RawMessage
	// Revision is the stored form of the change. It is nil for undo and redo.
	Revision []byte
	Made     time.Time
}

// The kinds of entries that undo or redo changes.
const (
	UndoEdit = "undo"
	RedoEdit = "redo"
)

// Prefix returns the common prefix of all blobs of the import.
func (imp Import) Prefix() string { return importsFolder + imp.ID }

// importsFolder begins the keys of all blobs of imports.
const importsFolder = "imports/"

// RawKey returns the key of the blob for one attempt to receive the file.
func (imp Import) RawKey(attempt string) string { return imp.Prefix() + "/raw-" + attempt }

// IsRawKey reports whether key is the key of an attempt, in the current form or in the one of the
// previous version.
func (imp Import) IsRawKey(key, attempt string) bool {
	return attempt != "" && (key == imp.RawKey(attempt) || key == imp.Prefix()+"/raw/"+attempt)
}

// DirectKey returns the key of the blob that a client sends directly to the store. There is only one for an
// import, so a client cannot store more than one file beyond the quota.
func (imp Import) DirectKey() string { return imp.Prefix() + "/direct" }

// RunPrefix returns the common prefix of the blobs of a run.
func (imp Import) RunPrefix(run int) string { return fmt.Sprintf("%s/run-%d", imp.Prefix(), run) }

// FinalPrefix returns the common prefix of the blobs that submissions of the current run write.
func (imp Import) FinalPrefix() string { return imp.RunPrefix(imp.Run) + "/final" }

// HookPins returns the time and the random seed that hooks see. They are the same in
// all runs of the import.
func (imp Import) HookPins() intray.HookEnv {
	sum := sha256.Sum256([]byte(imp.ID))
	return intray.HookEnv{Now: imp.Created, Seed: binary.LittleEndian.Uint32(sum[:]), Import: imp.ID, Session: imp.SessionID}
}

// SourceName returns the file name from which the format is detected.
func (imp Import) SourceName() string {
	if imp.Inline {
		return "initial_data.json"
	}
	return imp.Filename
}

// RecalledMemory returns the learned mappings that a run uses.
func (imp Import) RecalledMemory() intray.LearnedMappings {
	if imp.Memory == nil {
		return intray.LearnedMappings{}
	}
	return *imp.Memory
}

// OpenQuestions returns the questions that still need an answer from a person.
func (imp Import) OpenQuestions() []intray.Question {
	if imp.Outcome == nil || imp.Status != NeedsReview {
		return nil
	}
	return imp.Outcome.Questions
}
