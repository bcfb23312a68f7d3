package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

// flagValueError is an error in the value of a flag such as --quota.
type flagValueError struct {
	flag string
	err  error
}

func (e flagValueError) Error() string { return e.flag + ": " + e.err.Error() }

// Unwrap returns the reason.
func (e flagValueError) Unwrap() error { return e.err }

func flagError(flag string, err error) error { return flagValueError{flag, err} }

func splitNames(text string) []string {
	names := []string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			names = append(names, part)
		}
	}
	return names
}

// openStore is server.OpenAdmin, which creates a missing store, or server.OpenExisting.
type openStore func(context.Context, server.Config) (*service.Service, func() error, error)

// openKeys opens an existing store for commands that only need the database. With PostgreSQL and
// the master key in the environment, they also work on a machine without the data folder, and
// leave no folder there.
func openKeys(ctx context.Context, cfg server.Config) (*service.Service, func() error, error) {
	_, err := os.Stat(cfg.Data)
	if cfg.DatabaseURL == "" || cfg.MasterKey == "" || !errors.Is(err, fs.ErrNotExist) {
		return server.OpenExisting(ctx, cfg)
	}
	if cfg.Data, err = os.MkdirTemp("", "intray-keys-*"); err != nil {
		return nil, nil, err
	}
	svc, closeAll, err := server.OpenAdmin(ctx, cfg)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(cfg.Data))
	}
	return svc, func() error { return errors.Join(closeAll(), os.RemoveAll(cfg.Data)) }, nil
}

// adminConfig is the configuration for commands that print what they do. They log only warnings
// and errors.
func (f storeFlags) adminConfig(s streams) server.Config {
	cfg := f.config(s)
	cfg.Log = slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return cfg
}

// runAdmin opens the stores and runs one task. A server may be running at the same time. Only
// a command that can be the first one for a data folder may create the store: after a typing
// error in --data, a new and empty store looks as if all data were lost.
func (f storeFlags) runAdmin(ctx context.Context, s streams, open openStore, task func(*service.Service) error) error {
	svc, closeAll, err := open(ctx, f.adminConfig(s))
	if err != nil {
		return err
	}
	err = task(svc)
	if model.IsKind(err, model.Invalid) {
		err = usageError{err}
	}
	return errors.Join(err, closeAll())
}

type orgsCreateCommand struct {
	storeFlags
	Name string `arg:"" help:"Name of the organization."`
}

// Run creates the organization.
func (c *orgsCreateCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, server.OpenAdmin, func(svc *service.Service) error {
		org, err := svc.CreateOrg(ctx, c.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Created the organization %q. Create a key for it:\n  intray keys create --org %q --kind backend\n", org.Name, org.Name)
		return nil
	})
}

type orgsListCommand struct {
	storeFlags
	listFlags
}

// listedOrg is the JSON form of an organization.
type listedOrg struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Keys    int       `json:"keys"`
	Created time.Time `json:"created"`
	State   string    `json:"state"`
}

// Run lists the organizations, oldest first.
func (c *orgsListCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		licences, byID, err := svc.Licences(ctx)
		if err != nil {
			return err
		}
		keys := map[string]int{}
		for _, l := range licences {
			if strings.HasPrefix(licenceState(l), "valid") {
				keys[l.Org]++
			}
		}
		orgs := slices.SortedFunc(maps.Values(byID), func(x, y model.Org) int {
			return cmp.Or(x.Created.Compare(y.Created), cmp.Compare(x.ID, y.ID))
		})
		list := table{header: true}
		list.append("ID", "NAME", "VALID KEYS", "CREATED", "STATE")
		wired := []listedOrg{}
		for _, o := range orgs {
			list.append(o.ID, visible(o.Name), strconv.Itoa(keys[o.ID]), o.Created.Format(time.DateOnly), orgState(o))
			wired = append(wired, listedOrg{o.ID, o.Name, keys[o.ID], o.Created, orgState(o)})
		}
		// IDs are copied, so they must not be wrapped.
		return c.write(s.out, wired, func(w io.Writer) error { return list.write(w, 0, colorsOf(w)) })
	})
}

type keysCreateCommand struct {
	storeFlags
	Org     string        `help:"Name of the organization." required:"" placeholder:"NAME"`
	Kind    string        `help:"backend: for servers, with access to the whole API; frontend: for web pages." enum:"backend,frontend" required:"" placeholder:"KIND"`
	Expires time.Duration `help:"Expire the key after this time, such as 720h. Default: never." placeholder:"D"`
	Origin  []string      `help:"For frontend keys: allow pages of this origin to embed the importer, such as https://app.example.com. Repeatable. Default: any page, in development mode only." placeholder:"ORIGIN"`
	Scope   []string      `help:"Allow only these operations: read, import, review, admin. Several are separated by commas. Default: all." placeholder:"SCOPE"`
}

