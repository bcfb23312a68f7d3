package model

import (
	"context"
	"iter"
	"time"

	"github.com/intraydata/intray/server/queue"
)

// Store stores everything except the contents of files. Update runs work in a transaction,
// which is durable when Update returns nil and rolled back when work returns an error. View
// runs work on one snapshot and changes nothing.
//
// A transaction that conflicts with another one is rolled back and work runs again, so work
// must change nothing but the transaction and variables that it resets. In an Update, an
// import, a session, a credential or a replay that was read with Get is locked: no other
// transaction changes it until this one ends.
//
// A missing row is an *Error of kind NotFound, and a row that violates a unique constraint
// one of kind Conflict. No method returns rows of an organization other than the given one.
type Store interface {
	Update(ctx context.Context, work func(Tx) error) error
	View(ctx context.Context, work func(Tx) error) error
	// Ping returns nil if the database answers.
	Ping(ctx context.Context) error
	// Forget overwrites deleted data, if the database is in files of this process.
	Forget(ctx context.Context) error
}

// Tx is a transaction with the rows of each entity. It ends when work returns.
type Tx struct {
	Accounts    AccountRows
	Schemas     SchemaRows
	Imports     ImportRows
	Uploads     UploadRows
	Sessions    SessionRows
	Credentials CredentialRows
	Replays     ReplayRows
	Memory      MemoryRows
	Edits       EditRows
	Webhooks    WebhookRows
	Deliveries  DeliveryRows
	Outbox      OutboxRows
	Connectors  ConnectorRows
	Pulled      PulledRows
	Pulls       PullRows
	Retention   RetentionRows
	Deletions   DeletionRows
	Owners      OwnerRows
	Trash       TrashRows
	Nodes       NodeRows
	Jobs        Jobs
}

// Jobs enqueues jobs that start after the transaction is committed.
type Jobs interface {
	Enqueue(ctx context.Context, job queue.Job) error
	// Waiting returns the number of jobs of the kind that no worker has started.
	Waiting(ctx context.Context, kind string) (int, error)
}

// AccountRows are the organizations and their API keys.
type AccountRows interface {
	// InsertOrg is a Conflict if the name exists.
	InsertOrg(ctx context.Context, org Org) error
	OrgByName(ctx context.Context, name string) (Org, error)
	// InsertLicence is a Conflict if the hash exists.
	InsertLicence(ctx context.Context, l Licence) error
	LicenceByHash(ctx context.Context, hash []byte) (Licence, error)
	// Licences returns the keys of all organizations, oldest first.
	Licences(ctx context.Context) ([]Licence, error)
	// RevokeLicence keeps the time of an earlier revocation.
	RevokeLicence(ctx context.Context, id string, at time.Time) error
	// Orgs returns all organizations, oldest first.
	Orgs(ctx context.Context) ([]Org, error)
}

// SchemaRows are the schemas. The names of saved schemas are unique in an organization.
type SchemaRows interface {
	Insert(ctx context.Context, s Schema) error
	Get(ctx context.Context, org, id string) (Schema, error)
	// List yields the saved schemas, oldest first. Rows are read as they are yielded.
	List(ctx context.Context, org string) iter.Seq2[Schema, error]
	// Replace writes Name, Document and Modified.
	Replace(ctx context.Context, s Schema) error
	Delete(ctx context.Context, org, id string) error
}

