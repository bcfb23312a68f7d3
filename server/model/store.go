package model

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/intraydata/intray/server/queue"
)

// Store stores everything except the contents of files. Update calls the function work in a
// transaction. The transaction is durable when Update returns nil, and is rolled back if work
// returns an error. View calls work on one snapshot and changes nothing.
//
// If a transaction conflicts with another one, it is rolled back and work is called again.
// Therefore, work must not change anything except the transaction and variables that it resets.
// In an Update, reading an import, session, credential or replay with Get locks it: no other
// transaction can change it until this transaction ends.
//
// If the deadline of ctx has passed, the error is of kind Unavailable with the code busy.
//
// A missing row causes an *Error of kind NotFound. A row that violates a unique
// constraint causes an *Error of kind Conflict. A method with an org parameter
// returns only rows of that organization.
type Store interface {
	Update(ctx context.Context, work func(Tx) error) error
	// UpdateOne is like Update for work that makes one change. Such work needs no transaction, and
	// it may be called again if the connection was broken, even if the change was made. UpdateOne
	// precedes the calls of Update that are waiting to write, so use it for heartbeats only.
	UpdateOne(ctx context.Context, work func(Tx) error) error
	View(ctx context.Context, work func(Tx) error) error
	// ViewOne is like View for work that makes one query and reads its rows before it returns. Such
	// work needs no transaction, and it may be called again if the connection was broken.
	ViewOne(ctx context.Context, work func(Tx) error) error
	// Ping returns an error if the database does not respond.
	Ping(ctx context.Context) error
	// Forget overwrites deleted data if this process owns the database files.
	// Otherwise, it does nothing.
	Forget(ctx context.Context) error
}

// View returns the result of the function read, which it calls in a read-only transaction of the
// store.
func View[T any](ctx context.Context, store Store, read func(Tx) (T, error)) (result T, err error) {
	err = store.View(ctx, func(tx Tx) (err error) {
		result, err = read(tx)
		return err
	})
	return result, err
}

// Get returns the result of the function read, which it calls in [Store.ViewOne]. Therefore, read
// must make only one query.
func Get[T any](ctx context.Context, store Store, read func(Tx) (T, error)) (result T, err error) {
	err = store.ViewOne(ctx, func(tx Tx) (err error) {
		result, err = read(tx)
		return err
	})
	return result, err
}

// Tx is a transaction. It has one field for the rows of each kind of entity. It ends when the
// function that was passed to Update or View returns.
type Tx struct {
	Accounts    AccountRows
	Schemas     SchemaRows
	Imports     ImportRows
	Embedded    EmbeddedRows
	Uploads     UploadRows
	Sessions    SessionRows
	Credentials CredentialRows
	Replays     ReplayRows
	Rates       RateRows
	Memory      MemoryRows
	ImportLinks ImportLinkRows
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
	OrgData     OrgDataRows
	Usage       UsageRows
	Trash       TrashRows
	Nodes       NodeRows
	Jobs        Jobs
}

// Jobs enqueues jobs that start after the transaction has been committed.
type Jobs interface {
	Enqueue(ctx context.Context, job queue.Job) error
	// Waiting returns the number of jobs of the given kind that no worker has started.
	Waiting(ctx context.Context, kind string) (int, error)
}

// AccountRows stores organizations and their API keys.
type AccountRows interface {
	OrgRows
	LicenceRows
}

// OrgRows stores organizations. They are part of AccountRows.
type OrgRows interface {
	// InsertOrg returns a Conflict if the name already exists. It ignores Limits and State.
	InsertOrg(ctx context.Context, org Org) error
	// OrgByName returns an organization. In an Update, it locks the organization.
	OrgByName(ctx context.Context, name string) (Org, error)
	// Orgs returns all organizations, oldest first.
	Orgs(ctx context.Context) ([]Org, error)
	// SpecialOrgs returns the organizations that have Limits or are not OrgActive, oldest first.
	SpecialOrgs(ctx context.Context) ([]Org, error)
	// SetOrgLimits replaces the limits of an organization.
	SetOrgLimits(ctx context.Context, id string, limits map[Quota]int64) error
	// SetOrgState sets the state of an organization.
	SetOrgState(ctx context.Context, id string, state OrgState) error
}

