package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray/server/model"
)

// oracle is the model of what must be true about a history.
type oracle struct {
	w        *world
	imports  []*importState
	sessions []*sessionState

	mu sync.Mutex
	// last contains the imports after the last commit, by id, and files the keys of the files of
	// sessions.
	last  map[string]model.Import
	files map[string]string
	// released contains the keys and prefixes of blobs to which the store no longer refers.
	released map[string]bool
}

func newOracle(w *world) *oracle {
	return &oracle{w: w, last: map[string]model.Import{}, files: map[string]string{}, released: map[string]bool{}}
}

func (o *oracle) newImport(c *client, org string) *importState {
	i := &importState{
		org: org, key: "key " + c.name, file: newFile(c), inChunks: c.chance(30), busy: map[*process]chan struct{}{}, edits: map[string]edit{}, acked: map[string]int{},
	}
	o.imports = append(o.imports, i)
	return i
}

func (o *oracle) newSession(c *client, org string) *sessionState {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := &sessionState{id: c.newID(), org: org}
	o.sessions = append(o.sessions, s)
	return s
}

func (o *oracle) find(id string) *importState {
	for _, i := range o.imports {
		if i.getID() == id {
			return i
		}
	}
	return nil
}

// whole selects all rows of a list.
var whole = model.PageRequest{Limit: 1000}

// stored returns all imports in the store.
func (w *world) stored() []model.Import {
	return view(w, func(tx model.Tx) (all []model.Import, err error) {
		for _, org := range w.orgs {
			list, err := tx.Imports.List(context.Background(), org, whole)
			if err != nil {
				return nil, err
			}
			all = append(all, list.Rows...)
		}
		return all, nil
	})
}

// observe checks the state after a commit against the state before.
func (w *world) observe() {
	o := w.oracle
	o.mu.Lock()
	defer o.mu.Unlock()
	now := map[string]model.Import{}
	for _, imp := range w.stored() {
		now[imp.ID] = imp
		before, existed := o.last[imp.ID]
		o.checkChange(before, imp, existed)
	}
	for id, before := range o.last {
		after, exists := now[id]
		if !exists && o.find(id).deleted.get() == notTried {
			w.violate("import %s has disappeared", id)
		}
		o.release(before.Raw.Key, after.Raw.Key)
		o.release(before.Result.Key, after.Result.Key)
		if after.Stage == "" { // otherwise, the rows of the run remain next to those of the submission
			o.release(before.Stage, "")
		}
	}
	o.last = now
	for _, s := range o.sessions {
		key := w.session(s).File.Key
		o.release(o.files[s.id], key)
		o.files[s.id] = key
	}
}

// release notes that the store refers to another blob than before.
func (o *oracle) release(before, now string) {
	if before != "" && before != now {
		o.released[before] = true
	}
}

// session returns a session, or a zero value if it does not exist.
func (w *world) session(s *sessionState) model.Session {
	return view(w, func(tx model.Tx) (model.Session, error) {
		got, err := tx.Sessions.Get(context.Background(), s.org, s.id)
		return got, model.IgnoreKind(err, model.NotFound)
	})
}

// checkReleased checks that maintenance has deleted all blobs to which the store no longer refers.
func (o *oracle) checkReleased() {
	for _, key := range o.w.blobs.Keys("") {
		for prefix := range o.released {
			if key == prefix || strings.HasPrefix(key, prefix+"/") {
				o.w.violate("blob %s was not deleted", key)
			}
		}
	}
}

