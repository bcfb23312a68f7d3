package httpapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/webhooks"
)

// eventShapes returns the schema of the data of each event with its description.
func eventShapes() map[webhooks.Event]*jsonschema.Schema {
	about := func(doc string, data *jsonschema.Schema) *jsonschema.Schema {
		data.Role = doc
		return data
	}
	return map[webhooks.Event]*jsonschema.Schema{
		webhooks.ImportCompleted:           about("An import became SUCCESSFUL.", shapeOf[webhooks.ImportData]()),
		webhooks.HeadlessImportNeedsReview: about("An import that was created through the API waits for a person.", shapeOf[webhooks.ImportData]()),
		webhooks.HeadlessImportFailed:      about("An import that was created through the API became FAILED.", shapeOf[webhooks.ImportData]()),
		webhooks.WebhookDisabled:           about("Another webhook of the organization was disabled because it failed for days or its receiver asked for this.", shapeOf[webhooks.DisabledData]()),
		webhooks.ConnectorFailed:           about("A run of an SFTP connector failed, although the run before it, if any, succeeded.", shapeOf[webhooks.ConnectorFailedData]()),
		webhooks.DeliveryFailed:            about("A result could not be uploaded to an SFTP server.", shapeOf[webhooks.DeliveryFailedData]()),
	}
}

// eventShape returns the schema of the message about an event.
func eventShape(event webhooks.Event) *jsonschema.Schema {
	data := eventShapes()[event]
	words := strings.Split(string(event), "_")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return namedType(strings.Join(words, "")+"Message", data.Role, required("event", enumType("", string(event))), required("data", data))
}

// importOfEvent returns the schema of an import in an event: without the URLs that would grant access
// to everyone who can read the message.
func importOfEvent() *jsonschema.Schema {
	s := shapeOf[wire.Import]()
	s.Name, s.Description = "EventImport", "An import, without its URLs."
	s.Properties = slices.DeleteFunc(s.Properties, func(p jsonschema.Property) bool { return p.Name == "review_url" })
	*s.Property("upload") = *stringType("Empty.")
	return s
}

// describeEvents describes the messages that webhooks receive, by event.
func describeEvents(parts *jsonschema.Components) map[string]any {
	all := map[string]any{}
	for _, event := range slices.Sorted(maps.Keys(eventShapes())) {
		shape := eventShape(event)
		header := func(name, doc string) map[string]any {
			p := parameter{name, doc, stringType("")}
			described := p.describe(parts, "header")
			described["required"] = true
			return described
		}
		all[string(event)] = map[string]any{"post": map[string]any{
			"operationId": "on" + strings.TrimSuffix(shape.Name, "Message"), "summary": shape.Description, "tags": []string{"Webhooks"}, "security": []any{},
			"parameters": []any{
				header("webhook-id", "Id of the message, the same in each attempt."),
				header("webhook-timestamp", "When the attempt was made, in seconds since 1970."),
				header("webhook-signature", "Signatures as in Standard Webhooks: v1, a comma and base64, separated by spaces."),
			},
			"requestBody": map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": parts.Describe(shape)}}},
			"responses":   map[string]any{"2XX": map[string]any{"description": "Received. After any other response, Intray sends the message again."}},
		}}
	}
	return all
}
