package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

// review is what the review page is told of an import.
type review struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Status   string   `json:"status"`
	Filename string   `json:"original_filename"`
	DataRows int64    `json:"num_data_rows"`
	BadRows  int64    `json:"num_rows_with_error"`
	Notices  []notice `json:"import_errors"`
	// Invalid is what becomes of rows with an error.
	Invalid   string         `json:"invalidDataBehavior"`
	Styles    map[string]any `json:"styleOverrides"`
	Questions int            `json:"openQuestions"`
	HasRows   bool           `json:"hasRows"`
	Finished  *string        `json:"finished"`
	// First is what the page shows next, where it asked for that.
	First *reviewFirst `json:"first,omitempty"`
}

type reviewFirst struct {
	Table deskTable  `json:"table"`
	Rows  deskWindow `json:"rows"`
}

// maxReviewNotices is the most notices that the page is told.
const maxReviewNotices = 50

// visitCookie is the name of the cookie of a review.
const visitCookie = "intray_review"

// openReview gives the cookie for the token of a link.
func (a *API) openReview(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	token, err := bearer(c.r.Header.Get("Authorization"))
	if err != nil {
		return nil, err
	}
	imp, visit, err := a.cfg.Service.Visit(c.ctx(), id, token)
	if err != nil {
		return nil, err
	}
	cookie := http.Cookie{
		Name: visitCookie, Value: visit, Path: "/api/review/v1/" + imp.ID, MaxAge: int(service.VisitLife.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(a.base(c.r), "https://"),
	}
	c.reviewed, c.org = imp, imp.Org
	reply, err := a.getReview(c)
	if err != nil {
		return nil, err
	}
	reply.header.Set("Set-Cookie", cookie.String())
	return reply, nil
}

// admitReviewer opens the import of a review by its cookie. A call that pages of
// other sites made is refused, whatever cookie came with it.
func (a *API) admitReviewer(c *call) error {
	cookie, err := c.r.Cookie(visitCookie)
	if err != nil {
		return unauthorized(intray.NewMessage("review.no_cookie", nil))
	}
	id, err := c.id("id")
	if err != nil {
		return err
	}
	imp, err := a.cfg.Service.Reviewed(c.ctx(), id, cookie.Value)
	if service.IsKind(err, service.Denied) {
		return unauthorized(intray.MessageOf(err))
	}
	if err != nil {
		return err
	}
	if err := http.NewCrossOriginProtection().Check(c.r); err != nil {
		return refuse(http.StatusForbidden, "cross_origin", intray.NewMessage("review.cross_origin", nil))
	}
	c.reviewed, c.org = imp, imp.Org
	return nil
}

func (a *API) getReview(c *call) (*answer, error) {
	count, err := within(c.r.URL.Query(), "rows", 0, maxWindow)
	if err != nil {
		return nil, err
	}
	page, err := a.wireReview(c.reviewed)
	if err == nil && count > 0 && page.HasRows && page.Questions == 0 {
		page.First = a.firstRows(c, count)
	}
	return unkept(page, err)
}

// firstRows spares the page the wait for two more calls. Where they fail there are
// none: the page makes these calls then, and is told why.
func (a *API) firstRows(c *call, count int64) *reviewFirst {
	d, err := a.desk(c)
	if err != nil {
		return nil
	}
	var first reviewFirst
	if first.Table, err = a.deskTable(c, d); err == nil {
		first.Rows, err = a.deskRows(c, d, url.Values{"count": {strconv.FormatInt(count, 10)}})
	}
	if err != nil {
		return nil
	}
	return &first
}

// bearer reads the token of RFC 6750's header.
func bearer(header string) (string, error) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", refuse(http.StatusForbidden, "no_review_token", intray.NewMessage("review.no_token", nil))
	}
	return token, nil
}

func (a *API) wireReview(imp service.Import) (review, error) {
	face, err := a.cfg.Service.ReviewFace(imp)
	page := review{
		ID: imp.ID, Title: face.Title, Status: string(imp.Status), Filename: imp.Filename, Notices: []notice{},
		Invalid: string(face.Invalid), Styles: face.Styles, Questions: len(imp.Open()),
		HasRows: imp.Status == service.NeedsReview && imp.Stage != "",
	}
	if page.Styles == nil {
		page.Styles = map[string]any{}
	}
	if o := imp.Outcome; o != nil {
		page.DataRows, page.BadRows = o.DataRows, o.ErrorRows
		if !o.Finished.IsZero() {
			finished := stamp(o.Finished)
			page.Finished = &finished
		}
		all := o.All()
		page.Notices = wireNotices(all[:min(len(all), maxReviewNotices)])
	}
	return page, err
}
