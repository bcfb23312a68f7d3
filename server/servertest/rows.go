package servertest

import (
	"context"
	"iter"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

// Wrap returns a copy of tx in which each method call on its rows counts as a use.
func (f *Faults) Wrap(tx model.Tx) model.Tx {
	tx.Accounts = accountsFaults{tx.Accounts, f}
	tx.Schemas = schemasFaults{tx.Schemas, f}
	tx.Imports = importsFaults{tx.Imports, f}
	tx.Uploads = uploadsFaults{tx.Uploads, f}
	tx.Sessions = sessionsFaults{tx.Sessions, f}
	tx.Credentials = credentialsFaults{tx.Credentials, f}
	tx.Replays = replaysFaults{tx.Replays, f}
	tx.Rates = ratesFaults{tx.Rates, f}
	tx.Memory = memoryFaults{tx.Memory, f}
	tx.ImportLinks = importLinksFaults{tx.ImportLinks, f}
	tx.Edits = editsFaults{tx.Edits, f}
	tx.Webhooks = webhooksFaults{tx.Webhooks, f}
	tx.Deliveries = deliveriesFaults{tx.Deliveries, f}
	tx.Outbox = outboxFaults{tx.Outbox, f}
	tx.Connectors = connectorsFaults{tx.Connectors, f}
	tx.Pulled = pulledFaults{tx.Pulled, f}
	tx.Pulls = pullsFaults{tx.Pulls, f}
	tx.Retention = retentionFaults{tx.Retention, f}
	tx.Deletions = deletionsFaults{tx.Deletions, f}
	tx.Owners = ownersFaults{tx.Owners, f}
	tx.OrgData = orgDataFaults{tx.OrgData, f}
	tx.Usage = usageFaults{tx.Usage, f}
	tx.Trash = trashFaults{tx.Trash, f}
	tx.Nodes = nodesFaults{tx.Nodes, f}
	tx.Jobs = jobsFaults{tx.Jobs, f}
	return tx
}

type accountsFaults struct {
	model.AccountRows
	faults *Faults
}

func (rows accountsFaults) InsertOrg(ctx context.Context, org model.Org) error {
	return Call(rows.faults, "Accounts.InsertOrg", func() error { return rows.AccountRows.InsertOrg(ctx, org) })
}

func (rows accountsFaults) OrgByName(ctx context.Context, name string) (model.Org, error) {
	return Get(rows.faults, "Accounts.OrgByName", func() (model.Org, error) { return rows.AccountRows.OrgByName(ctx, name) })
}

func (rows accountsFaults) InsertLicence(ctx context.Context, l model.Licence) error {
	return Call(rows.faults, "Accounts.InsertLicence", func() error { return rows.AccountRows.InsertLicence(ctx, l) })
}

func (rows accountsFaults) LicenceByHash(ctx context.Context, hash []byte) (model.Licence, error) {
	return Get(rows.faults, "Accounts.LicenceByHash", func() (model.Licence, error) { return rows.AccountRows.LicenceByHash(ctx, hash) })
}

func (rows accountsFaults) Licence(ctx context.Context, id string) (model.Licence, error) {
	return Get(rows.faults, "Accounts.Licence", func() (model.Licence, error) { return rows.AccountRows.Licence(ctx, id) })
}

func (rows accountsFaults) SetLicenceUsed(ctx context.Context, id string, at time.Time) error {
	return Call(rows.faults, "Accounts.SetLicenceUsed", func() error { return rows.AccountRows.SetLicenceUsed(ctx, id, at) })
}

func (rows accountsFaults) Licences(ctx context.Context) ([]model.Licence, error) {
	return Get(rows.faults, "Accounts.Licences", func() ([]model.Licence, error) { return rows.AccountRows.Licences(ctx) })
}

func (rows accountsFaults) RevokeLicence(ctx context.Context, id string, at time.Time) error {
	return Call(rows.faults, "Accounts.RevokeLicence", func() error { return rows.AccountRows.RevokeLicence(ctx, id, at) })
}

func (rows accountsFaults) Orgs(ctx context.Context) ([]model.Org, error) {
	return Get(rows.faults, "Accounts.Orgs", func() ([]model.Org, error) { return rows.AccountRows.Orgs(ctx) })
}

type schemasFaults struct {
	model.SchemaRows
	faults *Faults
}

func (rows schemasFaults) Insert(ctx context.Context, s model.Schema) error {
	return Call(rows.faults, "Schemas.Insert", func() error { return rows.SchemaRows.Insert(ctx, s) })
}

func (rows schemasFaults) Get(ctx context.Context, org, id string) (model.Schema, error) {
	return Get(rows.faults, "Schemas.Get", func() (model.Schema, error) { return rows.SchemaRows.Get(ctx, org, id) })
}

func (rows schemasFaults) List(ctx context.Context, org string, page model.PageRequest) iter.Seq2[model.Schema, error] {
	return faultySequence(rows.faults, "Schemas.List", rows.SchemaRows.List(ctx, org, page))
}

func (rows schemasFaults) IDByName(ctx context.Context, org, name string) (string, error) {
	return Get(rows.faults, "Schemas.IDByName", func() (string, error) { return rows.SchemaRows.IDByName(ctx, org, name) })
}

func (rows schemasFaults) Replace(ctx context.Context, s model.Schema) error {
	return Call(rows.faults, "Schemas.Replace", func() error { return rows.SchemaRows.Replace(ctx, s) })
}

func (rows schemasFaults) SavedIDs(ctx context.Context, org string, ids []string) ([]string, error) {
	return Get(rows.faults, "Schemas.SavedIDs", func() ([]string, error) { return rows.SchemaRows.SavedIDs(ctx, org, ids) })
}

func (rows schemasFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "Schemas.Delete", func() error { return rows.SchemaRows.Delete(ctx, org, id) })
}

