package memstore

import (
	"github.com/intraydata/intray/server/model"
)

// tables contains the rows of all entities.
type tables struct {
	orgs        rows[string, orgRow]
	licences    rows[string, model.Licence]
	schemas     rows[string, model.Schema]
	imports     rows[string, importRow]
	uploads     rows[string, model.Upload]
	sessions    rows[string, sessionRow]
	credentials rows[string, model.Credential]
	replays     rows[[2]string, model.Replay]
	rates       rows[[2]string, rateRow]
	memory      rows[memoryKey, model.LearnedMapping]
	// memoryVersions are the versions of the mappings of each organization and import identifier.
	memoryVersions rows[[2]string, int64]
	links          rows[string, model.ImportLink]
	logos          rows[string, model.Logo]
	edits          rows[editKey, model.Edit]
	webhooks       rows[string, model.Webhook]
	deliveries     rows[string, model.Delivery]
	attempts       rows[attemptKey, model.Attempt]
	connectors     rows[string, model.Connector]
	pulled         rows[pulledKey, model.PulledFile]
	pulls          rows[string, model.PullRun]
	retention      rows[[2]string, model.Retention]
	deletions      rows[string, model.Deletion]
	trash          rows[string, model.Trash]
	nodes          rows[string, model.Node]
	marks          rows[string, string]
	jobs           rows[int64, jobRow]
	lastJob        int64
}

// txn is a transaction. Each type that embeds it reads and writes the rows of one entity.
type txn struct {
	*tables
	db       *database
	writable bool
	// enqueued is set when the transaction has enqueued a job.
	enqueued bool
}

func newTx(t *txn) model.Tx {
	return model.Tx{
		Accounts:    accountRows{t},
		Schemas:     schemaRows{t},
		Imports:     importRows{t},
		Embedded:    embeddedRows{t},
		Uploads:     uploadRows{t},
		Sessions:    sessionRows{t},
		Credentials: credentialRows{t, ownedRows[model.Credential]{t, &t.credentials, credentialOwner}},
		Replays:     replayRows{t},
		Rates:       rateRows{t},
		Memory:      memoryRows{t},
		ImportLinks: linkRows{t, ownedRows[model.ImportLink]{t, &t.links, linkOwner}},
		Edits:       editRows{t},
		Webhooks:    webhookRows{t, ownedRows[model.Webhook]{t, &t.webhooks, webhookOwner}},
		Deliveries:  deliveryRows{t, ownedRows[model.Delivery]{t, &t.deliveries, deliveryOwner}},
		Outbox:      outboxRows{t},
		Connectors:  connectorRows{t, ownedRows[model.Connector]{t, &t.connectors, connectorOwner}},
		Pulled:      pulledRows{t},
		Pulls:       pullRows{t},
		Retention:   retentionRows{t},
		Deletions:   deletionRows{t},
		Owners:      ownerRows{t},
		OrgData:     orgDataRows{t},
		Usage:       usageRows{t},
		Trash:       trashRows{t},
		Nodes:       nodeRows{t},
		Jobs:        jobRows{t},
	}
}

// checkOrg returns NotFound if an organization does not exist.
func (t *txn) checkOrg(id string) error {
	if _, exists := t.orgs.byKey[id]; !exists {
		return ownerMissing()
	}
	return nil
}

// owner identifies a row: its organization and its id.
type owner struct{ org, id string }

// ownedRows reads and writes the rows of an entity that belongs to an organization and that is keyed
// by its id.
type ownedRows[V any] struct {
	txn  *txn
	rows *rows[string, V]
	of   func(V) owner
}

// is returns a condition that the rows of an organization meet.
func (r ownedRows[V]) is(org string) func(V) bool {
	return func(row V) bool { return r.of(row).org == org }
}

func (r ownedRows[V]) insert(row V) error {
	if err := r.txn.checkOrg(r.of(row).org); err != nil {
		return err
	}
	return r.rows.insert(r.txn, r.of(row).id, row)
}

func (r ownedRows[V]) get(org, id string) (V, error) { return r.rows.get(id, r.is(org)) }

// save replaces a row. The function keep restores what must not change from the stored row.
func (r ownedRows[V]) save(row V, keep func(stored V, row *V)) error {
	return r.rows.change(r.txn, r.of(row).id, r.is(r.of(row).org), func(stored *V) {
		keep(*stored, &row)
		*stored = row
	})
}

func (r ownedRows[V]) delete(org, id string) error { return r.rows.remove(r.txn, id, r.is(org)) }
