package connectors

import (
	"context"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// SFTP tests connections to SFTP servers and validates credentials.
type SFTP interface {
	// TestConnection logs in and starts SFTP. The message of an error is for people.
	TestConnection(ctx context.Context, login Login) (SFTPReport, error)
	// Fingerprint returns the OpenSSH fingerprint of the public key of a private key.
	Fingerprint(privateKey secrets.Secret) (string, error)
	// ValidHostname returns an error if a host name is invalid.
	ValidHostname(name string) error
}

// Login is a server and a decrypted credential.
type Login struct {
	Hostname   string
	Port       int
	User       string
	Password   secrets.Secret
	PrivateKey secrets.Secret
	HostKey    string
}

// SFTPReport describes the server of a successful connection.
type SFTPReport struct {
	HostKey            string
	HostKeyFingerprint string
}

// Remotes connects to SFTP servers and implements their rules.
type Remotes interface {
	CheckSchedule(s model.Schedule) error
	CheckDirectory(path string) error
	CheckPattern(pattern string) error
	// NextRun returns when to run next. last is when the last run began, and failures is
	// how many of the last runs failed in a row.
	NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time
	// PlanPull returns which of the listed files to fetch.
	PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) PullPlan
	// Open logs in. The messages of its errors and of those of the Remote are for people.
	Open(ctx context.Context, login Login) (Remote, error)
	// Classify returns what an error of Open or a Remote means.
	Classify(err error) RemoteFailure
}

// RemoteFailure is the meaning of an error of a Remote. It is zero for other errors.
type RemoteFailure struct {
	// Kind classifies the error for programs.
	Kind string
	// Resumable means that fetching the file can continue where it stopped, Skippable that
	// the run can continue without the file.
	Resumable, Skippable bool
}

// PullPlan is what to do after a listing.
type PullPlan struct {
	// Fetch are the files to fetch, Wait new files that may still change.
	Fetch, Wait []model.RemoteFile
	// Keep are the entries of the memory to store, Drop the versions to forget.
	Keep []model.PulledFile
	Drop []model.RemoteFile
}

// RemoteListing is the content of a directory.
type RemoteListing struct {
	Files []model.RemoteFile
	// Skipped are the first entries that cannot be fetched, each with the reason.
	Skipped []intray.Message
}

// Remote is a connection to a server.
type Remote interface {
	Report() SFTPReport
	List(ctx context.Context, directory, pattern string) (RemoteListing, error)
	// Fetch writes a file from an offset on and returns the number of bytes written, also
	// with an error. It refuses files of more than maxSize bytes.
	Fetch(ctx context.Context, f model.RemoteFile, offset, maxSize int64, to io.Writer) (int64, error)
	// Upload writes a file, which becomes visible when it is complete.
	Upload(ctx context.Context, directory, name string, from io.Reader) error
	Close()
}
