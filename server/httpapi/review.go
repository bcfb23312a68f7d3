package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/schemas"
)

// maxReviewNotices is the maximum number of notices that the review page receives.
const maxReviewNotices = 50

// visitCookie is the name of the cookie that authenticates a reviewer.
const visitCookie = "intray_review"

// openReview exchanges the token in a review link for a cookie.
func (a *API) openReview(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	token, ok := bearerToken(c.r.Header.Get("Authorization"))
	if !ok {
		return nil, newError(http.StatusUnauthorized, "no_review_token", intray.NewMessage("review.no_token", nil))
	}
	started, session, err := a.cfg.Service.StartReviewSession(c.context(), id, token)
	if err := a.checkGrant(c, err); err != nil {
		return nil, err
	}
	imp := started.Import
	cookie := http.Cookie{
		Name: visitCookie, Value: session, Path: "/api/review/v1/" + imp.ID, MaxAge: int(review.SessionLife.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: a.scheme(c.r) == "https",
	}
	c.enter(imp.Org)
	c.reviewed = imp
	if started.Framed {
		return a.reviewPage(c, session)
	}
	reply, err := a.reviewPage(c, "")
	if err != nil {
		return nil, err
	}
	reply.header = http.Header{"Set-Cookie": {cookie.String()}}
	return reply, nil
}

// authorizeReviewer checks the session of a review, which is in a cookie or, in a frame of another page, in
// the Authorization header, and loads the import. It refuses calls from pages of other sites, even if the
// cookie is valid.
func (a *API) authorizeReviewer(c *call) error {
	// Browsers do not send cookies from a frame in a page of another site.
	session, inHeader := bearerToken(c.r.Header.Get("Authorization"))
	if !inHeader {
		cookie, err := c.r.Cookie(visitCookie)
		if err != nil {
			return unauthorized(intray.NewMessage("review.no_cookie", nil))
		}
		session = cookie.Value
	}
	id, err := c.pathID("id")
	if err != nil {
		return err
	}
	visit, err := a.cfg.Service.ReviewSession(c.context(), id, session)
	if model.IsKind(err, model.Denied) {
		return a.refuseCredential(c, err, unauthorized(intray.MessageOf(err)))
	}
	if err := a.checkGrant(c, err); err != nil {
		return err
	}
	if err := http.NewCrossOriginProtection().Check(c.r); err != nil {
		return newError(http.StatusForbidden, "cross_origin", intray.NewMessage("review.cross_origin", nil))
	}
	if inHeader != visit.Framed {
		return unauthorized(intray.NewMessage("review.no_cookie", nil))
	}
	imp := visit.Import
	c.enter(imp.Org)
	if err := a.cfg.Service.TouchImport(c.context(), &imp); err != nil {
		return err
	}
	c.reviewed = imp
	return nil
}

func (a *API) getReview(c *call) (*response, error) { return a.reviewPage(c, "") }

// reviewPage returns what the page of a review shows. session is the token of a session that the page
// must send, or "" if it has a cookie.
func (a *API) reviewPage(c *call, session string) (*response, error) {
	count, err := intParam(c.r.URL.Query(), "rows", 0, maxWindow, 0)
	if err != nil {
		return nil, err
	}
	page, err := a.wireReview(c, c.reviewed)
	page.Session = session
	if err == nil && count > 0 && page.HasRows && page.OpenQuestions == 0 {
		page.First = a.firstRows(c, count)
	}
	return jsonResponse(http.StatusOK, page, err)
}

// firstRows returns the first rows, which saves the review page two calls. If it fails, it
// returns nil. The page then makes the calls itself and receives the error.
func (a *API) firstRows(c *call, count int64) *wire.ReviewFirst {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil
	}
	var first wire.ReviewFirst
	if first.Table, err = a.tableInfo(c, d); err == nil {
		first.Rows, err = a.reviewRows(c, d, url.Values{"count": {strconv.FormatInt(count, 10)}})
	}
	if err != nil {
		return nil
	}
	return &first
}

// bearerToken returns the token in an Authorization header (RFC 6750), and whether there is one.
func bearerToken(header string) (token string, ok bool) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

