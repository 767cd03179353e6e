// Package bertinfer runs text encoders on the CPU. It computes embeddings, tokens, entities, answers and ranks, with
// the same bits in any batch and on any CPU.
//
// Any number of goroutines may use a model or an index at the same time. Close or the garbage collector frees them. A
// context ends a call over many texts between two forward passes.
package bertinfer

// #include "calls.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// A Status is the kind of an error, for example in errors.Is(err, bertinfer.NotFound).
type Status int

const (
	InvalidArgument Status = C.BERT_INVALID_ARGUMENT
	InvalidFile     Status = C.BERT_INVALID_FILE
	NotFound        Status = C.BERT_NOT_FOUND
	Unsupported     Status = C.BERT_UNSUPPORTED
	InvalidText     Status = C.BERT_INVALID_TEXT
	NonFinite       Status = C.BERT_NON_FINITE
	IO              Status = C.BERT_IO
	OutOfMemory     Status = C.BERT_OUT_OF_MEMORY
	Internal        Status = C.BERT_INTERNAL
	Cancelled       Status = C.BERT_CANCELLED
)

func (s Status) Error() string { return C.GoString(C.bert_status_name(C.bert_status(s))) }

// An Error has the library's message. It wraps its Status and, if a context ended the call, the context's error.
type Error struct {
	Status  Status
	Message string
	cause   error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Is(target error) bool { return target == e.Status }

func (e *Error) Unwrap() error { return e.cause }

func invalid(format string, values ...any) error {
	return &Error{Status: InvalidArgument, Message: fmt.Sprintf(format, values...)}
}

// Refuses a number below 0, which the library would take as a very large one.
func checkSize(name string, value int) error {
	if value < 0 {
		return invalid("%s: found %d, expected at least 0", name, value)
	}
	return nil
}

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("bertinfer: closed")

// Calls the library in a locked thread, because the thread keeps the message of an error.
func check(call func() C.bert_status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if status := call(); status != C.BERT_OK {
		return &Error{Status: Status(status), Message: C.GoString(C.bert_error_message())}
	}
	return nil
}

// Calls a function with a flag that is set when the context ends; with nil if the context never ends.
func checkContext(ctx context.Context, call func(isCancelled *C.int32_t) C.bert_status) error {
	if err := ctx.Err(); err != nil {
		return &Error{Cancelled, err.Error(), err}
	}
	if ctx.Done() == nil {
		return check(func() C.bert_status { return call(nil) })
	}
	flag := (*C.int32_t)(C.calloc(1, 4))
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ctx.Done():
			C.bert_go_cancel(flag)
		case <-ended:
		}
	}()
	err := check(func() C.bert_status { return call(flag) })
	close(ended)
	<-watched
	C.free(unsafe.Pointer(flag))
	if failed, ok := err.(*Error); ok && failed.Status == Cancelled {
		failed.cause = ctx.Err()
	}
	return err
}

// An object of the library. A call holds the lock, so that Close waits for it.
type handle[T comparable] struct {
	mutex   sync.RWMutex
	pointer T // nil after close
	free    func(T)
}

func (h *handle[T]) set(pointer T, free func(T)) {
	h.pointer, h.free = pointer, free
	runtime.SetFinalizer(h, func(h *handle[T]) { h.close() })
}

func (h *handle[T]) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	var none T
	if h.pointer != none {
		h.free(h.pointer)
		h.pointer = none
		runtime.SetFinalizer(h, nil)
	}
}

func (h *handle[T]) check(call func(T) C.bert_status) error {
	return h.checkContext(context.Background(), func(pointer T, _ *C.int32_t) C.bert_status { return call(pointer) })
}

// Reads a value that needs no check; the zero value after close.
func read[T comparable, R any](h *handle[T], value func(T) R) (found R) {
	_ = h.check(func(pointer T) C.bert_status {
		found = value(pointer)
		return C.BERT_OK
	})
	return found
}

func (h *handle[T]) checkContext(ctx context.Context, call func(T, *C.int32_t) C.bert_status) error {
	h.mutex.RLock()
	defer h.mutex.RUnlock()
	var none T
	if h.pointer == none {
		return ErrClosed
	}
	return checkContext(ctx, func(flag *C.int32_t) C.bert_status { return call(h.pointer, flag) })
}