type importsFaults struct {
	model.ImportRows
	faults *Faults
}

func (rows importsFaults) Insert(ctx context.Context, imp model.Import) error {
	return Call(rows.faults, "Imports.Insert", func() error { return rows.ImportRows.Insert(ctx, imp) })
}

func (rows importsFaults) Get(ctx context.Context, org, id string) (model.Import, error) {
	return Get(rows.faults, "Imports.Get", func() (model.Import, error) { return rows.ImportRows.Get(ctx, org, id) })
}

func (rows importsFaults) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Import], error) {
	return Get(rows.faults, "Imports.List", func() (model.Page[model.Import], error) { return rows.ImportRows.List(ctx, org, page) })
}

func (rows importsFaults) UpdateIf(ctx context.Context, imp model.Import, from model.Status, run int) error {
	return Call(rows.faults, "Imports.UpdateIf", func() error { return rows.ImportRows.UpdateIf(ctx, imp, from, run) })
}

func (rows importsFaults) SetReviewLink(ctx context.Context, org, id string, link model.ReviewLink) error {
	return Call(rows.faults, "Imports.SetReviewLink", func() error { return rows.ImportRows.SetReviewLink(ctx, org, id, link) })
}

func (rows importsFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "Imports.Delete", func() error { return rows.ImportRows.Delete(ctx, org, id) })
}

func (rows importsFaults) Claim(ctx context.Context, node string, limits model.RunLimits, now time.Time) (model.Import, error) {
	return Get(rows.faults, "Imports.Claim", func() (model.Import, error) { return rows.ImportRows.Claim(ctx, node, limits, now) })
}

func (rows importsFaults) IsDue(ctx context.Context, now time.Time) (bool, error) {
	return Get(rows.faults, "Imports.IsDue", func() (bool, error) { return rows.ImportRows.IsDue(ctx, now) })
}

func (rows importsFaults) After(ctx context.Context, id string, limit int) ([]model.ImportRef, error) {
	return Get(rows.faults, "Imports.After", func() ([]model.ImportRef, error) { return rows.ImportRows.After(ctx, id, limit) })
}

func (rows importsFaults) InStatus(ctx context.Context, status model.Status, node string, limit int) ([]model.ImportRef, error) {
	return Get(rows.faults, "Imports.InStatus", func() ([]model.ImportRef, error) { return rows.ImportRows.InStatus(ctx, status, node, limit) })
}

type uploadsFaults struct {
	model.UploadRows
	faults *Faults
}

func (rows uploadsFaults) Insert(ctx context.Context, u model.Upload) error {
	return Call(rows.faults, "Uploads.Insert", func() error { return rows.UploadRows.Insert(ctx, u) })
}

func (rows uploadsFaults) Get(ctx context.Context, org, id string) (model.Upload, error) {
	return Get(rows.faults, "Uploads.Get", func() (model.Upload, error) { return rows.UploadRows.Get(ctx, org, id) })
}

