package simulation

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/server/memstore"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhooks"
)

// world is one simulated history: the processes, what they share, and the model that checks it.
type world struct {
	scheduler
	seed     uint64
	random   *rand.Rand
	keys     secrets.Keyring
	store    *memstore.Store
	blobs    *blobs
	receiver *receiver
	oracle   *oracle

	orgs []string
	// schemaID is the id of a saved schema of each organization, with a row hook.
	schemaID map[string]string
	slots    []*slot
	clients  sync.WaitGroup
	// budget limits the disturbances of the history.
	budget budget

	traceMu sync.Mutex
	// disturbed contains the activities of which an operation has failed.
	disturbed map[string]bool
	// pending contains the lines that the goroutines of the current step have added to the trace.
	pending []string
	trace   []string
	failure string
}

// slot is a data folder. It has at most one live process.
type slot struct {
	folder  string
	process *process
	starts  int
	// restart is the time when the next process starts, or zero while one is live.
	restart time.Time
}

// budget is the number of disturbances that may still occur.
type budget struct{ faults, crashes, freezes, stalls int }

// newWorld returns a world with organizations, a schema and webhooks, but without live processes.
func newWorld(seed uint64) *world {
	w := &world{
		seed: seed, random: rand.New(rand.NewPCG(seed, 1)), store: memstore.New(memstore.Config{}), blobs: newBlobs(),
		receiver: newReceiver(), schemaID: map[string]string{}, disturbed: map[string]bool{},
	}
	w.oracle = newOracle(w)
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	if err != nil {
		panic(err)
	}
	w.keys = master.Keyring()
	harsh := 1
	if w.random.IntN(4) == 0 {
		harsh = 4
	}
	w.budget = budget{faults: w.random.IntN(12 * harsh), crashes: w.random.IntN(6 * harsh), freezes: w.random.IntN(4 * harsh), stalls: w.random.IntN(6 * harsh)}
	w.setUp()
	return w
}

// setUp creates what the clients use.
func (w *world) setUp() {
	w.free = true
	defer func() { w.free = false }()
	p := w.newProcess("setup/0", 0)
	ctx := context.Background()
	if err := p.VerifyStoreFingerprint(ctx); err != nil {
		w.violate("write the fingerprint: %v", err)
	}
	for n := range 1 + w.random.IntN(2) {
		org, err := p.CreateOrg(ctx, fmt.Sprint("org ", n))
		if err != nil {
			w.violate("create an organization: %v", err)
		}
		w.orgs = append(w.orgs, org.ID)
		doc := document(hooked)
		doc.Name = "contacts"
		schema, _, err := p.CreateSchema(ctx, org.ID, schemas.Draft{Doc: doc})
		if err != nil {
			w.violate("create a schema: %v", err)
		}
		w.schemaID[org.ID] = schema.ID
		for range w.random.IntN(3) {
			if _, _, err := p.CreateWebhook(ctx, org.ID, webhooks.Draft{URL: "https://receiver.example/", Enabled: true}); err != nil {
				w.violate("create a webhook: %v", err)
			}
		}
	}
	days := model.Retention{Originals: w.random.IntN(2), Results: w.random.IntN(2)}
	if err := p.SetRetention(ctx, w.orgs[0], []model.Retention{days}); err != nil {
		w.violate("set the retention: %v", err)
	}
	for n := range 1 + w.random.IntN(3) {
		w.slots = append(w.slots, &slot{folder: fmt.Sprintf("f%d", n+1), restart: time.Now()})
	}
}

// log adds a line to the trace. Only the scheduler calls it.
func (w *world) log(format string, args ...any) {
	w.flush()
	w.logLater(format, args...)
	w.flush()
}

// logLater adds a line to the trace after the current step. Goroutines call it in an order that is not
// determined.
func (w *world) logLater(format string, args ...any) {
	w.traceMu.Lock()
	defer w.traceMu.Unlock()
	w.pending = append(w.pending, fmt.Sprintf("%9.3f ", time.Since(epoch).Seconds())+fmt.Sprintf(format, args...))
}

// flush adds the lines of the last step to the trace, in a fixed order.
func (w *world) flush() {
	w.traceMu.Lock()
	defer w.traceMu.Unlock()
	slices.Sort(w.pending)
	w.trace, w.pending = append(w.trace, w.pending...), nil
}

// epoch is the time at which each bubble begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// violate records that the history is wrong. Only the first violation counts.
func (w *world) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.logLater("VIOLATION: %s", text)
	w.traceMu.Lock()
	defer w.traceMu.Unlock()
	if w.failure == "" {
		w.failure = text
	}
}

func (w *world) failed() bool {
	w.traceMu.Lock()
	defer w.traceMu.Unlock()
	return w.failure != ""
}

// run runs the history to its end.
func (w *world) run() {
	ended := w.startClients()
	w.schedule(func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}, 60*time.Minute)
	w.budget = budget{}
	for _, s := range w.slots {
		if s.process != nil {
			s.process.frozen = time.Time{}
		}
	}
	w.schedule(w.oracle.isQuiet, 4*time.Hour)
	if !w.failed() {
		w.oracle.checkImports()
	}
	w.shutDown()
	<-ended
	if !w.failed() {
		w.cleanUp()
		w.oracle.checkClean()
	}
	synctest.Wait()
}