// LicenceRows stores API keys. They are part of AccountRows.
type LicenceRows interface {
	// InsertLicence returns a Conflict if the hash already exists.
	InsertLicence(ctx context.Context, l Licence) error
	LicenceByHash(ctx context.Context, hash []byte) (Licence, error)
	// Licence returns the licence with the given id.
	Licence(ctx context.Context, id string) (Licence, error)
	// SetLicenceUsed sets the time when the licence was last used.
	SetLicenceUsed(ctx context.Context, id string, at time.Time) error
	// Licences returns the licences of all organizations, oldest first.
	Licences(ctx context.Context) ([]Licence, error)
	// SetOrigins replaces the origins of the licence with the given id.
	SetOrigins(ctx context.Context, id string, origins Origins) error
	// RevokeLicence sets the time of the revocation, unless the licence is already revoked.
	RevokeLicence(ctx context.Context, id string, at time.Time) error
}

// SchemaRows stores schemas. The names of saved schemas are unique within an organization.
type SchemaRows interface {
	Insert(ctx context.Context, s Schema) error
	Get(ctx context.Context, org, id string) (Schema, error)
	SavedSchemaRows
	// Replace updates Name, Document and Modified, but not the extensions.
	Replace(ctx context.Context, s Schema) error
	// SetExtensions updates the extensions and Modified.
	SetExtensions(ctx context.Context, org, id string, extensions json.RawMessage, modified time.Time) error
	Delete(ctx context.Context, org, id string) error
}

// SavedSchemaRows finds saved schemas.
type SavedSchemaRows interface {
	// List yields a page of the saved schemas, oldest first. It reads rows as it yields them.
	List(ctx context.Context, org string, page PageRequest) iter.Seq2[Schema, error]
	// IDByName returns the id of the saved schema with a name, or NotFound.
	IDByName(ctx context.Context, org, name string) (string, error)
	// SavedIDs returns those of the given ids that belong to saved schemas, in any order.
	SavedIDs(ctx context.Context, org string, ids []string) ([]string, error)
}

// ImportRows stores imports.
type ImportRows interface {
	Insert(ctx context.Context, imp Import) error
	Get(ctx context.Context, org, id string) (Import, error)
	// List returns a page of the imports, newest first, without embedded imports. Schema, Outcome,
	// Answers and Memory are empty.
	List(ctx context.Context, org string, page PageRequest) (Page[Import], error)
	// UpdateIf writes imp if the stored import still has the given status and run number.
	// Otherwise it returns a Conflict. ID, Org, SchemaID, UploadID, Schema, Inline and Created
	// never change. Only SetReviewLink changes Review.
	UpdateIf(ctx context.Context, imp Import, from Status, run int) error
	Delete(ctx context.Context, org, id string) error
	// SetReviewLink replaces the review link of an import in any status.
	SetReviewLink(ctx context.Context, org, id string, link ReviewLink) error
	ImportQueueRows
}

// ImportQueueRows finds imports of all organizations by their status. They are part of ImportRows.
type ImportQueueRows interface {
	// Claim claims the next Pending import whose Queued is not after now, from the organization
	// that has waited longest since it was last served. It sets the import to Running on node,
	// increments its run number, and records when the organization was served. It skips
	// organizations that have reached a limit or are not OrgActive. If there is no such import, it returns NotFound.
	Claim(ctx context.Context, node string, limits RunLimits, now time.Time) (Import, error)
	// IsDue reports whether there is a Pending import whose Queued is not after now. Limits may
	// nevertheless prevent that it is claimed.
	IsDue(ctx context.Context, now time.Time) (bool, error)
	// InStatus returns at most limit imports with the given status in all organizations, oldest
	// first. If node is not "", it returns only the imports of that node.
	InStatus(ctx context.Context, status Status, node string, limit int) ([]ImportRef, error)
	// After returns at most limit imports of all organizations whose ids are greater than id, in the
	// order of their ids.
	After(ctx context.Context, id string, limit int) ([]ImportRef, error)
	// Select returns at most limit imports of all organizations that match a filter, newest first.
	Select(ctx context.Context, f ImportFilter, limit int) ([]ImportRef, error)
}

// ImportFilter selects imports. A zero field does not restrict the selection.
type ImportFilter struct {
	ID, Org string
	Status  Status
	// Before is the time before which the imports were created.
	Before time.Time
}

