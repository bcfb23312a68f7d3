// Package attacks sends files and schemas to the built program that are made to need as much
// memory or time as possible, while other organizations import ordinary files. The program runs
// with 512 MiB of memory and 2 processors.
//
// The server must survive, each attack must end within a minute with a plain message, and no
// other import may take more than three times as long as the median import without attacks. The
// tests print the slowest and the largest attacks and the slowest other imports.
//
// By default, a random sample of the attacks runs. If INTRAY_TORTURE=full, all of them run. Set
// INTRAY_TORTURE_SEED to repeat a run with the same sample in the same order. Set INTRAY_ATTACKS
// to a regular expression to run only the attacks whose names match it. They then run one at a
// time without other imports, and the test prints the CPU time and peak memory of each.
package attacks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/suite"
)

const (
	// attackLimit is the maximum time of an attack.
	attackLimit = time.Minute
	// patience is the time after which the tests no longer wait for an import.
	patience = 3 * time.Minute
	// slowdown is the maximum factor by which attacks may delay other imports.
	slowdown = 3
	// repetitions is how often an import that took longer runs again during the same attacks. The
	// shortest time counts, so that a pause of the machine does not fail the test.
	repetitions = 2
	// attackers is the number of attacks at a time. There is always one more than the server
	// runs, so that the next attack begins as soon as one ends.
	attackers = 2
	// tenants is the number of organizations with ordinary imports.
	tenants = 5
)

func TestMain(m *testing.M) {
	status := suite.Run(m, suite.Attacks)
	livetest.Cleanup()
	os.Exit(status)
}

// attack is a file, or a schema and a file, that need as much memory or time as possible.
type attack struct {
	// name is the name of the file. It is unique.
	name string
	// target is the limit, or the part of the program, that the attack is meant to exceed.
	target string
	file   func(t testing.TB) []byte
	// schema returns the request that creates the import. If it is nil, the import has one field
	// and retains all other columns.
	schema func() any
}

// outcome is the end of an attack.
type outcome struct {
	attack
	// status is the final status of the import, or "REFUSED".
	status  string
	message string
	// size is the number of bytes of the file.
	size int
	// took is the time from the creation of the import to the result, without the time in which
	// the import waited for the attacks before it.
	took time.Duration
	// peak is the peak memory of the server so far, and cpu the CPU time of the server during
	// the attack. Both include concurrent imports.
	peak int64
	cpu  time.Duration
	// err is what was wrong, or nil.
	err error
}

func (o outcome) String() string {
	return fmt.Sprintf("%-34s %-12s %7.1f KB %6.2f s, %6.2f s CPU, peak %4d MiB  %.150q", o.name, o.status,
		float64(o.size)/1e3, o.took.Seconds(), o.cpu.Seconds(), o.peak>>20, o.message)
}

// plainSchema is the request of an attack without a schema.
var plainSchema = map[string]any{
	"fields":   []any{map[string]any{"key": "name", "label": "Name"}},
	"settings": map[string]any{"passThroughUnmappedColumns": true, "invalidDataBehavior": "INCLUDE_INVALID_ROWS_AND_VALUES"},
}

// run sends an attack with the given file, waits for its end, reads its result or answers its
// questions, and deletes the import.
func (a attack) run(c *client, file []byte) (o outcome) {
	o = outcome{attack: a, size: len(file)}
	var request any = plainSchema
	if a.schema != nil {
		request = a.schema()
	}
	schema, err := json.Marshal(request)
	if err != nil {
		o.err = err
		return o
	}
	cpu := cpuTime(c.Server)
	began := time.Now()
	var waited time.Duration
	o.status, o.message, waited, o.err = runImport(c, schema, a.name, file)
	o.took, o.cpu, o.peak = time.Since(began)-waited, cpuTime(c.Server)-cpu, c.PeakMemory()
	if o.err == nil && o.took > attackLimit {
		o.err = fmt.Errorf("it took %s", o.took)
	}
	return o
}

