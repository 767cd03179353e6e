// A service that searches the lines of a file by their meaning.
//
//	go run . FILE [MODEL]
//	curl 'localhost:3000/search?q=music&top=3'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"bertinfer"
)

type found struct {
	Score float64 `json:"score"`
	Text  string  `json:"text"`
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("no FILE")
	}
	text, err := os.ReadFile(os.Args[1])
	check(err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	model, err := bertinfer.Load(strings.Join(os.Args[2:], ""), bertinfer.LoadOptions{})
	check(err)
	vectors, err := model.EmbedTexts(context.Background(), lines, bertinfer.EmbedOptions{})
	check(err)
	index, err := bertinfer.NewIndex(vectors.Data, vectors.Size, bertinfer.ScanFloat32)
	check(err)

	http.HandleFunc("/search", func(response http.ResponseWriter, request *http.Request) {
		top, err := strconv.Atoi(request.FormValue("top"))
		if err != nil {
			top = 10
		}
		// If the client disconnects, the request's context ends the call.
		query, err := model.EmbedTexts(request.Context(), []string{request.FormValue("q")}, bertinfer.EmbedOptions{})
		if err != nil {
			status := http.StatusInternalServerError
			if errors.Is(err, bertinfer.InvalidText) {
				status = http.StatusBadRequest
			}
			http.Error(response, err.Error(), status)
			return
		}
		hits, err := index.Search(query.Data, top)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		results := make([]found, len(hits))
		for i, hit := range hits {
			results[i] = found{hit.Score, lines[hit.Row]}
		}
		_ = json.NewEncoder(response).Encode(results)
	})
	log.Fatal(http.ListenAndServe("localhost:3000", nil))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
