// Command intray turns messy spreadsheets into clean rows that match a schema. It runs a server,
// imports single files without a server, and inspects files and schemas.
//
// Each subcommand, or group of related subcommands, has its own file. A command
// that has the flag --json prints JSON if stdout is not a terminal. Messages for
// people go to stderr. Package server and the library do the actual work.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/intraydata/intray/internal/commandline"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/model"
)

// These are the exit statuses. Scripts rely on them.
const (
	exitDone        = 0
	exitFault       = 1
	exitUsage       = 2
	exitReview      = 3
	exitFailed      = 4
	exitInvalid     = 5
	exitInterrupted = 130
)

func main() {
	if isHookWorker(os.Args) {
		if err := server.HookWorker(); err != nil {
			fmt.Fprintln(os.Stderr, "intray hook-worker:", err)
			os.Exit(exitFault)
		}
		os.Exit(exitDone)
	}
	if err := loadSecretFiles(os.Getenv, os.Setenv); err != nil {
		fmt.Fprintln(os.Stderr, "intray:", err)
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(status)
}

// isHookWorker reports whether this process runs hooks for another process of this program. The
// command hook-worker is not part of the parser, because a worker must not do anything else
// first.
func isHookWorker(args []string) bool { return len(args) > 1 && args[1] == "hook-worker" }

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exit is an error that has already been reported or needs no report. The program
// exits with this status.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError reports an error in the arguments of a command.
type usageError struct{ error }

// Unwrap returns the reason.
func (e usageError) Unwrap() error { return e.error }

// commands declares the command line.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Run the server."`
	Run     runCommand     `cmd:"" help:"Import a file without a server."`
	Inspect inspectCommand `cmd:"" help:"Show how Intray reads a file, and why."`
	Map     mapCommand     `cmd:"" help:"Show which column feeds each field of a schema, and why."`
	Convert convertCommand `cmd:"" help:"Convert any table to clean CSV, JSON, XLSX or Parquet."`
	Demo    demoCommand    `cmd:"" help:"Start a temporary server and walk through an import."`
	Share   shareCommand   `cmd:"" help:"Start a temporary server and print a link where people upload a file."`
	Schema  struct {
		Check schemaCheckCommand `cmd:"" help:"Validate a schema and warn about likely mistakes."`
	} `cmd:"" help:"Check schemas."`
	Hooks struct {
		Test hooksTestCommand `cmd:"" help:"Run the hooks of a schema on a sample file and show what they change."`
	} `cmd:"" help:"Test hooks."`
	Orgs struct {
		Create orgsCreateCommand `cmd:"" help:"Create an organization."`
		List   orgsListCommand   `cmd:"" help:"List all organizations."`
		Usage  orgsUsageCommand  `cmd:"" help:"List what organizations use, and their limits."`
		Limit  orgsLimitCommand  `cmd:"" help:"Set limits of an organization."`

		Disable orgsDisableCommand `cmd:"" help:"Refuse all keys, links and sessions of an organization."`
		Enable  orgsEnableCommand  `cmd:"" help:"Accept the keys, links and sessions of a disabled organization again."`
		Delete  orgsDeleteCommand  `cmd:"" help:"Delete a disabled organization with all of its data."`
	} `cmd:"" help:"Manage organizations."`
	Keys struct {
		Create keysCreateCommand `cmd:"" help:"Create an API key."`
		List   keysListCommand   `cmd:"" help:"List all API keys."`
		Revoke keysRevokeCommand `cmd:"" help:"Revoke an API key."`

		Origins keysOriginsCommand `cmd:"" help:"Set which pages may embed the importer."`

		Backup keysBackupCommand `cmd:"" help:"Create the pair of keys that encrypts and decrypts backups."`

		RotateMaster rotateMasterCommand `cmd:"" help:"Replace the master key."`
	} `cmd:"" help:"Manage API keys and the master key."`
	Imports struct {
		List    importsListCommand    `cmd:"" help:"List imports of all organizations, such as those that wait."`
		Show    importsShowCommand    `cmd:"" help:"Show the details of an import, without cell values."`
		Requeue importsRequeueCommand `cmd:"" help:"Run waiting imports now that would run later."`
		Cancel  importsCancelCommand  `cmd:"" help:"End waiting and running imports as FAILED."`
	} `cmd:"" help:"List, show, requeue and cancel imports."`
	Nodes   nodesCommand   `cmd:"" help:"List the server processes and what they run."`
	Listen  listenCommand  `cmd:"" help:"Print or forward webhook messages while you develop a receiver."`
	GC      gcCommand      `cmd:"" name:"gc" help:"Delete expired data and orphaned files."`
	Verify  verifyCommand  `cmd:"" help:"Verify that all stored files are intact, and repair damage."`
	Backup  backupCommand  `cmd:"" help:"Back up the data folder, encrypted, while the server runs."`
	Restore restoreCommand `cmd:"" help:"Restore, list or check backups."`
	Doctor  doctorCommand  `cmd:"" help:"Check an installation, and name each problem with its fix."`
	Health  healthCommand  `cmd:"" help:"Check whether a server is ready."`
	Move    moveCommand    `cmd:"" help:"Move a data folder with SQLite to PostgreSQL and a bucket."`
	Migrate migrateCommand `cmd:"" help:"Update the database to this version."`
	Version versionCommand `cmd:"" help:"Print the version, the commit and the platform."`
	Help    helpCommand    `cmd:"" help:"Show the help of a command."`

	Completion           completionCommand `cmd:"" help:"Print a script that completes commands and flags in a shell."`
	CompletionCandidates candidatesCommand `cmd:"" hidden:""`
}

