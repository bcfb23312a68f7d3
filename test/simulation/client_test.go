package simulation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
)

// errUnknown means that a client does not know whether its call had an effect.
var errUnknown = errors.New("unknown result")

// client is a user of one import or session. It has its own source of randomness, so that what it does
// does not depend on the order in which goroutines run.
type client struct {
	w      *world
	name   string
	random *rand.Rand
	calls  int
}

func (w *world) newClient(name string) *client {
	return &client{w: w, name: name, random: rand.New(rand.NewPCG(w.seed, uint64(len(name))<<32+uint64(name[1])<<16+uint64(name[len(name)-1])))}
}

func (c *client) newID() string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(c.random.Uint32())
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id.String()
}

func (c *client) chance(percent int) bool { return c.random.IntN(100) < percent }

func (c *client) pause() { time.Sleep(time.Duration(c.random.IntN(4000)) * time.Millisecond) }

// startClients starts all clients and returns a channel that is closed when they have ended.
func (w *world) startClients() <-chan struct{} {
	for n := range 1 + w.random.IntN(4) {
		org := w.orgs[w.random.IntN(len(w.orgs))]
		c := w.newClient(fmt.Sprintf("i%d", n))
		imp := w.oracle.newImport(c, org)
		reviewer := w.newClient(fmt.Sprintf("r%d", n))
		w.clients.Go(func() { c.useImport(imp) })
		w.clients.Go(func() { reviewer.help(imp) })
	}
	for n := range w.random.IntN(3) {
		org := w.orgs[w.random.IntN(len(w.orgs))]
		c := w.newClient(fmt.Sprintf("s%d", n))
		w.clients.Go(func() { c.useSession(org) })
	}
	ended := make(chan struct{})
	go func() {
		w.clients.Wait()
		close(ended)
	}()
	return ended
}

// call makes a call to a random process. It returns nil if the call succeeded, a *model.Error if
// the process refused it, and errUnknown if the client cannot know. A client that waits too long
// for a response disconnects, but the process may still do the work.
func (c *client) call(action string, do func(ctx context.Context, p *process) error) error {
	if c.w.failed() {
		return errUnknown
	}
	live := c.w.live()
	if len(live) == 0 {
		time.Sleep(time.Second)
		return errUnknown
	}
	p := live[c.random.IntN(len(live))]
	c.calls++
	activity := fmt.Sprintf("%s.%d %s", c.name, c.calls, action)
	ctx := named(context.Background(), activity)
	if c.chance(8) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.random.IntN(3000))*time.Millisecond)
		defer cancel()
	}
	ctx, disconnect := context.WithCancel(ctx)
	defer disconnect()
	response := make(chan error, 1)
	c.w.clients.Go(func() { response <- do(ctx, p) })
	patience := time.NewTimer(time.Duration(5+c.random.IntN(30)) * time.Second)
	defer patience.Stop()
	var err error
	select {
	case err = <-response:
	case <-patience.C:
		err = errUnknown
	}
	var refused *model.Error
	switch {
	case !p.isLive(), errors.Is(err, errUnknown):
		err = errUnknown
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, errInjected), errors.Is(err, errBlob), errors.Is(err, errCrashed), errors.Is(err, errConnection):
		err = errUnknown
	case !errors.As(err, &refused):
		if !c.w.isDisturbed(activity) {
			c.w.violate("%s: internal error: %v", activity, err)
		}
		err = errUnknown
	case refused.Kind == model.Unavailable:
		err = errUnknown
	case refused.Kind == model.Damaged:
		c.w.violate("%s %s: damaged file: %v", c.name, action, err)
	}
	c.w.logLater("%s on %s: %v", activity, p.name, err)
	return err
}

// until repeats a call until its result is known, at most ten times.
func (c *client) until(action string, do func(ctx context.Context, p *process) error) error {
	for range 10 {
		if err := c.call(action, do); !errors.Is(err, errUnknown) {
			return err
		}
		c.pause()
	}
	return errUnknown
}

// reload returns the current state of an import.
func (c *client) reload(imp *importState) (got model.Import, err error) {
	err = c.until("get", func(ctx context.Context, p *process) error {
		found, err := p.Import(ctx, imp.org, imp.getID())
		if err == nil { // a call without a response may fail later
			got = found
		}
		return err
	})
	if imp.deleted.get() == acknowledged && err == nil {
		c.w.violate("import %s was read after its deletion", imp.getID())
	}
	if imp.deleted.get() == notTried && model.IsKind(err, model.NotFound) && imp.created.get() == acknowledged {
		c.w.violate("import %s is missing", imp.getID())
	}
	return got, err
}

