package model

import "time"

// Observer receives what happens in this process, for metrics. Its methods must be safe for
// concurrent use.
type Observer interface {
	// RunEnded is called after each run of an import.
	RunEnded(run EndedRun)
	// ImportFailed is called after an import has become FAILED, except at the end of a review.
	ImportFailed(reason FailureReason)
	// DeliveryAttempted is called after each attempt to deliver a webhook message.
	DeliveryAttempted(delivered, isRetry bool)
	// ConnectorRan is called after each run of a connector.
	ConnectorRan(succeeded bool)
	// ResultUploaded is called after each attempt to upload a result to an SFTP server.
	ResultUploaded(succeeded bool)
}

// EndedRun describes a run of an import.
type EndedRun struct {
	Outcome RunOutcome
	Took    time.Duration
	// Rows is the number of data rows, and Problems the number of problems by code. Both are zero
	// unless all rows were read.
	Rows     int64
	Problems map[string]int64
}

// RunOutcome is how a run of an import ended.
type RunOutcome string

// The outcomes of a run. After the last four, the import runs again or needs no run.
const (
	RunSuccessful  RunOutcome = "successful"
	RunNeedsReview RunOutcome = "needs_review"
	RunFailed      RunOutcome = "failed"
	// RunStalled means that the run made no progress, and that its import failed.
	RunStalled RunOutcome = "stalled"
	// RunError means that the run failed for a reason other than the file.
	RunError RunOutcome = "error"
	// RunInterrupted means that this process stopped the run.
	RunInterrupted RunOutcome = "interrupted"
	// RunSuperseded means that the import was deleted, has a newer run, or had already ended.
	RunSuperseded RunOutcome = "superseded"
)

// RunOutcomes returns all outcomes.
func RunOutcomes() []RunOutcome {
	return []RunOutcome{RunSuccessful, RunNeedsReview, RunFailed, RunStalled, RunError, RunInterrupted, RunSuperseded}
}

// FailureReason is why an import became FAILED.
type FailureReason string

// The reasons of failed imports.
const (
	// FailedByFile means that the file cannot be read or exceeds a limit.
	FailedByFile FailureReason = "file"
	// FailedByHook means that a hook failed or canceled the import.
	FailedByHook FailureReason = "hook"
	// FailedByStall means that a run made no progress.
	FailedByStall FailureReason = "stalled"
	// FailedByLostRuns means that too many runs crashed or failed for a reason other than the file.
	FailedByLostRuns FailureReason = "lost_runs"
	// FailedByMemory means that the process was killed twice for lack of memory.
	FailedByMemory FailureReason = "memory"
	// FailedByDamage means that the received file is missing or has changed.
	FailedByDamage FailureReason = "damage"
)

// FailureReasons returns all reasons.
func FailureReasons() []FailureReason {
	return []FailureReason{FailedByFile, FailedByHook, FailedByStall, FailedByLostRuns, FailedByMemory, FailedByDamage}
}

// Unobserved is an Observer that ignores everything.
type Unobserved struct{}

// RunEnded does nothing.
func (Unobserved) RunEnded(EndedRun) {}

// ImportFailed does nothing.
func (Unobserved) ImportFailed(FailureReason) {}

// DeliveryAttempted does nothing.
func (Unobserved) DeliveryAttempted(_, _ bool) {}

// ConnectorRan does nothing.
func (Unobserved) ConnectorRan(bool) {}

// ResultUploaded does nothing.
func (Unobserved) ResultUploaded(bool) {}
