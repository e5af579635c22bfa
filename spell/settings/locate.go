package settings

import (
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"spell-lsp/spell/regularfile"
)

// Locate says where the value of a key stands in the configuration file of the folder dir, for
// errors that are found later than in [Load]: FILE:LINE:COLUMN: and the path of the key. Of a key
// that the file does not have it is the path alone.
func Locate(dir string, keys ...string) string {
	path := strings.Join(keys, ".")
	name := filepath.Join(dir, FileName)
	data, err := regularfile.Read(name, regularfile.MaxSettings)
	var document yaml.Node
	if err != nil || yaml.Unmarshal(data, &document) != nil || len(document.Content) != 1 {
		return path
	}
	v := fromYAML(document.Content[0], name, "", 0)
	for _, key := range keys {
		if v = v.entry(key); v.path == "" || !strings.HasPrefix(path, v.path) {
			return path
		}
	}
	if v.path != path {
		return path
	}
	return v.place.String() + path
}
