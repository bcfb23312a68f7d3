package model

import (
	"time"

	"github.com/intraydata/intray"
)

// SyncMode determines what an embedded import leaves on the server after its rows were handed over to
// the page.
type SyncMode string

// The modes of embedded imports. Other imports have none.
const (
	// SyncDisabled leaves nothing.
	SyncDisabled SyncMode = "DISABLED"
	// SyncMappings leaves what was learned about columns and values.
	SyncMappings SyncMode = "MAPPINGS_ONLY"
	// SyncFull leaves everything, as for other imports.
	SyncFull SyncMode = "FULL_DATA"
)

// PageHooks are the kinds of hooks that a page has.
type PageHooks struct {
	Columns bool `json:"columns,omitempty"`
	// Rows are the row hooks. If there are bulk hooks, too, Bulk is set, and all of them receive all rows
	// at once.
	Rows    bool `json:"rows,omitempty"`
	Bulk    bool `json:"bulk,omitempty"`
	Batches bool `json:"batches,omitempty"`
	Deleted bool `json:"deleted,omitempty"`
	Steps   bool `json:"steps,omitempty"`
}

// AddTo adds the hooks to a schema, after those that run on the server.
func (h PageHooks) AddTo(schema *intray.Schema) {
	hooks := &schema.Hooks
	if h.Columns {
		for _, f := range schema.Fields {
			hooks.Column = append(hooks.Column, intray.ColumnHook{Field: f.Key, Source: intray.PageHook})
		}
	}
	switch {
	case h.Bulk:
		hooks.BulkRow = append(hooks.BulkRow, intray.PageHook)
	case h.Rows:
		hooks.Row = append(hooks.Row, intray.PageHook)
	}
	if h.Batches {
		hooks.Row = append(hooks.Row, intray.PageBatchHook)
	}
	if h.Deleted {
		hooks.RowDelete = append(hooks.RowDelete, intray.PageHook)
	}
	if h.Steps {
		for _, step := range []string{intray.UploadStep, intray.ReviewStep, intray.ReviewStepPost} {
			hooks.Step = append(hooks.Step, intray.StepHook{Step: step, Source: intray.PageHook})
		}
	}
}

// SeenPrecision is how precisely the time when a page was last seen is stored.
const SeenPrecision = 5 * time.Minute

// EmbeddedLife is how long a person can work on an embedded import before the page must open the importer
// again.
const EmbeddedLife = 12 * time.Hour

// IsReleased reports whether the import is about to be deleted, because its session was deleted. Nobody
// can reach it any more.
func (i Import) IsReleased() bool { return i.Sync == SyncDisabled && i.Seen.IsZero() }

// IsEphemeral reports whether the import is deleted when its rows were handed over.
func (i Import) IsEphemeral() bool { return i.Sync == SyncDisabled || i.Sync == SyncMappings }