// Makes C strings, NULL for "". They are valid until free is called.
func cStrings(texts ...string) (made []*C.char, free func(), err error) {
	for _, text := range texts {
		if strings.IndexByte(text, 0) >= 0 {
			err = invalid("a text has a zero byte, expected none")
		}
	}
	made = make([]*C.char, len(texts))
	for i, text := range texts {
		if text != "" && err == nil {
			made[i] = C.CString(text)
		}
	}
	return made, func() {
		for _, text := range made {
			C.free(unsafe.Pointer(text))
		}
	}, err
}

// A Precision is the type of the numbers in the linear layers.
type Precision int32

const (
	Stored   Precision = C.BERT_PRECISION_STORED
	Float32  Precision = C.BERT_PRECISION_FLOAT32
	Int8     Precision = C.BERT_PRECISION_INT8
	Bfloat16 Precision = C.BERT_PRECISION_BFLOAT16
)

// LoadOptions say how a model is loaded. With the zero value, the model's files decide.
type LoadOptions struct {
	Threads                        int // for one call; 0: the cores that affinity and the container allow
	Precision                      Precision
	Revision                       string // for a model in the hub's local cache; "": "main"
	Task                           string // the route or the adapter of a model with several, such as "query"
	Adapter                        string // directory or name of an adapter (LoRA)
	Encoder                        string // directory of the encoder, for a GLiNER model that only names it
	CheckTensors, IgnoreUnexpected bool
}

// A Model is a loaded model.
type Model struct{ model *handle[*C.bert_model] }

// Builtin loads the small English model inside the library.
func Builtin() (*Model, error) { return Load("", LoadOptions{}) }

// Load loads a directory in the Hugging Face layout, or a name in the hub's local cache; "": the built-in model.
func Load(name string, options LoadOptions) (*Model, error) {
	texts, free, err := cStrings(name, options.Revision, options.Task, options.Adapter, options.Encoder)
	defer free()
	if err != nil {
		return nil, err
	}
	given := C.bert_load_options{
		struct_bytes: C.sizeof_bert_load_options, threads: C.size_t(options.Threads),
		precision: C.int32_t(options.Precision), check_tensors: flag(options.CheckTensors),
		ignore_unexpected: flag(options.IgnoreUnexpected),
		revision:          texts[1], task: texts[2], adapter: texts[3], encoder: texts[4],
	}
	var model *C.bert_model
	if err := check(func() C.bert_status { return C.bert_model_load(texts[0], &given, &model) }); err != nil {
		return nil, err
	}
	made := &Model{&handle[*C.bert_model]{}}
	made.model.set(model, func(model *C.bert_model) { C.bert_model_free(model) })
	return made, nil
}

// Close frees the model when no call uses it. It may be called again.
func (m *Model) Close() { m.model.close() }

func flag(is bool) C.int {
	if is {
		return 1
	}
	return 0
}

// HiddenSize is the size of a token's hidden state; 0 after Close.
func (m *Model) HiddenSize() int {
	return read(m.model, func(model *C.bert_model) int { return int(C.bert_model_hidden_size(model)) })
}

// MaxLength is the default limit of a sequence in tokens; 0 after Close.
func (m *Model) MaxLength() int {
	return read(m.model, func(model *C.bert_model) int { return int(C.bert_model_max_length(model)) })
}

// Notices are messages about how the files were read.
func (m *Model) Notices() []string {
	return read(m.model, func(model *C.bert_model) (notices []string) {
		for i := C.size_t(0); C.bert_model_notice(model, i) != nil; i++ {
			notices = append(notices, C.GoString(C.bert_model_notice(model, i)))
		}
		return notices
	})
}

// Version is the library's version, such as "0.1.0".
func Version() string { return C.GoString(C.bert_version()) }

// A Pooling is the way in which token vectors become a text's vector. With the zero value, the model's files decide.
type Pooling int32

const (
	PoolingCLS            Pooling = C.BERT_POOLING_CLS
	PoolingMean           Pooling = C.BERT_POOLING_MEAN
	PoolingMax            Pooling = C.BERT_POOLING_MAX
	PoolingPooler         Pooling = C.BERT_POOLING_POOLER
	PoolingMeanSqrtLength Pooling = C.BERT_POOLING_MEAN_SQRT_LENGTH
	PoolingWeightedMean   Pooling = C.BERT_POOLING_WEIGHTED_MEAN
	PoolingLastToken      Pooling = C.BERT_POOLING_LAST_TOKEN
)