func (rows uploadsFaults) Save(ctx context.Context, u model.Upload) error {
	return Call(rows.faults, "Uploads.Save", func() error { return rows.UploadRows.Save(ctx, u) })
}

func (rows uploadsFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "Uploads.Delete", func() error { return rows.UploadRows.Delete(ctx, org, id) })
}

func (rows uploadsFaults) Count(ctx context.Context, org string, f model.UploadFilter) (int64, error) {
	return Get(rows.faults, "Uploads.Count", func() (int64, error) { return rows.UploadRows.Count(ctx, org, f) })
}

func (rows uploadsFaults) Processed(ctx context.Context, org string, f model.UploadFilter, page model.PageRequest) iter.Seq2[model.Upload, error] {
	return faultySequence(rows.faults, "Uploads.Processed", rows.UploadRows.Processed(ctx, org, f, page))
}

func (rows uploadsFaults) Unfinished(ctx context.Context, org string, since time.Time) (int64, error) {
	return Get(rows.faults, "Uploads.Unfinished", func() (int64, error) { return rows.UploadRows.Unfinished(ctx, org, since) })
}

type sessionsFaults struct {
	model.SessionRows
	faults *Faults
}

func (rows sessionsFaults) Insert(ctx context.Context, s model.Session) error {
	return Call(rows.faults, "Sessions.Insert", func() error { return rows.SessionRows.Insert(ctx, s) })
}

func (rows sessionsFaults) Get(ctx context.Context, org, id string) (model.Session, error) {
	return Get(rows.faults, "Sessions.Get", func() (model.Session, error) { return rows.SessionRows.Get(ctx, org, id) })
}

func (rows sessionsFaults) LoadState(ctx context.Context, org, id string) ([]byte, error) {
	return Get(rows.faults, "Sessions.LoadState", func() ([]byte, error) { return rows.SessionRows.LoadState(ctx, org, id) })
}

func (rows sessionsFaults) Save(ctx context.Context, s model.Session) error {
	return Call(rows.faults, "Sessions.Save", func() error { return rows.SessionRows.Save(ctx, s) })
}

func (rows sessionsFaults) SaveState(ctx context.Context, s model.Session, state []byte) error {
	return Call(rows.faults, "Sessions.SaveState", func() error { return rows.SessionRows.SaveState(ctx, s, state) })
}

func (rows sessionsFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "Sessions.Delete", func() error { return rows.SessionRows.Delete(ctx, org, id) })
}

func (rows sessionsFaults) ListStale(ctx context.Context, t time.Time, limit int) ([]model.Session, error) {
	return Get(rows.faults, "Sessions.ListStale", func() ([]model.Session, error) { return rows.SessionRows.ListStale(ctx, t, limit) })
}

type credentialsFaults struct {
	model.CredentialRows
	faults *Faults
}

func (rows credentialsFaults) Insert(ctx context.Context, c model.Credential) error {
	return Call(rows.faults, "Credentials.Insert", func() error { return rows.CredentialRows.Insert(ctx, c) })
}

func (rows credentialsFaults) Get(ctx context.Context, org, id string) (model.Credential, error) {
	return Get(rows.faults, "Credentials.Get", func() (model.Credential, error) { return rows.CredentialRows.Get(ctx, org, id) })
}

func (rows credentialsFaults) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Credential], error) {
	return Get(rows.faults, "Credentials.List", func() (model.Page[model.Credential], error) { return rows.CredentialRows.List(ctx, org, page) })
}

func (rows credentialsFaults) Save(ctx context.Context, c model.Credential) error {
	return Call(rows.faults, "Credentials.Save", func() error { return rows.CredentialRows.Save(ctx, c) })
}

func (rows credentialsFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "Credentials.Delete", func() error { return rows.CredentialRows.Delete(ctx, org, id) })
}

type replaysFaults struct {
	model.ReplayRows
	faults *Faults
}

func (rows replaysFaults) Insert(ctx context.Context, r model.Replay) error {
	return Call(rows.faults, "Replays.Insert", func() error { return rows.ReplayRows.Insert(ctx, r) })
}

func (rows replaysFaults) Get(ctx context.Context, org, key string) (model.Replay, error) {
	return Get(rows.faults, "Replays.Get", func() (model.Replay, error) { return rows.ReplayRows.Get(ctx, org, key) })
}

