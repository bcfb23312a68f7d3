package api

import (
	"net/http"

	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
)

// retention says for how many days what is kept; null is for ever.
type retention struct {
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

func wireDays(r service.Retention) keptDays {
	some := func(n int) *int {
		if n == 0 {
			return nil
		}
		return &n
	}
	return keptDays{some(r.Originals), some(r.Results), some(r.Problems)}
}

func retentionOf(doc map[string]any) service.Retention {
	return service.Retention{
		SchemaID: text(doc, "schema_id"), Originals: int(integer(doc, "originals_days")), Results: int(integer(doc, "results_days")), Problems: int(integer(doc, "problems_days")),
	}
}

func (a *API) getRetention(c *call) (*answer, error) {
	list, err := a.cfg.Service.Retention(c.ctx(), c.org)
	if err != nil {
		return nil, err
	}
	out := retention{keptDays: wireDays(list[0]), Schemas: []schemaRetention{}}
	for _, one := range list[1:] {
		out.Schemas = append(out.Schemas, schemaRetention{one.SchemaID, wireDays(one)})
	}
	return reply(http.StatusOK, out)
}

func (a *API) putRetention(c *call) (*answer, error) {
	doc := c.object()
	list := []service.Retention{retentionOf(doc)}
	schemas, _ := doc["schemas"].([]any)
	for _, one := range schemas {
		of, _ := one.(map[string]any)
		list = append(list, retentionOf(of))
	}
	if err := a.cfg.Service.SetRetention(c.ctx(), c.org, list); err != nil {
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

func (a *API) listReceipts(c *call) (*answer, error) {
	offset, limit, err := window(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Deletions(c.ctx(), c.org, offset, limit)
	if err != nil {
		return nil, err
	}
	out := make([]receipt, len(list))
	for i, d := range list {
		out[i] = receipt{ID: d.ID, ImportID: d.ImportID, DeletedDate: stamp(d.Made), Reason: d.Reason, Parts: []receiptPart{}}
		for _, p := range d.Parts {
			out[i].Parts = append(out[i].Parts, receiptPart{string(p.Part), p.Size, p.SHA256})
		}
	}
	return reply(http.StatusOK, a.page(c, out, total, offset, limit))
}

func retentionShape(more ...shape.Prop) *shape.Shape {
	days := func(doc string) *shape.Shape {
		return &shape.Shape{Kind: shape.Integer, Min: shape.Bound(1), Nullable: true, Doc: doc + " null, the default, is for ever."}
	}
	own := []shape.Prop{
		may("originals_days", days("For how many days after an import has ended its file is kept.")), may("results_days", days("The same for its result and the rows it was made of.")),
		may("problems_days", days("The same for what was found wrong, with the cells that are told of, and for messages about it.")),
	}
	return object("", append(more, own...)...)
}

func retentionBody() *shape.Shape {
	return retentionShape(may("schemas", list(retentionShape(must("schema_id", id("A saved schema."))), "Rules for the imports of single schemas, in place of the one above.")))
}

func receiptAnswer() *shape.Shape {
	part := object("", must("part", enum("", "original", "result", "problems")), must("size", count("In bytes; 0 of problems.")), must("sha256", word("Empty of problems.")))
	return object("", must("id", id("")), must("import_id", id("")), must("deleted_date", moment("")), must("reason", enum("", "asked for", "retention")), must("parts", list(part, "")))
}

func retentionOperations() []operation {
	return []operation{
		{method: "GET", path: v1 + "/retention/", id: "getRetention", summary: "For how long what is kept", door: backend,
			status: 200, answer: retentionBody(), serve: (*API).getRetention},
		{method: "PUT", path: v1 + "/retention/", id: "putRetention", summary: "Say for how long what is kept", door: backend, body: retentionBody(),
			status: 200, answer: retentionBody(), errors: []int{400, 413, 415}, serve: (*API).putRetention,
			text: "It takes the place of all that was said before, and holds for imports that have ended already, too."},
		{method: "GET", path: v1 + "/receipts/", id: "listReceipts", summary: "List what was deleted of imports, newest first", door: backend, memory: perRead, query: pageParams(),
			status: 200, answer: pageOf(receiptAnswer()), errors: []int{400}, serve: (*API).listReceipts},
	}
}
