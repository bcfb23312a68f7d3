package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/intraydata/intray/internal/service"
)

const (
	// minOutcome is from how many bytes on the decoded outcomes of imports are kept:
	// those of a review are read with every call, and take milliseconds to decode.
	minOutcome = 4 << 10
	// maxOutcomes is how many are kept, each of at most maxOutcome bytes.
	maxOutcomes, maxOutcome = 32, 2 << 20
)

// outcomes keeps decoded outcomes by their texts. What it gives is never changed:
// callers that change an outcome make one of their own.
type outcomes struct {
	mu   sync.Mutex
	kept map[string]*service.Outcome
	// order are the texts, the oldest first.
	order []string
}

func newOutcomes() *outcomes { return &outcomes{kept: map[string]*service.Outcome{}} }

// cell is the outcome of an import as it is kept.
type outcomeCell struct {
	to   **service.Outcome
	kept *outcomes
}

// Value encodes it.
func (c outcomeCell) Value() (driver.Value, error) { return asJSON{c.to}.Value() }

// Scan decodes it, unless that was done before.
func (c outcomeCell) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("an outcome is a %T", from)
	}
	if len(text) < minOutcome || len(text) > maxOutcome {
		return json.Unmarshal([]byte(text), c.to)
	}
	if known := c.kept.get(text); known != nil {
		*c.to = known
		return nil
	}
	if err := json.Unmarshal([]byte(text), c.to); err != nil || *c.to == nil {
		return err
	}
	c.kept.put(text, **c.to)
	return nil
}

// get gives a copy of what is kept under a text, or nil.
func (o *outcomes) get(text string) *service.Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.kept[text]
	if known == nil {
		return nil
	}
	own := *known
	return &own
}

func (o *outcomes) put(text string, one service.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept[text] != nil {
		return
	}
	if len(o.order) >= maxOutcomes {
		delete(o.kept, o.order[0])
		o.order = o.order[1:]
	}
	o.kept[text], o.order = &one, append(o.order, text)
}
