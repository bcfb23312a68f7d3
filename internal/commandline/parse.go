package commandline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/intraydata/intray/internal/jsonschema"
)

// These errors mean that the command line has the flag --help or -h, or the flag --version.
var (
	ErrHelp    = errors.New("help requested")
	ErrVersion = errors.New("version requested")
)

// Parse sets the fields of the command that a command line calls, and of the program, and returns
// the command. args does not have the name of the program. lookup returns environment variables,
// such as os.LookupEnv. A flag takes precedence over its variable, and the variable over the
// default.
//
// If it returns an error, the command is the one with the error or the one whose help is requested.
func (c *Command) Parse(args []string, lookup func(string) (string, bool)) (*Command, error) {
	p := parser{command: c, set: map[*Value]bool{}}
	if err := p.parseWords(args); err != nil {
		return p.command, err
	}
	for _, f := range p.command.AllFlags() {
		if on, is := f.target.(*bool); is && *on && f.request != nil {
			return p.command, f.request
		}
	}
	if len(p.command.Commands()) > 0 {
		return p.command, fmt.Errorf("missing command; use one of %s", strings.Join(p.commandNames(), ", "))
	}
	return p.command, p.finish(lookup)
}

// parser is the state of Parse.
type parser struct {
	command *Command
	// set are the values that the command line has set.
	set map[*Value]bool
	// arguments is the number of complete arguments.
	arguments int
}

func (p *parser) parseWords(args []string) error {
	onlyArguments := false
	for len(args) > 0 {
		word, used := args[0], 1
		var err error
		switch {
		case onlyArguments || !isFlag(word):
			err = p.addArgument(word)
		case word == "--":
			onlyArguments = true
		default:
			used, err = p.addFlag(args)
		}
		if err != nil {
			return err
		}
		args = args[used:]
	}
	return nil
}

// isFlag reports whether a word can only be a flag or the end of flags. The word "-" is an
// argument.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// addArgument adds a word that is a command or an argument.
func (p *parser) addArgument(word string) error {
	if child := p.command.Command(word); child != nil {
		p.command = child
		return nil
	}
	if p.arguments == len(p.command.Arguments()) {
		return fmt.Errorf("unexpected argument %s%s", word, suggestion(word, p.commandNames()))
	}
	argument := p.command.Arguments()[p.arguments]
	p.set[argument] = true
	if err := argument.set(word); err != nil {
		return fmt.Errorf("<%s>: %w", argument.Name, err)
	}
	if !argument.isList() {
		p.arguments++
	}
	return nil
}

// addFlag adds the flag in the first word and returns the number of words that it consists of.
func (p *parser) addFlag(args []string) (int, error) {
	name, value, hasValue := strings.Cut(args[0], "=")
	var flag *Flag
	if long, isLong := strings.CutPrefix(name, "--"); isLong {
		flag = p.command.Flag(long)
	} else {
		for _, f := range p.command.AllFlags() {
			if f.short != "" && name == "-"+f.short {
				flag = f
			}
		}
	}
	used := 1
	switch {
	case flag == nil:
		return 0, fmt.Errorf("unknown flag %s%s", name, suggestion(name, p.flagNames()))
	case hasValue:
	case flag.IsBool():
		value = "true"
	case len(args) == 1:
		return 0, fmt.Errorf("--%s needs a value", flag.Name)
	case isFlag(args[1]):
		return 0, fmt.Errorf("--%s needs a value; if the value is %s, use --%s=%s", flag.Name, args[1], flag.Name, args[1])
	default:
		value, used = args[1], 2
	}
	p.set[&flag.Value] = true
	if err := flag.setFlag(value); err != nil {
		return 0, fmt.Errorf("--%s: %w", flag.Name, err)
	}
	return used, nil
}

func (p *parser) flagNames() (names []string) {
	for _, f := range p.command.AllFlags() {
		names = append(names, "--"+f.Name)
	}
	return names
}

func (p *parser) commandNames() (names []string) {
	for _, child := range p.command.visible() {
		names = append(names, child.Name)
	}
	return names
}

// suggestion returns the end of a message that suggests the most similar name, if one is similar.
func suggestion(word string, names []string) string {
	letters := len(strings.Trim(word, "-"))
	best, closest := min(4, 1+letters/2), ""
	for _, name := range names {
		d := jsonschema.Distance(word, name, best)
		if letters > 2 && strings.HasPrefix(name, word) {
			d = 0
		}
		if d < best {
			best, closest = d, name
		}
	}
	if closest == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", closest)
}

// finish sets the flags that only variables set, and checks all values.
func (p *parser) finish(lookup func(string) (string, bool)) error {
	var missing []string
	xor := map[string]string{}
	for _, f := range p.command.AllFlags() {
		variable, err := p.setVariable(f, lookup)
		isSet := p.set[&f.Value] || variable != ""
		if err == nil && isSet {
			err = f.check()
		}
		switch {
		case err != nil && variable != "":
			return fmt.Errorf("--%s: %w (from the variable %s)", f.Name, err, variable)
		case err != nil:
			return fmt.Errorf("--%s: %w", f.Name, err)
		case !isSet && f.Required:
			missing = append(missing, f.usage())
		case isSet && xor[f.xor] != "":
			return fmt.Errorf("--%s and --%s cannot be used together", xor[f.xor], f.Name)
		case isSet && f.xor != "":
			xor[f.xor] = f.Name
		}
	}
	for _, a := range p.command.Arguments() {
		switch err := a.check(); {
		case p.set[a] && err != nil:
			return fmt.Errorf("<%s>: %w", a.Name, err)
		case !p.set[a] && a.Required:
			missing = append(missing, "<"+a.Name+">")
		}
	}
	if missing != nil {
		return fmt.Errorf("missing: %s", strings.Join(missing, ", "))
	}
	return nil
}

// setVariable sets a flag that the command line does not set from its environment variable, and
// returns the name of the variable that it used. The former variable counts only if the current
// one is empty.
func (p *parser) setVariable(f *Flag, lookup func(string) (string, bool)) (string, error) {
	if p.set[&f.Value] || f.Env == "" {
		return "", nil
	}
	name := f.Env
	text, isSet := lookup(name)
	if former, formerIsSet := lookup(f.FormerEnv); text == "" && f.FormerEnv != "" && formerIsSet && former != "" {
		name, text, isSet = f.FormerEnv, former, true
	}
	if !isSet {
		return "", nil
	}
	return name, f.setFlag(text)
}