// checkChange checks one change of an import, and notes the events that it must cause.
func (o *oracle) checkChange(before, now model.Import, existed bool) {
	state := o.find(now.ID)
	switch {
	case state == nil:
		o.w.violate("import %s was not created by a client", now.ID)
		return
	case existed && before.Status != now.Status && !before.Status.MayBecome(now.Status) && (before.Status != model.Running || now.Status != model.Failed):
		o.w.violate("import %s changed from %s to %s", now.ID, before.Status, now.Status)
	case state.deleted.get() == acknowledged:
		o.w.violate("import %s exists after its deletion", now.ID)
	case existed && before.Status == model.Successful && before.Result.SHA256 != now.Result.SHA256:
		o.w.violate("the result of import %s has changed", now.ID)
	case now.Run < before.Run:
		o.w.violate("the run of import %s went back from %d to %d", now.ID, before.Run, now.Run)
	}
	if now.Raw.SHA256 != "" && now.Raw.SHA256 != state.file.digest() {
		o.w.violate("import %s has a file with the SHA-256 %s, want %s", now.ID, now.Raw.SHA256, state.file.digest())
	}
	if event, ok := events[now.Status]; ok && (!existed || before.Status != now.Status) {
		for _, w := range view(o.w, func(tx model.Tx) ([]model.Webhook, error) { return tx.Webhooks.List(context.Background(), now.Org) }) {
			at := subject{w.ID, now.ID}
			o.w.receiver.expected[at] = append(o.w.receiver.expected[at], string(event))
		}
	}
}

func (f file) digest() string {
	sum := sha256.Sum256(f.content)
	return hex.EncodeToString(sum[:])
}

// isReferenced returns the import that refers to a blob, or "".
func (w *world) isReferenced(key string) string {
	for _, imp := range w.stored() {
		if key == imp.Raw.Key || key == imp.Result.Key || key == imp.Stage || imp.Stage != "" && strings.HasPrefix(key, imp.Stage+"/") {
			return fmt.Sprintf("import %s, which is %s", imp.ID, imp.Status)
		}
	}
	w.oracle.mu.Lock()
	ids := slices.Clone(w.oracle.sessions)
	w.oracle.mu.Unlock()
	for _, s := range ids {
		if w.session(s).File.Key == key {
			return "session " + s.id
		}
	}
	return ""
}

// checkDeletion checks that no blob is deleted to which the store refers.
func (w *world) checkDeletion(ctx context.Context, p *process, selected func(key string) bool) {
	for _, key := range w.blobs.Keys("") {
		if selected(key) {
			if by := w.isReferenced(key); by != "" {
				w.violate("%s (%s) deletes blob %s of %s", p.name, activityOf(ctx), key, by)
			}
		}
	}
}

// checkReplacement checks that a blob to which the store refers is not replaced by a different one.
func (w *world) checkReplacement(p *process, key string, content []byte) {
	before := w.blobs.content(key)
	if before == nil || string(before) == string(content) {
		return
	}
	if by := w.isReferenced(key); by != "" {
		w.violate("%s replaces blob %s of %s", p.name, key, by)
	}
}

// isQuiet reports whether nothing is left to do without a client.
func (o *oracle) isQuiet() bool { return o.describeUnfinished() == "" }

func (o *oracle) describeUnfinished() string {
	var list []string
	for _, imp := range o.w.stored() {
		if imp.Status == model.Pending || imp.Status == model.Running {
			list = append(list, fmt.Sprintf("import %s is %s, run %d, lost %d", imp.ID, imp.Status, imp.Run, imp.Lost))
		}
	}
	backlog := view(o.w, func(tx model.Tx) (model.Backlog, error) { return tx.Usage.Backlog(context.Background()) })
	if backlog.Deliveries > 0 {
		list = append(list, fmt.Sprintf("%d deliveries wait", backlog.Deliveries))
		for _, d := range o.openDeliveries() {
			list = append(list, fmt.Sprintf("delivery %s about %s is %s, of node %q, %d tries, due %v", d.ID, d.ImportID, d.Status, d.Node, d.Tries, d.Due))
		}
	}
	for at, want := range o.w.receiver.expected {
		if _, exists := o.last[at.imp]; exists && len(o.w.receiver.arrived[at]) < len(want) && backlog.Deliveries == 0 {
			claimed := view(o.w, func(tx model.Tx) ([]model.Delivery, error) {
				all, err := tx.Deliveries.List(context.Background(), o.last[at.imp].Org, at.webhook, whole)
				return slices.DeleteFunc(all.Rows, func(d model.Delivery) bool { return d.Status != model.Waiting }), err
			})
			if len(claimed) > 0 {
				list = append(list, "a delivery is claimed")
			}
		}
	}
	return strings.Join(list, "; ")
}

