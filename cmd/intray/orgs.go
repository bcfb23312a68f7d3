package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

type orgsUsageCommand struct {
	storeFlags
	reportFlags
	Name  string `arg:"" optional:"" help:"Name of the organization. Default: all."`
	Quota string `help:"The limits with which the servers run, to show the limits of organizations without their own." placeholder:"NAME=N"`
}

// Help returns the text that --help prints after the flags.
func (orgsUsageCommand) Help() string {
	return `Lists what organizations use, and their limits. SOURCE shows where a limit is set:
"organization" with intray orgs limit, "--quota" with the flag or INTRAY_QUOTA, and
"default" nowhere. Pass the same --quota as for the servers, which this command does
not know.

The database does not contain open event streams, so their use is not shown.`
}

// listedUsage is the JSON form of the use of a quota.
type listedUsage struct {
	Organization string `json:"organization"`
	Quota        string `json:"quota"`
	// Used is null if the database does not contain it, and Limit is null if there is no limit.
	Used   *int64 `json:"used"`
	Limit  *int64 `json:"limit"`
	Source string `json:"source"`
}

// Run lists the usage of organizations.
func (c *orgsUsageCommand) Run(ctx context.Context, s streams) error {
	quotas, err := server.ParseQuotas(c.Quota)
	if err != nil {
		return usageError{flagError("--quota", err)}
	}
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		usages, err := svc.OrgUsages(ctx, c.Name)
		if err != nil {
			return err
		}
		list := []listedUsage{}
		for _, u := range usages {
			for _, quota := range model.AllQuotas() {
				list = append(list, listUsage(u, quota, quotas))
			}
		}
		return c.write(s.out, list, func(w io.Writer) error { return writeUsages(w, list) })
	})
}

func listUsage(u auth.OrgUsage, quota model.Quota, quotas model.Quotas) listedUsage {
	listed := listedUsage{Organization: u.Name, Quota: string(quota), Source: "default"}
	if quota != model.StreamQuota && quota != model.ReviewStreamQuota {
		used := u.Usage.Of(quota)
		listed.Used = &used
	}
	limit, isOwn := u.Limits[quota]
	_, byOrg := quotas.ByOrg[u.ID][quota]
	_, forAll := quotas.ForAll[quota]
	switch {
	case isOwn:
		listed.Source = "organization"
	case byOrg || forAll:
		listed.Source = "--quota"
	}
	if !isOwn {
		limit = quotas.Limit(u.ID, quota)
	}
	if limit > 0 {
		listed.Limit = &limit
	}
	return listed
}

func writeUsages(w io.Writer, usages []listedUsage) error {
	list := table{header: true}
	list.append("ORGANIZATION", "QUOTA", "USED", "LIMIT", "USE", "SOURCE")
	for _, u := range usages {
		used, limit, share := "-", "none", "-"
		if u.Used != nil {
			used = strconv.FormatInt(*u.Used, 10)
		}
		if u.Limit != nil {
			limit = strconv.FormatInt(*u.Limit, 10)
		}
		if u.Used != nil && u.Limit != nil {
			share = fmt.Sprintf("%.1f %%", float64(*u.Used)/float64(*u.Limit)*100)
		}
		list.append(visible(u.Organization), u.Quota, used, limit, share, u.Source)
	}
	return list.write(w, 0, colorsOf(w))
}

type orgsLimitCommand struct {
	storeFlags
	Name  string   `arg:"" help:"Name of the organization."`
	Limit []string `arg:"" help:"Limits to change, such as imports=2000000. 0 means no limit, and QUOTA=default removes the limit of the organization."`
}

// Help returns the text that --help prints after the flags.
func (orgsLimitCommand) Help() string {
	return `Sets limits of one organization, which take precedence over --quota of the servers.
Running servers observe them within a few seconds. An organization that exceeds a new
limit keeps what it has, but cannot add to it.

intray orgs usage lists the quotas, and docs/configuration.md explains them.`
}

