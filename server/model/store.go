package model

import (
	"context"
	"iter"
	"time"

	"github.com/intraydata/intray/server/queue"
)

// Store keeps everything but the bytes of files. Update runs work in one
// transaction that is durable when Update returns nil, and undone when work
// fails; View runs it against one consistent state and changes nothing.
//
// A transaction that must give way to another is undone and work runs again, so
// work changes nothing but the transaction and variables that it sets anew. In
// an Update an import, a session, a credential or a replay that was got is held:
// no other transaction changes it before this one ends.
//
// Rows that are not there give an *Error of kind NotFound, rows that break a
// rule of uniqueness one of kind Conflict. No method returns rows of another
// organization than the one it is asked for.
type Store interface {
	Update(ctx context.Context, work func(Tx) error) error
	View(ctx context.Context, work func(Tx) error) error
	// Ping says whether the store answers.
	Ping(ctx context.Context) error
	// Forget overwrites what was deleted, as far as the store keeps it in files
	// of its own.
	Forget(ctx context.Context) error
}

// Tx is a transaction: the rows of each noun. It is gone when work returns.
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

// Jobs enqueues work that starts once the transaction has committed.
type Jobs interface {
	Enqueue(ctx context.Context, job queue.Job) error
	// Waiting counts the jobs of the kind that no worker has begun.
	Waiting(ctx context.Context, kind string) (int, error)
}

// AccountRows are the organizations and their licences.
type AccountRows interface {
	// InsertOrg is a Conflict where the name is taken.
	InsertOrg(ctx context.Context, org Org) error
	OrgByName(ctx context.Context, name string) (Org, error)
	// InsertLicence is a Conflict where the hash is there already.
	InsertLicence(ctx context.Context, l Licence) error
	LicenceByHash(ctx context.Context, hash []byte) (Licence, error)
	// Licences lists those of all organizations, oldest first.
	Licences(ctx context.Context) ([]Licence, error)
	// RevokeLicence keeps the first time of revocation.
	RevokeLicence(ctx context.Context, id string, at time.Time) error
	// Orgs lists all organizations, oldest first.
	Orgs(ctx context.Context) ([]Org, error)
}

// SchemaRows are the schemas. Names of schemas that are not inline are unique
// in an organization.
type SchemaRows interface {
	Insert(ctx context.Context, s Schema) error
	Get(ctx context.Context, org, id string) (Schema, error)
	// List yields the saved schemas, not the inline ones, oldest first. Rows are
	// read as they are yielded.
	List(ctx context.Context, org string) iter.Seq2[Schema, error]
	// Replace writes Name, Document and Modified.
	Replace(ctx context.Context, s Schema) error
	Delete(ctx context.Context, org, id string) error
}

// ImportRows are the imports.
type ImportRows interface {
	Insert(ctx context.Context, imp Import) error
	Get(ctx context.Context, org, id string) (Import, error)
	// List gives the imports from offset on, newest first, and how many there
	// are in all. Schema and Outcome are left empty.
	List(ctx context.Context, org string, offset, limit int64) ([]Import, int64, error)
	// UpdateIf writes imp, all but the columns that never change (ID, Org,
	// SchemaID, UploadID, User, Schema, Inline, Created), where the row still
	// has status from and run number run; else it is a Conflict.
	UpdateIf(ctx context.Context, imp Import, from Status, run int) error
	Delete(ctx context.Context, org, id string) error
	// Claim takes the next import that is Pending and Queued by now, of the
	// organization that was served longest ago, sets it Running on node with its run number raised by one,
	// and notes when its organization was served. Organizations that have
	// perOrg imports Running are passed over. Nothing to claim is NotFound.
	Claim(ctx context.Context, node string, perOrg int, now time.Time) (Import, error)
	// InStatus gives at most limit imports of all organizations that have the
	// status, oldest first; with a node, only those of that node.
	InStatus(ctx context.Context, status Status, node string, limit int) ([]ImportRef, error)
}

// ImportRef names an import and the run that it is at.
type ImportRef struct {
	Org, ID string
	Run     int
}

// UploadFilter narrows a list of uploads. Zero times do not.
type UploadFilter struct {
	// From and To bound Created, both inclusive.
	From, To time.Time
}

// UploadRows are the uploads.
type UploadRows interface {
	Insert(ctx context.Context, u Upload) error
	Get(ctx context.Context, org, id string) (Upload, error)
	// Save writes everything but ID, Org, ImportID, ImportIdentifier, User and
	// Created.
	Save(ctx context.Context, u Upload) error
	Delete(ctx context.Context, org, id string) error
	// Count counts the uploads that are Processed.
	Count(ctx context.Context, org string, f UploadFilter) (int64, error)
	// Processed yields the Processed uploads, newest first, from place start
	// up to, not including, end. Each comes with the Listed part of its
	// account. Rows are read as they are yielded.
	Processed(ctx context.Context, org string, f UploadFilter, start, end int64) iter.Seq2[Upload, error]
}

