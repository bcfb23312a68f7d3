package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"aead.dev/minisign"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// runCheck builds the release twice, in clones of the repository in two folders, and compares the
// files. The second build uses no results of the first one, and runs in another time zone,
// language and umask. Then it checks that changes to the files are detected, and prints the size
// of each module.
func runCheck(args []string) error {
	flags, repo, out := newFlags("check")
	if err := parse(flags, args, repo, out); err != nil {
		return err
	}
	src, err := readSource(*repo)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "intray-release-check-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	keys, err := newKeys(scratch)
	if err != nil {
		return err
	}
	first, second := filepath.Join(scratch, "a"), filepath.Join(scratch, "a-folder-with-a-longer-name", "b")
	started := time.Now()
	if err := keys.build(src, first); err != nil {
		return err
	}
	fmt.Printf("the first build took %s\n", time.Since(started).Round(time.Second))
	started = time.Now()
	if err := keys.build(src, second, "GOCACHE="+filepath.Join(scratch, "cache"), "TZ=Pacific/Auckland", "LC_ALL=tr_TR.UTF-8", "UMASK=077"); err != nil {
		return err
	}
	fmt.Printf("the second build, without the cache of the first one, took %s\n", time.Since(started).Round(time.Second))
	first, second = filepath.Join(first, "dist"), filepath.Join(second, "dist")
	if err := compareFolders(first, second); err != nil {
		return err
	}
	if err := checkTools(first, keys.publicFile); err != nil {
		return err
	}
	if err := checkChanges(second, keys.public); err != nil {
		return err
	}
	return printSizes(os.Stdout, src)
}

// keys is a key pair for one check.
type keys struct {
	secret     string
	public     minisign.PublicKey
	publicFile string
}

func newKeys(folder string) (*keys, error) {
	public, secret, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	secretText, err := secret.MarshalText()
	if err != nil {
		return nil, err
	}
	publicText, err := public.MarshalText()
	if err != nil {
		return nil, err
	}
	k := &keys{secret: string(secretText), public: public, publicFile: filepath.Join(folder, publicKeyName)}
	return k, os.WriteFile(k.publicFile, publicText, 0o644)
}

// build clones the repository and builds the release there, as a person would who downloads it.
func (k *keys) build(src source, folder string, env ...string) error {
	if _, err := git(src.folder, "clone", "--quiet", "--no-hardlinks", ".", folder); err != nil {
		return err
	}
	if _, err := git(folder, "checkout", "--quiet", src.commit); err != nil {
		return err
	}
	command := exec.Command("sh", "-c", `umask "${UMASK:-022}" && exec go -C tools/release run . build -public-key "$1"`, "sh", k.publicFile)
	command.Dir = folder
	command.Env = append(append(os.Environ(), "INTRAY_SIGNING_KEY="+k.secret), env...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("build in %s: %w", folder, err)
	}
	return nil
}

// compareFolders checks that two releases consist of the same files.
func compareFolders(first, second string) error {
	entries, err := os.ReadDir(first)
	if err != nil {
		return err
	}
	a, err := hashFolder(first)
	if err != nil {
		return err
	}
	b, err := hashFolder(second)
	if err != nil {
		return err
	}
	if different := compareSums(a, b); different != "" {
		return fmt.Errorf("two builds of one commit differ:\n%s", different)
	}
	for _, name := range []string{sumsName, signatureName} {
		one, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			return err
		}
		other, err := os.ReadFile(filepath.Join(second, name))
		if err != nil {
			return err
		}
		if !bytes.Equal(one, other) {
			return fmt.Errorf("two builds of one commit have different files %s", name)
		}
	}
	fmt.Printf("both builds have the same %d files:\n%s", len(entries), a)
	return nil
}

// checkTools checks the release with the programs that docs/install.md names.
func checkTools(folder, publicKey string) error {
	for _, args := range [][]string{
		{"sha256sum", "--check", "--quiet", "--strict", sumsName},
		{"minisign", "-Vm", sumsName, "-p", publicKey},
	} {
		if _, err := exec.LookPath(args[0]); err != nil {
			fmt.Printf("SKIPPED: %s is not installed\n", args[0])
			continue
		}
		command := exec.Command(args[0], args[1:]...)
		command.Dir = folder
		text, err := command.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
		}
		fmt.Printf("%s accepts the release\n", args[0])
	}
	return nil
}

// changedKinds are patterns for the kinds of files that checkChanges changes.
var changedKinds = []string{"*_linux_amd64.tar.gz", "*_windows_arm64.zip", "*_amd64.deb", "*_amd64.rpm", "*_image_amd64.tar", "*_image.oci.tar", "*_linux_amd64.cdx.json", "intray.rb"}

// checkChanges changes one byte in the middle of each kind of file, and checks that the change is
// detected: by the checksums, by the signature if somebody also changes the checksums, and in
// images by the digests of their layers.
func checkChanges(folder string, public minisign.PublicKey) error {
	checkSums := func() error { return verify(folder, public) }
	if err := checkSums(); err != nil {
		return err
	}
	checkNewSums := func() error {
		sums, err := os.ReadFile(filepath.Join(folder, sumsName))
		if err != nil {
			return err
		}
		return errors.Join(writeSums(folder), verify(folder, public), os.WriteFile(filepath.Join(folder, sumsName), sums, 0o644))
	}
	for _, kind := range changedKinds {
		names, err := filepath.Glob(filepath.Join(folder, kind))
		if err != nil {
			return err
		}
		if len(names) != 1 {
			return fmt.Errorf("the release has %d files %s, not one", len(names), kind)
		}
		checks := []func() error{checkSums, checkNewSums}
		if strings.Contains(kind, "image_") {
			checks = append(checks, func() error { return checkImage(names[0]) })
			if err := checkImage(names[0]); err != nil {
				return err
			}
		}
		for _, check := range checks {
			if err := mustDetect(names[0], check); err != nil {
				return err
			}
		}
		fmt.Printf("a changed byte in %s is detected in %d ways\n", filepath.Base(names[0]), len(checks))
	}
	return checkSums()
}

// checkImage checks the digests of an image.
func checkImage(file string) error {
	img, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return err
	}
	return validate.Image(img)
}

// mustDetect changes the byte in the middle of a file for a check, which must return an error.
func mustDetect(name string, check func() error) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	changed := bytes.Clone(text)
	changed[len(changed)/2] ^= 1
	if err := os.WriteFile(name, changed, 0o644); err != nil {
		return err
	}
	detected := check()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	if detected == nil {
		return fmt.Errorf("a changed byte in %s is not detected", name)
	}
	return nil
}
