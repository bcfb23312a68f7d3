package model

// Status is where an import stands.
type Status string

// The states of an import.
const (
	AwaitingUpload Status = "AWAITING_UPLOAD"
	Pending        Status = "PENDING"
	Running        Status = "RUNNING"
	Successful     Status = "SUCCESSFUL"
	Failed         Status = "FAILED"
	NeedsReview    Status = "NEEDS_REVIEW"
)

// Transition is one way from a state to another.
type Transition struct {
	From, To Status
	// Why says what makes it happen, for docs/states.md.
	Why string
}

// Transitions is the one table of all ways that a status may change. Nothing
// else changes a status; docs/states.md is checked against it.
func Transitions() []Transition {
	return []Transition{
		{AwaitingUpload, Pending, "the bytes of the file, or of initial_data, are durable"},
		{Pending, Running, "a worker claims the import"},
		{Running, Pending, "the worker stopped or died before it was done"},
		{Running, Successful, "nothing is left to settle; the result is stored"},
		{Running, NeedsReview, "a question is open that only a person can answer"},
		{Running, Failed, "the file cannot be read, a hook failed or a limit was met"},
		{Pending, Failed, "the import was begun ten times and never came to its end"},
		{NeedsReview, Pending, "questions were answered or the mapping was changed: it runs again"},
		{NeedsReview, Successful, "the review was submitted"},
		{NeedsReview, Failed, "the review ended in failure"},
	}
}

// MayBecome says whether the table holds the way from s to next.
func (s Status) MayBecome(next Status) bool {
	for _, t := range Transitions() {
		if t.From == s && t.To == next {
			return true
		}
	}
	return false
}

// UploadStatus is where an upload stands; it follows its import.
type UploadStatus string

// The states of an upload.
const (
	UploadPending    UploadStatus = "PENDING_UPLOAD"
	UploadProcessing UploadStatus = "PROCESSING"
	UploadProcessed  UploadStatus = "PROCESSED"
	UploadFailed     UploadStatus = "FAILED"
)

// UploadStatus gives the status of the upload of an import in status s.
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
