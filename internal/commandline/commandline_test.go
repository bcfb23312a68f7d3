package commandline

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// program declares a program with all kinds of flags and arguments.
type program struct {
	Copy struct {
		common
		From  string   `arg:"" help:"File to read."`
		To    []string `arg:"" optional:"" help:"Files to write."`
		Mode  string   `help:"How to copy." enum:"fast,safe" default:"safe" aliases:"way" former:"X_WAY"`
		Limit int      `help:"Maximum size. Default: 10." default:"10" placeholder:"N" xor:"limit"`
		Lines []int64  `help:"Only these lines" placeholder:"LINE" xor:"limit"`
	} `cmd:"" help:"Copy a file."`
	Keys struct {
		Create keysCreate `cmd:"" help:"Create a key."`
		Secret struct{}   `cmd:"" hidden:""`
	} `cmd:"" help:"Manage keys."`
}

type common struct {
	DryRun bool `help:"Change nothing."`
}

type keysCreate struct {
	Owner   string        `required:"" help:"Owner of the key." placeholder:"NAME"`
	Expires time.Duration `help:"Expire the key." env:"EXPIRY" placeholder:"D"`
	Scope   []string      `help:"Allow only these operations." env:"-" placeholder:"SCOPE"`
}

// Help returns the details of the help.
func (keysCreate) Help() string {
	return "The key is shown\nonly once.\n\n  app keys create --owner ada >key\n\nKeep it."
}

// text returns the values of a command.
func (p program) text(path string) string {
	switch path {
	case "copy":
		c := p.Copy
		return fmt.Sprintf("from %q to %v mode %q limit %d lines %d dry %t", c.From, c.To, c.Mode, c.Limit, c.Lines, c.DryRun)
	case "keys create":
		c := p.Keys.Create
		return fmt.Sprintf("owner %q expires %s scope %v", c.Owner, c.Expires, c.Scope)
	}
	return ""
}

// arguments returns a command line that sets all values of the command copy.
func (p program) arguments() []string {
	c := p.Copy
	args := []string{"copy", "--dry-run=" + strconv.FormatBool(c.DryRun), "--mode=" + c.Mode}
	for _, n := range c.Lines {
		args = append(args, "--lines="+strconv.FormatInt(n, 10))
	}
	if c.Lines == nil {
		args = append(args, "--limit="+strconv.Itoa(c.Limit))
	}
	return append(append(args, "--", c.From), c.To...)
}

func TestParse(t *testing.T) {
	variables := map[string]string{"X_DRY_RUN": "yes", "X_WAY": "fast"}
	for _, c := range []struct{ line, env, path, want string }{
		{"copy a", "", "copy", `from "a" to [] mode "safe" limit 10 lines [] dry false`},
		{"copy --dry-run a b c", "", "copy", `from "a" to [b c] mode "safe" limit 10 lines [] dry true`},
		{"copy a --dry-run=no b --limit 0x10", "", "copy", `from "a" to [b] mode "safe" limit 16 lines [] dry false`},
		{"copy --limit=-1 -", "", "copy", `from "-" to [] mode "safe" limit -1 lines [] dry false`},
		{"copy --limit 1 --limit 2 a", "", "copy", `from "a" to [] mode "safe" limit 2 lines [] dry false`},
		{"copy --lines 1,2 --lines=3 a", "", "copy", `from "a" to [] mode "safe" limit 10 lines [1 2 3] dry false`},
		{"copy -- --way --", "", "copy", `from "--way" to [--] mode "safe" limit 10 lines [] dry false`},
		{"copy --way fast a", "", "copy", `from "a" to [] mode "fast" limit 10 lines [] dry false`},
		{"copy a", "X_WAY", "copy", `from "a" to [] mode "fast" limit 10 lines [] dry false`},
		{"copy a --mode safe", "X_WAY X_DRY_RUN", "copy", `from "a" to [] mode "safe" limit 10 lines [] dry true`},
		{"keys create --owner ada --expires 2h --scope a,b", "", "keys create", `owner "ada" expires 2h0m0s scope [a b]`},
		{"keys create --owner=", "EXPIRY=5m", "keys create", `owner "" expires 5m0s scope []`},
		{"keys secret", "", "keys secret", ``},

		{"", "", "", `error: missing command; use one of copy, keys`},
		{"cpy a", "", "", `error: unexpected argument cpy, did you mean "copy"?`},
		{"secret", "", "", `error: unexpected argument secret`},
		{"keys", "", "keys", `error: missing command; use one of create`},
		{"copy", "", "copy", `error: missing: <from>`},
		{"keys create", "", "keys create", `error: missing: --owner=NAME`},
		{"keys create x", "", "keys create", `error: unexpected argument x`},
		{"copy a --lmit 1", "", "copy", `error: unknown flag --lmit, did you mean "--limit"?`},
		{"copy a --dry", "", "copy", `error: unknown flag --dry, did you mean "--dry-run"?`},
		{"copy a -x", "", "copy", `error: unknown flag -x`},
		{"copy a --xyz=1", "", "copy", `error: unknown flag --xyz`},
		{"copy a --limit", "", "copy", `error: --limit needs a value`},
		{"copy a --mode --dry-run", "", "copy", `error: --mode needs a value; if the value is --dry-run, use --mode=--dry-run`},
		{"copy a --mode slow", "", "copy", `error: --mode: must be one of fast, safe, but is "slow"`},
		{"copy a", "X_MODE=slow", "copy", `error: --mode: must be one of fast, safe, but is "slow" (from the variable X_MODE)`},
		{"copy a", "X_LIMIT=", "copy", `error: --limit: "" is not an integer (from the variable X_LIMIT)`},
		{"copy a --limit 99999999999999999999", "", "copy", `error: --limit: 99999999999999999999 is out of range`},
		{"copy a --lines 1,x", "", "copy", `error: --lines: "x" is not an integer`},
		{"copy a --lines 1", "X_LIMIT=2", "copy", `error: --limit and --lines cannot be used together`},
		{"copy a --dry-run=maybe", "", "copy", `error: --dry-run: "maybe" is neither true nor false`},
		{"keys create --owner a --expires 2", "", "keys create", `error: --expires: "2" is not a duration such as 30s, 10m or 24h`},

		{"copy --help", "", "copy", `error: help requested`},
		{"-h keys create", "", "keys create", `error: help requested`},
		{"copy --help --nonsense", "", "copy", `error: unknown flag --nonsense`},
		{"keys --version", "", "keys", `error: version requested`},
		{"keys create --help=false --owner a", "", "keys create", `owner "a" expires 0s scope []`},
	} {
		var p program
		lookup := func(name string) (string, bool) {
			for word := range strings.FieldsSeq(c.env) {
				if key, text, assigned := strings.Cut(word, "="); key == name {
					if !assigned {
						text = variables[name]
					}
					return text, true
				}
			}
			return "", false
		}
		command, err := New("app", &p, Config{EnvPrefix: "X_"}).Parse(strings.Fields(c.line), lookup)
		got := p.text(command.Path())
		if err != nil {
			got = "error: " + err.Error()
		}
		if command.Path() != c.path || got != c.want {
			t.Errorf("%s (%s):\n%s: %s\nwant\n%s: %s", c.line, c.env, command.Path(), got, c.path, c.want)
		}
	}
}

