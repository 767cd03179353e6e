// Compares bert-infer's module with hugot, one engine a process, so that their threads do not disturb each other:
//
//	mkdir peers && cd peers && cp REPOSITORY/tools/bench/go_peers.go . && go mod init peers
//	go mod edit -require bertinfer@v0.0.0 -replace bertinfer=REPOSITORY/bindings/go
//	go mod tidy && go build -tags ORT    # with libtokenizers.a of github.com/daulet/tokenizers in CGO_LDFLAGS=-L
//	for turn in 1 2 3; do for engine in bert-infer hugot hugot-go; do
//	  ./peers $engine DIRECTORY THREADS LIBRARIES; done; done
//
// DIRECTORY has the model's own files and an ONNX export of it, model.onnx; LIBRARIES has libonnxruntime.so. hugot-go,
// hugot's backend in Go alone, converts only exports that take the mask as a plain sum. Prints the median time of one
// sentence, the peak of the process's memory, and the vector's first numbers.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"

	"bertinfer"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/options"
	"github.com/knights-analytics/hugot/pipelines"
)

const sentence = "The quick brown fox jumps over the lazy dog near the river bank."

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func hugotModel(session *hugot.Session, directory string) func() []float32 {
	pipeline := must(hugot.NewPipeline(session, hugot.FeatureExtractionConfig{
		ModelPath: directory, Name: "peer", OnnxFilename: "model.onnx",
		Options: []hugot.FeatureExtractionOption{pipelines.WithNormalization()},
	}))
	return func() []float32 { return must(pipeline.RunPipeline([]string{sentence})).Embeddings[0] }
}

func load(engine, directory string, threads int) func() []float32 {
	switch engine {
	case "hugot":
		return hugotModel(must(hugot.NewORTSession(
			options.WithOnnxLibraryPath(os.Args[4]), options.WithIntraOpNumThreads(threads))), directory)
	case "hugot-go":
		runtime.GOMAXPROCS(threads)
		return hugotModel(must(hugot.NewGoSession()), directory)
	}
	model := must(bertinfer.Load(directory, bertinfer.LoadOptions{Threads: threads}))
	return func() []float32 {
		vector, _, err := model.Embed(sentence, bertinfer.EmbedOptions{})
		return must(vector, err)
	}
}

func main() {
	engine, threads := os.Args[1], must(strconv.Atoi(os.Args[3]))
	embed := load(engine, os.Args[2], threads)
	var vector []float32
	for i := 0; i < 20; i++ {
		vector = embed()
	}
	times := make([]float64, 400)
	for i := range times {
		begin := time.Now()
		embed()
		times[i] = time.Since(begin).Seconds() * 1e3
	}
	sort.Float64s(times)
	_, peak, _ := strings.Cut(string(must(os.ReadFile("/proc/self/status"))), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	fmt.Printf("%s, %d threads: %.2f ms, peak %s, %v\n", engine, threads, times[200], strings.TrimSpace(peak), vector[:3])
}
