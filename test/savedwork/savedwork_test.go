// Package savedwork_test runs random histories of sessions that keep the work of embedded importers,
// and compares the server with a model: what was saved is restored, and after a session was deleted,
// nothing of it can be reached.
//
// In a history, a person works in up to two tabs: sends files, saves steps, edits cells, undoes,
// reloads, submits, and deletes the session. Some calls are interrupted by killing the server. By
// default, there are 8 histories. If INTRAY_TORTURE=full, there are 200. Set
// INTRAY_TORTURE_SEED to repeat a run with the same random numbers.
package savedwork_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	livetest.Cleanup()
	os.Exit(status)
}

// site is the server that all histories share.
type site struct {
	*livetest.Server
	// running is locked for writing by an operation that kills the server, and for reading by any other
	// operation, so that a kill interrupts only one call.
	running sync.RWMutex

	mu sync.Mutex
	// submitted contains the ids of the submitted imports.
	submitted []string
	// kills counts the kills, lost those that left a call without a reply, and made the calls without a
	// reply that took effect.
	kills, lost, made int
}

func TestHistories(t *testing.T) {
	histories := 8
	switch {
	case os.Getenv("INTRAY_TORTURE") == "full":
		histories = 200
	case testing.Short():
		histories = 2
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("INTRAY_TORTURE_SEED"), "20261121"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("INTRAY_TORTURE_SEED=%d", seed)
	// The server limits how often an address opens importers, so each history has an address.
	s := &site{Server: livetest.Start(t, livetest.Config{Args: []string{"--trusted-proxy", "127.0.0.0/8"}})}
	t.Run("history", func(t *testing.T) {
		for number := range histories {
			t.Run(strconv.Itoa(number), func(t *testing.T) {
				t.Parallel()
				h := &history{t: t, site: s, random: rand.New(rand.NewPCG(seed, uint64(number))), known: map[string]bool{}}
				h.address = fmt.Sprintf("198.18.%d.%d", number/250, number%250+1)
				h.run()
			})
		}
	})
	t.Logf("%d histories with %d submitted imports; %d kills, %d calls without a reply, %d of which took effect", histories, len(s.submitted), s.kills, s.lost, s.made)
	if !t.Failed() {
		s.checkFiles(t)
	}
}

// checkFiles checks that the server deletes the files of all imports that were not submitted. If it was
// killed while it deleted files, or if an import was being read, that takes 30 s.
func (s *site) checkFiles(t *testing.T) {
	t.Helper()
	slices.Sort(s.submitted)
	apitest.Eventually(t, "only submitted imports have files", func() bool {
		folders, err := filepath.Glob(filepath.Join(s.DataDir(), "blobs/blobs/imports+/*")) // sorted
		if err != nil {
			t.Fatal(err)
		}
		for i, folder := range folders {
			folders[i] = strings.TrimSuffix(filepath.Base(folder), "+")
		}
		return slices.Equal(folders, s.submitted)
	})
}

// work is an import, as the session must keep it. It is not changed after it was created.
type work struct {
	// id is newID until the reply with the id has arrived.
	id, file, step string
	// rows contains the raw values by row and column, or nil if the file was not sent.
	rows [][]string
	// undo contains the rows before each change.
	undo [][][]string
}

// state is what a session must keep. It is not changed after it was created.
type state struct {
	// kept is the import that the session keeps, or nil.
	kept      *work
	submitted []*work
	deleted   bool
}

// with returns the state after a change to the import that the session keeps.
func (s state) with(change func(*work)) state {
	kept := *s.kept
	change(&kept)
	s.kept = &kept
	return s
}

const newID = "(new)"

func (s state) isNew() bool { return s.kept != nil && s.kept.id == newID }

func (s state) withID(id string) state { return s.with(func(w *work) { w.id = id }) }

// String describes what a page that is opened now must show.
func (s state) String() string {
	switch {
	case s.deleted:
		return tab{refused: true}.String()
	case s.kept == nil, s.kept.rows == nil: // an import without a file is not continued
		return tab{}.String()
	}
	return tab{id: s.kept.id, file: s.kept.file, step: s.kept.step, rows: s.kept.rows}.String()
}

// tab is a page with an importer. It shows what the session kept when it was opened, and its own changes.
type tab struct {
	// refused reports whether the server refused to open the importer.
	refused bool
	// widget is the token of the importer.
	widget string
	// id, file and step describe the import. id is "" if there is none.
	id, file, step string
	// upload is the upload URL of the import, and invitation and review are the tokens of its review
	// link and of the review session.
	upload, invitation, review string
	// rows is nil until the page has loaded them. versions contains the version of each row.
	rows     [][]string
	versions []int64
}

// String describes what the page shows.
func (p tab) String() string {
	switch {
	case p.refused:
		return "no access"
	case p.id == "":
		return "no import"
	case p.rows == nil:
		return fmt.Sprintf("import %s of %s, which was not sent, in step %q", p.id, p.file, p.step)
	}
	return fmt.Sprintf("import %s of %s in step %q with the rows %q", p.id, p.file, p.step, p.rows)
}
