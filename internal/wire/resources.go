package wire

import (
	"encoding/json"

	"github.com/intraydata/intray"
)

// Schema is a schema document.
type Schema struct {
	_        struct{}        `doc:"A schema."`
	ID       string          `json:"id" schema:"uuid" doc:"Id of the schema."`
	Name     string          `json:"name"`
	Fields   json.RawMessage `json:"fields" schema:"fields"`
	Settings json.RawMessage `json:"settings" schema:"settings"`
	Hooks    json.RawMessage `json:"hooks" schema:"hooks"`
	Warnings
}

// Webhook is a webhook endpoint of an organization.
type Webhook struct {
	ID                string   `json:"id" schema:"uuid" doc:"Id of the webhook."`
	URL               *string  `json:"url" schema:"uri"`
	Events            []string `json:"events" schema:"event" doc:"Empty means all."`
	DevelopmentMode   *bool    `json:"development_mode" doc:"null means all."`
	ImportIdentifiers []string `json:"import_identifiers" doc:"Empty means all."`
	SchemaIDs         []string `json:"schema_ids" doc:"Empty means all."`
	Enabled           bool     `json:"enabled" doc:"A webhook is disabled when its messages all fail for 5 days or its receiver responds with 410 Gone."`
	FailingSince      *string  `json:"failing_since" schema:"time" doc:"Since when every attempt has failed."`
	CreatedDate       string   `json:"created_date" schema:"time"`
	Secret            string   `json:"secret,omitempty" doc:"whsec_ and base64. Sent only when the webhook is created and after a rotation."`
	Warnings
}

// SigningSecret is the secret with which Intray signs webhook messages.
type SigningSecret struct {
	Secret string `json:"secret" doc:"whsec_ and base64."`
}

// Delivery is the delivery of one event to a webhook.
type Delivery struct {
	_               struct{}  `name:"WebhookDelivery"`
	ID              string    `json:"id" doc:"The id of the message: webhook-id of each attempt."`
	Event           string    `json:"event"`
	ImportID        string    `json:"import_id"`
	URL             string    `json:"url"`
	Status          string    `json:"status" schema:"delivery_status"`
	CreatedDate     string    `json:"created_date" schema:"time"`
	NextAttemptDate *string   `json:"next_attempt_date" schema:"time"`
	ContentType     string    `json:"content_type"`
	Body            *string   `json:"body" doc:"null if the data in the message was deleted."`
	Attempts        []Attempt `json:"attempts"`
}

// Attempt is one attempt to send a webhook message.
type Attempt struct {
	_          struct{} `name:"WebhookAttempt"`
	Number     int      `json:"number"`
	Date       string   `json:"date" schema:"time"`
	Delivered  bool     `json:"delivered"`
	StatusCode *int     `json:"status_code"`
	SnakeMessage
	AnsweredMS      float64             `json:"answered_ms" doc:"Time to the response headers, in milliseconds."`
	TookMS          float64             `json:"took_ms" doc:"Time to the end of the response, in milliseconds."`
	ResponseHeaders map[string][]string `json:"response_headers"`
	ResponseBody    string              `json:"response_body" doc:"The first 16 KiB."`
}

// Redelivered is the number of webhook messages that will be sent again.
type Redelivered struct {
	Deliveries int64 `json:"deliveries" doc:"Number of messages that are sent again, under their ids."`
}

// Credential is an SFTP credential, without its secret.
type Credential struct {
	_              struct{} `name:"SftpCredential"`
	ID             string   `json:"id" schema:"uuid" doc:"Id of the credential."`
	Hostname       string   `json:"hostname"`
	Port           int      `json:"port"`
	User           string   `json:"user"`
	AuthType       string   `json:"auth_type" schema:"auth_type"`
	KeyFingerprint string   `json:"key_fingerprint" doc:"Identifies the stored secret: SHA256:… of the public key, or of the password under a key of the server."`
}

// ConnectionTest is the result of a login with a credential.
type ConnectionTest struct {
	_       struct{} `name:"SftpConnectionTest"`
	Success bool     `json:"success"`
	SnakeError
	HostKeyFingerprint string `json:"host_key_fingerprint,omitempty" doc:"The host key of the server."`
}

// Connector fetches files from an SFTP server.
type Connector struct {
	_           struct{}   `name:"SftpConnector"`
	ID          string     `json:"id" schema:"uuid" doc:"Id of the connector."`
	Credentials string     `json:"credentials" schema:"uuid"`
	Schema      string     `json:"schema" schema:"uuid"`
	Schedule    Schedule   `json:"schedule"`
	Directory   string     `json:"directory"`
	FileRegex   *string    `json:"file_regex"`
	DeliverTo   *DeliverTo `json:"deliver_to"`
	LastRunDate *string    `json:"last_run_date" schema:"time"`
	NextRunDate string     `json:"next_run_date" schema:"time"`
	NumFailures int        `json:"num_failures" doc:"Number of failed runs since the last successful one."`
	CreatedDate string     `json:"created_date" schema:"time"`

	NumFailedDeliveries int64 `json:"num_failed_deliveries" doc:"Number of results whose last attempt at delivery failed."`
}