// schedule lets operations proceed in a random order until a condition is met.
func (w *world) schedule(done func() bool, limit time.Duration) {
	end := time.Now().Add(limit)
	for !w.failed() {
		ready := w.settle()
		w.flush()
		if done() {
			return
		}
		if time.Now().After(end) {
			w.violate("the history does not end: %s", w.oracle.describeUnfinished())
			return
		}
		w.restartProcesses()
		if len(ready) == 0 || w.random.IntN(100) < 8 {
			w.letTimePass()
			continue
		}
		w.decide(ready[w.random.IntN(len(ready))])
	}
}

func (w *world) letTimePass() {
	pause := time.Duration(1+w.random.IntN(300)) * time.Millisecond
	if w.random.IntN(20) == 0 {
		pause *= 10
	}
	time.Sleep(pause)
}

// decide lets an operation proceed, or disturbs it or its process.
func (w *world) decide(o *operation) {
	p := o.of
	dice := w.random.IntN(1000)
	isCrashPoint := strings.Contains(o.label, "crash point")
	switch {
	case w.budget.crashes > 0 && (dice < 4 || isCrashPoint && dice < 120):
		w.budget.crashes--
		w.crash(p, o.label)
		return
	case w.budget.freezes > 0 && dice < 7:
		w.budget.freezes--
		pause := time.Duration(9+w.random.IntN(50)) * time.Second
		w.log("%s is frozen for %s at %s", p.name, pause, o.label)
		p.frozen = time.Now().Add(pause)
		return
	case w.budget.stalls > 0 && dice < 12:
		w.budget.stalls--
		pause := time.Duration(1+w.random.IntN(40)) * time.Second
		w.log("%s waits for %s at %s", p.name, pause, o.label)
		o.until = time.Now().Add(pause)
		return
	case w.budget.faults > 0 && dice < 30 && !isCrashPoint:
		w.budget.faults--
		v := fail
		if strings.HasSuffix(o.label, ": "+string(memstore.Begin)) && w.random.IntN(2) == 0 {
			v = failCommit
		}
		w.log("%s fails (%d): %s", p.name, v, o.label)
		w.disturb(o)
		w.release(o, v)
		return
	}
	w.log("%s: %s", p.name, o.label)
	w.release(o, proceed)
}

// disturb notes that an operation of an activity fails.
func (w *world) disturb(o *operation) {
	activity, _, _ := strings.Cut(o.label, ": ")
	w.traceMu.Lock()
	defer w.traceMu.Unlock()
	w.disturbed[activity] = true
}

func (w *world) isDisturbed(activity string) bool {
	w.traceMu.Lock()
	defer w.traceMu.Unlock()
	return w.disturbed[activity]
}

func (w *world) crash(p *process, label string) {
	w.log("%s crashes at %s", p.name, label)
	for _, s := range w.slots {
		if s.process == p {
			s.process, s.restart = nil, time.Now().Add(time.Duration(w.random.IntN(15_000))*time.Millisecond)
		}
	}
	w.kill(p)
}

// restartProcesses starts the processes that are due.
func (w *world) restartProcesses() {
	for _, s := range w.slots {
		if s.process != nil || s.restart.After(time.Now()) {
			continue
		}
		s.starts++
		skew := time.Duration(0)
		if w.random.IntN(3) == 0 {
			skew = time.Duration(w.random.IntN(8000)-4000) * time.Millisecond
		}
		s.process = w.newProcess(fmt.Sprintf("%s/%d", s.folder, s.starts), skew)
		w.log("%s starts; its clock is ahead by %s", s.process.name, skew)
		s.process.start()
		synctest.Wait()
	}
}

// live returns the live processes that clients can call.
func (w *world) live() (list []*process) {
	for _, s := range w.slots {
		if s.process != nil {
			list = append(list, s.process)
		}
	}
	return list
}

// shutDown ends all processes.
func (w *world) shutDown() {
	for _, s := range w.slots {
		if p := s.process; p != nil {
			s.process = nil
			w.kill(p)
			<-p.done
		}
	}
	w.letAllProceed()
	synctest.Wait()
}

// cleanUp runs the maintenance of a new process until nothing is left to delete.
func (w *world) cleanUp() {
	ctx := context.Background()
	p := w.newProcess("cleaner/1", 0)
	if err := p.Join(ctx); err != nil {
		w.violate("join: %v", err)
	}
	for _, hours := range []int{1, 26, 52, 78} {
		p.skew = time.Duration(hours) * time.Hour
		w.log("maintenance after %d hours", hours)
		for range 2 {
			if err := p.RunMaintenance(ctx); err != nil {
				w.violate("maintenance: %v", err)
			}
		}
		w.oracle.checkReleased()
		if err := p.CollectGarbage(ctx); err != nil {
			w.violate("garbage collection: %v", err)
		}
	}
	if err := p.RunMaintenance(ctx); err != nil {
		w.violate("maintenance: %v", err)
	}
	w.kill(p)
}

// lines returns the trace.
func (w *world) lines() []string {
	w.flush()
	w.traceMu.Lock()
	defer w.traceMu.Unlock()
	return slices.Clone(w.trace)
}
