package ssh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"spell-lsp/runner/remote/frame"
	"spell-lsp/spell/regularfile"
)

// command is what the login shell of the target executes. It may be any shell, csh and fish too, so the
// script for sh is one line in single quotes, without single quotes, backslashes and exclamation marks.
var command = "exec sh -c '" + strings.Join(strings.Fields(script), " ") + "'"

// script prints what the machine is, reads the hash and the size of the program, takes the program if
// need be, and becomes it. Each of its answers is a line that begins with answer.
//
// head may read more than it was told to (POSIX does not have -c; busybox reads blocks), so the client
// sends nothing behind the program before it is stored. The name of a program is its hash, so two
// clients that send the same one at a time do not disturb each other. Programs that nobody used for 30
// days are removed.
const script = `
umask 077;
say() { echo "spell-lsp target: $*"; };
fail() { say "failed $*"; exit 1; };
same() { [ "$(wc -c <"$1")" -eq "$n" ] && { s=$(sha256sum <"$1" 2>/dev/null) || s=$h; [ "${s%% *}" = "$h" ]; }; };
t=; clean() { [ -z "$t" ] || rm -f "$t"; }; trap clean EXIT; trap "exit 1" HUP INT TERM PIPE;
c=${XDG_CACHE_HOME:-};
case $c in
/*) ;;
*) c=${HOME:-}; case $c in /*) c=$c/.cache;; *) c=none;; esac;;
esac;
echo;
say "$(uname -s) $(uname -m) $(uname -r) $c";
read -r h n || exit 1;
d=$c/spell-lsp/remote/bin; b=$d/$h;
if [ -f "$b" ] && same "$b"; then say have; else
LC_ALL=C mkdir -p "$d" || fail folder;
t=$b.$(uname -n).$$;
say send;
LC_ALL=C head -c "$n" >"$t" || fail write;
same "$t" || fail damaged;
LC_ALL=C chmod 700 "$t" && LC_ALL=C mv -f "$t" "$b" || fail write;
say stored;
fi;
touch -c "$b" 2>/dev/null;
find "$d" -type f -mtime +30 -exec rm -f {} + 2>/dev/null;
exec "$b" agent "$h"
`

const answer = "spell-lsp target: "

// architectures are the GOARCH of the values of uname -m.
var architectures = map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

// oldestMajor and oldestMinor are the first Linux whose perf events can be sampled as runner/stacks does.
const oldestMajor, oldestMinor = 4, 1

// boot speaks with the script until the program runs.
func (l *Link) boot(ctx context.Context, t Target) error {
	late := time.AfterFunc(answerTime, l.ssh.kill)
	line, err := frame.AwaitLine(l.ssh.out, answer)
	if !late.Stop() {
		return &Error{Cause: NoAnswer, What: fmt.Sprintf("its login shell has started nothing within %v", answerTime)}
	}
	if err != nil {
		return &Error{Cause: NoAnswer, What: "its login shell did not start sh", Err: err}
	}
	if l.Facts, err = parseFacts(line); err != nil {
		return err
	}
	file, err := t.Binary(l.Facts.Arch)
	if err != nil {
		return &Error{Cause: NoBinary, What: "it needs a program for linux/" + l.Facts.Arch, Err: err}
	}
	if err := l.put(file, t.Sending); err != nil {
		return err
	}
	l.Conn = frame.New(l.ssh.out, l.ssh.in)
	if err := l.Conn.Ready(ctx); err != nil {
		return &Error{Cause: NoStart, What: "spell-lsp does not start there", Err: err}
	}
	return nil
}

