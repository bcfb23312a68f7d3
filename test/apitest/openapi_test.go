package apitest

import (
	"strings"
	"testing"
)

// smallDocument contains one example of each construct that Intray's documents use.
const smallDocument = `{
  "openapi": "3.1.0",
  "info": {"title": "T", "version": "1", "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
  "servers": [{"url": "/"}],
  "paths": {
    "/things/{id}": {
      "put": {
        "operationId": "putThing", "summary": "Put", "tags": ["Things"], "security": [{"key": []}],
        "parameters": [
          {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}},
          {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "default": 20}}
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
        "responses": {
          "200": {"description": "OK", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}},
          "400": {"description": "Bad Request", "content": {"application/json": {"schema": {"type": "object", "properties": {"code": {"type": "string"}}}}}},
          "403": {"description": "Forbidden", "content": {"application/json": {"schema": {"type": "object", "properties": {"code": {"type": "string"}}, "additionalProperties": {}}}}},
          "404": {"description": "Not Found"}
        }
      },
      "get": {"operationId": "getThing", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {}}], "responses": {"200": {"description": "OK"}}}
    }
  },
  "components": {
    "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    "schemas": {"Thing": {"type": "object", "required": ["name"], "properties": {"name": {"type": ["string", "null"], "maxLength": 5, "examples": ["x"]}}, "additionalProperties": false}}
  }
}`

func TestValidateDocument(t *testing.T) {
	d, err := ParseDocument([]byte(smallDocument))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil {
		t.Fatalf("the undamaged document: %v", err)
	}
	if len(d.List) != 2 || d.List[0].Method != "GET" || d.List[1].OperationID != "putThing" {
		t.Errorf("the operations are %+v", d.List)
	}
	if d.checkConformance(d.List[1], 200, "application/json", []byte(`[{"name":"abc"},{"name":null}]`)) != "" {
		t.Error("rejected a documented body")
	}
	for _, body := range []string{`[{"name":"abcdef"}]`, `[{}]`, `[{"name":"x","more":1}]`, `{}`, `[] []`} {
		if d.checkConformance(d.List[1], 200, "application/json", []byte(body)) == "" {
			t.Errorf("accepted the undocumented body %s", body)
		}
	}
	if d.checkConformance(d.List[1], 400, "application/json", []byte(`{"code":"x","more":1}`)) == "" {
		t.Error("accepted a property that is not documented")
	}
	if wrong := d.checkConformance(d.List[1], 403, "application/json", []byte(`{"code":"x","more":1}`)); wrong != "" {
		t.Errorf("refused a property that is allowed explicitly: %s", wrong)
	}
}

// TestDamagedDocuments checks that a defect in any part makes the document invalid.
func TestDamagedDocuments(t *testing.T) {
	for name, damage := range map[string][2]string{
		"another version":               {`"openapi": "3.1.0"`, `"openapi": "3.0.3"`},
		"no title":                      {`"title": "T", `, ``},
		"an unknown field":              {`"summary": "Put"`, `"synopsis": "Put"`},
		"an operation id twice":         {`"getThing"`, `"putThing"`},
		"no operation id":               {`"operationId": "getThing", `, ``},
		"a path parameter missing":      {`"/things/{id}"`, `"/things/{id}/{other}"`},
		"a path parameter too many":     {`"/things/{id}"`, `"/things"`},
		"an optional path parameter":    {`"in": "path", "required": true, "schema": {}`, `"in": "path", "required": false, "schema": {}`},
		"a parameter twice":             {`"name": "limit", "in": "query", `, `"name": "id", "in": "path", "required": true, `},
		"a parameter without a schema":  {`"required": true, "schema": {}`, `"required": true`},
		"a parameter nowhere":           {`"in": "query"`, `"in": "body"`},
		"no responses of a method":      {`"responses": {"200": {"description": "OK"}}`, `"responses": {}`},
		"a response without text":       {`{"description": "Not Found"}`, `{}`},
		"an impossible status":          {`"404"`, `"4044"`},
		"an unknown security scheme":    {`[{"key": []}]`, `[{"other": []}]`},
		"a scheme of an unknown type":   {`"type": "apiKey"`, `"type": "apikey"`},
		"a scheme without a name":       {`, "name": "X-Key"`, ``},
		"a reference to nothing":        {`"#/components/schemas/Thing"}}}}`, `"#/components/schemas/Think"}}}}`},
		"a schema of no type":           {`"type": "integer"`, `"type": "int"`},
		"a schema with a wrong keyword": {`"maxLength": 5`, `"maxLength": "5"`},
		"a default against the schema":  {`"default": 20`, `"default": 0`},
		"an example against the schema": {`"examples": ["x"]`, `"examples": ["longer"]`},
		"a body without content":        {`"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}`, `"requestBody": {"required": true}`},
	} {
		if strings.Count(smallDocument, damage[0]) < 1 {
			t.Fatalf("%s: %s is not in the document", name, damage[0])
		}
		d, err := ParseDocument([]byte(strings.Replace(smallDocument, damage[0], damage[1], 1)))
		if err == nil {
			err = d.Validate()
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestValidate30 checks that keywords of OpenAPI 3.1 and references to nothing make a 3.0 document
// invalid.
func TestValidate30(t *testing.T) {
	const good = `{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {"responses": {"200": {"description": "OK",
		"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}}},
		"components": {"schemas": {"A": {"type": "string", "nullable": true}}}}`
	if err := Validate30([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string][2]string{
		"another version":        {`"3.0.3"`, `"3.1.0"`},
		"a list of types":        {`"type": "string"`, `"type": ["string", "null"]`},
		"constants":              {`"nullable": true`, `"const": "a"`},
		"examples":               {`"nullable": true`, `"examples": ["a"]`},
		"webhooks":               {`"components"`, `"webhooks": {}, "components"`},
		"a reference to nothing": {`schemas/A"`, `schemas/B"`},
	} {
		if err := Validate30([]byte(strings.Replace(good, damage[0], damage[1], 1))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
