package render

import (
	"strings"
)

// A LiveRow is a component of a program that runs.
type LiveRow struct {
	ID    string
	Share float64 // of the running time of all components so far, 0 to 1
}

// maxLive is how many components a line has room for.
const maxLive = 3

// Live lists the first components of a program that runs, to stand behind what is done:
// ": store.distance 93 %, store.fill 5 %". It is empty without rows.
func Live(rows []LiveRow) string {
	var texts []string
	for _, row := range rows[:min(len(rows), maxLive)] {
		texts = append(texts, row.ID[strings.LastIndex(row.ID, "/")+1:]+" "+share(row.Share))
	}
	if texts == nil {
		return ""
	}
	return ": " + strings.Join(texts, ", ")
}
