package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// importShort is an import in a list.
type importShort struct {
	ID               string `json:"id"`
	SchemaID         string `json:"schema_id"`
	Status           string `json:"status"`
	OriginalFilename string `json:"original_filename"`
	CreatedDate      string `json:"created_date"`
	ModifiedDate     string `json:"modified_date"`
}

// importFull is an import by itself.
type importFull struct {
	importShort
	Upload         string          `json:"upload"`
	ReviewURL      string          `json:"review_url"`
	ResultMetadata *resultMetadata `json:"result_metadata"`
	ImportErrors   []notice        `json:"import_errors"`
}

// resultMetadata is what an import found out.
type resultMetadata struct {
	ID               string                 `json:"id"`
	Filename         *string                `json:"filename"`
	ImportIdentifier string                 `json:"importIdentifier"`
	User             *user                  `json:"user"`
	RawHeaders       []string               `json:"rawHeaders"`
	Fields           map[string]fieldSource `json:"fields"`
	NumDataRows      int64                  `json:"numDataRows"`
	NumOutputRows    int64                  `json:"numOutputRows"`
	NumRowsWithError int64                  `json:"numRowsWithError"`
	RowsWithError    []int64                `json:"rowsWithError"`
	Source           map[string]evidence    `json:"source"`
	SHA256           string                 `json:"sha256"`
}

// fieldSource says which column fed a field, and which columns one that takes
// several: those lists are nil for all others.
type fieldSource struct {
	FileHeader        *string  `json:"fileHeader"`
	FileHeaders       []string `json:"fileHeaders,omitzero"`
	FileHeaderIndex   *int     `json:"fileHeaderIndex"`
	FileHeaderIndexes []int    `json:"fileHeaderIndexes,omitzero"`
	IsCustom          bool     `json:"isCustom"`
	ManyToOne         bool     `json:"manyToOne"`
}

type evidence struct {
	Value string `json:"value"`
	reasonMessage
}

// notice is one element of import_errors.
type notice struct {
	Type  string `json:"type"`
	Level string `json:"level"`
	mainMessage
	RowIndex *int64  `json:"rowIndex,omitempty"`
	FieldKey string  `json:"fieldKey,omitempty"`
	Header   string  `json:"header,omitempty"`
	Value    *string `json:"value,omitempty"`
	Part     *int    `json:"manyToOneIndex,omitempty"`
	Total    int64   `json:"total,omitempty"`
}

func wireNotices(list []intray.Notice) []notice {
	out := make([]notice, len(list))
	for i, n := range list {
		out[i] = notice{
			Type: string(n.Type), Level: n.Level.String(), mainMessage: mainOf(n.Text), RowIndex: n.Row,
			FieldKey: n.Field, Header: n.Header, Value: n.Value, Part: n.Part, Total: n.Total,
		}
	}
	return out
}

func wireImport(imp model.Import) importShort {
	return importShort{
		ID: imp.ID, SchemaID: imp.SchemaID, Status: string(imp.Status), OriginalFilename: imp.Filename,
		CreatedDate: formatTime(imp.Created), ModifiedDate: formatTime(imp.Modified),
	}
}

// fullImport adds the addresses, freshly signed, and what was found out.
func (a *API) fullImport(r *http.Request, imp model.Import) (importFull, error) {
	full := importFull{importShort: wireImport(imp)}
	token, err := a.cfg.Service.UploadToken(imp)
	if err != nil {
		return full, err
	}
	full.Upload = fmt.Sprintf("%s/upload/%s?token=%s", a.baseURL(r), imp.ID, token)
	if token, err = a.cfg.Service.ReviewToken(imp); err != nil {
		return full, err
	}
	full.ReviewURL = fmt.Sprintf("%s/review/%s/#%s", a.baseURL(r), imp.ID, token)
	if imp.Outcome == nil {
		return full, nil
	}
	if all := imp.Outcome.AllNotices(); len(all) > 0 {
		full.ImportErrors = wireNotices(all)
	}
	full.ResultMetadata, err = a.wireOutcome(imp)
	return full, err
}

func (a *API) wireOutcome(imp model.Import) (*resultMetadata, error) {
	frozen, err := schemas.Frozen(imp)
	if err != nil {
		return nil, err
	}
	o := imp.Outcome
	m := &resultMetadata{
		ID: imp.UploadID, ImportIdentifier: frozen.Settings.ImportIdentifier, RawHeaders: o.Headers,
		Fields: wireMapping(frozen.Fields, o), NumDataRows: o.DataRows, NumOutputRows: o.OutputRows,
		NumRowsWithError: o.ErrorRows, RowsWithError: o.RowsWithError, Source: map[string]evidence{}, SHA256: imp.Raw.SHA256,
	}
	if m.RowsWithError == nil {
		m.RowsWithError = []int64{}
	}
	if imp.Filename != "" {
		m.Filename = &imp.Filename
	}
	if imp.HasUser {
		u := wireUser(imp.User)
		m.User = &u
	}
	chosen := map[string]intray.Evidence{}
	for _, e := range o.Evidence {
		// Two that speak of one choice, such as a hidden sheet, are one.
		if before, twice := chosen[e.Choice]; twice && before.Value == e.Value {
			e.Reason = intray.JoinMessages(before.Reason, e.Reason)
		}
		chosen[e.Choice] = e
		m.Source[e.Choice] = evidence{e.Value, reasonOf(e.Reason)}
	}
	return m, nil
}

