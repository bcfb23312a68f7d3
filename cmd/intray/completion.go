package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray/internal/commandline"
)

// The scripts ask the program itself for the candidates, so that they always fit its version.
// Each line of the answer has a candidate and, after a tab, its description. If there is no
// answer, the shell completes file names.
var completionScripts = map[string]string{
	"bash": `_intray() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <("${COMP_WORDS[0]}" completion-candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o bashdefault -F _intray intray
`,
	"zsh": `#compdef intray
_intray() {
  local line
  local -a candidates
  while IFS= read -r line; do
    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done < <("${words[1]}" completion-candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#candidates} )); then
    _describe intray candidates
  else
    _files
  fi
}
compdef _intray intray
`,
	"fish": `function __intray_candidates
  set -l words (commandline -opc) (commandline -ct)
  $words[1] completion-candidates -- $words[2..-1] 2>/dev/null
end
complete -c intray -f -n 'test -n "$(__intray_candidates)"' -a '(__intray_candidates)'
`,
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

// Help returns the text that --help prints after the flags.
func (completionCommand) Help() string {
	return `To load completions in every new shell, run one of these commands once:

  intray completion bash >~/.local/share/bash-completion/completions/intray
  intray completion zsh >"${fpath[1]}/_intray"
  intray completion fish >~/.config/fish/completions/intray.fish`
}

// Run prints the script.
func (c *completionCommand) Run(_ context.Context, s streams) error {
	_, err := io.WriteString(s.out, completionScripts[c.Shell])
	return err
}

// candidatesCommand prints the candidates for the last word of a command line.
type candidatesCommand struct {
	Words []string `arg:"" optional:"" help:"Words of the command line after the name of the program."`
}

// Run prints the candidates.
func (c *candidatesCommand) Run(_ context.Context, s streams) error {
	for _, found := range candidates(newProgram(), c.Words) {
		if _, err := fmt.Fprintf(s.out, "%s\t%s\n", found.text, found.help); err != nil {
			return err
		}
	}
	return nil
}

// candidate is a word that can be completed, with a description.
type candidate struct{ text, help string }

// candidates returns the candidates for the last word: commands, flags, or the values of a flag
// or an argument with a fixed set of values. It returns nothing where a file name is expected.
func candidates(command *commandline.Command, words []string) (found []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	if len(before) > 0 && before[0] == "help" {
		before = before[1:]
	}
	var flag *commandline.Flag
	arguments := 0
	for _, word := range before {
		switch child := command.Command(word); {
		case flag != nil && word == "=": // bash splits --flag=value into three words
		case flag != nil:
			flag = nil
		case strings.HasPrefix(word, "-"):
			if flag = flagNamed(command, word); flag != nil && (flag.IsBool() || strings.Contains(word, "=")) {
				flag = nil
			}
		case child != nil && !child.Hidden:
			command = child
		default:
			arguments++
		}
	}
	for _, c := range allCandidates(command, flag, arguments, last) {
		if strings.HasPrefix(c.text, last) {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Compare(a.text, b.text) })
	return slices.Compact(found)
}

// allCandidates returns the candidates for the word last, which may begin differently. flag is the
// flag whose value the word is, or nil. arguments is the number of arguments of the command before
// the word.
func allCandidates(command *commandline.Command, flag *commandline.Flag, arguments int, last string) (all []candidate) {
	switch {
	case flag != nil:
		all = valueCandidates(&flag.Value, "")
	case strings.HasPrefix(last, "--") && strings.Contains(last, "="):
		name, _, _ := strings.Cut(last, "=")
		if flag = flagNamed(command, name); flag != nil {
			all = valueCandidates(&flag.Value, name+"=")
		}
	case strings.HasPrefix(last, "-"):
		for _, f := range command.AllFlags() {
			all = append(all, candidate{"--" + f.Name, f.Help})
		}
	default:
		for _, child := range command.Commands() {
			if !child.Hidden {
				all = append(all, candidate{child.Name, child.Help})
			}
		}
		if arguments < len(command.Arguments()) {
			all = append(all, valueCandidates(command.Arguments()[arguments], "")...)
		}
	}
	return all
}

// flagNamed returns the flag of a word such as --out or --out=result.csv, or nil.
func flagNamed(command *commandline.Command, word string) *commandline.Flag {
	name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	return command.Flag(name)
}

// valueCandidates returns the values of a flag or an argument with a fixed set of values.
func valueCandidates(value *commandline.Value, prefix string) (found []candidate) {
	for _, text := range value.Enum {
		if text != "" {
			found = append(found, candidate{prefix + text, value.Help})
		}
	}
	return found
}
