package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

func flagError(flag string, err error) error { return fmt.Errorf("%s: %w", flag, err) }

func splitNames(text string) []string {
	names := []string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			names = append(names, part)
		}
	}
	return names
}

// runAdmin does one task of the operator. A running service may go on meanwhile.
func (f storeFlags) runAdmin(ctx context.Context, s streams, task func(*service.Service) error) error {
	svc, closeAll, err := server.OpenAdmin(ctx, f.config(s))
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

// Run makes the organization.
func (c *orgsCreateCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, func(svc *service.Service) error {
		org, err := svc.CreateOrg(ctx, c.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Made the organization %q. Make a key for it:\n  intray keys create --org %q --kind backend\n", org.Name, org.Name)
		return nil
	})
}

type keysCreateCommand struct {
	storeFlags
	Org     string        `help:"Name of the organization." required:"" placeholder:"NAME"`
	Kind    string        `help:"backend (for servers, opens the whole API) or frontend (for web pages)." enum:"backend,frontend" required:"" placeholder:"KIND"`
	Expires time.Duration `help:"How long the key is valid, such as 720h. Default: forever." placeholder:"D"`
}

// Run makes the key and prints it alone, so that scripts can take it.
func (c *keysCreateCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, func(svc *service.Service) error {
		made, err := svc.CreateKey(ctx, c.Org, model.LicenceKind(c.Kind), c.Expires)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.out, made.Key)
		fmt.Fprintf(s.err, "The key is shown this once; keep it safe. To revoke it: intray keys revoke %s\n", made.Licence.ID)
		return nil
	})
}

type keysListCommand struct{ storeFlags }

// Run lists the keys.
func (c *keysListCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, func(svc *service.Service) error {
		list, orgs, err := svc.Licences(ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tORGANIZATION\tKIND\tKEY\tMADE\tSTATE")
		for _, l := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", l.ID, orgs[l.Org].Name, l.Kind, l.Hint, l.Created.Format(time.DateOnly), licenceState(l))
		}
		return table.Flush()
	})
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
	ID string `arg:"" help:"The key's id, as intray keys list shows it."`
}

// Run revokes the key.
func (c *keysRevokeCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, func(svc *service.Service) error {
		if err := svc.RevokeKey(ctx, c.ID); err != nil {
			return err
		}
		fmt.Fprintln(s.out, "Revoked. A running service refuses the key from now on.")
		return nil
	})
}

type migrateCommand struct{ storeFlags }

// Run brings the database up to date.
func (c *migrateCommand) Run(ctx context.Context, s streams) error {
	if err := server.Migrate(ctx, c.config(s)); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "The database is up to date.")
	return nil
}

type gcCommand struct {
	storeFlags
	DryRun bool `help:"Only say what would be removed of blobs that nothing names."`
}

// Help is shown below the flags.
func (gcCommand) Help() string {
	return `Deletes what organizations kept for as long as they asked for, and files older than
a day that nothing names any more. A running service does both by itself.`
}

// Run removes what is due to go.
func (c *gcCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, func(svc *service.Service) error {
		expired := 0
		for more := !c.DryRun; more; {
			n, err := svc.Expire(ctx)
			if err != nil {
				return err
			}
			expired, more = expired+n, n > 0
		}
		gone, err := svc.Orphans(ctx, c.DryRun)
		for _, owner := range gone {
			fmt.Fprintln(s.out, owner)
		}
		if err != nil {
			return err
		}
		did := "Removed"
		if c.DryRun {
			did = "Would remove"
		} else {
			fmt.Fprintf(s.err, "Deleted %s of imports that were kept for long enough.\n", pluralize(int64(expired), "part"))
		}
		fmt.Fprintf(s.err, "%s %s that nothing names.\n", did, pluralize(int64(len(gone)), "folder"))
		if c.DryRun {
			return nil
		}
		return svc.EmptyTrash(ctx)
	})
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(s streams) error {
	fmt.Fprintln(s.out, "intray", version())
	return nil
}

// released is set by release builds; others go by their commit.
var released = ""

func version() string {
	if released != "" {
		return released
	}
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range built.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
			return "0.1.0-dev+" + setting.Value[:12]
		}
	}
	return "0.1.0-dev"
}
