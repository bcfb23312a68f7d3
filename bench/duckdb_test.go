package bench

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// These are the versions to install if python3 has no DuckDB or polars.
const (
	wantedDuckDB = "duckdb==2.0.0"
	wantedPolars = "polars==2.1.0"
)

// duckDB returns a python3 that has DuckDB, and the versions of both. If DuckDB is missing,
// a full run installs it in the temporary folder, together with the other Python packages.
func duckDB(t *testing.T) (python, version string) {
	t.Helper()
	if version, err := askDuckDB("python3"); err == nil {
		return "python3", version
	}
	python = filepath.Join(t.TempDir(), "python", "bin", "python")
	if full() && installPackages(python) == nil {
		if version, err := askDuckDB(python); err == nil {
			return python, version
		}
	}
	return "", ""
}

// askDuckDB returns the versions of Python and of its DuckDB.
func askDuckDB(python string) (string, error) {
	return askPython(python, `import duckdb, platform; print("Python " + platform.python_version() + ", DuckDB " + duckdb.__version__)`)
}

// askPolars returns the version of the polars of a Python interpreter.
func askPolars(python string) (string, error) {
	return askPython(python, `import polars; print("polars " + polars.__version__)`)
}

// askPython returns the output of a Python program.
func askPython(python, program string) (string, error) {
	out, err := exec.Command(python, "-c", program).Output()
	return strings.TrimSpace(string(out)), err
}

// installPackages creates a Python interpreter with the packages that the benchmarks use.
func installPackages(python string) error {
	if err := exec.Command("python3", "-m", "venv", filepath.Dir(filepath.Dir(python))).Run(); err != nil {
		return err
	}
	// Only files of the packages with tables are used, not their dependencies.
	for _, packages := range [][]string{{wantedDuckDB, wantedPolars, wantedXLSXWriter}, {wantedCalamine, wantedXLRD, wantedPandas, wantedODF, wantedLXML}, {"--no-deps", wantedFlights, wantedTables}} {
		install := append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check"}, packages...)
		if err := exec.Command(python, install...).Run(); err != nil {
			return err
		}
	}
	return nil
}

// skipWithoutDuckDB skips a test if DuckDB is not available.
func skipWithoutDuckDB(t *testing.T) {
	t.Helper()
	t.Run("DuckDB", func(t *testing.T) {
		t.Skip("SKIPPED: python3 has no DuckDB to compare with; pip install " + wantedDuckDB)
	})
}

// duckDBCommand returns the command that runs read_duckdb.py for files of the given form.
func duckDBCommand(python, form string) []string {
	return []string{python, "read_duckdb.py", form}
}
