package service_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

// machine is a machine whose kernel kills processes for lack of memory.
type machine struct {
	*fixture
	kills model.OOMKills
}

func newMachine(t *testing.T) *machine {
	m := &machine{kills: model.OOMKills{Machine: "a", Count: 7}}
	m.fixture = newFixture(t, m.options()...)
	must(t, m.RecordHeartbeat(m.ctx))
	return m
}

// options makes a process report the kills on this machine, and end its goroutine when it has
// claimed an import, as if the process had died.
func (m *machine) options() []option {
	return []option{crashAt("run.claimed"), func(_ *fixture, cfg *service.Config) { cfg.OOMKills = func() model.OOMKills { return m.kills } }}
}

// claim starts runs until the process claims no more imports. It returns the claimed ones.
func (m *machine) claim(imports ...model.Import) (claimed []string) {
	m.Helper()
	for {
		crashed := make(chan bool, 1)
		go func() {
			died := true
			defer func() { crashed <- died }()
			_, _ = m.RunNext(m.ctx)
			died = false
			runtime.Goexit()
		}()
		if !<-crashed {
			break
		}
	}
	for _, imp := range imports {
		if m.reload(imp).Status == model.Running {
			claimed = append(claimed, imp.ID)
		}
	}
	return claimed
}

// restart starts the process again with the same data folder.
func (m *machine) restart(name string) {
	m.Helper()
	m.Service = m.newNode("folder/"+name, m.options()...)
	must(m.T, m.Join(m.ctx))
}

// killForMemory makes the kernel kill the process and restarts it.
func (m *machine) killForMemory(name string) {
	m.Helper()
	m.kills.Count++
	m.restart(name)
}

// A process with two imports is killed for lack of memory. Both run again, one at a time. The
// process is killed again while it runs one of them. Only that one fails.
func TestS2ImportKilledTwiceForMemory(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	one, two := m.pendingImport(goodFile, ""), m.pendingImport(goodFile, "")
	if got := m.claim(one, two); len(got) != 2 {
		t.Fatalf("%d imports run, want both", len(got))
	}
	m.killForMemory("two")
	for _, imp := range []model.Import{one, two} {
		if imp := m.wantStatus(imp, model.Pending); !imp.Alone || imp.Lost != 0 {
			t.Errorf("alone %v, lost %d times; want alone, and no lost run", imp.Alone, imp.Lost)
		}
	}
	got := m.claim(one, two)
	if len(got) != 1 {
		t.Fatalf("%d imports run, want one alone", len(got))
	}
	guilty, innocent := one, two
	if got[0] == two.ID {
		guilty, innocent = two, one
	}
	m.killForMemory("three")
	failed := m.wantStatus(guilty, model.Failed)
	want := []intray.Notice{{Type: intray.UnreadableFile, Level: intray.LevelError, Text: intray.NewMessage("import.memory_exhausted", nil)}}
	if diff := cmp.Diff(want, failed.Outcome.AllNotices()); diff != "" || failed.Node != "" {
		t.Errorf("node %q, notices (-want +got):\n%s", failed.Node, diff)
	}
	m.wantStatus(innocent, model.Pending)
	m.Service = m.newNode("folder/four", func(_ *fixture, cfg *service.Config) { cfg.OOMKills = func() model.OOMKills { return m.kills } })
	must(t, m.Join(m.ctx))
	m.runAll()
	m.wantResult(innocent, goodResult)
	m.wantNoBlobsOfRun(guilty, 1)
}

// Deaths for other reasons never make an import run alone, and do not fail one that does.
func TestDeathsForOtherReasons(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	imp := m.pendingImport(goodFile, "")
	death := func(name string, die func(), alone bool, lost int) {
		t.Helper()
		if got := m.claim(imp); len(got) != 1 {
			t.Fatalf("%s: the import does not run", name)
		}
		die()
		if imp := m.wantStatus(imp, model.Pending); imp.Alone != alone || imp.Lost != lost {
			t.Errorf("%s: alone %v, lost %d times; want %v and %d", name, imp.Alone, imp.Lost, alone, lost)
		}
	}
	death("killed", func() { m.restart("2") }, false, 1)
	death("another process was killed for lack of memory before the last heartbeat", func() {
		m.kills.Count++
		must(t, m.RecordHeartbeat(m.ctx))
		m.restart("3")
	}, false, 2)
	death("on another machine", func() {
		m.kills = model.OOMKills{Machine: "b", Count: 100}
		m.restart("4")
	}, false, 3)
	death("on a machine that does not count", func() {
		must(t, m.RecordHeartbeat(m.ctx))
		m.kills = model.OOMKills{}
		m.restart("5")
		m.kills = model.OOMKills{Machine: "b", Count: 200}
		must(t, m.RecordHeartbeat(m.ctx))
	}, false, 4)
	death("killed for lack of memory", func() { m.killForMemory("6") }, true, 4)
	death("killed while it runs alone", func() { m.restart("7") }, true, 5)
	death("left although a hook was killed for lack of memory", func() {
		m.kills.Count++
		must(t, m.Leave(m.ctx))
		m.restart("8")
	}, true, 6)
}

// A person runs an import again that ran alone. It then runs like any other.
func TestRunAgainIsNotAlone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	imp := m.pendingImport("A,B\n1,2\n", "")
	m.claim(imp)
	m.kills.Count++
	m.Service = m.newNode("folder/two", func(_ *fixture, cfg *service.Config) { cfg.OOMKills = func() model.OOMKills { return m.kills } })
	must(t, m.Join(m.ctx))
	m.runAll()
	asked := m.wantStatus(imp, model.NeedsReview)
	if !asked.Alone {
		t.Error("the import did not run alone")
	}
	must(t, m.Store.Update(m.ctx, func(tx model.Tx) error {
		again := asked
		return m.RunAgain(m.ctx, tx, &again)
	}))
	if imp := m.wantStatus(imp, model.Pending); imp.Alone {
		t.Error("the import runs alone again")
	}
}
