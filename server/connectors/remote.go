package connectors

import (
	"context"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// SFTP reaches SFTP servers.
type SFTP interface {
	// TestConnection logs in and looks around. An error is a sentence for people.
	TestConnection(ctx context.Context, login Login) (SFTPReport, error)
	// Fingerprint gives the OpenSSH fingerprint of the public half of a key.
	Fingerprint(privateKey secrets.Secret) (string, error)
	// ValidHostname says what is wrong with a host name.
	ValidHostname(name string) error
}

// Login is what is needed to log in to an SFTP server.
type Login struct {
	Hostname   string
	Port       int
	User       string
	Password   secrets.Secret
	PrivateKey secrets.Secret
	HostKey    string
}

// SFTPReport is what a successful connection found.
type SFTPReport struct {
	HostKey            string
	HostKeyFingerprint string
}

// Remotes knows folders on SFTP servers.
type Remotes interface {
	CheckSchedule(s model.Schedule) error
	CheckDirectory(path string) error
	CheckPattern(pattern string) error
	// NextRun says when to run next, when the last run began at last and the last
	// failures runs failed.
	NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time
	// PlanPull says which of the files that were listed are to be fetched.
	PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) PullPlan
	// Open logs in. Its errors, and those of what it opens, are sentences for people.
	Open(ctx context.Context, login Login) (Remote, error)
	// Classify says of an error of a remote what it means.
	Classify(err error) RemoteFailure
}

// RemoteFailure is what an error of a remote means.
type RemoteFailure struct {
	// Kind is for programs.
	Kind string
	// Resumes says that a file can be fetched on where it stopped, Left that the file
	// is to be left alone for this time.
	Resumable, Skippable bool
}

// PullPlan is what follows from a listing.
type PullPlan struct {
	Fetch, Wait []model.RemoteFile
	// Keep is to be remembered and Drop to be forgotten.
	Keep []model.PulledFile
	Drop []model.RemoteFile
}

// RemoteListing is what a folder holds.
type RemoteListing struct {
	Files []model.RemoteFile
	// Skipped are the first entries that are no files to fetch, with the reason.
	Skipped []intray.Message
}

// Remote is a server that was logged in to.
type Remote interface {
	Report() SFTPReport
	List(ctx context.Context, directory, pattern string) (RemoteListing, error)
	// Fetch writes a file from an offset on and gives how many bytes it wrote, also
	// beside an error. most is the largest file that is taken.
	Fetch(ctx context.Context, f model.RemoteFile, offset, most int64, to io.Writer) (int64, error)
	// Upload writes a file, which appears whole.
	Upload(ctx context.Context, directory, name string, from io.Reader) error
	Close()
}
