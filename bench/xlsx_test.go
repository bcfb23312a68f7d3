package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/bench/benchdata"
)

// contestXLSX reads a workbook. Dates and amounts are not compared with the raw rows of excelize, which
// have the stored numbers. Intray returns these and also the text that Excel displays.
func contestXLSX(t *testing.T, r *report) {
	us := ours()
	us.goal = goal{peak: 128e6}
	c := generated(t, "XLSX", "xlsx", benchdata.Header, share(200_000))
	displayed := c
	displayed.name = "XLSX, displayed"
	c.alike, c.contestants = columnsBut(c.header, "signed_up", "amount"), []contestant{us}
	displayed.alike, displayed.contestants = columnsBut(c.header), []contestant{us}
	if program := excelize(t); program != "" {
		c.contestants = append(c.contestants, contestant{name: "excelize, raw rows", command: []string{program}, goal: goal{cpu: 15}})
		displayed.contestants = append(displayed.contestants, contestant{name: "excelize", command: []string{program, "displayed"}, goal: goal{cpu: 15}})
	}
	displayed.contestants = append(displayed.contestants, bookReaders(t, r, calamine, calamineSheets)...)
	r.contest(t, c)
	r.contest(t, displayed)
}

// excelize builds the program in bench/versus. It returns "" if the modules are not available.
func excelize(t *testing.T) (program string) {
	t.Helper()
	if out, err := versus(t, "mod", "download"); err != nil {
		t.Run("excelize", func(t *testing.T) {
			t.Skipf("SKIPPED: the modules of excelize are not available to compare with; "+
				"run go mod download in bench/versus where the network is: %v, %.300s", err, strings.TrimSpace(out))
		})
		return ""
	}
	program = filepath.Join(t.TempDir(), "versus")
	if out, err := versus(t, "build", "-o", program, "."); err != nil {
		t.Fatalf("build bench/versus: %v\n%s", err, out)
	}
	return program
}

func excelizeVersion(t *testing.T) string {
	t.Helper()
	out, err := os.ReadFile("versus/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(out), "github.com/xuri/excelize/v2 ")
	if !found {
		t.Fatal("bench/versus/go.mod does not require excelize")
	}
	version, _, _ := strings.Cut(after, "\n")
	return "excelize " + version
}

// versus runs a go command in the module bench/versus.
func versus(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Dir = "versus"
	out, err := command.CombinedOutput()
	return string(out), err
}
