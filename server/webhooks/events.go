package webhooks

// Event names what happened. To add an event, add its name here, build its body in
// server/webhook/payload.go, and announce it where it happens.
type Event string

// The events. The first three have the names and bodies that existing clients of the
// interface know.
const (
	// ImportCompleted: an import became SUCCESSFUL.
	ImportCompleted Event = "import_completed"
	// HeadlessImportNeedsReview: an import made through the API waits for a person.
	HeadlessImportNeedsReview Event = "headless_import_needs_review"
	// HeadlessImportFailed: an import made through the API became FAILED.
	HeadlessImportFailed Event = "headless_import_failed"
	// WebhookDisabled: another webhook of the organization failed for days and was
	// disabled.
	WebhookDisabled Event = "webhook_disabled"
	// ConnectorFailed: the runs of an SFTP connector began to fail.
	ConnectorFailed Event = "sftp_connector_failed"
)

// Events returns the names of all events that a webhook can ask for.
func Events() []string {
	var names []string
	for _, e := range []Event{ImportCompleted, HeadlessImportNeedsReview, HeadlessImportFailed, WebhookDisabled, ConnectorFailed} {
		names = append(names, string(e))
	}
	return names
}