const wantHelp = `Usage: app keys create --owner=NAME [flags]

Create a key.

The key is shown only once.

    app keys create --owner ada >key

Keep it.

Flags:
  -h, --help          Show context-sensitive
                      help.
      --version       Print the version.

      --owner=NAME    Owner of the key
                      ($X_OWNER).
      --expires=D     Expire the key ($EXPIRY).
      --scope=SCOPE,...
                      Allow only these
                      operations.
`

const wantGroupHelp = `Usage: app keys <command> [flags]

Manage keys.

Flags:
  -h, --help       Show context-sensitive help.
      --version    Print the version.

Commands:
  keys create    Create a key.
`

const wantArgumentHelp = `Usage: app copy <from> [<to> ...] [flags]

Copy a file.

Arguments:
  <from>        File to read.
  [<to> ...]    Files to write.

Flags:
  -h, --help       Show context-sensitive help.
      --version    Print the version.

      --dry-run    Change nothing ($X_DRY_RUN).
      --mode=fast|safe
                   How to copy (default safe,
                   $X_MODE).
      --limit=N    Maximum size. Default: 10
                   ($X_LIMIT).
      --lines=LINE,...
                   Only these lines ($X_LINES)
`

func TestWriteHelp(t *testing.T) {
	root := New("app", &program{}, Config{EnvPrefix: "X_"})
	for _, c := range []struct {
		command *Command
		want    string
	}{
		{root.Command("keys").Command("create"), wantHelp},
		{root.Command("keys"), wantGroupHelp},
		{root.Command("copy"), wantArgumentHelp},
	} {
		var b strings.Builder
		if err := c.command.WriteHelp(&b, 48); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, b.String()); diff != "" {
			t.Errorf("%s: %s", c.command.Path(), diff)
		}
	}
}

func TestInvalidDeclarations(t *testing.T) {
	for _, target := range []any{
		&struct{ Rate float64 }{},
		&struct {
			Rate int `default:"many"`
		}{},
		&struct {
			Rates []int64 `default:"1"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T is accepted", target)
				}
			}()
			New("app", target, Config{}).Flags()
		}()
	}
}

// FuzzParse checks that every command line is either refused or read in full: the values that it
// sets, written as a new command line, are read as the same values.
func FuzzParse(f *testing.F) {
	f.Add("copy\na\n--limit\n3\n--way=fast")
	f.Add("copy\n--\n--lines\n-")
	f.Add("copy\n--lines=1,2,0x3\nb\nc\n--dry-run")
	f.Fuzz(func(t *testing.T, text string) {
		unset := func(string) (string, bool) { return "", false }
		var p, again program
		command, err := New("app", &p, Config{}).Parse(strings.Split(text, "\n"), unset)
		if err != nil || command.Path() != "copy" {
			return
		}
		args := p.arguments()
		if _, err := New("app", &again, Config{}).Parse(args, unset); err != nil {
			t.Fatalf("%q became %q: %v", text, args, err)
		}
		if diff := cmp.Diff(p.text("copy"), again.text("copy")); diff != "" {
			t.Errorf("%q became %q: %s", text, args, diff)
		}
	})
}