// SessionRows are the sessions, and apart from them their states, which may be
// large.
type SessionRows interface {
	Insert(ctx context.Context, s Session) error
	Get(ctx context.Context, org, id string) (Session, error)
	// LoadState gives the JSON document last saved; nil where none was.
	LoadState(ctx context.Context, org, id string) ([]byte, error)
	// Save writes Tag, File, FileName, ContentType and Saved.
	Save(ctx context.Context, s Session) error
	// SaveState writes what Save does, and the state.
	SaveState(ctx context.Context, s Session, state []byte) error
	Delete(ctx context.Context, org, id string) error
	// ListStale gives at most limit sessions last saved before t.
	ListStale(ctx context.Context, t time.Time, limit int) ([]Session, error)
}

// CredentialRows are the SFTP credentials.
type CredentialRows interface {
	Insert(ctx context.Context, c Credential) error
	Get(ctx context.Context, org, id string) (Credential, error)
	// List gives the credentials from offset on, newest first, and how many
	// there are in all.
	List(ctx context.Context, org string, offset, limit int64) ([]Credential, int64, error)
	// Save writes everything but ID, Org and Created.
	Save(ctx context.Context, c Credential) error
	Delete(ctx context.Context, org, id string) error
}

// ReplayRows are the answers kept for repeated requests.
type ReplayRows interface {
	// Insert is a Conflict where the organization has used the key before.
	Insert(ctx context.Context, r Replay) error
	Get(ctx context.Context, org, key string) (Replay, error)
	// Save writes Fingerprint, Node, Status, Sealed and Created.
	Save(ctx context.Context, r Replay) error
	DeleteBefore(ctx context.Context, t time.Time) error
}

// MemoryRows are what persons decided. Its place is its organization, import
// identifier, kind, field and text: at each there is one at most.
type MemoryRows interface {
	// Upsert replaces what is at the same place.
	Upsert(ctx context.Context, r LearnedMapping) error
	// List gives what an import identifier has from offset on, newest first, and
	// how many there are in all.
	List(ctx context.Context, org, identifier string, offset, limit int64) ([]LearnedMapping, int64, error)
	// Remove removes what is at the place of r. Nothing there is no error.
	Remove(ctx context.Context, r LearnedMapping) error
	// Trim leaves an import identifier the newest: at most so many, with at most
	// Size bytes of fields, texts and values together.
	Trim(ctx context.Context, org, identifier string, most int, size int64) error
	// Forget removes all that an import identifier has.
	Forget(ctx context.Context, org, identifier string) error
}

// EditRows are the logs of imports under review. They go with their imports.
type EditRows interface {
	// Append is a Conflict where the place in the log is taken, or where the
	// import has an entry with this Op.
	Append(ctx context.Context, e Edit) error
	FindByOp(ctx context.Context, org, importID, op string) (Edit, error)
	// ListAfter yields the entries of a run behind one, in their order. Rows are read
	// as they are yielded.
	ListAfter(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[Edit, error]
	// LastSeq is the place of the last entry of a run; 0 where there is none.
	LastSeq(ctx context.Context, org, importID string, run int) (int64, error)
}

// WebhookRows are the webhooks.
type WebhookRows interface {
	Insert(ctx context.Context, w Webhook) error
	Get(ctx context.Context, org, id string) (Webhook, error)
	// List gives those of an organization, oldest first.
	List(ctx context.Context, org string) ([]Webhook, error)
	// Save writes everything but ID, Org and Created.
	Save(ctx context.Context, w Webhook) error
	// Delete removes its deliveries, too.
	Delete(ctx context.Context, org, id string) error
}

// DeliveryRows are the deliveries and the attempts at them.
type DeliveryRows interface {
	Insert(ctx context.Context, d Delivery) error
	Get(ctx context.Context, org, id string) (Delivery, error)
	// List gives those of a webhook from offset on, newest first, and how many
	// there are in all.
	List(ctx context.Context, org, webhookID string, offset, limit int64) ([]Delivery, int64, error)
	// Save writes Status, Tries, Due and Node.
	Save(ctx context.Context, d Delivery) error
	// Requeue lets what was made since a time for a webhook wait anew, and says how many
	// that are.
	Requeue(ctx context.Context, org, webhookID string, since, now time.Time) (int64, error)
	Attempted(ctx context.Context, a Attempt) error
	// Attempts gives those at a delivery, in their order.
	Attempts(ctx context.Context, deliveryID string) ([]Attempt, error)
}

// OutboxRows are the deliveries as they leave.
type OutboxRows interface {
	// Targets gives those with an address for which something is due that no node has
	// taken, that which waits longest first, so many of each organization.
	Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]Target, error)
	// ClaimDue takes what is due for a target for a node, or with "" for it only looks: of
	// each import only the oldest that is Waiting.
	ClaimDue(ctx context.Context, target, node string, now time.Time, limit int) ([]Delivery, error)
	// GiveBack lets go of all that a node has taken.
	GiveBack(ctx context.Context, node string) error
	// MakeDue makes all that waits for a target due.
	MakeDue(ctx context.Context, target string, now time.Time) error
	// GiveUp ends all that waits for a target.
	GiveUp(ctx context.Context, target string) error
	// EraseImport takes away what deliveries told of an import, and their attempts.
	EraseImport(ctx context.Context, importID string) error
	// DeleteBefore removes some that were made before t and wait no more.
	DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error)
}

