package script

import (
	"context"
	"errors"
	"time"

	"github.com/intraydata/intray/internal/script/cage"
)

// pauses are those before what a worker was about is tried again, after something
// else than a hook killed it: a system that has no memory left may have some then.
// No hook brings that about, so their number is no matter to a hostile one.
var pauses = []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// tries counts how often that happened in a row.
type tries int

// again waits where something is to be tried once more.
func (t *tries) again(ctx context.Context, err error) bool {
	if !killed(err) || int(*t) == len(pauses) {
		return false
	}
	select {
	case <-time.After(pauses[*t]):
	case <-ctx.Done():
		return false
	}
	*t++
	return true
}

// killed says that something else ended a worker, as a system does that has no
// memory left, or an operator. That is no fault of a hook.
func killed(err error) bool {
	var dead *cage.Failure
	return errors.As(err, &dead) && dead.Kind == cage.KindKilled
}