func (rows replaysFaults) Save(ctx context.Context, r model.Replay) error {
	return Call(rows.faults, "Replays.Save", func() error { return rows.ReplayRows.Save(ctx, r) })
}

func (rows replaysFaults) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return Get(rows.faults, "Replays.DeleteBefore", func() (int64, error) { return rows.ReplayRows.DeleteBefore(ctx, t, limit) })
}

type ratesFaults struct {
	model.RateRows
	faults *Faults
}

func (rows ratesFaults) Add(ctx context.Context, name string, minute time.Time, n int64) (int64, error) {
	return Get(rows.faults, "Rates.Add", func() (int64, error) { return rows.RateRows.Add(ctx, name, minute, n) })
}

func (rows ratesFaults) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return Get(rows.faults, "Rates.DeleteBefore", func() (int64, error) { return rows.RateRows.DeleteBefore(ctx, t, limit) })
}

type memoryFaults struct {
	model.MemoryRows
	faults *Faults
}

func (rows memoryFaults) Upsert(ctx context.Context, r model.LearnedMapping) error {
	return Call(rows.faults, "Memory.Upsert", func() error { return rows.MemoryRows.Upsert(ctx, r) })
}

func (rows memoryFaults) List(ctx context.Context, org, identifier string, page model.PageRequest) (model.Page[model.LearnedMapping], error) {
	return Get(rows.faults, "Memory.List", func() (model.Page[model.LearnedMapping], error) {
		return rows.MemoryRows.List(ctx, org, identifier, page)
	})
}

func (rows memoryFaults) Columns(ctx context.Context, org, identifier string) ([]model.LearnedMapping, error) {
	return Get(rows.faults, "Memory.Columns", func() ([]model.LearnedMapping, error) { return rows.MemoryRows.Columns(ctx, org, identifier) })
}

func (rows memoryFaults) Version(ctx context.Context, org, identifier string) (int64, error) {
	return Get(rows.faults, "Memory.Version", func() (int64, error) { return rows.MemoryRows.Version(ctx, org, identifier) })
}

func (rows memoryFaults) Remove(ctx context.Context, r model.LearnedMapping) error {
	return Call(rows.faults, "Memory.Remove", func() error { return rows.MemoryRows.Remove(ctx, r) })
}

func (rows memoryFaults) Trim(ctx context.Context, org, identifier string, most int, size int64) error {
	return Call(rows.faults, "Memory.Trim", func() error { return rows.MemoryRows.Trim(ctx, org, identifier, most, size) })
}

func (rows memoryFaults) Forget(ctx context.Context, org, identifier string) error {
	return Call(rows.faults, "Memory.Forget", func() error { return rows.MemoryRows.Forget(ctx, org, identifier) })
}

type editsFaults struct {
	model.EditRows
	faults *Faults
}

func (rows editsFaults) Append(ctx context.Context, e model.Edit) error {
	return Call(rows.faults, "Edits.Append", func() error { return rows.EditRows.Append(ctx, e) })
}

func (rows editsFaults) FindByOp(ctx context.Context, org, importID, op string) (model.Edit, error) {
	return Get(rows.faults, "Edits.FindByOp", func() (model.Edit, error) { return rows.EditRows.FindByOp(ctx, org, importID, op) })
}

func (rows editsFaults) ListAfter(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[model.Edit, error] {
	return faultySequence(rows.faults, "Edits.ListAfter", rows.EditRows.ListAfter(ctx, org, importID, run, seq))
}

func (rows editsFaults) LastSeq(ctx context.Context, org, importID string, run int) (int64, error) {
	return Get(rows.faults, "Edits.LastSeq", func() (int64, error) { return rows.EditRows.LastSeq(ctx, org, importID, run) })
}

type webhooksFaults struct {
	model.WebhookRows
	faults *Faults
}

func (rows webhooksFaults) Insert(ctx context.Context, w model.Webhook) error {
	return Call(rows.faults, "Webhooks.Insert", func() error { return rows.WebhookRows.Insert(ctx, w) })
}

func (rows webhooksFaults) Get(ctx context.Context, org, id string) (model.Webhook, error) {
	return Get(rows.faults, "Webhooks.Get", func() (model.Webhook, error) { return rows.WebhookRows.Get(ctx, org, id) })
}

func (rows webhooksFaults) List(ctx context.Context, org string) ([]model.Webhook, error) {
	return Get(rows.faults, "Webhooks.List", func() ([]model.Webhook, error) { return rows.WebhookRows.List(ctx, org) })
}

func (rows webhooksFaults) Save(ctx context.Context, w model.Webhook) error {
	return Call(rows.faults, "Webhooks.Save", func() error { return rows.WebhookRows.Save(ctx, w) })
}

func (rows webhooksFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "Webhooks.Delete", func() error { return rows.WebhookRows.Delete(ctx, org, id) })
}