// helpCommand is listed in the help. withHelpFlag replaces the command.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"Command to show the help of."`
}

// withHelpFlag replaces the command help with the flag --help: "help keys list" is the same as
// "keys list --help".
func withHelpFlag(args []string) []string {
	if len(args) == 0 {
		return []string{"--help"}
	}
	if args[0] != "help" || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

const description = `Intray turns messy spreadsheets into clean rows that match your schema.

  intray run contacts.csv --schema contacts.schema.json    import a file
  intray serve                                             run the server

You can also set each flag with the environment variable shown in its help.`

// newProgram returns the command line of the program.
func newProgram() *commandline.Command {
	return commandline.New("intray", &commands{}, commandline.Config{
		Description: description, EnvPrefix: variablePrefix, Vars: map[string]string{"statuses": importStatuses},
	})
}

// runner is a command that can be called.
type runner interface {
	Run(ctx context.Context, s streams) error
}

// run runs the program and returns its exit status.
func run(ctx context.Context, args []string, s streams) int {
	ctx = model.AcrossOrgs(ctx) // operators manage all organizations
	args = withHelpFlag(args)
	if args[0] == "doctor" {
		ctx = withoutInvalidVariables(ctx, func() error {
			_, err := newProgram().Parse(args, os.LookupEnv)
			return err
		})
	}
	chosen, err := newProgram().Parse(args, os.LookupEnv)
	switch {
	case errors.Is(err, commandline.ErrHelp):
		return reportError(ctx, s, chosen.WriteHelp(s.out, helpWidth(s.out)))
	case errors.Is(err, commandline.ErrVersion):
		fmt.Fprintln(s.out, "intray", version())
		return exitDone
	case err != nil:
		fmt.Fprintf(s.err, "intray: %v\nTry: intray %s\n", err, strings.TrimPrefix(chosen.Path()+" --help", " "))
		return exitUsage
	}
	return reportError(ctx, s, chosen.Target.(runner).Run(ctx, s))
}

// helpWidth returns the length of the lines of the help, in characters.
func helpWidth(stream any) int {
	width := terminalWidth(stream)
	if width == 0 {
		return textWidth
	}
	return max(min(width, 100), 40)
}

// reportError prints an error and returns the exit status.
func reportError(ctx context.Context, s streams, err error) int {
	var status exit
	var usage usageError
	var config server.UsageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(s.err, "intray: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(s.err, "intray:", err)
	if errors.As(err, &usage) || errors.As(err, &config) {
		return exitUsage
	}
	return exitFault
}

// textWidth is the maximum length of a line of wrapped text, in characters.
const textWidth = 80

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// visible returns text from a file for display. It shortens long text, and quotes
// text that needs escaping.
func visible(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	quoted := strconv.QuoteToGraphic(text)
	if quoted == `"`+text+`"` {
		return text
	}
	return quoted
}

// visibleLong replaces characters that would control a terminal or reverse the order of
// other characters.
func visibleLong(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '�'
		}
		return r
	}, text)
}

// plainOrQuoted returns a value, in quotes if it has neither letters nor digits. For example, it
// quotes a comma.
func plainOrQuoted(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'z' }) {
		return visible(value)
	}
	return strconv.Quote(value)
}

// pluralize returns a number with its noun: "1 row", "2 rows".
func pluralize(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// wrapText breaks text into lines of at most width terminal cells.
func wrapText(text string, width int) []string {
	lines := splitText(text, width)
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// splitText breaks text into lines of at most width terminal cells, after a space if possible.
// Joined, the lines equal the text. A space at the end of a line may exceed the width.
func splitText(text string, width int) (lines []string) {
	from, cells := 0, 0
	space := -1 // the index after the last space of the line
	for i, r := range text {
		cells += runeWidth(r)
		for cells > width && i > from && (r != ' ' || cells > width+1) {
			at := i
			if space > from {
				at = space
			}
			lines = append(lines, text[from:at])
			from, cells = at, displayWidth(text[at:i])+runeWidth(r)
		}
		if r == ' ' {
			space = i + 1
		}
	}
	return append(lines, text[from:])
}