// parseFacts reads what the script says of its machine, and refuses machines on which the program
// cannot run.
func parseFacts(line string) (f Facts, err error) {
	words := strings.SplitN(line, " ", 4)
	if len(words) < 4 || words[0] == "" || words[1] == "" {
		return f, &Error{Cause: NoAnswer, What: fmt.Sprintf("it says of itself only %q", line)}
	}
	f = Facts{System: words[0], Machine: words[1], Arch: architectures[words[1]], Kernel: words[2], Cache: words[3]}
	switch {
	case f.System != "Linux":
		err = &Error{Cause: NotLinux, What: fmt.Sprintf("its system is %s: energy is measured on Linux only", f.System)}
	case f.Arch == "":
		err = &Error{Cause: WrongArchitecture, What: fmt.Sprintf("its processor is %s: there are programs for x86_64 and aarch64 only", f.Machine)}
	case isOld(f.Kernel):
		err = &Error{Cause: OldKernel, What: fmt.Sprintf("its kernel is %s: at least Linux %d.%d is needed", f.Kernel, oldestMajor, oldestMinor)}
	case f.Cache == "none":
		err = &Error{Cause: NoCache, What: "there is no cache folder for the program: neither HOME nor XDG_CACHE_HOME has an absolute path there"}
	}
	return f, err
}

func isOld(kernel string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(kernel, "%d.%d", &major, &minor); n < 2 {
		return false // a name of its own says nothing
	}
	return major < oldestMajor || major == oldestMajor && minor < oldestMinor
}

// put makes the target have the program, and sends it if need be.
func (l *Link) put(file string, sending func(sent, size int64)) error {
	f, err := regularfile.Open(file)
	if err != nil {
		return &Error{Cause: NoBinary, What: "the program for it cannot be read", Err: err}
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return &Error{Cause: NoBinary, What: "the program for it cannot be read", Err: err}
	}
	if _, err := fmt.Fprintf(l.ssh.in, "%s %d\n", hex.EncodeToString(sum.Sum(nil)), size); err != nil {
		return &Error{Cause: Lost, What: "the connection has ended while spell-lsp was being put there", Err: err}
	}
	if reply, err := l.reply("have", "send"); err != nil || reply == "have" {
		return err
	}
	sent := make(chan error, 1)
	go func() { sent <- l.send(f, size, sending) }()
	_, refused := l.reply("stored")
	if refused != nil {
		l.ssh.in.Close() // so that send ends
	}
	err = <-sent
	if torn := (*readError)(nil); errors.As(err, &torn) {
		return &Error{Cause: NoBinary, What: "the program for it cannot be read", Err: err}
	}
	l.Facts.Sent = size
	return refused // what the target says is worth more than that writing failed
}

// A readError is of the file that is sent.
type readError struct{ error }

// send sends the program. It closes the connection where it cannot: the target would wait for the rest.
func (l *Link) send(f *os.File, size int64, sending func(sent, size int64)) error {
	chunk := make([]byte, 64<<10)
	for sent := int64(0); sent < size; {
		n, err := f.Read(chunk[:min(int64(len(chunk)), size-sent)])
		if err != nil {
			return errors.Join(&readError{err}, l.ssh.in.Close())
		}
		if _, err := l.ssh.in.Write(chunk[:n]); err != nil {
			return err
		}
		if sent += int64(n); sending != nil {
			sending(sent, size)
		}
	}
	return nil
}

// reply reads the script's next answer, which must be one of these.
func (l *Link) reply(expected ...string) (string, error) {
	line, err := frame.AwaitLine(l.ssh.out, answer)
	if err != nil {
		return "", &Error{Cause: Lost, What: "the connection has ended while spell-lsp was being put there", Err: err}
	}
	for _, e := range expected {
		if line == e {
			return line, nil
		}
	}
	failed, _ := strings.CutPrefix(line, "failed ")
	return "", l.refusal(failed)
}

// refusal says what it means that the script could not store the program.
func (l *Link) refusal(failed string) error {
	folder := l.Facts.Cache + "/spell-lsp/remote/bin"
	switch failed {
	case "folder":
		return &Error{Cause: NoCache, What: fmt.Sprintf("the folder %s cannot be made there: %s", folder, moveCache), folder: folder}
	case "write":
		return &Error{Cause: NoCache, What: fmt.Sprintf("the program cannot be written to %s: %s", folder, moveCache), folder: folder}
	case "damaged":
		return &Error{Cause: Damaged, What: "the program was damaged on its way, or cut short"}
	}
	return &Error{Cause: NoAnswer, What: "its shell answered " + strconv.Quote(failed)}
}

const moveCache = "XDG_CACHE_HOME there (in ~/.profile of most shells, ~/.bashrc of bash, ~/.zshenv of zsh) names another place"