func (rows webhooksFaults) DeleteDeliveries(ctx context.Context, org, id string, limit int) (int64, error) {
	return Get(rows.faults, "Webhooks.DeleteDeliveries", func() (int64, error) { return rows.WebhookRows.DeleteDeliveries(ctx, org, id, limit) })
}

type deliveriesFaults struct {
	model.DeliveryRows
	faults *Faults
}

func (rows deliveriesFaults) Insert(ctx context.Context, d model.Delivery) error {
	return Call(rows.faults, "Deliveries.Insert", func() error { return rows.DeliveryRows.Insert(ctx, d) })
}

func (rows deliveriesFaults) Get(ctx context.Context, org, id string) (model.Delivery, error) {
	return Get(rows.faults, "Deliveries.Get", func() (model.Delivery, error) { return rows.DeliveryRows.Get(ctx, org, id) })
}

func (rows deliveriesFaults) List(ctx context.Context, org, webhookID string, page model.PageRequest) (model.Page[model.Delivery], error) {
	return Get(rows.faults, "Deliveries.List", func() (model.Page[model.Delivery], error) { return rows.DeliveryRows.List(ctx, org, webhookID, page) })
}

func (rows deliveriesFaults) Save(ctx context.Context, d model.Delivery) error {
	return Call(rows.faults, "Deliveries.Save", func() error { return rows.DeliveryRows.Save(ctx, d) })
}

func (rows deliveriesFaults) Requeue(ctx context.Context, org, webhookID string, after model.DeliveryPosition, now time.Time, limit int) ([]model.DeliveryPosition, error) {
	return Get(rows.faults, "Deliveries.Requeue", func() ([]model.DeliveryPosition, error) {
		return rows.DeliveryRows.Requeue(ctx, org, webhookID, after, now, limit)
	})
}

func (rows deliveriesFaults) Attempted(ctx context.Context, a model.Attempt) error {
	return Call(rows.faults, "Deliveries.Attempted", func() error { return rows.DeliveryRows.Attempted(ctx, a) })
}

func (rows deliveriesFaults) Attempts(ctx context.Context, deliveryID string) ([]model.Attempt, error) {
	return Get(rows.faults, "Deliveries.Attempts", func() ([]model.Attempt, error) { return rows.DeliveryRows.Attempts(ctx, deliveryID) })
}

type outboxFaults struct {
	model.OutboxRows
	faults *Faults
}

func (rows outboxFaults) Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]model.Target, error) {
	return Get(rows.faults, "Outbox.Targets", func() ([]model.Target, error) { return rows.OutboxRows.Targets(ctx, now, perOrg, limit) })
}

func (rows outboxFaults) Claimed(ctx context.Context, org, target string) (ofTarget, ofOrg int, err error) {
	if err := rows.faults.Use("Outbox.Claimed"); err != nil {
		return 0, 0, err
	}
	return rows.OutboxRows.Claimed(ctx, org, target)
}

func (rows outboxFaults) ClaimDue(ctx context.Context, target, node string, now time.Time, limit int) ([]model.Delivery, error) {
	return Get(rows.faults, "Outbox.ClaimDue", func() ([]model.Delivery, error) { return rows.OutboxRows.ClaimDue(ctx, target, node, now, limit) })
}

func (rows outboxFaults) GiveBack(ctx context.Context, node string) error {
	return Call(rows.faults, "Outbox.GiveBack", func() error { return rows.OutboxRows.GiveBack(ctx, node) })
}

func (rows outboxFaults) MakeDue(ctx context.Context, target string, now time.Time, limit int) (int64, error) {
	return Get(rows.faults, "Outbox.MakeDue", func() (int64, error) { return rows.OutboxRows.MakeDue(ctx, target, now, limit) })
}