// runImport creates an import, uploads its file and waits for its end. If the import has
// questions, runImport answers them once. It reads the result and deletes the import. Every
// message must be plain. waited is the time in which the import waited to be run.
func runImport(c *client, schema []byte, name string, file []byte) (status, message string, waited time.Duration, err error) {
	id, err := c.send(schema, name, file)
	if refused, ok := errors.AsType[*refusal](err); ok {
		return "REFUSED", refused.message, 0, checkMessage(refused.message)
	}
	if err != nil {
		return "", "", 0, err
	}
	defer func() { err = errors.Join(err, c.delete(id)) }()
	got, waited, err := c.await(id)
	if err != nil {
		return got.Status, "", waited, err
	}
	if got.Status == "NEEDS_REVIEW" {
		list, err := c.questions(id)
		if err != nil {
			return got.Status, "", waited, err
		}
		for _, q := range list {
			if err := checkMessage(q.Message); err != nil {
				return got.Status, q.Message, waited, err
			}
			message = q.Message
		}
		again, err := c.answer(id, list)
		if refused, ok := errors.AsType[*refusal](err); ok { // the first choices contradict each other
			return got.Status, message, waited, checkMessage(refused.message)
		}
		if err != nil {
			return got.Status, message, waited, err
		}
		if again {
			var more time.Duration
			got, more, err = c.await(id)
			waited += more
			if err != nil {
				return got.Status, message, waited, err
			}
		}
	}
	for i, one := range got.Errors {
		if one.Type == "TRUNCATED" {
			continue
		}
		if err := checkMessage(one.Message); err != nil {
			return got.Status, one.Message, waited, err
		}
		if i == 0 {
			message = one.Message
		}
	}
	switch {
	case got.Status == "SUCCESSFUL":
		_, _, err = c.result(id)
	case message == "":
		err = errors.New("there is no message")
	}
	return got.Status, message, waited, err
}