// ImportRows are the imports.
type ImportRows interface {
	Insert(ctx context.Context, imp Import) error
	Get(ctx context.Context, org, id string) (Import, error)
	// List returns at most limit imports from offset on, newest first, and the number of
	// all. Schema, Outcome, Answers and Memory are empty.
	List(ctx context.Context, org string, offset, limit int64) ([]Import, int64, error)
	// UpdateIf writes imp if the row still has the status from and the run number run;
	// otherwise it is a Conflict. ID, Org, SchemaID, UploadID, Schema, Inline and Created
	// never change.
	UpdateIf(ctx context.Context, imp Import, from Status, run int) error
	Delete(ctx context.Context, org, id string) error
	// Claim selects the next Pending import that was Queued by now, of the organization
	// that was served longest ago. It sets the import Running on node, increments its run
	// number, and records when the organization was served. Organizations with perOrg
	// Running imports are skipped. Nothing to claim is NotFound.
	Claim(ctx context.Context, node string, perOrg int, now time.Time) (Import, error)
	// InStatus returns at most limit imports of all organizations with the status, oldest
	// first. If node is not "", it returns only those of the node.
	InStatus(ctx context.Context, status Status, node string, limit int) ([]ImportRef, error)
}

// ImportRef identifies an import and its current run.
type ImportRef struct {
	Org, ID string
	Run     int
}

// UploadFilter selects uploads. Zero times select all.
type UploadFilter struct {
	// From and To bound Created, both inclusive.
	From, To time.Time
}

// UploadRows are the uploads.
type UploadRows interface {
	Insert(ctx context.Context, u Upload) error
	Get(ctx context.Context, org, id string) (Upload, error)
	// Save writes everything except ID, Org, ImportID, ImportIdentifier and Created.
	Save(ctx context.Context, u Upload) error
	Delete(ctx context.Context, org, id string) error
	// Count returns the number of Processed uploads.
	Count(ctx context.Context, org string, f UploadFilter) (int64, error)
	// Processed yields the Processed uploads, newest first, from position start up to and
	// excluding end. Each has only the Listed part of its problems. Rows are read as they
	// are yielded.
	Processed(ctx context.Context, org string, f UploadFilter, start, end int64) iter.Seq2[Upload, error]
}

// SessionRows are the sessions. Their states may be large and are read separately.
type SessionRows interface {
	Insert(ctx context.Context, s Session) error
	Get(ctx context.Context, org, id string) (Session, error)
	// LoadState returns the JSON document last saved; nil if none was.
	LoadState(ctx context.Context, org, id string) ([]byte, error)
	// Save writes Tag, File, FileName, ContentType and Saved.
	Save(ctx context.Context, s Session) error
	// SaveState writes what Save writes, and the state.
	SaveState(ctx context.Context, s Session, state []byte) error
	Delete(ctx context.Context, org, id string) error
	// ListStale returns at most limit sessions last saved before t.
	ListStale(ctx context.Context, t time.Time, limit int) ([]Session, error)
}

// CredentialRows are the SFTP credentials.
type CredentialRows interface {
	Insert(ctx context.Context, c Credential) error
	Get(ctx context.Context, org, id string) (Credential, error)
	// List returns at most limit credentials from offset on, newest first, and the number
	// of all.
	List(ctx context.Context, org string, offset, limit int64) ([]Credential, int64, error)
	// Save writes everything except ID, Org and Created.
	Save(ctx context.Context, c Credential) error
	Delete(ctx context.Context, org, id string) error
}

// ReplayRows are the stored responses for repeated requests.
type ReplayRows interface {
	// Insert is a Conflict if the organization has used the key before.
	Insert(ctx context.Context, r Replay) error
	Get(ctx context.Context, org, key string) (Replay, error)
	// Save writes Fingerprint, Node, Status, Sealed and Created.
	Save(ctx context.Context, r Replay) error
	DeleteBefore(ctx context.Context, t time.Time) error
}

// MemoryRows are the learned mappings. Organization, import identifier, kind, field and text
// are the key.
type MemoryRows interface {
	// Upsert inserts a mapping, or replaces the one with the same key.
	Upsert(ctx context.Context, r LearnedMapping) error
	// List returns at most limit mappings of an import identifier from offset on, newest
	// first, and the number of all.
	List(ctx context.Context, org, identifier string, offset, limit int64) ([]LearnedMapping, int64, error)
	// Remove deletes the mapping with the same key. A missing one is not an error.
	Remove(ctx context.Context, r LearnedMapping) error
	// Trim deletes all but the newest mappings of an import identifier: at most the given
	// number, with at most size bytes of fields, texts and values in total.
	Trim(ctx context.Context, org, identifier string, most int, size int64) error
	// Forget deletes all mappings of an import identifier.
	Forget(ctx context.Context, org, identifier string) error
}

