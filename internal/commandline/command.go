// Package commandline parses command lines that structs declare.
//
// A Command is a program, a command or a group of commands. New derives it from a struct: each
// field is a flag, an argument or a subcommand, as its tags say. Fields of embedded structs count
// as fields of the struct.
//
//	cmd          The field is a struct that declares a subcommand.
//	arg          The field is an argument. A slice takes all arguments that remain.
//	name         The name, if it is not derived from the name of the field: DryRun is --dry-run.
//	help         The description for the help.
//	placeholder  The value in the help, such as FILE.
//	default      The value of a flag that is not set.
//	enum         The allowed values, separated by commas.
//	required     The flag must be set.
//	optional     The argument can be omitted.
//	env          The environment variable of the flag, or - for none. By default, its name is
//	             derived from the name of the flag.
//	former       The former name of the environment variable, which still has an effect.
//	aliases      Other names of the flag, separated by commas. The help does not show them.
//	xor          Only one of the flags with this text can be set.
//	hidden       Neither the help nor completion shows the command.
//
// Flags and arguments can be of the types string, bool, int, int64, time.Duration, []string and
// []int64. The package calls no methods of the structs by name: a program that does so keeps all
// exported methods of all its types, because the linker cannot know which ones it calls.
package commandline

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Command is a program, a command or a group of commands.
type Command struct {
	// Name is the name of the command, and of the program for the root.
	Name string
	// Help describes the command in one sentence. If the struct has a method Help, the help also
	// shows the text that it returns.
	Help string
	// Hidden means that neither the help nor completion shows the command.
	Hidden bool
	// Target is the pointer to the struct that declares the command.
	Target any
	// Parent is nil for the program.
	Parent *Command

	// declaration reads the fields of the struct when they are first needed, because most commands
	// of a program are not called. fields is then invalid.
	declaration *declaration
	fields      reflect.Value
	commands    []*Command
	flags       []*Flag
	arguments   []*Value
}

// Value is a flag or an argument.
type Value struct {
	Name, Help, Placeholder, Default string
	// Enum are the allowed values. All are allowed if it is nil.
	Enum []string
	// Required is true if a flag must be set or an argument cannot be omitted.
	Required bool
	target   any
}

// Flag is a value with a name.
type Flag struct {
	Value
	// Env is the name of its environment variable, and FormerEnv its former name. Both can be "".
	Env, FormerEnv string
	aliases        []string
	short, xor     string
	// request is the error that Parse returns if the flag is set, or nil.
	request error
}

// Config configures New.
type Config struct {
	// Description describes the program in its help.
	Description string
	// EnvPrefix begins the name of every environment variable, such as INTRAY_.
	EnvPrefix string
	// Vars replace ${NAME} in tags.
	Vars map[string]string
}

// New returns the program that a pointer to a struct declares, with the flags --help and --version.
// The methods of the program and its commands panic if the declaration is invalid.
func New(name string, target any, cfg Config) *Command {
	pairs := []string{}
	for name, value := range cfg.Vars {
		pairs = append(pairs, "${"+name+"}", value)
	}
	root := &Command{Name: name, Help: cfg.Description, Target: target}
	root.declaration, root.fields = &declaration{cfg.EnvPrefix, strings.NewReplacer(pairs...)}, reflect.ValueOf(target).Elem()
	root.flags = []*Flag{
		{Value: Value{Name: "help", Help: "Show context-sensitive help.", target: new(bool)}, short: "h", request: ErrHelp},
		{Value: Value{Name: "version", Help: "Print the version.", target: new(bool)}, request: ErrVersion},
	}
	return root
}

// declare reads the fields of the struct and sets them to their defaults, once.
func (c *Command) declare() {
	if c.fields.IsValid() {
		fields := c.fields
		c.fields = reflect.Value{}
		c.declaration.addFields(c, fields)
	}
}

// Commands returns the subcommands.
func (c *Command) Commands() []*Command {
	c.declare()
	return c.commands
}

