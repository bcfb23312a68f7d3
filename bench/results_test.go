package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// section is a part of RESULTS.md: what a benchmark measured, and how to read it.
type section struct {
	// Name is the name of its files. Sections are in the order of their names.
	Name, Title string
	// Explanation describes in plain words what was measured.
	Explanation string
	// Date, Machine and Versions describe the measurement.
	Date, Machine, Versions string
	Titles                  []string
	Lines                   [][]string
	// Bars are the bars of the chart. Without bars, there is no chart.
	Bars []bar
}

// bar is a bar of a chart: how many times as much time another program takes.
type bar struct {
	Label string
	Ratio float64
	// Goal is the minimum of the ratio, or 0 if there is none.
	Goal float64
}

// resultsFolder holds the measurements from which RESULTS.md is generated, and the charts.
const resultsFolder = "results"

// publish stores what a full run measured, if INTRAY_BENCH_RESULTS is set, and generates RESULTS.md.
func (s section) publish(t *testing.T) {
	t.Helper()
	if os.Getenv("INTRAY_BENCH_RESULTS") == "" || !full() || raced() {
		return
	}
	s.Date, s.Machine = time.Now().UTC().Format(time.DateOnly), machine()
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(resultsFolder, 0o750); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(resultsFolder, s.Name+".json"), append(text, '\n'))
	for name, text := range resultFiles(t) {
		write(t, name, text)
	}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// resultFiles returns RESULTS.md and the charts, generated from the stored measurements.
func resultFiles(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(resultsFolder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	if len(names) == 0 {
		return files // nothing has been measured yet
	}
	slices.Sort(names)
	var page strings.Builder
	page.WriteString("# Results\n\n`make bench` generates this page. [README.md](README.md) explains how it measures. " +
		"A ratio of 2 means that the other program takes twice as much time as Intray. " +
		"Figures in brackets are the least and the most of all runs.\n")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var s section
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(s.Bars) > 0 {
			files[filepath.Join(resultsFolder, s.Name+".svg")] = []byte(s.chart())
		}
		page.WriteString(s.markdown())
	}
	files["RESULTS.md"] = []byte(page.String())
	return files
}

func (s section) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s; %s; %s\n", s.Title, s.Explanation, s.Date, s.Machine, s.Versions)
	if len(s.Bars) > 0 {
		fmt.Fprintf(&b, "\n![%s](%s/%s.svg)\n", s.Title, resultsFolder, s.Name)
	}
	cells := func(line []string) {
		for _, cell := range line {
			fmt.Fprintf(&b, "| %s ", strings.ReplaceAll(cell, "|", `\|`))
		}
		b.WriteString("|\n")
	}
	b.WriteString("\n")
	cells(s.Titles)
	cells(slices.Repeat([]string{"---"}, len(s.Titles)))
	for _, line := range s.Lines {
		cells(line)
	}
	return b.String()
}

const (
	// These are the sizes of a chart, in pixels.
	chartWidth, labelWidth, barHeight, barGap = 900, 430, 18, 8
)

// chart returns a chart as SVG. Colors fit light and dark pages.
func (s section) chart() string {
	most := 1.0
	for _, one := range s.Bars {
		most = max(most, one.Ratio, one.Goal)
	}
	scale := (chartWidth - labelWidth - 70) / most
	height := len(s.Bars)*(barHeight+barGap) + 30
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13" fill="#777">`+"\n", chartWidth, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escapeXML(s.Title))
	one := labelWidth + scale
	for i, bar := range s.Bars {
		y := i * (barHeight + barGap)
		color := "#2f855a"
		if bar.Ratio < cmp.Or(bar.Goal, 1) {
			color = "#c05621"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", labelWidth-8, y+14, escapeXML(bar.Label))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", labelWidth, y, max(bar.Ratio, 0)*scale, barHeight, color)
		if bar.Goal > 0 {
			fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="2" height="%d" fill="#777"/>`+"\n", labelWidth+bar.Goal*scale, y-2, barHeight+4)
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`+"\n", labelWidth+max(bar.Ratio, bar.Goal)*scale+6, y+14, factor(bar.Ratio))
	}
	fmt.Fprintf(&b, `<line x1="%.1f" y1="0" x2="%[1]f" y2="%d" stroke="#777" stroke-dasharray="3 3"/>`+"\n", one, height-22)
	fmt.Fprintf(&b, `<text x="%d" y="%d">times the CPU time of Intray; the dashed line is 1, and a short line is a goal</text>`+"\n", labelWidth, height-6)
	b.WriteString("</svg>\n")
	return b.String()
}

func escapeXML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// TestResults checks that RESULTS.md and the charts are those of the stored measurements.
func TestResults(t *testing.T) {
	for name, want := range resultFiles(t) {
		got, err := os.ReadFile(name)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not generated from the measurements in %s (%v); run make bench", name, resultsFolder, err)
		}
	}
}

func TestSection(t *testing.T) {
	s := section{Name: "1-a", Title: "A < B", Explanation: "Why.", Titles: []string{"x|y"}, Lines: [][]string{{"1"}}, Bars: []bar{{"slow & old", 2, 3}, {"new", 4, 3}}}
	for _, part := range []string{"## A < B", "Why.", "![A < B](results/1-a.svg)", `| x\|y |`, "| --- |", "| 1 |"} {
		if !strings.Contains(s.markdown(), part) {
			t.Errorf("the page lacks %q:\n%s", part, s.markdown())
		}
	}
	for _, part := range []string{"A &lt; B", "slow &amp; old", ">2.00<", ">4.00<", "#c05621", "#2f855a"} {
		if !strings.Contains(s.chart(), part) {
			t.Errorf("the chart lacks %q:\n%s", part, s.chart())
		}
	}
}
