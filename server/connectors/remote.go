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
	// TestConnection logs in and starts SFTP. Its errors have human-readable messages.
	TestConnection(ctx context.Context, login Login) (SFTPReport, error)
	// Fingerprint returns the OpenSSH fingerprint of the public key that belongs to
	// a private key.
	Fingerprint(privateKey secrets.Secret) (string, error)
	// ValidHostname returns an error if a host name is invalid.
	ValidHostname(name string) error
}

// Login is the address of a server and a decrypted credential.
type Login struct {
	Hostname   string
	Port       int
	User       string
	Password   secrets.Secret
	PrivateKey secrets.Secret
	HostKey    string
}

// SFTPReport describes the server after a successful connection.
type SFTPReport struct {
	HostKey            string
	HostKeyFingerprint string
}

// Remotes connects to SFTP servers and decides when to run and which files to
// fetch.
type Remotes interface {
	CheckSchedule(s model.Schedule) error
	CheckDirectory(path string) error
	CheckPattern(pattern string) error
	// NextRun returns the time of the next run. last is when the last run began.
	// failures is the number of consecutive failed runs up to now.
	NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time
	// PlanPull returns which of the listed files to fetch.
	PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) PullPlan
	// Open logs in. Errors from Open and from the Remote have human-readable messages.
	Open(ctx context.Context, login Login) (Remote, error)
	// Classify classifies an error from Open or from a Remote.
	Classify(err error) RemoteFailure
}

// RemoteFailure classifies an error from a Remote. It is the zero value for other errors.
type RemoteFailure struct {
	// Kind classifies the error for programs.
	Kind string
	// Resumable means that the download can continue where it stopped. Skippable
	// means that the run can continue without the file.
	Resumable, Skippable bool
}

// PullPlan is the decision about a listed directory.
type PullPlan struct {
	// Fetch lists the files to fetch. Wait lists new files that may still change.
	Fetch, Wait []model.RemoteFile
	// Keep lists the remembered versions to store. Drop lists the versions to forget.
	Keep []model.PulledFile
	Drop []model.RemoteFile
}

// RemoteListing lists the files of a directory.
type RemoteListing struct {
	Files []model.RemoteFile
	// Skipped describes the first entries that cannot be fetched, and why.
	Skipped []intray.Message
}

// Remote is a connection to an SFTP server.
type Remote interface {
	Report() SFTPReport
	List(ctx context.Context, directory, pattern string) (RemoteListing, error)
	// Fetch writes the file, starting at offset, to the writer to, and returns the number of
	// bytes written, even if it returns an error. It refuses files that are larger than
	// maxSize bytes.
	Fetch(ctx context.Context, f model.RemoteFile, offset, maxSize int64, to io.Writer) (int64, error)
	// Upload writes a file. It becomes visible only when it is complete.
	Upload(ctx context.Context, directory, name string, from io.Reader) error
	Close()
}