// Run creates the key. It prints only the key on stdout, so that scripts can read it.
func (c *keysCreateCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		made, err := c.create(ctx, svc)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.out, made.Key)
		fmt.Fprintf(s.err, "Store the key safely: it is shown only once. To revoke it: intray keys revoke %s\n", made.Licence.ID)
		return nil
	})
}

func (c *keysCreateCommand) create(ctx context.Context, svc *service.Service) (auth.NewKey, error) {
	switch kind := model.LicenceKind(c.Kind); {
	case len(c.Origin) == 0:
		return svc.CreateKey(ctx, c.Org, kind, c.Expires, c.Scope...)
	case kind != model.Frontend:
		return auth.NewKey{}, usageError{errors.New("--origin is for frontend keys only; backend keys must not be in web pages")}
	case len(c.Scope) > 0:
		return auth.NewKey{}, usageError{errors.New("--scope is for backend keys only")}
	}
	return svc.CreateFrontendKey(ctx, c.Org, c.Expires, c.Origin)
}

type keysOriginsCommand struct {
	storeFlags
	ID     string   `arg:"" help:"Id of the frontend key. intray keys list shows it."`
	Origin []string `arg:"" optional:"" help:"Origins of the pages that may embed the importer, such as https://app.example.com. Without origins, any page can embed it, but only in development mode."`
}

// Run replaces the origins of a key.
func (c *keysOriginsCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		if err := svc.SetKeyOrigins(ctx, c.ID, c.Origin); err != nil {
			return err
		}
		fmt.Fprintln(s.out, "Saved. The server uses the new origins from now on.")
		return nil
	})
}

type keysListCommand struct {
	storeFlags
	listFlags
}

// listedKey is the JSON form of a key. It does not contain the key itself.
type listedKey struct {
	ID           string     `json:"id"`
	Organization string     `json:"organization"`
	Kind         string     `json:"kind"`
	Hint         string     `json:"hint"`
	Scopes       string     `json:"scopes"`
	Origins      []string   `json:"origins"`
	Created      time.Time  `json:"created"`
	Used         *time.Time `json:"used"`
	Expires      *time.Time `json:"expires"`
	Revoked      *time.Time `json:"revoked"`
}

// timeOrNull returns a pointer to a time, or nil for the zero time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Run lists the keys.
func (c *keysListCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		list, orgs, err := svc.Licences(ctx)
		if err != nil {
			return err
		}
		keys := table{header: true}
		keys.append("ID", "ORGANIZATION", "KIND", "KEY", "SCOPES", "CREATED", "LAST USED", "STATE")
		wired := []listedKey{}
		for _, l := range list {
			org := orgs[l.Org].Name
			keys.append(l.ID, visible(org), string(l.Kind), l.Hint, licenceScopes(l), l.Created.Format(time.DateOnly), lastUse(l), licenceState(l))
			wired = append(wired, listedKey{l.ID, org, string(l.Kind), l.Hint, licenceScopes(l), append([]string{}, l.Origins.List()...), l.Created, timeOrNull(l.Used), timeOrNull(l.Expires), timeOrNull(l.Revoked)})
		}
		// IDs are copied, so they must not be wrapped.
		return c.write(s.out, wired, func(w io.Writer) error { return keys.write(w, 0, colorsOf(w)) })
	})
}

func licenceScopes(l model.Licence) string {
	if l.Kind == model.Frontend {
		return "-"
	}
	return cmp.Or(string(l.Scopes), "all")
}

func lastUse(l model.Licence) string {
	if l.Used.IsZero() {
		return "never"
	}
	return l.Used.Format("2006-01-02 15:04")
}

func licenceState(l model.Licence) string {
	switch {
	case !l.Revoked.IsZero():
		return "revoked " + l.Revoked.Format(time.DateOnly)
	case l.Expires.IsZero():
		return "valid"
	case time.Now().After(l.Expires):
		return "expired " + l.Expires.Format(time.DateOnly)
	}
	return "valid until " + l.Expires.Format(time.DateOnly)
}

type keysRevokeCommand struct {
	storeFlags
	ID string `arg:"" help:"Id of the key. intray keys list shows it."`
}