func (a *API) wireReview(c *call, imp model.Import) (wire.Review, error) {
	face, err := a.cfg.Service.ReviewPageInfo(imp)
	page := wire.Review{
		ID: imp.ID, Title: face.Title, Status: string(imp.Status), OriginalFilename: imp.Filename, ImportErrors: []wire.Notice{},
		InvalidDataBehavior: string(face.Invalid), StyleOverrides: face.Styles, OpenQuestions: len(imp.OpenQuestions()),
		HasRows: imp.Status == model.NeedsReview && imp.Stage != "",
	}
	if page.StyleOverrides == nil {
		page.StyleOverrides = map[string]any{}
	}
	if o := imp.Outcome; o != nil {
		page.NumDataRows, page.NumRowsWithError = o.DataRows, o.ErrorRows
		if face.HasOptions {
			unmatched := o.Unmatched
			if unmatched > 0 { // people match values before they change cells
				changes, countErr := a.cfg.Service.CountChanges(c.context(), imp)
				if err = cmp.Or(err, countErr); changes > 0 {
					unmatched = 0
				}
			}
			page.UnmatchedValues = &unmatched
		}
		if !o.Finished.IsZero() {
			finished := formatTime(o.Finished)
			page.Finished = &finished
		}
		all := o.AllNotices()
		page.ImportErrors = wireNotices(all[:min(len(all), maxReviewNotices)])
	}
	return page, err
}

// choiceAnswers maps the names of choices in evidence to question ids.
var choiceAnswers = map[string]string{
	"sheet": intray.AnswerSheet, "encoding": intray.AnswerEncoding, "delimiter": intray.AnswerDelimiter,
	"column starts": intray.AnswerColumnStarts, "header row": intray.AnswerHeaderRow, "quoting of lines": intray.AnswerMisplacedQuotes,
}

func (a *API) getLayout(c *call) (*response, error) {
	return a.replyLayout(c, c.reviewed)
}

func (a *API) postLayout(c *call) (*response, error) {
	imp, err := a.cfg.Service.UpdateLayout(c.context(), c.reviewed.Org, c.reviewed.ID, answersOf(c.bodyObject()))
	if err != nil {
		return nil, err
	}
	return a.replyLayout(c, imp)
}

const (
	// maxPreviewRows, maxPreviewCells and maxPreviewText limit a preview: its rows, the cells of each
	// row, and the bytes of each cell.
	maxPreviewRows, maxPreviewCells, maxPreviewText = 200, 200, 300
	usualPreviewRows                                = 50
)

func previewParams() []parameter {
	return []parameter{
		{"sheet", "The index of the sheet, counted from 0. Default: the one that the answers select or, if they select none, the first one that contains a table.", countType("")},
		{"rows", "Maximum number of rows. Default: 50, at most 200.", countType("")},
	}
}

func (a *API) previewFile(c *call) (*response, error) {
	sheet, err := intParam(c.r.URL.Query(), "sheet", 0, math.MaxInt32, -1)
	if err != nil {
		return nil, err
	}
	rows, err := intParam(c.r.URL.Query(), "rows", 1, maxPreviewRows, usualPreviewRows)
	if err != nil {
		return nil, err
	}
	preview, err := a.cfg.Service.PreviewFile(c.context(), c.reviewed, int(sheet), int(rows))
	out := wire.FilePreview{Sheets: []wire.PreviewSheet{}, Sheet: preview.Sheet, Rows: make([][]string, len(preview.Rows)), More: preview.More}
	for _, one := range preview.Sheets {
		out.Sheets = append(out.Sheets, wire.PreviewSheet(one))
	}
	for i, row := range preview.Rows {
		out.Rows[i] = mapEach(row[:min(len(row), maxPreviewCells)], func(text string) string { return review.PreviewText(text, maxPreviewText) })
	}
	return jsonResponse(http.StatusOK, out, err)
}

// derivedPreviewRows is the number of rows in a preview of added columns.
const derivedPreviewRows = 5

func derivedPreviewBody() *jsonschema.Schema {
	list := stringType("A JSON list of columns, as in the answer derived.")
	list.MaxLength = maxAnswer
	return bodyType("DerivedPreviewRequest", "Columns that a person may add.", map[string]any{"derived": `[{"name":"Code","change":{"column":2,"case":"upper"}}]`}, required("derived", list))
}

