package httpapi

import (
	"net/http"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
)

func wireDays(r model.Retention) wire.RetentionDays {
	return wire.RetentionDays{Originals: days(r.Originals), Results: days(r.Results), Problems: days(r.Problems)}
}

// days returns a retention period, or nil for forever.
func days(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func retentionOf(doc map[string]any) model.Retention {
	return model.Retention{
		SchemaID: stringField(doc, "schema_id"), Originals: int(intField(doc, "originals_days")), Results: int(intField(doc, "results_days")), Problems: int(intField(doc, "problems_days")),
	}
}

func (a *API) getRetention(c *call) (*response, error) {
	list, err := a.cfg.Service.Retention(c.context(), c.org)
	if err != nil {
		return nil, err
	}
	out := wire.Retention{RetentionDays: wireDays(list[0]), Learned: days(list[0].Learned), Schemas: []wire.SchemaRetention{}}
	for _, one := range list[1:] {
		out.Schemas = append(out.Schemas, wire.SchemaRetention{SchemaID: one.SchemaID, RetentionDays: wireDays(one)})
	}
	return jsonResponse(http.StatusOK, out, nil)
}

func (a *API) putRetention(c *call) (*response, error) {
	doc := c.bodyObject()
	list := []model.Retention{retentionOf(doc)}
	list[0].Learned = int(intField(doc, "learned_days"))
	schemas, _ := doc["schemas"].([]any)
	for _, one := range schemas {
		of, _ := one.(map[string]any)
		list = append(list, retentionOf(of))
	}
	if err := a.cfg.Service.SetRetention(c.context(), c.org, list); err != nil {
		return nil, err
	}
	return a.getRetention(c)
}

func (a *API) listReceipts(c *call) (*response, error) {
	return listPage(a, c, a.cfg.Service.Deletions, wireReceipt)
}

func wireReceipt(d model.Deletion) wire.Receipt {
	return wire.Receipt{
		ID: d.ID, ImportID: d.ImportID, DeletedDate: formatTime(d.Made), Reason: d.Reason,
		Parts: mapEach(d.Parts, func(p model.DeletedPart) wire.DeletedPart {
			return wire.DeletedPart{Part: string(p.Part), Size: p.Size, SHA256: p.SHA256}
		}),
	}
}

func daysType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Nullable: true, Description: doc + " null, the default, means forever."}
}

func retentionShape(name, doc string, more ...jsonschema.Property) *jsonschema.Schema {
	own := []jsonschema.Property{
		optional("originals_days", daysType("Number of days to keep the file of an import after the import has ended.")), optional("results_days", daysType("Number of days to keep the result and the staged rows.")),
		optional("problems_days", daysType("Number of days to keep problems with their cells, and messages about them.")),
	}
	return namedType(name, doc, append(more, own...)...)
}

func retentionBody() *jsonschema.Schema {
	s := retentionShape("Retention", "For how long Intray keeps the parts of imports.",
		optional("learned_days", daysType("Number of days to keep a learned mapping after a person last confirmed it.")),
		optional("schemas", arrayType(retentionShape("SchemaRetention", "For how long Intray keeps the parts of the imports of a schema.", required("schema_id", uuidType("A saved schema."))), "Policies for the imports of single schemas, which replace the one above.")))
	s.Example = map[string]any{"originals_days": 30, "results_days": 90, "problems_days": 30, "learned_days": nil, "schemas": []any{}}
	return s
}

func retentionOperations() []operation {
	return []operation{
		{method: "GET", path: v1 + "/retention/", id: "getRetention", summary: "Get retention settings", auth: authBackendKey,
			status: 200, response: retentionBody(), serve: (*API).getRetention},
		{method: "PUT", path: v1 + "/retention/", id: "putRetention", summary: "Replace retention settings", auth: authBackendKey, body: retentionBody(),
			status: 200, response: retentionBody(), errors: []int{400, 413, 415}, serve: (*API).putRetention,
			description: "Replaces all earlier settings, and also applies to imports that have ended."},
		{method: "GET", path: v1 + "/receipts/", id: "listReceipts", summary: "List receipts for deleted data, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.Receipt]](), errors: []int{400}, serve: (*API).listReceipts},
	}
}
