package webhooks

import "encoding/json"

// The following types are the data of messages, as JSON. The tags describe them as those of
// package wire do.

// ImportData is the data of the events about an import.
type ImportData struct {
	_               struct{}        `name:"ImportEvent" doc:"An import that ended or waits for a person."`
	ID              string          `json:"id" doc:"Id of the upload."`
	Filename        *string         `json:"filename" doc:"null if the rows came without a file."`
	User            *UserData       `json:"user"`
	CreatedDate     string          `json:"created_date" schema:"time" doc:"When the import reached its status."`
	ImportType      string          `json:"import_type" schema:"import_type" doc:"HEADLESS means that it was created through the API."`
	Status          string          `json:"status" schema:"status"`
	NumDataRows     int64           `json:"num_data_rows"`
	DevelopmentMode bool            `json:"development_mode"`
	HasData         bool            `json:"has_data" doc:"The rows can be retrieved."`
	Headless        json.RawMessage `json:"headless,omitempty" schema:"event_import" doc:"With HEADLESS only."`
}

// UserData is the person for whom a file was imported. Unknown values are null.
type UserData struct {
	_           struct{} `name:"EventUser" doc:"The person for whom the file was imported. Unknown values are null."`
	ID          *string  `json:"id" doc:"Id of the person in your system."`
	Name        *string  `json:"name"`
	Email       *string  `json:"email"`
	CompanyID   *string  `json:"company_id"`
	CompanyName *string  `json:"company_name"`
}

// DisabledData is the data of the event about a disabled webhook.
type DisabledData struct {
	_            struct{} `name:"WebhookDisabledEvent" doc:"A webhook that was disabled because it failed for days or its receiver asked for this."`
	ID           string   `json:"id" doc:"Id of the webhook."`
	URL          string   `json:"url" doc:"The URL of the webhook."`
	DisabledDate string   `json:"disabled_date" schema:"time"`
	FailingSince string   `json:"failing_since" schema:"time"`
	NumFailures  int      `json:"num_failures"`
	LastFailure  string   `json:"last_failure" doc:"The message of the last failure in English."`
	// LastFailureCode and LastFailureParams let receivers translate LastFailure.
	LastFailureCode   string          `json:"last_failure_code,omitempty" schema:"code"`
	LastFailureParams json.RawMessage `json:"last_failure_params,omitempty" schema:"params"`
}

// ConnectorFailedData is the data of the event about a failed run of an SFTP connector.
type ConnectorFailedData struct {
	_           struct{}        `name:"SftpConnectorFailedEvent" doc:"The first failed run of an SFTP connector after a successful one."`
	Directory   string          `json:"directory" doc:"The folder of the connector."`
	Error       string          `json:"error" doc:"What went wrong, in English."`
	ErrorCode   string          `json:"error_code,omitempty" schema:"code"`
	ErrorParams json.RawMessage `json:"error_params,omitempty" schema:"params"`
	ErrorType   string          `json:"error_type" doc:"What went wrong, for programs."`
	FailedDate  string          `json:"failed_date" schema:"time"`
	ID          string          `json:"id" doc:"Id of the connector."`
	NextRunDate string          `json:"next_run_date" schema:"time"`
	RunID       string          `json:"run_id" doc:"Id of the failed run."`
}

// DeliveryFailedData is the data of the event about a result that could not be uploaded to an
// SFTP server.
type DeliveryFailedData struct {
	_               struct{}        `name:"SftpDeliveryFailedEvent" doc:"A result that could not be uploaded to an SFTP server."`
	ConnectorID     string          `json:"connector_id" doc:"Id of the connector."`
	Directory       string          `json:"directory" doc:"The folder for results."`
	Error           string          `json:"error" doc:"What went wrong, in English."`
	ErrorCode       string          `json:"error_code,omitempty" schema:"code"`
	ErrorParams     json.RawMessage `json:"error_params,omitempty" schema:"params"`
	ErrorType       string          `json:"error_type" doc:"Why the attempt failed, for programs."`
	FailedDate      string          `json:"failed_date" schema:"time"`
	ImportID        string          `json:"import_id" doc:"Id of the import whose result it is."`
	NextAttemptDate *string         `json:"next_attempt_date" schema:"time" doc:"null if there is no next attempt."`
	NumAttempts     int             `json:"num_attempts"`
	Status          string          `json:"status" schema:"result_delivery_status" doc:"FAILED means that the result is not tried again."`
}
