package gocmd

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Toolchain is the go command that builds with the overlay. The go command refuses
// to overlay files below the module cache, which also holds the releases that it
// downloads for a go.mod: such a release is used through a symbolic link.
type Toolchain struct {
	Root   string   // GOROOT
	linker string   // -ldflags of GOFLAGS
	file   string   // of the go command; "" is the one on the PATH
	env    []string // beside the environment of this process
}

// NewToolchain finds the one for an environment. A link that leads to a release
// is made in the first folder that allows it; it should stay there for the next
// time, because what is in the build cache depends on its name.
func NewToolchain(env *Environment, folders ...string) (*Toolchain, error) {
	linker := env.Flag("ldflags")
	if !strings.HasPrefix(env.GOROOT, env.GOMODCACHE+string(filepath.Separator)) {
		return &Toolchain{Root: env.GOROOT, linker: linker, env: env.platform.Env()}, nil
	}
	var err error
	for _, folder := range folders {
		link := filepath.Join(folder, "goroot-"+filepath.Base(env.GOROOT))
		if err = relink(env.GOROOT, link); err == nil {
			return &Toolchain{Root: link, linker: linker, file: filepath.Join(link, "bin", "go"), env: append(env.platform.Env(), "GOROOT="+link, "GOTOOLCHAIN=local")}, nil
		}
	}
	return nil, fmt.Errorf("making a link to the Go release in %s: %w", env.GOROOT, err)
}

// relink makes or replaces a symbolic link atomically.
func relink(to, link string) error {
	if old, err := os.Readlink(link); err == nil && old == to {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d", link, os.Getpid())
	if err := os.Symlink(to, temp); err != nil {
		return err
	}
	return os.Rename(temp, link)
}

// LinkerFlags are -ldflags with further ones. The go command takes those of its command line in place of
// that of GOFLAGS, which is repeated therefore. Debug information is left out: nothing here reads it, and
// writing it is half of a link.
func (t *Toolchain) LinkerFlags(further ...string) (flags []string) {
	own := strings.Join(append([]string{"-w"}, further...), " ")
	switch {
	case t.linker == "":
		return []string{"-ldflags=" + own}
	case strings.HasPrefix(t.linker, "-"):
		return []string{"-ldflags=" + t.linker + " " + own}
	}
	return []string{"-ldflags=" + own, "-ldflags=" + t.linker + " " + own} // the user's are for some packages only
}

// Env is what the go command needs in its environment to build with the overlay.
func (t *Toolchain) Env() []string { return t.env }

// Use makes cmd run this go command, in dir and with temporary files in temp; "" is where the go
// command has them.
func (t *Toolchain) Use(cmd *exec.Cmd, dir, temp string) error {
	file, err := exec.LookPath(cmp.Or(t.file, "go"))
	if err != nil {
		return err
	}
	cmd.Path, cmd.Dir = file, dir
	// Without PWD the go command would know the folder under another name than
	// the overlay does, where a link leads to it.
	cmd.Env = append(append(os.Environ(), t.env...), "PWD="+dir)
	if temp != "" {
		cmd.Env = append(cmd.Env, "GOTMPDIR="+temp)
	}
	return nil
}
