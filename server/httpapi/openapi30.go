package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// describe30 returns the OpenAPI 3.0.3 document of the operations, converted from the 3.1 document.
func (a *API) describe30() ([]byte, error) {
	text, err := a.openapi()
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("decode the description of the API: %w", err)
	}
	convertDocument(document)
	if text, err = json.MarshalIndent(document, "", " "); err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return text, nil
}

// convertDocument converts a decoded 3.1 document as describe returns it to OpenAPI 3.0.3.
func convertDocument(document map[string]any) {
	document["openapi"] = "3.0.3"
	delete(document, "webhooks")
	info, _ := document["info"].(map[string]any)
	info["license"] = map[string]any{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}
	components, _ := document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	for name, schema := range schemas {
		schemas[name] = convertSchema(schema)
	}
	convertSchemasIn(document["paths"])
	paths, _ := document["paths"].(map[string]any)
	for _, operations := range paths {
		for _, operation := range operations.(map[string]any) {
			dropRoles(operation.(map[string]any))
		}
	}
}

// convertSchemasIn converts all schemas inside a value that is not a schema itself.
func convertSchemasIn(value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			convertSchemasIn(one)
		}
	case map[string]any:
		for name, one := range v {
			if name == "schema" {
				v[name] = convertSchema(one)
			} else {
				convertSchemasIn(one)
			}
		}
	}
}

// dropRoles removes the scopes from the security of an operation, because OpenAPI 3.0 allows them
// only with OAuth.
func dropRoles(operation map[string]any) {
	security, _ := operation["security"].([]any)
	for _, one := range security {
		requirement, _ := one.(map[string]any)
		for name := range requirement {
			requirement[name] = []any{}
		}
	}
}

// convertSchema returns a schema of OpenAPI 3.1 as one of OpenAPI 3.0. The result allows at least the
// same values.
func convertSchema(schema any) any {
	m, isObject := schema.(map[string]any)
	if !isObject {
		return schema
	}
	if ref, has := m["$ref"]; has {
		return map[string]any{"$ref": ref} // 3.0 ignores what is next to a reference
	}
	out := maps.Clone(m)
	for _, keyword := range []string{"items", "additionalProperties"} {
		if inner, has := m[keyword]; has {
			out[keyword] = convertSchema(inner)
		}
	}
	if properties, has := m["properties"].(map[string]any); has {
		converted := make(map[string]any, len(properties))
		for name, property := range properties {
			converted[name] = convertSchema(property)
		}
		out["properties"] = converted
		if _, conflicts := properties["validate"]; conflicts { // in Go, with the method Validate that ogen generates
			out["x-ogen-properties"] = map[string]any{"validate": map[string]any{"name": "Rule"}}
		}
	}
	if types, is := m["type"].([]any); is { // a type and null
		out["type"], out["nullable"] = types[0], true
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		convertChoices(out, keyword)
	}
	if examples, has := m["examples"].([]any); has {
		delete(out, "examples")
		out["example"] = examples[0]
	}
	return out
}

// convertChoices converts the choices of a schema. The choice null becomes nullable. A single other
// choice becomes allOf, because 3.0 ignores nullable next to a reference. Several choices of anyOf
// become any value, because programs that know only 3.0 cannot tell such choices apart.
func convertChoices(m map[string]any, keyword string) {
	choices, has := m[keyword].([]any)
	if !has {
		return
	}
	all := make([]any, len(choices))
	for i, choice := range choices {
		all[i] = convertSchema(choice)
	}
	rest := slices.DeleteFunc(all, func(choice any) bool {
		object, _ := choice.(map[string]any)
		return object["type"] == "null"
	})
	delete(m, keyword)
	if len(rest) < len(choices) {
		m["nullable"] = true
	}
	switch {
	case len(rest) == 1:
		m["allOf"] = rest
	case keyword == "oneOf":
		m[keyword] = rest
	}
}
