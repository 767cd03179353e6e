package bertinfer

// #include "calls.h"
import "C"

import (
	"context"
	"encoding/json"
)

// An Input is one input of a task: a text, a text and its pair, or the words of a text.
type Input struct {
	Text  string
	Pair  *string
	Words []string // instead of Text
}

// Texts makes an input of each text.
func Texts(texts ...string) []Input {
	inputs := make([]Input, len(texts))
	for i, text := range texts {
		inputs[i].Text = text
	}
	return inputs
}

// Pair makes an input of a text and its pair.
func Pair(text, pair string) Input { return Input{Text: text, Pair: &pair} }

// Ptr returns a pointer to a value, for options whose zero value is not their default.
func Ptr[T any](value T) *T { return &value }

// An Item is a part of a result. Each task says which fields it sets (docs/TASKS.md).
type Item struct {
	Text       string
	Score      float64
	Index      int
	ID         int32
	Start, End int // place in the text, in bytes
}

// A Result is the result of one input, or its error.
type Result[T any] struct {
	Value           T
	TruncatedTokens int // tokens of the input that were not read
	Err             error
}

// Ranked is an input and its place in a ranking.
type Ranked struct {
	Index           int     `json:"index"`
	Score           float64 `json:"score"`
	TruncatedTokens int     `json:"-"`
}

// Redacted is a text with its names replaced.
type Redacted struct {
	Text     string `json:"text"`
	Replaced []Part `json:"replaced"`
}

func itemsOf(data *C.bert_item, count C.size_t) []Item {
	items := make([]Item, count)
	for i, item := range of[C.bert_item](data, int(count)) {
		text := C.GoStringN(item.text, C.int(item.text_bytes))
		items[i] = Item{text, float64(item.score), int(item.index), int32(item.id), int(item.start), int(item.end)}
	}
	return items
}

type results struct{ pointer *C.bert_results }

func (r results) items(input int) []Item {
	var count C.size_t
	items := C.bert_results_items(r.pointer, C.size_t(input), &count)
	return itemsOf(items, count)
}

// Makes a result from each input.
func eachOf[T any](of results, value func(of results, input int) T) []Result[T] {
	made := make([]Result[T], C.bert_results_count(of.pointer))
	for i := range made {
		input := C.size_t(i)
		made[i].TruncatedTokens = int(C.bert_results_truncated_tokens(of.pointer, input))
		if status := C.bert_results_status(of.pointer, input); status != C.BERT_OK {
			message := C.GoString(C.bert_results_message(of.pointer, input))
			made[i].Err = &Error{Status: Status(status), Message: message}
		} else {
			made[i].Value = value(of, i)
		}
	}
	return made
}

func listOf[T any](one func(Item) T) func(results, int) []T {
	return func(of results, input int) []T {
		items := of.items(input)
		list := make([]T, len(items))
		for i, item := range items {
			list[i] = one(item)
		}
		return list
	}
}

func maskLists(of results, input int) (lists [][]Candidate) {
	for _, item := range of.items(input) {
		for len(lists) <= item.Index {
			lists = append(lists, nil)
		}
		lists[item.Index] = append(lists[item.Index], newCandidate(item))
	}
	return lists
}

func scoreOf(of results, input int) float64 {
	if items := of.items(input); len(items) > 0 {
		return items[0].Score
	}
	return 0
}

func redactedOf(of results, input int) Redacted {
	var bytes C.size_t
	text := C.bert_results_text(of.pointer, C.size_t(input), &bytes)
	return Redacted{C.GoStringN(text, C.int(bytes)), listOf(newPart)(of, input)}
}

// Runs a task and reads all results, also if some inputs failed.
func runTask(ctx context.Context, m *Model, name string, options any, inputs []Input, asJSON bool, use func(results)) error {
	given, err := json.Marshal(options)
	if err != nil {
		return &Error{InvalidArgument, err.Error(), err}
	}
	pieces, parts := make([]string, 0, len(inputs)), make([]C.int32_t, len(inputs))
	for i, input := range inputs {
		if input.Words != nil {
			pieces, parts[i] = append(pieces, input.Words...), C.int32_t(len(input.Words)+1)
			continue
		}
		pieces = append(pieces, input.Text)
		if input.Pair != nil {
			pieces, parts[i] = append(pieces, *input.Pair), -1
		}
	}
	block, bytes := blockOf(pieces)
	names, free, err := cStrings(name)
	defer free()
	if err != nil {
		return err
	}
	var made *C.bert_results
	err = m.model.checkContext(ctx, func(model *C.bert_model, isCancelled *C.int32_t) C.bert_status {
		return C.bert_go_run(model, names[0], string(given), block, pointer(bytes), C.size_t(len(pieces)),
			pointer(parts), C.size_t(len(inputs)), flag(asJSON), isCancelled, &made)
	})
	if made != nil {
		defer C.bert_results_free(made)
		use(results{made})
	}
	return err
}

func run[T any](ctx context.Context, m *Model, name string, options any, inputs []Input, value func(results, int) T) (made []Result[T], err error) {
	err = runTask(ctx, m, name, options, inputs, false, func(of results) { made = eachOf(of, value) })
	return made, err
}

func rank(ctx context.Context, m *Model, name string, options any, texts []string) (made []Ranked, err error) {
	err = runTask(ctx, m, name, options, Texts(texts...), false, func(found results) {
		var count C.size_t
		order := C.bert_results_ranking(found.pointer, &count)
		for _, index := range of[C.size_t](order, int(count)) {
			truncated := C.bert_results_truncated_tokens(found.pointer, index)
			made = append(made, Ranked{int(index), scoreOf(found, int(index)), int(truncated)})
		}
	})
	return made, err
}

// TaskJSON runs any task by its name, with options that are encoded as JSON. Results are as the program prints them
// (docs/OUTPUT.md). The error is that of the first input that failed; the other inputs have results.
func (m *Model) TaskJSON(ctx context.Context, name string, options any, inputs []Input) (made []Result[json.RawMessage], err error) {
	err = runTask(ctx, m, name, options, inputs, true, func(of results) {
		made = eachOf(of, func(of results, input int) json.RawMessage {
			return json.RawMessage(C.GoString(C.bert_results_json(of.pointer, C.size_t(input))))
		})
	})
	return made, err
}