// seeded returns random numbers that INTRAY_TORTURE_SEED determines.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(20261123)
	if text := os.Getenv("INTRAY_TORTURE_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = given
	}
	t.Logf("INTRAY_TORTURE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

// share returns the number of attacks or imports of a run.
func share(whole, sample int) int {
	if os.Getenv("INTRAY_TORTURE") == "full" {
		return whole
	}
	return min(whole, sample)
}

// start starts a server with limited resources.
func start(t *testing.T) (*livetest.Server, limits) {
	t.Helper()
	c := newLimits(t, livetest.BuildBinary(t))
	return livetest.Start(t, livetest.Config{Binary: c.binary, Env: c.env}), c
}

// checkAlive fails the test if the server has ended. The log of a server that the kernel killed
// contains no reason.
func checkAlive(t *testing.T, server *livetest.Server, c limits) {
	t.Helper()
	select {
	case <-server.Exited():
		t.Fatalf("the server ended with status %d; cgroup: %s; log: %s", server.Wait(), c.groupUsage(), server.Stderr())
	default:
	}
}

// TestNumbers checks that there are enough attacks, and that their names are unique.
func TestNumbers(t *testing.T) {
	files, schemas := fileAttacks(), schemaAttacks()
	if len(files) < 150 || len(schemas) < 60 {
		t.Errorf("%d files and %d schemas, want 150 and 60", len(files), len(schemas))
	}
	names := map[string]bool{}
	for _, a := range slices.Concat(files, schemas) {
		if names[a.name] || a.target == "" {
			t.Errorf("%q has no target, or there are two attacks with this name", a.name)
		}
		names[a.name] = true
	}
	t.Logf("%d files, %d schemas", len(files), len(schemas))
}

// TestSelectedAttacks runs the attacks that INTRAY_ATTACKS selects, one at a time.
func TestSelectedAttacks(t *testing.T) {
	pattern := os.Getenv("INTRAY_ATTACKS")
	if pattern == "" {
		return
	}
	selected, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	server, c := start(t)
	client := newClient(server, livetest.BackendKey)
	for _, a := range slices.Concat(fileAttacks(), schemaAttacks()) {
		if !selected.MatchString(a.name) {
			continue
		}
		if err := resetPeak(server); err != nil {
			t.Fatal(err)
		}
		o := a.run(client, a.file(t))
		t.Log(o)
		if o.err != nil {
			t.Errorf("%s: %v", o.name, o.err)
		}
		if c.group == "" && o.peak > memoryLimit {
			t.Errorf("%s: peak memory %d MiB", o.name, o.peak>>20)
		}
		checkAlive(t, server, c)
	}
}

// TestSchemasAreCreatedQuickly saves the schema of each attack. Saving any schema must take at most
// 300 ms. The test measures the CPU time of the server, and the shortest of three attempts, so that
// the result does not depend on the load of the machine.
func TestSchemasAreCreatedQuickly(t *testing.T) {
	if os.Getenv("INTRAY_ATTACKS") != "" {
		return
	}
	const limit = 300 * time.Millisecond
	server, c := start(t)
	client := newClient(server, livetest.BackendKey)
	type created struct {
		name    string
		cpu     time.Duration
		size    int
		refused string
	}
	var all []created
	for _, a := range schemaAttacks() {
		request := a.schema().(object)
		one := created{name: a.name, cpu: time.Hour}
		for attempt := 0; attempt < 3 && one.cpu > limit/2; attempt++ {
			request["name"] = fmt.Sprintf("%s %d", a.name, attempt)
			body, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			one.size = len(body)
			before := cpuTime(server)
			err = client.call("POST", "/api/v1/schemas/", body, "application/json", nil)
			one.cpu = min(one.cpu, cpuTime(server)-before)
			if refused, ok := errors.AsType[*refusal](err); ok {
				one.refused = refused.message
				err = checkMessage(refused.message)
			}
			if err != nil {
				t.Fatalf("%s: %v", a.name, err)
			}
		}
		if one.cpu > limit {
			t.Errorf("saving %s (%d bytes) takes %s of CPU time: %.200s", one.name, one.size, one.cpu, one.refused)
		}
		all = append(all, one)
	}
	checkAlive(t, server, c)
	slices.SortFunc(all, func(a, b created) int { return cmp.Compare(b.cpu, a.cpu) })
	for _, one := range all[:10] {
		t.Logf("%-34s %8d bytes %8s %.100s", one.name, one.size, one.cpu, one.refused)
	}
}

// preparedAttack is an attack whose file has been written. Writing some of the files takes longer
// than to import them, and would delay the imports.
type preparedAttack struct {
	attack
	path string
}

// prepare writes the files of attacks.
func prepare(t *testing.T, attacks []attack) []preparedAttack {
	folder := t.TempDir()
	prepared := make([]preparedAttack, len(attacks))
	var group errgroup.Group
	group.SetLimit(cores)
	for i, a := range attacks {
		group.Go(func() error {
			prepared[i] = preparedAttack{a, filepath.Join(folder, strconv.Itoa(i))}
			return os.WriteFile(prepared[i].path, a.file(t), 0o600)
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return prepared
}

// TestAttacks runs attacks of one organization while other organizations import ordinary files.
// The same ordinary imports run without attacks before and after that, with the same server.
func TestAttacks(t *testing.T) {
	if os.Getenv("INTRAY_ATTACKS") != "" {
		return
	}
	random := seeded(t)
	pick := func(all []attack, n int) []attack {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:n]
	}
	files, schemas := fileAttacks(), schemaAttacks()
	attacks := slices.Concat(pick(files, share(len(files), 30)), pick(schemas, share(len(schemas), 10)))
	began := time.Now()
	b := battle{t: t, attacks: prepare(t, pick(attacks, len(attacks))), file: ordinaryFile(), enough: share(100, 20)}
	t.Logf("the files were written in %s", time.Since(began))

	server, c := start(t)
	pid := server.PID()
	for i := range tenants {
		b.honest = append(b.honest, newClient(server, newKey(t, server, fmt.Sprintf("Tenant %d", i))))
	}
	b.importAlone(2) // the first imports are slower
	alone := b.importAlone(share(20, 5))
	attacker := newClient(server, livetest.BackendKey)
	b.run(attacker)
	checkAlive(t, server, c)
	alone = slices.Concat(alone, b.importAlone(share(20, 5)))
	if server.PID() != pid {
		t.Errorf("the process %d was replaced by %d", pid, server.PID())
	}
	if c.group == "" && server.PeakMemory() > memoryLimit {
		t.Errorf("the peak memory was %d MiB", server.PeakMemory()>>20)
	}
	b.report(server, c)
	b.checkTimes(attacker, alone)
}

// battle is the concurrent part of TestAttacks.
type battle struct {
	t       *testing.T
	attacks []preparedAttack
	// honest are the organizations that import the ordinary file, one after the other.
	honest []*client
	file   []byte
	// enough is the number of ordinary imports to run during the attacks.
	enough int

	// imported is the number of ordinary imports, and result the hash of the result of each.
	imported int
	result   string
	// during are the ordinary imports during the attacks.
	during []ordinaryImport

	mu       sync.Mutex
	outcomes []outcome
	// current are the attacks in progress, one of each attacker.
	current [attackers]string
}

// ordinaryImport is the time of an ordinary import, and the attacks in progress at its end.
type ordinaryImport struct {
	took    time.Duration
	attacks [attackers]string
}

// importNext imports the ordinary file into the next organization.
func (b *battle) importNext() (time.Duration, error) {
	took, sum, err := importOrdinary(b.honest[b.imported%len(b.honest)], b.file)
	b.imported++
	if err == nil && sum != cmp.Or(b.result, sum) {
		err = errors.New("its result differs from that of the others")
	}
	b.result = cmp.Or(b.result, sum)
	return took, err
}

// importAlone imports the ordinary file n times without attacks.
func (b *battle) importAlone(n int) (times []time.Duration) {
	b.t.Helper()
	for range n {
		took, err := b.importNext()
		if err != nil {
			b.t.Fatalf("an ordinary import without attacks: %v", err)
		}
		times = append(times, took)
	}
	return times
}

// run runs each attack once. It then repeats attacks until enough ordinary imports have ended,
// because all of them must run during attacks.
func (b *battle) run(attacker *client) {
	var next, done atomic.Int64
	var group sync.WaitGroup
	over := make(chan struct{})
	for attackerNumber := range attackers {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(b.attacks) && int(done.Load()) >= b.enough {
					return
				}
				a := b.attacks[i%len(b.attacks)]
				b.mu.Lock()
				b.current[attackerNumber] = a.name
				b.mu.Unlock()
				file, err := os.ReadFile(a.path)
				o := outcome{attack: a.attack, err: err}
				if err == nil {
					o = a.run(attacker, file)
				}
				b.mu.Lock()
				b.outcomes = append(b.outcomes, o)
				b.mu.Unlock()
				select {
				case <-attacker.Exited():
					return
				default:
				}
			}
		})
	}
	go func() { group.Wait(); close(over) }()
	for {
		select {
		case <-over:
			return
		default:
		}
		took, err := b.importNext()
		if err != nil {
			b.t.Errorf("ordinary import %d: %v", len(b.during), err)
		}
		b.mu.Lock()
		one := ordinaryImport{took, b.current}
		b.mu.Unlock()
		select {
		case <-over: // the import did not run entirely during attacks
			return
		default:
		}
		b.during = append(b.during, one)
		done.Add(1)
	}
}