// useImport takes an import from its creation to its end.
func (c *client) useImport(imp *importState) {
	c.pause()
	for imp.created.get() != acknowledged {
		err := c.create(imp)
		if c.w.failed() {
			return
		}
		switch {
		case err == nil:
			imp.created.raise(acknowledged)
		case errors.Is(err, errUnknown), errors.Is(err, errKeyInUse):
			c.pause()
		default:
			c.w.violate("create import %s: %v", imp.getID(), err)
			return
		}
	}
	for step := 0; step < 60 && !c.w.failed(); step++ {
		c.pause()
		if c.chance(2) {
			c.deleteImport(imp)
		}
		got, err := c.reload(imp)
		if err != nil || imp.deleted.get() != notTried {
			if model.IsKind(err, model.NotFound) {
				break
			}
			continue
		}
		if done := c.advance(imp, got); done {
			break
		}
	}
	if c.chance(25) {
		c.deleteImport(imp)
	}
	if imp.deleted.get() == acknowledged {
		_ = c.create(imp) // returns the stored response, and does not create the import again
	}
}

// errKeyInUse is the error of a request whose idempotency key belongs to a request in progress.
var errKeyInUse = &model.Error{Kind: model.Conflict, Code: "idempotency_key_in_use"}

// create creates an import with an idempotency key, like package httpapi.
func (c *client) create(imp *importState) error {
	again := imp.created.get() == acknowledged
	return c.call("create", func(ctx context.Context, p *process) error {
		kept, lock, err := p.BeginReplay(ctx, imp.org, imp.key, "request")
		if err != nil {
			return err
		}
		if kept != nil {
			imp.setID(c.w, string(kept.Body))
			return nil
		}
		if again {
			c.w.violate("the response for %s was forgotten", imp.key)
		}
		imp.setID(c.w, lock.ID)
		imp.created.raise(tried)
		_, err = p.CreateImport(model.WithRequestCheck(ctx, lock.Check), imp.org, imp.draft(c.w))
		after := context.WithoutCancel(ctx)
		if err != nil {
			return errors.Join(err, lock.Release(after))
		}
		return lock.Finish(after, auth.ReplayedResponse{Status: 201, Body: []byte(imp.getID())})
	})
}

// setID records the id of an import whose id the server chooses. Repeated requests must return the same.
func (i *importState) setID(w *world, id string) {
	if before := i.id.Swap(&id); before != nil && *before != id {
		w.violate("the idempotency key %s gives import %s, and before %s", i.key, id, *before)
	}
}

// getID returns the id of the import, or "" if it is unknown.
func (i *importState) getID() string {
	if id := i.id.Load(); id != nil {
		return *id
	}
	return ""
}

// advance does the next step with an import. It reports whether there is none.
func (c *client) advance(imp *importState, got model.Import) (done bool) {
	if c.chance(5) {
		c.callTooEarly(got)
	}
	switch got.Status {
	case model.AwaitingUpload:
		if imp.inChunks {
			c.uploadInChunks(imp, got)
			return false
		}
		c.upload(imp, got)
	case model.NeedsReview:
		if got.Stage == "" {
			c.answer(imp)
			return false
		}
		if c.chance(5) {
			_ = c.call("run again", func(ctx context.Context, p *process) error {
				_, err := p.RunReviewAgain(ctx, imp.org, imp.getID(), true)
				return err
			})
			return false
		}
		c.review(imp, got, c.chance(30))
	case model.Successful:
		done = c.download(imp, got)
		if done && c.chance(10) {
			c.deleteUpload(imp, got)
		}
		return done
	case model.Failed:
		return true
	}
	return false
}

// callTooEarly makes a call that the status of the import may not allow.
func (c *client) callTooEarly(got model.Import) {
	_ = c.call("submit too early", func(ctx context.Context, p *process) error {
		if got.Status == model.NeedsReview {
			return nil
		}
		_, _, err := p.SubmitReview(ctx, got)
		if err == nil {
			c.w.violate("an import that is %s was submitted", got.Status)
		}
		return err
	})
}

// errConnection is the error of a body whose connection was lost.
var errConnection = errors.New("connection lost")