// EmbedOptions say how a text becomes a vector. With the zero value, the model's files decide.
type EmbedOptions struct {
	Pooling    Pooling
	Normalize  *bool
	Dimensions int      // keep only so many of a vector's first numbers (Matryoshka)
	Prompt     string   // name of one of the model's prompts, which is put before a text
	LongText   LongText // LongTextCut, the default, or LongTextError
}

func longText(word LongText) C.int32_t {
	codes := map[LongText]C.int32_t{
		LongTextCut: C.BERT_LONG_TEXT_CUT, LongTextWindows: C.BERT_LONG_TEXT_WINDOWS, LongTextError: C.BERT_LONG_TEXT_ERROR,
	}
	if code, ok := codes[word]; ok || word == "" {
		return code
	}
	return -1 // refused by the library
}

func (o EmbedOptions) given() (C.bert_embed_options, func(), error) {
	texts, free, err := cStrings(o.Prompt)
	normalize := C.int32_t(C.BERT_DEFAULT)
	if o.Normalize != nil {
		normalize = C.BERT_NO - C.int32_t(flag(*o.Normalize))
	}
	return C.bert_embed_options{
		struct_bytes: C.sizeof_bert_embed_options, pooling: C.int32_t(o.Pooling), normalize: normalize,
		dimensions: C.size_t(o.Dimensions), prompt: texts[0], long_text: longText(o.LongText),
	}, free, err
}

// A Report says how much of a text was read.
type Report struct{ Tokens, TruncatedTokens, UnknownTokens int }

func reportOf(report C.bert_text_report) Report {
	return Report{int(report.tokens), int(report.truncated_tokens), int(report.unknown_tokens)}
}

// Vectors are the vectors of several texts, in their order.
type Vectors struct {
	Data    []float32 // [texts, Size]
	Size    int
	Reports []Report
}

// Row returns the vector of a text.
func (v Vectors) Row(i int) []float32 { return v.Data[i*v.Size : (i+1)*v.Size] }

// Embed computes the vector of a text.
func (m *Model) Embed(text string, options EmbedOptions) ([]float32, Report, error) {
	given, free, err := options.given()
	defer free()
	if err != nil {
		return nil, Report{}, err
	}
	var vector []float32
	var report C.bert_text_report
	err = m.model.check(func(model *C.bert_model) C.bert_status {
		var size C.size_t
		if status := C.bert_embed_get_size(model, &given, &size); status != C.BERT_OK {
			return status
		}
		vector = make([]float32, size)
		return C.bert_go_embed_text(model, text, given, floats(vector), size, &report)
	})
	if err != nil {
		return nil, Report{}, err
	}
	return vector, reportOf(report), nil
}

// EmbedTexts computes the vectors of many texts, on all threads.
func (m *Model) EmbedTexts(ctx context.Context, texts []string, options EmbedOptions) (Vectors, error) {
	given, free, err := options.given()
	defer free()
	if err != nil {
		return Vectors{}, err
	}
	block, bytes := blockOf(texts)
	reports := make([]C.bert_text_report, len(texts))
	var made Vectors
	err = m.model.checkContext(ctx, func(model *C.bert_model, isCancelled *C.int32_t) C.bert_status {
		var size C.size_t
		if status := C.bert_embed_get_size(model, &given, &size); status != C.BERT_OK {
			return status
		}
		made.Data, made.Size = make([]float32, int(size)*len(texts)), int(size)
		return C.bert_go_embed_texts(model, block, pointer(bytes), C.size_t(len(texts)), given, isCancelled,
			floats(made.Data), C.size_t(len(made.Data)), pointer(reports))
	})
	if err != nil {
		return Vectors{}, err
	}
	for _, report := range reports {
		made.Reports = append(made.Reports, reportOf(report))
	}
	return made, nil
}

// Returns the texts as one block and the size of each text.
func blockOf(texts []string) (*C.char, []C.size_t) {
	bytes := make([]C.size_t, len(texts))
	for i, text := range texts {
		bytes[i] = C.size_t(len(text))
	}
	block := append([]byte(strings.Join(texts, "")), 0)
	return (*C.char)(unsafe.Pointer(&block[0])), bytes
}

// Returns the address of a slice's first element; nil if the slice is empty.
func pointer[T any](slice []T) *T {
	if len(slice) == 0 {
		return nil
	}
	return &slice[0]
}

func floats(slice []float32) *C.float { return (*C.float)(pointer(slice)) }