// Run revokes the key.
func (c *keysRevokeCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		if err := svc.RevokeKey(ctx, c.ID); err != nil {
			return err
		}
		fmt.Fprintln(s.out, "Revoked. The server rejects the key from now on.")
		return nil
	})
}

type rotateMasterCommand struct {
	storeFlags
	RevokeLinks bool `help:"Also invalidate all signed URLs, review links and session tokens. Use it if the old key is known to others."`
}

// Help returns the text that --help prints after the flags.
func (rotateMasterCommand) Help() string {
	return `Encrypts the internal keys with a new master key. API keys, webhooks and SFTP
credentials stay valid, and running servers continue to work.

If the key is in the file master.key, the command replaces the file and preserves the
old key next to it. If the key is in INTRAY_MASTER_KEY, set INTRAY_NEW_MASTER_KEY to
the new key, which "openssl rand -base64 32" generates.

If the command is interrupted, run it again. Servers start at any time.`
}

// Run replaces the master key.
func (c *rotateMasterCommand) Run(ctx context.Context, s streams) error {
	done, err := server.RotateMaster(ctx, c.adminConfig(s), c.RevokeLinks)
	if err != nil {
		return err
	}
	switch {
	case done.File == "" && done.Done:
		fmt.Fprintln(s.out, "The master key was replaced.")
	case done.File == "":
		fmt.Fprintln(s.out, "The master key had already been replaced. Nothing has changed.")
	case done.Done:
		fmt.Fprintf(s.out, "The master key in %s was replaced. Store a copy of the file.\n", done.File)
	default:
		fmt.Fprintf(s.out, "The interrupted rotation is complete. Store a copy of %s.\n", done.File)
	}
	if done.File == "" {
		fmt.Fprintln(s.err, "Set INTRAY_MASTER_KEY to the new key and unset INTRAY_NEW_MASTER_KEY before you start a server again.")
		fmt.Fprintln(s.err, "Earlier backups can be read only with the old key.")
	} else {
		fmt.Fprintf(s.err, "Earlier backups can be read only with the old key. It is in %s.\n", done.Former)
	}
	if c.RevokeLinks && done.Done {
		fmt.Fprintln(s.err, "Restart all running servers. Until then, they accept and issue old links.")
	}
	return nil
}

type migrateCommand struct{ storeFlags }

// Run migrates the database to the current version.
func (c *migrateCommand) Run(ctx context.Context, s streams) error {
	if err := server.Migrate(ctx, c.adminConfig(s)); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "The database is up to date.")
	return nil
}

type gcCommand struct {
	storeFlags
	listFlags
	DryRun bool `help:"Only list the orphaned files, and delete nothing."`
}

// Help returns the text that --help prints after the flags.
func (gcCommand) Help() string {
	return `Deletes data whose retention period is over, and orphaned files that are older than
a day. A running server does both automatically.

The files must belong to the database. Otherwise, the command deletes nothing.`
}

// Run deletes expired data and orphaned files.
func (c *gcCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, server.OpenToDelete, func(svc *service.Service) error {
		expired := 0
		for more := !c.DryRun; more; {
			n, err := svc.Expire(ctx)
			if err != nil {
				return err
			}
			expired, more = expired+n, n > 0
		}
		gone, err := svc.Orphans(ctx, c.DryRun)
		found := garbage{DryRun: c.DryRun, Expired: expired, Orphans: append([]string{}, gone...)}
		if err := errors.Join(err, c.write(s.out, found, found.writeText)); err != nil {
			return err
		}
		if c.JSON && !c.Text {
			return c.emptyTrash(ctx, svc)
		}
		if c.DryRun {
			fmt.Fprintf(s.err, "Would delete %s.\n", pluralize(int64(len(gone)), "orphaned folder"))
			return nil
		}
		fmt.Fprintf(s.err, "Deleted %s of imports and %s.\n", pluralize(int64(expired), "expired part"), pluralize(int64(len(gone)), "orphaned folder"))
		return c.emptyTrash(ctx, svc)
	})
}

// emptyTrash removes deleted data from the disk, except in a dry run.
func (c *gcCommand) emptyTrash(ctx context.Context, svc *service.Service) error {
	if c.DryRun {
		return nil
	}
	return svc.EmptyTrash(ctx)
}

// garbage lists what the command deleted, or would delete.
type garbage struct {
	DryRun bool `json:"dryRun"`
	// Expired is the number of parts of imports that were deleted.
	Expired int      `json:"expiredParts"`
	Orphans []string `json:"orphanedFolders"`
}

func (g garbage) writeText(w io.Writer) error {
	for _, owner := range g.Orphans {
		fmt.Fprintln(w, owner)
	}
	return nil
}