// EditRows are the logs of imports under review. They are deleted with their imports.
type EditRows interface {
	// Append is a Conflict if the position in the log is taken, or if the import has an
	// entry with this Op.
	Append(ctx context.Context, e Edit) error
	FindByOp(ctx context.Context, org, importID, op string) (Edit, error)
	// ListAfter yields the entries of a run after seq, in order. Rows are read as they are
	// yielded.
	ListAfter(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[Edit, error]
	// LastSeq returns the position of the last entry of a run; 0 if there is none.
	LastSeq(ctx context.Context, org, importID string, run int) (int64, error)
}

// WebhookRows are the webhooks.
type WebhookRows interface {
	Insert(ctx context.Context, w Webhook) error
	Get(ctx context.Context, org, id string) (Webhook, error)
	// List returns those of an organization, oldest first.
	List(ctx context.Context, org string) ([]Webhook, error)
	// Save writes everything except ID, Org and Created.
	Save(ctx context.Context, w Webhook) error
	// Delete also deletes the deliveries.
	Delete(ctx context.Context, org, id string) error
}

// DeliveryRows are the deliveries and their attempts.
type DeliveryRows interface {
	Insert(ctx context.Context, d Delivery) error
	Get(ctx context.Context, org, id string) (Delivery, error)
	// List returns at most limit deliveries of a webhook from offset on, newest first, and
	// the number of all.
	List(ctx context.Context, org, webhookID string, offset, limit int64) ([]Delivery, int64, error)
	// Save writes Status, Tries, Due and Node.
	Save(ctx context.Context, d Delivery) error
	// Requeue sends the deliveries of a webhook that were created since a time again, and
	// returns their number.
	Requeue(ctx context.Context, org, webhookID string, since, now time.Time) (int64, error)
	Attempted(ctx context.Context, a Attempt) error
	// Attempts returns the attempts of a delivery in order.
	Attempts(ctx context.Context, deliveryID string) ([]Attempt, error)
}

// OutboxRows are the deliveries that wait to be sent.
type OutboxRows interface {
	// Targets returns at most limit targets with a URL and a due delivery that no node has
	// claimed, the longest waiting first, and at most perOrg of each organization.
	Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]Target, error)
	// ClaimDue claims the due deliveries for a target, at most limit, for a node. If node is
	// "", it only reads them. Of each import it claims only the oldest Waiting delivery.
	ClaimDue(ctx context.Context, target, node string, now time.Time, limit int) ([]Delivery, error)
	// GiveBack releases all that a node has claimed.
	GiveBack(ctx context.Context, node string) error
	// MakeDue makes all Waiting deliveries for a target due.
	MakeDue(ctx context.Context, target string, now time.Time) error
	// GiveUp sets all Waiting deliveries for a target to Failed.
	GiveUp(ctx context.Context, target string) error
	// EraseImport deletes the data of an import in deliveries, and their attempts.
	EraseImport(ctx context.Context, importID string) error
	// DeleteBefore deletes at most limit deliveries that were created before t and are not
	// Waiting, and returns their number.
	DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error)
}

// ConnectorRows are the connectors.
type ConnectorRows interface {
	Insert(ctx context.Context, c Connector) error
	Get(ctx context.Context, org, id string) (Connector, error)
	// List returns those of an organization, oldest first.
	List(ctx context.Context, org string) ([]Connector, error)
	// Save writes everything except ID, Org and Created.
	Save(ctx context.Context, c Connector) error
	// Delete also deletes the pulled files and the runs.
	Delete(ctx context.Context, org, id string) error
	// ClaimDue claims the connector that is due for the longest time, of those that no node
	// has claimed. Nothing due is NotFound.
	ClaimDue(ctx context.Context, node string, now time.Time) (Connector, error)
	// GiveBack releases all that a node has claimed.
	GiveBack(ctx context.Context, node string) error
}

