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
		{AwaitingUpload, Pending, "the file, or `initial_data`, is stored durably"},
		{Pending, Running, "a worker claims the import"},
		{Running, Pending, "the worker stopped or died before it finished"},
		{Running, Successful, "no question is open, and the result is stored"},
		{Running, NeedsReview, "a person must answer a question or fix rows"},
		{Running, Failed, "the file cannot be read, a hook failed or a limit was exceeded"},
		{Pending, Failed, "the import was started ten times and never finished"},
		{NeedsReview, Pending, "questions were answered or the mapping was changed, so the import runs again"},
		{NeedsReview, Successful, "the review was submitted"},
		{NeedsReview, Failed, "the review failed"},
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