func (rows outboxFaults) GiveUp(ctx context.Context, target string, limit int) (int64, error) {
	return Get(rows.faults, "Outbox.GiveUp", func() (int64, error) { return rows.OutboxRows.GiveUp(ctx, target, limit) })
}

func (rows outboxFaults) EraseImport(ctx context.Context, importID string) error {
	return Call(rows.faults, "Outbox.EraseImport", func() error { return rows.OutboxRows.EraseImport(ctx, importID) })
}

func (rows outboxFaults) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return Get(rows.faults, "Outbox.DeleteBefore", func() (int64, error) { return rows.OutboxRows.DeleteBefore(ctx, t, limit) })
}

type connectorsFaults struct {
	model.ConnectorRows
	faults *Faults
}

func (rows connectorsFaults) Insert(ctx context.Context, c model.Connector) error {
	return Call(rows.faults, "Connectors.Insert", func() error { return rows.ConnectorRows.Insert(ctx, c) })
}

func (rows connectorsFaults) Get(ctx context.Context, org, id string) (model.Connector, error) {
	return Get(rows.faults, "Connectors.Get", func() (model.Connector, error) { return rows.ConnectorRows.Get(ctx, org, id) })
}

func (rows connectorsFaults) List(ctx context.Context, org string) ([]model.Connector, error) {
	return Get(rows.faults, "Connectors.List", func() ([]model.Connector, error) { return rows.ConnectorRows.List(ctx, org) })
}

func (rows connectorsFaults) Save(ctx context.Context, c model.Connector) error {
	return Call(rows.faults, "Connectors.Save", func() error { return rows.ConnectorRows.Save(ctx, c) })
}

func (rows connectorsFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "Connectors.Delete", func() error { return rows.ConnectorRows.Delete(ctx, org, id) })
}

func (rows connectorsFaults) IsDue(ctx context.Context, now time.Time) (bool, error) {
	return Get(rows.faults, "Connectors.IsDue", func() (bool, error) { return rows.ConnectorRows.IsDue(ctx, now) })
}

func (rows connectorsFaults) Running(ctx context.Context, org string) ([]model.Connector, error) {
	return Get(rows.faults, "Connectors.Running", func() ([]model.Connector, error) { return rows.ConnectorRows.Running(ctx, org) })
}

func (rows connectorsFaults) ClaimDue(ctx context.Context, node string, now time.Time) (model.Connector, error) {
	return Get(rows.faults, "Connectors.ClaimDue", func() (model.Connector, error) { return rows.ConnectorRows.ClaimDue(ctx, node, now) })
}

func (rows connectorsFaults) GiveBack(ctx context.Context, node string) error {
	return Call(rows.faults, "Connectors.GiveBack", func() error { return rows.ConnectorRows.GiveBack(ctx, node) })
}

type pulledFaults struct {
	model.PulledRows
	faults *Faults
}

func (rows pulledFaults) ListByConnector(ctx context.Context, connectorID string) ([]model.PulledFile, error) {
	return Get(rows.faults, "Pulled.ListByConnector", func() ([]model.PulledFile, error) { return rows.PulledRows.ListByConnector(ctx, connectorID) })
}

func (rows pulledFaults) Get(ctx context.Context, connectorID string, f model.RemoteFile) (model.PulledFile, error) {
	return Get(rows.faults, "Pulled.Get", func() (model.PulledFile, error) { return rows.PulledRows.Get(ctx, connectorID, f) })
}

func (rows pulledFaults) Upsert(ctx context.Context, f model.PulledFile) error {
	return Call(rows.faults, "Pulled.Upsert", func() error { return rows.PulledRows.Upsert(ctx, f) })
}

func (rows pulledFaults) Delete(ctx context.Context, connectorID string, f model.RemoteFile) error {
	return Call(rows.faults, "Pulled.Delete", func() error { return rows.PulledRows.Delete(ctx, connectorID, f) })
}

func (rows pulledFaults) DeleteOf(ctx context.Context, connectorID string, limit int) (int64, error) {
	return Get(rows.faults, "Pulled.DeleteOf", func() (int64, error) { return rows.PulledRows.DeleteOf(ctx, connectorID, limit) })
}

func (rows pulledFaults) IsUploadDue(ctx context.Context, now time.Time) (bool, error) {
	return Get(rows.faults, "Pulled.IsUploadDue", func() (bool, error) { return rows.PulledRows.IsUploadDue(ctx, now) })
}