// upload sends the file of an import.
func (c *client) upload(imp *importState, got model.Import) {
	body := io.Reader(bytes.NewReader(imp.file.content))
	digest := sha256.Sum256(imp.file.content)
	switch {
	case c.chance(10):
		body = io.MultiReader(bytes.NewReader(imp.file.content[:len(imp.file.content)/2]), failingReader{})
	case c.chance(5):
		digest[0]++
	}
	err := c.call("upload", func(ctx context.Context, p *process) error {
		token, err := p.UploadToken(got, "")
		if err != nil {
			return err
		}
		size := int64(len(imp.file.content))
		r, err := p.BeginUpload(ctx, imp.getID(), token, size)
		if err != nil {
			return err
		}
		_, err = r.Receive(ctx, imports.IncomingFile{Body: body, Length: size, Filename: imp.file.name, SHA256: digest[:]})
		return err
	})
	if err == nil {
		imp.uploaded.Store(true)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errConnection }

// answer answers the questions of an import, as a program or on the review page.
func (c *client) answer(imp *importState) {
	value, onPage := "1", c.chance(40)
	answers := map[string]*string{"column:name": &value}
	_ = c.call("answer", func(ctx context.Context, p *process) (err error) {
		if onPage {
			_, err = p.AnswerQuestionsOnPage(ctx, imp.org, imp.getID(), answers, false)
		} else {
			_, err = p.AnswerQuestions(ctx, imp.org, imp.getID(), answers, false)
		}
		return err
	})
}

// deleteUpload deletes the files of an import that has ended.
func (c *client) deleteUpload(imp *importState, got model.Import) {
	imp.filesDeleted.Store(true)
	_ = c.call("delete upload", func(ctx context.Context, p *process) error {
		return p.DeleteUpload(ctx, imp.org, got.UploadID)
	})
}

// review edits the rows of an import, and submits them if all are valid.
func (c *client) review(imp *importState, got model.Import, more bool) {
	rows, err := c.rows(imp, got)
	if err != nil {
		return
	}
	for _, row := range rows {
		if len(row.Cells[0].Problems) > 0 {
			c.change(imp, got, row, 0, fmt.Sprintf("fixed%d@example.org", c.random.IntN(1000)))
			return
		}
	}
	switch {
	case more && len(rows) > 0 && c.chance(80):
		c.change(imp, got, rows[c.random.IntN(len(rows))], 1, fmt.Sprintf("%s %d", c.name, c.random.IntN(1000)))
	case more:
		c.undo(imp, got)
	default:
		c.submit(imp, got)
	}
}

// rows returns the rows under review.
func (c *client) rows(imp *importState, got model.Import) (rows []draft.Row, err error) {
	err = c.call("read rows", func(ctx context.Context, p *process) error {
		leave, err := imp.enter(ctx, p)
		if err != nil {
			return err
		}
		defer leave()
		return p.WithRows(ctx, got, func(d *draft.Draft) error {
			w, err := d.Window(ctx, draft.Query{}, 0, 100)
			rows = w.Rows
			return err
		})
	})
	return rows, err
}

// change sets a cell. It repeats the call with the same id until its result is known.
func (c *client) change(imp *importState, got model.Import, row draft.Row, field int, text string) {
	op := fmt.Sprintf("%s-%d", c.name, c.calls)
	imp.addEdit(op, edit{row: row.Number, field: field, text: text})
	set := draft.Set{Cells: []draft.Typed{{Row: row.Number, Field: field, Text: text, Version: row.Version, Seen: row.Cells[field].Raw}}}
	c.edit(imp, got, review.EditRequest{Op: op, Kind: "set", Change: set})
}

func (c *client) undo(imp *importState, got model.Import) {
	op := fmt.Sprintf("%s-%d", c.name, c.calls)
	imp.addEdit(op, edit{undo: true})
	c.edit(imp, got, review.EditRequest{Op: op, Kind: model.UndoEdit})
}

func (c *client) edit(imp *importState, got model.Import, request review.EditRequest) {
	for range 1 + c.random.IntN(4) {
		err := c.call("edit "+request.Op, func(ctx context.Context, p *process) error {
			leave, err := imp.enter(ctx, p)
			if err != nil {
				return err
			}
			defer leave()
			_, err = p.ChangeRows(ctx, got, request)
			var conflict *draft.ConflictError
			if errors.As(err, &conflict) {
				return model.NewError(model.Conflict, "cell_changed", model.ImportMissing)
			}
			return err
		})
		if err == nil {
			imp.acknowledge(request.Op, got.Run)
		}
		if !errors.Is(err, errUnknown) && !c.chance(20) {
			return
		}
	}
}

func (c *client) submit(imp *importState, got model.Import) {
	err := c.call("submit", func(ctx context.Context, p *process) error {
		leave, err := imp.enter(ctx, p)
		if err != nil {
			return err
		}
		defer leave()
		_, _, err = p.SubmitReview(ctx, got)
		return err
	})
	if err == nil {
		imp.submitted.Store(true)
	}
}

// download downloads the result of an import and compares it with the expected one.
func (c *client) download(imp *importState, got model.Import) bool {
	var text bytes.Buffer
	format := []string{"json", "csv"}[c.random.IntN(2)]
	err := c.call("download "+format, func(ctx context.Context, p *process) error {
		u, err := p.ImportResult(ctx, imp.org, imp.getID())
		if err != nil {
			return err
		}
		token, err := p.DownloadToken(u, format, "")
		if err != nil {
			return err
		}
		d, err := p.Download(ctx, u.ID, token)
		if err != nil {
			return err
		}
		text.Reset()
		if d.Stored == nil {
			return d.Write(&text)
		}
		_, err = d.Stored.WriteTo(&text)
		return errors.Join(err, d.Close())
	})
	if err == nil && format == "json" {
		imp.checkResult(c.w, text.Bytes())
	}
	if err != nil && !errors.Is(err, errUnknown) && imp.deleted.get() == notTried && !imp.filesDeleted.Load() {
		c.w.violate("download the result of import %s: %v", imp.getID(), err)
	}
	return err == nil
}

func (c *client) deleteImport(imp *importState) {
	err := c.until("delete", func(ctx context.Context, p *process) error {
		imp.deleted.raise(tried)
		return p.DeleteImport(ctx, imp.org, imp.getID())
	})
	if err == nil || model.IsKind(err, model.NotFound) {
		imp.deleted.raise(acknowledged)
	}
}

// help reviews an import of another client at the same time.
func (c *client) help(imp *importState) {
	for range c.random.IntN(25) {
		c.pause()
		if imp.created.get() != acknowledged || imp.deleted.get() != notTried || c.w.failed() {
			continue
		}
		got, err := c.reload(imp)
		if err == nil && got.Status == model.NeedsReview && got.Stage != "" {
			if c.chance(30) {
				c.pause() // the page shows an earlier state
			}
			c.review(imp, got, c.chance(50))
		}
	}
}

// enter waits until no other call of the simulation works on the import in a process. Such calls would
// wait for each other's locks, and not for time or channels, so that the bubble could not settle. The
// scheduler decides about the order of calls that begin at the same time.
func (i *importState) enter(ctx context.Context, p *process) (leave func(), err error) {
	switch p.w.wait(p, activityOf(ctx)+": enter") {
	case fail:
		return nil, errInjected
	case crashed:
		return nil, errCrashed
	}
	i.mu.Lock()
	busy, known := i.busy[p]
	if !known {
		busy = make(chan struct{}, 1)
		i.busy[p] = busy
	}
	i.mu.Unlock()
	busy <- struct{}{}
	return func() { <-busy }, nil
}

// knowledge is what a client knows about the effect of a call.
type knowledge int

const (
	notTried knowledge = iota
	tried
	acknowledged
)

// progress is knowledge that only grows.
type progress struct{ value atomic.Int64 }

func (p *progress) get() knowledge { return knowledge(p.value.Load()) }

func (p *progress) raise(to knowledge) {
	if p.get() < to {
		p.value.Store(int64(to))
	}
}

// importState is what the clients know about an import.
type importState struct {
	org string
	id  atomic.Pointer[string]
	// key is the idempotency key of the request that creates the import. id is "" until a process has
	// begun to handle the request.
	key     string
	file    file
	created progress
	deleted progress
	// uploaded and submitted are set if the call was acknowledged, and filesDeleted if it was tried.
	uploaded, submitted, filesDeleted atomic.Bool
	// inChunks is set if the file is sent in several requests.
	inChunks bool

	mu   sync.Mutex
	busy map[*process]chan struct{}
	// edits contains the edits that were tried, and acked the runs of the acknowledged ones.
	edits map[string]edit
	acked map[string]int
}

// edit is a change of a cell, or an undo.
type edit struct {
	row   int64
	field int
	text  string
	undo  bool
}

func (i *importState) addEdit(op string, e edit) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.edits[op] = e
}

func (i *importState) acknowledge(op string, run int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.acked[op] = run
}