// openDeliveries returns the deliveries that wait or that a process has claimed.
func (o *oracle) openDeliveries() (open []model.Delivery) {
	seen := map[string]bool{}
	for at := range o.w.receiver.expected {
		org := o.last[at.imp].Org
		if org == "" || seen[at.webhook] {
			continue
		}
		seen[at.webhook] = true
		all := view(o.w, func(tx model.Tx) (model.Page[model.Delivery], error) {
			return tx.Deliveries.List(context.Background(), org, at.webhook, whole)
		})
		for _, d := range all.Rows {
			if d.Status == model.Waiting || d.Node != "" {
				open = append(open, d)
			}
		}
	}
	return open
}

// checkImports checks the state after all clients and processes have done their work.
func (o *oracle) checkImports() {
	for _, i := range o.imports {
		imp, exists := o.last[i.getID()]
		if !exists {
			if i.created.get() == acknowledged && i.deleted.get() == notTried {
				o.w.violate("import %s is missing", i.getID())
			}
			continue
		}
		o.checkStatus(i, imp)
		o.checkEdits(i, imp)
		if imp.Status == model.Successful && imp.Result.Key != "" {
			i.checkResult(o.w, o.w.blobs.content(imp.Result.Key))
		}
		if imp.Raw.Key != "" && string(o.w.blobs.content(imp.Raw.Key)) != string(i.file.content) {
			o.w.violate("the stored file of import %s is wrong", i.getID())
		}
	}
	for at, want := range o.w.receiver.expected {
		if _, exists := o.last[at.imp]; exists && !slices.Equal(o.w.receiver.arrived[at], want) {
			o.w.violate("webhook %s received %v about import %s, want %v", at.webhook, o.w.receiver.arrived[at], at.imp, want)
		}
	}
	o.checkUsage()
}

// maxLost is the number of lost runs after which an import fails.
const maxLost = 10

// checkStatus checks that the final status of an import follows from its file and the calls.
func (o *oracle) checkStatus(i *importState, imp model.Import) {
	switch {
	case i.uploaded.Load() && imp.Status == model.AwaitingUpload:
		o.w.violate("the file of import %s was acknowledged, but it is %s", i.getID(), imp.Status)
	case i.submitted.Load() && imp.Status != model.Successful:
		o.w.violate("import %s was submitted, but it is %s", i.getID(), imp.Status)
	case imp.Lost >= maxLost:
	case imp.Status == model.Failed && i.file.kind != broken:
		o.w.violate("import %s has failed", i.getID())
	case imp.Status == model.Successful && i.file.needsReview() && len(i.edits) == 0:
		o.w.violate("import %s is SUCCESSFUL without a review", i.getID())
	case imp.Status == model.Successful && i.file.kind == broken:
		o.w.violate("import %s is SUCCESSFUL although its file is broken", i.getID())
	}
}

// editLog returns the log of an import.
func (w *world) editLog(i *importState, run int) []model.Edit {
	return view(w, func(tx model.Tx) (all []model.Edit, err error) {
		for e, err := range tx.Edits.ListAfter(context.Background(), i.org, i.getID(), run, 0) {
			if err != nil {
				return nil, err
			}
			all = append(all, e)
		}
		return all, nil
	})
}

// checkEdits checks that each acknowledged edit is in the log, once.
func (o *oracle) checkEdits(i *importState, imp model.Import) {
	i.mu.Lock()
	defer i.mu.Unlock()
	counts := map[string]int{}
	for _, e := range o.w.editLog(i, imp.Run) {
		counts[e.Op]++
	}
	for op, run := range i.acked {
		if run == imp.Run && counts[op] != 1 {
			o.w.violate("the acknowledged edit %s of import %s is %d times in the log", op, i.getID(), counts[op])
		}
	}
}

// expected returns the rows of the result, according to the file and the log.
func (i *importState) expected(w *world) []map[string]string {
	run := 0
	for _, imp := range w.stored() {
		if imp.ID == i.getID() {
			run = imp.Run
		}
	}
	log := w.editLog(i, run)
	i.mu.Lock()
	defer i.mu.Unlock()
	var made []edit
	undone := 0
	for _, e := range log {
		switch change := i.edits[e.Op]; {
		case change.undo && e.Change > 0:
			undone++
		case e.Change > 0:
			made = append(made[:len(made)-undone], change)
			undone = 0
		}
	}
	rows := slices.Clone(i.file.rows)
	for _, e := range made[:len(made)-undone] {
		rows[e.row][e.field] = e.text
	}
	var result []map[string]string
	for _, row := range rows {
		if i.file.kind == hooked {
			row[1] = strings.ToUpper(row[1])
		}
		result = append(result, map[string]string{"email": row[0], "name": row[1]})
	}
	return result
}