// EmbeddedRows stores which embedded imports are in use.
type EmbeddedRows interface {
	// Touch updates Seen of an import. It returns NotFound if the import was released.
	Touch(ctx context.Context, org, id string, seen time.Time) error
	// Release releases an import; see Import.IsReleased. It does nothing if there is no such import.
	Release(ctx context.Context, org, id string) error
	// Abandoned returns at most limit imports that a person began on a page before t and whose file has
	// not arrived, without ephemeral ones.
	Abandoned(ctx context.Context, t time.Time, limit int) ([]ImportRef, error)
	// Unseen returns at most limit ephemeral imports that were last seen before t.
	Unseen(ctx context.Context, t time.Time, limit int) ([]ImportRef, error)
}

// RunLimits are the maximum numbers of imports of one organization that are in status Running.
type RunLimits struct {
	// PerOrg is the limit on all nodes together, and PerOrgAndNode the limit on each node.
	// PerOrgAndNode does not apply if there is only one organization.
	PerOrg, PerOrgAndNode int
}

// ImportRef identifies one run of an import.
type ImportRef struct {
	Org, ID string
	Run     int
}

// UploadFilter selects uploads. A zero time does not restrict the selection.
type UploadFilter struct {
	// From and To are the minimum and maximum of Created.
	From, To time.Time
}

// UploadRows stores uploads.
type UploadRows interface {
	Insert(ctx context.Context, u Upload) error
	Get(ctx context.Context, org, id string) (Upload, error)
	// Save updates all columns except ID, Org, ImportID, ImportIdentifier and Created.
	Save(ctx context.Context, u Upload) error
	Delete(ctx context.Context, org, id string) error
	// Count returns the number of Processed uploads.
	Count(ctx context.Context, org string, f UploadFilter) (int64, error)
	// Processed yields a page of the Processed uploads, newest first. Their problems contain only
	// the Listed part. It reads rows as it yields them.
	Processed(ctx context.Context, org string, f UploadFilter, page PageRequest) iter.Seq2[Upload, error]
	// Unfinished returns the total declared size of the resumable uploads that were created after
	// since and are not complete, in bytes.
	Unfinished(ctx context.Context, org string, since time.Time) (int64, error)
}

// SessionRows stores sessions. It reads their states separately, because they may be large.
type SessionRows interface {
	Insert(ctx context.Context, s Session) error
	Get(ctx context.Context, org, id string) (Session, error)
	// LoadState returns the last saved JSON document, or nil if none was saved.
	LoadState(ctx context.Context, org, id string) ([]byte, error)
	// Save updates Tag, File, FileName, ContentType, ImportID and Saved.
	Save(ctx context.Context, s Session) error
	// SaveState writes the same columns as Save, and the state. A nil state means that none was saved.
	SaveState(ctx context.Context, s Session, state []byte) error
	Delete(ctx context.Context, org, id string) error
	// ListStale returns at most limit sessions that were last saved before t.
	ListStale(ctx context.Context, t time.Time, limit int) ([]Session, error)
}

// CredentialRows stores SFTP credentials.
type CredentialRows interface {
	Insert(ctx context.Context, c Credential) error
	Get(ctx context.Context, org, id string) (Credential, error)
	// List returns a page of the credentials, newest first.
	List(ctx context.Context, org string, page PageRequest) (Page[Credential], error)
	// Save updates all columns except ID, Org and Created.
	Save(ctx context.Context, c Credential) error
	Delete(ctx context.Context, org, id string) error
}

// ImportLinkRows stores import links and their logos.
type ImportLinkRows interface {
	LogoRows
	Insert(ctx context.Context, l ImportLink) error
	Get(ctx context.Context, org, id string) (ImportLink, error)
	// Find returns the link of any organization with the given id.
	Find(ctx context.Context, id string) (ImportLink, error)
	// List returns a page of the links, newest first.
	List(ctx context.Context, org string, page PageRequest) (Page[ImportLink], error)
	// Save updates all columns except ID, Org and Created.
	Save(ctx context.Context, l ImportLink) error
	// Delete deletes a link and its logo.
	Delete(ctx context.Context, org, id string) error
}