func wireMapping(fields []intray.Field, o *model.Outcome) map[string]fieldSource {
	out := map[string]fieldSource{}
	for i, f := range fields {
		match := intray.Match{Column: intray.NoColumn}
		if i < len(o.Mapping.Fields) {
			match = o.Mapping.Fields[i]
		}
		out[f.Key] = wireMatch(f, match, o.Headers)
	}
	return out
}

func wireMatch(f intray.Field, m intray.Match, headers []string) fieldSource {
	if f.ManyToOne {
		from := fieldSource{FileHeaders: []string{}, FileHeaderIndexes: []int{}, ManyToOne: true}
		for _, column := range m.Columns {
			from.FileHeaders, from.FileHeaderIndexes = append(from.FileHeaders, headers[column]), append(from.FileHeaderIndexes, column)
		}
		return from
	}
	if m.Column == intray.NoColumn {
		return fieldSource{}
	}
	return fieldSource{FileHeader: &m.Header, FileHeaderIndex: &m.Column}
}

func (a *API) createImport(c *call) (*response, error) {
	doc := c.bodyObject()
	rows, err := rowsOf(c.body.rows)
	if err != nil {
		return nil, err
	}
	draft := imports.Draft{
		ID: c.fixedID, Filename: stringField(doc, "original_filename"), Rows: rows,
		Doc: schema.Doc{Fields: doc["fields"], Settings: doc["settings"], Hooks: doc["hooks"]},
	}
	if id := stringField(doc, "schema_id"); id != "" {
		parsed, ok := model.ParseID(id)
		if !ok {
			return nil, invalidField("schema_id", intray.NewMessage("request.not_a_uuid", nil))
		}
		draft.SchemaID = parsed
	}
	draft.User = userOf(doc["import_metadata"])
	imp, err := a.cfg.Service.CreateImport(c.context(), c.org, draft)
	if err != nil {
		return nil, err
	}
	full, err := a.fullImport(c.r, imp)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusCreated, full)
}

// userOf reads import_metadata, whose shape is checked already.
func userOf(metadata any) *model.User {
	outer, _ := metadata.(map[string]any)
	u, sent := outer["user"].(map[string]any)
	if !sent {
		return nil
	}
	return &model.User{
		ID: stringField(u, "id"), Name: stringField(u, "name"), Email: stringField(u, "email"),
		CompanyID: stringField(u, "companyId"), CompanyName: stringField(u, "companyName"),
	}
}

func (a *API) getImport(c *call) (*response, error) {
	imp, err := loadByID(c, a.cfg.Service.Import)
	if err != nil {
		return nil, err
	}
	full, err := a.fullImport(c.r, imp)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, full)
}

// The window of a list that is given in pages.
const (
	pageSize    = 100
	maxPageSize = 1000
)

func (a *API) listImports(c *call) (*response, error) {
	offset, limit, err := pageWindow(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Imports(c.context(), c.org, offset, limit)
	if err != nil {
		return nil, err
	}
	results := make([]importShort, len(list))
	for i, imp := range list {
		results[i] = wireImport(imp)
	}
	return jsonResponse(http.StatusOK, a.paginate(c, results, total, offset, limit))
}

// pageWindow reads offset and limit. A limit over the most that is given is cut.
func pageWindow(query url.Values) (offset, limit int64, err error) {
	if offset, err = intParam(query, "offset", 0, 0); err != nil {
		return 0, 0, err
	}
	if limit, err = intParam(query, "limit", 1, pageSize); err != nil {
		return 0, 0, err
	}
	return offset, min(limit, maxPageSize), nil
}

// paginate wraps results with the addresses of the pages beside them. Those repeat
// the parameters given, names and values in turn.
func (a *API) paginate(c *call, results any, total, offset, limit int64, repeated ...string) page {
	p := page{Count: total, Results: results}
	at := func(offset int64) *string {
		query := url.Values{"limit": {strconv.FormatInt(limit, 10)}}
		for i := 0; i+1 < len(repeated); i += 2 {
			query.Set(repeated[i], repeated[i+1])
		}
		if offset > 0 {
			query.Set("offset", strconv.FormatInt(offset, 10))
		}
		address := a.baseURL(c.r) + c.op.path + "?" + query.Encode()
		return &address
	}
	if offset < total-limit {
		p.Next = at(offset + limit)
	}
	if offset > 0 {
		p.Previous = at(max(0, offset-limit))
	}
	return p
}

func (a *API) deleteImport(c *call) (*response, error) {
	if err := c.deleteByID("id", a.cfg.Service.DeleteImport); err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusNoContent, nil)
}

