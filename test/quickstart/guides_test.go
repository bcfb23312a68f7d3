package quickstart

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/test/livetest"
)

// guide returns the commands of the first steps of the quickstart, followed by those of a page
// that continues it. from is the number of these steps. It skips code blocks whose language is
// not sh or text.
func guide(t *testing.T, name string, from int) []step {
	t.Helper()
	skipWithoutPrograms(t, name)
	before, _, found := strings.Cut(read(t, root(t), "docs", "quickstart.md"), "\n## "+string(rune('1'+from))+". ")
	if !found {
		t.Fatalf("the quickstart has no step %d", from+1)
	}
	page := before + "\n\n" + read(t, root(t), "docs", name)
	steps := stepsOf(t, page)
	for i := range steps {
		steps[i].line -= strings.Count(before, "\n") + 2
	}
	return withReview(steps)
}

// follow runs the steps of a guide and stops the server.
func follow(t *testing.T, steps []step, bin string) {
	t.Helper()
	runSteps(t, append(steps, step{command: "kill \"$SERVER\"\nwait \"$SERVER\"\n"}), bin)
}

// runSteps runs the steps in one shell and checks that the output matches what the page shows.
func runSteps(t *testing.T, steps []step, bin string) {
	t.Helper()
	outputs := runShell(t, steps, bin)
	for i, s := range steps {
		if i >= len(outputs) {
			t.Fatalf("line %d: the shell did not reach this command:\n%s", s.line, s.command)
		}
		if s.shown != "" && !shows(s.shown, outputs[i]) {
			t.Errorf("line %d: the page shows\n%s\nbut the output is:\n%s", s.line, s.shown, outputs[i])
		}
	}
}

// program returns the first code block in the given language on a page.
func program(t *testing.T, page, language string) string {
	t.Helper()
	for _, b := range blocks(page) {
		if b.language == language {
			return b.text
		}
	}
	t.Fatalf("the page has no program in %s", language)
	return ""
}

// TestGuides checks the commands of the pages that continue the quickstart.
func TestGuides(t *testing.T) {
	t.Parallel()
	bin := install(t, read(t, root(t), "docs", "quickstart.md"))
	t.Run("webhooks", func(t *testing.T) { t.Parallel(); followWebhooks(t, bin) })
	t.Run("sftp", func(t *testing.T) { t.Parallel(); followSFTP(t, bin) })
	t.Run("hooks", func(t *testing.T) { t.Parallel(); follow(t, guide(t, "hooks.md", 1), bin) })
	t.Run("retention", func(t *testing.T) { t.Parallel(); follow(t, guide(t, "retention.md", 6), bin) })
}

// TestGuideWithoutServer checks the commands of the page that needs no server.
func TestGuideWithoutServer(t *testing.T) {
	t.Parallel()
	runSteps(t, stepsOf(t, read(t, root(t), "docs", "fields.md")), install(t, read(t, root(t), "docs", "quickstart.md")))
}

// followWebhooks builds the webhook receiver of the page and runs the page's commands.
func followWebhooks(t *testing.T, bin string) {
	steps := guide(t, "webhooks.md", 1)
	page := read(t, root(t), "docs", "webhooks.md")
	const at = "127.0.0.1:3000"
	own := "127.0.0.1:" + freePort(t)
	// The receiver uses the library of Standard Webhooks, which only this module requires.
	tools := filepath.Join(root(t), "tools")
	folder := t.TempDir()
	source, overlay := filepath.Join(folder, "main.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(tools, "standardwebhooks", "receiver", "main.go"): source}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{source: strings.ReplaceAll(program(t, page, "go"), at, own), overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-o", filepath.Join(bin, "receiver"), "./standardwebhooks/receiver")
	build.Dir = tools
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i := range steps {
		steps[i].command = strings.ReplaceAll(steps[i].command, at, own)
	}
	follow(t, steps, bin)
}

// TestWebhooksGuideJavaScript checks the syntax of the JavaScript receiver. The webhook
// tests check that the library works.
func TestWebhooksGuideJavaScript(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed, which checks the JavaScript of docs/webhooks.md")
	}
	file := filepath.Join(t.TempDir(), "receiver.mjs")
	if err := os.WriteFile(file, []byte(program(t, read(t, root(t), "docs", "webhooks.md"), "js")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(node, "--check", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// followSFTP runs the commands of the SFTP page with a test server.
func followSFTP(t *testing.T, bin string) {
	steps := guide(t, "sftp.md", 1)
	folder := t.TempDir()
	file := filepath.Join(folder, "in", "people-1.csv")
	for _, name := range []string{"in", "out"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte("Name,E-mail\nAda,ada@example.org\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rested := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, rested, rested); err != nil {
		t.Fatal(err)
	}
	port := sftpServer(t, "acme", "correct horse")
	begin := step{command: "export INTRAY_EGRESS_ALLOW=127.0.0.0/8 SFTP_HOST=127.0.0.1 SFTP_PORT=" + port + " SFTP_FOLDER=" + folder + "\n"}
	follow(t, append([]step{begin}, steps...), bin)
}

// sftpServer starts an SFTP server for one user with a password and returns its port. It
// serves the files of this machine.
func sftpServer(t *testing.T, user, password string) (port string) {
	t.Helper()
	cfg := &ssh.ServerConfig{PasswordCallback: func(c ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
		if c.User() != user || string(given) != password {
			return nil, errors.New("refused")
		}
		return nil, nil
	}}
	cfg.AddHostKey(livetest.NewSSHKey(t))
	return strconv.Itoa(livetest.Listen(t, func(conn net.Conn) { livetest.ServeSFTP(conn, cfg, livetest.MachineFiles) }))
}
