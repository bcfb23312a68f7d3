package model

import "slices"

// Status is the status of an import.
type Status string

// The statuses of an import.
const (
	AwaitingUpload Status = "AWAITING_UPLOAD"
	Pending        Status = "PENDING"
	Running        Status = "RUNNING"
	Successful     Status = "SUCCESSFUL"
	Failed         Status = "FAILED"
	NeedsReview    Status = "NEEDS_REVIEW"
)

// Transition is an allowed change of status.
type Transition struct {
	From, To Status
	// Why is the cause, as stated in docs/states.md.
	Why string
}

// Transitions returns all allowed changes of status. A test compares them with docs/states.md.
func Transitions() []Transition {
	return []Transition{
		{AwaitingUpload, Pending, "the file, or `initial_data`, is stored durably"},
		{Pending, Running, "a worker claims the import"},
		{Running, Pending, "the worker stopped or died before it finished"},
		{Running, Successful, "no question is open, and the result is stored"},
		{Running, NeedsReview, "a person must answer a question or fix rows"},
		{Running, Failed, "the file cannot be read, a hook failed, a limit was exceeded, or the run made no progress or exhausted the memory twice, or an operator canceled the import"},
		{Pending, Failed, "the import was started ten times and never finished, or an operator canceled it"},
		{NeedsReview, Pending, "questions were answered, the mapping was changed or a person chose to run the import again"},
		{NeedsReview, Successful, "the review was submitted"},
		{NeedsReview, Failed, "the review failed"},
	}
}

// MayBecome reports whether an import may change from status s to next.
func (s Status) MayBecome(next Status) bool {
	return slices.ContainsFunc(Transitions(), func(t Transition) bool { return t.From == s && t.To == next })
}

// InProgress reports whether the file was received and the import has not ended.
func (s Status) InProgress() bool { return s == Pending || s == Running || s == NeedsReview }

// UploadStatus is the status of an upload. It follows from the status of the import.
type UploadStatus string

// The statuses of an upload.
const (
	UploadPending    UploadStatus = "PENDING_UPLOAD"
	UploadProcessing UploadStatus = "PROCESSING"
	UploadProcessed  UploadStatus = "PROCESSED"
	UploadFailed     UploadStatus = "FAILED"
)

// UploadStatus returns the status of the upload if its import is in status s.
func (s Status) UploadStatus() UploadStatus {
	switch s {
	case AwaitingUpload:
		return UploadPending
	case Successful:
		return UploadProcessed
	case Failed:
		return UploadFailed
	default:
		return UploadProcessing
	}
}
