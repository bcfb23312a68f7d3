package commandline

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// helpGap is the distance between the names and the descriptions in the help.
const helpGap = 4

// WriteHelp writes the help of the command in lines of at most width characters.
func (c *Command) WriteHelp(w io.Writer, width int) error {
	var b strings.Builder
	c.writeUsage(&b)
	texts := []string{c.Help}
	if detailed, ok := c.Target.(interface{ Help() string }); ok {
		texts = append(texts, detailed.Help())
	}
	for _, text := range texts {
		b.WriteByte('\n')
		writeText(&b, text, width)
	}
	arguments := make([]row, 0, len(c.Arguments()))
	for _, a := range c.Arguments() {
		arguments = append(arguments, row{"  " + a.argumentUsage(), a.Help})
	}
	leaves := c.leaves()
	commands := make([]row, 0, len(leaves))
	for _, child := range leaves {
		commands = append(commands, row{"  " + child.Path(), child.Help})
	}
	writeRows(&b, "Arguments", arguments, width)
	writeRows(&b, "Flags", c.flagRows(), width)
	writeRows(&b, "Commands", commands, width)
	if c.Parent == nil {
		fmt.Fprintf(&b, "\nRun \"%s <command> --help\" for more information on a command.\n", c.Name)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeUsage writes the line that shows how the command is called.
func (c *Command) writeUsage(b *strings.Builder) {
	program := c
	for program.Parent != nil {
		program = program.Parent
	}
	words := []string{"Usage:", program.Name}
	if c.Parent != nil {
		words = append(words, c.Path())
	}
	for _, f := range c.Flags() {
		if f.Required {
			words = append(words, f.usage())
		}
	}
	for _, a := range c.Arguments() {
		words = append(words, a.argumentUsage())
	}
	if len(c.Commands()) > 0 {
		words = append(words, "<command>")
	}
	b.WriteString(strings.Join(append(words, "[flags]"), " ") + "\n")
}

// leaves returns the visible commands below the command that are not groups.
func (c *Command) leaves() (list []*Command) {
	for _, child := range c.visible() {
		if len(child.Commands()) == 0 {
			list = append(list, child)
		}
		list = append(list, child.leaves()...)
	}
	return list
}

// usage returns the flag with its placeholder: --out=FILE.
func (f *Flag) usage() string {
	name, placeholder := "--"+f.Name, f.Placeholder
	switch {
	case f.IsBool():
		return name
	case placeholder == "" && f.Enum != nil:
		placeholder = strings.Join(f.Enum, "|")
	case placeholder == "":
		placeholder = "VALUE"
	}
	if f.isList() {
		placeholder += ",..."
	}
	return name + "=" + placeholder
}

// argumentUsage returns the argument as the help shows it.
func (v *Value) argumentUsage() string {
	text := "<" + v.Name + ">"
	if v.isList() {
		text += " ..."
	}
	if !v.Required {
		text = "[" + text + "]"
	}
	return text
}

// row is a row of a list in the help: a name and its description.
type row struct{ name, help string }

// flagRows returns the rows of the flags. An empty row separates inherited flags from others.
func (c *Command) flagRows() (rows []row) {
	inherited := len(c.AllFlags()) - len(c.Flags())
	for i, f := range c.AllFlags() {
		if i == inherited && i > 0 {
			rows = append(rows, row{})
		}
		prefix := "      "
		if f.short != "" {
			prefix = "  -" + f.short + ", "
		}
		rows = append(rows, row{prefix + f.usage(), f.description()})
	}
	return rows
}

// description returns the help of the flag with its default, unless the help states it, and its
// variable.
func (f *Flag) description() string {
	var notes []string
	if f.Default != "" && f.Default != "0" && !strings.Contains(f.Help, "Default") {
		notes = append(notes, "default "+f.Default)
	}
	if f.Env != "" {
		notes = append(notes, "$"+f.Env)
	}
	if notes == nil {
		return f.Help
	}
	text, isSentence := strings.CutSuffix(f.Help, ".")
	text += " (" + strings.Join(notes, ", ") + ")"
	if isSentence {
		text += "."
	}
	return text
}

// writeRows writes a list with aligned descriptions. Names that take more than half of the width
// have their description on the next line.
func writeRows(b *strings.Builder, title string, rows []row, width int) {
	if len(rows) == 0 {
		return
	}
	left := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.name) + helpGap; n <= width/2 {
			left = max(left, n)
		}
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, r := range rows {
		line := r.name
		for i, text := range wrap(r.help, width-left) {
			if i > 0 || utf8.RuneCountInString(line)+helpGap > left && line != "" {
				b.WriteString(line + "\n")
				line = ""
			}
			line += strings.Repeat(" ", left-utf8.RuneCountInString(line)) + text
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// writeText writes paragraphs, which empty lines separate. It wraps their lines, except indented
// ones.
func writeText(b *strings.Builder, text string, width int) {
	var paragraph []string
	flush := func() {
		for _, line := range wrap(strings.Join(paragraph, " "), width) {
			b.WriteString(line + "\n")
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		if paragraph != nil {
			flush()
		}
		if line != "" {
			line = "  " + line
		}
		b.WriteString(line + "\n")
	}
	if paragraph != nil {
		flush()
	}
}

// wrap breaks text at spaces into lines of at most width characters. Longer words have their own
// line.
func wrap(text string, width int) (lines []string) {
	line, length := "", 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			line, length = word, n
		case length+1+n <= width:
			line, length = line+" "+word, length+1+n
		default:
			lines = append(lines, line)
			line, length = word, n
		}
	}
	return append(lines, line)
}