// Arguments returns the arguments, in their order.
func (c *Command) Arguments() []*Value {
	c.declare()
	return c.arguments
}

// Flags returns the flags that the command itself declares.
func (c *Command) Flags() []*Flag {
	c.declare()
	return c.flags
}

// declaration reads the declaration of a program.
type declaration struct {
	envPrefix string
	vars      *strings.Replacer
}

// addFields adds the flags, arguments and subcommands that a struct declares.
func (d *declaration) addFields(c *Command, fields reflect.Value) {
	for i := range fields.NumField() {
		field, value := fields.Type().Field(i), fields.Field(i)
		tag := field.Tag
		_, isCommand := tag.Lookup("cmd")
		_, isArgument := tag.Lookup("arg")
		switch {
		case field.Anonymous:
			d.addFields(c, value)
		case isCommand:
			_, hidden := tag.Lookup("hidden")
			c.commands = append(c.commands, &Command{
				Name: nameOf(field), Help: d.vars.Replace(tag.Get("help")), Hidden: hidden, Target: value.Addr().Interface(), Parent: c,
				declaration: d, fields: value,
			})
		case isArgument:
			argument := d.value(field, value)
			_, optional := tag.Lookup("optional")
			argument.Required = !optional
			c.arguments = append(c.arguments, &argument)
		default:
			c.flags = append(c.flags, d.flag(field, value))
		}
	}
}

// flag returns the flag that a field declares.
func (d *declaration) flag(field reflect.StructField, value reflect.Value) *Flag {
	f := &Flag{Value: d.value(field, value), FormerEnv: field.Tag.Get("former"), xor: field.Tag.Get("xor")}
	_, f.Required = field.Tag.Lookup("required")
	if aliases := field.Tag.Get("aliases"); aliases != "" {
		f.aliases = strings.Split(aliases, ",")
	}
	switch env, named := field.Tag.Lookup("env"); {
	case !named:
		f.Env = d.envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
	case env != "-":
		f.Env = env
	}
	return f
}

// value returns what flags and arguments have in common.
func (d *declaration) value(field reflect.StructField, value reflect.Value) Value {
	v := Value{
		Name: nameOf(field), Help: d.vars.Replace(field.Tag.Get("help")), Placeholder: field.Tag.Get("placeholder"),
		Default: field.Tag.Get("default"), target: value.Addr().Interface(),
	}
	if enum, limited := field.Tag.Lookup("enum"); limited {
		v.Enum = strings.Split(d.vars.Replace(enum), ",")
	}
	if err := v.setDefault(); err != nil {
		panic("commandline: " + field.Name + ": " + err.Error())
	}
	return v
}

// nameOf returns the name of a flag, an argument or a command: "dry-run" for DryRun, "id" for ID.
func nameOf(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	var name strings.Builder
	before := 'A'
	for _, r := range field.Name {
		if unicode.IsUpper(r) && !unicode.IsUpper(before) {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(r))
		before = r
	}
	return name.String()
}

// AllFlags returns the flags of the command and of the commands that contain it, the flags of the
// program first.
func (c *Command) AllFlags() []*Flag {
	if c.Parent == nil {
		return c.Flags()
	}
	return slices.Concat(c.Parent.AllFlags(), c.Flags())
}

// Flag returns the flag with a name or an alias, without dashes, or nil.
func (c *Command) Flag(name string) *Flag {
	for _, f := range c.AllFlags() {
		if f.Name == name || slices.Contains(f.aliases, name) {
			return f
		}
	}
	return nil
}

// Command returns the subcommand with a name, or nil.
func (c *Command) Command(name string) *Command {
	for _, child := range c.Commands() {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// Path returns the names of the command and of the commands that contain it, without the program:
// "keys create". It is "" for the program.
func (c *Command) Path() string {
	if c.Parent == nil {
		return ""
	}
	return strings.TrimPrefix(c.Parent.Path()+" "+c.Name, " ")
}

// visible returns the subcommands that are not hidden.
func (c *Command) visible() []*Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(child *Command) bool { return child.Hidden })
}