// LogoRows stores the logos of import links.
type LogoRows interface {
	// Logo returns the logo of a link. If the link has none, it returns NotFound.
	Logo(ctx context.Context, org, id string) (Logo, error)
	// SaveLogo stores or replaces the logo of a link. It does not change the link.
	SaveLogo(ctx context.Context, org, id string, logo Logo) error
	// DeleteLogo deletes the logo of a link. A missing logo is not an error.
	DeleteLogo(ctx context.Context, org, id string) error
}

// ReplayRows stores the responses that are returned for repeated requests.
type ReplayRows interface {
	// Insert returns a Conflict if the organization has already used the key.
	Insert(ctx context.Context, r Replay) error
	Get(ctx context.Context, org, key string) (Replay, error)
	// Save updates Fingerprint, Node, Status, Sealed and Created.
	Save(ctx context.Context, r Replay) error
	// DeleteBefore deletes at most limit replays that were created before t, oldest first, and
	// returns their number.
	DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error)
}

// RateRows counts events per name and minute. They may be lost if the database crashes.
type RateRows interface {
	// Add adds n events to a count and returns the new count.
	Add(ctx context.Context, name string, minute time.Time, n int64) (int64, error)
	// DeleteBefore deletes at most limit counts of minutes before t, and returns their number.
	DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error)
}

// MemoryRows stores learned mappings. The key of a mapping consists of the
// organization, import identifier, kind, field and text.
type MemoryRows interface {
	// Upsert inserts a mapping, or replaces the mapping with the same key.
	Upsert(ctx context.Context, r LearnedMapping) error
	MemoryReader
	// Remove deletes the mapping with the same key as r. A missing mapping is not an error.
	Remove(ctx context.Context, r LearnedMapping) error
	// Trim deletes the oldest mappings of an import identifier until the rest is within two
	// limits: most is the maximum number of mappings, and size is the maximum total size of
	// their Field, Text and Value, in bytes.
	Trim(ctx context.Context, org, identifier string, most int, size int64) error
	// Forget deletes all mappings of an import identifier.
	Forget(ctx context.Context, org, identifier string) error
	// ForgetImport deletes all mappings that were learned from an import.
	ForgetImport(ctx context.Context, org, importID string) error
	// Expire deletes at most limit mappings of an organization that are older than before, oldest
	// first, and returns their number.
	Expire(ctx context.Context, org string, before time.Time, limit int) (int64, error)
}

// MemoryReader reads learned mappings. It is part of MemoryRows.
type MemoryReader interface {
	// List returns a page of the mappings of an import identifier, newest first.
	List(ctx context.Context, org, identifier string, page PageRequest) (Page[LearnedMapping], error)
	// Columns returns the mappings of an import identifier whose kind is ColumnMemory.
	Columns(ctx context.Context, org, identifier string) ([]LearnedMapping, error)
	// Version returns a number that changes whenever the mappings of an import identifier change.
	// It is 0 before the first change.
	Version(ctx context.Context, org, identifier string) (int64, error)
}