// Schedule specifies when a connector runs.
type Schedule struct {
	_       struct{} `name:"SftpSchedule"`
	Minutes int      `json:"minutes,omitempty"`
	TimeUTC string   `json:"time_utc,omitempty"`
	Type    string   `json:"type" schema:"schedule_type"`
}

// DeliverTo specifies where a connector uploads results.
type DeliverTo struct {
	_         struct{} `name:"SftpDeliverTo"`
	Directory string   `json:"directory"`
	Format    string   `json:"format"`
}

// ResultDelivery is the delivery of a result to the folder of a connector.
type ResultDelivery struct {
	_               struct{} `name:"SftpResultDelivery"`
	ImportID        string   `json:"import_id" schema:"uuid"`
	File            string   `json:"file" doc:"Path of the file that was imported."`
	Status          string   `json:"status" schema:"result_delivery_status" doc:"FAILED means that the result is not tried again."`
	NumAttempts     int      `json:"num_attempts"`
	NextAttemptDate *string  `json:"next_attempt_date" schema:"time" doc:"null unless the status is WAITING."`
	ErrorType       string   `json:"error_type" doc:"Why the last attempt failed, for programs. Empty if it did not."`
	SnakeError
}

// ConnectorRun is a run of a connector.
type ConnectorRun struct {
	_         struct{} `name:"SftpConnectorRun"`
	ID        string   `json:"id" schema:"uuid" doc:"Id of the run."`
	BeganDate string   `json:"began_date" schema:"time"`
	EndedDate string   `json:"ended_date" schema:"time"`
	Success   bool     `json:"success"`
	ErrorType string   `json:"error_type" doc:"What went wrong, for programs. Empty if nothing did."`
	SnakeError
	NumFiles        int              `json:"num_files" doc:"Files whose names match."`
	NumFetched      int              `json:"num_fetched" doc:"Files that became imports."`
	NumWaiting      int              `json:"num_waiting" doc:"New files that may still change."`
	Skipped         []string         `json:"skipped" doc:"Entries that were skipped, each with the reason."`
	SkippedMessages []intray.Message `json:"skipped_messages" doc:"The same reasons as codes with parameters."`
}

// Session is a new session of an embedded import.
type Session struct {
	SessionID   string `json:"sessionId" schema:"uuid"`
	HydrationID string `json:"hydrationId" doc:"The hydration token."`
	ExpiresIn   int64  `json:"expiresIn" doc:"Validity of the token in seconds."`
	SavedAt     string `json:"savedAt" schema:"time"`
}

// HydrationToken is a new token for an existing session.
type HydrationToken struct {
	_           struct{} `name:"SessionToken"`
	HydrationID string   `json:"hydrationId" doc:"The hydration token."`
	ExpiresIn   int64    `json:"expiresIn" doc:"Validity of the token in seconds."`
}

// Saved is the time at which a state or file was saved.
type Saved struct {
	_       struct{} `name:"SavedSession"`
	SavedAt string   `json:"savedAt" schema:"time"`
}

// Success confirms a deletion.
type Success struct {
	_       struct{} `name:"DeletedSession"`
	Success bool     `json:"success"`
}

// Receipt lists the deleted parts of an import.
type Receipt struct {
	ID          string        `json:"id" schema:"uuid" doc:"Id of the receipt."`
	ImportID    string        `json:"import_id" schema:"uuid"`
	DeletedDate string        `json:"deleted_date" schema:"time"`
	Reason      string        `json:"reason" schema:"deletion_reason"`
	Parts       []DeletedPart `json:"parts"`
}

// DeletedPart is a deleted part of an import.
type DeletedPart struct {
	Part   string `json:"part" schema:"deleted_part"`
	Size   int64  `json:"size" doc:"In bytes; 0 for problems."`
	SHA256 string `json:"sha256" doc:"Empty for problems."`
}

// Retention is the retention policy of an organization.
type Retention struct {
	RetentionDays
	Learned *int              `json:"learned_days"`
	Schemas []SchemaRetention `json:"schemas"`
}

// RetentionDays is the number of days for which Intray keeps each part of an import. null
// means forever.
type RetentionDays struct {
	Originals *int `json:"originals_days"`
	Results   *int `json:"results_days"`
	Problems  *int `json:"problems_days"`
}

// SchemaRetention is the retention policy for the imports of one schema.
type SchemaRetention struct {
	SchemaID string `json:"schema_id"`
	RetentionDays
}

// Health reports that the server is running.
type Health struct {
	Status string `json:"status" schema:"health"`
}

// Readiness reports that the server can handle requests.
type Readiness struct {
	Status string `json:"status" schema:"health"`
	// ClockSkewSeconds is how far the clock of the database is ahead of the clock of the server, in
	// seconds. It is 0 if the difference is at most 1 s.
	ClockSkewSeconds float64 `json:"clock_skew_seconds,omitzero"`
}