// report prints the slowest and the largest attacks, and fails the test for each attack that did
// not end as it must.
func (b *battle) report(server *livetest.Server, c limits) {
	b.t.Helper()
	counts := map[string]int{}
	for _, o := range b.outcomes {
		counts[o.status]++
		if o.err != nil {
			b.t.Errorf("%s (%s): %v\n%s", o.name, o.target, o.err, o)
		}
	}
	b.t.Logf("%d attacks: %v; %.0f s CPU; peak memory %d MiB; %s", len(b.outcomes), counts, cpuTime(server).Seconds(), server.PeakMemory()>>20, c.groupUsage())
	list := func(title string, order func(a, b outcome) int) {
		slices.SortStableFunc(b.outcomes, order)
		var text strings.Builder
		for _, o := range b.outcomes[:min(10, len(b.outcomes))] {
			fmt.Fprintf(&text, "\n  %s", o)
		}
		b.t.Logf("%s:%s", title, text.String())
	}
	list("slowest", func(a, b outcome) int { return cmp.Compare(b.took, a.took) })
	list("largest files", func(a, b outcome) int { return cmp.Compare(b.size, a.size) })
	list("highest memory of the server while they ran", func(a, b outcome) int { return cmp.Compare(b.peak, a.peak) })
}

// repeat imports the ordinary file again during the given attacks, and returns the duration.
func (b *battle) repeat(attacker *client, names [attackers]string) time.Duration {
	b.t.Helper()
	var group sync.WaitGroup
	var over atomic.Bool
	for _, name := range names {
		i := slices.IndexFunc(b.attacks, func(a preparedAttack) bool { return a.name == name })
		if i < 0 { // only one attack was in progress
			continue
		}
		file, err := os.ReadFile(b.attacks[i].path)
		if err != nil {
			b.t.Fatal(err)
		}
		group.Go(func() {
			for !over.Load() {
				b.attacks[i].run(attacker, file)
			}
		})
	}
	took, err := b.importNext()
	over.Store(true)
	group.Wait()
	if err != nil {
		b.t.Fatalf("an ordinary import during %v: %v", names, err)
	}
	return took
}