// EditRows stores the logs of imports under review. A log is deleted with its import.
type EditRows interface {
	// Append returns a Conflict if the log already has an entry at this position or the
	// import already has an entry with this Op.
	Append(ctx context.Context, e Edit) error
	FindByOp(ctx context.Context, org, importID, op string) (Edit, error)
	// ListAfter yields the entries of a run that follow position seq, in order. It
	// reads rows as it yields them.
	ListAfter(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[Edit, error]
	// LastSeq returns the position of the last entry of a run, or 0 if there is none.
	LastSeq(ctx context.Context, org, importID string, run int) (int64, error)
}

// WebhookRows stores webhooks.
type WebhookRows interface {
	Insert(ctx context.Context, w Webhook) error
	Get(ctx context.Context, org, id string) (Webhook, error)
	// List returns the webhooks of an organization, oldest first.
	List(ctx context.Context, org string) ([]Webhook, error)
	// Save updates all columns except ID, Org and Created.
	Save(ctx context.Context, w Webhook) error
	// Delete deletes a webhook and its deliveries.
	Delete(ctx context.Context, org, id string) error
	// DeleteDeliveries deletes at most limit deliveries of a webhook and returns their number.
	DeleteDeliveries(ctx context.Context, org, id string, limit int) (int64, error)
}

// DeliveryRows stores deliveries and their attempts.
type DeliveryRows interface {
	// Insert stores a delivery. If d.Created is not after that of the last delivery about the same
	// import, for example because of clock skew, Insert stores the next microsecond instead.
	// Deliveries about an import therefore remain in order.
	Insert(ctx context.Context, d Delivery) error
	Get(ctx context.Context, org, id string) (Delivery, error)
	// List returns a page of the deliveries of a webhook, newest first.
	List(ctx context.Context, org, webhookID string, page PageRequest) (Page[Delivery], error)
	// Save updates Status, Tries, Due and Node.
	Save(ctx context.Context, d Delivery) error
	// Requeue makes due at most limit deliveries of a webhook that follow a position, oldest first,
	// and returns their positions in any order. It skips deliveries that are Waiting or whose body
	// was deleted.
	Requeue(ctx context.Context, org, webhookID string, after DeliveryPosition, now time.Time, limit int) ([]DeliveryPosition, error)
	Attempted(ctx context.Context, a Attempt) error
	// Attempts returns the attempts to send a delivery, in order.
	Attempts(ctx context.Context, deliveryID string) ([]Attempt, error)
}

// OutboxRows reads and claims the deliveries that are waiting to be sent.
type OutboxRows interface {
	// Targets returns at most limit targets that have a URL and a due delivery that no
	// node has claimed. It returns at most perOrg targets of each organization. Targets
	// whose delivery has been due longest come first.
	Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]Target, error)
	DeliveryClaims
	// MakeDue makes due at most limit Waiting deliveries for a target that no node has claimed,
	// and returns their number.
	MakeDue(ctx context.Context, target string, now time.Time, limit int) (int64, error)
	// GiveUp sets at most limit Waiting deliveries for a target to GivenUp, and returns their
	// number.
	GiveUp(ctx context.Context, target string, limit int) (int64, error)
	// OfImport returns the deliveries about an import, oldest first, without their bodies.
	OfImport(ctx context.Context, importID string) ([]Delivery, error)
	// EraseImport deletes an import's data from deliveries, and deletes the attempts of these
	// deliveries.
	EraseImport(ctx context.Context, importID string) error
	// DeleteBefore deletes at most limit deliveries that were created before t and are
	// not Waiting. It returns their number.
	DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error)
}

// DeliveryClaims stores which node sends a delivery. The claims are part of the deliveries in
// OutboxRows.
type DeliveryClaims interface {
	// ClaimDue claims at most limit due deliveries for a target on behalf of a node. If
	// node is "", it returns them without claiming them. For each import, it claims
	// only the oldest Waiting delivery.
	ClaimDue(ctx context.Context, target, node string, now time.Time, limit int) ([]Delivery, error)
	// Claimed returns how many deliveries to a target, and how many of an organization, nodes have
	// claimed. Other transactions that call it for the organization wait until this one has ended.
	Claimed(ctx context.Context, org, target string) (ofTarget, ofOrg int, err error)
	// GiveBack releases all deliveries that a node has claimed.
	GiveBack(ctx context.Context, node string) error
}

// ConnectorRows stores connectors.
type ConnectorRows interface {
	Insert(ctx context.Context, c Connector) error
	Get(ctx context.Context, org, id string) (Connector, error)
	// List returns the connectors of an organization, oldest first.
	List(ctx context.Context, org string) ([]Connector, error)
	// Save updates all columns except ID, Org and Created.
	Save(ctx context.Context, c Connector) error
	// Delete deletes a connector, its pulled files and its runs.
	Delete(ctx context.Context, org, id string) error
	ConnectorClaims
}

// ConnectorClaims stores which node runs a connector. The claims are part of the connectors in
// ConnectorRows.
type ConnectorClaims interface {
	// IsDue reports whether an unclaimed connector of an organization that is OrgActive is due.
	IsDue(ctx context.Context, now time.Time) (bool, error)
	// ClaimDue claims the connector that has been due longest among those that no node
	// has claimed and whose organization is OrgActive. If none is due, it returns NotFound.
	ClaimDue(ctx context.Context, node string, now time.Time) (Connector, error)
	// Running returns the connectors of an organization that any node has claimed.
	Running(ctx context.Context, org string) ([]Connector, error)
	// GiveBack releases all connectors that a node has claimed.
	GiveBack(ctx context.Context, node string) error
}

