package bench

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wantedDuckDB is the version to install if python3 has no DuckDB.
const wantedDuckDB = "duckdb==1.3.2"

// duckDB returns a python3 that has DuckDB, and the versions of both. If DuckDB is missing,
// a full run installs it in the temporary folder.
func duckDB(t *testing.T) (python, version string) {
	t.Helper()
	if version, err := askDuckDB("python3"); err == nil {
		return "python3", version
	}
	python = filepath.Join(t.TempDir(), "python", "bin", "python")
	if full() && installDuckDB(python) == nil {
		if version, err := askDuckDB(python); err == nil {
			return python, version
		}
	}
	return "", ""
}

// askDuckDB returns the versions of Python and of its DuckDB.
func askDuckDB(python string) (string, error) {
	const program = `import duckdb, platform; print("Python " + platform.python_version() + ", DuckDB " + duckdb.__version__)`
	out, err := exec.Command(python, "-c", program).Output()
	return strings.TrimSpace(string(out)), err
}

func installDuckDB(python string) error {
	if err := exec.Command("python3", "-m", "venv", filepath.Dir(filepath.Dir(python))).Run(); err != nil {
		return err
	}
	return exec.Command(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wantedDuckDB).Run()
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