func (rows pulledFaults) QueueUpload(ctx context.Context, importID string, due time.Time) error {
	return Call(rows.faults, "Pulled.QueueUpload", func() error { return rows.PulledRows.QueueUpload(ctx, importID, due) })
}

func (rows pulledFaults) ListDueUploads(ctx context.Context, now time.Time, limit int) ([]model.PulledFile, error) {
	return Get(rows.faults, "Pulled.ListDueUploads", func() ([]model.PulledFile, error) { return rows.PulledRows.ListDueUploads(ctx, now, limit) })
}

func (rows pulledFaults) ListUploads(ctx context.Context, connectorID string, page model.PageRequest) (model.Page[model.PulledFile], error) {
	return Get(rows.faults, "Pulled.ListUploads", func() (model.Page[model.PulledFile], error) {
		return rows.PulledRows.ListUploads(ctx, connectorID, page)
	})
}

func (rows pulledFaults) CountFailedUploads(ctx context.Context, org string) (map[string]int64, error) {
	return Get(rows.faults, "Pulled.CountFailedUploads", func() (map[string]int64, error) { return rows.PulledRows.CountFailedUploads(ctx, org) })
}

func (rows pulledFaults) RetryUploads(ctx context.Context, connectorID string, now, leased time.Time, limit int) (int64, error) {
	return Get(rows.faults, "Pulled.RetryUploads", func() (int64, error) { return rows.PulledRows.RetryUploads(ctx, connectorID, now, leased, limit) })
}

type pullsFaults struct {
	model.PullRows
	faults *Faults
}

func (rows pullsFaults) Insert(ctx context.Context, p model.PullRun) error {
	return Call(rows.faults, "Pulls.Insert", func() error { return rows.PullRows.Insert(ctx, p) })
}

func (rows pullsFaults) List(ctx context.Context, connectorID string, page model.PageRequest) (model.Page[model.PullRun], error) {
	return Get(rows.faults, "Pulls.List", func() (model.Page[model.PullRun], error) { return rows.PullRows.List(ctx, connectorID, page) })
}

func (rows pullsFaults) Trim(ctx context.Context, connectorID string, keep int) error {
	return Call(rows.faults, "Pulls.Trim", func() error { return rows.PullRows.Trim(ctx, connectorID, keep) })
}

type retentionFaults struct {
	model.RetentionRows
	faults *Faults
}

func (rows retentionFaults) ListByOrg(ctx context.Context, org string) ([]model.Retention, error) {
	return Get(rows.faults, "Retention.ListByOrg", func() ([]model.Retention, error) { return rows.RetentionRows.ListByOrg(ctx, org) })
}

func (rows retentionFaults) ListAll(ctx context.Context) ([]model.Retention, error) {
	return Get(rows.faults, "Retention.ListAll", func() ([]model.Retention, error) { return rows.RetentionRows.ListAll(ctx) })
}

func (rows retentionFaults) Replace(ctx context.Context, org string, list []model.Retention) error {
	return Call(rows.faults, "Retention.Replace", func() error { return rows.RetentionRows.Replace(ctx, org, list) })
}

func (rows retentionFaults) Overdue(ctx context.Context, of model.Retention, part model.KeptPart, before time.Time, limit int) ([]string, error) {
	return Get(rows.faults, "Retention.Overdue", func() ([]string, error) { return rows.RetentionRows.Overdue(ctx, of, part, before, limit) })
}

func (rows retentionFaults) DropProblems(ctx context.Context, org, importID string) error {
	return Call(rows.faults, "Retention.DropProblems", func() error { return rows.RetentionRows.DropProblems(ctx, org, importID) })
}

func (rows retentionFaults) CountEdits(ctx context.Context, importID string, lastRun, limit int) (int64, error) {
	return Get(rows.faults, "Retention.CountEdits", func() (int64, error) {
		return rows.RetentionRows.CountEdits(ctx, importID, lastRun, limit)
	})
}

func (rows retentionFaults) DropEdits(ctx context.Context, importID string, lastRun, limit int) (int64, error) {
	return Get(rows.faults, "Retention.DropEdits", func() (int64, error) {
		return rows.RetentionRows.DropEdits(ctx, importID, lastRun, limit)
	})
}