// PulledRows are the versions of files that connectors have seen.
type PulledRows interface {
	ListByConnector(ctx context.Context, connectorID string) ([]PulledFile, error)
	Get(ctx context.Context, connectorID string, f RemoteFile) (PulledFile, error)
	// Upsert inserts or replaces a version.
	Upsert(ctx context.Context, f PulledFile) error
	Delete(ctx context.Context, connectorID string, f RemoteFile) error
	ByImport(ctx context.Context, importID string) (PulledFile, error)
	// ListDueUploads returns at most limit versions whose results are due for upload.
	ListDueUploads(ctx context.Context, now time.Time, limit int) ([]PulledFile, error)
}

// PullRows are the runs of connectors.
type PullRows interface {
	Insert(ctx context.Context, p PullRun) error
	// List returns at most limit runs of a connector from offset on, newest first, and the
	// number of all.
	List(ctx context.Context, connectorID string, offset, limit int64) ([]PullRun, int64, error)
	// Trim deletes all but the newest runs.
	Trim(ctx context.Context, connectorID string, keep int) error
}

// RetentionRows are the retention policies.
type RetentionRows interface {
	ListByOrg(ctx context.Context, org string) ([]Retention, error)
	ListAll(ctx context.Context) ([]Retention, error)
	// Replace replaces all policies of an organization.
	Replace(ctx context.Context, org string, list []Retention) error
	// Overdue returns at most limit imports that a policy applies to, that ended before a
	// time and still have the part. A policy for all schemas does not apply to schemas that
	// have their own.
	Overdue(ctx context.Context, of Retention, part KeptPart, before time.Time, limit int) ([]string, error)
	// DropProblems records that the problems of an import are deleted.
	DropProblems(ctx context.Context, org, importID string) error
	// DropEdits deletes the log of the reviews of an import.
	DropEdits(ctx context.Context, importID string) error
}

// DeletionRows are the receipts of deletions.
type DeletionRows interface {
	Insert(ctx context.Context, d Deletion) error
	// List returns at most limit receipts of an organization from offset on, newest first,
	// and the number of all.
	List(ctx context.Context, org string, offset, limit int64) ([]Deletion, int64, error)
}

// OwnerRows look up the owners of blobs in all organizations.
type OwnerRows interface {
	// Run returns the current run of an import, or -1 if the import does not exist.
	Run(ctx context.Context, importID string) (int, error)
	// Session reports whether the session exists.
	Session(ctx context.Context, id string) (bool, error)
}

// TrashRows are the blobs to delete.
type TrashRows interface {
	// Schedule keeps the later time if the prefix exists.
	Schedule(ctx context.Context, t Trash) error
	ListDue(ctx context.Context, now time.Time, limit int) ([]Trash, error)
	Remove(ctx context.Context, prefix string) error
}

// NodeRows are the processes that share the store. Times are those of the database.
type NodeRows interface {
	// Heartbeat records that the node is alive.
	Heartbeat(ctx context.Context, node string) error
	// Silent returns the nodes whose last heartbeat is at least that long ago.
	Silent(ctx context.Context, after time.Duration) ([]string, error)
	// List returns all nodes.
	List(ctx context.Context) ([]string, error)
	// Remove deletes a dead node. The jobs that it was working on return to the queue.
	Remove(ctx context.Context, node string) error
	// EnsureMark returns the mark with a name, which identifies what belongs to the store.
	// If there is none and fresh is not "", it sets the mark to fresh.
	EnsureMark(ctx context.Context, name, fresh string) (string, error)
}