// checkResult compares the JSON result of an import with the expected rows.
func (i *importState) checkResult(w *world, text []byte) {
	var got []map[string]string
	if err := json.Unmarshal(text, &got); err != nil {
		w.violate("the result of import %s is not valid: %v: %s", i.getID(), err, text)
		return
	}
	want, err := json.Marshal(i.expected(w))
	if again, _ := json.Marshal(got); err != nil || string(again) != string(want) {
		w.violate("the result of import %s is %s, want %s", i.getID(), again, want)
	}
}

// checkUsage compares the usage of the organizations with what the clients know.
func (o *oracle) checkUsage() {
	for _, org := range o.w.orgs {
		got := view(o.w, func(tx model.Tx) (model.Usage, error) { return tx.Usage.Get(context.Background(), org) })
		want := model.Usage{Org: org, Schemas: 1}
		for _, i := range o.imports {
			if imp, exists := o.last[i.getID()]; exists && i.org == org {
				if imp.Raw.Key != "" {
					want.FileBytes += int64(len(i.file.content))
				}
				want.FileBytes += int64(len(o.w.blobs.content(imp.Result.Key)))
			}
		}
		if got.FileBytes != want.FileBytes || got.Schemas != want.Schemas {
			o.w.violate("organization %s uses %+v, want %d bytes and %d schemas", org, got, want.FileBytes, want.Schemas)
		}
	}
}

// checkClean checks that nothing is left of what was deleted, and that no blob is orphaned.
func (o *oracle) checkClean() {
	o.w.observe()
	for _, i := range o.imports {
		if _, exists := o.last[i.getID()]; !exists {
			o.checkErased(i)
		}
	}
	for _, s := range o.sessions {
		exists := view(o.w, func(tx model.Tx) (bool, error) { return tx.Owners.Session(context.Background(), s.id) })
		if exists && s.deleted == acknowledged {
			o.w.violate("session %s exists after its deletion", s.id)
		}
	}
	for _, key := range o.w.blobs.Keys("") {
		if o.w.isReferenced(key) == "" && key != model.FingerprintKey && !o.belongsToReview(key) {
			o.w.violate("blob %s is orphaned", key)
		}
	}
}

// belongsToReview reports whether a blob belongs to the current run of an import: its staged rows or its
// changes, from which the rows of a submission can be rebuilt.
func (o *oracle) belongsToReview(key string) bool {
	for _, imp := range o.last {
		prefix := imp.RunPrefix(imp.Run)
		if imp.Stage != "" && (key == prefix+"/stage.parquet" || strings.HasPrefix(key, prefix+"/stage/") || strings.HasPrefix(key, prefix+"/edits/")) {
			return true
		}
	}
	return false
}

// checkErased checks that no row is left of a deleted import.
func (o *oracle) checkErased(i *importState) {
	ctx := context.Background()
	left := view(o.w, func(tx model.Tx) (left []string, err error) {
		if n, err := tx.Retention.CountEdits(ctx, i.getID(), 1000, 1000); n > 0 || err != nil {
			left = append(left, fmt.Sprintf("%d edits", n))
		}
		learned, err := tx.Memory.List(ctx, i.org, identifier, whole)
		for _, m := range learned.Rows {
			if m.ImportID == i.getID() {
				left = append(left, "a learned mapping")
			}
		}
		if err != nil {
			return nil, err
		}
		hooks, err := tx.Webhooks.List(ctx, i.org)
		for _, w := range hooks {
			list, failed := tx.Deliveries.List(ctx, i.org, w.ID, whole)
			if failed != nil {
				return nil, failed
			}
			for _, d := range list.Rows {
				if d.ImportID == i.getID() && d.Body != nil {
					left = append(left, "delivery "+d.ID)
				}
			}
		}
		return left, err
	})
	if len(left) > 0 {
		o.w.violate("import %s was deleted, but %v are left", i.getID(), left)
	}
}
