package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/intraydata/intray/internal/commandline"
	"github.com/intraydata/intray/internal/jsonschema"
)

// variablePrefix begins the name of every environment variable of this program.
const variablePrefix = "INTRAY_"

// foreignVariables matches variables that Kubernetes sets for a Service whose name begins with intray.
var foreignVariables = regexp.MustCompile(`^INTRAY_((.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?))$`)

// unusedVariable is an environment variable that has no effect, or a former name.
type unusedVariable struct {
	name string
	// similar is the name of a variable that may be meant, or "". former means that name is a
	// former name of it.
	similar string
	former  bool
	// replaced means that the variable with the current name is also set.
	replaced bool
}

func (v unusedVariable) problem() string {
	switch {
	case v.replaced:
		return fmt.Sprintf("%s is ignored, because %s is set, which is its current name.", v.name, v.similar)
	case v.former:
		return fmt.Sprintf("%s is the former name of %s.", v.name, v.similar)
	}
	return fmt.Sprintf("%s is ignored, because there is no such variable.", v.name)
}

func (v unusedVariable) fix() string {
	switch {
	case v.replaced:
		return "Unset it."
	case v.former, v.similar != "":
		return fmt.Sprintf("Rename it to %s.", v.similar)
	}
	return "Unset it. For all variables, run: intray serve --help"
}

// unusedVariables returns the variables of this program in an environment, each as NAME=VALUE, that have
// no effect or a former name, sorted by name. Variables that only other commands use are known.
func unusedVariables(program *commandline.Command, environ []string) (list []unusedVariable) {
	known, former := []string{}, map[string]string{}
	for _, secret := range secretVariables {
		known = append(known, secret, secret+"_FILE")
	}
	addVariables(program, &known, former)
	set := map[string]bool{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value != ""
	}
	for name := range set {
		current, renamed := former[name]
		switch {
		case !strings.HasPrefix(name, variablePrefix), slices.Contains(known, name), foreignVariables.MatchString(name):
		case renamed:
			list = append(list, unusedVariable{name: name, similar: current, former: true, replaced: set[current]})
		default:
			list = append(list, unusedVariable{name: name, similar: similarVariable(name, known)})
		}
	}
	slices.SortFunc(list, func(a, b unusedVariable) int { return strings.Compare(a.name, b.name) })
	return list
}

// addVariables adds the variables of all flags of a command and its subcommands.
func addVariables(command *commandline.Command, known *[]string, former map[string]string) {
	for _, flag := range command.Flags() {
		if flag.Env != "" && !slices.Contains(*known, flag.Env) {
			*known = append(*known, flag.Env)
		}
		if flag.FormerEnv != "" {
			former[flag.FormerEnv] = flag.Env
		}
	}
	for _, child := range command.Commands() {
		addVariables(child, known, former)
	}
}

// similarVariable returns the known variable whose name differs from name by at most three characters, or
// "". If several do, it returns the closest one.
func similarVariable(name string, known []string) (closest string) {
	best := 4
	for _, k := range known {
		if d := jsonschema.Distance(name, k, best); d < best {
			best, closest = d, k
		}
	}
	return closest
}
