package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"filippo.io/age"
	"github.com/dustin/go-humanize"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/backup"
	"github.com/intraydata/intray/server/integrity"
)

type backupCommand struct {
	storeFlags
	listFlags
	To        string   `arg:"" help:"Folder, or bucket of an S3-compatible store: s3://BUCKET/PREFIX."`
	Recipient []string `help:"Public key of those who can restore the backup: age1… Repeatable." placeholder:"KEY" env:"INTRAY_BACKUP_RECIPIENT"`
	KeepDays  int      `help:"Delete backups that are older than this number of days, except the newest three. 0 means never." default:"30" placeholder:"N" env:"INTRAY_BACKUP_KEEP_DAYS"`
}

// Help returns the text that --help prints after the flags.
func (backupCommand) Help() string {
	return `Copies the database, all stored files and the file master.key, encrypted. A server may
be running at the same time. Files that an earlier backup in the same place contains
are not copied again.

Create a pair of keys once, and store the private key elsewhere:
  intray keys backup backup.key
  intray backup /mnt/backups --recipient age1…

For S3, set the environment variables of the AWS SDK, such as AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL_S3.

With PostgreSQL, use pg_dump instead.`
}

// backedUp is the JSON form of a new backup.
type backedUp struct {
	Number     int64  `json:"number"`
	Files      int64  `json:"files"`
	Bytes      int64  `json:"bytes"`
	NewObjects int64  `json:"newObjects"`
	NewBytes   int64  `json:"newBytes"`
	Deleted    int    `json:"deletedBackups"`
	Warning    string `json:"warning,omitempty"`
}

// Run backs up the data folder.
func (c *backupCommand) Run(ctx context.Context, s streams) error {
	if c.KeepDays < 0 {
		return usageError{errors.New("--keep-days cannot be negative; 0 means that no backup is deleted")}
	}
	shown := newStatusLine(s.err)
	made, err := server.Backup(ctx, c.adminConfig(s), c.To, backup.Options{
		Recipients: c.Recipient,
		Keep:       time.Duration(c.KeepDays) * 24 * time.Hour,
		Progress: func(sum backup.Summary) {
			shown.show("%s stored, %s", pluralize(sum.NewObjects, "object"), byteSize(sum.NewBytes))
		},
	})
	shown.clear()
	if err != nil {
		return err
	}
	if made.Warning != "" {
		fmt.Fprintln(s.err, "intray: warning:", made.Warning)
	}
	wired := backedUp{made.Number, made.Files, made.Bytes, made.NewObjects, made.NewBytes, made.Deleted, made.Warning}
	return c.write(s.out, wired, func(w io.Writer) error {
		fmt.Fprintf(w, "Backup %d: the database and %s, %s.\nStored %s, %s.\n", made.Number, pluralize(made.Files, "file"), byteSize(made.Bytes), pluralize(made.NewObjects, "new object"), byteSize(made.NewBytes))
		if made.Deleted > 0 {
			fmt.Fprintf(w, "Deleted %s.\n", pluralize(int64(made.Deleted), "old backup"))
		}
		return nil
	})
}

// byteSize returns a number of bytes for display, such as "1.2 MB".
func byteSize(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

type keysBackupCommand struct {
	File string `arg:"" help:"File for the private key. It must not exist."`
}

// Help returns the text that --help prints after the flags.
func (keysBackupCommand) Help() string {
	return `Creates a pair of age keys: the public key encrypts backups, and the private key is
needed to restore them. Store the file with the private key where it is not lost
together with this machine, and do not leave it here.`
}

// Run creates the pair of keys. It prints the public key on stdout.
func (c *keysBackupCommand) Run(_ context.Context, s streams) error {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return usageError{err}
	}
	_, err = fmt.Fprintf(file, "# public key: %s\n%s\n", identity.Recipient(), identity)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(c.File))
	}
	fmt.Fprintln(s.out, identity.Recipient())
	fmt.Fprintf(s.err, "The private key is in %s. Without it, backups cannot be restored: store it away from this machine.\n", c.File)
	return nil
}

type restoreCommand struct {
	storeFlags
	listFlags
	From     string `arg:"" help:"Folder or bucket with the backups."`
	Identity string `help:"File with the private key." placeholder:"FILE" env:"INTRAY_BACKUP_IDENTITY"`
	Number   int64  `help:"Number of the backup. Default: the newest one." default:"0" placeholder:"N" env:"-"`
	List     bool   `help:"List the backups, and do nothing else." env:"-"`
	Partial  bool   `help:"Restore what is intact if files in the backup are missing or damaged." env:"-"`
	Check    bool   `help:"Check the backup for damage, and do nothing else. Without --identity, only its checksums are compared." env:"-"`
}

// Help returns the text that --help prints after the flags.
func (restoreCommand) Help() string {
	return `Creates the data folder, which must not exist or must be empty, from a backup, and
verifies all files.

Imports that were running at the time of the backup run again, and webhook messages
that had not been sent are sent. Do not start a server with the restored folder while
the original server is still running.

The exit status is 1 if the backup is damaged.`
}

// Run restores, lists or checks backups.
func (c *restoreCommand) Run(ctx context.Context, s streams) error {
	if c.List && c.Check {
		return usageError{errors.New("use only one of --list and --check")}
	}
	var identities []age.Identity
	if c.Identity != "" {
		var err error
		if identities, err = readIdentities(c.Identity); err != nil {
			return usageError{flagError("--identity", err)}
		}
	}
	switch {
	case c.List:
		return c.list(ctx, s)
	case c.Check:
		return c.check(ctx, s, identities)
	case len(identities) == 0:
		return usageError{errors.New("--identity is required: the file with the private key")}
	}
	return c.restore(ctx, s, identities)
}

