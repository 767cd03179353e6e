package bertinfertests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bertinfer"
)

var plain = bertinfer.EmbedOptions{}

func texts(t *testing.T) []string {
	text, err := os.ReadFile(setting(t, "BERT_TEST_TEXTS"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func same(t *testing.T, found, expected any) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) {
		t.Errorf("%v, expected %v", found, expected)
	}
}

func fails(t *testing.T, err error, status bertinfer.Status) {
	t.Helper()
	if !errors.Is(err, status) || err.Error() == "" {
		t.Errorf("%v, expected %v", err, status)
	}
}

func TestHasTheProgramsBits(t *testing.T) {
	model, texts := load(t, ""), texts(t)
	vectors, err := model.EmbedTexts(background, texts, plain)
	if err != nil {
		t.Fatal(err)
	}
	file, _ := os.ReadFile(setting(t, "BERT_TEST_VECTORS"))
	if !bytes.Equal(bytesOf(vectors.Data), file[len(file)-4*len(vectors.Data):]) {
		t.Error("other bits")
	}
	for i, text := range texts {
		vector, report, err := model.Embed(text, plain)
		if err != nil || report != vectors.Reports[i] {
			t.Error(err, report)
		}
		same(t, vector, vectors.Row(i))
	}
}

func TestRefusesWrongOptions(t *testing.T) {
	model := load(t, "embedder")
	wrong := linesOf[struct {
		Task    string
		Options json.RawMessage
	}](t, "BERT_TEST_WRONG")
	if len(wrong) < 200 {
		t.Fatal(len(wrong))
	}
	for _, one := range wrong {
		_, err := model.TaskJSON(background, one.Task, one.Options, bertinfer.Texts("a"))
		fails(t, err, bertinfer.InvalidArgument)
	}
}

func TestRefusesWrongArguments(t *testing.T) {
	model := load(t, "embedder")
	load := func(name string, options bertinfer.LoadOptions) error {
		_, err := bertinfer.Load(name, options)
		return err
	}
	fails(t, load("/no/such/model", bertinfer.LoadOptions{}), bertinfer.NotFound)
	fails(t, load("a\x00b", bertinfer.LoadOptions{}), bertinfer.InvalidArgument)
	fails(t, load("", bertinfer.LoadOptions{Threads: 1025}), bertinfer.InvalidArgument)
	fails(t, load("", bertinfer.LoadOptions{Threads: -1}), bertinfer.InvalidArgument)
	fails(t, load("", bertinfer.LoadOptions{Precision: 9}), bertinfer.InvalidArgument)
	embed := func(text string, options bertinfer.EmbedOptions) error {
		_, _, err := model.Embed(text, options)
		_, many := model.EmbedTexts(background, []string{text}, options)
		if many == nil || err == nil {
			t.Error(many, err)
		}
		return err
	}
	long := strings.Repeat("the fox ", 99)
	fails(t, embed("a", bertinfer.EmbedOptions{Dimensions: 100_000}), bertinfer.InvalidArgument)
	fails(t, embed("a", bertinfer.EmbedOptions{Dimensions: -1}), bertinfer.InvalidArgument)
	fails(t, embed("a", bertinfer.EmbedOptions{Prompt: "xyzzy"}), bertinfer.NotFound)
	fails(t, embed("a", bertinfer.EmbedOptions{Prompt: "a\x00"}), bertinfer.InvalidArgument)
	fails(t, embed("a", bertinfer.EmbedOptions{Pooling: 99}), bertinfer.InvalidArgument)
	fails(t, embed("a", bertinfer.EmbedOptions{LongText: "xyzzy"}), bertinfer.InvalidArgument)
	fails(t, embed(long, bertinfer.EmbedOptions{LongText: bertinfer.LongTextError}), bertinfer.InvalidText)
	fails(t, embed("\xff", plain), bertinfer.InvalidText)
	_, err := model.Rerank(background, []string{"a"}, bertinfer.RerankOptions{})
	fails(t, err, bertinfer.InvalidArgument)
	_, err = model.Answer(background, bertinfer.Texts("a"), bertinfer.AnswerOptions{})
	fails(t, err, bertinfer.InvalidArgument)
	_, err = model.TaskJSON(background, "tag", func() {}, nil)
	fails(t, err, bertinfer.InvalidArgument)
	_, err = model.TaskJSON(background, "a\x00b", nil, nil)
	fails(t, err, bertinfer.InvalidArgument)
	_, err = model.TaskJSON(background, "", nil, nil)
	if fails(t, err, bertinfer.InvalidArgument); !strings.HasPrefix(err.Error(), "task ''") {
		t.Error(err)
	}
	_, err = model.Token(-7)
	fails(t, err, bertinfer.NotFound)
	_, err = model.EmbedTokens("a", 7)
	fails(t, err, bertinfer.NotFound)
	_, err = bertinfer.CosineSimilarity([]float32{1}, []float32{1, 2})
	fails(t, err, bertinfer.InvalidArgument)
	_, err = bertinfer.MaxSim(bertinfer.PartVectors{}, bertinfer.PartVectors{})
	fails(t, err, bertinfer.InvalidArgument)
	for _, size := range []int{0, -1, 2} {
		_, err = bertinfer.NewIndex([]float32{1}, size, bertinfer.ScanFloat32)
		fails(t, err, bertinfer.InvalidArgument)
	}
	_, err = model.Tokenize("a", bertinfer.TokenizeOptions{MaxLength: -1})
	fails(t, err, bertinfer.InvalidArgument)
	_, err = model.EmbedChunks("a", -1, false, plain)
	fails(t, err, bertinfer.InvalidArgument)
	_, err = model.EmbedSparse(background, []string{"a"}, -1)
	fails(t, err, bertinfer.InvalidArgument)
	_, err = bertinfer.OpenIndex("/no/such/index")
	if err == nil {
		t.Error("opened")
	}
	index, _ := bertinfer.NewIndex([]float32{1, 0, 0, 1}, 2, bertinfer.ScanFloat32)
	for _, query := range [][]float32{nil, {1}, {1, 2, 3}} {
		_, err = index.Search(query, 1)
		fails(t, err, bertinfer.InvalidArgument)
	}
	_, err = index.Search([]float32{1, 0}, -1)
	fails(t, err, bertinfer.InvalidArgument)
}

func TestTellsWhatItRead(t *testing.T) {
	model := load(t, "embedder")
	_, report, err := model.Embed(strings.Repeat("the fox ", 99), plain)
	if err != nil || report.TruncatedTokens == 0 {
		t.Error(err, report)
	}
	tokens, err := model.Tokenize("the 🎻 fox", bertinfer.TokenizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, tokens.Starts, []int{0, 0, 4, 9, 0})
	same(t, tokens.Ends, []int{0, 3, 8, 12, 0})
	same(t, tokens.UnknownTokens, 1)
	token, _ := model.Token(tokens.IDs[1])
	same(t, token, "the")
	text, _ := model.Decode(tokens.IDs, true)
	same(t, text, "the fox")
	encoded, err := model.Encode("the fox")
	if err != nil || len(encoded.LastHiddenState) != len(encoded.IDs)*model.HiddenSize() {
		t.Error(err, len(encoded.LastHiddenState))
	}
	none, err := model.EmbedTexts(background, nil, plain)
	if err != nil || len(none.Data) != 0 {
		t.Error(err, none)
	}
	for _, text := range []string{"", "a\x00b"} {
		one, _, err := model.Embed(text, plain)
		many, _ := model.EmbedTexts(background, []string{text, text}, plain)
		if err != nil {
			t.Error(err)
		}
		same(t, one, many.Row(1))
	}
	same(t, bertinfer.Version(), "0.1.0")
}

func TestRunsTasks(t *testing.T) {
	tagger, classes := load(t, "firing-tagger"), load(t, "classes")
	inputs := append([]bertinfer.Input{{Words: []string{"the", "brown", "fox"}}}, bertinfer.Texts("the brown fox")...)
	inputs = append(inputs, bertinfer.Input{Words: []string{}}, inputs[1])
	found, err := tagger.Tag(background, inputs, bertinfer.TagOptions{Aggregation: bertinfer.AggregationFirst})
	if err != nil || len(found[0].Value) != 3 || found[1].Value[0].Label != "ANIMAL" || len(found[2].Value) != 0 ||
		found[3].Value[0].Label != "ANIMAL" {
		t.Error(found, err)
	}
	redacted, err := first(tagger.Redact(background, bertinfer.Texts("the brown fox"), bertinfer.RedactOptions{}))
	if err != nil || redacted.Text != "the <ANIMAL>" || redacted.Replaced[0].Start != 4 {
		t.Error(redacted, err)
	}
	asJSON, err := first(tagger.TaskJSON(background, "redact", map[string]any{"mask": "*"}, bertinfer.Texts("the brown fox")))
	if err != nil || !strings.Contains(string(asJSON), `"the *********"`) {
		t.Error(string(asJSON), err)
	}
	each, err := classes.Classify(background, bertinfer.Texts("a", strings.Repeat("the fox ", 99)),
		bertinfer.ClassifyOptions{LongText: bertinfer.LongTextError})
	fails(t, err, bertinfer.InvalidText)
	fails(t, each[1].Err, bertinfer.InvalidText)
	if each[0].Err != nil || len(each[0].Value) != 3 || !strings.HasPrefix(err.Error(), "inputs[1]: ") {
		t.Error(each, err)
	}
}

func TestSearches(t *testing.T) {
	model := load(t, "")
	vectors, _ := model.EmbedTexts(background, texts(t), plain)
	query, _, _ := model.Embed("music", plain)
	index, err := bertinfer.NewIndex(vectors.Data, vectors.Size, bertinfer.ScanFloat32)
	if err != nil {
		t.Fatal(err)
	}
	hits, _ := index.Search(query, 3)
	same(t, []int{hits[0].Row, hits[1].Row, hits[2].Row}, []int{2, 19, 15})
	file := filepath.Join(t.TempDir(), "index")
	if err := bertinfer.WriteIndex(file, vectors.Data, vectors.Size, bertinfer.ScanInt8, "these"); err != nil {
		t.Fatal(err)
	}
	opened, err := bertinfer.OpenIndex(file)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := opened.Search(query, 3)
	same(t, again, hits)
	same(t, opened.Label(), "these")
	opened.Close()
	_, err = opened.Search(query, 3)
	same(t, err, bertinfer.ErrClosed)
	all, err := load(t, "sparse").EmbedSparse(background, []string{"the fox", "a"}, 1<<62)
	if err != nil || len(all) != 2 {
		t.Error(all, err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	model, given := load(t, ""), texts(t)
	var many []string
	for len(many) < 20_000 {
		many = append(many, given...)
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	_, err := model.EmbedTexts(ended, many, plain)
	fails(t, err, bertinfer.Cancelled)
	during, cancel := context.WithTimeout(background, 30*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err = model.EmbedTexts(during, many, plain)
	fails(t, err, bertinfer.Cancelled)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 5*time.Second {
		t.Error(err, time.Since(begin))
	}
	_, err = model.FillMask(during, bertinfer.Texts("a [MASK]"), bertinfer.FillMaskOptions{})
	fails(t, err, bertinfer.Cancelled)
}

func TestServesManyGoroutines(t *testing.T) {
	model := load(t, "")
	expected, _, _ := model.Embed("a fox", plain)
	var group sync.WaitGroup
	for i := 0; i < 200; i++ {
		group.Add(1)
		go func(name string) {
			defer group.Done()
			vector, _, err := model.Embed("a fox", plain)
			if err != nil || !reflect.DeepEqual(vector, expected) {
				t.Error(err)
			}
			_, err = bertinfer.Load(name, bertinfer.LoadOptions{})
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%v of %s", err, name)
			}
		}(fmt.Sprintf("/no/such/%d-", i))
	}
	group.Wait()
	closing, _ := bertinfer.Builtin()
	for i := 0; i < 20; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			if i == 10 {
				closing.Close()
			}
			if _, _, err := closing.Embed("a fox", plain); err != nil && err != bertinfer.ErrClosed {
				t.Error(err)
			}
		}(i)
	}
	group.Wait()
	closing.Close()
	same(t, closing.HiddenSize(), 0)
}

// Returns the resident memory of the process in bytes, after garbage collections.
func resident() int {
	for i := 0; i < 3; i++ {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	text, _ := os.ReadFile("/proc/self/statm")
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * 4096
}

func expectFlat(t *testing.T, name, variable string, count int, call func() error) {
	if given, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		count = given
	}
	repeat := func(count int) int {
		for i := 0; i < count; i++ {
			if err := call(); err != nil {
				t.Fatal(name, err)
			}
		}
		return resident()
	}
	before := repeat(count/10 + 1)
	grown := repeat(count) - before
	t.Logf("%s: %d calls, %d KiB more", name, count, grown/1024)
	if grown > 8<<20 {
		t.Errorf("%s: %d bytes more", name, grown)
	}
}

func TestMemoryIsFlat(t *testing.T) {
	model, tagger, classes := load(t, "embedder"), load(t, "firing-tagger"), load(t, "classes")
	ending, cancel := context.WithCancel(background)
	defer cancel()
	kinds := map[string]func() error{
		"embed": func() error { _, _, err := model.Embed("the fox", plain); return err },
		"many":  func() error { _, err := model.EmbedTexts(ending, []string{"the fox", "a dog"}, plain); return err },
		"tokenize": func() error {
			_, err := model.Tokenize("the fox", bertinfer.TokenizeOptions{Pair: bertinfer.Ptr("a dog")})
			return err
		},
		"encode":  func() error { _, err := model.Encode("the fox"); return err },
		"chunks":  func() error { _, err := model.EmbedChunks("the fox jumps", 2, false, plain); return err },
		"explain": func() error { _, err := model.ExplainSimilarity("a", "b", bertinfer.Dense, 0); return err },
		"tag": func() error {
			_, err := tagger.Tag(background, bertinfer.Texts("the brown fox"), bertinfer.TagOptions{})
			return err
		},
		"an error": func() error {
			if _, err := classes.Tag(background, bertinfer.Texts("a"), bertinfer.TagOptions{}); err == nil {
				return errors.New("none")
			}
			return nil
		},
		"index": func() error {
			index, err := bertinfer.NewIndex(make([]float32, 64), 8, bertinfer.ScanFloat32)
			index.Close()
			return err
		},
	}
	for name, call := range kinds {
		expectFlat(t, name, "BERT_MEMORY_CALLS", 1000, call)
	}
	for _, name := range []string{"", path(t, "embedder")} {
		expectFlat(t, "load", "BERT_MEMORY_LOADS", 50, func() error {
			model, err := bertinfer.Load(name, bertinfer.LoadOptions{})
			if err == nil {
				_, _, err = model.Embed("a fox", plain)
				model.Close()
			}
			return err
		})
	}
}

func TestTheCollectorFreesWhatIsNotClosed(t *testing.T) {
	before := runtimeThreads()
	for i := 0; i < 50; i++ { // each index has a thread
		if _, err := bertinfer.NewIndex(make([]float32, 64), 8, bertinfer.ScanFloat32); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; runtimeThreads() > before+20; i++ {
		if i == 200 {
			t.Fatal(before, runtimeThreads())
		}
		resident()
	}
}

func runtimeThreads() int {
	threads, _ := os.ReadDir("/proc/self/task")
	return len(threads)
}

func BenchmarkEmbed(b *testing.B) {
	model, err := bertinfer.Load(os.Getenv("BERT_BENCH_MODEL"), bertinfer.LoadOptions{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < b.N; i++ {
		if _, _, err := model.Embed("the quick brown fox jumps over", plain); err != nil {
			b.Fatal(err)
		}
	}
}