func (a *API) previewDerived(c *call) (*response, error) {
	columns, _ := c.bodyObject()["derived"].(string)
	rows, err := a.cfg.Service.PreviewDerived(c.context(), c.reviewed, columns, derivedPreviewRows)
	out := wire.DerivedPreview{Rows: [][]string{}}
	for _, row := range rows {
		out.Rows = append(out.Rows, mapEach(row, func(text string) string { return review.PreviewText(text, maxPreviewText) }))
	}
	return jsonResponse(http.StatusOK, out, err)
}

func runAgainBody() *jsonschema.Schema {
	return bodyType("RunAgainRequest", "Confirmation to run an import again.", map[string]any{"discard": true},
		optional("discard", boolType("Confirm that changes to rows are lost. Otherwise the request is refused with 409, the code discards_changes and the number of changes.")))
}

// runReviewAgain runs an import under review again, for example because its rows are damaged.
func (a *API) runReviewAgain(c *call) (*response, error) {
	discard, _ := c.bodyObject()["discard"].(bool)
	imp, err := a.cfg.Service.RunReviewAgain(c.context(), c.reviewed.Org, c.reviewed.ID, discard)
	if err != nil {
		return nil, err
	}
	page, err := a.wireReview(c, imp)
	return jsonResponse(http.StatusOK, page, err)
}

func (a *API) replyLayout(c *call, imp model.Import) (*response, error) {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return nil, err
	}
	out := wire.Layout{
		Status: string(imp.Status), Filename: imp.Filename, Evidence: []wire.LayoutChoice{}, Columns: []wire.LayoutColumn{},
		Fields: []wire.LayoutField{}, Answers: map[string]string{}, NewFields: schema.Settings.AllowCustomFields,
	}
	for id, value := range imp.Answers {
		out.Answers[id] = value
	}
	if out.Changes, err = a.cfg.Service.CountChanges(c.context(), imp); err != nil {
		return nil, err
	}
	created, err := review.CreatedFields(imp)
	if err != nil {
		return nil, err
	}
	fed := map[int]string{}
	for i, f := range schema.Fields {
		one := wireLayoutField(f, imp, i)
		one.Created = created[f.Key]
		for _, column := range one.Columns {
			fed[column] = f.Key
		}
		if !f.Hidden {
			out.Fields = append(out.Fields, one)
		}
	}
	if o := imp.Outcome; o != nil {
		out.Added = o.Derived
		out.Evidence, out.Columns = mapEach(o.Evidence, wireLayoutChoice), wireColumns(o.Headers, o.Examples, fed)
	}
	return jsonResponse(http.StatusOK, out, nil)
}

func wireLayoutChoice(e intray.Evidence) wire.LayoutChoice {
	return wire.LayoutChoice{
		Choice: e.Choice, Evidence: wire.Evidence{Value: e.Value, Reason: wire.NewReason(e.Reason)}, Answer: choiceAnswers[e.Choice],
		Alternatives: mapEach(e.Alternatives, wireAlternative),
	}
}

func wireColumns(headers []string, examples [][]string, fed map[int]string) []wire.LayoutColumn {
	list := []wire.LayoutColumn{}
	for i, header := range headers {
		one := wire.LayoutColumn{Index: i, Header: truncate(header, maxStepText), Examples: []string{}}
		if i < len(examples) { // imports created by earlier versions have no examples
			one.Examples = append(one.Examples, examples[i]...)
		}
		if key, feeds := fed[i]; feeds {
			one.Field = &key
		}
		list = append(list, one)
	}
	return list
}

func wireLayoutField(f intray.Field, imp model.Import, at int) wire.LayoutField {
	one := wire.LayoutField{
		Key: f.Key, Label: f.Label, Description: f.Description, Type: string(f.Type.Name), RequireMapping: f.RequireMapping, ManyToOne: f.ManyToOne,
		Required: isRequired(f), Columns: []int{}, Reasons: wire.NewReasons(nil), Decided: "file",
	}
	if imp.Outcome != nil && at < len(imp.Outcome.Mapping.Fields) {
		m := imp.Outcome.Mapping.Fields[at]
		one.Columns, one.Score, one.Reasons = append(one.Columns, m.AllColumns()...), m.Score, wire.NewReasons(m.Reasons)
	}
	_, said := imp.Answers[intray.AnswerColumn+f.Key]
	for id, key := range imp.Answers {
		said = said || key == f.Key && strings.HasPrefix(id, intray.AnswerField)
	}
	if said {
		one.Decided = "person"
	}
	return one
}