type deletionsFaults struct {
	model.DeletionRows
	faults *Faults
}

func (rows deletionsFaults) Insert(ctx context.Context, d model.Deletion) error {
	return Call(rows.faults, "Deletions.Insert", func() error { return rows.DeletionRows.Insert(ctx, d) })
}

func (rows deletionsFaults) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Deletion], error) {
	return Get(rows.faults, "Deletions.List", func() (model.Page[model.Deletion], error) { return rows.DeletionRows.List(ctx, org, page) })
}

type ownersFaults struct {
	model.OwnerRows
	faults *Faults
}

func (rows ownersFaults) Run(ctx context.Context, importID string) (int, error) {
	return Get(rows.faults, "Owners.Run", func() (int, error) { return rows.OwnerRows.Run(ctx, importID) })
}

func (rows ownersFaults) Session(ctx context.Context, id string) (bool, error) {
	return Get(rows.faults, "Owners.Session", func() (bool, error) { return rows.OwnerRows.Session(ctx, id) })
}

type usageFaults struct {
	model.UsageRows
	faults *Faults
}

func (rows usageFaults) Get(ctx context.Context, org string) (model.Usage, error) {
	return Get(rows.faults, "Usage.Get", func() (model.Usage, error) { return rows.UsageRows.Get(ctx, org) })
}

type trashFaults struct {
	model.TrashRows
	faults *Faults
}

func (rows trashFaults) Schedule(ctx context.Context, t model.Trash) error {
	return Call(rows.faults, "Trash.Schedule", func() error { return rows.TrashRows.Schedule(ctx, t) })
}

func (rows trashFaults) ListDue(ctx context.Context, now time.Time, limit int) ([]model.Trash, error) {
	return Get(rows.faults, "Trash.ListDue", func() ([]model.Trash, error) { return rows.TrashRows.ListDue(ctx, now, limit) })
}

func (rows trashFaults) Remove(ctx context.Context, prefix string) error {
	return Call(rows.faults, "Trash.Remove", func() error { return rows.TrashRows.Remove(ctx, prefix) })
}

type nodesFaults struct {
	model.NodeRows
	faults *Faults
}

func (rows nodesFaults) Heartbeat(ctx context.Context, beat model.Heartbeat) (time.Time, error) {
	return Get(rows.faults, "Nodes.Heartbeat", func() (time.Time, error) { return rows.NodeRows.Heartbeat(ctx, beat) })
}

func (rows nodesFaults) OOMKills(ctx context.Context, node string) (model.OOMKills, error) {
	return Get(rows.faults, "Nodes.OOMKills", func() (model.OOMKills, error) { return rows.NodeRows.OOMKills(ctx, node) })
}

func (rows nodesFaults) Silent(ctx context.Context, after time.Duration) ([]string, error) {
	return Get(rows.faults, "Nodes.Silent", func() ([]string, error) { return rows.NodeRows.Silent(ctx, after) })
}

func (rows nodesFaults) List(ctx context.Context) ([]string, error) {
	return Get(rows.faults, "Nodes.List", func() ([]string, error) { return rows.NodeRows.List(ctx) })
}

func (rows nodesFaults) Describe(ctx context.Context) ([]model.Node, error) {
	return Get(rows.faults, "Nodes.Describe", func() ([]model.Node, error) { return rows.NodeRows.Describe(ctx) })
}

func (rows nodesFaults) Remove(ctx context.Context, node string) error {
	return Call(rows.faults, "Nodes.Remove", func() error { return rows.NodeRows.Remove(ctx, node) })
}

func (rows nodesFaults) EnsureMark(ctx context.Context, name, fresh string) (string, error) {
	return Get(rows.faults, "Nodes.EnsureMark", func() (string, error) { return rows.NodeRows.EnsureMark(ctx, name, fresh) })
}

type jobsFaults struct {
	model.Jobs
	faults *Faults
}

func (rows jobsFaults) Enqueue(ctx context.Context, job queue.Job) error {
	return Call(rows.faults, "Jobs.Enqueue", func() error { return rows.Jobs.Enqueue(ctx, job) })
}

func (rows jobsFaults) Waiting(ctx context.Context, kind string) (int, error) {
	return Get(rows.faults, "Jobs.Waiting", func() (int, error) { return rows.Jobs.Waiting(ctx, kind) })
}
