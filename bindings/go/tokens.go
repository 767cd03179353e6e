package bertinfer

// #include "calls.h"
import "C"

import "unsafe"

// TokenizeOptions say how a text is divided into tokens.
type TokenizeOptions struct {
	Pair                 *string
	MaxLength            int // tokens, with special tokens; 0: no limit
	WithoutSpecialTokens bool
}

// Tokens are the tokens of a text, or of a text and its pair.
type Tokens struct {
	IDs               []int32
	TypeIDs           []int32 // 0 for the text, 1 for the pair, as the model's template says
	SpecialTokensMask []uint8 // 1 for tokens that the template added
	Starts, Ends      []int   // place of the token in its text, in bytes; 0 and 0 for a token of the template
	WordIDs           []int32 // index of the token's word in its text; -1 for a token of the template
	SequenceIDs       []int32 // 0: of the text, 1: of the pair, -1: of the template
	TruncatedTokens   int     // number of tokens that MaxLength removed
	UnknownTokens     int
}

// Tokenize divides a text into tokens.
func (m *Model) Tokenize(text string, options TokenizeOptions) (tokens Tokens, err error) {
	if err := checkSize("MaxLength", options.MaxLength); err != nil {
		return tokens, err
	}
	given := C.bert_tokenize_options{
		struct_bytes: C.sizeof_bert_tokenize_options, max_length: C.size_t(options.MaxLength),
		without_special_tokens: flag(options.WithoutSpecialTokens),
	}
	pair, hasPair := "", flag(options.Pair != nil)
	if options.Pair != nil {
		pair = *options.Pair
	}
	var sizes [3]C.size_t
	err = m.model.check(func(model *C.bert_model) C.bert_status {
		status := C.bert_go_tokenize(model, text, pair, hasPair, given, 0, nil, nil, nil, nil, nil, nil, &sizes[0])
		if status != C.BERT_OK && status != C.BERT_BUFFER_TOO_SMALL || sizes[0] == 0 {
			return status
		}
		size := sizes[0]
		tokens.IDs, tokens.TypeIDs = make([]int32, size), make([]int32, size)
		tokens.WordIDs, tokens.SequenceIDs = make([]int32, size), make([]int32, size)
		tokens.SpecialTokensMask = make([]uint8, size)
		offsets := make([]C.size_t, 2*size)
		status = C.bert_go_tokenize(model, text, pair, hasPair, given, size, ids(tokens.IDs), ids(tokens.TypeIDs),
			(*C.uint8_t)(pointer(tokens.SpecialTokensMask)), pointer(offsets), ids(tokens.WordIDs),
			ids(tokens.SequenceIDs), &sizes[0])
		tokens.Starts, tokens.Ends = ints(offsets[:size]), ints(offsets[size:])
		return status
	})
	tokens.TruncatedTokens, tokens.UnknownTokens = int(sizes[1]), int(sizes[2])
	return tokens, err
}

func ids(of []int32) *C.int32_t { return (*C.int32_t)(pointer(of)) }

func ints(of []C.size_t) []int {
	made := make([]int, len(of))
	for i, one := range of {
		made[i] = int(one)
	}
	return made
}

// Returns the text that a call writes into a buffer. The function is called twice, first for the size.
func (m *Model) textOf(call func(*C.bert_tokenizer, *C.char, C.size_t, *C.size_t) C.bert_status) (text string, err error) {
	err = m.model.check(func(model *C.bert_model) C.bert_status {
		tokenizer := C.bert_model_tokenizer(model)
		var bytes C.size_t
		if status := call(tokenizer, nil, 0, &bytes); status != C.BERT_OK && status != C.BERT_BUFFER_TOO_SMALL {
			return status
		}
		buffer := make([]byte, bytes+1)
		status := call(tokenizer, (*C.char)(unsafe.Pointer(&buffer[0])), C.size_t(len(buffer)), &bytes)
		text = string(buffer[:bytes])
		return status
	})
	return text, err
}

// Token returns the token of an id, as in the vocabulary.
func (m *Model) Token(id int32) (string, error) {
	return m.textOf(func(tokenizer *C.bert_tokenizer, buffer *C.char, capacity C.size_t, bytes *C.size_t) C.bert_status {
		return C.bert_token_text(tokenizer, C.int32_t(id), buffer, capacity, bytes)
	})
}

// Decode returns the text of ids. It skips ids without a token.
func (m *Model) Decode(of []int32, skipSpecialTokens bool) (string, error) {
	return m.textOf(func(tokenizer *C.bert_tokenizer, buffer *C.char, capacity C.size_t, bytes *C.size_t) C.bert_status {
		return C.bert_decode(tokenizer, ids(of), C.size_t(len(of)), flag(skipSpecialTokens), buffer, capacity, bytes)
	})
}

// Encoded has the hidden states of a text.
type Encoded struct {
	IDs             []int32
	LastHiddenState []float32 // [tokens, hidden]
	PoolerOutput    []float32 // [hidden]; empty if the model has no pooler
}

// Encode computes the hidden states of a text's tokens. A longer text is cut to MaxLength tokens.
func (m *Model) Encode(text string) (made Encoded, err error) {
	tokens, err := m.Tokenize(text, TokenizeOptions{MaxLength: m.MaxLength()})
	if err != nil {
		return made, err
	}
	made.IDs = tokens.IDs
	err = m.model.check(func(model *C.bert_model) C.bert_status {
		var sizes [2]C.size_t
		given, types, count := ids(tokens.IDs), ids(tokens.TypeIDs), C.size_t(len(tokens.IDs))
		if status := C.bert_go_encode(model, given, types, count, nil, nil, &sizes[0]); status != C.BERT_OK {
			return status
		}
		made.LastHiddenState, made.PoolerOutput = make([]float32, sizes[0]), make([]float32, sizes[1])
		return C.bert_go_encode(model, given, types, count, floats(made.LastHiddenState), floats(made.PoolerOutput), &sizes[0])
	})
	return made, err
}

// Returns the library's memory as a slice, without a copy; nil for nil.
func of[T, C any](data *C, count int) []T {
	if data == nil {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(data)), count)
}
