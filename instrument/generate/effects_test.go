package generate_test

import (
	"errors"
	"strings"
	"testing"

	"spell-lsp/instrument/generate"
)

// A function is not called where that could write, start, send or ask: the error names the way there. Others
// are called, also where a package that they use could do such things.
func TestEffects(t *testing.T) {
	_, pkgs := checked(t, "effects.txtar", "example.com/shop")
	for function, said := range map[string]string{
		"Save":        "shop.Save calls os.WriteFile, which reads or writes files, or asks the system: ",
		"Update":      "shop.Update calls shop.Save, shop.Save calls os.WriteFile, which",
		"Start":       "shop.Start calls exec.Command, which starts or signals processes",
		"Dial":        "shop.Dial calls net.Dial, which uses the network",
		"Kill":        "shop.Kill calls syscall.Kill, which makes system calls",
		"Say":         "shop.Say calls fmt.Println, which writes to standard output or standard error",
		"Log":         "shop.Log uses os.Stderr, which writes",
		"Later":       "shop.Later calls os.Remove",
		"ByVariable":  "shop.ByVariable uses shop.save, shop.save calls os.WriteFile",
		"ByInterface": "store.Keep.Put calls os.WriteFile",
		"ByField":     "shop.ByField uses shop.out, shop.out uses os.Stdout",
		"ByLibrary":   "shop.ByLibrary may call shop.Shown.String, shop.Shown.String calls os.Remove",
		"(*Park).Len": "shop.NewPark calls os.Mkdir",
		"Generic":     "shop.Generic calls os.Remove",

		"ByEmbedding":  "shop.putter.Put may call store.inner.Put, store.inner.Put calls os.WriteFile",
		"ByField2":     "shop.putter.Put may call store.Keep.Put",
		"ByRegistry":   "shop.putter.Put may call store.Keep.Put",
		"ByHooks":      "shop.ByHooks uses shop.hooks, shop.hooks uses f, f calls os.Remove",
		"BySyncMap":    "shop.putter.Put may call store.Keep.Put",
		"ByNamedList":  "shop.putter.Put may call store.Keep.Put",
		"ByArray":      "shop.putter.Put may call store.Keep.Put",
		"ByFunction":   "shop.putter.Put may call store.Keep.Put",
		"ByBuffer":     "shop.ByBuffer uses shop.buffered, shop.buffered uses os.Stdout",
		"ByReflection": "reflect.Value.MethodByName may call store.Keep.Put",
		"ByTemplate":   "template.Template.Execute may call shop.Page.Save, shop.Page.Save calls os.WriteFile",
		"ByGob":        "shop.ByGob may call shop.Coded.GobEncode",
		"ByParser":     "shop.ByParser calls parser.ParseFile",
		"Builtin":      "shop.Builtin calls println",

		"Sprint": "", "Sorted": "", "Failing": "", "Build": "", "Locked": "", "Address": "", "Put": "",
		"Parse": "", "Render": "",
	} {
		_, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop." + function})
		effect := (*generate.EffectError)(nil)
		switch {
		case said == "" && err != nil:
			t.Errorf("%s: %v", function, err)
		case said != "" && (!errors.As(err, &effect) || !strings.Contains(err.Error(), said) || !strings.Contains(err.Error(), "--allow-effects")):
			t.Errorf("%s: %v, want %q", function, err, said)
		}
		b, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop." + function, Effects: true})
		if err != nil || len(b.Missing) > 0 && function != "Later" {
			t.Errorf("%s with its effects: %v", function, err)
			continue
		}
		if text := string(b.Text(b.AllSizes())); !strings.Contains(text, `"HOME", "TMPDIR", `) || !strings.Contains(text, "b.Setenv(name, home)") || !strings.Contains(text, "b.Chdir(home)") {
			t.Errorf("%s does not run in an empty home:\n%s", function, text)
		}
	}
}
