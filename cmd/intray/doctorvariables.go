package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/intraydata/intray/server/doctor"
)

// invalidVariablesKey is the key of the findings in the context of intray doctor.
type invalidVariablesKey struct{}

// withoutInvalidVariables unsets the environment variables with which the arguments of a command cannot
// be parsed, such as INTRAY_MAX_RUNS=many, so that intray doctor can report them and check all other
// settings. The returned context contains the findings. parse parses the arguments with the variables
// that are set at the time of the call.
func withoutInvalidVariables(ctx context.Context, parse func() error) context.Context {
	values := map[string]string{}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, variablePrefix) {
			values[name] = value
		}
	}
	each := func(change func(name, value string)) {
		for name, value := range values {
			change(name, value)
		}
	}
	unset := func(name, _ string) { _ = os.Unsetenv(name) }
	set := func(name, value string) { _ = os.Setenv(name, value) } // it was set before
	each(unset)
	defer each(set)
	if parse() != nil {
		return ctx // the arguments are wrong
	}
	var invalid []doctor.Finding
	each(func(name, value string) {
		set(name, value)
		if parse() != nil {
			invalid = append(invalid, doctor.Finding{
				Status: doctor.Failure, Where: name, Problem: fmt.Sprintf("%s cannot have the value %q, so the server does not start.", name, value),
				Fix: "Correct or unset it. For its format, run: intray serve --help",
			})
			delete(values, name)
		}
		unset(name, value)
	})
	return context.WithValue(ctx, invalidVariablesKey{}, invalid)
}

// invalidVariables returns the findings of withoutInvalidVariables.
func invalidVariables(ctx context.Context) []doctor.Finding {
	list, _ := ctx.Value(invalidVariablesKey{}).([]doctor.Finding)
	return list
}