// checkTimes compares the time of each ordinary import during the attacks with the median time of
// the same import without attacks.
func (b *battle) checkTimes(attacker *client, alone []time.Duration) {
	b.t.Helper()
	slices.Sort(alone)
	if len(b.during) < b.enough {
		b.t.Fatalf("%d ordinary imports ran during attacks, want %d", len(b.during), b.enough)
	}
	usual := alone[len(alone)/2]
	ratio := func(one ordinaryImport) float64 { return one.took.Seconds() / usual.Seconds() }
	for i := range b.during {
		for n := 0; n < repetitions && ratio(b.during[i]) > slowdown; n++ {
			again := b.repeat(attacker, b.during[i].attacks)
			b.t.Logf("%s took %s, and %s when it was repeated", strings.Join(b.during[i].attacks[:], ", "), b.during[i].took, again)
			b.during[i].took = min(b.during[i].took, again)
		}
	}
	slices.SortFunc(b.during, func(a, b ordinaryImport) int { return cmp.Compare(b.took, a.took) })
	b.t.Logf("%d ordinary imports without attacks: %s to %s, median %s", len(alone), alone[0], alone[len(alone)-1], usual)
	middle := b.during[len(b.during)/2]
	b.t.Logf("%d during attacks: median %s (%.2f times as long)", len(b.during), middle.took, ratio(middle))
	var slowest strings.Builder
	tooSlow := 0
	for i, one := range b.during {
		if ratio(one) > slowdown {
			tooSlow++
		}
		if i < 10 {
			fmt.Fprintf(&slowest, "\n  %s (%.2f times as long) during %s", one.took, ratio(one), strings.Join(one.attacks[:], ", "))
		}
	}
	b.t.Logf("slowest ordinary imports during attacks:%s", slowest.String())
	if tooSlow > 0 {
		b.t.Errorf("%d of %d ordinary imports took more than %d times as long as without attacks", tooSlow, len(b.during), slowdown)
	}
}
