package httpapi

import "github.com/intraydata/intray/server/model"

// scopeOf maps the id of each operation that requires a backend key to the scope that the key
// must have. A key with scopes may not call operations that are missing here.
var scopeOf = map[string]model.Scope{
	"listImports":       model.ScopeRead,
	"getImport":         model.ScopeRead,
	"getImportResult":   model.ScopeRead,
	"getQuestions":      model.ScopeRead,
	"getCells":          model.ScopeRead,
	"listUploads":       model.ScopeRead,
	"getUploadMetadata": model.ScopeRead,
	"getUploadResult":   model.ScopeRead,
	"getUploadRows":     model.ScopeRead,
	"listSchemas":       model.ScopeRead,
	"getSchema":         model.ScopeRead,

	"getSchemaExtensions": model.ScopeRead,

	"createImport":  model.ScopeImport,
	"deleteImport":  model.ScopeImport,
	"deleteUpload":  model.ScopeImport,
	"createSession": model.ScopeImport,
	"resumeSession": model.ScopeImport,
	"deleteSession": model.ScopeImport,

	"answerQuestions":  model.ScopeReview,
	"renewReviewLink":  model.ScopeReview,
	"revokeReviewLink": model.ScopeReview,

	"createSchema":  model.ScopeAdmin,
	"replaceSchema": model.ScopeAdmin,
	"deleteSchema":  model.ScopeAdmin,

	"replaceSchemaExtensions": model.ScopeAdmin,

	"listMemory":             model.ScopeAdmin,
	"forgetMemory":           model.ScopeAdmin,
	"getLexicon":             model.ScopeAdmin,
	"replaceLexicon":         model.ScopeAdmin,
	"createCredential":       model.ScopeAdmin,
	"listCredentials":        model.ScopeAdmin,
	"getCredential":          model.ScopeAdmin,
	"replaceCredential":      model.ScopeAdmin,
	"deleteCredential":       model.ScopeAdmin,
	"testCredential":         model.ScopeAdmin,
	"createConnector":        model.ScopeAdmin,
	"listConnectors":         model.ScopeAdmin,
	"getConnector":           model.ScopeAdmin,
	"replaceConnector":       model.ScopeAdmin,
	"deleteConnector":        model.ScopeAdmin,
	"runConnector":           model.ScopeAdmin,
	"listConnectorRuns":      model.ScopeAdmin,
	"listResultDeliveries":   model.ScopeAdmin,
	"createWebhook":          model.ScopeAdmin,
	"listWebhooks":           model.ScopeAdmin,
	"getSigningSecret":       model.ScopeAdmin,
	"listSettingsDeliveries": model.ScopeAdmin,
	"getWebhook":             model.ScopeAdmin,
	"replaceWebhook":         model.ScopeAdmin,
	"deleteWebhook":          model.ScopeAdmin,
	"rotateWebhook":          model.ScopeAdmin,
	"listDeliveries":         model.ScopeAdmin,
	"fetchMessages":          model.ScopeAdmin,
	"tellForwarded":          model.ScopeAdmin,
	"redeliver":              model.ScopeAdmin,
	"getRetention":           model.ScopeAdmin,
	"putRetention":           model.ScopeAdmin,
	"listReceipts":           model.ScopeAdmin,
}
