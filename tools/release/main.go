// Command release builds the files of a release of Intray, and checks them:
//
//	go -C tools/release run . build     build everything into dist
//	go -C tools/release run . verify    check the checksums and the signature in dist
//	go -C tools/release run . push      verify dist, and push its images to a registry
//	go -C tools/release run . check     build twice, compare, and show that changes are detected
//	go -C tools/release run . image     build only the container image of this machine
//	go -C tools/release run . sizes     print the size of each module in the program
//
// All files depend only on the commit, the Go version and the versions of the modules. They
// contain no time of the build, no path and no name of the machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	err := run(os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// commands are the functions of the commands. Each gets its arguments.
var commands = map[string]func(args []string) error{
	"build": runBuild, "verify": runVerify, "push": runPush, "check": runCheck, "image": runImage, "sizes": runSizes,
}

func run(args []string) error {
	if len(args) > 0 && commands[args[0]] != nil {
		return commands[args[0]](args[1:])
	}
	return errors.New("usage: release build|verify|push|check|image|sizes [FLAGS]")
}

// newFlags returns the flags of a command, with those that all commands have.
func newFlags(command string) (flags *flag.FlagSet, repo, out *string) {
	flags = flag.NewFlagSet("release "+command, flag.ContinueOnError)
	repo = flags.String("repo", "../..", "the folder of the repository")
	out = flags.String("out", "", "the folder for the files (default dist in the repository)")
	return flags, repo, out
}

// parse parses the arguments of a command and makes both folders absolute, because the go command
// runs in the folder of the repository.
func parse(flags *flag.FlagSet, args []string, repo, out *string) (err error) {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if *repo, err = filepath.Abs(*repo); err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(*repo, "dist")
	}
	*out, err = filepath.Abs(*out)
	return err
}

func runBuild(args []string) error {
	flags, repo, out := newFlags("build")
	publicKey := flags.String("public-key", "", "the public key that must verify the signature (default minisign.pub in the repository)")
	if err := parse(flags, args, repo, out); err != nil {
		return err
	}
	key, err := signingKey()
	if err != nil {
		return err
	}
	public, err := readPublicKey(*repo, *publicKey)
	if err != nil {
		return err
	}
	src, err := readSource(*repo)
	if err != nil {
		return err
	}
	if err := buildAll(src, *out, targets); err != nil {
		return err
	}
	if err := writeSums(*out); err != nil {
		return err
	}
	if err := signSums(*out, key, src.version); err != nil {
		return err
	}
	if err := verify(*out, public); err != nil {
		return fmt.Errorf("check the new release: %w", err)
	}
	return list(*out)
}

// verifyWith checks a release with a public key, by default that of the repository.
func verifyWith(repo, publicKey, release string) error {
	public, err := readPublicKey(repo, publicKey)
	if err != nil {
		return err
	}
	return verify(release, public)
}

func runVerify(args []string) error {
	flags, repo, out := newFlags("verify")
	publicKey := flags.String("public-key", "", "the public key (default minisign.pub in the repository)")
	if err := parse(flags, args, repo, out); err != nil {
		return err
	}
	if err := verifyWith(*repo, *publicKey, *out); err != nil {
		return err
	}
	fmt.Println("The signature and all checksums are valid.")
	return nil
}

// runImage builds the image of this machine's architecture, without checksums and signature.
func runImage(args []string) error {
	flags, repo, out := newFlags("image")
	if err := parse(flags, args, repo, out); err != nil {
		return err
	}
	src, err := readSource(*repo)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	t := target{"linux", hostArch}
	program := filepath.Join(*out, "intray")
	if err := compile(src, t, program, true); err != nil {
		return err
	}
	if err := checkCommit(src, program); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "intray-image-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	sbom, err := buildSBOM(src, scratch)
	if err != nil {
		return err
	}
	if err := describe(src, program, sbom, filepath.Join(scratch, "intray.cdx.json")); err != nil {
		return err
	}
	img, err := newImage(src, t, program)
	if err != nil {
		return err
	}
	return writeImage(img, src.version, filepath.Join(*out, "intray_image.tar"))
}

// list prints the names and sizes of the files of a release.
func list(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Printf("%12d  %s\n", info.Size(), entry.Name())
	}
	return nil
}
