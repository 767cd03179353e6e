// Runs the cases of every binding (tests/cases/cases.jsonl), with offsets in bytes. Other tests use its helpers.
package bertinfertests

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"bertinfer"
)

type (
	object = map[string]any
	list   = []any
)

var background = context.Background()

func setting(t *testing.T, name string) string {
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("no %s, which tests/bindings/language.sh sets", name)
	}
	return value
}

func linesOf[T any](t *testing.T, name string) (lines []T) {
	file, err := os.Open(setting(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var line T
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// Returns the path of a tiny model, or "" for "", the built-in model.
func path(t *testing.T, model string) string {
	if model == "" {
		return ""
	}
	return filepath.Join(setting(t, "BERT_TEST_MODELS"), model)
}

func load(t *testing.T, model string) *bertinfer.Model {
	loaded, err := bertinfer.Load(path(t, model), bertinfer.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(loaded.Close)
	return loaded
}

func bytesOf(values []float32) []byte {
	var buffer bytes.Buffer
	_ = binary.Write(&buffer, binary.LittleEndian, values)
	return buffer.Bytes()
}

func digest(values []float32) string {
	sum := sha256.Sum256(bytesOf(values))
	return hex.EncodeToString(sum[:])
}

type testCase struct {
	Call, Model, Text, Question, Context, Query, Role, A, B, Vectors string
	Pair, Pooling, Template                                          *string
	Texts, Documents, Labels, Targets                                []string
	MaxActive, Dimensions, TopK                                      int
	Stride                                                           *int
	Threshold                                                        *float64
	MultiLabel, Nested                                               bool
	WindowScores                                                     bertinfer.WindowScores
	Scheme                                                           bertinfer.Scheme
	Aggregation                                                      bertinfer.Aggregation
	Result                                                           any
	Error                                                            *struct{ Code, Message string }
}

func expected(value any) any {
	switch value := value.(type) {
	case list:
		kept := make(list, len(value))
		for i, one := range value {
			kept[i] = expected(one)
		}
		return kept
	case object:
		kept := object{}
		for name, one := range value {
			if name != "codePoints" && name != "utf16" {
				kept[name] = expected(one)
			}
		}
		return kept
	}
	return value
}

func first[T any](results []bertinfer.Result[T], err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return results[0].Value, results[0].Err
}

func labelList(labels []bertinfer.Label, err error) (any, error) {
	found := list{}
	for _, one := range labels {
		found = append(found, object{"label": one.Label, "score": one.Score})
	}
	return found, err
}

func explained(why bertinfer.Explanation, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	names := func(parts []bertinfer.Item) []string {
		made := []string{}
		for _, part := range parts {
			made = append(made, part.Text)
		}
		return made
	}
	found := object{"first": names(why.First), "second": names(why.Second), "terms": why.Terms}
	if why.Scores[0].Label == "" {
		found["kind"], found["function"] = why.Kind, why.Function
		found["score"], found["remainder"] = why.Scores[0].Score, why.Scores[0].Remainder
		return found, nil
	}
	labels := list{}
	for _, one := range why.Scores {
		labels = append(labels, object{"label": one.Label, "score": one.Score, "remainder": one.Remainder})
	}
	found["labels"] = labels
	return found, nil
}

func result(model *bertinfer.Model, c testCase) (any, error) {
	inputs := []bertinfer.Input{{Text: c.Text, Pair: c.Pair}}
	found := list{}
	switch c.Call {
	case "tokenize":
		tokens, err := model.Tokenize(c.Text, bertinfer.TokenizeOptions{Pair: c.Pair})
		for i, start := range tokens.Starts {
			found = append(found, list{start, tokens.Ends[i]})
		}
		return object{"ids": tokens.IDs, "typeIds": tokens.TypeIDs, "bytes": found}, err
	case "embed":
		vectors, err := model.EmbedTexts(background, c.Texts, bertinfer.EmbedOptions{Dimensions: c.Dimensions})
		for i := range vectors.Reports {
			found = append(found, digest(vectors.Row(i)))
		}
		return found, err
	case "sparse":
		vectors, err := model.EmbedSparse(background, c.Texts, c.MaxActive)
		for _, one := range vectors {
			found = append(found, object{"ids": one.IDs, "weights": digest(one.Weights)})
		}
		return found, err
	case "classify", "scoreLabels":
		return labelList(first(model.Classify(background, inputs, bertinfer.ClassifyOptions{
			Labels: c.Labels, MultiLabel: c.MultiLabel, Stride: c.Stride, WindowScores: c.WindowScores})))
	case "zeroShot":
		return labelList(first(model.ZeroShot(background, inputs, bertinfer.ZeroShotOptions{Labels: c.Labels,
			HypothesisTemplate: c.Template, MultiLabel: c.MultiLabel, Stride: c.Stride, WindowScores: c.WindowScores})))
	case "tag", "findEntities":
		entities, err := first(model.Tag(background, inputs, bertinfer.TagOptions{Labels: c.Labels, Scheme: c.Scheme,
			Threshold: c.Threshold, Nested: c.Nested, Stride: c.Stride, Aggregation: c.Aggregation}))
		for _, one := range entities {
			found = append(found, object{"label": one.Label, "score": one.Score, "bytes": list{one.Start, one.End}})
		}
		return found, err
	case "answer":
		answers, err := first(model.Answer(background, []bertinfer.Input{bertinfer.Pair(c.Question, c.Context)},
			bertinfer.AnswerOptions{TopK: c.TopK}))
		for _, one := range answers {
			found = append(found, object{"answer": one.Answer, "score": one.Score, "bytes": list{one.Start, one.End}})
		}
		return found, err
	case "fillMask":
		return first(model.FillMask(background, inputs, bertinfer.FillMaskOptions{TopK: c.TopK, Targets: c.Targets}))
	case "rerank":
		return model.Rerank(background, c.Documents, bertinfer.RerankOptions{Query: c.Query, Stride: c.Stride})
	case "tokenVectors":
		role := map[string]bertinfer.Role{"query": bertinfer.Query}[c.Role]
		vectors, err := model.EmbedTokens(c.Text, role)
		return digest(vectors.Data), err
	case "chunks":
		chunks, err := model.EmbedChunks(c.Text, 0, true, bertinfer.EmbedOptions{})
		units := func(place int) int { return len(utf16.Encode([]rune(c.Text[:place]))) }
		for i, start := range chunks.Starts {
			found = append(found, list{units(start), units(chunks.Ends[i])})
		}
		return object{"vectors": digest(chunks.Data), "places": found}, err
	case "explainSimilarity":
		kinds := map[string]bertinfer.VectorKind{"sparse": bertinfer.Sparse, "tokens": bertinfer.TokenVectors}
		pooling := bertinfer.Pooling(0)
		if c.Pooling != nil {
			pooling = bertinfer.PoolingCLS
		}
		return explained(model.ExplainSimilarity(c.A, c.B, kinds[c.Vectors], pooling))
	case "explainLabels":
		return explained(model.ExplainLabels(c.Text, c.Pair))
	}
	panic("unknown call " + c.Call)
}

func TestCasesHold(t *testing.T) {
	cases := linesOf[testCase](t, "BERT_TEST_CASES")
	if len(cases) <= 110 {
		t.Fatal(len(cases))
	}
	models := map[string]*bertinfer.Model{}
	for i, c := range cases {
		if models[c.Model] == nil {
			models[c.Model] = load(t, c.Model)
		}
		found, err := result(models[c.Model], c)
		if c.Error != nil {
			var failed *bertinfer.Error
			if !errors.As(err, &failed) || failed.Status.Error() != c.Error.Code ||
				!strings.Contains(err.Error(), c.Error.Message) {
				t.Errorf("case %d: %v, expected %v", i+1, err, *c.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("case %d: %v", i+1, err)
			continue
		}
		if c.Call == "chunks" {
			given := c.Result.(object)
			given["places"] = given["utf16"]
		}
		text, _ := json.Marshal(found)
		var value any
		_ = json.Unmarshal(text, &value)
		if !reflect.DeepEqual(value, expected(c.Result)) {
			t.Errorf("case %d: %s, expected %v", i+1, text, c.Result)
		}
	}
}
