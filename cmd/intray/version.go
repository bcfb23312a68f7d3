package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

type versionCommand struct{ listFlags }

// versionReport is the JSON form of the version.
type versionReport struct {
	Version string `json:"version"`
	// Commit and Date are the commit from which the program was built and its date. They are "" if the
	// build did not record them. Modified means that the source code had other changes.
	Commit   string `json:"commit"`
	Date     string `json:"date"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run prints the version. Scripts rely on the first line.
func (c *versionCommand) Run(_ context.Context, s streams) error {
	r := newVersionReport()
	return c.write(s.out, r, r.writeText)
}

func newVersionReport() versionReport {
	r := versionReport{Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return r
	}
	for _, setting := range built.Settings {
		switch setting.Key {
		case "vcs.revision":
			r.Commit = setting.Value
		case "vcs.time":
			r.Date = setting.Value
		case "vcs.modified":
			r.Modified = setting.Value == "true"
		}
	}
	return r
}

func (r versionReport) writeText(w io.Writer) error {
	fmt.Fprintln(w, "intray", r.Version)
	if r.Commit != "" {
		modified := ""
		if r.Modified {
			modified = ", with changes"
		}
		fmt.Fprintf(w, "commit    %s of %s%s\n", r.Commit, r.Date, modified)
	}
	fmt.Fprintf(w, "go        %s\nplatform  %s\n", r.Go, r.Platform)
	return nil
}

// released is the version of a release build. It is empty in other builds, which
// report their commit.
var released = ""

func version() string {
	if released != "" {
		return released
	}
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range built.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
			return "0.1.0-dev+" + setting.Value[:12]
		}
	}
	return "0.1.0-dev"
}