// readIdentities reads private keys.
func readIdentities(path string) ([]age.Identity, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	list, err := age.ParseIdentities(file)
	if err != nil { // its text may contain the key
		return nil, fmt.Errorf("%s does not contain a private key such as AGE-SECRET-KEY-1…", path)
	}
	return list, nil
}

// listedBackup is the JSON form of a backup.
type listedBackup struct {
	Number int64     `json:"number"`
	Stored time.Time `json:"stored"`
}

func (c *restoreCommand) list(ctx context.Context, s streams) error {
	repository, closeRepository, err := server.OpenBackups(ctx, c.adminConfig(s), c.From)
	if err != nil {
		return err
	}
	defer func() { _ = closeRepository() }()
	found, err := repository.Snapshots(ctx)
	if err != nil {
		return err
	}
	list := table{header: true}
	list.append("NUMBER", "STORED")
	wired := []listedBackup{}
	for _, b := range found {
		list.append(fmt.Sprint(b.Number), b.Stored.UTC().Format(time.DateTime))
		wired = append(wired, listedBackup{b.Number, b.Stored.UTC()})
	}
	return c.write(s.out, wired, func(w io.Writer) error { return list.write(w, 0, colorsOf(w)) })
}

// checkedBackup is the JSON form of the result of a check.
type checkedBackup struct {
	Number   int64    `json:"number"`
	Objects  int64    `json:"objects"`
	Bytes    int64    `json:"bytes"`
	Problems []string `json:"problems"`
}

func (c *restoreCommand) check(ctx context.Context, s streams, identities []age.Identity) error {
	repository, closeRepository, err := server.OpenBackups(ctx, c.adminConfig(s), c.From)
	if err != nil {
		return err
	}
	defer func() { _ = closeRepository() }()
	shown := newStatusLine(s.err)
	checked, err := repository.Check(ctx, c.Number, identities, func(done, all int64) { shown.show("%d of %s checked", done, pluralize(all, "object")) })
	shown.clear()
	if err != nil {
		return err
	}
	wired := checkedBackup{checked.Number, checked.Objects, checked.Bytes, []string{}}
	for _, problem := range checked.Problems {
		wired.Problems = append(wired.Problems, problem.Error())
	}
	err = c.write(s.out, wired, func(w io.Writer) error {
		for _, problem := range wired.Problems {
			fmt.Fprintln(w, problem)
		}
		if len(wired.Problems) == 0 {
			fmt.Fprintf(w, "Backup %d is intact: %s, %s.\n", checked.Number, pluralize(checked.Objects, "object"), byteSize(checked.Bytes))
		}
		return nil
	})
	if err == nil && len(wired.Problems) > 0 {
		err = fmt.Errorf("backup %d is damaged; restore an older one, and make a new backup in another place", checked.Number)
	}
	return err
}

// restoredBackup is the JSON form of a restored backup.
type restoredBackup struct {
	Folder  string    `json:"folder"`
	Created time.Time `json:"created"`
	Files   int64     `json:"files"`
	Bytes   int64     `json:"bytes"`
	verified
}

func (c *restoreCommand) restore(ctx context.Context, s streams, identities []age.Identity) error {
	list := verified{Damage: []verifiedEntry{}}
	shown := newStatusLine(s.err)
	skipped := int64(0)
	options := server.RestoreOptions{
		Number: c.Number, Identities: identities,
		Progress: func(done, all int64) { shown.show("%d of %s restored", done, pluralize(all, "object")) },
		Verify: integrity.Options{
			Report:   list.add,
			Progress: func(sum integrity.Summary) { shown.show("%s verified", pluralize(sum.Imports, "import")) },
		},
	}
	if c.Partial {
		options.Skip = func(error) error { skipped++; return nil }
	}
	manifest, sum, err := server.Restore(ctx, c.adminConfig(s), c.From, options)
	shown.clear()
	if errors.Is(err, backup.ErrIncomplete) || errors.Is(err, backup.ErrDamaged) {
		return fmt.Errorf("%w; restore an older backup with --number, or use --partial to restore what is intact", err)
	}
	if err != nil {
		return err
	}
	list.setSummary(sum)
	wired := restoredBackup{c.Data, manifest.Created, manifest.Files, manifest.Bytes, list}
	err = c.write(s.out, wired, func(w io.Writer) error {
		fmt.Fprintf(w, "Restored the backup of %s to %s: the database and %s, %s.\n", manifest.Created.Format(time.DateTime), c.Data, pluralize(manifest.Files, "file"), byteSize(manifest.Bytes))
		if manifest.MasterKey == "" {
			fmt.Fprintln(w, "The backup does not contain the master key. Continue to set INTRAY_MASTER_KEY.")
		}
		return list.writeText(w)
	})
	switch {
	case err != nil:
		return err
	case list.Damaged > 0:
		return fmt.Errorf("%s in the restored data; intray verify --repair rebuilds what can be rebuilt", pluralize(list.Damaged, "problem"))
	case skipped > 0:
		return fmt.Errorf("%s of the backup could not be restored; no import needs them", pluralize(skipped, "file"))
	}
	return nil
}
