package servertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// Remote is a fake SFTP server with one folder of files. It is also the connectors.Remotes with
// which connectors connect to it. Its PlanPull fetches all files that have not been fetched.
//
// Set the fields only while the server is not in use.
type Remote struct {
	// Report and TestError are the results of a connection test. TestLogin is the
	// login of the last test.
	Report    connectors.SFTPReport
	TestError error
	TestLogin connectors.Login
	// LoginError is the error of every login if it is not nil. Its kind is "denied".
	LoginError error
	// Interrupt is the number of downloads that are interrupted after 3 bytes.
	Interrupt int
	// OnFetch, unless nil, is called for each download, and OnUpload for each upload.
	OnFetch, OnUpload func()
	// Logins is the number of attempts to log in. Opened is the number of opened connections, and
	// Closed the number of closed ones.
	Logins, Opened, Closed int

	faults   *Faults
	mu       sync.Mutex
	files    map[string]string
	uploaded map[string]string
}

var (
	_ connectors.SFTP    = (*Remote)(nil)
	_ connectors.Remotes = (*Remote)(nil)
)

// NewRemote returns a server without files.
func (e *Env) NewRemote() *Remote {
	return &Remote{faults: e.Faults, files: map[string]string{}, uploaded: map[string]string{}}
}

// AddFile adds a file to the folder.
func (r *Remote) AddFile(name, content string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[name] = content
}

// Files returns the number of files in the folder.
func (r *Remote) Files() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.files)
}

// Uploaded returns the contents of the uploaded files by path. Do not call it during an upload.
func (r *Remote) Uploaded() map[string]string { return r.uploaded }

var (
	errConnectionLost = errors.New("connection lost")
	errRefused        = errors.New("refused by the fake server")
)

// TestConnection implements [connectors.SFTP].
func (r *Remote) TestConnection(_ context.Context, login connectors.Login) (connectors.SFTPReport, error) {
	r.TestLogin = login
	return r.Report, r.TestError
}

// Fingerprint returns an error for the key "broken".
func (r *Remote) Fingerprint(key secrets.Secret) (string, error) {
	return "SHA256:of " + key.Reveal(), refuseIf(key.Reveal() == "broken")
}

// ValidHostname returns an error for names that contain spaces.
func (r *Remote) ValidHostname(name string) error { return refuseIf(strings.Contains(name, " ")) }

// CheckSchedule returns an error for intervals of less than 5 minutes.
func (r *Remote) CheckSchedule(s model.Schedule) error {
	return refuseIf(s.Daily == "" && s.Minutes < 5)
}

// CheckDirectory returns an error for relative paths and for paths that contain "..".
func (r *Remote) CheckDirectory(path string) error {
	return refuseIf(!strings.HasPrefix(path, "/") || strings.Contains(path, ".."))
}

// CheckPattern returns an error for the pattern "(".
func (r *Remote) CheckPattern(pattern string) error { return refuseIf(pattern == "(") }

func refuseIf(refused bool) error {
	if refused {
		return errRefused
	}
	return nil
}

// NextRun returns the argument now if there has been no run. After that, each failure extends
// the delay by one interval.
func (r *Remote) NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time {
	if last.IsZero() {
		return now
	}
	return last.Add(time.Duration(s.Minutes*(failures+1)) * time.Minute)
}

// PlanPull implements [connectors.Remotes].
func (r *Remote) PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) (plan connectors.PullPlan) {
	for _, file := range listed {
		known := slices.IndexFunc(memory, func(m model.PulledFile) bool { return m.File == file })
		if known < 0 {
			plan.Keep = append(plan.Keep, model.PulledFile{File: file, Since: now})
		}
		if known < 0 || !memory[known].Taken {
			plan.Fetch = append(plan.Fetch, file)
		}
	}
	for _, m := range memory {
		if !slices.Contains(listed, m.File) {
			plan.Drop = append(plan.Drop, m.File)
		}
	}
	return plan
}

// Classify implements [connectors.Remotes].
func (r *Remote) Classify(err error) connectors.RemoteFailure {
	switch {
	case errors.Is(err, errConnectionLost):
		return connectors.RemoteFailure{Kind: "connection_lost", Resumable: true}
	case r.LoginError != nil && errors.Is(err, r.LoginError):
		return connectors.RemoteFailure{Kind: "denied"}
	}
	return connectors.RemoteFailure{}
}

// Open logs in.
func (r *Remote) Open(context.Context, connectors.Login) (connectors.Remote, error) {
	if err := r.faults.Use("Remotes.Open"); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Logins++
	if r.LoginError != nil {
		return nil, r.LoginError
	}
	r.Opened++
	return Session{r}, nil
}

// Session is a connection to a Remote.
type Session struct{ remote *Remote }

var _ connectors.Remote = Session{}

// Report implements [connectors.Remote].
func (s Session) Report() connectors.SFTPReport { return connectors.SFTPReport{HostKey: "key"} }

// Close ends the connection.
func (s Session) Close() {
	s.remote.mu.Lock()
	defer s.remote.mu.Unlock()
	s.remote.Closed++
}

// List lists the folder.
func (s Session) List(_ context.Context, directory, _ string) (listing connectors.RemoteListing, err error) {
	r := s.remote
	if err := r.faults.Use("Remote.List"); err != nil {
		return listing, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, content := range r.files {
		listing.Files = append(listing.Files, model.RemoteFile{Path: path.Join(directory, name), Size: int64(len(content)), Modified: Started})
	}
	slices.SortFunc(listing.Files, func(a, b model.RemoteFile) int { return strings.Compare(a.Path, b.Path) })
	return listing, nil
}

// Fetch downloads a file.
func (s Session) Fetch(_ context.Context, f model.RemoteFile, offset, _ int64, to io.Writer) (int64, error) {
	r := s.remote
	if err := r.faults.Use("Remote.Fetch"); err != nil {
		return 0, err
	}
	if r.OnFetch != nil {
		r.OnFetch()
	}
	r.mu.Lock()
	content := r.files[path.Base(f.Path)][offset:]
	interrupted := r.Interrupt > 0
	if interrupted {
		r.Interrupt--
		content = content[:min(len(content), 3)]
	}
	r.mu.Unlock()
	n, err := io.WriteString(to, content)
	if err == nil && interrupted {
		err = errConnectionLost
	}
	return int64(n), err
}

// Upload stores a file.
func (s Session) Upload(_ context.Context, directory, name string, from io.Reader) error {
	r := s.remote
	if err := r.faults.Use("Remote.Upload"); err != nil {
		return err
	}
	if r.OnUpload != nil {
		r.OnUpload()
	}
	var content bytes.Buffer
	if _, err := content.ReadFrom(from); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uploaded[path.Join(directory, name)] = content.String()
	return nil
}
