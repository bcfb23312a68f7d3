// Command intray receives tables from strangers, checks them against a schema
// and hands over clean rows: as a service, or once for a single file.
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

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/intraydata/intray/server"
)

// The exit statuses, on which scripts rely.
const (
	exitDone        = 0
	exitFault       = 1
	exitUsage       = 2
	exitReview      = 3
	exitFailed      = 4
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(status)
}

// isHookWorker says whether this process is to run hooks for another one of this
// program. It is no command for people: it must do nothing else before.
func isHookWorker(args []string) bool { return len(args) > 1 && args[1] == "hook-worker" }

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exit is an error that has been told already, or needs no telling, and ends
// the program with its status.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError is a wrong use of the program.
type usageError struct{ error }

// commands is the command line.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Run the service."`
	Run     runCommand     `cmd:"" help:"Import one file, without a server."`
	Inspect inspectCommand `cmd:"" help:"Show how a file would be read, and why so."`
	Map     mapCommand     `cmd:"" help:"Show which column each field of a schema would get, and why."`
	Convert convertCommand `cmd:"" help:"Write any table as clean CSV."`
	Demo    demoCommand    `cmd:"" help:"Start the service in a temporary folder and walk through an import."`
	Schema  struct {
		Check schemaCheckCommand `cmd:"" help:"Say whether a schema can be used, and what in it can hardly be meant."`
	} `cmd:"" help:"Look at schemas."`
	Hooks struct {
		Test hooksTestCommand `cmd:"" help:"Try the hooks of a schema on a sample, and show what they do."`
	} `cmd:"" help:"Try hooks."`
	Orgs struct {
		Create orgsCreateCommand `cmd:"" help:"Make an organization."`
	} `cmd:"" help:"Make organizations."`
	Keys struct {
		Create keysCreateCommand `cmd:"" help:"Make a licence key."`
		List   keysListCommand   `cmd:"" help:"List the licence keys."`
		Revoke keysRevokeCommand `cmd:"" help:"Revoke a licence key; it opens nothing from then on."`
	} `cmd:"" help:"Make, list and revoke licence keys."`
	Listen  listenCommand  `cmd:"" help:"Print and forward the messages of webhooks, while developing a receiver."`
	GC      gcCommand      `cmd:"" name:"gc" help:"Delete what was kept for long enough, and files that nothing names."`
	Migrate migrateCommand `cmd:"" help:"Bring the database up to date."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

const description = `Intray receives tables from strangers, checks every cell against a schema and
hands over clean rows.

  intray run contacts.csv --schema contacts.schema.json    import one file
  intray serve                                             run the service

Each flag of a command can also be set by the environment variable shown in its
help.`

// run is the program: it gives the exit status.
func run(ctx context.Context, args []string, s streams) int {
	var cli commands
	status := -1
	parser, err := kong.New(&cli, kong.Name("intray"), kong.Description(description), kong.UsageOnError(),
		kong.Writers(s.out, s.err), kong.Exit(func(code int) { status = code }), kong.DefaultEnvars("INTRAY"), kong.Resolvers(kong.ResolverFunc(renamedVariable)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(s))
	if err != nil {
		fmt.Fprintln(s.err, "intray:", err)
		return exitFault
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	chosen, err := parser.Parse(args)
	if status >= 0 {
		return status
	}
	if err != nil {
		fmt.Fprintf(s.err, "intray: %v\nTry: intray %s--help\n", err, commandOf(err))
		return exitUsage
	}
	return reportError(ctx, s, chosen.Run())
}

// renamedVariables are the flags whose variables had other names before. These
// still work.
var renamedVariables = map[string]string{
	"hook-sandbox":          "INTRAY_HOOK_JAIL",
	"hook-timeout-per-1000": "INTRAY_HOOK_BATCH",
	"hook-call-timeout":     "INTRAY_HOOK_QUIET",
}

// renamedVariable resolves a flag by the former name of its variable.
func renamedVariable(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	former, renamed := renamedVariables[flag.Name]
	if !renamed || slices.ContainsFunc(flag.Envs, func(name string) bool { return os.Getenv(name) != "" }) {
		return nil, nil
	}
	if value := os.Getenv(former); value != "" {
		return value, nil
	}
	return nil, nil
}

// commandOf names the command that was used wrongly, with a space behind it.
func commandOf(err error) string {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context == nil || wrong.Context.Command() == "" {
		return ""
	}
	path := ""
	for _, part := range wrong.Context.Path {
		if part.Command != nil {
			path += part.Command.Name + " "
		}
	}
	return path
}

// reportError tells an error and gives the exit status that goes with it.
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

// textWidth is how many characters a line of long text has at most.
const textWidth = 80

// isTerminal says whether a stream is one, where a person reads or writes.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// writeJSON writes a value for a program.
func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// visible shortens text from a file and quotes it where it is not plain.
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

// visibleLong frees text of what would steer a terminal or turn the order of its
// characters, and keeps all the rest.
func visibleLong(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '�'
		}
		return r
	}, text)
}

// plainOrQuoted quotes what is not a word, such as a comma.
func plainOrQuoted(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'z' }) {
		return visible(value)
	}
	return strconv.Quote(value)
}

// pluralize writes a number with its noun: "1 row", "2 rows".
func pluralize(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// wrapText lays text out in lines of so many characters.
func wrapText(text string, width int) []string {
	lines := splitText(text, width)
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// splitText cuts text into lines of so many characters, behind a space where there is
// one. Together they are the text; a space may stand beyond the last character.
func splitText(text string, width int) (lines []string) {
	rest := []rune(text)
	for len(rest) > width {
		at := width
		for i, r := range rest[:width+1] {
			if r == ' ' {
				at = i + 1
			}
		}
		lines = append(lines, string(rest[:at]))
		rest = rest[at:]
	}
	return append(lines, string(rest))
}
