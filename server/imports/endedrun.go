package imports

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// runError is the error of a run that failed for a reason other than the file.
type runError struct {
	importID, org string
	run           int
	err           error
}

func (e *runError) Error() string {
	return fmt.Sprintf("import %s, run %d: %v", e.importID, e.run, e.err)
}

func (e *runError) Unwrap() error { return e.err }

// LogAttrs returns attributes for the log.
func (e *runError) LogAttrs() []slog.Attr {
	return []slog.Attr{slog.String("import", e.importID), slog.String("org", e.org), slog.Int("run", e.run)}
}

// endedRun collects what the observer learns about a run.
type endedRun struct {
	model.EndedRun
	began time.Time
	// damaged means that the received file is missing or has changed.
	damaged bool
	// failure is why the import became FAILED at the end of the run, or "".
	failure model.FailureReason
}

// finish sets the outcome of a run whose end was committed.
func (e *endedRun) finish(imp model.Import, next model.Status) {
	switch next {
	case model.Successful:
		e.Outcome = model.RunSuccessful
	case model.NeedsReview:
		e.Outcome = model.RunNeedsReview
	default:
		e.Outcome, e.failure = model.RunFailed, model.FailedByFile
	}
	isHook := func(n intray.Notice) bool { return n.Type == intray.HookFailed || n.Type == intray.CancelledByHook }
	switch {
	case e.failure == "":
	case e.damaged:
		e.failure = model.FailedByDamage
	case slices.ContainsFunc(imp.Outcome.Notices, isHook):
		e.failure = model.FailedByHook
	}
}

// observe passes a run to the observer.
func (s *Service) observe(e endedRun) {
	e.Took = s.env.Now().Sub(e.began)
	s.env.Observer.RunEnded(e.EndedRun)
	if e.failure != "" {
		s.env.Observer.ImportFailed(e.failure)
	}
}
