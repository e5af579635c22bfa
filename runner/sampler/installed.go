package sampler

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/runner/meters"
	"spell-lsp/spell/ownership"
)

// installed finds a copy of the program under the name of the sampler, which may have a
// privilege. It returns "" if there is none or none is needed: counters below another root
// and models need no privilege. A copy that another user could have put there is not
// started; refused then says so, and is nil otherwise.
func installed(c config) (copied string, refused *meters.Reason) {
	program, err := os.Executable()
	needed := c.Doctor || c.Meter == "" || c.Meter == meters.Auto || strings.Contains(c.Meter, "rapl") || strings.Contains(c.Meter, "perf")
	if err != nil || !needed || !c.Options.UsualRoots() {
		return "", nil
	}
	return installedIn(program, filepath.Dir(program), "/usr/local/libexec")
}

// installedIn looks for the copy of a program in these folders, in their order.
func installedIn(program string, folders ...string) (copied string, refused *meters.Reason) {
	for _, folder := range folders {
		file := filepath.Join(folder, Name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		err = checkProvenance(file, program)
		if err == nil {
			return file, refused
		}
		if refused == nil {
			refused = &meters.Reason{
				Name: Name, Why: fmt.Sprintf("%s is not started: %v", file, err),
				Remedy: fmt.Sprintf("if you put it there: sudo chown root %[1]s && sudo chmod go-w %[1]s, in a folder that only its owner can write to; otherwise remove it", file),
			}
		}
	}
	return "", refused
}

// checkProvenance returns an error unless the file was put there by root or by the owner
// of the program, and nobody else can replace it or write to it. The same holds for a link
// to it.
func checkProvenance(file, program string) error {
	of, err := os.Stat(program)
	if err != nil {
		return err
	}
	user, known := owner(of)
	if known {
		err = ownership.CheckBeside(filepath.Dir(file), int(user))
	}
	if err != nil {
		return err
	}
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(file)
		if err != nil {
			return err
		}
		if uid, known := owner(info); known && uid != 0 && uid != user {
			return fmt.Errorf("it belongs to user %d, and neither to root nor to the owner of %s", uid, program)
		}
		if isLink := info.Mode()&fs.ModeSymlink != 0; !isLink && info.Mode()&0o022 != 0 {
			return fmt.Errorf("others can write to it, as it has the mode %v", info.Mode().Perm())
		}
	}
	return nil
}