func isRequired(f intray.Field) bool {
	return slices.ContainsFunc(f.Validators, func(v intray.Validator) bool { return v.Rule == "required" })
}

const (
	// A stream checks for changes in progress every eventTick. It checks for
	// finished changes after every pollEvery ticks, and sends a comment after every
	// keepAliveEvery of these checks.
	eventTick, pollEvery, keepAliveEvery = 250 * time.Millisecond, 4, 15
)

// getEvents streams the events of an import as server-sent events until the page disconnects.
func (a *API) getEvents(c *call) (*response, error) {
	closed, err := a.streams.open(c.org, c.reviewed.ID, a.cfg.Service.CheckQuota)
	if err != nil {
		return nil, err
	}
	now, err := a.cfg.Service.PollReview(c.context(), c.org, c.reviewed.ID, review.State{})
	if err != nil {
		closed()
		return nil, err
	}
	header := http.Header{"Content-Type": {"text/event-stream"}, "X-Accel-Buffering": {"no"}}
	ctx, flush := c.context(), http.NewResponseController(c.w).Flush
	return &response{status: http.StatusOK, header: header, stream: func(w io.Writer) error {
		defer closed()
		s := &eventStream{api: a, imp: c.reviewed, last: now, send: func(text string) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return flush()
		}}
		_ = s.run(ctx) // a page that disconnects is not an error
		return nil
	}}, nil
}

// EventStreams returns the number of open event streams.
func (a *API) EventStreams() int64 { return a.streams.count() }

// eventStream sends events to one page.
type eventStream struct {
	api          *API
	imp          model.Import
	last         review.State
	lastProgress review.Progress
	send         func(text string) error
}

func (s *eventStream) run(ctx context.Context) error {
	if err := s.sendState(s.last); err != nil {
		return err
	}
	page := s.api.cfg.Service.WatchPage(s.imp.ID)
	defer page.Close()
	tick := time.NewTicker(eventTick)
	defer tick.Stop()
	for ticks, last := 0, int64(0); ; {
		call, changed := page.Waiting()
		if call != 0 && call != last {
			if err := s.send("event: pageHooks\ndata: {}\n\n"); err != nil {
				return err
			}
		}
		last = call
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.api.closing:
			return nil
		case <-changed:
			continue
		case <-tick.C:
			ticks++
		}
		if err := s.sendProgress(); err != nil {
			return err
		}
		if ticks%pollEvery != 0 {
			continue
		}
		if err := s.poll(ctx); err != nil {
			return err
		}
		if ticks%(pollEvery*keepAliveEvery) == 0 {
			if err := s.send(": \n\n"); err != nil {
				return err
			}
		}
	}
}

// poll sends the state of the import if any process has changed it.
func (s *eventStream) poll(ctx context.Context) error {
	if err := s.api.cfg.Service.TouchImport(ctx, &s.imp); err != nil {
		return err
	}
	now, err := s.api.cfg.Service.PollReview(ctx, s.imp.Org, s.imp.ID, s.last)
	if err != nil {
		return err
	}
	before := s.last
	s.last = now
	if now.Status == before.Status && now.Run == before.Run && now.Change == before.Change {
		return nil
	}
	return s.sendState(now)
}

func (s *eventStream) sendState(now review.State) error {
	e := wire.ReviewState{Status: string(now.Status), Run: now.Run, Change: now.Change}
	if t := now.Totals; t != nil {
		totals := wire.ReviewTotals(*t)
		e.Totals = &totals
	}
	return s.sendEvent("state", e)
}

// sendProgress sends the progress of a change that this process is making.
func (s *eventStream) sendProgress() error {
	p, under := s.api.cfg.Service.ChangeProgress(s.imp.ID)
	if !under || p == s.lastProgress {
		return nil
	}
	s.lastProgress = p
	return s.sendEvent("progress", wire.ReviewProgress(p))
}

func (s *eventStream) sendEvent(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.send(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

// EndStreams ends all event streams. Call it when the servers shut down. It can be
// called several times.
func (a *API) EndStreams() { a.endOnce.Do(func() { close(a.closing) }) }