func (a *API) importURL(c *call) (*response, error) {
	return a.resultURL(c, a.cfg.Service.ImportResult)
}

func formatOf(query url.Values) (output.Format, error) {
	name := query.Get("format")
	if name == "" {
		return output.JSON, nil
	}
	format, err := output.ParseFormat(name)
	if err != nil {
		return "", invalidField("format", intray.MessageOf(err))
	}
	return format, nil
}

// What an answer tells of one cell at most, in bytes. The whole text is in the
// received file and in the result.
const (
	maxCellText = 64 << 10
	maxStepText = 4 << 10
)

// cells explains the cells of a row.
type cells struct {
	Row   int64  `json:"row"`
	Line  int64  `json:"line"`
	Cells []cell `json:"cells"`
}

// cell is where one cell came from, and what each step made of it.
type cell struct {
	Field    string        `json:"field"`
	Columns  []cellColumn  `json:"columns"`
	Raw      string        `json:"raw"`
	Value    *string       `json:"value"`
	Steps    []cellStep    `json:"steps"`
	Problems []cellProblem `json:"problems"`
}

type cellColumn struct {
	Index  int    `json:"index"`
	Header string `json:"header"`
}

type cellStep struct {
	Step string  `json:"step"`
	Text *string `json:"text"`
	reasonList
}

type cellProblem struct {
	Code  string `json:"code"`
	Level string `json:"level"`
	mainMessage
	ManyToOneIndex *int `json:"manyToOneIndex,omitempty"`
}

func wireCell(f intray.Field, t intray.Trace) cell {
	out := cell{
		Field: t.Field, Columns: []cellColumn{}, Raw: truncate(t.Raw, maxCellText), Value: truncateOptional(t.Value, maxCellText),
		Steps: []cellStep{}, Problems: []cellProblem{},
	}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, cellColumn(c))
	}
	for _, s := range t.Steps {
		out.Steps = append(out.Steps, cellStep{s.Step, truncateOptional(s.Text, maxStepText), reasonsOf(s.Reasons)})
	}
	for _, p := range t.Problems {
		wire := cellProblem{Code: p.Code, Level: p.Level.String(), mainMessage: mainOf(p.Text)}
		if p.Field != intray.NoField && f.ManyToOne {
			wire.ManyToOneIndex = &p.Part
		}
		out.Problems = append(out.Problems, wire)
	}
	return out
}

// truncate gives at most so many bytes of a text, and says so by an ellipsis.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

func truncateOptional(text *string, most int) *string {
	if text == nil {
		return nil
	}
	short := truncate(*text, most)
	return &short
}

// getCells streams the cells: each cell of a row may be long.
func (a *API) getCells(c *call) (*response, error) {
	imp, err := loadByID(c, a.cfg.Service.Import)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	row, err := rowParam(query)
	if err != nil {
		return nil, err
	}
	return a.listResponse(nil, func(list *listWriter) error {
		return a.cfg.Service.TraceRow(c.context(), imp, row, query.Get("field"), func(f intray.Field, t intray.Trace) error {
			list.frame = cells{Row: t.Row, Line: t.Line, Cells: []cell{}}
			return list.append(wireCell(f, t))
		})
	})
}

func rowParam(query url.Values) (int64, error) {
	if query.Get("row") == "" {
		return 0, invalidField("row", intray.NewMessage("request.row_missing", nil))
	}
	return intParam(query, "row", 0, 0)
}

func cellParams() []parameter {
	return []parameter{
		{"row", "The data row, counted from 0.", countType("")},
		{"field", "The key of a field. Default all fields, in the order of the schema.", stringType("")},
	}
}

func cellsResponse() *jsonschema.Schema {
	column := objectType("", required("index", countType("From 0, in the order of the file.")), required("header", stringType("")))
	step := objectType("", with(reasonsProps(), required("step", enumType("", "read", "map", "parse", "check", "output")),
		required("text", nullable(stringType("What the cell was after it, at most 4,096 bytes of it; null where it had no value. After output as the result has it in JSON: text in quotes."))))...)
	problem := objectType("", with(mainProps("What is wrong and what to do."), required("code", stringType("The rule that was broken.")), required("level", enumType("", "error", "warning", "info")),
		optional("manyToOneIndex", countType("Which of the columns, from 0.")))...)
	one := objectType("One cell, and how it came to be.",
		required("field", stringType("The key of the field.")), required("columns", arrayType(column, "Those that feed the field; none where no column does.")),
		required("raw", stringType("The text that the file holds, at most 65,536 bytes of it; a JSON array of texts where several columns feed the field.")),
		required("value", nullable(stringType("The canonical text of the value, at most 65,536 bytes of it; null where the cell has none."))),
		required("steps", arrayType(step, "In the order in which they were taken.")),
		required("problems", arrayType(problem, "Those of the cell, then those of the row as a whole.")))
	return objectType("Where the cells of a row came from.", required("row", countType("The data row, from 0.")),
		required("line", countType("The line of the file in which it begins, from 1.")), required("cells", arrayType(one, "")))
}