// ConnectorRows are the connectors.
type ConnectorRows interface {
	Insert(ctx context.Context, c Connector) error
	Get(ctx context.Context, org, id string) (Connector, error)
	// List gives those of an organization, oldest first.
	List(ctx context.Context, org string) ([]Connector, error)
	// Save writes everything but ID, Org and Created.
	Save(ctx context.Context, c Connector) error
	// Delete removes what it pulled and its runs, too.
	Delete(ctx context.Context, org, id string) error
	// ClaimDue takes the connector that is due for the longest time, of those that no
	// node has. Nothing due is NotFound.
	ClaimDue(ctx context.Context, node string, now time.Time) (Connector, error)
	// GiveBack lets go of all that a node has taken.
	GiveBack(ctx context.Context, node string) error
}

// PulledRows are the versions of files that connectors know of.
type PulledRows interface {
	ListByConnector(ctx context.Context, connectorID string) ([]PulledFile, error)
	Get(ctx context.Context, connectorID string, f RemoteFile) (PulledFile, error)
	// Upsert replaces what is known of the version.
	Upsert(ctx context.Context, f PulledFile) error
	Delete(ctx context.Context, connectorID string, f RemoteFile) error
	ByImport(ctx context.Context, importID string) (PulledFile, error)
	// ListDueUploads gives those whose results are due to be put back.
	ListDueUploads(ctx context.Context, now time.Time, limit int) ([]PulledFile, error)
}

// PullRows are the runs of connectors.
type PullRows interface {
	Insert(ctx context.Context, p PullRun) error
	// List gives those of a connector from offset on, newest first, and how many
	// there are in all.
	List(ctx context.Context, connectorID string, offset, limit int64) ([]PullRun, int64, error)
	// Trim leaves the newest.
	Trim(ctx context.Context, connectorID string, keep int) error
}

// RetentionRows say how long what is kept.
type RetentionRows interface {
	ListByOrg(ctx context.Context, org string) ([]Retention, error)
	ListAll(ctx context.Context) ([]Retention, error)
	// Replace puts these in the place of all that an organization had.
	Replace(ctx context.Context, org string, list []Retention) error
	// Overdue gives imports to which it applies, that ended before a time and still
	// have the part. Those with a rule of their own go by that one.
	Overdue(ctx context.Context, of Retention, part KeptPart, before time.Time, limit int) ([]string, error)
	// DropProblems notes that an import has none any more.
	DropProblems(ctx context.Context, org, importID string) error
	// DropEdits removes the log of an import's reviews.
	DropEdits(ctx context.Context, importID string) error
}

// DeletionRows are the receipts of deletions.
type DeletionRows interface {
	Insert(ctx context.Context, d Deletion) error
	// List gives those of an organization from offset on, newest first, and how many
	// there are in all.
	List(ctx context.Context, org string, offset, limit int64) ([]Deletion, int64, error)
}

// OwnerRows tell of what blobs belong to, whichever organization has it.
type OwnerRows interface {
	// Run is the run that an import is at, or -1 where there is no such import.
	Run(ctx context.Context, importID string) (int, error)
	// Session says whether the session is there.
	Session(ctx context.Context, id string) (bool, error)
}

// TrashRows are the blobs to be removed.
type TrashRows interface {
	// Schedule keeps the later time where the prefix is there already.
	Schedule(ctx context.Context, t Trash) error
	ListDue(ctx context.Context, now time.Time, limit int) ([]Trash, error)
	Remove(ctx context.Context, prefix string) error
}

// NodeRows are the processes that share the store. Time is the store's own.
type NodeRows interface {
	// Heartbeat says that node lives.
	Heartbeat(ctx context.Context, node string) error
	// Silent gives the nodes whose last beat is at least that long ago.
	Silent(ctx context.Context, after time.Duration) ([]string, error)
	// List gives every node.
	List(ctx context.Context) ([]string, error)
	// Remove forgets a node that is dead: jobs that it was working on are put
	// back in the queue.
	Remove(ctx context.Context, node string) error
	// EnsureMark gives the mark of that name, which tells what belongs to the store.
	// Where there is none it becomes fresh; where fresh is "" it stays "".
	EnsureMark(ctx context.Context, name, fresh string) (string, error)
}
