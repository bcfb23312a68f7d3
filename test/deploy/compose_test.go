package deploy

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// copyCompose copies the folder of the compose file, and creates its settings.
func copyCompose(t *testing.T, host string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "compose")
	if err := os.CopyFS(folder, os.DirFS(repository(t, "deploy/compose"))); err != nil {
		t.Fatal(err)
	}
	// A developer may use the folder of the repository.
	_ = os.Remove(filepath.Join(folder, ".env"))
	output(t, "sh", filepath.Join(folder, "create-env"), host)
	return folder
}

// settings reads the file that create-env has written.
func settings(t *testing.T, folder string) types.Mapping {
	t.Helper()
	values, err := dotenv.Read(filepath.Join(folder, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// loadCompose checks the compose file with the schema of its specification, and returns the project.
func loadCompose(t *testing.T, folder string, values types.Mapping) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir: folder, ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(folder, "compose.yaml")}}, Environment: values,
	})
}

// mustLoadCompose returns the project with new settings.
func mustLoadCompose(t *testing.T, host string) (project *types.Project, folder string) {
	t.Helper()
	folder = copyCompose(t, host)
	project, err := loadCompose(t, folder, settings(t, folder))
	if err != nil {
		t.Fatal(err)
	}
	return project, folder
}

// pinnedImage matches an image with a complete version.
var pinnedImage = regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z0-9.]+)?$`)

// TestComposeServices checks that each service is restricted, limited and supervised.
func TestComposeServices(t *testing.T) {
	project, _ := mustLoadCompose(t, "intray.example.org")
	if names := project.ServiceNames(); len(names) < 6 {
		t.Fatalf("the compose file has only the services %q", names)
	}
	for name, service := range project.Services {
		if !pinnedImage.MatchString(service.Image) {
			t.Errorf("%s: the image %s has no complete version", name, service.Image)
		}
		if !service.ReadOnly || service.Privileged || !slices.Equal(service.CapDrop, []string{"ALL"}) || !slices.Contains(service.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s: the service is not restricted", name)
		}
		if limits := service.Deploy.Resources.Limits; limits == nil || limits.MemoryBytes == 0 || limits.NanoCPUs == 0 || limits.Pids == 0 {
			t.Errorf("%s: the service has no limits", name)
		}
		if name == "s3-bucket" { // ends after it has created the bucket
			continue
		}
		if service.Restart != "unless-stopped" {
			t.Errorf("%s: the restart policy is %q", name, service.Restart)
		}
		if service.HealthCheck == nil && !strings.HasPrefix(name, "intray-") {
			t.Errorf("%s: the service has no health check", name)
		}
		if len(service.Ports) > 0 && name != "proxy" {
			t.Errorf("%s: the service is reachable without the proxy", name)
		}
		// The server exits within 10 s.
		if strings.HasPrefix(name, "intray-") && (service.StopGracePeriod == nil || time.Duration(*service.StopGracePeriod) <= 10*time.Second) {
			t.Errorf("%s: the service has no time to stop", name)
		}
	}
	if !project.Networks["back"].Internal {
		t.Error("the database and the bucket can connect to other networks")
	}
}

// TestComposeSettings checks that the compose file starts nothing unless all settings exist, and
// contains no secrets.
func TestComposeSettings(t *testing.T) {
	folder := copyCompose(t, "intray.example.org")
	values := settings(t, folder)
	for name := range values {
		without := values.Clone()
		delete(without, name)
		if _, err := loadCompose(t, folder, without); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s, the error is %v", name, err)
		}
	}
	variable := regexp.MustCompile(`\$\{([A-Z0-9_]+)([^}]*)\}`)
	used := map[string]bool{}
	for _, match := range variable.FindAllStringSubmatch(read(t, filepath.Join(folder, "compose.yaml")), -1) {
		used[match[1]] = true
		if match[1] == "IMAGE" { // has a default
			continue
		}
		if match[2] != ":?run create-env" {
			t.Errorf("%s is not required", match[0])
		}
	}
	for name := range values {
		if !used[name] {
			t.Errorf("create-env writes %s, which the compose file does not use", name)
		}
	}
}

// TestComposeImage checks that the compose file uses the image of the release, as the chart does, or
// another one in IMAGE.
func TestComposeImage(t *testing.T) {
	folder := copyCompose(t, "localhost")
	values := settings(t, folder)
	version := regexp.MustCompile(`(?m)^appVersion: (.+)$`).FindStringSubmatch(read(t, repository(t, "deploy/helm/intray/Chart.yaml")))
	repo := regexp.MustCompile(`(?m)^  repository: (.+)$`).FindStringSubmatch(read(t, repository(t, "deploy/helm/intray/values.yaml")))
	if version == nil || repo == nil {
		t.Fatal("the chart names no image")
	}
	if push := read(t, repository(t, "tools/release/push.go")); !strings.Contains(push, `"`+repo[1]+`"`) {
		t.Errorf("a release does not push its image to %s", repo[1])
	}
	for image, want := range map[string]string{"": repo[1] + ":" + version[1], "intray:0.1.0": "intray:0.1.0"} {
		values["IMAGE"] = image
		project, err := loadCompose(t, folder, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"intray-1", "intray-2"} {
			if got := project.Services[name].Image; got != want {
				t.Errorf("with IMAGE=%s, %s has the image %s, want %s", image, name, got, want)
			}
		}
	}
}

// TestComposeSecrets checks that create-env generates different secrets each time, that only their
// owner can read them, and that it does not replace them.
func TestComposeSecrets(t *testing.T) {
	folder := copyCompose(t, "localhost")
	first, second := settings(t, folder), settings(t, copyCompose(t, "localhost"))
	for name, value := range first {
		if name == "SITE_HOST" || name == "FRONT_SUBNET" || name == "S3_ACCESS_KEY" {
			continue
		}
		if value == second[name] || len(value) < 40 {
			t.Errorf("%s is %q and %q", name, value, second[name])
		}
	}
	info, err := os.Stat(filepath.Join(folder, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("the mode of .env is %v", info.Mode())
	}
	if out, err := exec.Command("sh", filepath.Join(folder, "create-env"), "localhost").CombinedOutput(); err == nil || settings(t, folder)["INTRAY_MASTER_KEY"] != first["INTRAY_MASTER_KEY"] {
		t.Errorf("create-env replaced the settings: %s", out)
	}
}