// PulledRows stores the versions of files that connectors have seen.
type PulledRows interface {
	ListByConnector(ctx context.Context, connectorID string) ([]PulledFile, error)
	Get(ctx context.Context, connectorID string, f RemoteFile) (PulledFile, error)
	// Upsert inserts a version, or replaces the stored one.
	Upsert(ctx context.Context, f PulledFile) error
	Delete(ctx context.Context, connectorID string, f RemoteFile) error
	// DeleteOf deletes at most limit versions that a connector has seen, and returns their number.
	DeleteOf(ctx context.Context, connectorID string, limit int) (int64, error)
	ResultUploadRows
}

// ResultUploadRows stores the uploads of results. They are part of the versions in PulledRows.
type ResultUploadRows interface {
	// QueueUpload makes the result of an import due for upload at the given time. It does nothing
	// unless a connector that uploads results created the import. It does not lock the connector.
	QueueUpload(ctx context.Context, importID string, due time.Time) error
	// IsUploadDue reports whether a result is due for upload.
	IsUploadDue(ctx context.Context, now time.Time) (bool, error)
	// ListDueUploads returns at most limit versions whose results are due for upload. Other
	// transactions that call it wait until this one has ended.
	ListDueUploads(ctx context.Context, now time.Time, limit int) ([]PulledFile, error)
	// ListUploads returns a page of the versions whose results were uploaded or are to be uploaded,
	// newest first.
	ListUploads(ctx context.Context, connectorID string, page PageRequest) (Page[PulledFile], error)
	// CountFailedUploads returns the number of versions with a PutKind, by connector id.
	CountFailedUploads(ctx context.Context, org string) (map[string]int64, error)
	// RetryUploads makes at most limit failed uploads of a connector due again, with their
	// number of attempts reset, and returns their number. It skips results that were deleted and
	// results that are due at the time leased or before, because they may be being uploaded.
	RetryUploads(ctx context.Context, connectorID string, now, leased time.Time, limit int) (int64, error)
}

// PullRows stores the runs of connectors.
type PullRows interface {
	Insert(ctx context.Context, p PullRun) error
	// List returns a page of the runs of a connector, newest first.
	List(ctx context.Context, connectorID string, page PageRequest) (Page[PullRun], error)
	// Trim deletes all but the newest runs of a connector. keep is the maximum number of runs
	// that remain.
	Trim(ctx context.Context, connectorID string, keep int) error
}

// RetentionRows stores retention policies.
type RetentionRows interface {
	ListByOrg(ctx context.Context, org string) ([]Retention, error)
	ListAll(ctx context.Context) ([]Retention, error)
	// Replace replaces all policies of an organization with those in list.
	Replace(ctx context.Context, org string, list []Retention) error
	// Overdue returns the ids of at most limit imports that ended before the given time
	// and still have the part. The policy must apply to them: a policy for all schemas
	// does not apply to schemas with their own policy.
	Overdue(ctx context.Context, of Retention, part KeptPart, before time.Time, limit int) ([]string, error)
	// DropProblems records that the problems of an import have been deleted. It returns NotFound if
	// they had been deleted before.
	DropProblems(ctx context.Context, org, importID string) error
	// CountEdits returns the number of entries of the review log of an import that belong to runs
	// up to lastRun, but at most limit.
	CountEdits(ctx context.Context, importID string, lastRun, limit int) (int64, error)
	// DropEdits deletes at most limit of these entries, and returns their number.
	DropEdits(ctx context.Context, importID string, lastRun, limit int) (int64, error)
}

// DeletionRows stores the receipts of deletions.
type DeletionRows interface {
	Insert(ctx context.Context, d Deletion) error
	// List returns a page of the receipts of an organization, newest first.
	List(ctx context.Context, org string, page PageRequest) (Page[Deletion], error)
}

// UsageRows reads what organizations use. The store updates it in each transaction.
type UsageRows interface {
	// Get returns the usage of an organization. In an Update, it locks the usage: no other
	// transaction can change it until this transaction ends. Therefore, call it after the calls
	// that lock entities.
	Get(ctx context.Context, org string) (Usage, error)
	// List returns the usage of all organizations.
	List(ctx context.Context) ([]Usage, error)
	// Backlog returns the work of all organizations that is waiting or failing.
	Backlog(ctx context.Context) (Backlog, error)
}

