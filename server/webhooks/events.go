package webhooks

// Event is the type of an event. To add one, add its name here, build its body in
// server/webhook/payload.go, and announce it where it happens.
type Event string

// The events. The names and bodies of the first three are fixed by existing clients.
const (
	// ImportCompleted: an import became SUCCESSFUL.
	ImportCompleted Event = "import_completed"
	// HeadlessImportNeedsReview: an import created through the API waits for a person.
	HeadlessImportNeedsReview Event = "headless_import_needs_review"
	// HeadlessImportFailed: an import created through the API became FAILED.
	HeadlessImportFailed Event = "headless_import_failed"
	// WebhookDisabled: another webhook of the organization was disabled because it failed
	// for days.
	WebhookDisabled Event = "webhook_disabled"
	// ConnectorFailed: the runs of an SFTP connector began to fail.
	ConnectorFailed Event = "sftp_connector_failed"
)

// Events returns the names of all events that a webhook can subscribe to.
func Events() []string {
	return []string{
		string(ImportCompleted), string(HeadlessImportNeedsReview), string(HeadlessImportFailed), string(WebhookDisabled), string(ConnectorFailed),
	}
}
