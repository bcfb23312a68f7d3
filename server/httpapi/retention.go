package httpapi

import (
	"net/http"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/server/model"
)

// retentionPolicy says for how many days what is kept; null is for ever.
type retentionPolicy struct {
	keptDays
	Schemas []schemaRetention `json:"schemas"`
}

type keptDays struct {
	Originals *int `json:"originals_days"`
	Results   *int `json:"results_days"`
	Problems  *int `json:"problems_days"`
}

type schemaRetention struct {
	SchemaID string `json:"schema_id"`
	keptDays
}

func wireDays(r model.Retention) keptDays {
	some := func(n int) *int {
		if n == 0 {
			return nil
		}
		return &n
	}
	return keptDays{some(r.Originals), some(r.Results), some(r.Problems)}
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
	out := retentionPolicy{keptDays: wireDays(list[0]), Schemas: []schemaRetention{}}
	for _, one := range list[1:] {
		out.Schemas = append(out.Schemas, schemaRetention{one.SchemaID, wireDays(one)})
	}
	return jsonResponse(http.StatusOK, out)
}

func (a *API) putRetention(c *call) (*response, error) {
	doc := c.bodyObject()
	list := []model.Retention{retentionOf(doc)}
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

// receipt tells what was deleted of an import.
type receipt struct {
	ID          string        `json:"id"`
	ImportID    string        `json:"import_id"`
	DeletedDate string        `json:"deleted_date"`
	Reason      string        `json:"reason"`
	Parts       []receiptPart `json:"parts"`
}

type receiptPart struct {
	Part   string `json:"part"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func (a *API) listReceipts(c *call) (*response, error) {
	offset, limit, err := pageWindow(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Deletions(c.context(), c.org, offset, limit)
	if err != nil {
		return nil, err
	}
	out := make([]receipt, len(list))
	for i, d := range list {
		out[i] = receipt{ID: d.ID, ImportID: d.ImportID, DeletedDate: formatTime(d.Made), Reason: d.Reason, Parts: []receiptPart{}}
		for _, p := range d.Parts {
			out[i].Parts = append(out[i].Parts, receiptPart{string(p.Part), p.Size, p.SHA256})
		}
	}
	return jsonResponse(http.StatusOK, a.paginate(c, out, total, offset, limit))
}

func retentionShape(more ...jsonschema.Property) *jsonschema.Schema {
	days := func(doc string) *jsonschema.Schema {
		return &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Nullable: true, Description: doc + " null, the default, is for ever."}
	}
	own := []jsonschema.Property{
		optional("originals_days", days("For how many days after an import has ended its file is kept.")), optional("results_days", days("The same for its result and the rows it was made of.")),
		optional("problems_days", days("The same for what was found wrong, with the cells that are told of, and for messages about it.")),
	}
	return objectType("", append(more, own...)...)
}

func retentionBody() *jsonschema.Schema {
	return retentionShape(optional("schemas", arrayType(retentionShape(required("schema_id", uuidType("A saved schema."))), "Rules for the imports of single schemas, in place of the one above.")))
}

func receiptResponse() *jsonschema.Schema {
	part := objectType("", required("part", enumType("", "original", "result", "problems")), required("size", countType("In bytes; 0 of problems.")), required("sha256", stringType("Empty of problems.")))
	return objectType("", required("id", uuidType("")), required("import_id", uuidType("")), required("deleted_date", timestampType("")), required("reason", enumType("", "asked for", "retention")), required("parts", arrayType(part, "")))
}

func retentionOperations() []operation {
	return []operation{
		{method: "GET", path: v1 + "/retention/", id: "getRetention", summary: "For how long what is kept", auth: authBackendKey,
			status: 200, response: retentionBody(), serve: (*API).getRetention},
		{method: "PUT", path: v1 + "/retention/", id: "putRetention", summary: "Say for how long what is kept", auth: authBackendKey, body: retentionBody(),
			status: 200, response: retentionBody(), errors: []int{400, 413, 415}, serve: (*API).putRetention,
			description: "It takes the place of all that was said before, and holds for imports that have ended already, too."},
		{method: "GET", path: v1 + "/receipts/", id: "listReceipts", summary: "List what was deleted of imports, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: pageResponse(receiptResponse()), errors: []int{400}, serve: (*API).listReceipts},
	}
}