// Run changes the limits.
func (c *orgsLimitCommand) Run(ctx context.Context, s streams) error {
	changes, err := server.ParseLimits(c.Limit)
	if err != nil {
		return usageError{err}
	}
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		org, err := svc.SetOrgLimits(ctx, c.Name, changes)
		if err != nil {
			return err
		}
		for _, quota := range model.AllQuotas() {
			if _, isChanged := changes[quota]; !isChanged {
				continue
			}
			switch limit, isSet := org.Limits[quota]; {
			case !isSet:
				fmt.Fprintf(s.out, "%s: limit of the servers\n", quota)
			case limit == 0:
				fmt.Fprintf(s.out, "%s: no limit\n", quota)
			default:
				fmt.Fprintf(s.out, "%s: %d\n", quota, limit)
			}
		}
		fmt.Fprintln(s.err, "Saved. Running servers observe the limits within a few seconds.")
		return nil
	})
}

type orgsDisableCommand struct {
	storeFlags
	Name string `arg:"" help:"Name of the organization."`
}

// Help returns the text that --help prints after the flags.
func (orgsDisableCommand) Help() string {
	return `Refuses all API keys, review links, import links and sessions of the organization, and
stops its connectors. Running servers do so within a few seconds. Running imports finish
and their webhook messages are sent. Waiting imports do not start. Nothing is deleted, and
intray orgs enable restores the access.`
}

// Run disables the organization.
func (c *orgsDisableCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		org, err := svc.DisableOrg(ctx, c.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Disabled the organization %q. Running servers refuse its keys, links and sessions within a few seconds.\n", org.Name)
		return nil
	})
}

type orgsEnableCommand struct {
	storeFlags
	Name string `arg:"" help:"Name of the organization."`
}

// Run enables the organization.
func (c *orgsEnableCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		org, err := svc.EnableOrg(ctx, c.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Enabled the organization %q. Running servers accept its keys, links and sessions within a few seconds.\n", org.Name)
		return nil
	})
}

// orgState returns the state of an organization for display.
func orgState(org model.Org) string { return cmp.Or(strings.ToLower(string(org.State)), "active") }

type orgsDeleteCommand struct {
	storeFlags
	reportFlags
	Name    string `arg:"" help:"Name of the organization."`
	Confirm string `help:"The name of the organization again, to delete it without a question." placeholder:"NAME" env:"-"`
}

// Help returns the text that --help prints after the flags.
func (orgsDeleteCommand) Help() string {
	return `Deletes a disabled organization with all of its data: imports and their files, schemas,
webhooks, connectors, import links, keys, learned mappings and sessions. This cannot be
undone.

If the command is interrupted, a running server continues, or you run the command again.
It then counts only what is deleted by the second run. Webhook messages that have not been
sent are deleted, too.`
}

// deletedOrg is the JSON form of the result.
type deletedOrg struct {
	ID           string `json:"id"`
	Organization string `json:"organization"`
	Imports      int64  `json:"imports"`
	Sessions     int64  `json:"sessions"`
	// OtherRows is the number of schemas, keys and other rows of the database.
	OtherRows int64 `json:"otherRows"`
}

// Run deletes the organization.
func (c *orgsDeleteCommand) Run(ctx context.Context, s streams) error {
	if c.Confirm == "" && isTerminal(s.in) && isTerminal(s.err) {
		fmt.Fprintf(s.err, "All data of the organization will be deleted. Type its name to continue: ")
		line, err := bufio.NewReader(s.in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the confirmation: %w", err)
		}
		c.Confirm = strings.TrimSpace(line)
	}
	if c.Confirm != c.Name {
		return usageError{fmt.Errorf("nothing was deleted: to delete the organization %q with all of its data, confirm its name with --confirm %q", c.Name, c.Name)}
	}
	return c.runAdmin(ctx, s, server.OpenToDelete, func(svc *service.Service) error {
		org, deleted, err := svc.DeleteOrg(ctx, c.Name)
		if err != nil {
			return err
		}
		report := deletedOrg{org.ID, org.Name, deleted.Imports, deleted.Sessions, deleted.Rows}
		return c.write(s.out, report, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "Deleted the organization %q with %s, %s and %s.\n", org.Name,
				pluralize(deleted.Imports, "import"), pluralize(deleted.Sessions, "session"), pluralize(deleted.Rows, "other row"))
			return err
		})
	})
}