// Backlog is the work of all organizations that is waiting or failing.
type Backlog struct {
	Pending, Running int64
	// Oldest is the earliest Queued time of a Pending import, or zero if there is none.
	Oldest time.Time
	// AwaitingSince and ReviewSince are the earliest Created times of an import that is
	// AwaitingUpload or NeedsReview, and RunningSince is the earliest Modified time of a Running
	// import. They are zero if there is none.
	AwaitingSince, RunningSince, ReviewSince time.Time
	// Deliveries is the number of Waiting deliveries that no node has claimed, and DeliveriesSince
	// the earliest Created time of a Waiting delivery, or zero if there is none.
	Deliveries      int64
	DeliveriesSince time.Time
	// FailingWebhooks is the number of enabled webhooks whose last attempt failed,
	// FailingConnectors the number of connectors whose last run failed, and FailingUploads the
	// number of results whose last upload failed.
	FailingWebhooks, FailingConnectors, FailingUploads int64
}

// OwnerRows looks up the owners of blobs in all organizations.
type OwnerRows interface {
	// Run returns the number of the current run of an import, or -1 if the import does not exist.
	Run(ctx context.Context, importID string) (int, error)
	// Session reports whether the session exists.
	Session(ctx context.Context, id string) (bool, error)
}

// OrgDataRows deletes everything that belongs to an organization that is OrgDeleting. The imports and
// sessions, which have blobs, are to be deleted first.
type OrgDataRows interface {
	// Imports returns the ids of at most limit imports of an organization, and Sessions those of at
	// most limit sessions, in any order.
	Imports(ctx context.Context, org string, limit int) ([]string, error)
	Sessions(ctx context.Context, org string, limit int) ([]string, error)
	// DeleteRows deletes at most limit rows of each kind, except imports and sessions, and returns
	// their number. Attempts, logos and the runs of connectors are not counted: they are deleted with
	// the row to which they belong. DeleteRows does nothing unless the organization is OrgDeleting.
	DeleteRows(ctx context.Context, org string, limit int) (int64, error)
	// DeleteOrg deletes an organization that is OrgDeleting. It does nothing if there is none, and
	// returns NotFound if something still belongs to the organization.
	DeleteOrg(ctx context.Context, org string) error
}

// TrashRows stores the blobs to delete.
type TrashRows interface {
	// Schedule schedules a deletion. If the prefix is already scheduled, it keeps the later time.
	Schedule(ctx context.Context, t Trash) error
	ListDue(ctx context.Context, now time.Time, limit int) ([]Trash, error)
	Remove(ctx context.Context, prefix string) error
}

// OOMKills counts the processes that the kernel of a machine has killed for lack of memory.
type OOMKills struct {
	// Machine identifies the machine since it was started. It is "" if the count is unknown.
	Machine string
	Count   int64
}

// MoreThan reports whether k proves that there were further kills after an earlier count.
func (k OOMKills) MoreThan(earlier OOMKills) bool {
	return k.Machine != "" && k.Machine == earlier.Machine && k.Count > earlier.Count
}

// NodeRows stores the processes that share the store. All times are from the clock
// of the database.
type NodeRows interface {
	// Heartbeat records that a node is alive, and describes it. It returns the time of the database.
	Heartbeat(ctx context.Context, beat Heartbeat) (time.Time, error)
	// OOMKills returns the OOM kills that the last heartbeat of a node recorded.
	OOMKills(ctx context.Context, node string) (OOMKills, error)
	// Silent returns the nodes that have not recorded a heartbeat for at least the
	// given duration. This includes removed nodes that hold an import, a connector or a
	// delivery: a claim can be committed after its process was killed and its node removed,
	// if the database was slow to execute the last statement.
	Silent(ctx context.Context, after time.Duration) ([]string, error)
	// List returns the ids of all nodes, in order.
	List(ctx context.Context) ([]string, error)
	// Describe returns all nodes, in the order of their ids. A node that Silent returns because it
	// still holds something, although it was removed, is not included.
	Describe(ctx context.Context) ([]Node, error)
	// Remove deletes a dead node and returns its running jobs to the queue.
	Remove(ctx context.Context, node string) error
	// EnsureMark returns the mark with the given name. If there is none and fresh is
	// not "", it first sets the mark to fresh. A mark shows that data outside the
	// database belongs to the store.
	EnsureMark(ctx context.Context, name, fresh string) (string, error)
}
